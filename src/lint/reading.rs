//! How a project is read before the model is built of it.

use std::sync::Arc;

use crate::{
    checks::identity,
    config::Config,
    lint::clock::Clock,
    model::{Model, applied},
    project::{Project, kind::FileKind},
    resolve::{
        gitops,
        kubernetes::manifests::{self, Manifests, Tools},
        kustomize::{self, Kustomize},
        terraform::{earlier::Earlier, module_source::ModuleSource, options::TerraformOptions},
    },
    source::FileId,
};

/// Reads what is resolved besides Terraform. Gives also the files that kubectl would refuse.
pub(super) fn others(
    project: &Project,
    config: &Config,
    clock: &mut Clock,
) -> (Others, Vec<(FileId, String)>) {
    let paths = project.manifest_files();
    let tools = Tools { all_workloads: config.all_workloads, ..gitops::TOOLS };
    // Builds are made one after another; what their files cost is spread by the manifests.
    let (kustomize, mut manifests) = rayon::join(
        || kustomize::build_without_schemas(&project.files),
        || manifests::read(&project.files, &paths, tools),
    );
    manifests.files = paths;
    let refused = applied::refused(&project.files, &kustomize);
    clock.stage("manifests, kustomize");
    (Others { manifests, kustomize }, refused)
}

/// What is resolved besides Terraform, whatever values its variables have.
#[derive(Clone, Default)]
pub(super) struct Others {
    pub(super) manifests: Manifests,
    pub(super) kustomize: Kustomize,
}

/// How Terraform is read with one set of variable files, where something may be known of an earlier state.
pub(super) fn options(
    project: &Project,
    config: &Config,
    (variant, files): (Option<&str>, &[String]),
    earlier: Option<Earlier>,
) -> TerraformOptions {
    TerraformOptions {
        var_files: config.var_files.iter().chain(files).cloned().collect(),
        kinds: Some(Model::kinds().into_iter().chain(config.book.resource_types()).collect()),
        // A policy reads what it likes.
        fields: Model::FIELDS
            .iter()
            .chain([&identity::ROLE])
            .filter(|(kind, _)| config.book.resource_types().all(|it| it != *kind))
            .copied()
            .collect(),
        opaque: Some(ModuleSource::is_well_known),
        plans: project.named(FileKind::Json),
        variant: variant.map(Arc::from),
        earlier,
    }
}
