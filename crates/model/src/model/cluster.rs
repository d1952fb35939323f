//! Clusters and the nodes that exist without Karpenter: static node groups and Fargate profiles.

pub(crate) mod adding;
pub(crate) mod eksctl;
pub(crate) mod read;
pub mod profiles;
pub mod shape;
pub(crate) mod sides;
mod start_up;
pub(super) mod version;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    knowledge,
    model::{
        cluster::shape::{FargateShape, GroupShape},
        scope::Scoped,
    },
    resolve::{
        answers::all,
        pod::{
            selector::{Labels, Selector, matches},
            toleration::{Taint, Tolerations},
        },
        scope::Scope,
        setting::Setting,
        terraform::object::GraphNode,
    },
    source::Span,
    value::{Field, Kind, Value},
    version::Version,
};

/// A cluster with what is known of its static capacity.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that rules ask for by itself")]
pub struct Cluster {
    /// Where it belongs.
    pub scope: Scope,
    /// The module call that makes it, if one does.
    pub module: Option<GraphNode>,
    /// Whether eksctl reads it, which also adds nodes to a cluster that something else makes.
    pub is_of_eksctl: bool,
    /// Whether its root makes nodes alone, for a cluster that something else makes.
    pub is_nodes_only: bool,
    /// The cluster that it adds nodes to, as an index, where something else of the repository makes that.
    pub adds_to: Option<usize>,
    /// Its name, where that is written.
    pub name: Option<Value>,
    /// The same as the resource that makes it says, where others only refer to that.
    pub resource_name: Option<Value>,
    /// Its Kubernetes version, if it is written and not only the default of several environments.
    pub version: Option<Setting<Version>>,
    /// Its region, if that is written.
    pub region: Option<Setting<String>>,
    /// Its static node groups: managed and self-managed.
    pub node_groups: Vec<NodeGroup>,
    /// What its Fargate profiles select.
    pub fargate: Vec<FargateSelector>,
    /// Those profiles as they are written.
    pub profiles: Vec<FargateShape>,
    /// Whether nothing unseen may give it further nodes.
    pub complete: bool,
    /// What makes its node groups, where a variable that is empty by default may add others.
    pub growing: Option<Span>,
    /// Whether EKS may run node pools of its own there: Auto Mode.
    pub may_be_auto: bool,
    /// Where eksctl gives Cluster Autoscaler the rights to scale its nodes.
    pub autoscaler: Option<Span>,
}

impl Scoped for Cluster {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// The arguments of the EKS module that give a cluster its nodes.
const OF_MODULE: [&str; 3] =
    ["eks_managed_node_groups", "self_managed_node_groups", "fargate_profiles"];

/// A static node group.
#[derive(Clone, Debug)]
pub struct NodeGroup {
    /// Where to point.
    pub report_span: Span,
    /// Its taints.
    pub taints: Taints,
    /// Its labels.
    pub labels: Labels,
    /// Whether the start-up configuration of its nodes may label them, too.
    pub may_label_otherwise: bool,
    /// Whether its nodes may start with a configuration of one's own, or be of an image of one's own.
    pub may_start_otherwise: bool,
    /// How many nodes it may have.
    pub max_size: Setting<f64>,
    /// Whether it is there only when variables have other values than those known.
    pub is_off: bool,
    /// Those variables.
    pub absent_by: BTreeSet<Arc<str>>,
    /// What is written of it.
    pub shape: GroupShape,
}

/// One selector of a Fargate profile.
#[derive(Clone, Debug)]
pub struct FargateSelector {
    /// The namespace, possibly with `*`; `None` when it is not known.
    pub namespace: Option<String>,
    /// The labels the pods need.
    pub labels: Selector,
    /// Whether its profile is there only when variables have other values than those known.
    pub is_off: bool,
}

impl FargateSelector {
    /// The selectors of a profile; where some are not known, one that may select anything.
    #[must_use]
    pub fn of_profile(profile: &FargateShape) -> Vec<Self> {
        Self::list(profile.selectors.as_ref().map_or(Field::Unknown, Field::Present))
    }

