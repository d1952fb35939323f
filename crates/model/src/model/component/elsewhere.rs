//! Whether a component's pods are meant for other nodes than the static groups of a cluster.

use crate::{
    model::{
        cluster::{Cluster, FargateSelector, is_given},
        component::{ComponentUse, PodSource},
    },
    resolve::{
        answers::any,
        pod::selector::{Labels, matches},
    },
    value::{Field, Value},
};

/// What shows that pods are meant for other nodes than the static groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// A Fargate profile selects them.
    Fargate,
    /// A Fargate profile may select them.
    PerhapsFargate,
    /// Their node affinity may ask for other nodes.
    Affinity,
    /// Their node selector asks for labels that no static group has.
    Selector,
    /// They have to be spread over the values of a label that no static group has.
    Spread,
}

impl ComponentUse {
    /// What shows that the pods are meant for other nodes than the cluster's static groups.
    #[must_use]
    pub fn elsewhere(&self, cluster: &Cluster) -> Option<Elsewhere> {
        let groups = &cluster.node_groups;
        let selects =
            || groups.iter().any(|it| matches(&self.node_selector, &it.labels) != Some(false));
        let on_fargate = self.runs_on_fargate(cluster);
        if on_fargate == Some(true) {
            Some(Elsewhere::Fargate)
        } else if !selects() {
            Some(Elsewhere::Selector)
        } else if self.spreads_over_others(cluster) {
            Some(Elsewhere::Spread)
        } else if self.has_affinity {
            Some(Elsewhere::Affinity)
        } else {
            on_fargate.is_none().then_some(Elsewhere::PerhapsFargate)
        }
    }

    /// Whether a Fargate profile of the cluster selects the pods; `None` where one may.
    #[must_use]
    pub fn runs_on_fargate(&self, cluster: &Cluster) -> Option<bool> {
        let labels = self.pod.labels.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let labels = Labels::known(labels);
        let selects = |it: &FargateSelector| it.selects(self.namespace.as_deref(), &labels);
        if self.on_fargate { Some(true) } else { any(cluster.fargate.iter().map(selects)) }
    }

    /// Whether they have to be spread over a label that no static group has: nodes without it do not take
    /// such pods.
    fn spreads_over_others(&self, cluster: &Cluster) -> bool {
        let unlabelled = |key: &str| {
            let has = |it: &Labels| it.value(key).is_some() || it.is_in_doubt(key);
            !is_given(key) && !cluster.node_groups.iter().any(|it| has(&it.labels))
        };
        let foreign = |it: &Value| {
            let text = |key: &str| it.get(key).present().and_then(Value::as_str);
            text("whenUnsatisfiable") != Some("ScheduleAnyway")
                && text("topologyKey").is_some_and(unlabelled)
        };
        self.spread_constraints().present().is_some_and(|it| it.items().iter().any(foreign))
    }

    /// The pods' `topologySpreadConstraints`, which charts have beside their tolerations.
    fn spread_constraints(&self) -> Field<'_> {
        const KEY: &str = "topologySpreadConstraints";
        match &self.source {
            PodSource::Manifest(spec) => spec.as_ref().map_or(Field::Unknown, |it| it.get(KEY)),
            PodSource::Values(from) => {
                let beside = |path: &String| match path.rsplit_once('.') {
                    Some((folder, _)) => from.values.at(&format!("{folder}.{KEY}")),
                    None => from.values.get(KEY),
                };
                let paths = from.surface.paths("tolerations").iter();
                let mut written = paths.map(beside).filter(|it| !it.is_missing());
                written.next().unwrap_or(Field::Missing)
            }
        }
    }
}
