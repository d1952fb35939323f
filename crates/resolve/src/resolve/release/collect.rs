//! The releases of a repository, whatever installs them.

use crate::{
    resolve::{
        gitops::GitOps,
        kustomize::Kustomize,
        release::{Release, chart_source, gitops, kustomize, surface::Surface, terraform},
        terraform::{inputs::Inputs, root::Root},
    },
    source::Files,
};

/// The releases of a root module.
#[must_use]
pub fn of_root(files: &Files, inputs: &Inputs, index: usize, root: &Root) -> Vec<Release> {
    terraform::releases(files, inputs, index, root)
}

/// Adds the releases of the `GitOps` tools. What a chart depends on that Terraform installs from this
/// repository belongs to Terraform, and is not checked a second time.
pub fn extend_by_gitops(
    releases: &mut Vec<Release>,
    gitops: &GitOps,
    files: &Files,
    kustomize: &Kustomize,
) {
    let folders: Vec<String> = releases.iter().filter_map(|it| it.local_chart.clone()).collect();
    let installed = |it: &Release| {
        let dependency = it.surface() == Surface::ChartDependency;
        dependency && folders.iter().any(|folder| **folder == *it.scope.folder)
    };
    releases.extend(gitops::releases(files, gitops).into_iter().filter(|it| !installed(it)));
    releases.extend(kustomize::releases(files, kustomize));
    chart_source::mark_shared(files, releases);
}
