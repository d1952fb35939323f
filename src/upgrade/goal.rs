//! Where an upgrade shall lead.

use crate::{
    knowledge::{kubernetes, upgrade},
    version::{Version, constraint::Constraint},
};

/// The versions that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// That of Karpenter.
    pub karpenter: Option<Version>,
    /// That of Kubernetes.
    pub kubernetes: Option<Version>,
}

impl Goal {
    /// Reads `--to` and `--kubernetes`.
    ///
    /// # Errors
    /// A sentence, when one of them is no version, or none that is known.
    pub fn read(karpenter: Option<&str>, kubernetes: Option<&str>) -> Result<Self, String> {
        Ok(Self {
            karpenter: karpenter.map(release).transpose()?,
            kubernetes: kubernetes.map(kubernetes_version).transpose()?,
        })
    }

    /// Where a Karpenter of that version shall be.
    ///
    /// # Errors
    /// When it is newer already.
    pub fn of(&self, from: &Version) -> Result<Version, &Version> {
        if let Some(to) = &self.karpenter {
            return if from > to { Err(to) } else { Ok(to.clone()) };
        }
        let works = |kubernetes: &Version| {
            let range = kubernetes::supported_by(&Constraint::from(from.clone()));
            range.is_none_or(|it| kubernetes.line() <= it.end().line())
        };
        let first = self.kubernetes.as_ref().filter(|it| !works(it));
        let first = first.and_then(kubernetes::first_release_for);
        let newest = first.and_then(|it| upgrade::newest_patch(it.line()));
        Ok(newest.filter(|it| *it > from).unwrap_or(from).clone())
    }
}

/// A release: `1.14.1`, `1.14` for its newest patch, `latest` for the newest of all.
fn release(text: &str) -> Result<Version, String> {
    let newest = upgrade::newest().ok_or("no release of Karpenter is known")?;
    if text == "latest" {
        return Ok(newest.clone());
    }
    let number = text.strip_prefix('v').unwrap_or(text);
    let version = Version::parse(number).filter(|_| number.contains('.'));
    let version = version.ok_or_else(|| {
        format!("--to: `{text}` is no version; write `{newest}`, `1.14` or `latest`")
    })?;
    let found = match number.split('.').count() {
        2 => upgrade::newest_patch(version.line()).cloned(),
        _ => Some(version).filter(upgrade::is_published),
    };
    found.ok_or_else(|| {
        format!("--to: there is no Karpenter `{text}` that is known; the newest is {newest}")
    })
}

fn kubernetes_version(text: &str) -> Result<Version, String> {
    let number = text.strip_prefix('v').unwrap_or(text);
    let version = Version::parse(number).filter(|_| number.contains('.'));
    let version =
        version.ok_or_else(|| format!("--kubernetes: `{text}` is no version; write `1.35`"))?;
    let known = kubernetes::first_release_for(&version).is_some();
    let newest = kubernetes::newest();
    let newest = newest.map(|it| format!("{}.{}", it.major, it.minor)).unwrap_or_default();
    known.then(|| Version::new(version.major, version.minor, 0)).ok_or_else(|| {
        format!("--kubernetes: no Karpenter is known for `{text}`; the newest is {newest}")
    })
}

#[cfg(test)]
mod tests {
    use super::{Goal, release};
    use crate::version::Version;

    #[test]
    fn a_version_may_be_short_or_the_newest() {
        for (text, wanted) in [
            ("1.14.1", Some("1.14.1")),
            ("v1.14.1", Some("1.14.1")),
            ("0.32", Some("0.32.10")),
            ("latest", Some("1.14.1")),
            ("1.14.7", None),
            ("0.27.7", None),
            ("9.1", None),
            ("1", None),
            ("newest", None),
            ("", None),
        ] {
            let found = release(text).ok().as_ref().map(ToString::to_string);
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn kubernetes_alone_asks_for_the_first_minor_that_works_with_it() {
        let goal = Goal::read(None, Some("1.34")).expect("it is known");
        for (from, wanted) in [("0.37.0", "1.6.8"), ("1.6.2", "1.6.2"), ("1.14.1", "1.14.1")] {
            let from = Version::parse(from).expect("a version");
            let found = goal.of(&from).expect("it is not newer").to_string();
            assert_eq!(found, wanted, "{from}");
        }
        assert!(Goal::read(None, Some("1.99")).is_err());
        assert!(Goal::read(None, Some("latest")).is_err());
    }
}
