//! The Kubernetes versions a release works with: upstream's table, and the controller's own bounds.

use karplint_core::{
    value::{Kind, Value},
    version::{Version, constraint::Constraint},
};
use karplint_knowledge::knowledge::kubernetes;

use crate::{
    ours::{Difference, line_of},
    tree::{Tree, document},
};

const OURS: &str = "kubernetes-compatibility.yaml";

/// What upstream's table says otherwise, and what the controller itself says of the release.
pub(crate) fn differences(tree: &Tree, release: &Version) -> Vec<Difference> {
    let mut found = Vec::new();
    if let Some((path, text)) = tree.ending("compatibilitymatrix_gen/compatibility.yaml") {
        let table = document(text);
        let rows = table.as_ref().and_then(|it| it.get("compatibility").present());
        let rows = rows.map_or(&[][..], Value::items);
        for row in rows {
            let wrong = of_row(row, rows, text).into_iter();
            found.extend(wrong.map(|it| it.found(path, line_of(text, row.span.start as usize))));
        }
    }
    if let Some((path, text)) = tree.ending("pkg/providers/version/version.go") {
        let bounds = [bound(text, "MinK8sVersion"), bound(text, "MaxK8sVersion")];
        if let [Some((oldest, line)), Some((newest, _))] = bounds {
            let wrong = of_release(release, &oldest, &newest).into_iter();
            found.extend(wrong.map(|it| it.found(path, line)));
        }
    }
    found
}

/// `appVersion: 1.14.x`, with the oldest and the newest Kubernetes.
fn of_row(row: &Value, rows: &[Value], text: &str) -> Option<Difference> {
    let cell = |row: &Value, key: &str| {
        let value = row.get(key).present()?;
        // 1.30 is a number to YAML, and 1.3.
        let written = text.get(value.span.range())?;
        let is_scalar = matches!(value.kind, Kind::Number(_) | Kind::String(_));
        is_scalar.then(|| written.trim_matches(['"', '\'']).to_owned())
    };
    let (line, oldest, newest) =
        (cell(row, "appVersion")?, cell(row, "minK8sVersion")?, cell(row, "maxK8sVersion")?);
    // The last patch of the line, unless a row of its own names a later one: 1.0.x, then 1.0.5.
    let start = line.trim_end_matches('x');
    let named =
        |it: &Value| cell(it, "appVersion").is_some_and(|it| it != line && it.starts_with(start));
    let patch = if rows.iter().any(named) { "0" } else { "9999" };
    let release = Version::parse(&line.replace('x', patch))?;
    of_release(&release, &Version::parse(&oldest)?, &Version::parse(&newest)?)
}

fn of_release(release: &Version, oldest: &Version, newest: &Version) -> Option<Difference> {
    let own = kubernetes::supported_by(&Constraint::from(release.clone()));
    let words = |oldest: &Version, newest: &Version| {
        format!("{}.{} to {}.{}", oldest.major, oldest.minor, newest.major, newest.minor)
    };
    let theirs = words(oldest, newest);
    let ours = own.map_or_else(|| "nothing".to_owned(), |it| words(it.start(), it.end()));
    let (major, minor) = release.line();
    let what = format!("Karpenter {major}.{minor} works with Kubernetes {theirs}, not {ours}");
    (theirs != ours).then(|| Difference::at(OURS, "kubernetes:", what))
}

/// The text of a constant, and its line: `MaxK8sVersion = "1.36"`.
fn bound(text: &str, name: &str) -> Option<(Version, usize)> {
    let (at, line) = text.lines().enumerate().find(|(_, it)| it.trim_start().starts_with(name))?;
    Some((Version::parse(line.split('"').nth(1)?)?, at + 1))
}

#[cfg(test)]
mod tests {
    use karplint_core::version::Version;

    use super::differences;
    use crate::tree::Tree;

    #[test]
    fn rows_and_bounds_are_compared() {
        let table = "compatibility:\n  - appVersion: 1.4.x\n    minK8sVersion: 1.25\n    maxK8sVersion: 1.32\n  \
                     - appVersion: 0.37.x\n    minK8sVersion: 1.23\n    maxK8sVersion: 1.30\n  \
                     - appVersion: 1.0.x\n    minK8sVersion: 1.25\n    maxK8sVersion: 1.30\n  \
                     - appVersion: 1.0.5\n    minK8sVersion: 1.25\n    maxK8sVersion: 1.31\n  \
                     - appVersion: 7.0.x\n    minK8sVersion: 1.40\n    maxK8sVersion: 1.50\n";
        let bounds = "package version\n\nconst (\n\tMinK8sVersion = \"1.26\"\n\tMaxK8sVersion = \"1.37\"\n)\n";
        let tree = Tree::of(&[
            ("k/hack/docs/compatibilitymatrix_gen/compatibility.yaml", table),
            ("k/pkg/providers/version/version.go", bounds),
        ]);
        let found = differences(&tree, &Version::new(1, 14, 1));
        let found: Vec<String> = found
            .into_iter()
            .map(|it| {
                let (file, line) = it.source.expect("it is upstream's");
                format!("{} ({}:{line})", it.what, file.rsplit('/').next().unwrap_or_default())
            })
            .collect();
        assert_eq!(
            found,
            [
                "Karpenter 7.0 works with Kubernetes 1.40 to 1.50, not nothing (compatibility.yaml:14)",
                "Karpenter 1.14 works with Kubernetes 1.26 to 1.37, not 1.26 to 1.36 (version.go:4)",
            ]
        );
    }
}
