//! Charts that Helm does not install, whatever their templates print.

use crate::{
    helm::{
        chart::Chart,
        cluster::Assumptions,
        fault::{ErrorKind, RenderError},
        semver::{Ranges, Semver},
    },
    source::Span,
    value::Value,
};

/// Why Helm does not install a chart in the cluster that is known.
pub(crate) fn refused(chart: &Chart, assumptions: &Assumptions) -> Option<RenderError> {
    if assumptions.others_give_values || chart.unloadable.is_some() {
        return chart.unloadable.clone();
    }
    let value = |key: &str| chart.metadata.value.get(key).present();
    if chart.metadata.is_library {
        let message = "library charts are not installable".to_owned();
        return Some(error(message, value("type")));
    }
    let wanted = value("kubeVersion")?;
    let (ranges, version) = (wanted.as_str()?, assumptions.kubernetes.as_deref()?);
    (!may_fit(ranges, version)?).then(|| {
        let version = version.trim_start_matches('v');
        let message = format!(
            "chart requires kubeVersion: {ranges} which is incompatible with Kubernetes v{version}"
        );
        error(message, Some(wanted))
    })
}

fn error(message: String, at: Option<&Value>) -> RenderError {
    let span: Option<Span> = at.map(|it| it.span);
    RenderError { message, kind: ErrorKind::Chart, span, calls: Vec::new() }
}

/// Whether a release of a minor version of Kubernetes may be in a range: of its patches only the cluster knows, and EKS
/// adds a suffix, which Helm takes for a prerelease.
fn may_fit(ranges: &str, version: &str) -> Option<bool> {
    let ranges = Ranges::parse(ranges)?;
    let [major, minor, _] = Semver::parse(version)?.numbers;
    let patches = ["0", "99", "0-eks-1", "99-eks-1"];
    let mut all = patches.iter().filter_map(|it| Semver::parse(&format!("{major}.{minor}.{it}")));
    Some(all.any(|it| ranges.allows(&it)))
}

#[cfg(test)]
mod tests {
    use super::may_fit;

    #[test]
    fn a_minor_version_is_refused_where_all_its_patches_are() {
        for (ranges, version, wanted) in [
            (">=1.25.0-0", "1.32", Some(true)),
            (">=1.33.0-0", "1.32", Some(false)),
            (">= 1.22.0", "v1.32.0", Some(true)),
            (">=1.32.5", "1.32", Some(true)),
            ("<1.30.0-0", "1.32", Some(false)),
            ("1.29.x || 1.30.x", "1.32", Some(false)),
            ("nothing", "1.32", None),
        ] {
            assert_eq!(may_fit(ranges, version), wanted, "{ranges} {version}");
        }
    }
}
