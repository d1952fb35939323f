//! Releases of charts that this repository publishes: the chart is fetched from elsewhere by its name, and the
//! repository holds the one chart of that name.

use std::collections::{BTreeMap, HashSet};

use crate::{
    findings::subject::Subject,
    knowledge::{component, stateless},
    resolve::{
        gitops::{
            chart,
            repository::{Repository, version},
        },
        release::{Release, surface::Surface},
    },
    source::{Files, is_below},
    value::Value,
    version::Version,
};

/// Has such releases rendered from the chart that is here, and adds what it depends on. Where another version is
/// asked for, the chart may be otherwise.
pub(super) fn recognise(files: &Files, releases: &mut Vec<Release>) {
    let may_be = |it: &Release| {
        it.local_chart.is_none() && !it.chart.is_empty() && !it.is_wrapped() && !is_known(it)
    };
    if !releases.iter().any(may_be) {
        return;
    }
    let repository = Repository::new(files);
    let charts = charts(&repository);
    let mut folders = HashSet::new();
    let mut added = Vec::new();
    for release in releases.iter_mut().filter(|it| may_be(it)) {
        let Some(Some(here)) = charts.get(&*release.chart) else { continue };
        let Some(asked) = release.exact_version() else { continue };
        let path = files.get(release.report_span.file).path();
        if !is_same_line(&asked, &here.version) || is_below(path, &here.folder) {
            continue;
        }
        // Whoever installs the chart around it, if nobody here does, may give it other values.
        let is_for_anybody = release.subject.as_ref().is_some_and(Subject::is_reusable);
        release.has_external_values |= asked != here.version || is_for_anybody;
        release.chart = "".into();
        release.local_chart = Some(here.folder.clone());
        folders.insert(here.folder.clone());
        added.extend(chart::dependencies(&repository, release));
    }
    // Somebody installs the chart.
    let is_lone = |it: &Release| it.surface() == Surface::ChartDependency;
    releases.retain(|it| !is_lone(it) || !folders.contains(&*it.scope.folder));
    releases.extend(added);
}

/// A chart of the repository.
struct Here {
    folder: String,
    version: Version,
}

/// The charts of the repository by their names; `None` for a name that several have.
fn charts(repository: &Repository<'_>) -> BTreeMap<String, Option<Here>> {
    let mut found = BTreeMap::new();
    for (id, file) in repository.files.iter().filter(|(_, it)| it.name() == "Chart.yaml") {
        let document = repository.document(id, false);
        let Some(chart) = &document.value else { continue };
        let Some(name) = chart.get("name").present().and_then(Value::as_str) else { continue };
        // A chart around the one of its name has it from somebody else.
        let dependencies = chart.get("dependencies").present().map_or(&[][..], Value::items);
        let is_it = |it: &Value| it.get("name").present().and_then(Value::as_str) == Some(name);
        if dependencies.iter().any(is_it) {
            continue;
        }
        let written = version(repository.files, chart.get("version"), chart.span);
        let written = written.as_ref().and_then(Value::as_str).and_then(Version::parse);
        let folder = file.folder().to_owned();
        let here = written.map(|version| Here { folder, version });
        found.entry(name.to_owned()).and_modify(|it| *it = None).or_insert(here);
    }
    found
}

/// Whether the chart is one of which something is known, whoever publishes it.
fn is_known(release: &Release) -> bool {
    release.is_of_karpenter()
        || component::is_chart(&release.chart)
        || stateless::charts().iter().any(|it| *it.chart == *release.chart)
}

/// Whether one version may take the place of another: before 1.0, a minor version changes as much as a major.
fn is_same_line(one: &Version, other: &Version) -> bool {
    one.major == other.major && (one.major > 0 || one.minor == other.minor)
}

#[cfg(test)]
mod tests {
    use super::is_same_line;
    use crate::version::Version;

    #[test]
    fn a_line_of_versions_is_a_major_one() {
        for (one, other, wanted) in [
            ("1.2.3", "1.9.0", true),
            ("1.2.3", "2.0.0", false),
            ("0.5.9", "0.5.11", true),
            ("0.5.9", "0.6.0", false),
        ] {
            let parse = |it: &str| Version::parse(it).unwrap_or_else(|| panic!("{it}"));
            assert_eq!(is_same_line(&parse(one), &parse(other)), wanted, "{one} {other}");
        }
    }
}
