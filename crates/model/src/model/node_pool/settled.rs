//! Pools and classes that reach the cluster as they are written.

use crate::{
    model::{
        Model,
        node_pool::{NodePool, class::NodeClass},
        scope::{Scope, Scoped},
    },
    resolve::{setting::Setting, terraform::inputs::is_of_variable},
    value::{Entry, Value},
};

impl Model {
    /// The pools of AWS that nothing unseen changes on their way to the cluster.
    pub fn settled_pools(&self) -> impl Iterator<Item = &NodePool> {
        self.node_pools.iter().filter(|it| it.is_of_aws() && !it.is_in_doubt && self.is_whole(*it))
    }

    /// The classes that nothing unseen changes on their way to the cluster.
    pub fn settled_classes(&self) -> impl Iterator<Item = &NodeClass> {
        self.node_classes
            .iter()
            .filter(|it| !it.is_in_doubt && !it.is_fragment() && self.is_whole(*it))
    }

    /// Whether it belongs to a module whose callers may add what is missing.
    #[must_use]
    pub fn is_for_callers(&self, scope: &Scope) -> bool {
        let root = scope.root.and_then(|it| self.terraform.roots.get(it));
        root.is_some_and(|it| it.reusable)
    }

    /// Whether any of these fields is a default that callers or a file of variables may replace.
    #[must_use]
    pub fn may_be_given(&self, scope: &Scope, object: &Value, paths: &[&str]) -> bool {
        let fields = paths.iter().filter_map(|it| object.at(it).present());
        fields.into_iter().any(|it| self.is_for_others(scope, it))
    }

    /// Whether a value is a default that callers or a file of variables may replace.
    #[must_use]
    pub fn is_for_others(&self, scope: &Scope, value: &Value) -> bool {
        self.inputs.may_replace(value) || is_of_variable(value) && self.is_for_callers(scope)
    }

    fn is_whole(&self, thing: &impl Scoped) -> bool {
        self.is_complete(thing.scope())
    }
}

/// What Karpenter cannot do without in a class, one or the other.
const ESSENTIALS: [&str; 5] = [
    "spec.amiSelectorTerms",
    "spec.role",
    "spec.instanceProfile",
    "spec.subnetSelectorTerms",
    "spec.securityGroupSelectorTerms",
];

impl NodeClass {
    /// Whether it is only a part of a class, to be laid over another file.
    #[must_use]
    pub fn is_fragment(&self) -> bool {
        ESSENTIALS.iter().all(|it| self.object.at(it).is_missing())
    }
}

impl NodePool {
    /// An entry of its `spec` as it is written, also one that is null.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.object.get("spec").present()?.as_map()?.entry(key)
    }

    /// Whether it keeps a fixed number of nodes, whatever the pods ask for.
    #[must_use]
    pub fn is_static(&self) -> Setting<bool> {
        let replicas = self.object.at("spec.replicas");
        Setting::of(replicas, Some(false), self.report_span, |_: &Value| Some(true))
    }
}
