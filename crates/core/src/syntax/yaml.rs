//! YAML as Kubernetes reads it, into values with places.
//!
//! A stream is cut at its `---` lines before anything is parsed, as kubectl does; a mistake in one
//! document costs that document only. Scalars follow go-yaml version 2, see [`scalar`].

mod anchor;
mod build;
mod carry;
mod direct;
mod frame;
mod kept;
mod merge;
mod omission;
pub mod place;
mod placeholder;
mod problem;
mod quoted;
mod recent;
pub mod scalar;
mod text;
mod unseen;

pub use kept::{Kept, KeptOf};
pub use omission::Omission;
pub use placeholder::is_marked;
pub use problem::is_slash_comment;

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::{
        Documents, ParseError,
        yaml::{
            build::{BuiltDocument, DocumentBuilder},
            kept::Keeping,
            place::with_blanks,
            placeholder::{is_template, templates_as_holes},
            problem::{LONG_SEPARATOR, Taken, YamlProblem, is_certain, is_long_separator},
            text::TextReader,
            unseen::UnseenLines,
        },
    },
    value::{Kind, Symbol, Text, Value},
};
use std::ops::Range;

/// Reads a YAML stream. `text` may be a file (`Text::verbatim`) or a string inside another file; places
/// are mapped through its layout. `whole` is the place of the text itself, used where nothing better
/// is known. Holes of the text become unknown values (or text with holes), and so do the marks other
/// tools replace before Kubernetes sees the text: `{{ … }}` and `${NAME}`.
#[must_use]
pub fn parse(text: &Text, whole: Span) -> Documents {
    read(text, whole, false)
}

/// Like [`parse`], of the whole text of a file.
#[must_use]
pub fn parse_file(file: FileId, text: &str) -> Documents {
    let whole = Span::new(file, 0, text.len());
    parse(&Text::verbatim(text, whole), whole)
}

/// Like [`parse`], of the documents whose text is wanted. The others cost next to nothing and are not
/// complained about either. What is omitted or not kept is.
#[must_use]
pub fn parse_some(
    text: &Text,
    whole: Span,
    wanted: impl Fn(&str) -> bool,
    omission: Option<&'static Omission>,
    kept: Option<KeptOf>,
) -> Documents {
    let mut reader = TextReader::new(text, whole, false);
    reader.keeping = Keeping { omission, lists: kept, only_checks: false };
    read_some(reader, (text, whole, false), |it, _| wanted(it))
}

/// What [`parse`] complains about in the documents that are wanted by their text and by where that begins. Those that
/// are surely readable cost little.
#[must_use]
pub fn problems(text: &Text, whole: Span, wanted: impl Fn(&str, usize) -> bool) -> Vec<ParseError> {
    let mut reader = TextReader::new(text, whole, false);
    reader.keeping.only_checks = true;
    read_some(reader, (text, whole, false), wanted).parse_errors
}

/// Like [`parse`], for text that is not rewritten before it is used, such as chart values: `{{ … }}`
/// and `${NAME}` are ordinary text. Holes of the text are still unknown.
#[must_use]
pub fn parse_literal(text: &Text, whole: Span) -> Documents {
    read(text, whole, true)
}

/// Like [`parse_literal`], of what a chart makes: Helm begins a document after each `---` at the beginning of a
/// line, whatever follows on it.
#[must_use]
pub fn parse_rendered(text: &Text, whole: Span) -> Documents {
    let mut stream = Stream { text, whole, literal: true, documents: Documents::default() };
    let mut reader = TextReader::new(text, whole, true);
    for range in documents(&text.text) {
        let source = text.text.get(range.clone()).unwrap_or_default();
        let mut start = range.start;
        for (at, _) in source.match_indices("---") {
            let begins_line = at == 0 || source[..at].ends_with('\n');
            let joined =
                source[at + 3..].bytes().next().is_some_and(|it| !it.is_ascii_whitespace());
            if begins_line && joined {
                if at > 0 {
                    stream.document(&mut reader, start..range.start + at);
                }
                start = range.start + at + 3;
            }
        }
        stream.document(&mut reader, start..range.end);
    }
    stream.documents
}

fn read(text: &Text, whole: Span, literal: bool) -> Documents {
    read_some(TextReader::new(text, whole, literal), (text, whole, literal), |_, _| true)
}

