//! The parser's errors as messages for users.

use granit_parser::{ErrorKind, ScanError};

/// How many errors of a document are kept that do not end it: each has words and places of its own.
pub(super) const MOST: usize = 1_000;

/// What is wrong, and the byte where it shows, relative to the parsed text.
#[derive(Clone, Debug)]
pub(super) struct YamlProblem {
    /// The byte where it shows.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What YAML forbids and Kubernetes takes, if it is that.
    pub taken: Option<Taken>,
    /// The end of what was read before, relative to the parsed text as well.
    pub after: usize,
}

/// What YAML forbids, while the readers that Kubernetes, Helm and Terraform use take it as it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Quoted text that continues with less indentation.
    Unindented,
    /// A comment right behind a bracket or a quote.
    JoinedComment,
}

impl YamlProblem {
    /// A problem the parser does not know of.
    #[must_use]
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), taken: None, after: 0 }
    }
}

/// Words an error of the parser in `source`.
#[must_use]
pub(super) fn problem(error: &ScanError, source: &str) -> YamlProblem {
    let at = error.marker().byte_offset().unwrap_or(0);
    if let Some(at) = long_separator(source, at) {
        return YamlProblem::new(at, LONG_SEPARATOR);
    }
    if let Some(at) = slash_comment(source, at) {
        return YamlProblem::new(at, SLASH_COMMENT);
    }
    let is_of_indentation = matches!(
        error.kind(),
        ErrorKind::MappingValueNotAllowed
            | ErrorKind::ExpectedBlockMappingKey
            | ErrorKind::InvalidIndentation
    );
    if matches!(error.kind(), ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey)
        && let Some(message) = lone_word(source, at)
    {
        return YamlProblem::new(at, message);
    }
    let found = || without_colon(source, at).or_else(|| deeper(source, at));
    if let Some((at, message)) = is_of_indentation.then(found).flatten() {
        return YamlProblem::new(at, message);
    }
    YamlProblem {
        at,
        message: surroundings(source, at)
            .or_else(|| text_above(error.kind(), source, at).map(str::to_owned))
            .unwrap_or_else(|| message(error.kind())),
        taken: match error.kind() {
            ErrorKind::InvalidQuotedScalarIndent => Some(Taken::Unindented),
            ErrorKind::CommentNotSeparated => Some(Taken::JoinedComment),
            _ => None,
        },
        after: 0,
    }
}

/// What is wrong with a line of more dashes.
pub(super) const LONG_SEPARATOR: &str = "what separates documents is exactly three dashes: `---`";

/// Whether a line is of dashes only, and of more than separate documents.
pub(super) fn is_long_separator(line: &str) -> bool {
    let line = line.trim_end();
    line.len() > 3 && line.bytes().all(|it| it == b'-')
}

/// Where a line of too many dashes is that makes an error in its line, or in the one below it: YAML takes it for text.
fn long_separator(source: &str, at: usize) -> Option<usize> {
    let start = source.get(..at)?.rfind('\n').map_or(0, |it| it + 1);
    if source[start..].lines().next().is_some_and(is_long_separator) {
        return Some(start);
    }
    let is_of_text = |it: &&str| !it.trim().is_empty() && !it.starts_with('#');
    let above = source[..start].lines().rev().find(is_of_text)?;
    if is_long_separator(above) { source[..start].rfind(above) } else { None }
}

/// What is wrong with a line of `// text`.
const SLASH_COMMENT: &str = "a comment in YAML begins with `#`, and not with `//`";

/// Where a comment of another language is that makes an error in its line, or in the next one with text: YAML takes
/// it for text.
fn slash_comment(source: &str, at: usize) -> Option<usize> {
    let start = source.get(..at)?.rfind('\n').map_or(0, |it| it + 1);
    let end = source[start..].find('\n').map_or(source.len(), |it| start + it);
    let mut found = None;
    let mut line_end = end;
    for (number, line) in source[..end].rsplit('\n').enumerate() {
        let text = line.trim_start();
        let line_start = line_end - line.len();
        if text.starts_with("//") {
            found = Some(line_start + line.len() - text.len());
        } else if number > 0 && !text.trim().is_empty() && !text.starts_with('#') {
            break;
        }
        line_end = line_start.saturating_sub(1);
    }
    found.filter(|it| !is_of_block(source, *it))
}

