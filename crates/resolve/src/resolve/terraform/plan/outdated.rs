//! Plans that are older than the code beside them.

use crate::{
    resolve::terraform::object::BlockInstance,
    value::{Kind, Value},
    version::{Version, constraint::Constraint},
};

/// Whether the code of a resource says something else of it than its planned values: it changed since.
pub(super) fn is_contradicted(object: &BlockInstance, planned: &Value) -> bool {
    let is_apart = object.body.span.file != planned.span.file;
    is_apart
        && object.body.entries().iter().any(|it| {
            let planned = planned.get(&it.key).present();
            planned.is_some_and(|planned| {
                differ(&it.value, planned)
                    && !(&*it.key == "version" && chooses(&it.value, planned))
            })
        })
}

/// Whether two plain values surely differ. Providers write documents and lists in their own form.
fn differ(written: &Value, planned: &Value) -> bool {
    match (&written.kind, &planned.kind) {
        (Kind::String(text), Kind::String(_)) => {
            let is_plain = text.holes.is_empty() && text.encodes.is_none();
            let is_word = !text.text.contains(['\n', '{', ' ']);
            is_plain && is_word && written.same_as(planned) == Some(false)
        }
        (Kind::Number(_), Kind::Number(_)) | (Kind::Bool(_), Kind::Bool(_)) => {
            written.same_as(planned) == Some(false)
        }
        _ => false,
    }
}

/// Whether a range of versions chooses one, as the Helm provider plans it.
fn chooses(range: &Value, version: &Value) -> bool {
    let range = range.as_str().and_then(Constraint::parse);
    let version = version.as_str().and_then(Version::parse);
    range.zip(version).is_some_and(|(range, version)| range.allows(&version))
}
