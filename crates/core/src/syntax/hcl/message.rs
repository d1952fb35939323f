//! hcl-edit's errors as messages for users.

use crate::syntax::ParseError;

const NO_ESCAPE: &str = "this escape sequence does not exist: a backslash is `\\\\` in quotes";
/// What hcl-edit says where a heredoc has no end, or a directive in it has none.
const NO_END: &str = "heredoc end delimiter";
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
    if let Some(open) = has(NO_END).then(|| open_directive(text, at)).flatten() {
        return format!("`%{{ {} }}` has no `%{{ end{0} }}`", open.keyword);
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
        (NO_END, "the heredoc is not closed"),
        ("traversal operator", "expected a name after `.`"),
    ];
    let found = known.iter().find(|(theirs, _)| has(theirs)).map(|(_, ours)| (*ours).to_owned());
    found.unwrap_or_else(|| message.to_owned())
}

/// The place to report, for the place hcl-edit reports: an escape begins at its backslash, and what is wrong with a heredoc
/// that ends is a directive in it.
pub(super) fn place(message: &str, text: &str, at: usize) -> usize {
    let escape = message.contains("escape sequence") || message.contains("hex code");
    if let Some(open) = message.contains(NO_END).then(|| open_directive(text, at)).flatten() {
        return open.at;
    }
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\\').filter(|_| escape).unwrap_or(at)
}

/// A directive that no other one ends.
struct OpenDirective<'t> {
    at: usize,
    /// `if` or `for`.
    keyword: &'t str,
}

/// The directive that is open at the end of the heredoc whose text begins at `at`; none where the heredoc has no end.
fn open_directive(text: &str, at: usize) -> Option<OpenDirective<'_>> {
    let (before, written) = (text.get(..at)?.trim_end(), text.get(at..)?);
    let delimiter = before.rsplit("<<").next()?.trim_start_matches('-');
    let is_end = |it: &&str| it.trim() == delimiter;
    let length: usize =
        written.split_inclusive('\n').take_while(|it| !is_end(it)).map(str::len).sum();
    let own = written.get(..length).filter(|it| it.len() < written.len())?;
    let mut open: Vec<OpenDirective<'_>> = Vec::new();
    for (start, _) in own.match_indices("%{").filter(|it| !own[..it.0].ends_with('%')) {
        let words = own.get(start + 2..).unwrap_or_default().trim_start_matches('~').trim_start();
        match words.split(|it: char| !it.is_ascii_alphabetic()).next().unwrap_or_default() {
            keyword @ ("if" | "for") => open.push(OpenDirective { at: at + start, keyword }),
            "endif" | "endfor" => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
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
    use super::{explain, leave_out_ends, place};
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
    fn a_directive_without_an_end_is_named_in_place_of_its_heredoc() {
        let theirs = "expected heredoc end delimiter";
        let text = "a = <<EOT\nb %%{ if c }\n%{ if c }d%{ endif }%{~ for e in f }\n  EOT\n";
        let at = text.find("b %").expect("the text of the heredoc");
        assert_eq!(explain(theirs, text, at), "`%{ for }` has no `%{ endfor }`");
        assert_eq!(text.get(place(theirs, text, at)..).and_then(|it| it.get(..7)), Some("%{~ for"));
        let open = text.replace("  EOT\n", "");
        let at = open.find("b %").expect("the text of the heredoc");
        assert_eq!(explain(theirs, &open, at), "the heredoc is not closed");
        assert_eq!(place(theirs, &open, at), at);
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
