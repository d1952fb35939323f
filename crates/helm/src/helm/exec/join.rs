//! The text that two bodies print of which one is taken.

use std::{ops::Range, rc::Rc};

use crate::{
    helm::text::{Builder, Text},
    value::{HOLE_START, Symbol},
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
    let part = |text: &Text, range: &Range<usize>| {
        Part::of(text.as_str().get(range.clone()).unwrap_or_default())
    };
    let are_entries = match (part(a, &first), part(b, &second)) {
        (Part::Entries(one), Part::Entries(other)) => one == other,
        (Part::Entries(_), Part::Blank) | (Part::Blank, Part::Entries(_)) => true,
        _ => false,
    };
    let (text, range) = if first.len() >= second.len() { (a, first) } else { (b, second) };
    hole(text, range, symbol, are_entries, out);
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

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Nothing but blanks.
    Blank,
    /// Entries of a mapping on lines of their own, so far indented.
    Entries(usize),
    /// Anything else.
    Other,
}

impl Part {
    fn of(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Blank;
        }
        Self::indentation(text).map_or(Self::Other, Self::Entries)
    }

    /// How far the entries of a mapping are indented that a text begins on a line of its own, where it holds
    /// nothing else.
    fn indentation(text: &str) -> Option<usize> {
        let trimmed = text.trim_start();
        let column = |line: &str| line.len() - line.trim_start().len();
        let (_, first) = text.get(..text.len() - trimmed.len())?.rsplit_once('\n')?;
        let is_entry = |line: &str| {
            let inner = line.trim_start();
            let is_open = inner.starts_with(['-', '#', '{', '[', HOLE_START]);
            column(line) > first.len()
                || (column(line) == first.len() && !is_open && inner.contains(':'))
        };
        let mut lines = trimmed.lines().skip(1).filter(|it| !it.trim().is_empty());
        let all = is_entry(&format!("{first}{}", trimmed.lines().next()?)) && lines.all(is_entry);
        all.then_some(first.len())
    }
}

/// A hole for a part of a text, as an entry of a mapping where it is nothing else: then only that mapping may hold
/// more. Documents that are there perhaps are holes of their own, so that what is
/// before them stays known.
fn hole(text: &Text, range: Range<usize>, symbol: &Rc<Symbol>, is_entry: bool, out: &mut Builder) {
    let source = text.as_str().get(range.clone()).unwrap_or_default();
    let mark = || Text::hole((**symbol).clone());
    let trimmed = source.trim();
    let before = source.find(trimmed).unwrap_or_default();
    let blank_end = range.start + before;
    out.push_part(text, range.start..blank_end);
    if trimmed.is_empty() {
        return;
    }
    if is_entry {
        out.push_text(&mark());
        out.push_made(": ");
        out.push_text(&mark());
        out.push_part(text, blank_end + trimmed.len()..range.end);
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
    use super::{Part, common};

    #[test]
    fn entries_of_one_mapping_are_known_by_their_indentation() {
        for (text, expected) in [
            ("\n  a: 1\n  b:\n    - 1\n\n", Part::Entries(2)),
            ("\na: 1", Part::Entries(0)),
            ("\n\n", Part::Blank),
            ("", Part::Blank),
            ("a: 1\n", Part::Other),
            ("\n  a: 1\nb: 1", Part::Other),
            ("\n  - a: 1", Part::Other),
            ("\n  a: 1\n  \u{e000}0\u{e001}", Part::Other),
            ("\n  plain text", Part::Other),
            ("\n---\na: 1", Part::Other),
        ] {
            assert_eq!(Part::of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn whole_lines_are_common() {
        assert_eq!(common("a\nb\nc\n", "a\nx\nc\n"), (2, 3));
        assert_eq!(common("a", "b"), (0, 0));
        assert_eq!(common("", "\n  x: 1"), (0, 0));
        assert_eq!(common("a\n", "a\na\n"), (2, 0));
    }
}
