//! The pods of the Karpenter controller. What depends on the chart's version is known where all versions
//! agree that may be installed.

mod near;

use crate::{
    findings::Instance,
    knowledge,
    model::{
        cluster::Cluster,
        component, node_label,
        node_pool::NodePool,
        placement::own_nodes::{Gap, gap, keeps_off},
        release::Release,
        scope::{Scope, Scoped},
    },
    resolve::{
        answers::{agreed, all},
        effective::{EffectivePod, agreed_setting, configuration::Configuration, effective},
        helm,
        pod::{
            selector::{Labels, Operator, Selector, matches},
            toleration::Tolerations,
        },
        setting::Setting,
    },
    source::Span,
    value::{Entry, Field, Symbol, Value},
    version::Version,
};

/// The way from `affinity` to the terms of the required node affinity.
const TERMS: [&str; 3] =
    ["nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];

/// The pods of a release of the chart `karpenter`.
#[derive(Clone, Debug)]
pub struct ControllerPods<'a> {
    release: &'a Release,
    from: Configuration,
    /// The pods of each version that may be installed.
    pods: Vec<EffectivePod>,
}

/// The place in the values by which the controller may come onto nodes of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// What to point at.
    pub span: Span,
    /// How it lets the pods in.
    pub way: Way,
    /// The label that tells Karpenter's nodes.
    pub label: String,
}

/// How the values let the controller onto Karpenter's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// They take the chart's node affinity away.
    Removed,
    /// They ask for a label that Karpenter's nodes do not have any more.
    Retired,
    /// Their terms do not ask for nodes that are not Karpenter's.
    Replaced,
}

impl Scoped for ControllerPods<'_> {
    fn scope(&self) -> &Scope {
        &self.release.scope
    }
}

impl<'a> ControllerPods<'a> {
    /// The pods of a release; `None` if it does not install the controller.
    #[must_use]
    pub fn of(release: &'a Release) -> Option<Self> {
        let component =
            knowledge::component::of_chart(&release.chart, release.repository.as_deref())?;
        let pod = component.pods.iter().find(|_| release.is_controller())?;
        let from = component::configuration(release, pod)?;
        let pods = effective(&from, &[knowledge::karpenter::node_labels()]);
        Some(Self { release, from, pods })
    }

    /// What to point at when something is missing.
    #[must_use]
    pub fn report_span(&self) -> Span {
        self.release.report_span
    }

    /// Which of several instances of its release.
    #[must_use]
    pub fn instance(&self) -> Option<&Instance> {
        self.release.instance.as_ref()
    }

    /// How many pods there are.
    #[must_use]
    pub fn replicas(&self) -> Setting<f64> {
        let all: Vec<_> = self.pods.iter().map(|it| &it.replicas).collect();
        agreed_setting(&all).unwrap_or_else(|| Setting::unknown(self.release.report_span))
    }

    /// Where the pods ask for the controller's label, if no static group of the cluster has it.
    #[must_use]
    pub fn unmet_label(&self, cluster: &Cluster) -> Option<Span> {
        let groups = &cluster.node_groups;
        if !cluster.complete || groups.is_empty() || groups.iter().any(|it| it.may_label_otherwise)
        {
            return None;
        }
        let labels: Vec<&Labels> = groups.iter().map(|it| &it.labels).collect();
        self.agreed(|it| it.placement.as_ref()?.unmet(node_label::CONTROLLER, &labels))
    }

    /// Whether the pods stay off the nodes that Karpenter makes.
    #[must_use]
    pub fn stays_off_own_nodes(&self) -> Option<bool> {
        self.agreed(|it| keeps_off(it.placement.as_ref()?, &node_labels(it)?))
    }

    /// The place in the values by which the pods may come onto nodes that Karpenter makes, if they may and
    /// it is the values that let them.
    #[must_use]
    pub fn opening(&self) -> Option<Opening> {
        if self.stays_off_own_nodes() != Some(false) {
            return None;
        }
        let gap = self.agreed(|it| Some(gap(it.placement.as_ref()?, &node_labels(it)?)))?;
        let (span, way) = match gap {
            Some(Gap::Retired(span)) => (span, Way::Retired),
            Some(Gap::Term(span)) => (span, Way::Replaced),
            Some(Gap::Whole) => (self.written_terms()?, Way::Replaced),
            None => (self.removed()?, Way::Removed),
        };
        let label = (*node_labels(self.pods.last()?)?.last()?).to_owned();
        Some(Opening { span, way, label })
    }

    /// Whether the nodes of a pool may take the pods.
    #[must_use]
    pub fn may_run_in(&self, pool: &NodePool) -> Option<bool> {
        self.agreed(|pod| {
            let meets = |key: &str, it: &Operator| pool.offer.meets(&pool.name, key, it);
            let fits = pod.placement.as_ref()?.fits(meets);
            let unknown = Tolerations::read(Field::Unknown);
            all([fits, pool.taints.tolerated_by(pod.tolerations.as_ref().unwrap_or(&unknown))])
        })
    }

