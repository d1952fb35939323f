//! What makes a controller wait for the release of its CRDs.

use crate::{
    findings::change::{Change, NewValue},
    model::{Model, pairing::CrdPair},
    resolve::{
        gitops::argo::WAVE,
        release::{Means, Release, described::ChartRelease, surface::Surface},
    },
    value::HOLE_START,
};

/// Where an order between two releases is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderSite {
    /// At the one that comes first.
    AtTheFirst,
    /// At the one that waits.
    AtTheSecond,
}

impl OrderSite {
    /// Where the surface of a release writes what comes first.
    #[must_use]
    pub(crate) fn of(release: &Release) -> Self {
        match release.surface() {
            Surface::ArgoCd => Self::AtTheFirst,
            _ => Self::AtTheSecond,
        }
    }
}

/// How to make the controller wait for a release of its CRDs.
#[must_use]
pub(crate) fn help(crds: &Release) -> String {
    match crds.surface() {
        Surface::ArgoCd => {
            "Give it a lower `argocd.argoproj.io/sync-wave` than the controller's".to_owned()
        }
        Surface::Flux => "Name the CRD release under `dependsOn`".to_owned(),
        Surface::Helmfile => "Name the CRD release under `needs`".to_owned(),
        _ => format!("Add `depends_on = [{}]`", crds.title()),
    }
}

/// What makes the controller wait for the CRDs; `None` where that is not known.
#[must_use]
pub(crate) fn wait(model: &Model, pair: &CrdPair) -> Option<Change> {
    let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
    if let Some(change) = depend_on(controller, crds) {
        return Some(change);
    }
    let release = |it: &Release| match it.means {
        Means::GitOps(_, index, _) => model.gitops.releases.get(index),
        Means::Terraform(_) => None,
    };
    wait_in_gitops(release(controller)?, release(crds)?)
}

/// What makes the block of a release wait for that of another; `None` where they are in different modules.
fn depend_on(release: &Release, other: &Release) -> Option<Change> {
    let (own, other_code) = (release.code()?, other.code()?);
    let is_beside = own.module == other_code.module && release.scope == other.scope;
    let list = own.object.depends_on.as_ref();
    is_beside.then(|| Change::DependOn {
        block: own.object.span,
        list: list.map(|it| (it.list, it.elements.last().copied())),
        address: other_code.address.clone(),
    })
}

/// What makes a release of a `GitOps` tool wait for another.
fn wait_in_gitops(controller: &ChartRelease, crds: &ChartRelease) -> Option<Change> {
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
        Surface::Terraform | Surface::Kustomize | Surface::ChartDependency | Surface::Eksctl => {
            None
        }
    }
}
