//! What makes a controller wait for the release of its CRDs.

use crate::{
    findings::change::{Change, NewValue},
    model::{Model, pairing::CrdPair},
    resolve::{
        gitops::argo::WAVE,
        release::{Release, surface::Surface},
    },
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
    wait_in_unit(controller, crds)
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

/// What makes the unit of a release wait for that of another.
fn wait_in_unit(controller: &Release, crds: &Release) -> Option<Change> {
    let (own, first) = (controller.unit()?, crds.unit()?);
    let name = first.name.as_deref()?;
    match own.surface {
        Surface::ArgoCd => {
            let wave = own.wave()?.checked_sub(1)?.to_string();
            let path = ["metadata", "annotations", WAVE];
            Some(Change::set_key(&first.body, &path, NewValue::text(wave)))
        }
        Surface::Flux => {
            let beside = own.namespace == first.namespace;
            let namespace = first.namespace.iter().filter(|_| !beside);
            let namespace = namespace.map(|it| ("namespace", &**it));
            let item = NewValue::texts([("name", name)].into_iter().chain(namespace));
            let known = beside || (own.namespace.is_some() && first.namespace.is_some());
            known.then(|| Change::add(&own.body, "spec.dependsOn", Vec::new(), item))
        }
        Surface::Helmfile => {
            let item = match &first.namespace {
                _ if !crds.namespace.is_written() => name.to_owned(),
                Some(namespace) => format!("{namespace}/{name}"),
                None => return None,
            };
            // A template that several releases inherit may hold the list.
            let list = own.body.get("needs").present();
            let is_own = list.is_none_or(|it| own.body.span.contains(it.span));
            is_own.then(|| Change::add(&own.body, "needs", Vec::new(), NewValue::text(item)))
        }
        Surface::Terraform | Surface::Kustomize | Surface::ChartDependency | Surface::Eksctl => {
            None
        }
    }
}
