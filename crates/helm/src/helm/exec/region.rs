//! Whole documents that are printed perhaps: behind a condition that is not known. They are kept apart from what is
//! printed for sure, each with what decides whether it is there.

use std::rc::Rc;

use crate::helm::{
    condition::{Condition, Edge},
    exec::join::join,
    text::{Builder, Source, Text},
};

/// Documents that are printed perhaps.
#[derive(Clone, Debug)]
pub(crate) struct Perhaps {
    /// What has to hold, the outermost first.
    pub conditions: Vec<Condition>,
    /// The documents.
    pub text: Text,
}

/// What a template prints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed {
    /// What it prints for sure.
    pub text: Text,
    /// What it prints perhaps.
    pub perhaps: Vec<Perhaps>,
}

/// Whether one of two bodies prints whole documents, and the other whole documents that are others, or none.
pub(super) fn are_apart(a: &Text, b: &Text) -> bool {
    let (Some(a), Some(b)) = (titles(a.as_str()), titles(b.as_str())) else { return false };
    a.len() + b.len() > 0 && !a.iter().any(|it| b.contains(it))
}

/// Kind and name of each document, as they are written; `None` where a document is not whole.
fn titles(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    for document in documents(text) {
        if is_blank(document) {
            continue;
        }
        let of = |key: &str| lines(document).find_map(|it| it.strip_prefix(key));
        of("apiVersion:")?;
        let kind = of("kind:")?;
        of("metadata:")?;
        let name = lines(document).find_map(|it| it.strip_prefix("  name:"));
        found.push((kind.trim(), name.unwrap_or_default().trim()));
    }
    Some(found)
}

/// The texts between the lines that begin with `---`.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_start_matches(is_edge);
    let text = text.strip_prefix("---").unwrap_or(text);
    text.split("\n---")
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|it| it.trim_start_matches(is_edge))
}

fn is_edge(letter: char) -> bool {
    Edge::ALL.iter().any(|it| it.mark().starts_with(letter))
}

/// Whether there is nothing but blanks and comments.
fn is_blank(text: &str) -> bool {
    lines(text).all(|it| it.trim().is_empty() || it.trim_start().starts_with('#'))
}

/// Adds two bodies of which one is taken, as documents that are there perhaps.
pub(super) fn push(a: &Text, b: &Text, condition: &Rc<Condition>, out: &mut Builder) {
    for (edge, body) in [(Edge::Then, Some(a)), (Edge::Else, Some(b)), (Edge::End, None)] {
        out.push(edge.mark(), &Source::Edge(edge, Rc::clone(condition)));
        if let Some(body) = body {
            out.push_text(body);
        }
    }
}

/// A part of what a template prints.
enum Piece {
    Sure(Text),
    Either(Rc<Condition>, Text, Text),
}

/// The parts of a text, as the outermost conditions cut it.
fn pieces(text: &Text) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    // Where the part that is open begins, and where its second body does.
    let (mut start, mut middle) = (0, 0);
    for (range, edge, condition) in text.edges() {
        match edge {
            Edge::Then => {
                if depth == 0 {
                    found.push(Piece::Sure(text.slice(start..range.start)));
                    start = range.end;
                }
                depth += 1;
            }
            Edge::Else if depth == 1 => middle = range.start,
            Edge::Else => {}
            Edge::End => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let then = text.slice(start..middle);
                    let otherwise = text.slice(middle + Edge::Else.mark().len()..range.start);
                    found.push(Piece::Either(Rc::clone(condition), then, otherwise));
                    start = range.end;
                }
            }
        }
    }
    found.push(Piece::Sure(text.slice(start..text.len())));
    found
}

/// The text as it is where nothing is told apart: with a hole for what differs.
pub(super) fn joined(text: &Text) -> Text {
    if text.edges().next().is_none() {
        return text.clone();
    }
    let mut out = Builder::default();
    for piece in pieces(text) {
        match piece {
            Piece::Sure(text) => out.push_text(&text),
            Piece::Either(condition, a, b) => {
                join(&joined(&a), &joined(&b), &Rc::new(condition.symbol.clone()), &mut out);
            }
        }
    }
    out.finish()
}

/// Takes apart what is printed for sure and what is printed perhaps.
pub(super) fn settle(text: Text) -> Printed {
    if text.edges().next().is_none() {
        return Printed { text, ..Printed::default() };
    }
    let mut printed = Printed::default();
    printed.text = apart(&text, &[], &mut printed.perhaps);
    printed
}

/// What of a text is printed as surely as these conditions hold; the rest is added apart.
fn apart(text: &Text, around: &[Condition], found: &mut Vec<Perhaps>) -> Text {
    let mut out = Builder::default();
    let pieces = pieces(text);
    for (index, piece) in pieces.iter().enumerate() {
        let (condition, a, b) = match piece {
            Piece::Sure(text) => {
                out.push_text(text);
                continue;
            }
            Piece::Either(condition, a, b) => (condition, a, b),
        };
        let ends = match pieces.get(index + 1) {
            Some(Piece::Sure(next)) => ends_document(next.as_str()),
            _ => true,
        };
        let begins = |it: &Text| opens_document(out.as_str()) || starts_document(it.as_str());
        if !ends || !begins(a) || !begins(b) {
            join(&joined(a), &joined(b), &Rc::new(condition.symbol.clone()), &mut out);
            continue;
        }
        for (body, holds) in [(a, true), (b, false)] {
            let mut conditions = around.to_vec();
            conditions.push(Condition { holds, ..Condition::clone(condition) });
            let text = apart(body, &conditions, found);
            if !is_blank(text.as_str().trim().trim_start_matches("---")) {
                found.push(Perhaps { conditions, text });
            }
        }
        out.push_made("\n---\n");
    }
    out.finish()
}

/// Whether nothing but blanks is behind the last `---` of a text.
fn opens_document(text: &str) -> bool {
    let start = text.rfind("\n---").map_or(0, |at| at + 4);
    let last = text.get(start..).unwrap_or_default();
    is_blank(last.strip_prefix("---").unwrap_or(last))
}

/// Whether a body is blank or begins a document of its own.
fn starts_document(text: &str) -> bool {
    let text = text.trim_start_matches(|it: char| it.is_whitespace() || is_edge(it));
    text.is_empty() || text.starts_with("---")
}

/// Whether the document before a text ends there: at its end, at `---`, or at the next condition.
fn ends_document(text: &str) -> bool {
    text.starts_with("---") || text.split("\n---").next().is_none_or(is_blank)
}

#[cfg(test)]
mod tests {
    use super::titles;

    #[test]
    fn whole_documents_have_titles() {
        let pdb = "\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: a\n";
        assert_eq!(titles(pdb), Some(vec![("PodDisruptionBudget", "a")]));
        assert_eq!(titles(&format!("---{pdb}---\n# none\n")).map(|it| it.len()), Some(1));
        assert_eq!(titles("\nspec:\n  a: 1\n"), None);
        assert_eq!(titles(&format!("{pdb}---\nx: 1\n")), None);
        assert_eq!(titles("\n# nothing\n"), Some(Vec::new()));
    }
}
