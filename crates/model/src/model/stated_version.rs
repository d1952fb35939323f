//! Versions of Karpenter that are written anywhere, whatever reads them: those that a variable is given
//! (`karpenter_version = "1.6.0"` in the inputs of Terragrunt, in values, in a program), and whole ones on a line that
//! names Karpenter.

use aho_corasick::AhoCorasick;

use crate::{
    model::command_files::{found_in, is_document},
    source::{FileId, Files, SourceFile, Span, aside},
    version::Version,
};

/// The endings of files in which versions are written.
const ENDINGS: &[&str] = &[
    "Makefile", "env", "go", "hcl", "js", "json", "md", "mk", "py", "sh", "tf", "tfvars", "ts",
    "yaml", "yml",
];

/// The names of such variables, and the image that some deploy.
const NAMES: &[&str] =
    &["karpenter_version", "KARPENTER_VERSION", "karpenter-version", "karpenterVersion", IMAGE];

/// What some write as the image of the controller.
const IMAGE: &str = "karpenter/karpenter";

/// What is between a name and the value it is given.
const BETWEEN: [char; 5] = [' ', '=', ':', '"', '\''];

/// The key of a mapping about Karpenter, what is between it and the first key inside, and that key: `karpenter: {
/// version: 1.6.0 }`.
const KEY: &str = "karpenter";
const OPENS: [char; 9] = [':', '=', '{', '"', '\'', ' ', '\t', '\r', '\n'];
const VERSION: &str = "version";

/// The key of what names the chart, and what is before it on its line.
const CHART: &str = "chart";
const BEFORE: [char; 4] = [' ', '\t', '-', '"'];

/// How Karpenter is written.
const CASES: [&str; 3] = [KEY, "Karpenter", "KARPENTER"];

/// The versions, each with its place.
pub(super) fn stated(files: &Files) -> Vec<(Version, Span)> {
    let is_meant =
        |it: &SourceFile| ENDINGS.contains(&it.ending()) && aside::of(it.path()).is_none();
    let found = found_in(files, &CASES, is_meant, |id, file, text| {
        // What documents tell of releases need not be what is installed.
        let lines = (!is_document(file)).then(|| on_lines(id, text));
        in_text(id, text).into_iter().chain(lines.into_iter().flatten()).collect::<Vec<_>>()
    });
    found.into_iter().flatten().collect()
}

fn in_text(file: FileId, text: &str) -> Vec<(Version, Span)> {
    let Ok(names) = AhoCorasick::new(NAMES) else { return Vec::new() };
    let by_name = names.find_iter(text).map(|it| it.end());
    let nested = text.match_indices(KEY).filter_map(|(at, _)| version_in(text, at + KEY.len()));
    by_name.chain(nested).filter_map(|end| given(file, text, end)).collect()
}

/// The whole versions on lines that name Karpenter: `helm install karpenter … --version v0.32.1`.
fn on_lines(file: FileId, text: &str) -> impl Iterator<Item = (Version, Span)> {
    let starts = text.split_inclusive('\n').scan(0, |next, line| {
        let start = std::mem::replace(next, *next + line.len());
        Some((start, line))
    });
    let about = starts.filter(|(_, line)| CASES.iter().any(|it| line.contains(it)));
    about.flat_map(move |(start, line)| {
        let words = line.split(|it: char| !it.is_ascii_alphanumeric() && it != '.');
        words.filter_map(move |word| {
            let word = word.trim_matches('.');
            let version = Version::parse(word).filter(|_| word.split('.').count() == 3)?;
            let at = start + (word.as_ptr() as usize - line.as_ptr() as usize);
            Some((version, Span::new(file, at, at + word.len())))
        })
    })
}

/// Where the key `version` ends that is the first of the mapping whose key ends at a place, or the next one below the
/// chart that is named there, also of a release that is switched off.
fn version_in(text: &str, end: usize) -> Option<usize> {
    let (before, rest) = text.split_at_checked(end)?;
    let inner = rest.trim_start_matches(OPENS);
    let between = rest.get(..rest.len() - inner.len())?;
    let is_of_chart = before.rsplit('\n').next()?.trim_start_matches(BEFORE).starts_with(CHART);
    let is_its = is_of_chart || between.contains([':', '=', '{']);
    (is_its && inner.starts_with(VERSION)).then_some(text.len() - inner.len() + VERSION.len())
}

/// The version that a name is given which ends at a place.
fn given(file: FileId, text: &str, end: usize) -> Option<(Version, Span)> {
    let after = text.get(end..)?;
    let value = after.trim_start_matches(BETWEEN);
    let is_given = after.len() > value.len();
    let length = value.find(|it: char| !it.is_ascii_alphanumeric() && it != '.');
    let version = value.get(..length.unwrap_or(value.len()))?;
    let start = end + after.len() - value.len();
    let is_version = is_given && version.split('.').count() >= 2;
    let parsed = Version::parse(version).filter(|_| is_version)?;
    Some((parsed, Span::new(file, start, start + version.len())))
}

#[cfg(test)]
mod tests {
    use super::{in_text, on_lines};
    use crate::source::FileId;

    #[test]
    fn a_variable_for_karpenters_version_is_found_by_its_name() {
        let versions = |text: &str| {
            let found = in_text(FileId(0), text).into_iter();
            found
                .map(|(it, place)| (it.to_string(), text[place.range()].to_owned()))
                .collect::<Vec<_>>()
        };
        for (text, wanted) in [
            ("karpenter_version = \"0.37.0\"", Some("0.37.0")),
            ("export KARPENTER_VERSION=v1.6.3\n", Some("v1.6.3")),
            ("karpenterVersion: '1.2'", Some("1.2")),
            ("    karpenter_version = 'v0.32.1'\n", Some("v0.32.1")),
            ("\"karpenter-version\": \"1.2.0\",", Some("1.2.0")),
            ("version = var.karpenter_version", None),
            ("  karpenter:\n    version: \"0.36.2\"\n", Some("0.36.2")),
            ("\"karpenter\": { \"version\": \"1.2.0\" }", Some("1.2.0")),
            ("karpenter = {\n  version = \"v1.0.1\"", Some("v1.0.1")),
            ("apps/karpenter/version: 1.2.3", None),
            ("  chart   = \"karpenter\"\n  version = \"v0.27.0\"\n", Some("v0.27.0")),
            ("  name    = \"karpenter\"\n  version = \"v0.27.0\"\n", None),
            ("karpenter_version = var.karpenter", None),
            ("karpenter_version_old = \"1.2.0\"", None),
            ("karpenter_version = 20", None),
            ("image: public.ecr.aws/karpenter/karpenter:v1.12.0", Some("v1.12.0")),
            ("helm install oci://public.ecr.aws/karpenter/karpenter --version 1.2", None),
        ] {
            let found = versions(text);
            assert_eq!(found.first().map(|it| &*it.1), wanted, "{text}");
        }
    }

    #[test]
    fn a_whole_version_is_found_on_a_line_about_karpenter() {
        for (text, wanted) in [
            (
                "x\nhelm install karpenter karpenter/karpenter --version v0.32.1 -n a\n",
                Some("v0.32.1"),
            ),
            ("public.ecr.aws/karpenter/controller:v0.36.2@sha256:0f", Some("v0.36.2")),
            ("# Karpenter 0.36.2.", Some("0.36.2")),
            ("# karpenter\nversion 0.36.2\n", None),
            ("karpenter 1.29", None),
        ] {
            let found = on_lines(FileId(0), text).next();
            assert_eq!(found.map(|it| &text[it.1.range()]), wanted, "{text}");
        }
    }
}
