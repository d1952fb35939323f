//! Releases of Karpenter that are known to be broken.

use crate::{
    checks::varying::versions,
    findings::silence::Silence,
    knowledge::publication::{self, KnownFault},
    model::{Model, node_pool::class::NodeClass},
    resolve::{release::Release, setting::Setting},
    source::Span,
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

/// The image of the first class, where a fault is about the order of images and each class of the repository has one image
/// alone, by its id.
pub(crate) fn only_image(model: &Model, fault: &KnownFault) -> Option<Span> {
    let is_former = |it: &str| it == "AWSNodeTemplate";
    if !fault.is_of_image_order
        || model.karpenter_objects.iter().any(|it| is_former(&it.object.kind))
    {
        return None;
    }
    let images: Option<Vec<Span>> = model.node_classes.iter().map(image_by_id).collect();
    images?.first().copied()
}

fn image_by_id(class: &NodeClass) -> Option<Span> {
    let terms =
        class.object.at("spec.amiSelectorTerms").present().filter(|_| !class.is_in_doubt)?;
    let list = terms.as_list()?;
    let [only] = list.items.as_slice() else { return None };
    let id = only.get("id").present()?;
    (list.rest.is_none() && id.as_str().is_some_and(|it| it.starts_with("ami-"))).then_some(id.span)
}
