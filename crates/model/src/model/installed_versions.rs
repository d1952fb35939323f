//! The versions that a model has, to be compared with those of another state of the repository.

use std::sync::Arc;

use crate::{
    model::{
        Model,
        cluster::Cluster,
        installation::Installation,
        module_call::ModuleCall,
        scope::Scoped,
        version_change::{InstalledVersion, InstalledVersions, VersionChange, Versioned},
    },
    resolve::{release::Release, setting::Setting},
    source::Span,
    value::Value,
};

impl Model {
    /// The versions of Karpenter, of its CRDs, of Kubernetes and of modules.
    #[must_use]
    pub fn installed_versions(&self) -> InstalledVersions {
        let installations = self.installations.iter().enumerate();
        let controllers = installations.map(|(index, it)| of_installation(self, index, it));
        let releases = self.releases.iter().enumerate().filter(|(_, it)| it.is_crds());
        let crds = releases.map(|(index, it)| InstalledVersion {
            what: Versioned::Crds(index),
            folder: it.scope.folder.clone(),
            name: name(it),
            version: decided(self, &it.version),
        });
        let clusters = self.clusters.iter().enumerate().map(|(index, it)| of_cluster(index, it));
        let modules = ModuleCall::all(self).map(|it| of_module(&it));
        InstalledVersions::new(controllers.chain(crds).chain(clusters).chain(modules))
    }

    /// Where a version is written that may have changed.
    #[must_use]
    pub fn place_of_change(&self, change: &VersionChange) -> Option<Span> {
        match change.what {
            Versioned::Controller(index) => Some(self.installations.get(index)?.version.span()),
            Versioned::Crds(index) => Some(self.releases.get(index)?.version.span()),
            Versioned::Cluster(index) => Some(self.clusters.get(index)?.version.as_ref()?.span()),
            Versioned::Module(root, object) => {
                Some(ModuleCall::at(self, (root, object))?.version_place())
            }
        }
    }
}

fn of_installation(model: &Model, index: usize, it: &Installation) -> InstalledVersion {
    let release = it.release.and_then(|it| model.releases.get(it));
    InstalledVersion {
        what: Versioned::Controller(index),
        folder: it.scope().folder.clone(),
        name: release.map(name).unwrap_or_default(),
        version: decided(model, &it.version),
    }
}

fn of_cluster(index: usize, it: &Cluster) -> InstalledVersion {
    let name = it.name.as_ref().and_then(Value::as_str);
    let version = it.version.as_ref().and_then(|it| it.known());
    InstalledVersion {
        what: Versioned::Cluster(index),
        folder: it.scope.folder.clone(),
        name: name.unwrap_or_default().to_owned(),
        version: version.map(ToString::to_string),
    }
}

fn of_module(it: &ModuleCall<'_>) -> InstalledVersion {
    InstalledVersion {
        what: Versioned::Module(it.index.0, it.index.1),
        folder: it.root.folder.clone(),
        name: format!("{} {}", it.module, it.object.address),
        version: it.version(),
    }
}

/// The version, if it is known and not only a default that environments replace.
fn decided(model: &Model, version: &Setting<String>) -> Option<String> {
    let replaced = model.varying.contains(&version.span());
    version.known().filter(|_| !replaced).cloned()
}

/// What tells a release from others of its folder.
fn name(release: &Release) -> String {
    let own = release.name.as_deref().unwrap_or_default();
    match (&release.subject, release.unit()) {
        (Some(subject), None) => {
            let address = subject.block.as_ref().map_or(release.title(), |it| &it.address);
            format!("{address} {own}")
        }
        (_, Some(unit)) => {
            let part = |it: &Option<Arc<str>>| it.as_deref().unwrap_or_default().to_owned();
            format!("{} {} {} {own}", part(&unit.namespace), part(&unit.name), unit.element)
        }
        (None, None) => format!("{} {own}", release.title()),
    }
}
