//! Units of Terragrunt that are switched off by the name of their file: `terragrunt.hcl.disabled`.

use std::collections::BTreeMap;

use crate::source::{FileId, Files, is_below};

/// The name of the file by which Terragrunt knows a unit.
const NAME: &str = "terragrunt.hcl";
/// What is written after it to hide the unit.
const AFTER: &[&str] = &["", "bak", "backup", "bkp", "disable", "disabled", "off", "old", "unused"];
/// What is written before it.
const BEFORE: &[&str] = &["", "disabled", "off", "old", "unused"];

/// The folders of such units, each with that file, beside units elsewhere that Terragrunt applies.
pub(super) fn switched_off_units(files: &Files) -> BTreeMap<&str, FileId> {
    let mut off: BTreeMap<&str, FileId> = BTreeMap::new();
    let mut applied: Vec<&str> = Vec::new();
    for (id, file) in files.iter() {
        if file.name() == NAME {
            applied.push(file.folder());
        } else if hides_a_unit(file.name()) {
            off.entry(file.folder()).or_insert(id);
        }
    }
    // The file above holds what units share, and is no unit of its own.
    off.retain(|folder, _| {
        !applied.contains(folder) && applied.iter().any(|it| !is_below(folder, it))
    });
    off
}

/// Whether the name of a file is that of a unit with something around it: `terragrunt.hcl_`, `_terragrunt.hcl`.
fn hides_a_unit(name: &str) -> bool {
    const MARKS: [char; 4] = ['_', '.', '-', '#'];
    let Some((before, after)) = name.split_once(NAME) else { return false };
    let is_marked = |text: &str, words: &[&str]| {
        let word = text.trim_matches(MARKS).to_ascii_lowercase();
        text.is_empty() || text.len() > word.len() && words.contains(&&*word)
    };
    name != NAME && is_marked(before, BEFORE) && is_marked(after, AFTER)
}

#[cfg(test)]
mod tests {
    use super::{hides_a_unit, switched_off_units};
    use crate::source::{Files, SourceFile};

    #[test]
    fn names_hide_units() {
        for (name, hides) in [
            ("terragrunt.hcl_", true),
            ("terragrunt.hcl.disabled", true),
            ("terragrunt.hcl.off", true),
            ("terragrunt.hcl.bak", true),
            ("terragrunt.hcl-old", true),
            ("_terragrunt.hcl", true),
            ("disabled.terragrunt.hcl", true),
            ("terragrunt.hcl", false),
            ("terragrunt.hcl.json", false),
            ("terragrunt.hcl.tmpl", false),
            ("my-terragrunt.hcl", false),
            ("root.hcl_", false),
        ] {
            assert_eq!(hides_a_unit(name), hides, "{name}");
        }
    }

    #[test]
    fn units_are_switched_off_beside_others() {
        let found = |paths: &[&str]| {
            let files = paths.iter().map(|it| SourceFile::new(*it, "")).collect();
            switched_off_units(&Files::new(files)).into_keys().map(str::to_owned).collect()
        };
        let cases: [(&[&str], Vec<&str>); 4] = [
            (&["a/terragrunt.hcl", "b/terragrunt.hcl_"], vec!["b"]),
            (&["a/terragrunt.hcl", "a/terragrunt.hcl.bak"], vec![]),
            (&["terragrunt.hcl", "b/terragrunt.hcl_"], vec![]),
            (&["b/terragrunt.hcl_"], vec![]),
        ];
        for (paths, wanted) in cases {
            let found: Vec<String> = found(paths);
            assert_eq!(found, wanted, "{paths:?}");
        }
    }
}
