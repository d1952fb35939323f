//! Releases of Karpenter that are known to be broken.

use crate::{
    checks::varying::versions,
    findings::silence::Silence,
    knowledge::publication::{self, KnownFault},
    model::Model,
    resolve::{release::Release, setting::Setting},
    value::Value,
};

/// What is broken in every version of Karpenter that a release may install, and in use.
pub(crate) fn known_fault(model: &Model, release: &Release) -> Result<KnownFault, Silence> {
    let allowed = versions(model, release)?;
    let fault = publication::fault(&allowed)
        .ok_or_else(|| Silence::sound("no fault of this version is known"))?;
    let gate = |path: &&str| {
        let is_on = |it: &Value| it.as_bool().or_else(|| it.as_str()?.parse().ok());
        Setting::of(release.values.at(path), Some(false), release.report_span, is_on)
    };
    let gates: Vec<Setting<bool>> = fault.gates.iter().map(gate).collect();
    if gates.is_empty() || gates.iter().any(|it| it.known_to_be(&true)) {
        return Ok(fault);
    }
    for gate in &gates {
        gate.decided("the feature gate that its fault needs")?;
    }
    Err(Silence::sound("the feature gate that its fault needs is off"))
}