fn read_some<'a>(
    mut reader: TextReader<'a>,
    (text, whole, literal): (&'a Text, Span, bool),
    wanted: impl Fn(&str, usize) -> bool,
) -> Documents {
    let mut stream = Stream { text, whole, literal, documents: Documents::default() };
    for range in documents(&text.text) {
        if text.text.get(range.clone()).is_some_and(|it| wanted(it, range.start)) {
            stream.document(&mut reader, range);
        }
    }
    stream.documents.has_other_booleans |= reader.has_other_booleans.get();
    stream.documents
}

/// The documents of a stream: each from its `---` line to the next.
fn documents(source: &str) -> impl Iterator<Item = Range<usize>> {
    let first = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let breaks = memchr::memmem::find_iter(source.as_bytes(), "\n---")
        .map(|at| at + 1)
        .filter(|at| {
            let after = source.as_bytes().get(at + 3);
            after.is_none_or(u8::is_ascii_whitespace)
        })
        .chain(std::iter::once(source.len()));
    breaks.scan(first, |start, end| Some(std::mem::replace(start, end)..end))
}

struct Stream<'a> {
    text: &'a Text,
    whole: Span,
    literal: bool,
    documents: Documents,
}

impl<'a> Stream<'a> {
    fn document(&mut self, reader: &mut TextReader<'a>, range: Range<usize>) {
        let source = self.text.text.get(range.clone()).unwrap_or_default();
        if let Some(at) = control_character(source) {
            let problem = YamlProblem::new(at, "a control character, which YAML forbids");
            self.problem(source, range.start, &problem, Severity::Error);
            return;
        }
        let known = self.documents.parse_errors.len();
        self.separator(source, range.start);
        let is_sound = self.documents.parse_errors.len() == known;
        reader.turn_to(source, range.start);
        if let Some(value) = direct::read(reader) {
            self.documents.values.extend((!reader.keeping.only_checks).then_some(value));
            self.documents.sound.extend(is_sound.then_some(range.start));
            return;
        }
        let built = DocumentBuilder::read(reader);
        // What is read again may hold anything.
        self.documents.has_other_booleans |= built.is_err();
        let built = built.or_else(|problem| self.again(source, &range, problem));
        match built {
            Ok(built) => {
                if source.lines().next().is_some_and(is_long_separator) {
                    let problem = YamlProblem::new(0, LONG_SEPARATOR);
                    self.problem(source, range.start, &problem, Severity::Warning);
                }
                self.documents.values.extend(built.value.filter(|it| !it.is_null()));
                self.documents.parse_errors.extend(built.parse_errors);
                self.documents.aliased.extend(built.aliased);
            }
            Err(_) if source.trim_start().starts_with('%') => {
                let at = source.len() - source.trim_start().len();
                let problem = YamlProblem::new(at, "Kubernetes does not accept YAML directives");
                self.problem(source, range.start, &problem, Severity::Warning);
            }
            Err(problem)
                if !self.literal && is_template(source) && !is_certain(&problem, source) =>
            {
                let YamlProblem { at, message, .. } = problem;
                let message = format!("not read, because it is a template: {message}");
                self.problem(source, range.start, &YamlProblem::new(at, message), Severity::Note);
            }
            Err(problem) => self.problem(source, range.start, &problem, Severity::Error),
        }
    }

    /// Tries once more without the lines that only another tool can fill in.
    fn again(
        &self,
        source: &str,
        range: &Range<usize>,
        mut problem: YamlProblem,
    ) -> Result<BuiltDocument, YamlProblem> {
        if let Some((blanked, unseen)) = UnseenLines::blank(source, &self.text.holes) {
            let mut reader = TextReader::new(self.text, self.whole, self.literal);
            let symbol = unseen.symbol.clone();
            reader.unseen = Some(unseen);
            reader.turn_to(&blanked, range.start);
            match DocumentBuilder::read(&mut reader) {
                Ok(built) => {
                    return Ok(BuiltDocument {
                        value: Some(self.at_least(built.value, symbol)),
                        ..built
                    });
                }
                // What is wrong without them is the mistake: they need not be YAML.
                Err(next) => problem = next,
            }
        }
        let problem = match self.spaced(range, problem) {
            Ok(built) => return Ok(built),
            Err(problem) => problem,
        };
        if self.literal {
            return Err(problem);
        }
        let Some(text) = templates_as_holes(self.text, range.clone(), self.whole) else {
            return Err(problem);
        };
        let mut inner = read(&text, self.whole, false);
        if inner.values.is_empty() && !inner.parse_errors.is_empty() {
            return Err(problem);
        }
        let Documents { parse_errors, aliased, .. } = inner;
        Ok(BuiltDocument { value: inner.values.pop(), parse_errors, aliased })
    }

