//! Which CRD release belongs to which controller.

use std::collections::HashMap;

use crate::{
    findings::{
        change::{Change, NewValue},
        edit::Edit,
    },
    model::{
        Model,
        release::{Means, Release},
        scope::{ScopeIndex, only},
    },
    resolve::{
        gitops::argo::WAVE,
        release::{ChartRelease, Surface, Unit},
    },
    source::Files,
    value::HOLE_START,
};

/// A controller release and the CRD release of its neighbourhood.
#[derive(Clone, Debug)]
pub struct CrdPair {
    controller: usize,
    crds: usize,
    /// The edits that make a block of Terraform wait for another.
    wait_edits: Option<Vec<Edit>>,
}

impl CrdPair {
    /// The controller.
    #[must_use]
    pub fn controller<'a>(&self, model: &'a Model) -> &'a Release {
        &model.releases[self.controller]
    }

    /// The CRDs.
    #[must_use]
    pub fn crds<'a>(&self, model: &'a Model) -> &'a Release {
        &model.releases[self.crds]
    }

    /// What makes the controller wait for the CRDs; nothing where that is not known.
    #[must_use]
    pub fn wait(&self, model: &Model) -> Vec<Change> {
        if let Some(edits) = &self.wait_edits {
            return edits.iter().cloned().map(Change::Edit).collect();
        }
        let release = |it: &Release| match it.means {
            Means::GitOps(_, index, _) => model.gitops.releases.get(index),
            Means::Terraform(_) => None,
        };
        let both = release(self.controller(model)).zip(release(self.crds(model)));
        both.and_then(|(controller, crds)| wait(controller, crds)).into_iter().collect()
    }
}

/// How a `GitOps` tool is told that a release waits for another.
fn wait(controller: &ChartRelease, crds: &ChartRelease) -> Option<Change> {
    let name = Some(&*crds.name).filter(|it| !it.is_empty() && !it.contains(HOLE_START))?;
    match controller.surface {
        Surface::ArgoCd => {
            let wave = controller.wave()?.checked_sub(1)?.to_string();
            let path = ["metadata", "annotations", WAVE];
            Some(Change::set_key(&crds.whole, &path, NewValue::text(wave)))
        }
        Surface::Flux => {
            let beside = controller.scope == crds.scope;
            let namespace = crds.scope.iter().filter(|_| !beside).map(|it| ("namespace", &**it));
            let item = NewValue::texts([("name", name)].into_iter().chain(namespace));
            let known = beside || (controller.scope.is_some() && crds.scope.is_some());
            known.then(|| Change::add(&controller.whole, "spec.dependsOn", Vec::new(), item))
        }
        Surface::Helmfile => {
            let item = match (&crds.namespace, &crds.scope) {
                (None, _) => name.to_owned(),
                (Some(_), Some(namespace)) => format!("{namespace}/{name}"),
                (Some(_), None) => return None,
            };
            // A template that several releases inherit may hold the list.
            let list = controller.body.get("needs").present();
            let own = list.is_none_or(|it| controller.unit.span.contains(it.span));
            own.then(|| Change::add(&controller.body, "needs", Vec::new(), NewValue::text(item)))
        }
        Surface::Kustomize | Surface::ChartDependency | Surface::Eksctl => None,
    }
}

/// Pairs each controller with the CRD release nearest to it, where the choice is clear both ways: a
/// CRD release that is nearer to another controller belongs to that one.
pub fn crd_pairs(files: &Files, releases: &[Release]) -> Vec<CrdPair> {
    let controllers = Only::of(releases, Release::is_controller);
    let all_crds = Only::of(releases, Release::is_crds);
    let mut pairs = Vec::new();
    for (controller, release) in releases.iter().enumerate().filter(|(_, it)| it.is_controller()) {
        let Some(crds) = all_crds.nearest(release) else { continue };
        if controllers.nearest(&releases[crds]) == Some(controller) {
            let wait_edits = release.wait_edits(files, &releases[crds]);
            pairs.push(CrdPair { controller, crds, wait_edits });
        }
    }
    pairs
}

/// The one release of a kind near another: among those installed together with it, else in its
/// neighbourhood.
struct Only<'a> {
    /// `None` where there are several.
    together: HashMap<Instance<'a>, Option<usize>>,
    around: ScopeIndex<Option<usize>>,
}

impl<'a> Only<'a> {
    fn of(releases: &'a [Release], kind: fn(&Release) -> bool) -> Self {
        let mut together = HashMap::new();
        for (index, release) in releases.iter().enumerate().filter(|(_, it)| kind(it)) {
            let several = |it: &mut Option<usize>| *it = None;
            together.entry(Instance::of(release)).and_modify(several).or_insert(Some(index));
        }
        Self { together, around: ScopeIndex::new(releases, kind, only) }
    }

    fn nearest(&self, release: &Release) -> Option<usize> {
        let around = || self.around.nearest(&release.scope).copied().flatten();
        self.together.get(&Instance::of(release)).copied().unwrap_or_else(around)
    }
}

/// What installs a release: releases of one instance are installed together.
#[derive(PartialEq, Eq, Hash)]
enum Instance<'a> {
    /// A module instance of a root.
    Module(Option<usize>, &'a str),
    /// A unit of some other tool.
    Unit(Unit),
}

impl<'a> Instance<'a> {
    fn of(release: &'a Release) -> Self {
        match &release.means {
            Means::Terraform(it) => Self::Module(release.scope.root, &it.module),
            Means::GitOps(_, _, unit) => Self::Unit(*unit),
        }
    }
}