    /// Whether each pod needs a node of its own.
    #[must_use]
    pub fn wants_nodes_apart(&self) -> Option<bool> {
        self.agreed(|pod| {
            let required =
                pod.affinity.at("podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution");
            match required {
                Field::Missing => Some(false),
                Field::Unknown => None,
                Field::Present(terms) => {
                    terms.items().iter().any(|it| self.excludes_itself(it, pod)).then_some(true)
                }
            }
        })
    }

    /// Whether the values name this cluster as the one they run in; `None` where that is not known.
    #[must_use]
    pub fn name(&self, cluster: &Cluster) -> Option<bool> {
        cluster.name.as_ref()?.same_as(self.release.cluster()?)
    }

    /// Whether they may run in another cluster than the one their tool runs in.
    #[must_use]
    pub fn may_target_other_cluster(&self) -> bool {
        self.release.may_target_other_cluster
    }

    /// Whether the pods may run on the cluster's Fargate.
    #[must_use]
    pub fn may_run_on_fargate(&self, cluster: &Cluster) -> bool {
        let namespace = self.release.namespace.known().map(String::as_str);
        let labels = self.labels();
        cluster.fargate.iter().any(|it| it.may_select(namespace, &labels))
    }

    /// Whether they tolerate what keeps pods off Fargate, or may.
    #[must_use]
    pub fn expects_fargate(&self) -> bool {
        match self.from.surface.written("tolerations", &self.release.values) {
            Field::Missing => false,
            Field::Unknown => true,
            Field::Present(list) => {
                let of_fargate = |it: &Value| match it.get("key") {
                    Field::Present(key) => key.as_str() == Some("eks.amazonaws.com/compute-type"),
                    Field::Missing => false,
                    Field::Unknown => true,
                };
                list.is_unknown() || list.items().iter().any(of_fargate)
            }
        }
    }

    /// What all versions agree on that may be installed.
    fn agreed<T: PartialEq>(&self, ask: impl Fn(&EffectivePod) -> Option<T>) -> Option<T> {
        agreed(self.pods.iter().filter(|it| it.placement.is_some()).map(ask))
    }

    fn written_affinity(&self) -> Field<'_> {
        self.from.surface.written("affinity", &self.release.values)
    }

    /// The key of the terms, where the values bring their own.
    fn written_terms(&self) -> Option<Span> {
        let terms = TERMS.iter().fold(self.written_affinity(), |it, key| it.get(key));
        terms.present().map(|it| it.name)
    }

    /// The key whose null takes the node affinity away.
    fn removed(&self) -> Option<Span> {
        let mut value = self.written_affinity().present()?;
        for key in TERMS {
            if value.is_null() {
                return Some(value.name);
            }
            value = &value.as_map()?.entry(key)?.value;
        }
        None
    }

    /// Whether a term of the anti-affinity keeps two of the pods from sharing a node. The chart selects its
    /// own pods where nothing is selected, since it has an anti-affinity (`templates/_helpers.tpl`, v0.27.1).
    fn excludes_itself(&self, term: &Value, pod: &EffectivePod) -> bool {
        let host = term.get("topologyKey").present().and_then(Value::as_str);
        let elsewhere = ["namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys"]
            .iter()
            .any(|it| !term.get(it).is_missing());
        let selects = match term.get("labelSelector") {
            Field::Missing => pod.version.as_ref() >= Some(&Version::new(0, 27, 0)),
            selector => matches(&Selector::read(selector, ""), &self.labels()) == Some(true),
        };
        host == Some("kubernetes.io/hostname") && !elsewhere && selects
    }

    /// The labels of the pods.
    fn labels(&self) -> Labels {
        let values = &self.release.values;
        let place = self.release.report_span;
        let name = match values.get("nameOverride") {
            Field::Missing => Value::computed("karpenter", place),
            _ => Value::unknown(Symbol::new("", "nameOverride"), place),
        };
        let unknown = || Value::unknown(Symbol::new("", "release name"), place);
        let given = self.release.name.as_ref();
        let release = given.map_or_else(unknown, |it| Value::computed(it.clone(), place));
        let own = [("app.kubernetes.io/name", name), ("app.kubernetes.io/instance", release)];
        let own = own.map(|(key, value)| Entry { key: key.into(), key_span: place, value });
        let base = Value::map(own.into(), place);
        let all = match values.get("podLabels") {
            Field::Missing => base,
            Field::Unknown => return Labels::read(Field::Present(&base)).and_others(),
            Field::Present(more) => helm::merge::merge(base, more),
        };
        Labels::read(Field::Present(&all))
    }
}

/// The labels of Karpenter's nodes in that version; each node has one of them.
fn node_labels(pod: &EffectivePod) -> Option<Vec<&'static str>> {
    let labels = knowledge::karpenter::node_labels().at(Some(pod.version.as_ref()?))?;
    labels.items().iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests;
