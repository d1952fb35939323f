//! The text of a document: from its bytes to scalars with places.

use crate::{
    source::Span,
    syntax::yaml::{
        carry::{carried_scalar, encodes},
        kept::Keeping,
        place::{add_pieces, block_lines, from_pieces, verbatim, with_holes},
        placeholder::{marks, suspect},
        recent,
        scalar::{Scalar, float_key, plain, tagged},
        unseen::UnseenLines,
    },
    value::{Kind, Symbol, Text, TextRun, TextSource, Value},
};
use granit_parser::{ScalarStyle, Tag};
use std::{cell::Cell, ops::Range, sync::Arc};

/// Reads the scalars of a text, one document at a time. All offsets are those of the whole text.
#[derive(Debug)]
pub(super) struct TextReader<'a> {
    /// The document, possibly with lines blanked out.
    pub source: &'a str,
    /// Where the document starts in the text.
    pub base: usize,
    /// The lines that were blanked out.
    pub unseen: Option<UnseenLines>,
    /// What is kept of documents.
    pub keeping: Keeping,
    text: &'a Text,
    whole: Span,
    literal: bool,
    suspect: bool,
    is_encoded: bool,
    /// Whether a boolean was read that is written `yes`, `on` or the like.
    pub has_other_booleans: Cell<bool>,
}

/// A scalar that was read.
#[derive(Debug)]
pub(super) struct ScalarRead {
    /// The value.
    pub value: Value,
    /// Where it is written, quotes and block indicators included.
    pub range: Range<usize>,
    /// Where the text goes on after it.
    pub resume: usize,
    /// What is wrong with it.
    pub complaint: Option<String>,
}

impl<'a> TextReader<'a> {
    /// Reads from `text`, whose span is `whole`; with `literal`, the marks of other tools are text.
    #[must_use]
    pub(super) fn new(text: &'a Text, whole: Span, literal: bool) -> Self {
        Self {
            source: "",
            base: 0,
            unseen: None,
            keeping: Keeping::default(),
            text,
            whole,
            literal,
            suspect: false,
            is_encoded: encodes(text),
            has_other_booleans: Cell::new(false),
        }
    }

    /// Turns to the document that starts at `base`.
    pub(super) fn turn_to(&mut self, source: &'a str, base: usize) {
        self.source = source;
        self.base = base;
        self.suspect = !self.text.holes.is_empty() || !self.literal && suspect(source);
    }

    /// Whether nothing in the document has to be found out, and no value stands in it as JSON or YAML.
    pub(super) fn is_plain(&self) -> bool {
        !self.suspect && self.unseen.is_none() && !self.is_encoded
    }

