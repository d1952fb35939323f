//! Lines of a document that only another tool can fill in, and which collections they leave open.
//!
//! A line that inserts text may add to every collection that it is in, or that ends or begins beside it. A line
//! with a condition or a loop adds nothing by itself: what lies between it and its end may be missing or come
//! again, so only collections with an item or a key there are open. A mapping with a key under a condition is not:
//! it has no other keys than those that are seen. A line in place of whole lines, none of which is less indented,
//! may add only to what is indented as far or farther.

use std::ops::Range;

use crate::{
    syntax::yaml::placeholder::only_holes,
    value::{HOLE_START, Symbol, UNKNOWN_LINES},
};

/// The lines of a document that hold nothing but holes. Places are offsets in the document.
#[derive(Debug)]
pub(super) struct UnseenLines {
    /// The first of the holes.
    pub symbol: Symbol,
    inserts: Vec<InsertedLines>,
    bodies: Vec<TemplateBody>,
}

/// A line in whose place others are inserted.
#[derive(Debug)]
struct InsertedLines {
    place: Range<usize>,
    /// The least indentation of what is inserted, as far as it is known.
    column: usize,
}

/// What lies between a condition or a loop and its end.
#[derive(Debug)]
struct TemplateBody {
    lines: Range<usize>,
    is_condition: bool,
}

/// What a line of holes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Condition,
    Loop,
    Continue,
    End,
    Nothing,
    /// Whole lines, indented at least as far as their place.
    Lines,
    Insert,
}

impl UnseenLines {
    /// The lines of `source` that hold nothing but holes, and the text with them blanked out byte by byte;
    /// `None` when there are none.
    #[must_use]
    pub(super) fn blank(source: &str, holes: &[Symbol]) -> Option<(String, Self)> {
        let mut blanked = String::with_capacity(source.len());
        let (mut symbol, mut inserts, mut bodies, mut begun) =
            (None, Vec::new(), Vec::new(), Vec::new());
        for line in source.split_inclusive('\n') {
            let at = blanked.len();
            let found =
                if line.contains(HOLE_START) { only_holes(line, holes) } else { Vec::new() };
            let Some(first) = found.first() else {
                blanked.push_str(line);
                continue;
            };
            symbol.get_or_insert_with(|| first.clone());
            let bare = line.trim_end_matches(['\n', '\r']);
            blanked.extend(std::iter::repeat_n(' ', bare.len()));
            blanked.push_str(line.get(bare.len()..).unwrap_or_default());
            for action in found.iter().map(|it| action(&it.text)) {
                match action {
                    Action::Condition | Action::Loop => {
                        begun.push((at, action == Action::Condition));
                    }
                    Action::Lines | Action::Insert => {
                        let blanks = bare.len() - bare.trim_start_matches(' ').len();
                        let column = if action == Action::Lines { blanks } else { 0 };
                        inserts.push(InsertedLines { place: at..at + bare.len(), column });
                    }
                    // One that began inside a line may be about anything.
                    Action::End => bodies.push(body(begun.pop().unwrap_or((0, false)), at)),
                    Action::Continue if begun.is_empty() => {
                        bodies.push(body((0, false), source.len()));
                    }
                    Action::Continue | Action::Nothing => {}
                }
            }
        }
        bodies.extend(begun.into_iter().map(|it| body(it, source.len())));
        for it in &mut bodies {
            it.is_condition &= !inserts.iter().any(|line| it.lines.contains(&line.place.start));
        }
        Some((blanked, Self { symbol: symbol?, inserts, bodies }))
    }

    /// Whether the collection of a key or an item that begins at a place may hold more than is seen.
    #[must_use]
    pub(super) fn may_hold_more(&self, start: usize, is_key: bool) -> bool {
        let opens = |it: &&TemplateBody| !(is_key && it.is_condition);
        self.bodies.iter().filter(opens).any(|it| it.lines.contains(&start))
    }

    /// Whether a line may insert something into a collection of the blanked text. One in brackets ends there.
    #[must_use]
    pub(super) fn may_insert(
        &self,
        source: &str,
        collection: &Range<usize>,
        is_flow: bool,
    ) -> bool {
        let is_layout = |from: usize, to: usize| {
            let between = source.get(from..to).unwrap_or_default();
            between.lines().all(|it| it.trim_start().is_empty() || it.trim_start().starts_with('#'))
        };
        let own = source.get(..collection.start).unwrap_or_default();
        let (above, before) = own.rsplit_once('\n').unwrap_or(("", own));
        let begins_line = before.chars().all(|it| matches!(it, ' ' | '-'));
        let beside = |line: &Range<usize>| {
            if line.end <= collection.start {
                begins_line && is_layout(line.end, above.len().max(line.end))
            } else {
                is_layout(collection.end, line.start)
            }
        };
        let within = |line: &Range<usize>| collection.contains(&line.start);
        let takes = |it: &InsertedLines| {
            let is_far_enough = is_flow || !begins_line || it.column <= before.len();
            is_far_enough && (within(&it.place) || !is_flow && beside(&it.place))
        };
        self.inserts.iter().any(takes)
    }
}

fn body((start, is_condition): (usize, bool), end: usize) -> TemplateBody {
    TemplateBody { lines: start..end, is_condition }
}

/// What a hole does in the template that it is of.
fn action(symbol: &str) -> Action {
    let inner = |open: &str, close: &str| {
        let inner = symbol.strip_prefix(open)?.strip_suffix(close)?;
        Some(inner.trim_matches(['-', '~']).trim_start())
    };
    if symbol.starts_with(UNKNOWN_LINES) {
        return Action::Lines;
    }
    let Some(code) = inner("{{", "}}").or_else(|| inner("%{", "}")) else { return Action::Insert };
    let word = code.split(|it: char| !it.is_ascii_alphabetic()).next().unwrap_or_default();
    match word {
        "if" | "with" => Action::Condition,
        "range" | "define" | "block" | "for" => Action::Loop,
        "else" => Action::Continue,
        "end" | "endif" | "endfor" => Action::End,
        "" if code.starts_with("/*") => Action::Nothing,
        "" if code.starts_with('$') && code.contains('=') => Action::Nothing,
        _ => Action::Insert,
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, action};

    #[test]
    fn conditions_and_loops_insert_nothing() {
        for (symbol, wanted) in [
            ("{{- if .Values.a }}", Action::Condition),
            ("{{ range $i, $it := .Values.a }}", Action::Loop),
            ("%{ if a ~}", Action::Condition),
            ("%{~ for it in a ~}", Action::Loop),
            ("{{- else if .b }}", Action::Continue),
            ("{{- end -}}", Action::End),
            ("%{ endif ~}", Action::End),
            ("{{- /* a comment */ -}}", Action::Nothing),
            ("{{- $a := .Values.a }}", Action::Nothing),
            ("{{- toYaml .Values.a | nindent 2 }}", Action::Insert),
            ("{{ $a }}", Action::Insert),
            ("{{ ifEmpty }}", Action::Insert),
            ("var.a", Action::Insert),
            ("#lines #1", Action::Lines),
        ] {
            assert_eq!(action(symbol), wanted, "{symbol}");
        }
    }
}
