//! What a file says, leaf by leaf, before and after edits.

use std::collections::HashMap;

use crate::{
    findings::edit::Edit,
    source::{FileId, SourceFile, Span},
    syntax::{
        Documents,
        hcl::{Body, Expr, ExprKind, read},
        json, yaml,
    },
    value::{Kind, Text, Value},
};

/// A value that holds no other, and all the text that says where and what it is.
struct Leaf {
    /// The keys that lead to it, without the numbers of items: an item that is gone moves those behind it.
    path: String,
    text: String,
    spans: Vec<Span>,
}

/// What is read of a file.
struct Content {
    leaves: Vec<Leaf>,
    parse_errors: usize,
}

/// Whether edits change nothing but what they touch: the text parses as well as before, and every other leaf is
/// as it was.
#[must_use]
pub(super) fn are_kept(file: &SourceFile, new: &str, edits: &[&Edit]) -> bool {
    let (Some(before), Some(after)) =
        (content(file.ending(), file.text()), content(file.ending(), new))
    else {
        return true;
    };
    let mut edits = edits.to_vec();
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    let cut: Vec<_> = edits.iter().map(|it| it.span.range()).collect();
    let (mut added, mut removed) = (0, 0);
    let mut written = Vec::new();
    for edit in edits {
        let start = edit.span.start as usize + added - removed;
        written.push(start..start + edit.text.len());
        added += edit.text.len();
        removed += edit.span.range().len();
    }
    after.parse_errors <= before.parse_errors
        && holds(&before.leaves, &cut, &after.leaves)
        && holds(&after.leaves, &written, &before.leaves)
}

/// Whether the leaves of one text that no edit touches are in another, too.
fn holds(leaves: &[Leaf], touched: &[std::ops::Range<usize>], others: &[Leaf]) -> bool {
    // Up to which place each of them and those before it reach: they are sorted by their starts.
    let reach = touched.iter().scan(0, |reach, it| {
        *reach = it.end.max(it.start + 1).max(*reach);
        Some(*reach)
    });
    let reach: Vec<usize> = reach.collect();
    let is_touched = |span: &Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        let begun = touched.partition_point(|it| it.start < end.max(start + 1));
        begun.checked_sub(1).and_then(|it| reach.get(it)).is_some_and(|it| start < *it)
    };
    let mut left: HashMap<(&str, &str), usize> = HashMap::new();
    for it in others {
        *left.entry((&it.path, &it.text)).or_default() += 1;
    }
    leaves.iter().filter(|it| !it.spans.iter().any(is_touched)).all(|it| {
        let left = left.get_mut(&(it.path.as_str(), it.text.as_str())).filter(|it| **it > 0);
        left.map(|it| *it -= 1).is_some()
    })
}

/// What is read of a text by its file's ending; `None` where nothing is.
fn content(ending: &str, text: &str) -> Option<Content> {
    let whole = Span::new(FileId(0), 0, text.len());
    let mut leaves = Vec::new();
    let documents = match ending {
        "yaml" | "yml" => yaml::parse_file(FileId(0), text),
        "json" => json::parse(&Text::verbatim(text, whole), whole),
        "tf" | "tofu" | "tfvars" | "hcl" => {
            let file = read::parse(FileId(0), text);
            of_body(&file.body, text, "", &[], &mut leaves);
            return Some(Content { leaves, parse_errors: file.parse_errors.len() });
        }
        _ => return None,
    };
    let Documents { values, parse_errors, .. } = documents;
    for value in &values {
        of_value(value, text, "", &[], &mut leaves);
    }
    Some(Content { leaves, parse_errors: parse_errors.len() })
}

fn slice(text: &str, span: Span) -> String {
    text.get(span.range()).unwrap_or_default().trim().to_owned()
}

fn with(outer: &[Span], span: Span) -> Vec<Span> {
    outer.iter().copied().chain([span]).collect()
}

fn of_value(value: &Value, text: &str, path: &str, outer: &[Span], found: &mut Vec<Leaf>) {
    let leaf = |text: String| Leaf { path: path.to_owned(), text, spans: with(outer, value.span) };
    match &value.kind {
        Kind::Map(map) if !map.entries.is_empty() => {
            for it in &map.entries {
                let path = format!("{path}.{}", it.key);
                of_value(&it.value, text, &path, &with(outer, it.key_span), found);
            }
        }
        Kind::List(list) if !list.items.is_empty() => {
            for it in &list.items {
                of_value(it, text, &format!("{path}[]"), outer, found);
            }
        }
        Kind::String(it) => {
            found.push(leaf(it.known().map_or_else(|| slice(text, value.span), str::to_owned)));
        }
        Kind::Null => {}
        _ => found.push(leaf(slice(text, value.span))),
    }
}

