//! The clusters of a repository as people see them: those that are made here, and those that are only used.
//!
//! Each EKS cluster is one. What installs Karpenter where no cluster is made is in one of its own, and where
//! nothing installs it either, Karpenter's resources are in one together.

use crate::{
    model::{
        Model,
        cluster::version,
        environment::are_apart,
        scope::{ScopeIndex, Scoped},
    },
    resolve::{
        scope::{DeployUnit, Scope},
        setting::Setting,
        terraform::object::Mode,
    },
    value::Value,
    version::Version,
};

/// A cluster that things of the repository belong to.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    /// Where it belongs.
    pub scope: Scope,
    /// What is known of the cluster, as an index; `None` for one that is made elsewhere, or that has no nodes of
    /// its own.
    pub cluster: Option<usize>,
    /// Its name, where that is written.
    pub name: Option<Value>,
    /// Its Kubernetes version, if it is written.
    pub version: Option<Setting<Version>>,
}

impl Scoped for Neighbourhood {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct Neighbourhoods {
    /// In the order in which they are found.
    pub list: Vec<Neighbourhood>,
    near: ScopeIndex<Vec<usize>>,
}

impl Neighbourhoods {
    /// Finds them.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let mut all = Self::default();
        all.add(made(model));
        let users = model.installations.iter().filter(|it| all.near.nearest(it.scope()).is_none());
        let users = users.map(|it| {
            let release = it.release.and_then(|it| model.releases.get(it));
            let name = release.and_then(|it| it.cluster().cloned());
            Neighbourhood { scope: it.scope().clone(), cluster: None, name, version: None }
        });
        let users = one_of_each_unit(users.collect());
        all.add(users);
        let own = model.karpenter_objects.iter().map(|it| &it.scope);
        let scopes = own.chain(model.node_pools.iter().map(|it| &it.scope));
        let lone = scopes.filter(|it| all.near.nearest(it).is_none());
        let lone: Vec<Neighbourhood> = lone
            .map(|it| Neighbourhood { scope: it.clone(), cluster: None, name: None, version: None })
            .collect();
        all.add(together(&lone));
        all
    }

    fn add(&mut self, more: Vec<Neighbourhood>) {
        self.list.extend(more);
        self.near = ScopeIndex::new(&self.list, |_| true, <[usize]>::to_vec);
    }

    /// The clusters that what is in a scope may belong to, as indexes.
    #[must_use]
    pub fn around(&self, scope: &Scope) -> Vec<usize> {
        let near = self.near.nearest(scope).map_or(&[][..], Vec::as_slice);
        let apart = |it: &usize| are_apart(&self.list[*it].scope.folder, &scope.folder);
        let same: Vec<usize> = near.iter().copied().filter(|it| !apart(it)).collect();
        if same.is_empty() { near.to_vec() } else { same }
    }
}

/// The clusters that are made here.
fn made(model: &Model) -> Vec<Neighbourhood> {
    let clusters = model.clusters.iter().enumerate().map(|(index, it)| Neighbourhood {
        scope: it.scope.clone(),
        cluster: Some(index),
        name: it.name.clone(),
        version: it.version.clone(),
    });
    let mut found: Vec<Neighbourhood> = clusters.collect();
    for (index, root) in model.terraform.roots.iter().enumerate() {
        let is_seen = model.clusters.iter().any(|it| it.scope.root == Some(index));
        let own = root.of(Mode::Resource, "aws_eks_cluster").filter(|_| !is_seen);
        found.extend(own.map(|it| Neighbourhood {
            scope: Scope::new(Some(index), &root.folder).in_cluster(root.cluster_made_by(it)),
            cluster: None,
            name: it.body.get("name").present().cloned(),
            version: version::of_field(it.body.get("version")),
        }));
    }
    found
}

/// What is applied together is in one cluster.
fn one_of_each_unit(all: Vec<Neighbourhood>) -> Vec<Neighbourhood> {
    let mut found: Vec<Neighbourhood> = Vec::new();
    for it in all {
        let is_same = |other: &Neighbourhood| match it.scope.deploy_unit() {
            DeployUnit::Folder(folder, _) => {
                other.scope.root.is_none() && *other.scope.folder == *folder
            }
            unit => other.scope.deploy_unit() == unit,
        };
        match found.iter_mut().find(|other| is_same(other)) {
            Some(other) => other.name = other.name.take().or(it.name),
            None => found.push(it),
        }
    }
    found
}

/// One cluster for all, in the folder around all of them.
fn together(all: &[Neighbourhood]) -> Vec<Neighbourhood> {
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    if others.iter().all(|it| it.scope == first.scope) {
        return vec![first.clone()];
    }
    let mut folder: Vec<&str> = first.scope.folder.split('/').collect();
    for it in others {
        let same = folder.iter().zip(it.scope.folder.split('/')).take_while(|(a, b)| **a == *b);
        folder.truncate(same.count());
    }
    let scope = Scope::new(None, &folder.join("/").into());
    vec![Neighbourhood { scope, ..first.clone() }]
}
