//! Which parts of a file say what is installed: comments, descriptions, labels and what is switched off say
//! nothing.

use std::borrow::Cow;

use crate::syntax::hcl::{Attribute, Block, Body, Expr, ExprKind};

/// Words in the names of keys whose values only describe.
const PROSE: &[&str] = &[
    "label",
    "descri",
    "annotation",
    "comment",
    "title",
    "summary",
    "message",
    "tag",
    "note",
    "kubernetes.io/",
];

/// Names of arguments that only say when something is made anew.
const TRIGGERS: &[&str] = &["triggers", "triggers_replace", "keepers"];

/// Resources that only keep a text.
const KEEPERS: &[&str] =
    &["aws_ssm_parameter", "aws_secretsmanager_secret_version", "random_id", "random_string"];

/// Words of sentences that are none of a shell.
const OF_SENTENCES: &[&str] = &[
    "the", "a", "we", "our", "is", "are", "of", "with", "by", "this", "use", "uses", "see", "not",
];

/// The words by which a script installs something.
pub(super) const VERBS: &[&str] = &["apply", "create", "replace", "install", "upgrade"];

/// Words of commands.
const OF_COMMANDS: &[&str] =
    &["helm", "kubectl", "helmfile", "flux", "argocd", "oc", "terraform", "echo"];

/// The lines of a text that are neither comments nor below a key that only describes.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut prose: Option<usize> = None;
    let mut in_comment = false;
    text.lines().filter_map(move |line| {
        let trimmed = line.trim_start();
        if in_comment || trimmed.starts_with("/*") {
            in_comment = !trimmed.contains("*/");
            return None;
        }
        let depth = line.len() - trimmed.len();
        if prose.is_some_and(|it| trimmed.is_empty() || depth > it) {
            return None;
        }
        // In an item of a list the key begins behind the dash.
        let key = line.trim_start_matches([' ', '\t', '-']);
        prose = is_prose(key).then_some(line.len() - key.len());
        let comment = trimmed.starts_with(['#', '/']);
        (prose.is_none() && !comment).then(|| without_prose(without_comment(line)))
    })
}

