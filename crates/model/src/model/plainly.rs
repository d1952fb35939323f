//! Folders with a kustomization that a command applies file by file all the same: `kubectl apply -f k8s/`. What the
//! kustomization does not list is applied, too.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    model::command_files::{found_in, is_of_commands, meant},
    resolve::kustomize::Kustomize,
    source::{Files, SourceFile, join},
};

/// The command.
const APPLY: &str = "kubectl apply";
/// What it has that applies nothing.
const DRY_RUN: &str = "--dry-run";
/// What leads to the folder.
const FLAGS: [&str; 4] = ["-f", "-Rf", "-fR", "--filename"];

/// Takes such folders out of those that only kustomizations apply. Where all is listed, it makes no difference, and no
/// command is looked for.
pub(super) fn leave_to_commands(files: &Files, kustomize: &mut Kustomize) {
    let unlisted = files.iter().filter(|(id, it)| {
        let is_manifest = matches!(it.ending(), "yaml" | "yml" | "json");
        let is_own = it.name().starts_with("kustomization.");
        is_manifest && !is_own && !kustomize.listed.contains(id)
    });
    let beside = unlisted.filter_map(|(_, it)| kustomize.folders.get(it.folder()).cloned());
    let folders: BTreeSet<Arc<str>> = beside.collect();
    if folders.is_empty() {
        return;
    }
    let found = found_in(files, &[APPLY], is_of_commands, |_, file, text| {
        text.lines().flat_map(|it| folders_in(file, it, &folders)).collect::<Vec<_>>()
    });
    let plain: BTreeSet<Arc<str>> = found.into_iter().flatten().collect();
    kustomize.folders.retain(|it| !plain.contains(it));
}

/// The folders that a line applies file by file, from the root, the folder of its file, or the one it is for.
fn folders_in(file: &SourceFile, line: &str, all: &BTreeSet<Arc<str>>) -> Vec<Arc<str>> {
    let is_comment = file.ending() != "md" && line.trim_start().starts_with('#');
    let Some((_, command)) = line.split_once(APPLY) else { return Vec::new() };
    if is_comment || command.contains(DRY_RUN) {
        return Vec::new();
    }
    let words: Vec<&str> = command.split([' ', '=', '`', '"', '\'', ';', '&', '|', ')']).collect();
    let paths = words.windows(2).filter(|it| FLAGS.contains(&it[0])).map(|it| it[1]);
    let from = ["", file.folder(), meant(file.folder())];
    let known = |path: &str| {
        let mut folders = from.iter().filter_map(|it| join(it, path));
        folders.find_map(|it| all.get(&*it).cloned())
    };
    paths.filter(|it| !it.is_empty()).filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use super::folders_in;
    use crate::source::SourceFile;

    #[test]
    fn commands_name_folders_that_they_apply_file_by_file() {
        let all: BTreeSet<Arc<str>> = ["k8s", "ops/k8s"].into_iter().map(Arc::from).collect();
        for (path, line, wanted) in [
            ("Makefile", "\tkubectl apply -f k8s/", Some("k8s")),
            ("README.md", "Run `kubectl apply -n shop -f ./k8s`.", Some("k8s")),
            ("ops/scripts/up.sh", "kubectl apply -Rf k8s", Some("k8s")),
            ("ops/up.sh", "kubectl apply --filename=../ops/k8s && echo", Some("ops/k8s")),
            ("Makefile", "kubectl apply -k k8s/", None),
            ("Makefile", "# kubectl apply -f k8s/", None),
            ("Makefile", "kubectl apply -f k8s/ --dry-run=server", None),
            ("Makefile", "kubectl apply -f k8s/web.yaml", None),
            ("Makefile", "kubectl delete -f k8s/", None),
        ] {
            let file = SourceFile::new(path, line);
            let found = folders_in(&file, line, &all);
            assert_eq!(found.first().map(|it| &**it), wanted, "{path}: {line}");
        }
    }
}
