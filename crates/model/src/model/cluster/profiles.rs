//! The selectors of all Fargate profiles, by the namespaces that they name.

use std::collections::HashMap;

use crate::model::cluster::{Cluster, FargateSelector};

/// Where selectors are: the index of the cluster, and of the selector in it.
type Place = (usize, usize);

/// The selectors of which the namespace is known.
#[derive(Debug, Default)]
pub struct Profiles {
    of_namespaces: HashMap<String, Vec<Place>>,
    of_patterns: Vec<Place>,
}

impl Profiles {
    /// Those of some clusters.
    #[must_use]
    pub fn of(clusters: &[Cluster]) -> Self {
        let mut profiles = Self::default();
        for (cluster, it) in clusters.iter().enumerate() {
            for (at, selector) in it.fargate.iter().enumerate() {
                match &selector.namespace {
                    Some(pattern) if pattern.contains('*') => {
                        profiles.of_patterns.push((cluster, at));
                    }
                    Some(name) => {
                        let places = profiles.of_namespaces.entry(name.clone()).or_default();
                        places.push((cluster, at));
                    }
                    None => {}
                }
            }
        }
        profiles
    }

    /// Those that certainly select a namespace, among the same clusters.
    pub fn selecting<'c>(
        &self,
        clusters: &'c [Cluster],
        namespace: &str,
    ) -> impl Iterator<Item = &'c FargateSelector> {
        let named = self.of_namespaces.get(namespace).into_iter().flatten();
        let all = named.chain(&self.of_patterns);
        let all = all.filter_map(|(cluster, at)| clusters.get(*cluster)?.fargate.get(*at));
        all.filter(move |it| it.selects_namespace(namespace) == Some(true))
    }
}
