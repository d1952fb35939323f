//! Classes in texts that are not read as objects: templates, scripts, code, the values of charts.

use std::borrow::Cow;

use crate::source::Span;

/// A class that a text defines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// By that name.
    Named(String),
    /// By a name that some tool fills in.
    Unknown,
}

/// The endings of files that may define classes.
const READ: &[&str] = &[
    "yaml",
    "yml",
    "json",
    "tf",
    "tofu",
    "hcl",
    "tfvars",
    "tpl",
    "tftpl",
    "gotmpl",
    "tmpl",
    "j2",
    "sh",
    "bash",
    "Makefile",
    "Jenkinsfile",
    "mk",
    "justfile",
    "Taskfile",
    "py",
    "ts",
    "js",
    "go",
    "cs",
    "java",
    "rb",
    "jsonnet",
    "libsonnet",
    "cue",
    "k",
    "pkl",
    "md",
    "txt",
];

/// Whether a file of that ending may define classes.
#[must_use]
pub(crate) fn is_read(ending: &str) -> bool {
    READ.contains(&ending)
}

/// Whether such a file tells people about classes more often than it makes them.
#[must_use]
pub(crate) fn is_prose(ending: &str) -> bool {
    matches!(ending, "md" | "txt")
}

/// Whether a text has a word for classes.
#[must_use]
pub(crate) fn is_worth_it(text: &str) -> bool {
    words_of(text).next().is_some()
}

/// A text without what is already known as objects; what is left stays on its lines.
#[must_use]
pub(crate) fn without<'t>(text: &'t str, seen: &[Span]) -> Cow<'t, str> {
    if seen.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for span in seen {
        let known = bytes.get_mut(span.range()).into_iter().flatten();
        known.filter(|it| **it != b'\n').for_each(|it| *it = b' ');
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The classes a text defines: `kind: EC2NodeClass`, in any notation, with `metadata` behind it. A pool's
/// reference has the kind, too, but no metadata.
pub(crate) fn definitions(text: &str) -> impl Iterator<Item = Definition> {
    text.match_indices("EC2NodeClass").filter_map(|(at, word)| {
        let before: String = text[..at].chars().rev().filter(|it| is_code(*it)).take(5).collect();
        let is_kind = matches!(&*before, ":dnik" | "=dnik");
        let rest = &text[at + word.len()..];
        let code: String = rest
            .lines()
            .map(code_of)
            .flat_map(|it| it.chars().filter(|it| is_code(*it)).chain(['\n']))
            .take(400)
            .collect();
        let code = code.trim_start_matches(['\n', ';']).strip_prefix("metadata")?;
        is_kind.then(|| definition(code))
    })
}

/// The name in the metadata of a class.
fn definition(code: &str) -> Definition {
    let code = code.trim_start_matches([':', '=', '{', '\n', '(']);
    let name = code.lines().find_map(|it| {
        let at = it.find("name:").or_else(|| it.find("name="))?;
        let is_key = !it[..at].ends_with(|it: char| it.is_alphanumeric());
        is_key.then(|| it[at + 5..].split(['}', ';']).next().unwrap_or_default())
    });
    let plain = |it: &&str| {
        !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || "-.".contains(it))
    };
    name.filter(plain).map_or(Definition::Unknown, |it| Definition::Named(it.to_owned()))
}

/// Whether a character is neither layout nor quotation.
fn is_code(it: char) -> bool {
    !it.is_whitespace() && !"\"'`,\\".contains(it)
}

/// Whether a text mentions classes in words of its own, and has the name as a word.
#[must_use]
pub(crate) fn speaks_of(text: &str, name: &str) -> bool {
    let part = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let has_name = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            !line[..at].ends_with(part) && !line[at + name.len()..].starts_with(part)
        })
    };
    let code = || text.lines().map(code_of);
    code().any(has_name) && code().any(|it| words_of(it).any(|it| it != "EC2NodeClass"))
}

/// A line without its comment.
fn code_of(line: &str) -> &str {
    let comment = |mark: &str| {
        let mut places = line.match_indices(mark).map(|(at, _)| at);
        places.find(|at| *at == 0 || line[..*at].ends_with([' ', '\t']))
    };
    let end = [comment("#"), comment("//")].into_iter().flatten().min();
    end.map_or(line, |it| &line[..it])
}

/// The words for classes that are not in a pool's reference.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(['o', 'O']).filter_map(|(at, _)| {
        let start = at.checked_sub(1)?;
        let rest = text.get(start..)?;
        let len = WORDS.iter().find(|it| starts_with(rest, it))?.len();
        let is_reference = starts_with(rest.get(len..)?, "Ref");
        let own = rest.get(..len)?;
        let whole = text.get(start.checked_sub(3).unwrap_or(start)..start + len)?;
        let word = if whole == "EC2NodeClass" { whole } else { own };
        (!is_reference).then_some(word)
    })
}

/// How one mentions classes, in small letters or large ones.
pub(crate) const WORDS: &[&str] = &["nodeclass", "node_class", "node-class", "node class"];

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::{Definition, definitions, speaks_of};

    #[test]
    fn classes_are_found_in_any_notation() {
        let named = |it: &str| vec![Definition::Named(it.to_owned())];
        for (text, wanted) in [
            ("kind: EC2NodeClass\nmetadata:\n  name: a\n", named("a")),
            (
                "kind: EC2NodeClass # x\n# y\nmetadata:\n  labels: {}\n  name: \"a\" # z\n",
                named("a"),
            ),
            ("kind = \"EC2NodeClass\"\nmetadata = { name = \"a-b\" }", named("a-b")),
            ("{kind: 'EC2NodeClass', metadata: {name: 'a'}, spec: {}}", named("a")),
            ("\"kind\": \"EC2NodeClass\", \"metadata\": {\"name\": \"a\"}", named("a")),
            ("kind: EC2NodeClass\nmetadata:\n  name: {{ .name }}\n", vec![Definition::Unknown]),
            ("kind: EC2NodeClass\nmetadata: {{ toYaml . }}\n", vec![Definition::Unknown]),
            ("kind = \"EC2NodeClass\"\nmetadata = { name = var.a }", named("var.a")),
            ("nodeClassRef:\n  kind: EC2NodeClass\n  name: a\n", vec![]),
            ("nodeClassRef: {kind: EC2NodeClass, name: a}\nmetadata:\n  name: b\n", vec![]),
            ("name: a\nkind: EC2NodeClass\nrequirements:\n", vec![]),
            ("An EC2NodeClass\nmetadata:\n  name: a\n", vec![]),
        ] {
            assert_eq!(definitions(text).collect::<Vec<_>>(), wanted, "{text}");
        }
    }

    #[test]
    fn values_of_charts_speak_of_classes() {
        for (text, wanted) in [
            ("ec2NodeClasses:\n  gpu:\n    role: a\n", true),
            ("node_classes = [\"gpu\"]", true),
            ("nodeClasses:\n  - name: gpu-large\n", false),
            ("nodeClassRef:\n  name: gpu\n", false),
            ("kind: EC2NodeClass\nname: gpu\n", false),
            ("pools:\n  gpu:\n    weight: 1\n", false),
            ("resources: [gpu-nodeclass.yaml]\n", false),
            ("# nodeclasses\npools: [gpu] // node classes\n", false),
        ] {
            assert_eq!(speaks_of(text, "gpu"), wanted, "{text}");
        }
    }
}
