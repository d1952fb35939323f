//! Pools and classes that reach the cluster as they are written.

use crate::{
    model::{
        Model,
        node_pool::{NodePool, class::NodeClass},
    },
    resolve::{scope::Scope, terraform::inputs::is_of_variable},
    value::Value,
};

/// The pools of AWS that nothing unseen changes on their way to the cluster.
pub(super) fn pools(model: &Model) -> impl Iterator<Item = &NodePool> {
    let settled =
        |it: &&NodePool| it.is_of_aws() && !it.is_in_doubt && model.is_complete(&it.scope);
    model.node_pools.iter().filter(settled)
}

/// The classes that nothing unseen changes on their way to the cluster.
pub(super) fn classes(model: &Model) -> impl Iterator<Item = &NodeClass> {
    let settled =
        |it: &&NodeClass| !it.is_in_doubt && !it.is_fragment() && model.is_complete(&it.scope);
    model.node_classes.iter().filter(settled)
}

/// Whether a scope is a module whose callers may add what is missing.
#[must_use]
pub(super) fn is_for_callers(model: &Model, scope: &Scope) -> bool {
    let root = scope.root.and_then(|it| model.terraform.roots.get(it));
    root.is_some_and(|it| it.reusable)
}

/// Whether any of these fields is a default that callers or a file of variables may replace.
#[must_use]
pub(super) fn may_be_given(model: &Model, scope: &Scope, object: &Value, paths: &[&str]) -> bool {
    let fields = paths.iter().filter_map(|it| object.at(it).present());
    fields.into_iter().any(|it| is_for_others(model, scope, it))
}

/// Whether a value is a default that callers or a file of variables may replace.
#[must_use]
pub(super) fn is_for_others(model: &Model, scope: &Scope, value: &Value) -> bool {
    model.inputs.may_replace(value) || is_of_variable(value) && is_for_callers(model, scope)
}
