//! What can be read of a broken file: it is cut where a line begins with a word, and each piece is
//! read for itself.

use std::{borrow::Cow, cell::RefCell};

use hcl_edit::parser;

use crate::{
    findings::Severity,
    hash::HashMap,
    source::{FileId, Span},
    syntax::{
        ParseError,
        hcl::{
            HclFile,
            escape::{BadEscape, bad_escapes, hide},
            expression::body,
            message::{escape, explain, leave_out_ends, place},
            repair::{fill_empty_heredocs, hide_false_ends, repair},
            scan::{HEREDOC_NOT_CLOSED, Scan, TokenKind, scan},
            snippet::Snippet,
        },
    },
};

/// A file that is not HCL at all is not worth an error a line.
const MOST_ERRORS: usize = 1000;
/// How many times a piece is read as part of a larger one.
const MOST_TRIES: usize = 6;

/// Reads as much of `text` as possible; it begins at `offset` in the file.
pub(super) fn read(file: FileId, text: &str, offset: usize) -> HclFile {
    let mut result = HclFile::default();
    let piece = FilePiece { file, text, offset };
    if piece.read_whole(&mut result, None).is_err() {
        let scan = scan(text);
        if piece.read_whole(&mut result, Some(&scan)).is_err() {
            piece.read_apart(&mut result, &scan);
        }
    }
    result.parse_errors.sort_by_key(|it| it.span);
    leave_out_ends(&mut result.parse_errors);
    result
}

/// Where a piece begins, and the index of the piece at which its brackets are closed again.
struct Cut {
    start: usize,
    group: usize,
}

fn cuts(text: &str, scan: &Scan) -> Vec<Cut> {
    let mut depth = 0_i64;
    let mut places = vec![(0, 0)];
    for token in &scan.tokens {
        match token.kind {
            TokenKind::Open(_) => depth += 1,
            TokenKind::Close(_) => depth -= 1,
            TokenKind::Word if text.get(..token.start).is_some_and(|it| it.ends_with('\n')) => {
                places.push((token.start, depth));
            }
            _ => {}
        }
    }
    let mut next_at_depth: HashMap<i64, usize> = HashMap::default();
    let mut cuts: Vec<Cut> = Vec::with_capacity(places.len());
    for (index, (start, depth)) in places.iter().enumerate().rev() {
        let group = next_at_depth.insert(*depth, index).unwrap_or(places.len());
        cuts.push(Cut { start: *start, group });
    }
    cuts.reverse();
    cuts
}

/// A part of a file.
#[derive(Clone, Copy)]
struct FilePiece<'a> {
    file: FileId,
    text: &'a str,
    offset: usize,
}

