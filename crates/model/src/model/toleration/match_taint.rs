//! What makes a toleration match a taint.

use crate::{
    findings::change::{Change, NewValue},
    resolve::pod::toleration::{Effect, Taint},
    value::{Field, Value},
};

/// The changes after which the toleration matches the taint; `None` where part of it is not known.
#[must_use]
pub fn match_taint(toleration: &Value, taint: &Taint) -> Option<Vec<Change>> {
    if toleration.as_map().is_none_or(|it| it.rest.is_some()) {
        return None;
    }
    let text = |key: &str| match toleration.get(key) {
        Field::Missing => Some(""),
        field => field.present()?.as_str(),
    };
    let set = |key: &str, text: &str| Change::set(toleration, key, NewValue::text(text));
    let remove = |key: &str| Change::remove(toleration, &[key]);
    let mut changes = Vec::new();
    if text("key")? != taint.key {
        changes.push(set("key", &taint.key));
    }
    let (effect, wanted) = (text("effect")?, taint.effect.word());
    if !["", wanted].contains(&effect) {
        changes.push(set("effect", wanted));
        // Only what evicts may be tolerated for a time.
        let timed = effect == Effect::NoExecute.word();
        let is_written = !toleration.get("tolerationSeconds").is_missing();
        changes.extend((timed && is_written).then(|| remove("tolerationSeconds")));
    }
    match (text("operator")?, text("value")?) {
        ("Exists", _) => {}
        ("" | "Equal", value) if value == taint.value => {}
        ("" | "Equal", _) if taint.value.is_empty() => changes.push(remove("value")),
        ("" | "Equal", value) if !value.is_empty() => changes.push(set("value", &taint.value)),
        ("" | "Equal", _) => changes.push(set("operator", "Exists").behind(&["key"])),
        _ => return None,
    }
    Some(changes)
}
