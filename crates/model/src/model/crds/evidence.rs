//! Which parts of a file say what is installed: comments, descriptions, labels and what is switched off say
//! nothing.

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

/// The lines of a text that are neither comments nor below a key that only describes.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
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
        (prose.is_none() && !comment).then(|| without_comment(line))
    })
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
    bodies.flat_map(|it| &it.attributes)
}

/// Whether a block makes nothing, whatever the variables are.
fn is_off(block: &Block) -> bool {
    let is = |name: &str, nothing: &dyn Fn(&Expr) -> bool| {
        block.body.attribute(name).is_some_and(|it| nothing(&it.value))
    };
    is("count", &|it| matches!(it.kind, ExprKind::Number(count) if count == 0.0))
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
        ] {
            assert_eq!(lines(text).collect::<Vec<_>>(), wanted, "{text}");
        }
    }
}