fn of_body(body: &Body, text: &str, path: &str, outer: &[Span], found: &mut Vec<Leaf>) {
    for it in &body.attributes {
        let path = format!("{path}.{}", it.name);
        of_expression(&it.value, text, &path, &with(outer, it.name_span), found);
    }
    for it in &body.blocks {
        let labels: Vec<&str> = it.labels.iter().map(|(label, _)| &**label).collect();
        let path = format!("{path}.{}[{}]", it.kind, labels.join(" "));
        let outer = with(outer, it.header);
        // A block without anything inside is something, too.
        found.push(Leaf { path: path.clone(), text: String::new(), spans: outer.clone() });
        of_body(&it.body, text, &path, &outer, found);
    }
}

fn of_expression(it: &Expr, text: &str, path: &str, outer: &[Span], found: &mut Vec<Leaf>) {
    match &it.kind {
        ExprKind::Object(items) if !items.is_empty() => {
            for item in items {
                let key =
                    item.key.as_literal().map_or_else(|| slice(text, item.key.span), str::to_owned);
                let outer = with(outer, item.key.span);
                of_expression(&item.value, text, &format!("{path}.{key}"), &outer, found);
            }
        }
        ExprKind::Array(items) if !items.is_empty() => {
            for item in items {
                of_expression(item, text, &format!("{path}[]"), outer, found);
            }
        }
        ExprKind::Parens(inner) => of_expression(inner, text, path, outer, found),
        ExprKind::Call { name, arguments, .. } => {
            for argument in arguments {
                of_expression(argument, text, &format!("{path}({name})"), outer, found);
            }
        }
        _ => found.push(Leaf {
            path: path.to_owned(),
            text: slice(text, it.span),
            spans: with(outer, it.span),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::are_kept;
    use crate::{
        findings::edit::Edit,
        source::{FileId, SourceFile, Span},
    };

    /// Whether an edit that puts `new` in the place of `old` keeps everything else.
    fn keeps(path: &str, text: &str, old: &str, new: &str) -> bool {
        let at = text.find(old).expect("it is there");
        let (start, end) = if new.starts_with('+') {
            (at + old.len(), at + old.len())
        } else {
            (at, at + old.len())
        };
        let new = new.trim_start_matches('+');
        let edit = Edit { span: Span::new(FileId(0), start, end), text: new.to_owned() };
        let changed = format!("{}{new}{}", &text[..start], &text[end..]);
        are_kept(&SourceFile::new(path, text), &changed, &[&edit])
    }

    #[test]
    fn only_what_an_edit_touches_may_change() {
        let yaml = "a: 1\nb:\n  c: x\n  d: y\nl: [k, m]\n";
        let twice = "a:\n  b: old\n  b: new\n";
        let code =
            "resource \"a\" \"b\" {\n  n = 1\n  l = [x, { k = 2 }]\n  depends_on = [c.d]\n}\n";
        for (path, text, old, new, kept) in [
            ("a.yaml", yaml, "c: x", "c: z", true),
            ("a.yaml", yaml, "  c: x\n", "", true),
            ("a.yaml", yaml, "k, ", "", true),
            ("a.yaml", yaml, "a: 1\n", "+e: 2\n", true),
            ("a.yaml", yaml, "b:\n", "+  e: 2\n", true),
            // What follows gets other keys around it.
            ("a.yaml", yaml, "b:\n", "+  e:\n", true),
            ("a.yaml", yaml, "c: x\n", "+ e: 2\n", false),
            ("a.yaml", yaml, "c: x\n", "+f:\n", false),
            ("a.yaml", yaml, "x", "'z", false),
            ("a.yaml", yaml, "x", "x # ", true),
            ("a.yaml", yaml, "a: 1\n", "a: 1 #", false),
            // The entry that lost wins now.
            ("a.yaml", twice, "  b: new\n", "", false),
            ("main.tf", code, "n = 1", "n = 2", true),
            ("main.tf", code, "x, ", "", true),
            ("main.tf", code, "n = 1", "n = 'a'", false),
            ("main.tf", code, "n = 1\n", "+  depends_on = [e.f]\n", false),
            ("main.tf", code, "n = 1", "n = 1 /*", false),
            ("a.json", "{\"a\": 1, \"b\": 2}", "1", "3", true),
            ("a.json", "{\"a\": 1, \"b\": 2}", "1,", "1", false),
            ("a.sh", "echo a", "a", "'", true),
        ] {
            assert_eq!(keeps(path, text, old, new), kept, "{path}: {old:?} {new:?}");
        }
    }
}
