//! The feature gates of Karpenter.

use crate::{
    resolve::release::Release,
    source::Span,
    value::{Field, Kind, Value},
};

/// The capacity type of nodes.
pub(super) const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

/// What a feature gate is set to by one of its names, and where; `None` where it is not written.
pub(super) fn gate(release: Option<&Release>, names: &[&str]) -> Option<(Option<bool>, Span)> {
    let release = release?;
    names.iter().find_map(|name| {
        match release.values.at(&format!("settings.featureGates.{name}")) {
            Field::Present(value) => Some((truth(value), value.span)),
            Field::Unknown => Some((None, release.report_span)),
            Field::Missing => None,
        }
    })
}

fn truth(value: &Value) -> Option<bool> {
    match &value.kind {
        Kind::Bool(value) => Some(*value),
        _ => value.as_str()?.parse().ok(),
    }
}