    /// The selectors in a list; where some are not known, one that may select anything.
    #[must_use]
    pub fn list(selectors: Field<'_>) -> Vec<Self> {
        let Field::Present(Value { kind: Kind::List(list), .. }) = selectors else {
            return vec![Self::anything()];
        };
        let rest = list.rest.iter().map(|_| Self::anything());
        list.items.iter().map(Self::read).chain(rest).collect()
    }

    /// One that may select anything.
    pub(crate) fn anything() -> Self {
        Self { namespace: None, labels: Selector::of_labels(Field::Unknown), is_off: false }
    }

    /// Reads a selector.
    pub(crate) fn read(selector: &Value) -> Self {
        let namespace = selector.get("namespace").present().and_then(Value::as_str);
        Self {
            namespace: namespace.map(str::to_owned),
            labels: Selector::of_labels(selector.get("labels")),
            is_off: false,
        }
    }

    /// The same of a profile that is switched off as far as one sees.
    #[must_use]
    pub(crate) fn off(self, is_off: bool) -> Self {
        Self { is_off, ..self }
    }

    /// Whether it selects the namespace; `None` if its own is not known.
    #[must_use]
    pub fn selects_namespace(&self, namespace: &str) -> Option<bool> {
        let wanted = self.namespace.as_deref()?;
        Some(match wanted.split_once('*') {
            Some((before, after)) => namespace.starts_with(before) && namespace.ends_with(after),
            None => wanted == namespace,
        })
    }

    /// Whether it selects pods with these labels; `None` where it may: a namespace or labels are not known, or its
    /// profile is off as far as one sees.
    #[must_use]
    pub fn selects(&self, namespace: Option<&str>, labels: &Labels) -> Option<bool> {
        let of_namespace = namespace.and_then(|it| self.selects_namespace(it));
        let selects = all([of_namespace, matches(&self.labels, labels)]);
        selects.filter(|it| !(*it && self.is_off))
    }
}

/// The taints of a node group.
#[derive(Clone, Debug, Default)]
pub struct Taints {
    /// Those known, each with its place.
    pub list: Vec<(Taint, Span)>,
    /// Those of which only the value is not known, which count among the others.
    pub of_unknown_value: Vec<(Taint, Span)>,
    /// Whether there may be others.
    pub may_have_others: bool,
}

impl Taints {
    /// Reads the taints of a node group or a pool: a list, a map by any name, or blocks.
    #[must_use]
    pub fn read(field: Field<'_>) -> Self {
        let value = match field {
            Field::Missing => return Self::default(),
            Field::Unknown => return Self { may_have_others: true, ..Self::default() },
            Field::Present(value) => value,
        };
        let (values, rest): (Vec<&Value>, bool) = match &value.kind {
            Kind::List(list) => (list.items.iter().collect(), list.rest.is_some()),
            Kind::Map(map) => {
                (map.entries.iter().map(|it| &it.value).collect(), map.rest.is_some())
            }
            _ => (Vec::new(), true),
        };
        let mut taints = Self { may_have_others: rest, ..Self::default() };
        for value in values {
            let place = value.get("key").present().map_or(value.span, |it| it.span);
            if let Some(taint) = Taint::of_node_group(value) {
                taints.list.push((taint, place));
                continue;
            }
            taints.may_have_others = true;
            let partial = Taint::of_unknown_value(value).map(|it| (it, place));
            taints.of_unknown_value.extend(partial);
        }
        taints
    }

    /// Whether pods without any toleration certainly may run behind them.
    #[must_use]
    pub fn keep_nothing_away(&self) -> bool {
        !self.may_have_others && !self.list.iter().any(|(it, _)| it.keeps_pods_away())
    }

