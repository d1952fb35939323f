//! Values that are left empty for what deploys them to fill in, as a comment beside or above them says.

use std::collections::HashMap;

use crate::{
    findings::{
        Finding,
        silence::{Silence, Unreported},
    },
    source::{FileId, Files, SourceFile, Span},
    value::cause::Cause,
};

/// What comments say of values that something else fills in, in small letters.
const WORDS: &[&str] = &[
    "--set",
    "at apply",
    "at deploy",
    "at install",
    "at runtime",
    "by ci",
    "by the ci",
    "by the pipeline",
    "by terraform",
    "during deploy",
    "during install",
    "envsubst",
    "filled by",
    "filled in",
    "from ci",
    "from terraform",
    "in ci",
    "inject",
    "overridden at",
    "overridden by",
    "overridden in",
    "overridden per",
    "override at",
    "override in",
    "override per",
    "passed by",
    "passed in",
    "passed via",
    "placeholder",
    "populated",
    "provided by",
    "replaced",
    "set by",
    "set per",
    "set via",
    "substituted",
    "supplied",
    "via ci",
    "주입",
];
/// How values are written that say nothing.
const EMPTY: &[&str] = &["", "\"\"", "''", "null", "~"];
/// Lines further above are about other things.
const MOST_LINES: usize = 60;
/// How many bytes a line may have that somebody wrote by hand.
const LONGEST_LINE: usize = 1000;

/// Takes what is said about such a value back, as something that is not decided.
pub(super) fn take_back(files: &Files, reported: &mut Vec<Finding>) -> Vec<Unreported> {
    let mut open = Vec::new();
    let mut comments = Comments { files, split: HashMap::new() };
    reported.retain(|it| {
        let mut places = [it.span].into_iter().chain(it.notes.iter().map(|it| it.span));
        let Some(comment) = places.find_map(|span| comments.of(span)) else {
            return true;
        };
        let words = "a comment says that something else fills in what is left empty";
        let silence = Silence::undecided(Cause::Value, words).at(comment, "the comment");
        open.push(Unreported { rule: it.rule, span: it.span, silence });
        false
    });
    open
}

/// The comments of files, each of which is split once.
struct Comments<'f> {
    files: &'f Files,
    split: HashMap<FileId, Lines<'f>>,
}

impl Comments<'_> {
    /// The comment by which an empty value is filled in later.
    fn of(&mut self, place: Span) -> Option<Span> {
        let file = self.files.get(place.file);
        if !matches!(file.ending(), "yaml" | "yml" | "tf" | "tofu" | "tfvars" | "hcl") {
            return None;
        }
        // Most places are no empty values, and their files need not be split.
        let line = file.line_of(place.start as usize);
        let text = Some(file.line_text(line)).filter(|it| it.len() <= LONGEST_LINE)?;
        value_in(text).filter(|it| EMPTY.contains(it))?;
        let lines = self.split.entry(place.file).or_insert_with(|| Lines::of(file));
        if !lines.is_empty_value(line) {
            return None;
        }
        lines.comment_near(line).map(|(start, end)| Span::new(place.file, start, end))
    }
}

/// The lines of a file.
struct Lines<'f>(Vec<Line<'f>>);

/// A line.
struct Line<'f> {
    /// Where it starts.
    start: usize,
    text: &'f str,
    /// How deep it lies: by its indentation, or by what is open before it where that says nothing.
    depth: usize,
}

