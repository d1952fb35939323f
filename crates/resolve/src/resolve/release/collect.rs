//! The releases of a repository, whatever installs them.

use std::collections::HashSet;

use crate::{
    resolve::{
        kustomize::Kustomize,
        release::{
            Release, copied_chart, fetched_crds, installed::Installed, kustomize, named_chart,
            script, surface::Surface, terraform,
        },
        terraform::{Terraform, inputs::Inputs, root::Root},
    },
    source::Files,
};

/// What a root module installs.
pub(crate) fn of_root(files: &Files, inputs: &Inputs, index: usize, root: &Root) -> Installed {
    let mut found = script::of_root(files, index, root);
    found.releases.splice(0..0, terraform::releases(files, inputs, index, root));
    found.crds.extend(fetched_crds::of_root(index, root));
    found
}

/// What Terraform and scripts install.
#[must_use]
pub fn of_code(files: &Files, inputs: &Inputs, terraform: &Terraform) -> Installed {
    let mut found = Installed::default();
    for (index, root) in terraform.roots.iter().enumerate() {
        found.extend(of_root(files, inputs, index, root));
    }
    found.extend(script::installed(files));
    found.releases.retain(|it| !it.is_of_other_cloud());
    found
}

/// Adds what other tools install, and finds out which of all charts of this repository are Karpenter's. What a chart depends on that Terraform installs from this repository
/// belongs to Terraform, and is not checked a second time.
pub fn extend_by_tools(
    installed: &mut Installed,
    of_gitops: Vec<Release>,
    files: &Files,
    kustomize: &Kustomize,
) {
    let releases = &mut installed.releases;
    let folders: HashSet<String> =
        releases.iter().filter_map(|it| it.local_chart.clone()).collect();
    let names_chart = |it: &Release| {
        !it.chart.is_empty() || it.local_chart.is_some() || it.missing_chart.is_some()
    };
    let is_installed = |it: &Release| {
        it.surface() == Surface::ChartDependency && folders.contains(&*it.scope.folder)
    };
    let of_tools = of_gitops.into_iter().chain(kustomize::releases(files, kustomize));
    let is_kept = |it: &Release| names_chart(it) && !it.is_of_other_cloud() && !is_installed(it);
    releases.extend(of_tools.filter(is_kept));
    named_chart::recognise(files, releases);
    copied_chart::recognise(files, releases);
}
