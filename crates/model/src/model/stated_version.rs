//! Versions of Karpenter that a variable is given, whatever reads it: `karpenter_version = "1.6.0"` in the inputs of
//! Terragrunt, in values, in a file of an environment, in a program.

use aho_corasick::AhoCorasick;

use crate::{
    model::command_files::found_in,
    source::{FileId, Files, SourceFile, Span, aside},
    version::Version,
};

/// The endings of files in which variables get their values.
const ENDINGS: &[&str] =
    &["env", "go", "hcl", "js", "json", "md", "py", "sh", "tf", "tfvars", "ts", "yaml", "yml"];

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

/// The versions, each with its place.
pub(super) fn stated(files: &Files) -> Vec<(Version, Span)> {
    let is_meant =
        |it: &SourceFile| ENDINGS.contains(&it.ending()) && aside::of(it.path()).is_none();
    let found = found_in(files, &[KEY], is_meant, |id, _, text| in_text(id, text));
    found.into_iter().flatten().collect()
}

fn in_text(file: FileId, text: &str) -> Vec<(Version, Span)> {
    let Ok(names) = AhoCorasick::new(NAMES) else { return Vec::new() };
    let by_name = names.find_iter(text).map(|it| it.end());
    let nested = text.match_indices(KEY).filter_map(|(at, _)| version_in(text, at + KEY.len()));
    by_name.chain(nested).filter_map(|end| given(file, text, end)).collect()
}

/// Where the key `version` ends that is the first of the mapping whose key ends at a place.
fn version_in(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let inner = rest.trim_start_matches(OPENS);
    let is_opened = rest.len() > inner.len() && inner.starts_with(VERSION);
    is_opened.then_some(text.len() - inner.len() + VERSION.len())
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
    use super::in_text;
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
}