    /// Tries once more with blanks where YAML wants them: before quoted text that goes on, and before comments. A few
    /// places only, of so many lines: each costs another try. The problem left is the first one that Kubernetes has, too.
    fn spaced(
        &self,
        range: &Range<usize>,
        mut problem: YamlProblem,
    ) -> Result<BuiltDocument, YamlProblem> {
        const BLANKS: &str = "                                                                ";
        const TEXTS: usize = 16;
        const LINES: usize = 100_000;
        let source = self.text.text.get(range.clone()).unwrap_or_default();
        let mut places: Vec<usize> = Vec::new();
        for _ in 0..TEXTS {
            let last = places.last().map(|it| it - range.start);
            if last.is_some_and(|it| it >= problem.at) {
                break;
            }
            let lines = match problem.taken {
                Some(Taken::Unindented) => quoted::lines(source, problem.after, problem.at),
                Some(Taken::JoinedComment) => vec![problem.at],
                None => break,
            };
            if lines.is_empty() || places.len() + lines.len() > LINES {
                break;
            }
            places.extend(lines.into_iter().map(|it| range.start + it));
            let text = with_blanks(self.text, range.clone(), &places, BLANKS);
            let mut reader = TextReader::new(&text, self.whole, self.literal);
            reader.turn_to(&text.text, 0);
            match DocumentBuilder::read(&mut reader) {
                Ok(built) => return Ok(built),
                Err(next) => {
                    let written = |at| without_blanks(at, range.start, &places, BLANKS.len());
                    let (at, after) = (written(next.at), written(next.after));
                    problem = YamlProblem { at, after, ..next };
                }
            }
        }
        Err(problem)
    }

    /// A document of which nothing is left is unknown, not absent.
    fn at_least(&self, value: Option<Value>, symbol: Symbol) -> Value {
        match value {
            Some(value) if !matches!(value.kind, Kind::Null) => value,
            _ => Value::unknown(symbol, self.whole),
        }
    }

    /// Complains about content on the line of `---`, which kubectl refuses.
    fn separator(&mut self, source: &str, base: usize) {
        let Some(rest) = source.strip_prefix("---") else { return };
        let line = rest.lines().next().unwrap_or_default().trim();
        let is_long = source.lines().next().is_some_and(is_long_separator);
        if !line.is_empty() && !line.starts_with('#') && !is_long {
            let at = source.find(line).unwrap_or_default();
            let message = "kubectl refuses content on the line of `---`";
            self.problem(source, base, &YamlProblem::new(at, message), Severity::Warning);
        }
    }

    /// Reports a problem from its place to the end of the line, or at the last character before it.
    fn problem(&mut self, source: &str, base: usize, problem: &YamlProblem, severity: Severity) {
        let at = source.floor_char_boundary(problem.at);
        let (before, after) = source.split_at_checked(at).unwrap_or((source, ""));
        let line = after.lines().next().unwrap_or_default().trim_end();
        let (start, end) = if line.is_empty() {
            let written = before.trim_end();
            let last = written.chars().next_back().map_or(0, char::len_utf8);
            (written.len() - last, written.len())
        } else {
            (at, at + line.len())
        };
        let span = self.text.locate(base + start, base + end, self.whole);
        self.documents.parse_errors.push(ParseError::new(span, problem.message.clone(), severity));
    }
}

/// Where a byte of a text is without the blanks that were put in at some places, in order.
fn without_blanks(at: usize, start: usize, places: &[usize], blanks: usize) -> usize {
    let mut at = at;
    for place in places {
        if place - start < at {
            at = (place - start).max(at.saturating_sub(blanks));
        }
    }
    at
}

/// The first character that YAML forbids anywhere, except those that only look odd.
fn control_character(source: &str) -> Option<usize> {
    let is_control =
        |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r') || byte == 0x7f;
    let mut at = 0;
    for chunk in source.as_bytes().chunks(256) {
        // Without an early exit the compiler checks many bytes at once.
        if chunk.iter().fold(false, |found, byte| found | is_control(*byte)) {
            return chunk.iter().position(|byte| is_control(*byte)).map(|it| at + it);
        }
        at += chunk.len();
    }
    None
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod oracle;
