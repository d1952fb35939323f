//! Modules that `terraform init` has fetched: the folders its list names, and nothing else there.

use std::{collections::BTreeSet, fs, path::Path};

use serde::Deserialize;

use crate::{
    project::{
        disk,
        kind::{FileKind, is_downloaded},
        walk::relative,
    },
    source::{join, parent},
};

/// Where `terraform init` writes what it fetched, below a root module's folder.
const LIST: &str = ".terraform/modules/modules.json";
/// Parts of a fetched repository that no caller uses, besides kustomizations.
const UNUSED: [&str; 6] = [".git", ".github", "docs", "examples", "test", "tests"];
/// Further files are left out: a module that long is not read anyway.
const MOST: usize = 4_000;
/// Other files than Terraform's are looked for this deep below a module.
const DEEPEST: usize = 4;

#[derive(Deserialize)]
struct ModulesManifest {
    #[serde(rename = "Modules")]
    modules: Vec<InstalledModule>,
}

#[derive(Deserialize)]
struct InstalledModule {
    #[serde(rename = "Dir")]
    folder: String,
}

/// The lists beside the Terraform files among `paths`, and the files of the modules they name.
pub(super) fn files(root: &Path, paths: &[String]) -> Vec<String> {
    let terraform = paths.iter().filter(|it| FileKind::of(it) == Some(FileKind::Terraform));
    let folders: BTreeSet<&str> = terraform.map(|it| parent(it)).collect();
    let mut found = BTreeSet::new();
    for folder in folders {
        let Some(list) = join(folder, LIST) else { continue };
        let Some(modules) = read(&root.join(&list)) else { continue };
        found.insert(list);
        let fetched = modules.modules.iter().filter_map(|it| join(folder, &it.folder));
        for module in fetched.filter(|it| is_downloaded(it)) {
            collect(root, &root.join(&module), 0, &mut found);
        }
    }
    found.into_iter().collect()
}

fn read(list: &Path) -> Option<ModulesManifest> {
    let list = list.is_file().then(|| disk::read_text(list).ok())??;
    serde_json::from_str(&list).ok()
}

/// The Terraform files of a module's folder, and all others in it and below.
fn collect(root: &Path, folder: &Path, depth: usize, found: &mut BTreeSet<String>) {
    // A link may lead anywhere; what lies outside the repository is not read.
    let inside = fs::canonicalize(folder).is_ok_and(|it| it.starts_with(root));
    let Ok(entries) = fs::read_dir(folder) else { return };
    if !inside {
        return;
    }
    for entry in entries.flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        let Some(path) = relative(root, &entry.path()) else { continue };
        let unused = UNUSED.iter().any(|it| name == *it)
            || name.to_str().is_none_or(|it| it.to_ascii_lowercase().starts_with("kustomization"));
        if kind.is_dir() && depth < DEEPEST && !unused {
            collect(root, &entry.path(), depth + 1, found);
        } else if kind.is_file() && !unused && found.len() < MOST {
            let terraform = name.to_str().and_then(FileKind::of) == Some(FileKind::Terraform);
            if depth == 0 || !terraform {
                found.insert(path);
            }
        }
    }
}