/// A line without what only describes inside mappings on one line: `{name: a, labels: {after: b}}`.
fn without_prose(line: &str) -> Cow<'_, str> {
    let code = line.split_once(['{', '[']).map_or(line, |(before, _)| before);
    if is_sentence(line) {
        return Cow::Borrowed("");
    }
    if code.len() == line.len() {
        return Cow::Borrowed(line);
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['{', ',']) {
        let (before, after) = rest.split_at(at + 1);
        kept.push_str(before);
        let length = length_of_entry(after);
        let entry = &after[..length];
        rest = if is_prose(entry.trim_start()) || is_sentence(entry) {
            &after[length..]
        } else {
            after
        };
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// How long the first entry of a mapping on one line is.
fn length_of_entry(text: &str) -> usize {
    let mut depth = 0;
    let mut quote = None;
    let is_end = |it: char| {
        match (it, quote) {
            (_, Some(open)) if it == open => quote = None,
            ('"' | '\'', None) => quote = Some(it),
            ('{' | '[' | '(', None) => depth += 1,
            (',' | '}' | ']' | ')', None) if depth == 0 => return true,
            ('}' | ']' | ')', None) => depth -= 1,
            // Others, and what stands between quotes.
            _ => {}
        }
        false
    };
    text.find(is_end).unwrap_or(text.len())
}

/// Whether the value of a line is a sentence for people: "we use karpenter-crd".
fn is_sentence(line: &str) -> bool {
    let value = line.split_once([':', '=']).map_or(line, |(_, value)| value);
    let is_code =
        |it: char| matches!(it, '$' | ';' | '|' | '&' | '\\' | '/' | '=' | '{' | '[' | '<' | '>');
    if value.contains(is_code) {
        return false;
    }
    let word = |it: &str| it.trim_matches(|it: char| !it.is_alphanumeric()).to_ascii_lowercase();
    let words: Vec<String> = value.split_whitespace().map(word).collect();
    let is_any = |known: &[&str]| words.iter().any(|it| known.contains(&&**it));
    words.len() > 2 && is_any(OF_SENTENCES) && !is_any(OF_COMMANDS) && !is_any(VERBS)
}

/// Whether a line gives a key a value that only describes.
fn is_prose(line: &str) -> bool {
    let Some((key, _)) = line.split_once([':', '=']) else { return false };
    let key = key.trim_matches(['-', ' ', '"', '\'', '{']).to_ascii_lowercase();
    let is_word = !key.contains(' ');
    is_word && (key == "app" || PROSE.iter().any(|it| key.contains(it)))
}

fn without_comment(line: &str) -> &str {
    let code = if line.contains("://") { line } else { line.split("//").next().unwrap_or(line) };
    code.split(" #").next().unwrap_or(code)
}

/// The attributes of all blocks that are not switched off.
pub(super) fn attributes(body: &Body) -> impl Iterator<Item = &Attribute> {
    let mut waiting = vec![body];
    let bodies = std::iter::from_fn(move || {
        let body = waiting.pop()?;
        waiting.extend(body.blocks.iter().filter(|it| !is_off(it)).map(|it| &it.body));
        Some(body)
    });
    let attributes = bodies.flat_map(|it| &it.attributes);
    attributes.filter(|it| !TRIGGERS.contains(&&*it.name))
}

/// Whether a block makes nothing, whatever the variables are.
fn is_off(block: &Block) -> bool {
    let is = |name: &str, nothing: &dyn Fn(&Expr) -> bool| {
        block.body.attribute(name).is_some_and(|it| nothing(&it.value))
    };
    let only_keeps = || block.labels.first().is_some_and(|it| KEEPERS.contains(&&*it.0));
    &*block.kind == "resource" && only_keeps()
        || is("count", &|it| matches!(it.kind, ExprKind::Number(count) if count == 0.0))
        || is("for_each", &|it| match &it.kind {
            ExprKind::Array(items) => items.is_empty(),
            ExprKind::Object(items) => items.is_empty(),
            _ => false,
        })
        || (&*block.kind == "module"
            && ["create", "enabled"]
                .iter()
                .any(|name| is(name, &|it| matches!(it.kind, ExprKind::Bool(false)))))
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn what_only_describes_is_left_out() {
        for (text, wanted) in [
            ("chart: a\n# b\n", vec!["chart: a"]),
            ("labels:\n  app: a\nchart: b", vec!["chart: b"]),
            ("description: |\n  a\n\n  b\nchart: c", vec!["chart: c"]),
            ("- description: a\n  chart: b", vec!["  chart: b"]),
            ("/* a\n b */\nc", vec!["c"]),
            ("app.kubernetes.io/name: a", vec![]),
            ("apply: a # b", vec!["apply: a"]),
            ("helm install a --labels=b", vec!["helm install a --labels=b"]),
            ("url = https://a", vec!["url = https://a"]),
            ("{name: a, labels: {after: b, x: c}, chart: d}", vec!["{name: a,, chart: d}"]),
            (
                "{metadata: {annotations: {note: \"a, b}\"}}, chart: d}",
                vec!["{metadata: {}, chart: d}"],
            ),
            ("{\"x\": {\"labels\": {\"a\": \"b\"}}}", vec!["{\"x\": {}}"]),
            ("text: we use karpenter-crd", vec![""]),
            ("data: {readme: \"we use karpenter-crd\"}", vec!["data: {}"]),
            ("run: helm upgrade a with b", vec!["run: helm upgrade a with b"]),
            ("charts: [a, b]", vec!["charts: [a, b]"]),
        ] {
            assert_eq!(lines(text).collect::<Vec<_>>(), wanted, "{text}");
        }
    }
}
