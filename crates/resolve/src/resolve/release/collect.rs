//! The releases of a repository, whatever installs them.

use crate::{
    resolve::{
        kustomize::Kustomize,
        release::{Release, kustomize, surface::Surface, terraform},
        terraform::{Root, inputs::Inputs},
    },
    source::Files,
};

/// The releases of a root module.
#[must_use]
pub fn of_root(files: &Files, inputs: &Inputs, index: usize, root: &Root) -> Vec<Release> {
    terraform::releases(files, inputs, index, root)
}

/// Adds the releases of other tools. What a chart depends on that Terraform installs from this repository
/// belongs to Terraform, and is not checked a second time.
pub fn extend_by_tools(
    releases: &mut Vec<Release>,
    of_gitops: Vec<Release>,
    files: &Files,
    kustomize: &Kustomize,
) {
    let folders: Vec<String> = releases.iter().filter_map(|it| it.local_chart.clone()).collect();
    let is_known = |it: &Release| !it.chart.is_empty() || it.local_chart.is_some();
    let is_installed = |it: &Release| {
        let dependency = it.surface() == Surface::ChartDependency;
        dependency && folders.iter().any(|folder| **folder == *it.scope.folder)
    };
    let kept = |it: &Release| is_known(it) && !is_of_azure(it) && !is_installed(it);
    releases.extend(of_gitops.into_iter().filter(kept));
    releases.extend(kustomize::releases(files, kustomize));
}

/// Whether the chart is the Azure provider's, which has the same name.
fn is_of_azure(release: &Release) -> bool {
    release.repository.as_ref().is_some_and(|it| it.contains("mcr.microsoft.com"))
}
