//! The pods of the Karpenter controller. What depends on the chart's version is known where all versions
//! agree that may be installed.

use crate::{
    findings::subject::Subject,
    knowledge,
    model::{cluster::Cluster, component, scope::Scoped},
    resolve::{
        answers::{agreed, any},
        effective::{EffectivePod, agreed_setting, configuration::Configuration, effective},
        pod::selector::{Selector, matches},
        release::{Release, surface::Surface},
        scope::Scope,
        setting::Setting,
    },
    source::Span,
    value::{Field, Value},
    version::Version,
};

/// The pods of a release of the chart `karpenter`.
#[derive(Clone, Debug)]
pub struct ControllerPods<'a> {
    release: &'a Release,
    from: Configuration,
    /// The pods of each version that may be installed.
    pods: Vec<EffectivePod>,
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

    /// Whether it is there only when variables have other values than those known.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.release.is_optional
    }

    /// Which of several instances of its release.
    #[must_use]
    pub fn subject(&self) -> Option<&Subject> {
        self.release.subject.as_ref()
    }

    /// How many pods there are.
    #[must_use]
    pub fn replicas(&self) -> Setting<f64> {
        let all: Vec<_> = self.pods.iter().map(|it| &it.replicas).collect();
        agreed_setting(&all).unwrap_or_else(|| Setting::unknown(self.release.report_span))
    }

    /// Whether they resolve names through the DNS of the cluster.
    #[must_use]
    pub fn use_cluster_dns(&self) -> Option<bool> {
        let is_clusters = |it: &Value| Some(it.as_str()?.starts_with("ClusterFirst"));
        let surface = self.from.surface;
        match surface.written("dns_policy", &self.from.values) {
            Field::Present(policy) => is_clusters(policy),
            Field::Unknown => None,
            // Of a version that is not known, the newest counts.
            Field::Missing => {
                let allowed = self.from.allowed.as_ref();
                is_clusters(surface.possible_defaults("dns_policy", allowed).last()?)
            }
        }
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
                    terms.items().iter().any(|it| excludes_itself(it, pod)).then_some(true)
                }
            }
        })
    }

    /// Whether the values name this cluster as the one they run in; `None` where that is not known.
    #[must_use]
    pub fn name(&self, cluster: &Cluster) -> Option<bool> {
        if self.release.surface() == Surface::Eksctl {
            // The block is a part of what makes the cluster.
            let file = cluster.name.as_ref()?.span.file;
            return Some(cluster.is_of_eksctl && file == self.release.report_span.file);
        }
        cluster.name.as_ref()?.same_as(self.release.cluster()?)
    }

    /// Whether they may run in another cluster than the one their tool runs in.
    #[must_use]
    pub fn may_target_other_cluster(&self) -> bool {
        self.release.may_target_other_cluster
    }

    /// Whether the pods run on the cluster's Fargate; `None` where they may.
    #[must_use]
    pub fn run_on_fargate(&self, cluster: &Cluster) -> Option<bool> {
        let namespace = self.release.namespace.known().map(String::as_str);
        let selected = |pod: &EffectivePod| {
            any(cluster.fargate.iter().map(|it| it.selects(namespace, &pod.labels)))
        };
        // Of versions that are not known, neither are the labels.
        match cluster.fargate.is_empty() {
            true => Some(false),
            false if self.pods.is_empty() => None,
            false => agreed(self.pods.iter().map(selected)),
        }
    }

    /// The namespace they are installed to, if it is known.
    #[must_use]
    pub fn namespace(&self) -> Option<&'a str> {
        self.release.namespace.known().map(String::as_str)
    }

    /// From what the pods follow.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.from
    }

    /// The pods of each version that may be installed.
    #[must_use]
    pub fn pods(&self) -> &[EffectivePod] {
        &self.pods
    }

    /// What all versions agree on that may be installed and whose placement is known.
    pub fn agreed<T: PartialEq>(&self, ask: impl Fn(&EffectivePod) -> Option<T>) -> Option<T> {
        agreed(self.pods.iter().filter(|it| it.placement.is_some()).map(ask))
    }
}

/// Whether a term of the anti-affinity keeps two of the pods from sharing a node. The chart selects its
/// own pods where nothing is selected, since it has an anti-affinity (`templates/_helpers.tpl`, v0.27.1).
fn excludes_itself(term: &Value, pod: &EffectivePod) -> bool {
    let host = term.get("topologyKey").present().and_then(Value::as_str);
    let elsewhere = ["namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys"]
        .iter()
        .any(|it| !term.get(it).is_missing());
    let selects = match term.get("labelSelector") {
        Field::Missing => pod.version.as_ref() >= Some(&Version::new(0, 27, 0)),
        selector => matches(&Selector::read(selector, ""), &pod.labels) == Some(true),
    };
    host == Some("kubernetes.io/hostname") && !elsewhere && selects
}