impl FilePiece<'_> {
    /// Reads the piece as it is or, given its tokens, after repairs.
    fn read_whole(self, into: &mut HclFile, scan: Option<&Scan>) -> Result<(), parser::Error> {
        let mut text = Cow::Borrowed(self.text);
        let mut notes = Vec::new();
        let clean = scan.filter(|it| it.problem().is_none());
        let escapes = clean.map_or(Vec::new(), |it| bad_escapes(self.text, &it.tokens));
        if let Some(repaired) = clean.and_then(|it| repair(self.text, &it.tokens)) {
            text = Cow::Owned(repaired.text);
            notes = repaired.notes;
        }
        if let Some(filled) = fill_empty_heredocs(&text) {
            text = Cow::Owned(filled);
        }
        // Places are the same in both texts; what is read is the author's.
        let mut hidden = hide_false_ends(&text).map_or(Cow::Borrowed(&*text), Cow::Owned);
        if !escapes.is_empty() {
            hide(hidden.to_mut(), &escapes);
        }
        let parsed = parser::parse_body(&hidden)?;
        let found_notes = RefCell::default();
        let Self { file, offset, .. } = self;
        let mut found = body(
            Snippet { file, text: &text, offset, escapes: &escapes, notes: &found_notes },
            &parsed,
        );
        into.body.attributes.append(&mut found.attributes);
        into.body.blocks.append(&mut found.blocks);
        into.parse_errors.extend(notes.into_iter().map(|it| {
            let place = Span::new(file, offset + it.at.start, offset + it.at.end);
            let inside = it.inside.map(|it| Span::new(file, offset + it, offset + it));
            ParseError { within: inside, ..ParseError::new(place, it.message, it.severity) }
        }));
        into.parse_errors.append(&mut found_notes.into_inner());
        self.report_escapes(into, &escapes);
        Ok(())
    }

    /// Reports the escapes that do not exist, the first of each string.
    fn report_escapes(self, into: &mut HclFile, escapes: &[BadEscape]) {
        for same in escapes.chunk_by(|one, next| one.string == next.string) {
            if let Some(first) = same.first() {
                self.report(into, first.at, escape(self.text, first.at));
            }
        }
    }

    /// Reads the piece cut into smaller ones.
    fn read_apart(self, into: &mut HclFile, scan: &Scan) {
        let cuts = cuts(self.text, scan);
        // Where the groups end that were tried around a piece, the innermost last.
        let mut around: Vec<usize> = Vec::new();
        let mut in_heredoc = false;
        let mut index = 0;
        while let Some(cut) = cuts.get(index) {
            let part = |until: usize| {
                let end = cuts.get(until).map_or(self.text.len(), |it| it.start);
                let text = self.text.get(cut.start..end).unwrap_or_default();
                FilePiece { text, offset: self.offset + cut.start, ..self }
            };
            // Pieces that belong together by their brackets are tried as one, within a limit that
            // nothing outside of them changes.
            around.retain(|end| *end > index);
            if cut.group > index + 1 && around.len() < MOST_TRIES {
                if part(cut.group).read_balanced(into).is_ok() {
                    index = cut.group;
                    continue;
                }
                around.push(cut.group);
            }
            // The lines of a heredoc without an end are not worth an error each.
            in_heredoc = part(index + 1).read_or_report(into, in_heredoc);
            index += 1;
        }
    }

    /// Reads the piece, repaired if need be.
    fn read_balanced(self, into: &mut HclFile) -> Result<(), parser::Error> {
        self.read_whole(into, None).or_else(|_| self.read_whole(into, Some(&scan(self.text))))
    }

    /// Reads the piece or reports why not; returns whether a heredoc remains open behind it.
    fn read_or_report(self, into: &mut HclFile, in_heredoc: bool) -> bool {
        let Err(error) = self.read_balanced(into) else {
            return false;
        };
        into.lost.push(Span::new(self.file, self.offset, self.offset + self.text.len()));
        if in_heredoc {
            return true;
        }
        let Some(problem) = scan(self.text).problem() else {
            let at = error.location().offset();
            let message = explain(error.message(), self.text, at);
            self.report(into, place(error.message(), self.text, at), message);
            return false;
        };
        if problem.stray {
            let without = [self.text.get(..problem.at), self.text.get(problem.at + 1..)];
            let text = without.map(Option::unwrap_or_default).join(" ");
            // What is still wrong shows once the bracket is gone.
            let _ = FilePiece { text: &text, ..self }.read_balanced(into);
        }
        let opens_heredoc = problem.message == HEREDOC_NOT_CLOSED;
        self.report(into, problem.at, problem.message);
        opens_heredoc
    }

    fn report(self, into: &mut HclFile, at: usize, message: String) {
        if into.parse_errors.len() >= MOST_ERRORS {
            return;
        }
        // Where nothing can be read, the parser may count further than the text.
        let at = self.text.floor_char_boundary(at);
        let length = self.text.get(at..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8);
        let start = self.offset + at;
        let span = Span::new(self.file, start, start + length);
        into.parse_errors.push(ParseError::new(span, message, Severity::Error));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        findings::Severity,
        source::FileId,
        syntax::hcl::{
            ExprKind, HclFile,
            read::{parse, parse_template},
        },
    };

    const FILE: FileId = FileId(7);

    #[test]
    fn places_lie_in_the_text() {
        // The parser counts some letters of several bytes twice.
        let two = "a {\n  v = 1 é = 2\n}\n".to_owned();
        let many = |it: &str| it.repeat(900);
        for text in [many("é"), many("éa"), format!("a = 1\n{}", many("é")), two] {
            let found = parse(FILE, &text).parse_errors;
            assert!(!found.is_empty());
            assert!(found.iter().all(|it| text.get(it.span.range()).is_some()), "{found:?}");
        }
    }

    #[test]
    fn what_is_read_of_a_broken_file_does_not_depend_on_lines_above() {
        // Brackets that are opened in vain, each within the one before.
        let opened = "a {\nb = [\n".repeat(12);
        let broken = format!("{opened}{}c {{\nd = 1\n}}\n", "x ]\n}\n".repeat(12));
        let read = |text: &str| {
            let file = parse(FILE, text);
            (file.body.blocks.len(), file.body.attributes.len(), file.parse_errors.len())
        };
        let found = read(&broken);
        for above in 1..400 {
            assert_eq!(read(&format!("{}{broken}", "\n".repeat(above))), found, "{above}");
        }
    }

    fn problems(text: &str) -> (HclFile, Vec<(String, String)>) {
        let file = parse(FILE, text);
        let parse_errors = file.parse_errors.iter().map(|it| {
            let rest = &text[it.span.start as usize..];
            let place: String = rest.lines().next().unwrap_or_default().chars().take(8).collect();
            (place, it.message.clone())
        });
        let parse_errors = parse_errors.collect();
        (file, parse_errors)
    }

    #[test]
    fn a_block_that_cannot_be_read_is_lost_whole() {
        let lost = "resource \"a\" \"b\" {\n  x = ]\n}\n\n";
        let text = format!("locals {{\n  a = 1\n}}\n{lost}output \"o\" {{\n  value = 1\n}}\n");
        let (file, parse_errors) = problems(&text);
        assert_eq!((file.body.blocks.len(), parse_errors.len()), (2, 1));
        let spans = file.lost.iter().map(|it| &text[it.range()]);
        assert_eq!(spans.collect::<String>(), lost);
    }

    #[test]
    fn a_duplicate_key_is_reported_and_the_last_one_counts() {
        let text = "locals {\n  a = {\n    k = \"é\" # one\n    l = 2\n    k = {\n      m = 1, m = 2\n    }\n  }\n}\n";
        let (file, parse_errors) = problems(text);
        let ExprKind::Object(items) = &file.body.blocks[0].body.attributes[0].value.kind else {
            unreachable!("{text}")
        };
        let written: Vec<&str> = items.iter().map(|it| &text[it.key.span.range()]).collect();
        assert_eq!(written, ["l", "k"]);
        assert_eq!(&text[items[1].value.span.range()], "{\n      m = 1, m = 2\n    }");
        let duplicate = |at: &str, key: &str| {
            (at.to_owned(), format!("duplicate key `{key}`: the last one counts"))
        };
        assert_eq!(parse_errors, [duplicate("k = \"é\" ", "k"), duplicate("m = 1, m", "m")]);
        assert!(file.parse_errors.iter().all(|it| it.severity == Severity::Warning));
        let (_, parse_errors) = problems("a = {\n  k = \"x\"\n  k  = \"x\",\n  \"k\" = \"x\"\n}\n");
        assert_eq!(parse_errors, []);
        let (file, parse_errors) = problems("a = 1\nb = 2\na = 3\n");
        assert_eq!(file.body.attributes.len(), 2);
        assert_eq!(parse_errors, [("a = 3".to_owned(), "`a` is set twice here".to_owned())]);
    }

    #[test]
    fn a_word_and_a_string_are_the_same_key() {
        let (file, parse_errors) = problems("a = { b = 1, \"b\" = 2, c = b, \"${b}\" = 3 }\n");
        let ExprKind::Object(items) = &file.body.attributes[0].value.kind else {
            unreachable!("an object")
        };
        assert_eq!(items.len(), 3);
        let message = "duplicate key `b`: the last one counts".to_owned();
        assert_eq!(parse_errors, [("b = 1, \"".to_owned(), message)]);
    }

    #[test]
    fn a_syntax_error_costs_only_its_block() {
        const ESCAPE: &str = "this escape sequence does not exist: a backslash is `\\\\` in quotes";
        let cases = [
            ("a \"x\" {\n  v = \"open\n}\n", "\"open", "the string is not closed"),
            ("a \"x\" {\n  v = [1, 2\n}\n", "[1, 2", "the `[` is not closed"),
            ("a \"x\" {\n  v = f(1\n", "(1", "the `(` is not closed"),
            ("a \"x\" {\n  v = 1\n", "{", "the `{` is not closed"),
            ("a \"x\" {\n  v\n}\n", "", "expected `=` or `{` after `v`"),
            ("a \"x\" {\n  v = \n}\n", "", "expected a value"),
            ("a \"x\" {\n  v = \"\\q\"\n}\n", "\\q\"", ESCAPE),
            ("a \"x\" {\n  v = 1 w = 2\n}\n", "w = 2", "expected a new line here"),
            ("a = <<F\nx\n y {\nz:\n", "<<F", "the heredoc is not closed"),
        ];
        let good = "ok \"1\" {\nunindented = 1\nb {\n}\n}\n\nok \"2\" {\n  x = <<E\nz = 1\nE\n}\n";
        for (broken, place, message) in cases {
            let (file, parse_errors) = problems(&format!("{good}{broken}{good}{broken}{good}"));
            let place: String = place.chars().take(8).collect();
            let expected = (place, message.to_owned());
            assert_eq!(parse_errors, [expected.clone(), expected], "{broken}");
            let kept = file.body.blocks_of("ok").count();
            assert_eq!(kept, 6, "{broken}");
            assert!(file.parse_errors.iter().all(|it| it.severity == Severity::Error));
        }
        let (file, parse_errors) = problems("a {\n  v = 1\n}\n}\nb {}\n");
        assert_eq!(file.body.blocks.len(), 2);
        assert_eq!(parse_errors, [("}".to_owned(), "unexpected `}`".to_owned())]);
    }

    #[test]
    fn a_bad_escape_costs_only_its_string() {
        let text = "a {\n  v = \"b\\.c\"\n  w = \"d\\e\\f\"\n  x = [\"${f(\"\\u12\")}\", 1]\n}\n";
        let (file, parse_errors) = problems(text);
        let places: Vec<_> = parse_errors.iter().map(|(at, _)| at.as_str()).collect();
        assert_eq!(places, ["\\.c\"", "\\e\\f\"", "\\u12\")}\""]);
        let body = &file.body.blocks[0].body;
        assert_eq!(body.attributes[0].value.as_literal(), Some("b\\.c"));
        assert!(matches!(body.attributes[1].value.kind, ExprKind::Unreadable));
        let ExprKind::Array(items) = &body.attributes[2].value.kind else { unreachable!("a list") };
        assert!(matches!(items[0].kind, ExprKind::Unreadable));
        assert_eq!(&text[items[1].span.range()], "1");
        assert!(file.lost.is_empty() && !file.is_incomplete());
    }

    #[test]
    fn arguments_on_one_line_are_read_though_terraform_refuses_them() {
        let cases = [
            ("a { b = f(1)  c = \"x\" }\n", "c = \"x\""),
            ("a { b = { d = 1 }, c = \"x\" }\n", "c = \"x\""),
            ("a { b = \"y\"; c = \"x\" }\n", "c = \"x\""),
            ("a {\n  b = 1 == 2 c = \"x\" # c\n  d { }\n}\n", "c = \"x\""),
        ];
        for (text, place) in cases {
            let (file, parse_errors) = problems(text);
            let place = place.chars().take(8).collect::<String>();
            let message = "expected a new line here".to_owned();
            let places = parse_errors.iter().map(|(at, it)| (at.starts_with(&place), it));
            assert_eq!(places.collect::<Vec<_>>(), [(true, &message)], "{text}");
            let body = &file.body.blocks[0].body;
            assert_eq!(&text[body.attributes[1].span.range()], "c = \"x\"", "{text}");
            assert!(!file.is_incomplete());
        }
        // There is no room for a line break.
        assert_eq!(problems("a {b = 1 c = 2}\n").0.body.blocks.len(), 0);
    }

    #[test]
    fn a_string_over_two_lines_is_not_closed_though_it_reads() {
        let (file, parse_errors) = problems("a = \"b\nc\"\nd = \"${a}\n\"\n");
        assert_eq!(file.body.attributes.len(), 2);
        let message = "the string is not closed";
        assert_eq!(
            parse_errors,
            [("\"b".to_owned(), message.to_owned()), ("\"${a}".to_owned(), message.to_owned())]
        );
    }

    fn on_a_worker_stack(test: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(test).expect("a thread");
        thread.join().expect("no panic");
    }

    #[test]
    fn hostile_text_is_refused_in_time() {
        on_a_worker_stack(|| {
            let deep =
                ["(", "[", "{a=", "\"${", "f(", "-", "!", "[for a in ", "a {\n", "1+", "a.", "a?"];
            for shape in deep {
                let text = format!("x = {}", shape.repeat(100_000));
                assert!(!parse(FILE, &text).parse_errors.is_empty(), "{shape}");
                let text = format!("y = 1\nx = {}\nz = 1\n", shape.repeat(20_000));
                let _ = parse(FILE, &text);
                let _ = parse_template(FILE, &format!("${{{text}"));
            }
            let text = "a {\n".repeat(64) + "x = [[1]]\n" + &"}\n".repeat(64);
            let _ = parse(FILE, &text);
        });
        let text = format!("x = {{\n{}}}\n", "a = 1\na = 2\n".repeat(1_500));
        let file = parse(FILE, &text);
        assert_eq!(file.parse_errors.len(), 2_999);
        let large = "#".repeat(5 << 20);
        assert_eq!(parse(FILE, &large).parse_errors.len(), 1);
    }
}
