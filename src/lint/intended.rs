//! Values that are meant to be as they are, as the comment of their line says.

use crate::{
    findings::{Finding, Severity},
    lint::filled_in::comment_in,
    source::{Files, SourceFile, Span},
};

/// What comments say of a value that is meant, in small letters.
const WORDS: &[&str] = &[
    "on purpose",
    "intentional",
    "deliberate",
    "by design",
    "we accept",
    "known limitation",
    "not needed because",
];
/// The rule about budgets that allow no disruption, which people write to keep nodes.
const FROZEN: &str = "frozen-nodepool";
/// What comments say there of why no node may go, in small letters.
const REASONS: &[&str] = &[
    "protect",
    "prevent",
    "avoid",
    "never ",
    "disabled",
    "no voluntary",
    "without disrupt",
    "not disrupt",
    "don't disrupt",
    "not be disrupt",
    "no disruption",
];
/// What turns such words round.
const NEGATIONS: &[&str] = &["not", "never", "isn't", "wasn't"];
/// Keys that only say which object it is: what is reported there is missing from the object.
const NAMES: &[&str] = &["name", "kind", "apiVersion", "metadata", "chart", "source"];
/// How many lines a comment above may have.
const MOST_LINES: usize = 6;
/// How many a comment above may have that explains a whole block.
const MOST_LINES_OF_BLOCK: usize = 12;
/// How many lines between such a comment and the value may only open what the value is in.
const MOST_OPENERS: usize = 2;
/// How many bytes a line may have that somebody wrote by hand.
const LONGEST_LINE: usize = 1000;

/// Lowers a warning about a value whose own comment says that it is meant, and says how to allow it.
pub(super) fn limit_severity(files: &Files, finding: &mut Finding) {
    if finding.severity != Severity::Warning {
        return;
    }
    let explains = || explanation_of(files, finding.span).filter(|_| finding.rule == FROZEN);
    let Some(comment) = comment_of(files, finding.span).or_else(explains) else { return };
    finding.at_most(Severity::Note);
    let allow = format!("# karplint: allow {} because …", finding.rule);
    finding.note(comment, format!("a comment says that it is meant: `{allow}` allows it"));
}

/// The comment that says so, on the line of a value or right above it.
fn comment_of(files: &Files, place: Span) -> Option<Span> {
    let (file, line) = line_of_value(files, place)?;
    let above = (1..=MOST_LINES).map_while(|it| line.checked_sub(it));
    let above = above.take_while(|it| is_comment(file, *it));
    let said = std::iter::once(line).chain(above).find_map(|it| said(file, it, &says))?;
    Some(Span::new(place.file, said.start, said.end))
}

/// The comment that says why no node may go, on the line of a value, or above it or what it is in.
fn explanation_of(files: &Files, place: Span) -> Option<Span> {
    let (file, line) = line_of_value(files, place)?;
    let above = |from: usize| (1..).map_while(move |it| from.checked_sub(it));
    let openers = above(line).take(MOST_OPENERS).take_while(|it| opens(file.line_text(*it)));
    let first = line - openers.count();
    let own = above(first).take(MOST_LINES_OF_BLOCK).take_while(|it| is_comment(file, *it));
    let explains = |it: &str| holds(it, REASONS);
    let said = std::iter::once(line).chain(own).find_map(|it| said(file, it, &explains))?;
    Some(Span::new(place.file, said.start, said.end))
}

/// The line of a place, if a value is written there outside a comment.
fn line_of_value(files: &Files, place: Span) -> Option<(&SourceFile, usize)> {
    let file = files.get(place.file);
    let line = file.line_of(place.start as usize);
    let own = file.line_range(line);
    let text = Some(file.slice(own.clone())).filter(|it| it.len() <= LONGEST_LINE)?;
    let end = comment_in(text).unwrap_or(text.len());
    let is_inside =
        place.end as usize <= own.start + end && (place.start as usize) < own.start + end;
    (is_inside && is_value(text[..end].trim())).then_some((file, line))
}

/// Whether a line only opens a block, a mapping or a list.
fn opens(line: &str) -> bool {
    let code = line[..comment_in(line).unwrap_or(line.len())].trim_end();
    line.len() <= LONGEST_LINE && code.ends_with(['{', '[', ':'])
}

/// Whether code is a whole value, with its key or without: no header of a block and no name.
fn is_value(code: &str) -> bool {
    let code = code.trim_start_matches("- ");
    let key = code.split([':', '=', ' ']).next().unwrap_or_default().trim_matches('"');
    let opens = code.ends_with(['{', '[', '(', ':', '|', '>', '=']) || code.contains("<<");
    !code.is_empty() && !opens && !NAMES.contains(&key)
}

fn is_comment(file: &SourceFile, line: usize) -> bool {
    let text = file.line_text(line);
    text.len() <= LONGEST_LINE && comment_in(text) == Some(text.len() - text.trim_start().len())
}

/// Where the comment of a line is, if it says so.
fn said(
    file: &SourceFile,
    line: usize,
    says: &dyn Fn(&str) -> bool,
) -> Option<std::ops::Range<usize>> {
    let range = file.line_range(line);
    let text = file.slice(range.clone());
    let at = comment_in(text)?;
    says(&text[at..]).then(|| range.start + at..range.start + text.trim_end().len())
}

/// Whether a comment says that something is meant.
fn says(comment: &str) -> bool {
    holds(comment, WORDS)
}

fn holds(comment: &str, words: &[&str]) -> bool {
    let comment = comment.to_lowercase();
    words.iter().any(|word| {
        comment.match_indices(word).any(|(at, _)| {
            let before = &comment[..at];
            let last = before.split_whitespace().next_back().unwrap_or_default();
            !before.ends_with(|it: char| it.is_alphabetic()) && !NEGATIONS.contains(&last)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{comment_of, explanation_of};
    use crate::source::{FileId, Files, SourceFile, Span};

    #[test]
    fn the_comment_of_a_value_says_that_it_is_meant() {
        for (text, is_meant) in [
            ("a: 0 # on purpose\n", true),
            ("# Intentionally zero: nobody may move it\na: 0\n", true),
            ("# By design.\n# It is drained by hand.\na: 0\n", true),
            ("# by design\n\na: 0\n", false),
            ("# by design\nb: 1\na: 0\n", false),
            ("b: 1 # by design\na: 0\n", false),
            ("# by design\na:\n  b: 0\n", false),
            ("# by design\na {\n", false),
            ("a: 0 # unintentional\n", false),
            ("a: 0 # not intentional\n", false),
            ("a: 0 # zero\n", false),
        ] {
            let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
            let at = text.find("a:").or_else(|| text.find("a {")).unwrap_or_default();
            let found = comment_of(&files, Span::new(FileId(0), at, at + 1));
            assert_eq!(found.is_some(), is_meant, "{text}");
        }
    }

    #[test]
    fn a_comment_explains_why_no_node_may_go() {
        for (text, explains) in [
            ("a: 0 # never terminate these\n", true),
            ("# Protects the reservation.\nb:\n  - a: 0\n", true),
            ("# Protects the reservation.\nc: 1\na: 0\n", false),
            ("# Disruption\nb:\n  - a: 0\n", false),
        ] {
            let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
            let at = text.find("a: 0").unwrap_or_default();
            let found = explanation_of(&files, Span::new(FileId(0), at, at + 1));
            assert_eq!(found.is_some(), explains, "{text}");
        }
    }
}