/// Whether the line of a place is of a text block: the next line above that is indented less ends with `|` or `>`.
fn is_of_block(source: &str, at: usize) -> bool {
    let start = source[..at].rfind('\n').map_or(0, |it| it + 1);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_outer = |it: &&str| !it.trim().is_empty() && indent(it) < at - start;
    let outer = source[..start].lines().rev().find(is_outer).unwrap_or_default();
    outer.trim_end().trim_end_matches(['-', '+']).ends_with(['|', '>'])
}

/// Whether the problem of a message is a comment of another language: no template makes one of YAML of it.
#[must_use]
pub fn is_slash_comment(message: &str) -> bool {
    message == SLASH_COMMENT
}

/// Whether a problem is there whatever a template makes of the rest: a comment of another language, above which
/// nothing may leave it out.
pub(super) fn is_certain(problem: &YamlProblem, source: &str) -> bool {
    let opens = |it: &str| ["{{", "{%", "%{"].iter().any(|mark| it.trim_start().starts_with(mark));
    is_slash_comment(&problem.message)
        && !source.get(..problem.at).is_some_and(|it| it.lines().any(opens))
}

/// A clearer message than the parser's, from the text around an error.
fn surroundings(source: &str, at: usize) -> Option<String> {
    let before = source.get(..at)?;
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let conflict = ["<<<<<<< ", "=======", ">>>>>>> "];
    if conflict.iter().any(|it| source[start..].starts_with(it)) {
        return Some("a merge conflict that was not resolved".to_owned());
    }
    let last = before[start..].trim_end().chars().next_back()?;
    let closes = matches!(last, '}' | ']') && before[start..].contains(": ");
    let text = source[at..].starts_with(|it: char| !matches!(it, '\n' | '\r' | '#' | ','));
    (closes && text)
        .then(|| format!("text after the closing `{last}`; put the whole value in quotes"))
}

/// Where a key stands deeper than the one above it, which has a value already, and what to do about it. Without line
/// numbers, as the text may be embedded in a file.
fn deeper(source: &str, at: usize) -> Option<(usize, String)> {
    let start = source.get(..at)?.rfind('\n').map_or(0, |it| it + 1);
    let (column, key, _) = entry(source[start..].lines().next()?)?;
    let is_of_text = |it: &&str| !it.trim().is_empty() && !it.trim_start().starts_with('#');
    let (outer, above, value) = entry(source[..start].lines().rev().find(is_of_text)?)?;
    let has_value = !value.is_empty() && !value.starts_with(['|', '>', '&', '*', '!', '#']);
    if column <= outer || !has_value {
        return None;
    }
    let message = if let "{}" | "[]" = value {
        format!("`{above}` above has the value `{value}` already; remove that, or what follows it")
    } else {
        format!("`{key}` is indented deeper than `{above}` above, which has a value; align the two")
    };
    Some((start + column, message))
}

/// Whether a word may be meant as a key.
fn is_word(text: &str) -> bool {
    let is_of_key = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/');
    !text.is_empty() && text.chars().all(is_of_key)
}

/// A word alone on its line where a key is expected, with deeper keys below it.
fn lone_word(source: &str, at: usize) -> Option<String> {
    let start = source.get(..at)?.rfind('\n').map_or(0, |it| it + 1);
    let mut lines = source[start..].lines();
    let word = lines.next().filter(|_| source[start..at].trim().is_empty())?.trim();
    let below = lines.find(|it| !it.trim().is_empty() && !it.trim_start().starts_with('#'))?;
    let is_below = entry(below).is_some_and(|(column, ..)| column > at - start);
    (is_word(word) && is_below).then(|| format!("`{word}` has no `:` behind it"))
}

