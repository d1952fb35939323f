//! The edits that make a toleration match a taint, wherever it is written.

use crate::{
    edits::{entry::Entries, mapping::Mapping},
    findings::{Edit, change::Draft},
    model::toleration::{Effect, Taint},
    source::Files,
    value::Value,
};

/// The edits after which the toleration matches the taint; `None` where that cannot be made sure.
#[must_use]
pub fn match_taint(files: &Files, toleration: &Value, taint: &Taint) -> Option<Vec<Edit>> {
    if toleration.as_map().is_none_or(|it| it.rest.is_some()) {
        return None;
    }
    let mapping = Mapping::of(files, toleration);
    let mut edits = Vec::new();
    edits.extend(mapping.set("key", &taint.key)?);
    let effect = mapping.text("effect")?;
    if !effect.is_empty() {
        edits.extend(mapping.set("effect", taint.effect.word())?);
        if effect == Effect::NoExecute.word()
            && let Some(entry) = mapping.entry("tolerationSeconds")
        {
            edits.push(mapping.remove(entry)?);
        }
    }
    match (mapping.text("operator")?, mapping.text("value")?) {
        ("Exists", _) => {}
        ("" | "Equal", value) if value == taint.value => {}
        ("" | "Equal", _) if taint.value.is_empty() => {
            edits.push(mapping.remove(mapping.entry("value")?)?);
        }
        ("" | "Equal", value) if !value.is_empty() => {
            edits.extend(mapping.set("value", &taint.value)?);
        }
        ("Equal", _) => edits.extend(mapping.set("operator", "Exists")?),
        ("", _) => {
            let exists = [("operator", Draft::text("Exists"))];
            let added = Entries::of(files, toleration)?.add_after(mapping.entry("key")?, &exists);
            edits.push(added?);
        }
        _ => return None,
    }
    Some(edits)
}
