//! The environments that names mention, and whether two folders are those of two environments, side by side.

use std::collections::BTreeSet;

/// The words that name environments, those of one environment in a row; last the only one that is no stage.
const ENVIRONMENTS: &[&[&str]] = &[
    &["dev", "devel", "development"],
    &["test", "tst", "testing"],
    &["qa"],
    &["uat"],
    &["stage", "staging", "stg", "preprod", "pre"],
    &["prod", "production", "prd", "live"],
    &["sandbox", "sbx", "playground"],
    &["demo"],
    &["mgmt", "management", "ops", "hub", "tools", "shared"],
];

/// Names of folders that hold one folder for each cluster.
pub(super) const HOLDERS: &[&str] =
    &["accounts", "cluster", "clusters", "env", "environment", "environments", "envs", "stages"];

/// The environments that something is for, by its names; empty where they mention none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environments(BTreeSet<usize>);

impl Environments {
    /// Those that a name or a path mentions.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        Self(name.split('/').flat_map(environments).collect())
    }

    /// Whether a name mentions any.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Those of two names.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether one of them is among others.
    #[must_use]
    pub fn are_shared_with(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    /// Whether both are known and none is shared.
    #[must_use]
    pub fn are_apart_from(&self, other: &Self) -> bool {
        !self.0.is_empty() && !other.0.is_empty() && self.0.is_disjoint(&other.0)
    }
}

/// Whether the paths lead to different environments: at the first step where they differ, or at a later one,
/// each names one, and not the same.
#[must_use]
pub fn are_apart(one: &str, other: &str) -> bool {
    are_apart_by(one, other, |_| true)
}

/// The same by what names a stage alone: `tools` and `shared` are names of much else, too.
#[must_use]
pub fn are_stages_apart(one: &str, other: &str) -> bool {
    are_apart_by(one, other, |it| it + 1 < ENVIRONMENTS.len())
}

fn are_apart_by(one: &str, other: &str, counts: impl Fn(usize) -> bool) -> bool {
    if one == other {
        return false;
    }
    let differing = |text: &str, common: usize| -> Vec<usize> {
        text.split('/').skip(common).flat_map(environments).filter(|it| counts(*it)).collect()
    };
    let common = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count();
    // Most folders name none.
    let one = differing(one, common);
    if one.is_empty() {
        return false;
    }
    let other = differing(other, common);
    !other.is_empty() && !one.iter().any(|it| other.contains(it))
}

/// Whether the paths lead to two clusters by their names: of two environments or regions, or each its own folder in one
/// that holds a folder for each cluster.
#[must_use]
pub fn are_of_two_clusters(one: &str, other: &str) -> bool {
    let steps = |it| str::split(it, '/');
    let common = steps(one).zip(steps(other)).take_while(|(a, b)| a == b).count();
    let region = |it| steps(it).skip(common).find(|it| is_region(it));
    let regions = region(one).zip(region(other));
    let is_held = steps(one).take(common).last().is_some_and(|it| HOLDERS.contains(&it));
    are_apart(one, other)
        || regions.is_some_and(|(one, other)| one != other)
        || is_held && steps(one).nth(common).is_some() && steps(other).nth(common).is_some()
}

/// Whether it is the name of a region, and not of a zone in it.
#[must_use]
pub fn is_region(value: &str) -> bool {
    let mut parts = value.split('-');
    let area = parts
        .next()
        .is_some_and(|it| it.len() == 2 && it.bytes().all(|it| it.is_ascii_lowercase()));
    let words: Vec<&str> = parts.collect();
    let Some((number, names)) = words.split_last() else { return false };
    let is_word = |it: &&str| it.len() > 2 && it.bytes().all(|it| it.is_ascii_lowercase());
    area && number.len() == 1
        && number.bytes().all(|it| it.is_ascii_digit())
        && matches!(names.len(), 1 | 2)
        && names.iter().all(is_word)
}

/// The environments a folder's name mentions. A date is one, too: what was tried out on another day had a cluster of
/// its own.
fn environments(folder: &str) -> impl Iterator<Item = usize> {
    let of_word = |word: &str| {
        let word = word.trim_end_matches(|it: char| it.is_ascii_digit());
        ENVIRONMENTS.iter().position(|it| it.iter().any(|it| it.eq_ignore_ascii_case(word)))
    };
    folder.split(['-', '_', '.']).filter_map(of_word).chain(date(folder))
}

/// The date in a folder's name, `2026-11-24-vllm`, as a number beyond the environments.
fn date(folder: &str) -> Option<usize> {
    let numbers: Vec<&str> = folder.split(['-', '_']).collect();
    let is_date = |it: &&[&str]| {
        let lengths = it.iter().map(|it| it.len()).eq([4, 2, 2]);
        lengths && it.iter().all(|it| it.bytes().all(|it| it.is_ascii_digit()))
    };
    let date: usize = numbers.windows(3).find(is_date)?.concat().parse().ok()?;
    Some(ENVIRONMENTS.len() + date)
}

#[cfg(test)]
mod tests {
    use super::{are_apart, are_of_two_clusters, are_stages_apart};

    #[test]
    fn environments_side_by_side_are_apart() {
        for (one, other, apart) in [
            ("clusters/dev", "clusters/prod", true),
            ("clusters/dev/apps", "clusters/production/eks", true),
            ("terraform/envs/staging", "gitops/overlays/prod", true),
            ("terraform/dev", "gitops/development/karpenter", false),
            ("terraform/prod", "gitops/karpenter", false),
            ("eks-prod-1", "eks-stg-1", true),
            ("eks-prod-1", "eks-prod-2", false),
            ("prod/eks", "prod/apps", false),
            ("terraform", "argocd", false),
            ("devices", "production", false),
            ("2026-06-20-vllm/k8s", "2026-08-12-comfyui/terraform", true),
            ("demo-keda-2022-02-22", "demo-spot-2022-02-22", false),
            ("2026-06-20-vllm", "infra/eks", false),
            ("1.2026-06-2", "2026-08-12", false),
            ("", "prod", false),
        ] {
            assert_eq!(are_apart(one, other), apart, "{one} and {other}");
            assert_eq!(are_apart(other, one), apart, "{other} and {one}");
        }
    }

    #[test]
    fn clusters_have_folders_of_their_own() {
        for (one, other, two) in [
            ("aws/us-east-1/pools", "aws/eu-west-1/pools", true),
            ("clusters/blue/pools", "clusters/green/pools", true),
            ("clusters", "clusters/green", false),
            ("apps/dev", "apps/prod", true),
            ("gitops/apps/shop", "kubernetes/shop", false),
        ] {
            assert_eq!(are_of_two_clusters(one, other), two, "{one} and {other}");
        }
    }

    #[test]
    fn tools_are_no_stage() {
        assert!(are_stages_apart("apps/staging", "infra/prod"));
        assert!(are_apart("apps/tools", "infra/prod"));
        assert!(!are_stages_apart("apps/tools", "infra/prod"));
    }
}
