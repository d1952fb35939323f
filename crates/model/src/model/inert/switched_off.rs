//! Roots that switch Karpenter off: a literal of the root decides against it, where another root has it from the same
//! block of code. In their clusters it evicts nothing.

use std::collections::BTreeMap;

use crate::{
    findings::{Finding, subject::Subject},
    model::{Model, scope::Scoped},
    resolve::terraform::root::Root,
    source::{Files, Span, is_below},
};

/// Such roots, each with the block that makes Karpenter elsewhere. None where anything but a root installs it, which may
/// do so in any cluster.
pub(super) fn roots_without_karpenter(files: &Files, model: &Model) -> BTreeMap<usize, Span> {
    let installed =
        model.installations.iter().map(|it| it.scope().root.filter(|_| !it.is_for_anybody));
    let Some(with) = installed.collect::<Option<Vec<usize>>>() else { return BTreeMap::new() };
    let roots = &model.terraform.roots;
    let with: Vec<&Root> = with.iter().filter_map(|it| roots.get(*it)).map(AsRef::as_ref).collect();
    if model.assumed.karpenter_version.is_some() {
        return BTreeMap::new();
    }
    let off_in = |(index, root): (usize, &Root)| {
        let has_it =
            || with.iter().any(|it| it.folder == root.folder) || shows_karpenter(model, index);
        let is_alone = || {
            let others = roots.iter().filter(|it| it.folder != root.folder);
            others.clone().all(|it| !is_below(&it.folder, &root.folder))
        };
        let off = root.switched_off.iter().find(|it| is_of_karpenter(files, **it, &with))?;
        (!has_it() && is_alone()).then_some((index, *off))
    };
    roots.iter().enumerate().filter_map(|(index, it)| off_in((index, it))).collect()
}

/// Whether a block is named for Karpenter, and makes something in roots with it.
fn is_of_karpenter(files: &Files, block: Span, with: &[&Root]) -> bool {
    let first = files.text(block).lines().next().unwrap_or_default();
    let makes = |it: &&Root| it.objects.iter().any(|it| block.contains(it.header));
    first.contains("karpenter") && with.iter().any(makes)
}

/// Whether something of a root is Karpenter's, although a part is switched off.
fn shows_karpenter(model: &Model, root: usize) -> bool {
    let of_root = |it: Option<usize>| it == Some(root);
    model.node_pools.iter().any(|it| of_root(it.scope.root))
        || model.karpenter_objects.iter().any(|it| of_root(it.scope.root))
        || model.releases.iter().any(|it| it.is_of_karpenter() && of_root(it.scope.root))
        || model.karpenter_resources.iter().any(|it| it.root == root)
}

impl Model {
    /// The block by which a root has no Karpenter, if it switches it off.
    #[must_use]
    pub fn switched_off_in(&self, root: usize) -> Option<Span> {
        self.roots_without_karpenter.get(&root).copied()
    }

    /// The same where all that a finding is about belongs to such roots, or to roots that make a cluster without it; with
    /// what the block does.
    #[must_use]
    pub fn without_karpenter_for(&self, finding: &Finding) -> Option<(Span, &'static str)> {
        let of_root = |root: usize| {
            let made = || self.clusters_without_karpenter.get(&root).copied();
            let off = self.switched_off_in(root).map(|it| (it, "this root switches it off"));
            off.or_else(|| Some((made()?, "its root makes this cluster, and no Karpenter")))
        };
        let all: Vec<_> =
            finding.subjects.iter().map(|it: &Subject| of_root(it.root?)).collect::<Option<_>>()?;
        all.first().copied()
    }
}