/// A word above a deeper key that has no `:`, so that the two are one text.
fn without_colon(source: &str, at: usize) -> Option<(usize, String)> {
    let start = source.get(..at)?.rfind('\n').map_or(0, |it| it + 1);
    let (column, ..) = entry(source[start..].lines().next()?)?;
    let is_of_text = |it: &&str| !it.trim().is_empty() && !it.trim_start().starts_with('#');
    let mut above = source[..start].lines().rev().filter(is_of_text);
    let line = above.next()?;
    let word = line.trim_start_matches([' ', '-']).trim_end();
    let own = line.len() - line.trim_start_matches([' ', '-']).len();
    // Text in a list goes on where it begins.
    let is_item = line.trim_start().starts_with('-');
    if column < own || column == own && !is_item || !is_word(word) {
        return None;
    }
    // The word may continue the value of a key above it.
    let is_continued = above.next().is_some_and(|it| {
        entry(it).is_none_or(|(outer, _, value)| outer < own && !value.is_empty())
    });
    let place = source[..start].rfind(line)? + own;
    (!is_continued).then(|| (place, format!("`{word}` has no `:` behind it")))
}

/// The column of a key that a line begins with, behind the dashes of lists, the key, and what follows on the line.
fn entry(line: &str) -> Option<(usize, &str, &str)> {
    let text = line.trim_start_matches([' ', '-']);
    let (key, value) = text.split_once(':')?;
    let is_key = !key.is_empty() && !key.contains([' ', '{', '[', '#']);
    let ends = value.is_empty() || value.starts_with([' ', '\r']);
    let value = value.split(" #").next().unwrap_or_default().trim();
    (is_key && ends).then_some((line.len() - text.len(), key, value))
}

/// That a key follows text which goes on to it, where the `: ` at `at` is the only one of its line.
fn text_above(kind: &ErrorKind, source: &str, at: usize) -> Option<&'static str> {
    let line = source.get(..at)?.rsplit('\n').next()?;
    let is_only = *kind == ErrorKind::MappingValueNotAllowed && !line.contains(": ");
    is_only
        .then_some("the text above this key has no `: `: either that is missing, or it is no YAML")
}

