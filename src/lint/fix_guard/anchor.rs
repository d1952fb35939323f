//! Anchors of YAML that aliases elsewhere repeat.

use crate::{findings::edit::Edit, source::SourceFile};

/// Whether an edit stands in a node with an anchor that is used again.
pub fn is_anchored(file: &SourceFile, edit: &Edit) -> bool {
    let text = file.text();
    let place = edit.span.start as usize;
    anchors(text).any(|(at, name)| at <= place && place <= end(file, at) && aliases(text, name))
}

/// The places and names of all anchors.
fn anchors(text: &str) -> impl Iterator<Item = (usize, &str)> {
    memchr::memchr_iter(b'&', text.as_bytes()).filter_map(|at| {
        let before = text[..at].chars().next_back();
        let name = name(&text[at + 1..]);
        let begins = before.is_none_or(|it| it.is_whitespace() || matches!(it, '[' | '{' | ','));
        (begins && !name.is_empty()).then_some((at, name))
    })
}

fn name(text: &str) -> &str {
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/');
    &text[..text.find(|it| !is_part(it)).unwrap_or(text.len())]
}

/// Whether an alias of that name stands anywhere.
fn aliases(text: &str, wanted: &str) -> bool {
    memchr::memchr_iter(b'*', text.as_bytes()).any(|at| name(&text[at + 1..]) == wanted)
}

/// Where the node with an anchor ends: before the next line that is not indented more than its own.
fn end(file: &SourceFile, at: usize) -> usize {
    let first = file.line_of(at);
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let own = file.line_text(first);
    let own = own.len() - own.trim_start().len();
    let mut last = first;
    for line in first + 1..file.line_count() {
        let text = file.line_text(line);
        let dashed = text.trim_start().starts_with("- ");
        let inside = indent(text) > own || (dashed && text.len() - text.trim_start().len() == own);
        if !text.trim().is_empty() && !inside {
            break;
        }
        last = line;
    }
    file.line_range(last).end
}

#[cfg(test)]
mod tests {
    use super::is_anchored;
    use crate::{
        findings::edit::Edit,
        source::{FileId, SourceFile, Span},
    };

    #[test]
    fn what_an_alias_repeats_is_more_than_one_thing() {
        for (text, wanted) in [
            ("a: &x\n  HERE: 1\nb: *x\n", true),
            ("a: &x\n  - HERE\nb: *x\n", true),
            ("a: &x\n- HERE\nb: *x\n", true),
            ("a: &x HERE\nb: *x\n", true),
            ("a: { b: &x { HERE: 1 } }\nb: { <<: *x }\n", true),
            ("a: &x\n  b: 1\nHERE: 2\nc: *x\n", false),
            ("a: &x\n  HERE: 1\n", false),
            ("a: &x\n  HERE: 1\nb: *xy\n", false),
            ("a: 'R&D'\nHERE: 1\n", false),
        ] {
            let at = text.find("HERE").unwrap_or_default();
            let edit = Edit { span: Span::new(FileId(0), at, at + 4), text: String::new() };
            assert_eq!(is_anchored(&SourceFile::new("a.yaml", text), &edit), wanted, "{text}");
        }
    }
}