    /// Whether pods with these tolerations may run behind them.
    #[must_use]
    pub fn tolerated_by(&self, tolerations: &Tolerations) -> Option<bool> {
        let unseen = self.may_have_others.then_some(None);
        let hard = self.list.iter().filter(|(it, _)| it.keeps_pods_away());
        all(hard.map(|(it, _)| tolerations.tolerate(it)).chain(unseen))
    }

    /// Whether these are certainly the taints of the other, too.
    #[must_use]
    pub fn are_those_of(&self, other: &Self) -> bool {
        let within = |a: &Self, b: &Self| a.list.iter().all(|(it, _)| b.place(it).is_some());
        let known = !self.may_have_others && !other.may_have_others;
        known && within(self, other) && within(other, self)
    }

    /// Where a taint is written.
    #[must_use]
    pub fn place(&self, taint: &Taint) -> Option<Span> {
        self.list.iter().find(|(it, _)| it == taint).map(|(_, scope)| *scope)
    }
}

impl Cluster {
    /// The `NoSchedule` and `NoExecute` taints that every static group keeps; none when a group's taints
    /// are not wholly known or a group has none.
    #[must_use]
    pub fn shared_taints(&self) -> Vec<&Taint> {
        self.shared(|it| !knowledge::startup::is_temporary(&it.key))
    }

    /// Those that every static group starts with until an agent runs there.
    #[must_use]
    pub fn shared_startup_taints(&self) -> Vec<&Taint> {
        self.shared(|it| knowledge::startup::taint(&it.key).is_some())
    }

    /// Whether all static groups and all their taints are known.
    #[must_use]
    pub fn are_taints_known(&self) -> bool {
        self.complete && !self.node_groups.iter().any(|it| it.taints.may_have_others)
    }

    fn shared(&self, wanted: impl Fn(&Taint) -> bool) -> Vec<&Taint> {
        let Some((first, others)) = self.node_groups.split_first() else { return Vec::new() };
        if !self.are_taints_known() {
            return Vec::new();
        }
        let shared = |taint: &&Taint| others.iter().all(|it| it.taints.place(taint).is_some());
        let taints = first.taints.list.iter().map(|(taint, _)| taint);
        taints.filter(|it| it.keeps_pods_away() && wanted(it)).filter(shared).collect()
    }
}

/// Labels that Kubernetes and EKS give to nodes themselves; a selector on them rules no group out for
/// certain.
const GIVEN: &[&str] = &["kubernetes.io/", "k8s.io/", "eks.amazonaws.com/"];

/// Whether Kubernetes or EKS may give nodes the label themselves.
#[must_use]
pub fn is_given(key: &str) -> bool {
    let domain = key.split_inclusive('/').next().unwrap_or_default();
    GIVEN.iter().any(|it| domain.ends_with(it))
}

/// What a pod's `nodeSelector` asks of a node group's own labels.
#[must_use]
pub fn own_labels(node_selector: &Selector) -> Selector {
    node_selector.without(is_given)
}

#[cfg(test)]
mod tests {
    use super::own_labels;
    use crate::{
        resolve::pod::selector::{Labels, Selector, matches},
        source::FileId,
        syntax::yaml,
        value::Field,
    };

    #[test]
    fn labels_every_node_has_rule_no_group_out() {
        let group = Labels::known([("role", "system")]);
        for (written, fits) in [
            ("{kubernetes.io/os: linux}", Some(true)),
            ("{node.kubernetes.io/instance-type: m5.large, role: system}", Some(true)),
            ("{eks.amazonaws.com/nodegroup: system}", Some(true)),
            ("{karpenter.sh/nodepool: default}", Some(false)),
            ("{role: batch}", Some(false)),
            ("{kubernetes.io/os: linux, dedicated: apps}", Some(false)),
        ] {
            let values = yaml::parse_file(FileId(0), written).values;
            let selector = own_labels(&Selector::of_labels(Field::Present(&values[0])));
            assert_eq!(matches(&selector, &group), fits, "{written}");
        }
    }
}