fn message(kind: &ErrorKind) -> String {
    use ErrorKind as E;
    let text = match kind {
        E::SimpleKeyExpected | E::InvalidSimpleKey => {
            "this line is neither `key: value` nor part of the text above"
        }
        E::ExpectedBlockMappingKey | E::ExpectedBlockSequenceEntry | E::InvalidIndentation => {
            "this is not indented like the lines it belongs to"
        }
        E::MappingValueNotAllowed => {
            "a second `: ` in the same value; put the value in quotes if it is text"
        }
        E::MappingKeyNotAllowed | E::ExpectedDocumentStart => {
            "this does not belong to anything above it"
        }
        E::InvalidColonPlacement => {
            "this `:` is not allowed here; a bracket or a quote above may not be closed"
        }
        E::BlockSequenceEntryNotAllowed | E::BlockEntryInFlowCollection => {
            "a list item cannot start here; put it on a line of its own"
        }
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabAtBlockScalarStart => "a tab in the indentation; YAML wants spaces",
        E::UnclosedQuotedScalar | E::DocumentIndicatorInQuotedScalar => {
            "the quoted text is not closed"
        }
        E::InvalidQuotedScalarIndent => {
            "the quoted text is not closed, or continues without enough indentation"
        }
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => {
            "text after the closing quote"
        }
        E::UnknownQuotedScalarEscape => "a backslash in double quotes that YAML does not know",
        E::UnclosedFlowCollection { open } => {
            return format!("this `{open}` is never closed");
        }
        E::MismatchedFlowCollectionEnd { open, close } => {
            return format!("`{open}` is closed with `{close}`");
        }
        E::MisplacedFlowCollectionEnd => "a closing bracket without an opening one",
        E::ExpectedFlowMappingSeparator => "a `,` or `}` is missing here",
        E::ExpectedFlowSequenceSeparator => "a `,` or `]` is missing here",
        E::UnexpectedCharacter { character } => {
            let character = character.escape_default();
            return format!("a value cannot start with `{character}`; put it in quotes");
        }
        E::RecursionLimitExceeded => "nested too deeply",
        E::UndeclaredTagHandle => "this tag's prefix is not declared",
        E::MissingAnchorOrAliasName => "an anchor or alias without a name",
        E::InvalidBlockScalarHeader | E::ZeroBlockScalarIndent => {
            "only an indentation digit, `+`, `-` or a comment may follow `|` and `>`"
        }
        E::InvalidBlockScalarIndent => "a line of the text block is not indented enough",
        E::BomInsideDocument => "a byte order mark in the middle of the text",
        E::CommentNotSeparated => "a space is missing before `#`",
        other => return other.to_string(),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::{source::FileId, syntax::yaml::parse_file};

    use super::{MOST, deeper, slash_comment, surroundings, without_colon};

    #[test]
    fn comments_of_another_language_are_found_above_what_they_break() {
        for (source, wanted) in [
            ("// of a\na: 1\n", Some(0)),
            ("\n// of a\n# and\n\n// more\na: 1\n", Some(1)),
            ("a:\n  b: 1\n  // of c\n  c: 2\n", Some(12)),
            ("a: 1\n// of b\nb: 2\n", Some(5)),
            ("a: |\n  // of c\nc: 1\n", None),
            ("a: 1\nb: 2\n", None),
        ] {
            let at = source.rfind(':').unwrap_or_default();
            assert_eq!(slash_comment(source, at), wanted, "{source}");
        }
    }

    #[test]
    fn keys_deeper_than_a_value_are_named() {
        let too_deep =
            "`value` is indented deeper than `key` above, which has a value; align the two";
        let has_value =
            "`resources` above has the value `{}` already; remove that, or what follows it";
        for (source, expected) in [
            ("- key: a\n    value: b\n", Some((13, too_deep))),
            ("key: 'a'\n# of it\n\n  value: b\n", Some((20, too_deep))),
            ("resources: {} # none\n  limits: 1\n", Some((23, has_value))),
            ("key: a: b\n", None),
            ("key: a\nvalue: b\n", None),
            ("text: see\n  the page: b\n", None),
            ("key: |\n  value: b\n", None),
            ("key:\n  value: b\n", None),
        ] {
            let at = source.rfind(':').unwrap_or_default();
            let found = deeper(source, at);
            assert_eq!(found.as_ref().map(|it| (it.0, &*it.1)), expected, "{source}");
        }
    }

    #[test]
    fn words_above_deeper_keys_lack_their_colon() {
        for (source, expected) in [
            ("global\n  name: a\n", Some(0)),
            ("a: b\nitems:\n  - first # of all\n    name: a\n", None),
            ("a: b\nitems:\n  - first\n    # of all\n    name: a\n", Some(16)),
            ("a: some\n  text\n    name: a\n", None),
            ("some text\n  name: a\n", None),
            ("global\nname: a\n", None),
        ] {
            let found = without_colon(source, source.rfind(':').unwrap_or_default());
            assert_eq!(found.map(|it| it.0), expected, "{source}");
        }
    }

    #[test]
    fn a_key_below_text_has_no_second_colon() {
        for (source, expected) in [
            ("mkdir build\ncat <<EOF\nkind: Pod\n", "the text above this key has no `: `"),
            ("kind: Pod: x\n", "a second `: `"),
        ] {
            let found = &parse_file(FileId(0), source).parse_errors[0].message;
            assert!(found.to_lowercase().starts_with(expected), "{source}: {found}");
        }
    }

    #[test]
    fn what_is_around_an_error_is_named() {
        for (source, at, expected) in [
            (
                "name: {ID}-x\n",
                10,
                Some("text after the closing `}`; put the whole value in quotes"),
            ),
            (
                "name: [ID]-x\n",
                10,
                Some("text after the closing `]`; put the whole value in quotes"),
            ),
            ("a: 1\n<<<<<<< HEAD\n", 5, Some("a merge conflict that was not resolved")),
            ("a: b: c\n", 4, None),
            ("a: [1]\n b\n", 8, None),
        ] {
            assert_eq!(surroundings(source, at).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn errors_are_kept_as_far_as_anybody_reads_them() {
        let source = "a: 1\n".repeat(MOST * 2);
        let documents = parse_file(FileId(0), &source);
        assert_eq!(documents.parse_errors.len(), MOST);
        assert_eq!(documents.values[0].entries().len(), 1);
    }
}