    /// The place of a range.
    #[must_use]
    #[inline]
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        self.text.locate(range.start, range.end, self.whole)
    }

    /// Whether another tool's conditions may be in the document, so that a key written twice may be
    /// one of two branches.
    pub(super) fn is_template(&self) -> bool {
        self.suspect && !self.literal && self.source.contains("{{")
    }

    /// The text of a range; empty when it lies outside the document.
    #[must_use]
    pub(super) fn slice(&self, range: &Range<usize>) -> &'a str {
        let local = |at: usize| at.checked_sub(self.base);
        let range = local(range.start).zip(local(range.end));
        range.and_then(|(start, end)| self.source.get(start..end)).unwrap_or_default()
    }

    /// What the collection of a key or an item that begins at a place may hold besides.
    #[must_use]
    pub(super) fn more_beside(&self, start: usize, is_key: bool) -> Option<&Symbol> {
        let unseen = self.unseen.as_ref()?;
        unseen.may_hold_more(start.checked_sub(self.base)?, is_key).then_some(&unseen.symbol)
    }

    /// What may be inserted into a collection.
    #[must_use]
    pub(super) fn inserted_into(&self, range: &Range<usize>, flow: bool) -> Option<&Symbol> {
        let unseen = self.unseen.as_ref()?;
        let range = range.start.checked_sub(self.base)?..range.end.checked_sub(self.base)?;
        unseen.may_insert(self.source, &range, flow).then_some(&unseen.symbol)
    }

    /// The rest of the line at a place.
    #[must_use]
    pub(super) fn line(&self, at: usize) -> Range<usize> {
        let rest = self.source.get(at.saturating_sub(self.base)..).unwrap_or_default();
        at..at + rest.lines().next().unwrap_or_default().trim_end().len()
    }

    /// Where the first dash of a block list is: at `start`, or between `from` and it.
    #[must_use]
    pub(super) fn dash(&self, start: usize, from: usize) -> usize {
        let local = start.saturating_sub(self.base);
        let bytes = self.source.as_bytes().get(local..).unwrap_or_default();
        // An item may begin with a dash, too: `- --flag`.
        if let [b'-', rest @ ..] = bytes
            && rest.first().is_none_or(u8::is_ascii_whitespace)
        {
            return start;
        }
        self.indicator(from, b"-").unwrap_or(start)
    }

    /// Where the anchor of the node is written that begins after `from`, at `start` at the latest.
    #[must_use]
    pub(super) fn anchor(&self, from: usize, start: usize) -> usize {
        self.indicator(from, b"&").map_or(start, |it| it.min(start))
    }

    /// The first of the wanted indicators after `from`, past comments, tags, anchors and layout.
    fn indicator(&self, from: usize, wanted: &[u8]) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut at = from.checked_sub(self.base)?;
        loop {
            let byte = *bytes.get(at)?;
            if wanted.contains(&byte) {
                return Some(at + self.base);
            }
            let rest = bytes.get(at..)?;
            at += match byte {
                b'#' => memchr::memchr(b'\n', rest)?,
                b'&' | b'!' => rest.iter().position(u8::is_ascii_whitespace)?,
                // Layout, `-`, `:`, `?`, and what may open a document: `---`, a byte order mark.
                _ => 1,
            };
        }
    }

    /// The template mark that a collection in brackets really is.
    #[must_use]
    pub(super) fn template(&self, range: &Range<usize>, flow: bool) -> Option<Symbol> {
        if self.literal || !flow || !self.suspect {
            return None;
        }
        let text = self.slice(range);
        (text.starts_with("{{") && text.ends_with("}}")).then(|| Symbol::new("", text))
    }

    /// The unknown part of a key.
    #[must_use]
    pub(super) fn unknown_key(&self, value: &str) -> Option<Symbol> {
        if !self.suspect {
            return None;
        }
        marks(value, &self.text.holes, self.literal).into_iter().next().map(|(_, symbol)| symbol)
    }

    /// The key that a scalar makes; `None` for null and what JSON cannot express.
    pub(super) fn key(&mut self, value: &str, is_plain: bool) -> Option<Arc<str>> {
        if !is_plain {
            return Some(recent::share(value));
        }
        match plain(value) {
            Scalar::Bool(truth) => {
                self.note_boolean(value);
                Some(recent::share(if truth { "true" } else { "false" }))
            }
            Scalar::Integer(number) => Some(number.to_string().into()),
            Scalar::Float(number) => Some(float_key(number).into()),
            Scalar::Text | Scalar::Binary => Some(recent::share(value)),
            Scalar::Null | Scalar::NotFinite | Scalar::Mismatch => None,
        }
    }

    /// Reads a scalar. `range` is the parser's, `cursor` the end of what came before.
    #[must_use]
    pub(super) fn scalar(
        &self,
        value: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        range: Range<usize>,
        cursor: usize,
    ) -> ScalarRead {
        let resume = range.end;
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            let (range, content, layout) = self.block(value, range, cursor);
            let read = self.finish(value, tag, style, range, resume, || layout);
            let run = self.carrying(&content).filter(|it| it.range.start == content.start);
            return match run.filter(|it| it.carried.is_encoded && style == ScalarStyle::Literal) {
                Some(run) => ScalarRead { value: carried_scalar(run.carried, read.value), ..read },
                None => read,
            };
        }
        let inner = match style {
            ScalarStyle::Plain => range.clone(),
            _ => range.start + 1..range.end.saturating_sub(1).max(range.start + 1),
        };
        let run = self.carrying(&inner).filter(|it| it.range == inner);
        let layout = || {
            if self.slice(&inner) == value {
                verbatim(self.text, inner)
            } else {
                TextSource::Nowhere
            }
        };
        let read = self.finish(value, tag, style, range, resume, layout);
        match run {
            Some(run) => ScalarRead { value: carried_scalar(run.carried, read.value), ..read },
            None => read,
        }
    }

    /// Reads a scalar on one line of a plain document. `whole` is all of it, `inner` what is between its quotes, of
    /// which `value` is the text. Nothing where something is wrong with it.
    #[must_use]
    pub(super) fn on_one_line(
        &self,
        value: &str,
        style: ScalarStyle,
        (whole, inner): (Range<usize>, Range<usize>),
    ) -> Option<Value> {
        let span = self.span(&whole);
        let kind = match style {
            ScalarStyle::Plain => plain(value),
            _ => Scalar::Text,
        };
        let kind = match kind {
            Scalar::Text => {
                // What has escapes is shorter than it is written.
                let layout = if value.len() == inner.len() {
                    verbatim(self.text, inner.clone())
                } else {
                    TextSource::Nowhere
                };
                self.string(value, span, layout)
            }
            other => self.other(other, value)?,
        };
        let read = Value::new(kind, span);
        let run = self.carrying(&inner).filter(|it| it.range == inner);
        Some(match run {
            Some(run) => carried_scalar(run.carried, read),
            None => read,
        })
    }

    /// Whether nothing is wrong with a scalar on one line of a plain document.
    pub(super) fn is_readable(&self, value: &str, style: ScalarStyle) -> bool {
        match style {
            ScalarStyle::Plain => {
                let scalar = plain(value);
                scalar == Scalar::Text || self.other(scalar, value).is_some()
            }
            _ => true,
        }
    }

    /// A scalar that is no text; nothing where JSON has none such.
    fn other(&self, scalar: Scalar, value: &str) -> Option<Kind> {
        Some(match scalar {
            Scalar::Null => Kind::Null,
            Scalar::Bool(truth) => {
                self.note_boolean(value);
                Kind::Bool(truth)
            }
            #[allow(clippy::cast_precision_loss, reason = "every number becomes a float in JSON")]
            Scalar::Integer(number) => Kind::Number(number as f64),
            Scalar::Float(number) => Kind::Number(number),
            Scalar::Text | Scalar::Binary | Scalar::NotFinite | Scalar::Mismatch => return None,
        })
    }

    /// Whether there are runs that values gave.
    pub(super) fn has_runs(&self) -> bool {
        self.text.carried.is_some()
    }

    /// The run that a value gave and that holds a range.
    #[must_use]
    pub(super) fn carrying(&self, range: &Range<usize>) -> Option<TextRun<'a>> {
        self.text.carrying(range)
    }

    fn finish(
        &self,
        value: &str,
        tag: Option<&Tag>,
        style: ScalarStyle,
        range: Range<usize>,
        resume: usize,
        layout: impl FnOnce() -> TextSource,
    ) -> ScalarRead {
        let span = self.span(&range);
        let scalar = match tag {
            Some(tag) => tag.core_suffix().map_or(Scalar::Text, |name| tagged(name, value)),
            None if style == ScalarStyle::Plain => plain(value),
            None => Scalar::Text,
        };
        let unknown = || Kind::Unknown(Symbol::new("", value));
        let mut complaint = None;
        let kind = match (&self.unseen, scalar) {
            (Some(unseen), _) if range.is_empty() || self.slice(&range).contains('\n') => {
                Kind::Unknown(unseen.symbol.clone())
            }
            (_, Scalar::Text) => self.string(value, span, layout()),
            (_, Scalar::NotFinite) => {
                complaint =
                    Some(format!("Kubernetes cannot store `{value}`; JSON has no such number"));
                unknown()
            }
            (_, Scalar::Mismatch) => {
                complaint = Some(format!("`{value}` is not of the type its tag asks for"));
                unknown()
            }
            // Base64 is not decoded.
            (_, other) => self.other(other, value).unwrap_or_else(unknown),
        };
        ScalarRead { value: Value::new(kind, span), range, resume, complaint }
    }

    fn note_boolean(&self, written: &str) {
        if !written.starts_with(['t', 'T', 'f', 'F']) {
            self.has_other_booleans.set(true);
        }
    }

    fn string(&self, value: &str, span: Span, layout: TextSource) -> Kind {
        let text = Text { layout, ..Text::computed(value) };
        if !self.suspect {
            return Kind::String(text);
        }
        let mut parts = marks(value, &self.text.holes, self.literal);
        if parts.is_empty() {
            return Kind::String(text);
        }
        if matches!(parts.as_slice(), [(range, _)] if *range == (0..value.len()))
            && let Some((_, symbol)) = parts.pop()
        {
            return Kind::Unknown(symbol);
        }
        Kind::String(with_holes(&text, 0..value.len(), parts, span))
    }

    /// The places of a block scalar and of its content, and its layout. The parser's range starts at the
    /// content.
    fn block(
        &self,
        value: &str,
        range: Range<usize>,
        cursor: usize,
    ) -> (Range<usize>, Range<usize>, TextSource) {
        let Some(start) = self.indicator(cursor, b"|>") else {
            return (range, 0..0, TextSource::Nowhere);
        };
        let header = self.source.get(start - self.base..).unwrap_or_default();
        let marks = header.bytes().skip(1).take_while(|it| b"0123456789+-".contains(it)).count();
        let line = memchr::memchr(b'\n', header.as_bytes()).map_or(header.len(), |at| at + 1);
        let content = start - self.base + line;
        let Some((lines, end)) = block_lines(self.source, content, value) else {
            return (start..start + 1 + marks, 0..0, TextSource::Nowhere);
        };
        let mut pieces = Vec::with_capacity(lines.len());
        let first = lines.first().map_or(end, |(_, line)| line.start);
        let content = first + self.base..end + self.base;
        for (at, line) in lines {
            add_pieces(self.text, line.start + self.base..line.end + self.base, at, &mut pieces);
        }
        (start..end + self.base, content, from_pieces(pieces))
    }
}
