//! The steps of a Karpenter and of the clusters it runs in, in the order in which they are taken.

use crate::{
    knowledge::{kubernetes::supported_by, upgrade},
    version::{Version, constraint::Constraint},
};

/// What a step changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Karpenter; the stop before it that may not be left out.
    Karpenter(Version, Option<Version>),
    /// Kubernetes.
    Kubernetes(Version),
}

/// The way of a Karpenter between two versions in a cluster with that Kubernetes, and the Kubernetes at its end.
/// The cluster moves where a release needs it, one minor at a time.
#[must_use]
pub(super) fn between(
    from: &Version,
    to: &Version,
    kubernetes: Option<&Version>,
) -> (Vec<Target>, Option<Version>) {
    let (mut at, mut kubernetes) = (from.clone(), kubernetes.cloned());
    let mut targets = Vec::new();
    for step in upgrade::path(from, to) {
        while let Some(next) = before(&at, &step.version, kubernetes.as_ref()) {
            match &next {
                Target::Karpenter(version, _) => at = version.clone(),
                Target::Kubernetes(version) => kubernetes = Some(version.clone()),
            }
            targets.push(next);
        }
        at = step.version.clone();
        targets.push(Target::Karpenter(step.version, step.forbidden_without));
    }
    (targets, kubernetes)
}

/// The minors of Kubernetes on the way to one, which is the last.
pub(super) fn minors(from: Option<&Version>, to: &Version) -> Vec<Target> {
    let minors = from.map_or(to.minor..=to.minor, |it| it.minor + 1..=to.minor);
    minors.map(|it| Target::Kubernetes(Version::new(to.major, it, 0))).collect()
}

/// The last of the minors that some targets begin with.
pub(super) fn last_minor(targets: &[Target]) -> Option<&Version> {
    let minor = |it: &'_ Target| matches!(it, Target::Kubernetes(_));
    match targets.iter().take_while(|it| minor(it)).last() {
        Some(Target::Kubernetes(version)) => Some(version),
        _ => None,
    }
}

/// What comes before the step from one release to another, if the cluster is too old for the latter: its next
/// minor, or a release between them that works with it.
fn before(at: &Version, next: &Version, kubernetes: Option<&Version>) -> Option<Target> {
    let has = kubernetes?;
    let range = |it: &Version| supported_by(&Constraint::from(it.clone()));
    if has.line() >= range(next)?.start().line() {
        return None;
    }
    let minor = Version::new(has.major, has.minor + 1, 0);
    if minor.line() <= range(at)?.end().line() {
        return Some(Target::Kubernetes(minor));
    }
    let works = |it: &&Version| {
        range(it).is_some_and(|it| (it.start().line()..=it.end().line()).contains(&has.line()))
    };
    let mut between = upgrade::newest_patches().filter(|it| at < *it && *it < next);
    between.rfind(works).map(|it| Target::Karpenter(it.clone(), None))
}

#[cfg(test)]
mod tests {
    use super::{Target, between};
    use crate::version::Version;

    #[test]
    fn the_cluster_moves_where_a_release_needs_it() {
        let version = |text: &str| Version::parse(text).expect("a version");
        for (from, to, kubernetes, wanted) in [
            ("1.0.14", "1.14.1", Some("1.25"), "k1.26 1.14.1"),
            ("1.0.14", "1.14.1", Some("1.26"), "1.14.1"),
            ("1.0.14", "1.14.1", None, "1.14.1"),
            ("0.27.5", "1.0.14", Some("1.23"), "0.32.10 0.37.8 k1.24 k1.25 1.0.14"),
            ("1.14.0", "1.14.1", Some("1.36"), "1.14.1"),
        ] {
            let kubernetes = kubernetes.map(version);
            let (targets, _) = between(&version(from), &version(to), kubernetes.as_ref());
            let words = targets.iter().map(|it| match it {
                Target::Karpenter(version, _) => version.to_string(),
                Target::Kubernetes(version) => format!("k{}.{}", version.major, version.minor),
            });
            assert_eq!(words.collect::<Vec<_>>().join(" "), wanted, "{from}");
        }
    }
}
