//! Whether the data knows the release at all.

use karplint_core::version::Version;
use karplint_knowledge::knowledge::{chart_values, schema};

use crate::ours::Difference;

/// The files in which a new release is named.
pub(crate) fn differences(release: &Version) -> Vec<Difference> {
    let mut found = Vec::new();
    let newest = &schema::known().verified.newest;
    if release > newest {
        let what = format!("`verified` ends with {newest}: {release} is compared now");
        found.push(Difference::at("schema/known.yaml", "verified:", what));
    }
    let charts = chart_values::of_chart("karpenter");
    if charts.is_some_and(|it| !it.verified.contains(release)) {
        let what = format!("`verified` is without {release}");
        found.push(Difference::at("chart-values.yaml", "verified:", what));
    }
    found
}

#[cfg(test)]
mod tests {
    use karplint_core::version::Version;

    use super::differences;

    #[test]
    fn a_new_release_is_named_in_two_files() {
        let files = |release: &str| -> Vec<String> {
            let release = Version::parse(release).expect("a version");
            differences(&release).into_iter().map(|it| it.file).collect()
        };
        assert_eq!(files("1.14.1"), [""; 0]);
        assert_eq!(files("9.0.0"), ["schema/known.yaml", "chart-values.yaml"]);
    }
}
