//! Which versions changed since an earlier state of the repository: of Karpenter, of its CRDs, of Kubernetes.
//!
//! The files of that state are others, so what is known of it has no places: it is found again by what it is,
//! and in which folder.

use std::sync::Arc;

use crate::{findings::silence::Silence, value::cause::Cause};

/// What has a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versioned {
    /// The controller of Karpenter, as an index of the installations.
    Controller(usize),
    /// A release of Karpenter's CRDs, as an index of the releases.
    Crds(usize),
    /// A cluster, as an index.
    Cluster(usize),
    /// The call of a Terraform module, as the indices of its root and of the object in it.
    Module(usize, usize),
}

/// The versions that a state of the repository has.
#[derive(Clone, Debug, Default)]
pub struct InstalledVersions(Vec<InstalledVersion>);

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct InstalledVersion {
    /// What it is of.
    pub what: Versioned,
    /// The folder of its root, its kustomization or its file.
    pub folder: Arc<str>,
    /// What tells it from others of its folder; may be empty.
    pub name: String,
    /// As it is written, if it is known.
    pub version: Option<String>,
}

/// A version that was another before, or is not known to have been.
#[derive(Clone, Debug)]
pub struct VersionChange {
    /// What has it.
    pub what: Versioned,
    /// The one before, as it was written; else why there is none.
    pub before: Result<String, Silence>,
}

impl InstalledVersions {
    /// These.
    pub(super) fn new(all: impl Iterator<Item = InstalledVersion>) -> Self {
        Self(all.collect())
    }

    /// The same with other names of the folders: those they have now.
    #[must_use]
    pub fn in_folders(mut self, now: impl Fn(&str) -> Option<String>) -> Self {
        for it in &mut self.0 {
            if let Some(folder) = now(&it.folder) {
                it.folder = folder.into();
            }
        }
        self
    }

    /// What each of these versions was before.
    #[must_use]
    pub fn since(&self, before: &Self) -> Vec<VersionChange> {
        let change = |it: &InstalledVersion| VersionChange {
            what: it.what,
            before: before.version_of(it, self),
        };
        self.0.iter().map(change).collect()
    }

    /// The version that something had which now is one of `now`.
    fn version_of(&self, it: &InstalledVersion, now: &Self) -> Result<String, Silence> {
        let named = |all: &Self| all.like(it).filter(|other| other.name == it.name).count();
        let (before, same): (Vec<&InstalledVersion>, usize) = match (named(self), named(now)) {
            (0, _) => (self.like(it).collect(), now.like(it).count()),
            (_, same) => (self.like(it).filter(|other| other.name == it.name).collect(), same),
        };
        let Some((first, others)) = before.split_first() else {
            return Err(Silence::sound("it is new since the earlier state"));
        };
        if others.iter().any(|other| other.version != first.version)
            || (others.is_empty() && same > 1)
        {
            let words = "which of those of the earlier state it was is not clear";
            return Err(Silence::undecided(Cause::Ambiguous, words));
        }
        let unknown =
            || Silence::undecided(Cause::Version, "its version in the earlier state is not known");
        first.version.clone().ok_or_else(unknown)
    }

    /// Those of one kind in one folder.
    fn like<'a>(&'a self, it: &'a InstalledVersion) -> impl Iterator<Item = &'a InstalledVersion> {
        let kind = std::mem::discriminant(&it.what);
        let alike = move |other: &&InstalledVersion| {
            std::mem::discriminant(&other.what) == kind && other.folder == it.folder
        };
        self.0.iter().filter(alike)
    }
}

#[cfg(test)]
mod tests {
    use super::{InstalledVersion, InstalledVersions, Versioned};

    /// Controllers as `folder name version`, with `?` for what is not known.
    fn versions(all: &[&str]) -> InstalledVersions {
        let one = |(index, text): (usize, &&str)| {
            let mut words = text.split(' ').map(str::to_owned);
            let mut word = || words.next().unwrap_or_default();
            let (folder, name, version) = (word().into(), word(), word());
            let version = (version != "?").then_some(version);
            InstalledVersion { what: Versioned::Controller(index), folder, name, version }
        };
        InstalledVersions(all.iter().enumerate().map(one).collect())
    }

    #[test]
    fn what_is_installed_is_found_again_by_its_name_or_as_the_only_one() {
        type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a [&'a str]);
        let cases: [Case; 9] = [
            (&["a x 1"], &["a x 2"], &["1"]),
            (&["a x 1"], &["a y 2"], &["1"]),
            (&["a x 1"], &["b x 2"], &["new"]),
            (&["a x ?"], &["a x 2"], &["unknown"]),
            (&["a x 1", "a y 2"], &["a y 3", "a x 4"], &["2", "1"]),
            (&["a x 1", "a y 2"], &["a z 3"], &["unclear"]),
            (&["a x 1", "a y 1"], &["a z 3"], &["1"]),
            (&["a x 1"], &["a y 2", "a z 2"], &["unclear", "unclear"]),
            (&["a x 1"], &["a x 2", "a z 2"], &["1", "unclear"]),
        ];
        for (before, now, wanted) in cases {
            let found = versions(now).since(&versions(before)).into_iter();
            let words = found.map(|it| match it.before {
                Ok(version) => version,
                Err(silence) => match &*silence.reason().words {
                    it if it.contains("new") => "new".to_owned(),
                    it if it.contains("clear") => "unclear".to_owned(),
                    _ => "unknown".to_owned(),
                },
            });
            assert_eq!(words.collect::<Vec<_>>(), wanted, "{before:?} {now:?}");
        }
    }

    #[test]
    fn a_folder_may_have_another_name() {
        let before = versions(&["envs/prod x 1"]);
        let moved = before.in_folders(|it| (it == "envs/prod").then(|| "live/prod".to_owned()));
        let found = versions(&["live/prod x 2"]).since(&moved);
        assert_eq!(found[0].before.as_deref().ok(), Some("1"));
    }
}
