//! What the API server refuses of a Karpenter resource.
//!
//! It works as the API server does, in this order: defaults are filled in, unknown names are refused and
//! dropped, nulls are dropped, of `status` only the names are looked at, each field is held against its shape, and then
//! come the checks. What is unknown ends its subtree: it is never at fault, and a check that would have to
//! look at it says nothing. The checks are functions here rather than expressions for an interpreter of
//! CEL, because no such interpreter can answer "it depends on what is not known".

mod checks;
pub mod fault;
mod metadata;
pub mod path;
#[cfg(test)]
mod tests;
mod text;
mod walk;
pub(crate) mod words;

use std::collections::HashSet;

use crate::{
    checks::admission::{
        fault::{Fault, FaultId, FaultKind},
        path::Path,
        walk::Walk,
    },
    knowledge::schema::{self, Schema, checks::Check, tree::SchemaTree},
    value::Value,
    version::{Range, Version},
};

/// What the API server of a cluster with that release of Karpenter refuses of a resource. If the release is
/// not known, or is no release but a build on the way to one, what each release refuses that serves the
/// version of the API. `api` is the whole `apiVersion`. Nothing for kinds that are not Karpenter's, nor for a
/// former kind where the release has it no longer, or is older than all that are known.
#[must_use]
pub fn faults(object: &Value, kind: &str, api: &str, release: Option<&Version>) -> Vec<Fault> {
    let group = api.split_once('/').map_or(api, |(group, _)| group);
    let Some(known) = schema::any_kind(group, kind) else { return Vec::new() };
    let schema = known.schemas.iter().find(|it| it.api_version() == api);
    let release = release.filter(|it| it.prerelease.is_empty() && it.line() != (0, 0));
    let is_former = schema::kind(group, kind).is_none();
    let unserved = || if is_former { Vec::new() } else { vec![unserved(object)] };
    let Some(schema) = schema else { return unserved() };
    let Some(release) = release else { return of_any(object, schema, None) };
    let Some(tree) = schema.at(release) else { return unserved() };
    let mut faults = in_tree(object, tree);
    if schema::is_unknown_release(release) {
        faults.retain(|it| !it.kind.may_be_let_in_later());
    }
    faults
}

/// What each release in some ranges refuses that serves the version of the API; of any range, where none does.
#[must_use]
pub fn faults_within(object: &Value, kind: &str, api: &str, ranges: &[Range]) -> Vec<Fault> {
    let is_served = |it: &&'static Schema| it.trees_within(Some(ranges)).next().is_some();
    match schema::of_any(api, kind).filter(is_served) {
        Some(schema) => of_any(object, schema, Some(ranges)),
        None => faults(object, kind, api, None),
    }
}

/// What the newest release that serves the version of the API refuses.
#[must_use]
pub fn faults_of_newest(object: &Value, kind: &str, api: &str) -> Vec<Fault> {
    let newest = schema::of_any(api, kind).and_then(|it| it.trees().next_back());
    newest.map_or_else(Vec::new, |tree| in_tree(object, tree))
}

/// Whether a text may be at a field (`spec.blockDeviceMappings[].ebs.volumeSize`), as far as its shape in
/// the newest release that serves the API says.
#[must_use]
pub fn takes_text(kind: &str, api: &str, field: &str, text: &str) -> bool {
    let field = schema::of_any(api, kind).and_then(|it| it.field(field));
    let shape = field.and_then(|it| it.facts.last()).map(|it| &it.shape);
    shape.is_none_or(|it| text::takes(it, text))
}

fn unserved(object: &Value) -> Fault {
    let api = object.get("apiVersion").present();
    Fault {
        kind: FaultKind::Unserved,
        span: api.map_or(object.name, |it| it.span),
        path: Path::default().name("apiVersion"),
        field: "apiVersion".to_owned(),
        value: api.cloned(),
        by_webhook: false,
    }
}

/// What every release refuses that serves the version, in the words of the newest.
fn of_any(object: &Value, schema: &'static Schema, ranges: Option<&[Range]>) -> Vec<Fault> {
    let mut trees = schema.trees_within(ranges).rev();
    let Some(newest) = trees.next() else { return Vec::new() };
    let mut faults = in_tree(object, newest);
    for tree in trees {
        if faults.is_empty() {
            break;
        }
        let found = in_tree(object, tree);
        for fault in &mut faults {
            fault.take_fewer_texts_of(&found);
        }
        let there: HashSet<FaultId> = found.iter().map(Fault::identity).collect();
        // What a release does not know at all, it refuses whatever is in it.
        let unknown: Vec<&Path> =
            found.iter().filter(|it| it.is_unknown()).map(|it| &it.path).collect();
        let refused = |it: &Path| unknown.iter().any(|outer| outer.leads_to(it));
        faults.retain(|it| {
            there.contains(&it.identity()) || refused(&it.path) || lacks_one(it, &found)
        });
    }
    faults
}

/// Whether one of `role` and `instanceProfile` is needed, and a release that knows only the first misses that.
fn lacks_one(fault: &Fault, found: &[Fault]) -> bool {
    let is_choice = matches!(&fault.kind, FaultKind::Check { check: Check::RoleOrProfile, .. });
    let is_role = |it: &Fault| matches!(&it.kind, FaultKind::Missing { name } if *name == "role");
    is_choice && found.iter().any(is_role)
}

fn in_tree(object: &Value, tree: &'static SchemaTree) -> Vec<Fault> {
    let mut walk = Walk::new(tree);
    let seen = walk.value(object, &tree.root, &Path::default());
    walk.check(&seen, &tree.root, &Path::default());
    walk.faults
}
