//! Gathers what belongs to each cluster.

use crate::{
    inventory::{
        Item,
        facts::{of_setting, text, unknown},
        karpenter::karpenter,
        nodes, parts,
    },
    model::{Model, neighbourhood::Neighbourhood, scope::Scoped},
    project::Project,
    resolve::scope::Scope,
    show::{
        cluster::ChosenClusters,
        overview::{ClusterView, ListKind},
    },
    source::{FileId, Span},
    value::Value,
};

/// The clusters of a project that are asked for, in the order of their folders.
pub(crate) fn clusters<'p>(
    project: &'p Project,
    model: &Model,
    chosen: &ChosenClusters,
) -> Vec<ClusterView<'p>> {
    let members = Members { project, model, chosen, near: Near::of(model, chosen) };
    let indexes = (0..chosen.all.list.len()).filter(|it| chosen.contain(*it));
    let mut found: Vec<ClusterView<'p>> = indexes.filter_map(|it| members.cluster(it)).collect();
    found.sort_by(|a, b| a.folder.cmp(&b.folder));
    found
}

struct Members<'p, 'a> {
    project: &'p Project,
    model: &'a Model,
    chosen: &'a ChosenClusters,
    near: Near,
}

/// What may belong to each cluster, as indexes.
struct Near {
    installations: Vec<Vec<usize>>,
    releases: Vec<Vec<usize>>,
    pools: Vec<Vec<usize>>,
    classes: Vec<Vec<usize>>,
    addons: Vec<Vec<usize>>,
    workloads: Vec<Vec<usize>>,
}

impl Near {
    fn of(model: &Model, chosen: &ChosenClusters) -> Self {
        Self {
            installations: by_cluster(&model.installations, chosen),
            releases: by_cluster(&model.releases, chosen),
            pools: by_cluster(&model.node_pools, chosen),
            classes: by_cluster(&model.node_classes, chosen),
            addons: by_cluster(&model.addons, chosen),
            workloads: by_cluster(&model.workloads, chosen),
        }
    }
}

fn by_cluster<T: Scoped>(all: &[T], chosen: &ChosenClusters) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); chosen.all.list.len()];
    for (index, it) in all.iter().enumerate() {
        for cluster in chosen.all.around(it.scope()) {
            if let Some(list) = found.get_mut(cluster) {
                list.push(index);
            }
        }
    }
    found
}

/// Those of a list that are near a cluster.
fn near<'m, T>(all: &'m [T], lists: &[Vec<usize>], cluster: usize) -> impl Iterator<Item = &'m T> {
    let indexes = lists.get(cluster).cloned().unwrap_or_default();
    indexes.into_iter().filter_map(|it| all.get(it))
}

impl<'p> Members<'p, '_> {
    fn cluster(&self, index: usize) -> Option<ClusterView<'p>> {
        let own = self.chosen.all.list.get(index)?;
        let model = self.model;
        let place = Span::new(self.project.files.iter().next()?.0, 0, 0);
        let installations: Vec<_> =
            near(&model.installations, &self.near.installations, index).collect();
        let releases = || near(&model.releases, &self.near.releases, index);
        let crds = releases().filter(|it| it.is_crds());
        let karpenter = karpenter(model, &installations, &crds.collect::<Vec<_>>());
        let cluster = own.cluster.and_then(|it| model.clusters.get(it));
        let asked = |it: &Item, scope: &Scope| self.is_asked_for(it.span, scope);
        let groups = cluster.map_or_else(Vec::new, nodes::groups);
        let groups = groups.into_iter().filter(|it| asked(it, &own.scope)).collect();
        let pools = near(&model.node_pools, &self.near.pools, index);
        let addons = near(&model.addons, &self.near.addons, index);
        let workloads = near(&model.workloads, &self.near.workloads, index);
        let classes = near(&model.node_classes, &self.near.classes, index);
        let classes = classes.filter(|it| !it.is_fragment());
        let classes = classes.map(|it| (nodes::class(it), &it.scope));
        let classes = classes.filter(|(it, scope)| asked(it, scope)).map(|it| it.0).collect();
        let lists = vec![
            (ListKind::NodeGroups, groups),
            (ListKind::NodePools, self.of(pools, nodes::pool)),
            (ListKind::NodeClasses, classes),
            (ListKind::Releases, self.of(releases(), parts::release)),
            (ListKind::Addons, self.of(addons, parts::addon)),
            (ListKind::Workloads, self.of(workloads, |it| parts::workload(model, it))),
        ];
        let karpenter = karpenter.filter(|it| asked(it, &own.scope));
        let nothing = karpenter.is_none() && lists.iter().all(|it| it.1.is_empty());
        let kubernetes = own.version.as_ref().map(of_setting);
        let assumed = model.assumed.kubernetes_version.as_ref();
        let assumed = assumed.map(|it| text(format!("{}.{}", it.line().0, it.line().1), place));
        (!nothing || asked_folder(self.project, &own.scope)).then(|| ClusterView {
            project: self.project,
            folder: own.scope.folder.to_string(),
            name: name_of(self.project, own),
            kubernetes_version: kubernetes
                .or(assumed)
                .unwrap_or_else(|| unknown("not written", place)),
            karpenter,
            lists,
        })
    }

    /// What of a list belongs to a cluster and is asked for, in the order of its places.
    fn of<'m, T: Scoped + 'm>(
        &self,
        own: impl Iterator<Item = &'m T>,
        item: impl Fn(&T) -> Item,
    ) -> Vec<Item> {
        let items = own.map(|it| (item(it), it.scope()));
        let asked = items.filter(|(it, scope)| self.is_asked_for(it.span, scope));
        let mut found: Vec<Item> = asked.map(|it| it.0).collect();
        found.sort_by_key(|it| {
            (self.project.files.get(it.span.file).path().to_owned(), it.span.start)
        });
        found
    }

    fn is_asked_for(&self, span: Span, scope: &Scope) -> bool {
        is_asked_for(self.project, span, scope)
    }
}

/// Whether something is asked for, by its place.
#[must_use]
pub(crate) fn is_asked_for(project: &Project, span: Span, scope: &Scope) -> bool {
    project.is_asked_for(project.files.get(span.file).path())
        || (scope.build.is_some() && asked_folder(project, scope))
}

/// The name of a cluster.
#[must_use]
pub(crate) fn name_of(project: &Project, cluster: &Neighbourhood) -> Value {
    let place = project.files.iter().next().map_or(FileId(0), |it| it.0);
    cluster.name.clone().unwrap_or_else(|| unknown("not written", Span::new(place, 0, 0)))
}

/// Whether all of a folder is asked for.
fn asked_folder(project: &Project, scope: &Scope) -> bool {
    let inside =
        if scope.folder.is_empty() { "*".to_owned() } else { format!("{}/*", scope.folder) };
    project.is_asked_for(&inside)
}
