//! Pools and classes that reach the cluster as they are written.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        karpenter_object::KarpenterObject,
        node_pool::{NodePool, class::NodeClass},
    },
    resolve::{scope::Scope, terraform::inputs::is_of_variable},
    source::Span,
    value::{Value, cause::Cause},
};

/// The pools whose nodes are those of AWS.
pub(crate) fn pools(model: &Model) -> impl Iterator<Item = &NodePool> {
    model.node_pools.iter().filter(|it| it.is_of_aws())
}

/// The classes that are written whole, not as a part to be laid over another file.
pub(crate) fn classes(model: &Model) -> impl Iterator<Item = &NodeClass> {
    model.node_classes.iter().filter(|it| !it.is_fragment())
}

/// Folders of resources that are shown to choose from, not to be applied together.
const EXAMPLES: &[&str] = &[
    "archive",
    "archived",
    "demo",
    "demos",
    "docs",
    "example",
    "examples",
    "lab",
    "labs",
    "sample",
    "samples",
    "test",
    "tests",
    "tutorial",
    "tutorials",
    "workshop",
    "workshops",
];

/// Whether a plain file is one of several examples.
#[must_use]
pub(super) fn is_example(scope: &Scope) -> bool {
    let is_plain = scope.root.is_none() && scope.build.is_none();
    is_plain && scope.folder.split('/').any(|it| EXAMPLES.contains(&it))
}

/// Nothing unseen changes a pool on its way to the cluster.
///
/// # Errors
/// Undecided, where something may.
pub(crate) fn pool(model: &Model, pool: &NodePool) -> Result<(), Silence> {
    applied(model, &pool.scope, pool.is_in_doubt)
}

/// Nothing unseen changes a class on its way to the cluster.
///
/// # Errors
/// Undecided, where something may.
pub(super) fn class(model: &Model, class: &NodeClass) -> Result<(), Silence> {
    applied(model, &class.scope, class.is_in_doubt)
}

/// Nothing unseen changes a resource of Karpenter on its way to the cluster.
///
/// # Errors
/// Undecided, where something may.
pub(super) fn resource(model: &Model, resource: &KarpenterObject) -> Result<(), Silence> {
    applied(model, &resource.scope, !resource.is_whole)
}

fn applied(model: &Model, scope: &Scope, is_in_doubt: bool) -> Result<(), Silence> {
    if is_in_doubt {
        return Err(Silence::undecided(Cause::Value, "a patch that is not known may change it"));
    }
    if !model.is_unchanged(scope) {
        let words = "its kustomization applies something that is not known";
        return Err(Silence::undecided(Cause::Value, words));
    }
    Ok(())
}

/// Nothing unseen is built beside what is in a scope.
///
/// # Errors
/// Undecided, where something may be.
pub(super) fn whole(model: &Model, scope: &Scope) -> Result<(), Silence> {
    if model.is_complete(scope) {
        return Ok(());
    }
    let words = "its kustomization lists something that is not seen";
    Err(Silence::undecided(Cause::Value, words))
}

/// Whether a scope is a module whose callers may add what is missing.
#[must_use]
pub(super) fn is_for_callers(model: &Model, scope: &Scope) -> bool {
    let root = scope.root.and_then(|it| model.terraform.roots.get(it));
    root.is_some_and(|it| it.reusable)
}

/// None of these fields is a default that callers or a file of variables may replace.
///
/// # Errors
/// Undecided, with the field that may be replaced.
pub(super) fn not_given(
    model: &Model,
    scope: &Scope,
    object: &Value,
    paths: &[&str],
) -> Result<(), Silence> {
    let fields = paths.iter().filter_map(|it| Some((it, object.at(it).present()?)));
    let mut given = fields.filter(|(_, it)| is_for_others(model, scope, it));
    given.next().map_or(Ok(()), |(path, it)| Err(replaceable(path, it.span)))
}

/// A value is no default that callers or a file of variables may replace.
///
/// # Errors
/// Undecided, where they may.
pub(super) fn not_for_others(
    model: &Model,
    scope: &Scope,
    (name, value): (&str, &Value),
) -> Result<(), Silence> {
    if is_for_others(model, scope, value) {
        return Err(replaceable(name, value.span));
    }
    Ok(())
}

fn replaceable(name: &str, span: Span) -> Silence {
    let name = name.rsplit('.').next().unwrap_or(name);
    let words =
        format!("`{name}` is the default of a variable that callers or var files may replace");
    Silence::undecided(Cause::Value, words).at(span, "the default")
}

/// Whether a value is a default that callers or a file of variables may replace.
fn is_for_others(model: &Model, scope: &Scope, value: &Value) -> bool {
    model.inputs.may_replace(value) || is_of_variable(value) && is_for_callers(model, scope)
}
