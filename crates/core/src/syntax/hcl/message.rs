//! hcl-edit's errors as messages for users.

use crate::syntax::ParseError;

const NO_ESCAPE: &str = "this escape sequence does not exist: a backslash is `\\\\` in quotes";
const NO_CODE: &str = "`\\u` needs 4 and `\\U` 8 hexadecimal digits";

/// What is wrong with the escape whose backslash is at `at` in `text`.
pub(super) fn escape(text: &str, at: usize) -> String {
    let is_code = matches!(text.as_bytes().get(at + 1), Some(b'u' | b'U'));
    if is_code { NO_CODE } else { NO_ESCAPE }.to_owned()
}

/// What is wrong at `at` in `text`, given hcl-edit's message.
pub(super) fn explain(message: &str, text: &str, at: usize) -> String {
    let has = |words: &str| message.contains(words);
    let rest = text.get(at..).unwrap_or_default();
    if has("invalid structure") {
        return match last_word(text, at) {
            "" => "expected `=` or `{`".to_owned(),
            word => format!("expected `=` or `{{` after `{word}`"),
        };
    }
    if has("unexpected token") {
        return if rest.starts_with("%{") {
            "this directive has no partner or is not complete".to_owned()
        } else if rest.starts_with("${") {
            "this interpolation is not complete".to_owned()
        } else {
            "this is not valid HCL".to_owned()
        };
    }
    if has("expected newline or eof") && rest.trim_start().starts_with("\\n") {
        return "expected a new line here: `\\n` is one only in quotes".to_owned();
    }
    if has("invalid attribute") && rest.trim_start_matches([' ', '\t']).starts_with('{') {
        return "a block on one line cannot hold another block: write it on several lines"
            .to_owned();
    }
    if rest.trim_start_matches([' ', '\t']).starts_with(';') {
        return "expected a new line: HCL has no `;`".to_owned();
    }
    let known = [
        ("invalid expression", "expected a value"),
        ("escape sequence", NO_ESCAPE),
        ("hex code", NO_CODE),
        ("nested levels", "nested more than 64 levels deep"),
        ("chained binary", "more than 128 operators in one expression"),
        ("redefined attribute", "this name is set twice here"),
        ("redefined object key", "this key is written twice here"),
        ("expected newline or eof", "expected a new line here"),
        ("invalid object item", "expected `,` or a new line between the entries"),
        ("invalid block body", "expected a new line or `}`"),
        ("invalid attribute", "expected `=`"),
        ("object value assignment", "expected `=` after the key"),
        ("heredoc end delimiter", "the heredoc is not closed"),
        ("traversal operator", "expected a name after `.`"),
    ];
    let found = known.iter().find(|(theirs, _)| has(theirs)).map(|(_, ours)| (*ours).to_owned());
    found.unwrap_or_else(|| message.to_owned())
}

/// The place to report, for the place hcl-edit reports: an escape begins at its backslash.
pub(super) fn place(message: &str, text: &str, at: usize) -> usize {
    let escape = message.contains("escape sequence") || message.contains("hex code");
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\\').filter(|_| escape).unwrap_or(at)
}

/// The word before `at`, on the same line.
fn last_word(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, it)| it.is_alphanumeric() || matches!(it, '_' | '-'))
        .last()
        .map_or(before.len(), |(index, _)| index);
    before.get(start..).unwrap_or_default()
}

/// Leaves out the brackets that close one which is reported as not closed: what is wrong between them is one mistake.
pub(super) fn leave_out_ends(errors: &mut Vec<ParseError>) {
    const PAIRS: [[&str; 2]; 3] = [["`{`", "`}`"], ["`[`", "`]`"], ["`(`", "`)`"]];
    let mut open: Vec<&str> = Vec::new();
    errors.retain(|it| {
        let is_open = |bracket: &str| it.message == format!("the {bracket} is not closed");
        let is_end = |bracket: &str| it.message == format!("unexpected {bracket}");
        if let Some([_, end]) = PAIRS.into_iter().find(|it| is_open(it[0])) {
            open.push(end);
        }
        let is_awaited = open.last().is_some_and(|it| is_end(it));
        if is_awaited {
            open.pop();
        }
        !is_awaited
    });
}

#[cfg(test)]
mod tests {
    use super::{explain, leave_out_ends};
    use crate::{
        findings::Severity,
        source::{FileId, Span},
        syntax::ParseError,
    };

    #[test]
    fn the_end_of_what_is_not_closed_is_no_mistake_of_its_own() {
        let error =
            |message: &str| ParseError::new(Span::new(FileId(0), 0, 1), message, Severity::Error);
        let (open, end, other) = ("the `{` is not closed", "unexpected `}`", "unexpected `]`");
        let mut errors: Vec<ParseError> = [open, other, end, end].map(error).into();
        leave_out_ends(&mut errors);
        let left: Vec<&str> = errors.iter().map(|it| &*it.message).collect();
        assert_eq!(left, [open, other, end]);
    }

    #[test]
    fn a_line_break_that_was_printed_as_text_is_named() {
        let theirs = "expected newline or eof";
        let said = |text: &str| explain(theirs, text, text.find('}').expect("a brace") + 1);
        assert_eq!(said("a {\n}\\n"), "expected a new line here: `\\n` is one only in quotes");
        assert_eq!(said("a {\n} b"), "expected a new line here");
        assert_eq!(said("a {\n} ; b"), "expected a new line: HCL has no `;`");
    }
}
