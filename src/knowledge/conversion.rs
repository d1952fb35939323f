//! Which releases' CRDs ask a conversion webhook, and where they look for it.

use crate::{
    knowledge::{Facts, all},
    value::Value,
    version::constraint::Constraint,
};

/// The facts.
#[derive(Debug, Default)]
pub(super) struct Conversion {
    pub(super) bundled: Facts,
    pub(super) crd_chart: Facts,
}

/// A service in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its name.
    pub name: &'static str,
    /// Its namespace; empty for that of the release.
    pub namespace: &'static str,
}

/// What the chart `karpenter-crd` writes into its CRDs by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrdChart {
    /// Whether they ask at all.
    pub enabled: bool,
    /// Whom.
    pub service: Service,
}

/// Whom the CRDs in the chart's own `crds/` ask; `None` where they ask nobody, or where the versions allowed
/// differ.
#[must_use]
pub fn bundled(allowed: &Constraint) -> Option<Service> {
    service(all().conversion.bundled.within(allowed)?)
}

/// The values by which the chart `karpenter-crd` makes its CRDs ask; `None` where it has none, or where the
/// versions allowed differ.
#[must_use]
pub fn crd_chart(allowed: &Constraint) -> Option<CrdChart> {
    let value = all().conversion.crd_chart.within(allowed)?;
    let enabled = value.get("enabled").present()?.as_bool()?;
    Some(CrdChart { enabled, service: service(value)? })
}

/// The facts, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 2] {
    let conversion = &all().conversion;
    [("bundled", &conversion.bundled), ("crd_chart", &conversion.crd_chart)]
}

fn service(value: &'static Value) -> Option<Service> {
    let text = |key: &str| value.get(key).present().and_then(Value::as_str);
    Some(Service { name: text("service")?, namespace: text("namespace")? })
}
