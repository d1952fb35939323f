//! Clusters that something other than AWS makes for what lies beside it: roles of Ansible, and scripts on a laptop.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::ansible,
    resolve::release::script::source::{OWN, OWN_MACHINES},
    source::{Files, SourceFile, is_below, outward},
};

/// Why nothing is judged that is for a cluster on a laptop.
pub(super) const ON_A_LAPTOP: &str = "for a cluster on a laptop";
/// What installs something.
const INSTALLERS: &[&str] = &["helm ", "kubectl "];
/// What is for clusters of others as well: an image that is given away.
const FOR_OTHERS: &[&str] = &[" push "];
/// What shows that a folder is for AWS as well.
const OF_AWS: &[&str] = &["karpenter", "arn:aws"];

/// The folders of what is for such clusters.
#[derive(Debug, Default)]
pub struct MadeElsewhere {
    of_ansible: BTreeSet<String>,
    on_laptops: BTreeSet<String>,
    /// Those that are so without what is below them.
    of_scripts: BTreeSet<String>,
}

impl MadeElsewhere {
    /// Finds them.
    #[must_use]
    pub fn find(files: &Files) -> Self {
        let mut found = Self { of_ansible: ansible::clusters(files), ..Self::default() };
        let mut makers: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
        for maker in files.iter().map(|(_, it)| it).filter(|it| makes_own(it)) {
            makers.entry(maker.folder()).or_default().push(maker);
        }
        for (folder, makers) in makers {
            if is_for_aws(files, folder) {
                continue;
            }
            let inside = files.iter().filter_map(|(_, it)| below(folder, it.folder()));
            let inside: BTreeSet<&str> = inside.collect();
            let is_named = |it: &&str| {
                let path = format!("{it}/");
                makers.iter().any(|maker| maker.skim(|text| text.contains(&path)))
            };
            let named = inside.iter().copied().filter(is_named);
            found.on_laptops.extend(named.map(|it| format!("{folder}/{it}")));
            found.of_scripts.insert(folder.to_owned());
        }
        found
    }

    /// Why nothing is judged in a folder, if one of them is around it.
    pub(super) fn around(&self, folder: &str) -> Option<&'static str> {
        if outward(folder).any(|it| self.of_ansible.contains(it)) {
            return Some(ansible::CLUSTER);
        }
        let is_on_laptop = self.of_scripts.contains(folder)
            || outward(folder).any(|it| self.on_laptops.contains(it));
        is_on_laptop.then_some(ON_A_LAPTOP)
    }
}

/// The folder directly in another that a folder is, or is in.
fn below<'a>(outer: &str, folder: &'a str) -> Option<&'a str> {
    let rest = folder.strip_prefix(outer)?.strip_prefix('/')?;
    rest.split('/').next().filter(|it| !it.is_empty())
}

/// Whether a file of commands makes a cluster on a laptop and installs something. At the top of a repository it is for
/// tests of what the repository holds.
fn makes_own(file: &SourceFile) -> bool {
    let name = file.name().to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let is_recipe = matches!(stem, "makefile" | "gnumakefile" | "justfile" | "taskfile")
        || matches!(file.ending(), "sh" | "bash" | "mk" | "just");
    is_recipe
        && !file.folder().is_empty()
        && file.skim(|text| {
            let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
            has(OWN_MACHINES) && has(INSTALLERS) && !has(OWN) && !has(FOR_OTHERS)
        })
}

/// Whether a file in a folder or below it shows that it is for AWS.
fn is_for_aws(files: &Files, folder: &str) -> bool {
    let mut inside = files.iter().filter(|(_, it)| is_below(it.path(), folder));
    inside.any(|(_, it)| {
        it.ending() != "md"
            && it.skim(|text| OF_AWS.iter().chain(OWN).any(|word| text.contains(word)))
    })
}
