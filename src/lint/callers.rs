//! Modules that several roots call: a finding inside that holds only for some callers says for which.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::{
    findings::Finding,
    project::Project,
    resolve::terraform::Terraform,
    source::{Span, parent},
};

/// More callers than this are not told apart: the rules are asked once more for each.
const MOST: usize = 8;

/// What tells findings apart.
pub type Key = (&'static str, Span, String);

/// Gives the findings of some rules where only the roots exist for which its first argument is true.
pub type Ask<'a> = &'a dyn Fn(&dyn Fn(usize) -> bool, &HashSet<&str>) -> HashSet<Key>;

/// The finding's key.
pub fn key(finding: &Finding) -> Key {
    (finding.rule, finding.span, finding.message.clone())
}

/// The modules that several roots call.
#[derive(Debug, Default)]
pub struct Shared {
    /// The roots, as indices, by the module's folder.
    callers: BTreeMap<String, Vec<usize>>,
    names: Vec<String>,
}

impl Shared {
    /// The shared modules of all roots.
    pub fn of(terraform: &Terraform) -> Self {
        let mut callers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (index, root) in terraform.roots.iter().enumerate() {
            for folder in root.folders() {
                callers.entry(folder.to_owned()).or_default().insert(index);
            }
        }
        let several = callers.into_iter().filter(|(_, roots)| (2..=MOST).contains(&roots.len()));
        let callers = several.map(|(folder, roots)| (folder, roots.into_iter().collect()));
        let name = |folder: &str| if folder.is_empty() { "." } else { folder }.to_owned();
        let names = terraform.roots.iter().map(|it| name(&it.folder)).collect();
        Self { callers: callers.collect(), names }
    }

    /// Whether no module is shared.
    pub fn is_empty(&self) -> bool {
        self.callers.is_empty()
    }

    /// Notes which callers a finding needs.
    pub fn tell(&self, project: &Project, findings: &mut [Finding], ask: Ask<'_>) {
        let mut groups: BTreeMap<&[usize], Vec<&mut Finding>> = BTreeMap::new();
        for finding in findings {
            let folder = parent(project.files.get(finding.span.file).path());
            if let Some(callers) = self.callers.get(folder) {
                groups.entry(callers).or_default().push(finding);
            }
        }
        for (callers, findings) in groups {
            let rules: HashSet<&str> = findings.iter().map(|it| it.rule).collect();
            let found: Vec<(usize, HashSet<Key>)> = callers
                .iter()
                .map(|caller| {
                    let there = |root: usize| root == *caller || !callers.contains(&root);
                    (*caller, ask(&there, &rules))
                })
                .collect();
            for finding in findings {
                let key = key(finding);
                let names: BTreeSet<&str> = found
                    .iter()
                    .filter(|(_, found)| found.contains(&key))
                    .filter_map(|(caller, _)| self.names.get(*caller).map(String::as_str))
                    .collect();
                if !names.is_empty() && names.len() < callers.len() {
                    let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
                    finding.note(finding.span, format!("only in {}", names.join(", ")));
                }
            }
        }
    }
}
