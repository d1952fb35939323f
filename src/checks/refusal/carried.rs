//! What stays wrong with a resource of a former kind that no release in use serves: another rule tells to write its
//! successor, and what its author takes over word for word is refused there as well.

use std::sync::Arc;

use crate::{
    checks::admission::{
        fault::Fault,
        faults_of_newest,
        path::{Path, PathStep},
    },
    knowledge::schema::{
        self, Schema,
        retired::{Move, Target},
    },
    resolve::kubernetes::Object,
    value::{Entry, Kind, Map, Value},
};

/// Those faults that the newest release has as well in the place where the field goes.
pub(super) fn that_stay(own: &Object, mut found: Vec<Fault>) -> Vec<Fault> {
    let Some(schema) = schema::of_any(&own.api_version, &own.kind) else { return Vec::new() };
    let moves: Vec<Carried> = schema::moves().iter().filter_map(|it| carried(schema, it)).collect();
    let Some(first) = moves.first() else { return Vec::new() };
    let mut next = Value { kind: Kind::Map(Arc::default()), ..own.value.clone() };
    for it in &moves {
        if let Some(value) = own.value.at(it.from).present() {
            next = with(&next, &it.to.path.split('.').collect::<Vec<_>>(), value);
        }
    }
    let api = format!("{}/{}", own.group(), first.to.api);
    let refused = faults_of_newest(&next, &first.to.kind, &api);
    found.retain(|own| {
        let there = moves.iter().find_map(|it| it.place_of(&own.path));
        there.is_some_and(|there| refused.iter().any(|it| it.path == there))
    });
    found
}

/// A field that is carried over as it is.
struct Carried {
    from: &'static str,
    to: &'static Target,
}

/// A move to the successor of a kind, where the field is of the same type.
fn carried(schema: &Schema, moved: &'static Move) -> Option<Carried> {
    let successor = &schema::retired_kind(&schema.group, &schema.kind)?.successor;
    let to = moved.to.as_ref().filter(|it| it.kind == *successor && moved.kind == schema.kind)?;
    let there = schema::kind(&schema.group, &to.kind)?.schema(&to.api)?;
    let holds = |schema: &Schema, path: &str| Some(schema.field(path)?.facts.last()?.shape.holds);
    let is_same = holds(schema, &moved.from)? == holds(there, &to.path)?;
    is_same.then_some(Carried { from: &moved.from, to })
}

impl Carried {
    /// Where something inside of the field goes.
    fn place_of(&self, path: &Path) -> Option<Path> {
        let rest = path.parts().strip_prefix(whole(self.from).parts())?;
        Some(rest.iter().fold(whole(&self.to.path), |path, step| match step {
            PathStep::Name(name) => path.name(name),
            PathStep::Item(at) => path.item(*at),
        }))
    }
}

fn whole(field: &str) -> Path {
    field.split('.').fold(Path::default(), |path, name| path.name(name))
}

/// The same with a value in that place.
fn with(holder: &Value, path: &[&str], value: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone() };
    let empty = Value { kind: Kind::Map(Arc::default()), ..holder.clone() };
    let inner = holder.get(first).present().unwrap_or(&empty);
    let entry =
        Entry { key: (*first).into(), key_span: value.name, value: with(inner, rest, value) };
    let others = holder.entries().iter().filter(|it| &*it.key != *first).cloned();
    let entries = others.chain([entry]).collect();
    Value { kind: Kind::Map(Arc::new(Map { entries, rest: None })), ..holder.clone() }
}
