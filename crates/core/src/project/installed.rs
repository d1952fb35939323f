//! Modules that `terraform init` has fetched: the folders its list names, and nothing else there.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::{
    gate::{Gate, Kind},
    project::kind::{FileKind, is_downloaded},
    source::{join, parent},
};

/// Where `terraform init` writes what it fetched, below a root module's folder.
const LIST: &str = ".terraform/modules/modules.json";
/// Parts of a fetched repository that no caller uses, besides kustomizations.
const UNUSED: [&str; 6] = [".git", ".github", "docs", "examples", "test", "tests"];
/// Longer lists are of nothing that people keep, in bytes.
const LONGEST_LIST: u64 = 4 << 20;
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
pub(super) fn files(gate: &Gate, paths: &[String]) -> Vec<String> {
    let terraform = paths.iter().filter(|it| FileKind::of(it) == Some(FileKind::Terraform));
    let folders: BTreeSet<&str> = terraform.map(|it| parent(it)).collect();
    let mut found = BTreeSet::new();
    for folder in folders {
        let Some(list) = join(folder, LIST) else { continue };
        let Some(modules) = read(gate, &list) else { continue };
        found.insert(list);
        let fetched = modules.modules.iter().filter_map(|it| join(folder, &it.folder));
        for module in fetched.filter(|it| is_downloaded(it)) {
            // A link may lead anywhere; what lies outside the repository is not read.
            if gate.real(&module).is_ok() {
                collect(gate, &module, 0, &mut found);
            }
        }
    }
    found.into_iter().collect()
}

fn read(gate: &Gate, list: &str) -> Option<ModulesManifest> {
    serde_json::from_str(&gate.text(list, LONGEST_LIST).ok()?).ok()
}

/// The Terraform files of a module's folder, and all others in it and below.
fn collect(gate: &Gate, folder: &str, depth: usize, found: &mut BTreeSet<String>) {
    for entry in gate.list(folder).unwrap_or_default() {
        let Ok(name) = entry.name else { continue };
        let unused = UNUSED.contains(&name.as_str())
            || name.to_ascii_lowercase().starts_with("kustomization");
        let path = format!("{folder}/{name}");
        if entry.kind == Kind::Folder && depth < DEEPEST && !unused {
            collect(gate, &path, depth + 1, found);
        } else if entry.kind == Kind::File && !unused && found.len() < MOST {
            let terraform = FileKind::of(&name) == Some(FileKind::Terraform);
            if depth == 0 || !terraform {
                found.insert(path);
            }
        }
    }
}
