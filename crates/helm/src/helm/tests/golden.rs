//! Charts of ours, recorded with what Helm 3.17 prints for them, which this engine prints as well.
//!
//! `BLESS=1 cargo test -p karplint-helm golden` records it again where there is a helm.

#![expect(clippy::disallowed_methods, reason = "charts lie on the disk, and helm reads them there")]

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use karplint_test_tools::can_run;

use super::{offline, release, values};
use crate::helm::{
    chart::Chart,
    cluster::Assumptions,
    render::{Rendering, render},
};

/// A recorded chart.
pub(super) struct Golden {
    /// Where it is recorded.
    pub path: PathBuf,
    /// Its files.
    pub files: Vec<(String, String)>,
    /// The values of the release.
    pub given: String,
    /// What its templates print, by their names.
    pub printed: BTreeMap<String, Vec<String>>,
}

const GIVEN: &str = "given.yaml";
const PRINTS: &str = "prints ";

impl Golden {
    /// All of them.
    pub(super) fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/helm/tests/golden");
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        let mut golden =
            Self { path, files: Vec::new(), given: String::new(), printed: BTreeMap::new() };
        for part in text.split("\n-- ").skip(1) {
            let (name, content) = part.split_once(" --").unwrap();
            let content = format!("{}\n", content.strip_prefix('\n').unwrap_or_default());
            match name.strip_prefix(PRINTS) {
                Some(name) => {
                    golden.printed.insert(name.to_owned(), documents(&content));
                }
                None if name == GIVEN => golden.given = content,
                None => golden.files.push((name.to_owned(), content)),
            }
        }
        golden
    }

    /// Its files as the tests take them.
    pub(super) fn listed(&self) -> Vec<(&str, &str)> {
        self.files.iter().map(|(path, text)| (&**path, &**text)).collect()
    }

    fn record(&self, printed: &BTreeMap<String, Vec<String>>) {
        let text = fs::read_to_string(&self.path).unwrap();
        let end = text.find("\n-- prints ").unwrap_or(text.trim_end().len());
        let mut text = format!("{}\n", text.get(..end).unwrap());
        for (name, documents) in printed {
            let printed = documents.join("\n---\n");
            text.extend([format!("-- {PRINTS}{name} --\n{printed}\n")]);
        }
        fs::write(&self.path, text).unwrap();
    }
}

/// What a chart prints with values.
pub(super) fn printed_by(
    files: &[(&str, &str)],
    given: &str,
    assumptions: &Assumptions,
) -> Rendering {
    let chart = Chart::load(super::files(files)).unwrap();
    render(&chart, &values(given), &release(), assumptions)
}

/// What each template prints.
fn by_name(rendering: Rendering) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for file in rendering.files {
        let text = file.text.unwrap_or_else(|it| panic!("{}: {it:?}", file.name));
        let documents = documents(&text.text);
        if !documents.is_empty() && !file.name.ends_with("NOTES.txt") {
            found.insert(file.name, documents);
        }
    }
    assert!(rendering.unsupported.is_empty());
    found
}

/// The documents of a text, in some order; those of comments alone are none.
fn documents(text: &str) -> Vec<String> {
    let says = |it: &str| it.lines().any(|it| !it.trim().is_empty() && !it.starts_with('#'));
    let split = format!("\n{text}").replace("\n---\n", "\n\u{1}\n");
    let mut found: Vec<String> =
        split.split('\u{1}').map(str::trim).filter(|it| says(it)).map(str::to_owned).collect();
    found.sort();
    found
}

/// What `helm template` prints, by template.
fn by_template(output: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in format!("\n{output}").split("\n---\n# Source: ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap();
        found.entry(name.to_owned()).or_default().extend(documents(text));
    }
    for it in found.values_mut() {
        it.sort();
    }
    found
}

#[test]
fn recorded_charts_print_what_helm_prints() {
    let all = Golden::all();
    assert!(all.len() >= 5);
    for golden in all {
        let rendering = printed_by(&golden.listed(), &golden.given, &offline());
        assert_eq!(by_name(rendering), golden.printed, "{}", golden.path.display());
    }
}

#[test]
fn helm_itself_prints_what_is_recorded() {
    if !can_run("helm") {
        return;
    }
    let version = Command::new("helm").args(["version", "--short"]).output().unwrap();
    let is_helm_4 = version.stdout.starts_with(b"v4.");
    // Helm 4 puts blank lines elsewhere.
    let plain = |it: BTreeMap<String, Vec<String>>| -> BTreeMap<String, Vec<String>> {
        let lines = |it: String| {
            it.lines().filter(|it| !it.trim().is_empty()).collect::<Vec<_>>().join("\n")
        };
        let texts = |it: Vec<String>| it.into_iter().map(lines).collect();
        if is_helm_4 { it.into_iter().map(|(name, it)| (name, texts(it))).collect() } else { it }
    };
    // With imported values Helm 4 leaves and takes away other nulls than is told by `is_helm_4`.
    let is_alike = |it: &Golden| !(is_helm_4 && it.path.ends_with("nulls-listed.txt"));
    for mut golden in Golden::all().into_iter().filter(is_alike) {
        if is_helm_4 {
            let assumptions = Assumptions { is_helm_4, ..offline() };
            golden.printed = by_name(printed_by(&golden.listed(), &golden.given, &assumptions));
        }
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in golden.listed().into_iter().chain([(GIVEN, &*golden.given)]) {
            let path = folder.path().join("chart").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let output = Command::new("helm")
            .args(["template", "release-name", "chart", "--values", "chart/given.yaml"])
            .args(["--kube-version", "1.32.0"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", golden.path.display());
        let printed = by_template(&String::from_utf8(output.stdout).unwrap());
        if env::var_os("BLESS").is_some() && !is_helm_4 {
            golden.record(&printed);
        } else {
            assert_eq!(plain(printed), plain(golden.printed), "{}", golden.path.display());
        }
    }
}
