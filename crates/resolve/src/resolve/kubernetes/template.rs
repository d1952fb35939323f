//! Texts that are no YAML before some other tool fills them in.

use std::ops::Range;

use memchr::memmem;

use crate::{
    findings::Severity,
    syntax::{
        ParseError,
        yaml::{is_marked, is_slash_comment},
    },
};

const MARKS: &[&str] = &["{{", "{%", "%{", "<%"];

/// Whether a text cannot be read because it is meant to be filled in before it is YAML: Go templates,
/// Jinja, ERB, Terraform's directives, or an interpolation in the very line that makes no sense.
pub(crate) fn is_template(text: &str, parse_errors: &[ParseError]) -> bool {
    // The text is searched once, however many errors are in it.
    let marked = !parse_errors.is_empty()
        && MARKS.iter().any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some())
        && text.lines().any(|it| is_marked(it, MARKS));
    let is_form = !parse_errors.is_empty() && text.lines().any(is_field);
    // Of many errors in one line, the line is looked at once.
    let mut seen = None;
    parse_errors.iter().any(|it| match it.severity {
        Severity::Note => !it.is_duplicate_key(),
        Severity::Warning => false,
        Severity::Error if is_slash_comment(&it.message) => false,
        Severity::Error => marked || is_form || is_filled_in(text, it, &mut seen),
    })
}

/// Whether something is filled in the line of an error, which is not the line that was `seen` last.
fn is_filled_in(text: &str, error: &ParseError, seen: &mut Option<Range<usize>>) -> bool {
    let at = error.span.start as usize;
    if seen.as_ref().is_some_and(|it| it.contains(&at)) {
        return false;
    }
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..).and_then(|it| it.lines().next()).unwrap_or_default();
    *seen = Some(start..start + line.len());
    line.contains("${") || line.contains("{$") || has_blank(line)
}

/// Whether a line holds a blank that a person or a script fills in: `{TENANT_ID}`, `[DATA_PRODUCT]`, `<Pod name>`,
/// `@app-name@`, or a word in capitals on its own.
fn has_blank(line: &str) -> bool {
    let closed_by = |close: char| {
        move |rest: &str| {
            let word = rest.split(close).next().filter(|it| it.len() < rest.len());
            word.is_some_and(|it| {
                it.len() > 2 && it.bytes().all(|it| it.is_ascii_uppercase() || it == b'_')
            })
        }
    };
    let alone = line.trim();
    let is_name = |it: &str| {
        it.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
    };
    line.split('{').skip(1).any(closed_by('}'))
        || line.split('[').skip(1).any(closed_by(']'))
        || (alone.contains('_') && is_name(alone))
        || line.split('<').skip(1).any(|it| it.split_once('>').is_some_and(|it| is_phrase(it.0)))
        || line.split(": @").skip(1).any(|it| it.split_once('@').is_some_and(|it| is_phrase(it.0)))
}

/// Whether a line is one of a form: `name: <Pod name>`.
fn is_field(line: &str) -> bool {
    let value = line.split_once(": <").and_then(|it| it.1.trim_end().strip_suffix('>'));
    value.is_some_and(|it| it.contains(' ') && is_phrase(it))
}

/// Whether a text is words, and no mark-up: `Pod name`, `app-name`.
fn is_phrase(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b" _-".contains(&it))
}

#[cfg(test)]
mod tests {
    use super::{MARKS, has_blank, is_marked};

    #[test]
    fn marks_in_comments_fill_nothing_in() {
        for (line, marked) in [
            ("  {{- with .Values.x }}", true),
            ("  name: {{ x }} # web", true),
            ("  # {{- with .Values.x }}", false),
            ("  name: web # {{ x }}", false),
            ("  name: web", false),
        ] {
            assert_eq!(is_marked(line, MARKS), marked, "{line}");
        }
    }

    #[test]
    fn blanks_are_words_in_capitals() {
        for (line, blank) in [
            ("name: {TENANT_ID}-advanced", true),
            ("name: [DATA_PRODUCT]-adaptor", true),
            ("name: <Pod name>", true),
            ("  namespace: @namespace@", true),
            ("mail: @web, or ops@example.com", false),
            ("if: a < b and c > d", false),
            ("args: [a, b", false),
            ("verbs: [GET", false),
            ("key: {name: x} y", false),
            ("zones: [A]", false),
            ("    RELEASE_LABELS", true),
            ("    release_labels", false),
            ("    NOTE", false),
        ] {
            assert_eq!(has_blank(line), blank, "{line}");
        }
    }
}
