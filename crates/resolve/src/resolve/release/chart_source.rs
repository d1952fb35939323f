//! Where a release takes its chart from, and which versions it may install.

use crate::{
    knowledge::publication,
    resolve::release::{Release, chart_version::Pin, surface::Surface, upstream},
    version::{Version, constraint::Constraint},
};

/// Parts of the addresses of the project's charts. Mirrors keep the last parts of the name.
const UPSTREAM: [&str; 4] = [
    "charts.karpenter.sh",
    "public.ecr.aws/karpenter",
    "ecr-public/karpenter",
    "karpenter/karpenter",
];

/// How a version constraint admits untested releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenConstraint<'a> {
    /// None is written.
    Absent,
    /// It means the newest: `*`, `HEAD`.
    Newest(&'a str),
    /// It is a branch of the repository that holds the chart.
    Branch(&'a str),
    /// It is a range of more than one minor release.
    Range(&'a str),
}

impl Release {
    /// Whether it is one of Karpenter's own charts.
    #[must_use]
    pub fn is_of_karpenter(&self) -> bool {
        self.is_controller() || self.is_crds()
    }

    /// The folder of its chart, if that is a copy of Karpenter's in this repository.
    #[must_use]
    pub fn copy(&self) -> Option<&str> {
        self.local_chart.as_deref().filter(|_| self.is_of_karpenter())
    }

    /// The versions that may be installed, if they are known: those of a frozen repository are, whatever is asked for.
    #[must_use]
    pub fn allowed(&self) -> Option<Constraint> {
        let frozen = || {
            let is_its = self.is_of_karpenter() && self.is_from_retired_repository();
            let last = publication::newest_in_retired_repository().filter(|_| is_its)?;
            Constraint::parse(&format!("<= {last}"))
        };
        self.version.allowed().or_else(frozen)
    }

    /// The same, where nothing is known of the version: the registry begins with a version of its own.
    #[must_use]
    pub fn published(&self) -> Option<Constraint> {
        let in_registry = || {
            let is_its = self.is_of_karpenter() && self.is_from_public_registry();
            let first = publication::first_in_registry().filter(|_| is_its)?;
            Constraint::parse(&format!(">= {first}"))
        };
        self.allowed().or_else(in_registry)
    }

    /// Whether the chart comes from a repository with an index, as far as its address tells, and not from a registry.
    #[must_use]
    pub fn is_from_index(&self) -> bool {
        self.repository.as_deref().is_some_and(has_index)
    }

    /// Whether the chart comes from the repository in which Karpenter's charts ended with 0.16.3.
    #[must_use]
    pub fn is_from_retired_repository(&self) -> bool {
        self.repository.as_ref().is_some_and(|it| it.contains("charts.karpenter.sh"))
    }

    /// Whether it takes the newest chart of that repository, as none is asked for.
    #[must_use]
    pub fn takes_newest_of_retired(&self) -> bool {
        let is_absent = self.version.pin == Pin::Newest && !self.version.is_written();
        let is_empty = self.version.pin == Pin::Written
            && self.version.known().is_some_and(|it| it.trim().is_empty());
        self.is_from_retired_repository() && (is_absent || is_empty)
    }

    /// Whether the chart comes from the registry to which Karpenter's charts are published.
    #[must_use]
    pub fn is_from_public_registry(&self) -> bool {
        self.repository.as_ref().is_some_and(|it| it.contains("public.ecr.aws/karpenter"))
    }

    /// Whether the chart comes from upstream's own Git repository.
    #[must_use]
    pub fn is_from_upstream_git(&self) -> bool {
        self.repository.as_deref().is_some_and(upstream::is_repository)
    }

    /// Whether the chart is surely upstream's: a copy of it, an archive of one of its versions, one from the
    /// project's registry or a mirror, or the one that eksctl installs.
    #[must_use]
    pub fn is_upstream(&self) -> bool {
        let is_there = self.repository.as_deref().is_some_and(is_upstream)
            || self.version.pin == Pin::Archive && !self.is_third_party();
        let is_there = is_there || self.is_from_upstream_git() || self.surface() == Surface::Eksctl;
        self.copy().is_some() || (self.is_of_karpenter() && is_there)
    }

    /// Whether the chart is that of another provider than AWS's, which has the same name: Azure's, or one whose
    /// repository is named as they are (`karpenter-provider-gcp`).
    #[must_use]
    pub fn is_of_other_cloud(&self) -> bool {
        const PROVIDER: &str = "karpenter-provider-";
        let is_other = |it: &str| {
            let after = it.split_once(PROVIDER).map(|it| it.1);
            it.contains("mcr.microsoft.com") || after.is_some_and(|it| !it.starts_with("aws"))
        };
        self.repository.as_deref().is_some_and(is_other)
    }

    /// Whether the chart is none of upstream's, although it has the name: upstream has no such version, and it
    /// comes from elsewhere.
    #[must_use]
    pub fn is_third_party(&self) -> bool {
        let versions = self.version.each().unwrap_or_default();
        let unknown = !versions.is_empty() && !versions.iter().any(publication::is_released);
        let is_there = self.is_from_public_registry() || self.is_from_upstream_git();
        unknown && !is_there && !self.is_from_retired_repository()
    }

    /// The tags in a registry that the version is taken for, with their versions: one, or each of the few that it may
    /// be. A repository of the other kind has an index, in which versions are looked up.
    #[must_use]
    pub fn tags(&self) -> Option<Vec<(&str, Version)>> {
        let is_its = self.version.pin == Pin::Written && self.version.is_written();
        let other = self.is_from_index() || self.local_chart.is_some() || self.is_third_party();
        if !is_its || other {
            return None;
        }
        let tags = self.version.texts().into_iter().map(|it| Some((it, exact(it)?)));
        tags.collect::<Option<Vec<_>>>().filter(|it| !it.is_empty())
    }

    /// How its version constraint admits untested releases; `None` if it does not, or if that is not
    /// known.
    #[must_use]
    pub fn opening(&self) -> Option<OpenConstraint<'_>> {
        match self.version.pin {
            _ if self.local_chart.is_some() => None,
            Pin::Newest => (!self.reusable).then_some(OpenConstraint::Absent),
            Pin::Written | Pin::Matching => {
                let text = self.version.written_value()?.trim();
                if text.is_empty() {
                    return (!self.reusable).then_some(OpenConstraint::Absent);
                }
                if matches!(text, "*" | "x" | "HEAD" | "latest") {
                    return Some(OpenConstraint::Newest(text));
                }
                if self.is_from_upstream_git() && matches!(text, "main" | "master") {
                    return Some(OpenConstraint::Branch(text));
                }
                Constraint::parse(text)?.is_open().then_some(OpenConstraint::Range(text))
            }
            Pin::Lock | Pin::Archive | Pin::Elsewhere => None,
        }
    }
}

fn is_upstream(address: &str) -> bool {
    UPSTREAM.iter().any(|it| address.contains(it))
}

/// Whether the address is that of a web server, or a name for one that `helm repo add` gave: these have an
/// index of their charts.
fn has_index(address: &str) -> bool {
    let first = address.split('/').next().unwrap_or_default();
    let named = !address.contains("://") && !first.contains(['.', ':', ' ']);
    named || ["http://", "https://", "@", "alias:"].iter().any(|it| address.starts_with(it))
}

/// A release with its three numbers and nothing around them.
fn exact(text: &str) -> Option<Version> {
    let version = Version::parse(text).filter(|_| text.split('.').count() == 3)?;
    let plain = version.prerelease.is_empty() && version.build.is_none() && !text.contains('+');
    plain.then_some(version)
}

#[cfg(test)]
mod tests {
    use super::{exact, has_index, is_upstream};

    #[test]
    fn only_three_numbers_are_a_tag() {
        for (text, wanted) in [
            ("0.34.1", true),
            ("v1.8.2", true),
            ("1.8", false),
            ("= 0.34.1", false),
            ("~0.34.1", false),
            ("0.34.x", false),
            ("1.0.0-rc.1", false),
            ("v0-7b2f3c1d", false),
            ("1.0.0+1", false),
            ("0.34.1-eksbuild.1", false),
            ("", false),
        ] {
            assert_eq!(exact(text).is_some(), wanted, "{text}");
        }
    }

    #[test]
    fn mirrors_keep_the_last_parts_of_the_address() {
        for (address, wanted) in [
            ("oci://public.ecr.aws/karpenter", true),
            ("https://charts.karpenter.sh/", true),
            ("oci://public.ecr.aws/karpenter/karpenter", true),
            ("oci://111122223333.dkr.ecr.eu-west-1.amazonaws.com/ecr-public/karpenter", true),
            ("https://charts.example.com", false),
            ("oci://registry.example.com/charts/karpenter", false),
        ] {
            assert_eq!(is_upstream(address), wanted, "{address}");
        }
    }

    #[test]
    fn an_index_is_distinguished_from_a_registry() {
        for (address, wanted) in [
            ("https://charts.example.com", true),
            ("karpenter/karpenter", true),
            ("@karpenter", true),
            ("alias:karpenter", true),
            ("oci://public.ecr.aws/karpenter", false),
            ("public.ecr.aws/karpenter", false),
            ("registry:5000/karpenter", false),
            ("oci://public.ecr.aws karpenter/karpenter", false),
        ] {
            assert_eq!(has_index(address), wanted, "{address}");
        }
    }
}
