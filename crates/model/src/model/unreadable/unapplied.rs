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
    source::{FileId, Files, outward},
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

/// The errors of Terraform, those of folders below a root that nothing calls and that configure nothing of their own as
/// warnings.
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
    let idle = errors.iter().map(|it| it.span.file);
    let idle: HashSet<FileId> = idle.filter(|it| is_module(files.get(*it).folder())).collect();
    lower(&mut errors, &idle);
    errors
}

fn lower(errors: &mut [ParseError], idle: &HashSet<FileId>) {
    for error in errors.iter_mut().filter(|it| idle.contains(&it.span.file)) {
        error.severity = error.severity.min(Severity::Warning);
    }
}