impl<'f> Lines<'f> {
    fn of(file: &'f SourceFile) -> Self {
        let is_yaml = matches!(file.ending(), "yaml" | "yml");
        let (mut start, mut open) = (0, 0);
        let line = |text: &'f str| {
            let before = open;
            let code = &text[..comment_in(text).unwrap_or(text.len())];
            open += code.matches(['{', '[', '(']).count();
            open = open.saturating_sub(code.matches(['}', ']', ')']).count());
            let depth = if is_yaml { indent(text) } else { before };
            let own = Line { start, text, depth };
            start += text.len();
            own
        };
        Self(file.text().split_inclusive('\n').map(line).collect())
    }

    fn text(&self, line: usize) -> &'f str {
        self.0.get(line).map_or("", |it| it.text.trim_end())
    }

    fn depth(&self, line: usize) -> usize {
        self.0.get(line).map_or(0, |it| it.depth)
    }

    fn comment(&self, line: usize) -> Option<usize> {
        comment_in(self.text(line))
    }

    fn is_comment(&self, line: usize) -> bool {
        self.comment(line) == Some(indent(self.text(line)))
    }

    /// Whether a line has a key and nothing behind it, and nothing below it either.
    fn is_empty_value(&self, line: usize) -> bool {
        let value = value_in(self.text(line)).filter(|it| EMPTY.contains(it));
        let is_code = |it: &usize| !self.text(*it).is_empty() && !self.is_comment(*it);
        let below = (line + 1..self.0.len()).find(is_code);
        let is_inside = |it: usize| {
            self.depth(it) > self.depth(line) || self.text(it).trim_start().starts_with("- ")
        };
        value.is_some_and(|it| !it.is_empty() || !below.is_some_and(is_inside))
    }

    /// The comment on the line, above it, above other empty values before it, or of what it is inside of.
    fn comment_near(&self, line: usize) -> Option<(usize, usize)> {
        if let Some(said) = self.said(line) {
            return Some(said);
        }
        let mut depth = self.depth(line);
        let mut is_of_it = true;
        for above in (0..line).rev().take(MOST_LINES) {
            let text = self.text(above).trim_start();
            if text.is_empty() {
                is_of_it = false;
            } else if self.is_comment(above) {
                if let Some(said) = self.said(above).filter(|_| is_of_it) {
                    return Some(said);
                }
            } else if self.depth(above) < depth {
                depth = self.depth(above);
                is_of_it = true;
                if let Some(said) = self.said(above) {
                    return Some(said);
                }
            } else if text.starts_with("description") && self.depth(above) == depth {
                let (start, whole) = (self.0[above].start, self.text(above));
                if is_said(text) {
                    return Some((start + indent(whole), start + whole.len()));
                }
            } else if !self.is_empty_value(above) {
                is_of_it = false;
            }
        }
        None
    }

    /// Where the comment of a line is, if it says so.
    fn said(&self, line: usize) -> Option<(usize, usize)> {
        let at = self.comment(line)?;
        let text = self.text(line);
        let start = self.0.get(line)?.start;
        is_said(&text[at..]).then(|| (start + at, start + text.len()))
    }
}

/// How far a line is indented.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Where the comment of a line begins in it.
pub(super) fn comment_in(line: &str) -> Option<usize> {
    let mut marks = line.match_indices(['#', '/']).map(|it| it.0);
    marks.find(|at| {
        let is_mark = line[*at..].starts_with('#') || line[*at..].starts_with("//");
        is_mark && line[..*at].chars().last().is_none_or(char::is_whitespace)
    })
}

/// What is written behind the key of a line.
fn value_in(line: &str) -> Option<&str> {
    let code = &line[..comment_in(line).unwrap_or(line.len())];
    let at = code.find([':', '='])?;
    Some(code[at + 1..].trim())
}

/// Whether words of a comment say that something else fills in a value.
fn is_said(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    WORDS.iter().any(|word| {
        comment.match_indices(word).any(|(at, _)| {
            let before = comment[..at].chars().last();
            let after = comment[at + word.len()..].chars().next();
            // "in ci" is not in "in circles", "set by" not in "reset by"; "inject" is in "injected".
            let is_short = word.ends_with("ci");
            before.is_none_or(|it| !it.is_ascii_alphabetic())
                && (!is_short || after.is_none_or(|it| !it.is_ascii_alphabetic()))
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        lint::filled_in::Comments,
        source::{FileId, Files, SourceFile, Span},
    };

    fn comment_of(files: &Files, place: Span) -> Option<Span> {
        Comments { files, split: std::collections::HashMap::new() }.of(place)
    }

    #[test]
    fn comments_say_that_something_else_fills_in_a_value() {
        for (text, is_filled) in [
            ("a: \"\" # injected by CI\n", true),
            ("# set with --set\na: ''\n", true),
            ("# set with --set\n\na: ''\n", false),
            ("# --set a=…\ns:\n  b: x\n  a:\n", true),
            ("s:\n  # filled in at deploy time\n  b: \"\"\n  a: \"\"\n", true),
            ("s:\n  # filled in at deploy time\n  b: x\n  a: \"\"\n", false),
            ("a: \"\" # runs in circles, reset by nobody\n", false),
            ("a: \"\" # the queue\n", false),
            ("a: none # injected by CI\n", false),
            ("# injected by CI\na:\n  b: 1\n", false),
            ("- # injected by CI\n  b: 1\n  a: ~\n", true),
            ("b: \"http://set by/\"\na: \"\"\n", false),
        ] {
            let files = Files::new(vec![SourceFile::new("values.yaml", text)]);
            let at = text.find("a:").unwrap_or_default();
            let found = comment_of(&files, Span::new(FileId(0), at, at + 1));
            assert_eq!(found.is_some(), is_filled, "{text}");
        }
        let text =
            "variable \"queue\" {\n  description = \"Set by Terraform\"\n  default = \"\"\n}\n";
        let files = Files::new(vec![SourceFile::new("main.tf", text)]);
        let at = text.find("\"\"\n").unwrap_or_default();
        assert!(comment_of(&files, Span::new(FileId(0), at, at + 2)).is_some());
    }
}
