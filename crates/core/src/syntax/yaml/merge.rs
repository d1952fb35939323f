//! The merge key `<<` of mappings.

use std::sync::Arc;

use crate::{
    syntax::yaml::frame::OpenMapping,
    value::{Kind, Value, step::StepKind},
};

/// Merges a mapping, or mappings of which the first counts most. False when it is neither.
#[must_use]
pub(super) fn merge(into: &mut OpenMapping, value: &Value) -> bool {
    match &value.kind {
        Kind::Map(map) => {
            if let Some(rest) = &map.rest {
                into.forget(rest.clone());
            }
            merge_map(into, value);
            true
        }
        Kind::List(list) => list.items.iter().rev().fold(true, |fine, item| {
            let mapping = matches!(item.kind, Kind::Map(_) | Kind::Unknown(_));
            mapping && merge(into, item) && fine
        }),
        Kind::Unknown(symbol) => {
            into.forget(symbol.clone());
            true
        }
        _ => false,
    }
}

fn merge_map(into: &mut OpenMapping, value: &Value) {
    for entry in value.entries() {
        let mut entry = entry.clone();
        if let Some(step) = &value.origin {
            let kind = match &step.kind {
                StepKind::Alias(alias) => StepKind::Merge(Arc::clone(alias)),
                other => other.clone(),
            };
            entry.value = entry.value.through(step.span, kind);
        }
        into.merge(entry);
    }
}
