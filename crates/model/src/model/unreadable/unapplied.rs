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
    let own = in_folders(files, &folders);
    let of_clusters: HashSet<&str> =
        own.filter(|it| is_about_clusters(it.text())).map(SourceFile::folder).collect();
    let is_idle = |it: &FileId| {
        let folder = files.get(*it).folder();
        is_module(folder) || !of_clusters.contains(folder)
    };
    lower(&mut errors, &broken.into_iter().filter(is_idle).collect());
    errors
}

/// The files of code among the broken ones that are written in the language before Terraform 0.12, and the errors of the
/// others.
pub(super) fn without_former_language(
    files: &Files,
    mut errors: Vec<ParseError>,
) -> (BTreeSet<(FileId, &'static str)>, Vec<ParseError>) {
    const REASON: &str = "in the language before Terraform 0.12";
    let folders: HashSet<&str> = errors.iter().map(|it| files.get(it.span.file).folder()).collect();
    let with = |refers: fn(&str) -> bool| -> HashSet<&str> {
        let own = in_folders(files, &folders);
        let own = own.filter(|it| it.text().lines().filter_map(value_on).any(refers));
        own.map(SourceFile::folder).collect()
    };
    let (mut of_former, of_present) = (with(refers_within_text), with(refers_bare));
    of_former.retain(|it| !of_present.contains(it));
    let is_former = |it: &ParseError| {
        let is_taken = it.message.contains("twice") || files.text(it.span).starts_with('"');
        is_taken && of_former.contains(files.get(it.span.file).folder())
    };
    let former =
        errors.iter().filter(|it| is_former(it)).map(|it| (it.span.file, REASON)).collect();
    errors.retain(|it| !is_former(it));
    (former, errors)
}

/// The files of code in some folders.
fn in_folders<'f>(
    files: &'f Files,
    folders: &HashSet<&'f str>,
) -> impl Iterator<Item = &'f SourceFile> {
    files.iter().map(|it| it.1).filter(|it| is_code(it) && folders.contains(it.folder()))
}

/// What a line of code gives a name.
fn value_on(line: &str) -> Option<&str> {
    line.split_once(" = ").map(|it| it.1.trim())
}

/// Whether a value is a reference within a text, `"${var.name}"`: all were before Terraform 0.12, which took keys in
/// quotes and keys that are written twice.
fn refers_within_text(value: &str) -> bool {
    value.starts_with("\"${") && value.ends_with("}\"")
}

/// Whether a value begins with a reference, `var.name`.
fn refers_bare(value: &str) -> bool {
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let rest = value.trim_start_matches(is_of_name);
    value.starts_with(|it: char| it.is_ascii_lowercase()) && rest.starts_with(['.', '('])
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

#[cfg(test)]
mod tests {
    use super::without_former_language;
    use crate::{
        findings::Severity,
        source::{FileId, Files, SourceFile, Span},
        syntax::ParseError,
    };

    #[test]
    fn code_that_refers_within_texts_alone_is_in_the_former_language() {
        const BROKEN: &str = "resource \"a\" \"b\" {\n  tags = 1\n  tags = 1\n}\n";
        for (beside, is_former) in [
            ("resource \"a\" \"c\" {\n  name = \"${var.name}\"\n}\n", true),
            ("resource \"a\" \"c\" {\n  name = \"${var.name}\"\n  id = aws_vpc.b.id\n}\n", false),
            ("resource \"a\" \"c\" {\n  name = \"${var.name}\"\n  id = upper(\"a\")\n}\n", false),
            ("resource \"a\" \"c\" {\n  name = \"${var.name}-b\"\n}\n", false),
            ("", false),
        ] {
            let files =
                vec![SourceFile::new("a/main.tf", BROKEN), SourceFile::new("a/b.tf", beside)];
            let files = Files::new(files);
            let file = files.find("a/main.tf").unwrap_or(FileId(0));
            let left = |message: &str| {
                let error = ParseError::new(Span::new(file, 0, 1), message, Severity::Error);
                let (former, left) = without_former_language(&files, vec![error]);
                assert_eq!(former.len() + left.len(), 1, "{beside}");
                left.len() == 1
            };
            assert_eq!(left("set twice"), !is_former, "{beside}");
            assert!(left("expected a value"), "{beside}");
        }
    }
}
