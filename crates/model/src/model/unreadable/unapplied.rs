//! Manifests that nothing of the repository applies or names, and modules that nothing calls: whoever applies them finds
//! out, and until then nothing fails.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    findings::Severity,
    model::left_out::mention::{NamedPath, named},
    resolve::{
        gitops::GitOps,
        kubernetes::names_karpenter_api,
        terraform::{Terraform, root::Root},
    },
    source::{FileId, Files, SourceFile, outward},
    syntax::ParseError,
};

/// Of more broken files the rest keeps its severity: each is compared with whatever may name it.
const MOST: usize = 64;

/// The errors of manifests, those of files that nothing applies as warnings. What speaks of Karpenter is meant
/// to be applied.
pub(super) fn of_manifests(
    files: &Files,
    gitops: &GitOps,
    mut errors: Vec<ParseError>,
) -> Vec<ParseError> {
    let is_error = |it: &&ParseError| it.severity == Severity::Error;
    let may_be_idle = |it: &FileId| {
        let file = files.get(*it);
        !names_karpenter_api(file.text()) && !gitops.applies(file.path())
    };
    let broken: BTreeSet<FileId> =
        errors.iter().filter(is_error).map(|it| it.span.file).filter(may_be_idle).collect();
    let broken: Vec<FileId> = broken.into_iter().take(MOST).collect();
    let paths: Vec<NamedPath<'_>> =
        broken.iter().map(|it| NamedPath::sample(files.get(*it).path())).collect();
    let named = named(files, &paths);
    let idle = broken.iter().enumerate().filter(|(at, _)| !named.contains(at));
    lower(&mut errors, &idle.map(|(_, it)| *it).collect());
    errors
}

/// The errors of Terraform; as warnings those of folders below a root that nothing calls and that configure nothing of
/// their own, and those of folders that have nothing to do with clusters.
pub(super) fn of_code(
    files: &Files,
    terraform: &Terraform,
    mut errors: Vec<ParseError>,
) -> Vec<ParseError> {
    let roots: HashMap<&str, &Arc<Root>> =
        terraform.roots.iter().map(|it| (&*it.folder, it)).collect();
    let has_objects = |it: &str| roots.get(it).is_some_and(|it| !it.objects.is_empty());
    let is_module = |folder: &str| {
        let own = roots.get(folder);
        own.is_some_and(|it| it.objects.is_empty() && it.providers.is_empty())
            && outward(folder).skip(1).any(has_objects)
    };
    let broken: BTreeSet<FileId> = errors.iter().map(|it| it.span.file).collect();
    let folders: HashSet<&str> = broken.iter().map(|it| files.get(*it).folder()).collect();
    let own = files.iter().filter(|(_, it)| is_code(it) && folders.contains(it.folder()));
    let of_clusters: HashSet<&str> =
        own.filter(|(_, it)| is_about_clusters(it.text())).map(|(_, it)| it.folder()).collect();
    let is_idle = |it: &FileId| {
        let folder = files.get(*it).folder();
        is_module(folder) || !of_clusters.contains(folder)
    };
    lower(&mut errors, &broken.into_iter().filter(is_idle).collect());
    errors
}

fn is_code(file: &SourceFile) -> bool {
    matches!(file.ending(), "tf" | "tofu" | "tfvars" | "hcl")
}

/// Whether code makes a cluster, or installs something into one.
fn is_about_clusters(text: &str) -> bool {
    const WORDS: [&str; 4] = ["helm_release", "karpenter", "kubectl_", "kubernetes"];
    let names_eks = text.match_indices("eks").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|it| !it.is_ascii_alphabetic())
    });
    names_eks || WORDS.iter().any(|it| text.contains(it))
}

fn lower(errors: &mut [ParseError], idle: &HashSet<FileId>) {
    for error in errors.iter_mut().filter(|it| idle.contains(&it.span.file)) {
        error.severity = error.severity.min(Severity::Warning);
    }
}
