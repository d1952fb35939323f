//! Clusters that a module makes which is not here, and to which nothing names Karpenter, where others of the repository
//! have it: whether it is in them is open.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        Model,
        inert::{
            accounts::cluster_in,
            clusters::{NAME, names, shown_in},
        },
    },
    resolve::terraform::{
        object::{BlockInstance, Mode},
        root::Root,
    },
    source::{Files, Span, is_below, outward, parent},
    value::Value,
};

/// What a module that makes a cluster is called.
const EKS: &str = "eks";

/// The folders around such clusters, each with the call that makes the cluster. None where Karpenter is seen beside no
/// cluster in the same tree, and may be for any.
pub(super) fn without_karpenter(files: &Files, model: &Model) -> Vec<(String, Span)> {
    let roots = &model.terraform.roots;
    let calls: Vec<(&Root, Span)> =
        roots.iter().filter_map(|it| Some((&**it, unseen_call(it)?.header))).collect();
    if model.assumed.karpenter_version.is_some() || calls.is_empty() {
        return Vec::new();
    }
    let shown = shown_in(model);
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for folder in roots.iter().flat_map(|it| outward(&it.folder)) {
        *all.entry(folder).or_default() += 1;
    }
    let makers = roots.iter().filter(|it| cluster_in(it).is_some());
    let holders: BTreeSet<&str> = makers.map(|it| holder(&it.folder, &all)).collect();
    let own = |folder: &str| outward(folder).find_map(|it| holders.get(it).copied());
    // What is shown beside no cluster may be for any of its tree.
    let (mut with, mut loose) = (BTreeSet::new(), BTreeSet::new());
    for folder in &shown {
        match own(folder) {
            Some(holder) => with.insert(holder),
            None => loose.insert(top(folder)),
        };
    }
    if with.is_empty() || loose.contains("") {
        return Vec::new();
    }
    let tracing = files.iter().filter(|(_, it)| names(it, NAME));
    let traced: BTreeSet<&str> = tracing.flat_map(|(_, it)| outward(it.folder())).collect();
    let found = calls.into_iter().map(|(it, call)| (holder(&it.folder, &all), call));
    let is_without = |it: &str| {
        !traced.contains(it)
            && !loose.contains(top(it))
            && !with.iter().any(|with| is_below(it, with))
    };
    found.filter(|it| is_without(it.0)).map(|(it, call)| (it.to_owned(), call)).collect()
}

/// The outermost folder of a path.
fn top(folder: &str) -> &str {
    folder.split('/').next().unwrap_or_default()
}

/// The call of a module that makes a root's cluster and is not here.
fn unseen_call(root: &Root) -> Option<&BlockInstance> {
    let is_called = |it: &&BlockInstance| {
        let source = it.body.get("source").present().and_then(Value::as_str).unwrap_or_default();
        let path = source.split('?').next().unwrap_or_default();
        &*it.name == EKS || path.trim_end_matches('/').rsplit(['/', '-', '_']).next() == Some(EKS)
    };
    root.of(Mode::Module, "module")
        .find(|it| !it.entered && it.absent_by.is_empty() && is_called(it))
}

/// The folder of what is for the cluster of a root: the one around it, where no other root is in that, and not the whole
/// repository. Given is how many roots are in each folder.
fn holder<'a>(folder: &'a str, roots: &BTreeMap<&str, usize>) -> &'a str {
    let around = parent(folder);
    let is_alone = roots.get(around) == roots.get(folder);
    if !around.is_empty() && is_alone { around } else { folder }
}
