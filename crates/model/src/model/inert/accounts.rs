//! Clusters that have folders in several trees of a repository, as `infra/<account>/clusters/<name>` and
//! `apps/<account>/clusters/<name>`: those that Terraform makes without a trace of Karpenter, while others show it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        Model,
        environment::HOLDERS,
        inert::clusters::{is_shared, is_shown_elsewhere, names_karpenter, shown_in},
    },
    resolve::terraform::{
        object::{BlockInstance, Mode},
        root::Root,
    },
    source::{Files, Span, is_below, parent},
    value::Value,
};

/// How long the number of an AWS account is.
const ACCOUNT_DIGITS: usize = 12;

/// The parts of a path that name a cluster: accounts, and what is directly in a folder of clusters.
type ClusterPath<'a> = BTreeSet<&'a str>;

/// The folders of clusters that Terraform makes, whose paths name them, and of which nothing names Karpenter, each with
/// what makes the cluster. None where anything else of the repository may bring Karpenter to them.
pub(super) fn without_karpenter(files: &Files, model: &Model) -> Vec<(String, Span)> {
    if model.assumed.karpenter_version.is_some() {
        return Vec::new();
    }
    let mut made: BTreeMap<ClusterPath<'_>, Span> = BTreeMap::new();
    for root in &model.terraform.roots {
        let (path, _) = cluster_path(&root.folder);
        if let Some(cluster) = cluster_in(root).filter(|_| !path.is_empty()) {
            made.entry(path).or_insert(cluster.header);
        }
    }
    let shown = shown_in(model);
    let with: Vec<(ClusterPath<'_>, &str)> = shown.iter().map(|it| cluster_path(it)).collect();
    // What is shown outside of such folders, or for a whole account, may be for any cluster.
    let is_for =
        |own: &ClusterPath<'_>| with.iter().any(|(it, _)| it.is_subset(own) || own.is_subset(it));
    made.retain(|own, _| !is_for(own));
    if made.is_empty() || with.is_empty() {
        return Vec::new();
    }
    let folders: BTreeSet<&str> = files.iter().map(|(_, it)| it.folder()).collect();
    let mut found: BTreeMap<&str, Span> = BTreeMap::new();
    for (path, folder) in folders.into_iter().map(cluster_path) {
        found.extend(made.get(&path).map(|it| (folder, *it)));
    }
    let mut every: Vec<&str> = found.keys().copied().collect();
    every.extend(with.iter().map(|(_, folder)| *folder));
    let is_traced = |it: &str| names_karpenter(files, it) || is_shared(files, model, it);
    if found.keys().any(|it| is_traced(it)) || is_shown_elsewhere(files, model, &every) {
        return Vec::new();
    }
    found.into_iter().map(|(it, cluster)| (it.to_owned(), cluster)).collect()
}

impl Model {
    /// What makes the cluster that the path of a folder names, where nothing of it shows Karpenter and others do.
    #[must_use]
    pub fn foreign_cluster(&self, folder: &str) -> Option<Span> {
        self.foreign_folders.iter().find(|(it, _)| is_below(folder, it)).map(|it| it.1)
    }
}

/// The parts of a path that name a cluster, and the path as far as the last of them.
fn cluster_path(folder: &str) -> (ClusterPath<'_>, &str) {
    let mut parts = ClusterPath::new();
    let mut whole = "";
    for (at, _) in folder.match_indices('/').chain([(folder.len(), "")]) {
        let path = &folder[..at];
        let last = |it: &str| it.rsplit('/').next().unwrap_or_default().len();
        let name = &path[path.len() - last(path)..];
        let holder = parent(path);
        let is_in_holder = HOLDERS.contains(&&holder[holder.len() - last(holder)..]);
        let is_account = name.len() == ACCOUNT_DIGITS && name.bytes().all(|it| it.is_ascii_digit());
        if is_account || is_in_holder && !HOLDERS.contains(&name) {
            parts.insert(name);
            whole = path;
        }
    }
    (parts, whole)
}

/// The block that makes a cluster, as a resource or by a module that is named for it.
pub(super) fn cluster_in(root: &Root) -> Option<&BlockInstance> {
    let is_named = |it: &&BlockInstance| {
        let source = it.body.get("source").present().and_then(Value::as_str);
        source.is_some_and(|it| it.split(['/', '-', '_', '.', '?']).any(|it| it == "eks"))
    };
    let modules = root.of(Mode::Module, "module").filter(is_named);
    root.of(Mode::Resource, "aws_eks_cluster").chain(modules).next()
}

#[cfg(test)]
mod tests {
    use super::cluster_path;

    #[test]
    fn paths_name_clusters() {
        for (folder, parts, whole) in [
            ("", &[][..], ""),
            ("apps/ledger", &[], ""),
            ("apps/123456789012", &["123456789012"], "apps/123456789012"),
            (
                "a/123456789012/clusters/dev/eks",
                &["123456789012", "dev"],
                "a/123456789012/clusters/dev",
            ),
            ("live/envs/prod/eks", &["prod"], "live/envs/prod"),
            ("clusters", &[], ""),
        ] {
            let found = cluster_path(folder);
            assert_eq!(found, (parts.iter().copied().collect(), whole), "{folder}");
        }
    }
}
