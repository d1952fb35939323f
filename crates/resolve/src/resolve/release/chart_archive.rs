//! Charts as archives, which `helm package` names after the chart and its version: `karpenter-1.8.3.tgz`.

use crate::version::Version;

/// The chart and the version that the path of an archive names.
#[must_use]
pub(super) fn named(path: &str) -> Option<(&str, &str)> {
    let name = path.rsplit('/').next()?.strip_suffix(".tgz")?;
    let splits = name.match_indices('-').map(|(at, _)| (&name[..at], &name[at + 1..]));
    let is_version = |it: &str| it.matches('.').count() >= 2 && Version::parse(it).is_some();
    splits.into_iter().find(|(_, version)| is_version(version))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn an_archive_names_its_chart_and_version() {
        for (path, wanted) in [
            ("./karpenter-1.8.3.tgz", Some(("karpenter", "1.8.3"))),
            ("charts/karpenter-crd-1.8.3.tgz", Some(("karpenter-crd", "1.8.3"))),
            ("loki-6.0.0-rc.1.tgz", Some(("loki", "6.0.0-rc.1"))),
            ("karpenter-v0.34.1.tgz", Some(("karpenter", "v0.34.1"))),
            ("karpenter.tgz", None),
            ("karpenter-2.tgz", None),
            ("karpenter-1.8.3", None),
        ] {
            assert_eq!(named(path), wanted, "{path}");
        }
    }
}
