//! Folders that hold one thing in versions side by side, `infra_v7_spot` and `infra_v8_auto`: each makes all that it has
//! itself, and what one of them installs is not there in the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{file_name, outward, parent};

/// Fewer versions may be two parts of one thing.
const FEWEST: usize = 3;

/// Such folders, each with the folder around it and its stem, and its number.
#[derive(Debug, Default)]
pub struct VersionedFolders {
    of: BTreeMap<String, (String, u32)>,
}

impl VersionedFolders {
    /// Those in which or below which root modules are.
    #[must_use]
    pub fn of<'a>(roots: impl Iterator<Item = &'a str>) -> Self {
        let named = roots.flat_map(outward).filter_map(|it| {
            let (stem, number) = version_of(file_name(it))?;
            Some((it.to_owned(), (format!("{}/{stem}", parent(it)), number)))
        });
        let mut of: BTreeMap<String, (String, u32)> = named.collect();
        let mut numbers: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for (stem, number) in of.values() {
            numbers.entry(stem.clone()).or_default().insert(*number);
        }
        of.retain(|_, (stem, _)| numbers.get(stem).is_some_and(|it| it.len() >= FEWEST));
        Self { of }
    }

    /// Whether a folder is one of them.
    #[must_use]
    pub fn holds(&self, folder: &str) -> bool {
        self.of.contains_key(folder)
    }

    /// Whether two folders are in two versions of one thing.
    #[must_use]
    pub fn are_apart(&self, one: &str, other: &str) -> bool {
        let all = |folder| outward(folder).filter_map(|it| self.of.get(it));
        !self.of.is_empty()
            && all(one).any(|(stem, number)| all(other).any(|it| it.0 == *stem && it.1 != *number))
    }
}

/// What is in front of a version in a name, and its number: `infra` and 7 of `infra_v7_spot`.
fn version_of(name: &str) -> Option<(&str, u32)> {
    let is_separator = |it: char| matches!(it, '-' | '_');
    let mut start = 0;
    for word in name.split(is_separator) {
        let number = word.strip_prefix(['v', 'V']).and_then(|it| it.parse().ok());
        if let Some(number) = number.filter(|_| start > 0) {
            return Some((name.get(..start)?.trim_end_matches(is_separator), number));
        }
        start += word.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{VersionedFolders, version_of};

    #[test]
    fn names_have_versions() {
        for (name, wanted) in [
            ("infra_v7_spot", Some(("infra", 7))),
            ("eks-V12", Some(("eks", 12))),
            ("v7", None),
            ("infra_7", None),
            ("infra_vpc", None),
            ("infrav7", None),
        ] {
            assert_eq!(version_of(name), wanted, "{name}");
        }
    }

    #[test]
    fn three_versions_are_apart_and_two_are_not() {
        let three = ["a/eks_v1/vpc", "a/eks_v2", "a/eks_v3_auto", "b/eks_v1", "b/eks_v2"];
        let found = VersionedFolders::of(three.into_iter());
        assert!(found.are_apart("a/eks_v1", "a/eks_v3_auto/k8s"));
        assert!(!found.are_apart("a/eks_v1", "a/eks_v1/vpc") && !found.are_apart("a", "a/eks_v1"));
        assert!(!found.are_apart("b/eks_v1", "b/eks_v2"));
    }
}
