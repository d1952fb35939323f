//! What belongs to the cluster that is asked for.

use std::collections::BTreeSet;

use crate::{
    config::did_you_mean,
    lint::LintResult,
    model::neighbourhood::{Neighbourhood, Neighbourhoods},
    project::Project,
    resolve::scope::Scope,
    value::Value,
};

/// The clusters of projects, and which of them are asked for.
pub(crate) struct Chosen {
    /// Of each project.
    pub projects: Vec<ChosenClusters>,
}

/// The clusters of a project.
pub(crate) struct ChosenClusters {
    /// All of them.
    pub all: Neighbourhoods,
    /// Those asked for, as indexes; `None` for all, and for what belongs to none.
    chosen: Option<BTreeSet<usize>>,
}

impl Chosen {
    /// Finds the clusters; those of a name, if one is given.
    ///
    /// # Errors
    /// When there is none of that name.
    pub(crate) fn of(
        checked: &[(&Project, &LintResult)],
        name: Option<&str>,
    ) -> Result<Self, String> {
        let clusters = checked.iter().map(|(_, outcome)| Neighbourhoods::of(&outcome.model));
        let projects: Vec<ChosenClusters> = clusters
            .map(|all| {
                let indexes = |name: &str| {
                    let list = all.list.iter().enumerate();
                    list.filter(|(_, it)| is_called(it, name)).map(|it| it.0).collect()
                };
                ChosenClusters { chosen: name.map(indexes), all }
            })
            .collect();
        match name {
            Some(name) if projects.iter().all(ChosenClusters::is_empty) => {
                Err(unknown(name, &projects))
            }
            _ => Ok(Self { projects }),
        }
    }
}

impl ChosenClusters {
    fn is_empty(&self) -> bool {
        self.chosen.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// Whether what is in a scope may belong to a cluster that is asked for.
    pub(crate) fn hold(&self, scope: &Scope) -> bool {
        let Some(chosen) = &self.chosen else { return true };
        self.all.around(scope).iter().any(|it| chosen.contains(it))
    }

    /// Whether a cluster, by its index, is asked for.
    pub(crate) fn contain(&self, index: usize) -> bool {
        self.chosen.as_ref().is_none_or(|it| it.contains(&index))
    }
}

/// Whether a cluster has that name, or is in a folder of that name.
fn is_called(cluster: &Neighbourhood, name: &str) -> bool {
    let folder = name.trim_start_matches("./").trim_end_matches('/');
    known_name(cluster) == Some(name) || *cluster.scope.folder == *folder
}

fn known_name(cluster: &Neighbourhood) -> Option<&str> {
    cluster.name.as_ref().and_then(Value::as_str)
}

fn unknown(name: &str, projects: &[ChosenClusters]) -> String {
    let all = projects.iter().flat_map(|it| &it.all.list);
    let called = all.map(|it| known_name(it).unwrap_or(&it.scope.folder));
    let called: BTreeSet<&str> = called.filter(|it| !it.is_empty()).collect();
    if called.is_empty() {
        return format!("there is no cluster `{name}`, nor any other whose name is known");
    }
    let hint = did_you_mean(name, called.iter().copied());
    let called: Vec<&str> = called.into_iter().collect();
    format!("there is no cluster `{name}`{hint}; there are {}", called.join(", "))
}
