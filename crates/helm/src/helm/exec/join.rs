//! The text that two bodies print of which one is taken.

use std::{ops::Range, rc::Rc};

use crate::{
    helm::text::{Builder, Text},
    value::Symbol,
};

/// Adds what two texts have in common, and a hole for the rest: on lines of its own where whole lines differ.
pub(super) fn join(a: &Text, b: &Text, symbol: &Rc<Symbol>, out: &mut Builder) {
    if a.as_str() == b.as_str() {
        out.push_text(a);
        return;
    }
    let (start, tail) = common(a.as_str(), b.as_str());
    let first = start..a.len() - tail;
    let second = start..b.len() - tail;
    out.push_part(a, 0..start);
    let (text, range) = if first.len() >= second.len() { (a, first) } else { (b, second) };
    hole(text, range, symbol, out);
    out.push_part(a, a.len() - tail..a.len());
}

/// How many bytes two texts share at their beginning and at their end, in whole lines.
fn common(a: &str, b: &str) -> (usize, usize) {
    let mut start = 0;
    for (one, other) in a.split_inclusive('\n').zip(b.split_inclusive('\n')) {
        if one != other || !one.ends_with('\n') {
            break;
        }
        start += one.len();
    }
    let rest = a.len().min(b.len()) - start;
    let mut tail = 0;
    for (one, other) in a.rsplit('\n').zip(b.rsplit('\n')) {
        if one != other || tail + one.len() + 1 > rest {
            break;
        }
        tail += one.len() + 1;
    }
    (start, tail)
}

/// A hole for a part of a text. Documents that are there perhaps are holes of their own, so that what is
/// before them stays known.
fn hole(text: &Text, range: Range<usize>, symbol: &Rc<Symbol>, out: &mut Builder) {
    let source = text.as_str().get(range.clone()).unwrap_or_default();
    let mark = || Text::hole((**symbol).clone());
    let trimmed = source.trim();
    let before = source.find(trimmed).unwrap_or_default();
    let blank_end = range.start + before;
    out.push_part(text, range.start..blank_end);
    if trimmed.is_empty() {
        return;
    }
    let mut documents = trimmed.split("\n---");
    let first = documents.next().unwrap_or_default();
    if first.trim_start_matches("---").trim().is_empty() {
        out.push_made(first);
    } else if let Some(rest) = first.strip_prefix("---\n") {
        out.push_made(if rest.is_empty() { "---" } else { "---\n" });
        out.push_text(&mark());
    } else {
        out.push_text(&mark());
    }
    for document in documents {
        out.push_made("\n---\n");
        if !document.trim().is_empty() {
            out.push_text(&mark());
        }
    }
    out.push_part(text, blank_end + trimmed.len()..range.end);
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn whole_lines_are_common() {
        assert_eq!(common("a\nb\nc\n", "a\nx\nc\n"), (2, 3));
        assert_eq!(common("a", "b"), (0, 0));
        assert_eq!(common("", "\n  x: 1"), (0, 0));
        assert_eq!(common("a\n", "a\na\n"), (2, 0));
    }
}
