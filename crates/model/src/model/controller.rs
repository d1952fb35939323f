//! The pods of the Karpenter controller, as the values and the chart's defaults make them.
//!
//! Helm merges mappings deep and replaces lists whole, and a null takes a default away. What hangs on the
//! chart's version is known where all versions agree that may be installed.

mod near;

use crate::{
    findings::Instance,
    knowledge::{self, fact::version_ranges, packaging::Packaging},
    model::{
        cluster::Cluster,
        node_label,
        node_pool::NodePool,
        placement::own_nodes::{Gap, gap, keeps_off},
        release::Release,
        scope::{Scope, Scoped},
    },
    resolve::{
        answers::{agreed, all},
        helm,
        pod::{
            placement::Placement,
            selector::{Labels, Operator, Selector, matches},
            toleration::Tolerations,
        },
        setting::Setting,
    },
    source::Span,
    value::{Entry, Field, Kind, Symbol, Value},
    version::{Version, constraint::Constraint},
};

/// The way from `affinity` to the terms of the required node affinity.
const TERMS: [&str; 3] =
    ["nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];

/// The pods of a release of the chart `karpenter`.
#[derive(Clone, Debug)]
pub struct ControllerPods<'a> {
    release: &'a Release,
    surface: &'static Packaging,
    /// One version out of each span of versions that may be installed and differ.
    versions: Vec<Version>,
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
        let surface = pod.chart.as_ref()?;
        let settings = ["affinity", "node_selector", "replicas"];
        let facts = settings.iter().filter_map(|it| surface.defaults(it));
        let version_ranges = version_ranges(facts.chain([knowledge::karpenter::node_labels()]));
        let allowed = release.version.known().and_then(|it| Constraint::parse(it));
        let may_be = version_ranges.into_iter().filter(|era| {
            allowed.as_ref().is_none_or(|allowed| allowed.within(era) != Some(false))
        });
        let versions = may_be.map(|it| it.since.unwrap_or_else(|| Version::new(0, 0, 0)));
        Some(Self { release, surface, versions: versions.collect() })
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
        let default = |version: &Version| self.surface.default("replicas", Some(version));
        let default = self.agreed(|it| default(it)?.as_number());
        let written = self.surface.written("replicas", &self.release.values);
        Setting::of(written, default, self.release.report_span, Value::to_number)
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
        self.agreed(|it| self.placement(it).unmet(node_label::CONTROLLER, &labels))
    }

    /// Whether the pods stay off the nodes that Karpenter makes.
    #[must_use]
    pub fn stays_off_own_nodes(&self) -> Option<bool> {
        self.agreed(|it| keeps_off(&self.placement(it), &node_labels(it)?))
    }

    /// The place in the values by which the pods may come onto nodes that Karpenter makes, if they may and
    /// it is the values that let them.
    #[must_use]
    pub fn opening(&self) -> Option<Opening> {
        if self.stays_off_own_nodes() != Some(false) {
            return None;
        }
        let gap = self.agreed(|it| Some(gap(&self.placement(it), &node_labels(it)?)))?;
        let (span, way) = match gap {
            Some(Gap::Retired(span)) => (span, Way::Retired),
            Some(Gap::Term(span)) => (span, Way::Replaced),
            Some(Gap::Whole) => (self.written_terms()?, Way::Replaced),
            None => (self.removed()?, Way::Removed),
        };
        let label = (*node_labels(self.versions.last()?)?.last()?).to_owned();
        Some(Opening { span, way, label })
    }

    /// Whether the nodes of a pool may take the pods.
    #[must_use]
    pub fn may_run_in(&self, pool: &NodePool) -> Option<bool> {
        self.agreed(|version| {
            let meets = |key: &str, it: &Operator| pool.offer.meets(&pool.name, key, it);
            let fits = self.placement(version).fits(meets);
            let values = &self.release.values;
            let tolerations = Tolerations::effective(self.surface, values, Some(version));
            all([fits, pool.taints.tolerated_by(&tolerations)])
        })
    }

    /// Whether each pod needs a node of its own.
    #[must_use]
    pub fn wants_nodes_apart(&self) -> Option<bool> {
        self.agreed(|version| {
            let affinity = self.effective("affinity", version);
            let required =
                affinity.at("podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution");
            match required {
                Field::Missing => Some(false),
                Field::Unknown => None,
                Field::Present(terms) => {
                    terms.items().iter().any(|it| self.excludes_itself(it, version)).then_some(true)
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
        match self.surface.written("tolerations", &self.release.values) {
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
    fn agreed<T: PartialEq>(&self, ask: impl Fn(&Version) -> Option<T>) -> Option<T> {
        agreed(self.versions.iter().map(ask))
    }

    fn placement(&self, version: &Version) -> Placement {
        let affinity = self.effective("affinity", version);
        let selector = self.effective("node_selector", version);
        Placement::read(Field::Present(&selector), Field::Present(&affinity))
    }

    /// A setting as the template sees it.
    fn effective(&self, setting: &str, version: &Version) -> Value {
        let unknown = || Value::unknown(Symbol::new("", setting), self.release.report_span);
        let default = self.surface.default(setting, Some(version));
        let default = default.cloned().unwrap_or_else(unknown);
        match self.surface.written(setting, &self.release.values) {
            Field::Missing => default,
            Field::Unknown => unknown(),
            // Whether a null reaches the chart through another chart around it hangs on Helm's version.
            Field::Present(written) if self.release.is_wrapped() && has_null(written) => unknown(),
            Field::Present(written) => helm::merge::merge(default, written),
        }
    }

    fn written_affinity(&self) -> Field<'_> {
        self.surface.written("affinity", &self.release.values)
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
    fn excludes_itself(&self, term: &Value, version: &Version) -> bool {
        let host = term.get("topologyKey").present().and_then(Value::as_str);
        let elsewhere = ["namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys"]
            .iter()
            .any(|it| !term.get(it).is_missing());
        let selects = match term.get("labelSelector") {
            Field::Missing => *version >= Version::new(0, 27, 0),
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
fn node_labels(version: &Version) -> Option<Vec<&'static str>> {
    let labels = knowledge::karpenter::node_labels().at(Some(version))?;
    labels.items().iter().map(Value::as_str).collect()
}

fn has_null(value: &Value) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::Map(map) => map.entries.iter().any(|it| has_null(&it.value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
