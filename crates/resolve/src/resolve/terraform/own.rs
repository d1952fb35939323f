//! Modules of this repository that are called by the Git address of the repository itself:
//! `git@github.com:shop/platform.git//modules/karpenter`.
//!
//! The address is taken for that of this repository where it leads to several folders, all of them are modules here,
//! and each has the variables that its calls give.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::resolve::terraform::{
    module::{BlockItem, Module},
    module_source::parts,
};

/// What a module call may say beside its module's variables.
const OWN: [&str; 6] = ["source", "version", "count", "for_each", "providers", "depends_on"];

/// The branches that are most likely what the working tree holds.
const BRANCHES: [&str; 3] = ["main", "master", "HEAD"];

/// Fewer folders may be there by chance.
const FEWEST: usize = 2;

/// The calls of an address, with the folder that each leads to.
type Calls<'a> = Vec<(&'a BlockItem, &'a str)>;

/// The folders of this repository that sources lead to which name it by its address, by source.
pub(super) fn sources(
    modules: &BTreeMap<Arc<str>, Module>,
    units: &[Module],
) -> BTreeMap<String, Arc<str>> {
    let mut by_address: BTreeMap<&str, Calls<'_>> = BTreeMap::new();
    let items = modules.values().chain(units).flat_map(|it| &it.items);
    for item in items.filter(|it| it.calls.is_none()) {
        if let Some((address, folder)) = item.source().and_then(git_address) {
            by_address.entry(address).or_default().push((item, folder));
        }
    }
    let is_own = |calls: &Calls<'_>| {
        let folders: BTreeSet<&str> = calls.iter().map(|it| it.1).collect();
        let fits = |(item, folder): &(&BlockItem, &str)| {
            modules.get(*folder).is_some_and(|it| takes_arguments(it, item))
        };
        folders.len() >= FEWEST && calls.iter().all(fits)
    };
    let own = by_address.into_values().filter(is_own).flatten();
    let of_tree = own.filter_map(|(item, folder)| Some((item.source()?, folder)));
    let of_tree = of_tree.filter(|(source, _)| is_of_tree(source));
    of_tree.map(|(source, folder)| (source.to_owned(), Arc::from(folder))).collect()
}

/// The Git repository that a source names, and the folder in it.
fn git_address(source: &str) -> Option<(&str, &str)> {
    let plain = source.strip_prefix("git::").unwrap_or(source);
    let is_git = source.starts_with("git::")
        || plain.starts_with("git@")
        || plain.starts_with("github.com/")
        || plain.contains(".git//");
    let (repository, folder) = parts(plain);
    let folder = folder.trim_matches('/');
    (is_git && !folder.is_empty()).then_some((repository.trim_end_matches(".git"), folder))
}

/// Whether a source names no version, or a branch that the working tree most likely holds.
fn is_of_tree(source: &str) -> bool {
    let query = source.split_once('?').map_or("", |it| it.1);
    let mut references = query.split('&').filter_map(|it| it.strip_prefix("ref="));
    references.all(|it| BRANCHES.contains(&it))
}

/// Whether a module has a variable for each argument of a call.
fn takes_arguments(module: &Module, call: &BlockItem) -> bool {
    let mut given = call.block.body.attributes.iter().map(|it| &*it.name);
    given.all(|it| OWN.contains(&it) || module.variables.contains_key(it))
}

#[cfg(test)]
mod tests {
    use super::{git_address, is_of_tree};

    #[test]
    fn addresses_are_read_however_they_are_written() {
        for (source, wanted) in [
            ("git@h.org:o/r.git//modules/a", Some(("git@h.org:o/r", "modules/a"))),
            ("git::https://h.org/o/r.git//a?ref=v1", Some(("h.org/o/r", "a"))),
            ("git::ssh://git@h.org/o/r.git//a", Some(("git@h.org/o/r", "a"))),
            ("github.com/o/r//modules/a/", Some(("github.com/o/r", "modules/a"))),
            ("https://h.org/r.git//a", Some(("h.org/r", "a"))),
            ("git@h.org:o/r.git", None),
            ("terraform-aws-modules/iam/aws//modules/role", None),
            ("./a//b", None),
        ] {
            assert_eq!(git_address(source), wanted, "{source}");
        }
        assert!(is_of_tree("git@h.org:o/r.git//a"));
        assert!(is_of_tree("git@h.org:o/r.git//a?depth=1&ref=main"));
        assert!(!is_of_tree("git@h.org:o/r.git//a?ref=v1.2.0"));
    }
}
