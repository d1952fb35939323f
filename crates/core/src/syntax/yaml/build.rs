//! From the parser's events to values: one document.

use crate::{
    findings::Severity,
    source::Span,
    syntax::{
        NO_ANCHOR, ParseError,
        yaml::{
            anchor::Anchors,
            carry,
            frame::{Anchor, OpenBody, OpenCollection, OpenMapping, PendingKey, ReadNode, key_of},
            merge::merge,
            problem::{MOST, YamlProblem, problem},
            text::TextReader,
        },
    },
    value::{Entry, Kind, Symbol, Value, step::StepKind},
};
use granit_parser::{Event, Options, Parser, ScalarStyle, StructureStyle, Tag, options};
use std::ops::Range;

/// Deeper than this, counted through aliases, a value is refused: whoever walks it would run out of
/// stack.
const DEPTH: usize = 512;

fn limits() -> Options {
    options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        max_buffered_comment_events: 10_000,
    }
}

/// Builds the value of one document.
#[derive(Debug)]
pub(super) struct DocumentBuilder<'a, 'r> {
    reader: &'r mut TextReader<'a>,
    frames: Vec<OpenCollection>,
    root: Option<Value>,
    anchors: Anchors,
    /// Where the last scalar, alias or closing bracket ended.
    cursor: usize,
    parse_errors: Vec<ParseError>,
}

/// What a document holds.
#[derive(Debug)]
pub(super) struct BuiltDocument {
    /// Its value, if it has one.
    pub value: Option<Value>,
    /// The doubtful places in it.
    pub parse_errors: Vec<ParseError>,
    /// The nodes that an alias repeats, from their anchors on.
    pub aliased: Vec<Span>,
}

impl<'a, 'r> DocumentBuilder<'a, 'r> {
    /// Reads the document the reader is set to.
    ///
    /// # Errors
    ///
    /// Where the text stops being YAML.
    pub(super) fn read(reader: &'r mut TextReader<'a>) -> Result<BuiltDocument, YamlProblem> {
        let (source, base) = (reader.source, reader.base);
        let mut builder = Self {
            reader,
            frames: Vec::new(),
            root: None,
            anchors: Anchors::default(),
            cursor: base,
            parse_errors: Vec::new(),
        };
        let mut after = 0;
        for event in Parser::new_from_str_with_options(source, limits()) {
            let (event, span) =
                event.map_err(|error| YamlProblem { after, ..problem(&error, source) })?;
            let range = span.byte_range().unwrap_or_default();
            after = range.end;
            let range = range.start + base..range.end + base;
            if matches!(event, Event::DocumentStart(..)) && builder.root.is_some() {
                let line = builder.reader.line(range.start);
                builder
                    .warn(line, "Kubernetes ignores everything between `...` and the next `---`");
                break;
            }
            builder.take(event, range)?;
        }
        let aliased = builder.anchors.aliased();
        let aliased = aliased.iter().map(|it| builder.span(it)).collect();
        Ok(BuiltDocument { value: builder.root, parse_errors: builder.parse_errors, aliased })
    }

    fn take(&mut self, event: Event<'a>, range: Range<usize>) -> Result<(), YamlProblem> {
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                self.scalar(&value, style, anchor, tag.as_deref(), range);
            }
            Event::SequenceStart(style, anchor, _) => {
                self.open(style, anchor, range, OpenBody::List(Vec::new()))?;
            }
            Event::MappingStart(style, anchor, _) => {
                self.open(style, anchor, range, OpenBody::Map(OpenMapping::default()))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&range),
            Event::Alias(id) => self.alias(id, range),
            Event::UnresolvedAlias(name) => {
                let message = format!("{NO_ANCHOR}{name}` comes before this alias");
                self.fail(range.clone(), message);
                self.lost(range);
            }
            _ => {}
        }
        Ok(())
    }

    fn span(&self, range: &Range<usize>) -> Span {
        self.reader.span(range)
    }

    fn warn(&mut self, range: Range<usize>, message: impl Into<String>) {
        let span = self.span(&range);
        self.parse_errors.push(ParseError::new(span, message, Severity::Warning));
    }

    fn fail(&mut self, range: Range<usize>, message: impl Into<String>) {
        let span = self.span(&range);
        self.parse_errors.push(ParseError::new(span, message, Severity::Error));
    }

    /// Puts an unknown value where something could not be read.
    fn lost(&mut self, range: Range<usize>) {
        let span = self.span(&range);
        let symbol = Symbol::new("", self.reader.slice(&range));
        self.cursor = range.end;
        self.place(ReadNode {
            value: Value::unknown(symbol, span),
            start: range.start,
            end: range.end,
            height: 0,
        });
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        range: Range<usize>,
    ) {
        self.anchors.count(1);
        let is_key = matches!(
            self.frames.last(),
            Some(OpenCollection {
                body: OpenBody::Map(OpenMapping { key: PendingKey::Awaited, .. }),
                ..
            })
        );
        if is_key && anchor == 0 && tag.is_none() {
            self.key(value, style, range);
            return;
        }
        let empty = style == ScalarStyle::Plain && range.is_empty();
        let value = if empty { "" } else { self.as_ended(value, style, &range) };
        let anchor = self.anchor(anchor, range.start);
        let read = self.reader.scalar(value, style, tag, range, self.cursor);
        if let Some(complaint) = read.complaint {
            self.fail(read.range.clone(), complaint);
        }
        let follows_colon =
            self.reader.slice(&(read.range.start.saturating_sub(1)..read.range.start)) == ":";
        let end = if empty && !follows_colon { self.cursor } else { read.range.end };
        self.cursor = read.resume.max(self.cursor);
        let node = ReadNode { value: read.value, start: read.range.start, end, height: 0 };
        if let Some(anchor) = anchor {
            self.anchors.define(anchor, &node, 1, self.anchored(anchor, end, true));
        }
        self.place(node);
    }

    /// A block at the end of a text whose last line has no end has none either.
    fn as_ended<'v>(&self, value: &'v str, style: ScalarStyle, range: &Range<usize>) -> &'v str {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let source = self.reader.source;
        let after = source.get(range.end.saturating_sub(self.reader.base)..).unwrap_or_default();
        let last = source.rsplit('\n').next().unwrap_or_default();
        let is_cut = is_block && after.trim().is_empty() && !last.trim().is_empty();
        value.strip_suffix('\n').filter(|_| is_cut).unwrap_or(value)
    }

    /// The anchor of the node that begins at `start`; the parser numbers anchors from 1.
    fn anchor(&self, id: usize, start: usize) -> Option<Anchor> {
        (id != 0).then(|| Anchor { id, start: self.reader.anchor(self.cursor, start) })
    }

    /// What a node with an anchor covers, which ends at `end`. Of a block collection it is the rest of
    /// the last line too, because behind it the next entry is written.
    fn anchored(&self, anchor: Anchor, end: usize, ends_there: bool) -> Range<usize> {
        let written = self.reader.slice(&(anchor.start..end)).trim_end();
        let end = anchor.start + written.len();
        anchor.start..if ends_there { end } else { self.reader.line(end).end }
    }

    /// A key without anchor and tag: nearly all of them.
    fn key(&mut self, value: &str, style: ScalarStyle, range: Range<usize>) {
        let span = self.span(&range);
        self.cursor = range.end;
        let plain = style == ScalarStyle::Plain;
        let key = if plain && value == "<<" {
            Ok(PendingKey::Merge(span))
        } else if let Some(symbol) = self.reader.unknown_key(value) {
            Err(Some(symbol))
        } else {
            let empty = plain && range.is_empty();
            let key = self.reader.key(if empty { "" } else { value }, plain);
            key.map(|key| PendingKey::Named(key, span)).ok_or(None)
        };
        self.begin(key, range);
    }

    /// Sets the key of the mapping on top; an error names the unknown part, if it is that.
    fn begin(&mut self, key: Result<PendingKey, Option<Symbol>>, range: Range<usize>) {
        let bad = matches!(key, Err(None));
        if let Some(OpenCollection {
            start, end, flow, open, body: OpenBody::Map(mapping), ..
        }) = self.frames.last_mut()
        {
            let more = self.reader.more_beside(range.start, true);
            *open = open.take().or_else(|| more.cloned());
            if mapping.entries.is_empty() && !*flow {
                *start = (*start).min(range.start);
            }
            *end = (*end).max(range.end);
            mapping.key_start = range.start;
            mapping.key = match key {
                Ok(key) => key,
                Err(unknown) => {
                    mapping.doubt_last(unknown.as_ref());
                    mapping.rest = unknown.or(mapping.rest.take());
                    PendingKey::Dropped
                }
            };
        }
        if bad {
            self.fail(range, "Kubernetes accepts only text, numbers and booleans as keys");
        }
    }

    fn open(
        &mut self,
        style: StructureStyle,
        anchor: usize,
        range: Range<usize>,
        body: OpenBody,
    ) -> Result<(), YamlProblem> {
        if self.frames.len() >= DEPTH {
            let at = range.start - self.reader.base;
            return Err(YamlProblem::new(at, "nested too deeply"));
        }
        let flow = style == StructureStyle::Flow;
        let start = match body {
            OpenBody::List(_) if !flow => self.reader.dash(range.start, self.cursor),
            _ => range.start,
        };
        self.frames.push(OpenCollection {
            start,
            end: range.end.max(start + 1),
            anchor: self.anchor(anchor, start),
            flow,
            nodes_before: self.anchors.nodes(),
            unread_before: self.parse_errors.len(),
            height: 1,
            from_run: (0, 0),
            open: None,
            body,
        });
        self.anchors.count(1);
        Ok(())
    }

    fn close(&mut self, range: &Range<usize>) {
        let Some(frame) = self.frames.pop() else { return };
        let mut end = frame.end;
        if frame.flow && !range.is_empty() {
            end = end.max(range.end);
            self.cursor = range.end;
        }
        let whole = frame.start..end;
        let span = self.span(&whole);
        let mut kind = if let Some(symbol) = self.reader.template(&whole, frame.flow) {
            self.parse_errors.truncate(frame.unread_before);
            Kind::Unknown(symbol)
        } else {
            let open =
                frame.open.as_ref().or_else(|| self.reader.inserted_into(&whole, frame.flow));
            frame.body.into_kind(open)
        };
        if let Some(run) = self.reader.carrying(&(frame.start..frame.start + 1))
            && run.range.start == frame.start
            && run.range.end < end
        {
            carry::head(&mut kind, run.carried);
        }
        let mut value = Value::new(kind, span);
        if let Some(first) = value.entries().first()
            && first.value.origin.is_none()
        {
            value.name = first.key_span;
        }
        let node = ReadNode { value, start: frame.start, end, height: frame.height };
        if let Some(anchor) = frame.anchor {
            let nodes = self.anchors.nodes() - frame.nodes_before;
            self.anchors.define(anchor, &node, nodes, self.anchored(anchor, end, frame.flow));
        }
        self.place(node);
    }

    fn alias(&mut self, id: usize, range: Range<usize>) {
        let name = self.reader.slice(&range);
        match self.anchors.resolve(id, DEPTH.saturating_sub(self.frames.len())) {
            Ok((value, height)) => {
                let value = value.through(self.span(&range), StepKind::Alias(name.into()));
                self.cursor = range.end;
                self.place(ReadNode { value, start: range.start, end: range.end, height });
            }
            Err(message) => {
                if !message.is_empty() {
                    self.fail(range.clone(), message);
                }
                self.lost(range);
            }
        }
    }

    /// Puts a finished value into the collection on top.
    fn place(&mut self, node: ReadNode) {
        let run = self.reader.carrying(&(node.start..node.end));
        let Some(frame) = self.frames.last_mut() else {
            let value = run.and_then(|it| carry::whole(&node.value, it.carried));
            self.root = Some(value.unwrap_or(node.value));
            return;
        };
        // What begins with the run is settled when it ends.
        let run = run.filter(|it| frame.start < it.range.start);
        frame.end = frame.end.max(node.end);
        frame.height = frame.height.max(node.height + 1);
        let mapping = match &mut frame.body {
            OpenBody::List(items) => {
                let more = self.reader.more_beside(node.start, false);
                frame.open = frame.open.take().or_else(|| more.cloned());
                items.push(carry::add(&node, &mut frame.from_run, run.as_ref()).unwrap_or_else(
                    || {
                        let name = self.reader.span(&(node.start..node.end.max(node.start)));
                        node.value.named(name)
                    },
                ));
                return;
            }
            OpenBody::Map(mapping) => mapping,
        };
        match std::mem::take(&mut mapping.key) {
            PendingKey::Awaited => {
                let range = node.start..node.end.max(node.start);
                let key = key_of(&node.value).map(|key| PendingKey::Named(key, self.span(&range)));
                self.begin(key, range);
            }
            PendingKey::Named(key, key_span) => {
                let key_start = mapping.key_start;
                let entry = Entry { key, key_span, value: node.value };
                let entry = carry::put(entry, key_start, run.as_ref());
                let key_span = entry.key_span;
                let name = entry.key.clone();
                match (mapping.write(entry), &self.reader.unseen) {
                    (None, _) => {}
                    // Two branches of a template: which of them counts is not known here.
                    (Some(_), Some(unseen)) => mapping.doubt(&name, &unseen.symbol),
                    (Some(_), None) if self.reader.is_template() => {
                        mapping.doubt(&name, &Symbol::new("", "{{ … }}"));
                    }
                    (Some(_), None) if self.parse_errors.len() >= MOST => {}
                    (Some(earlier), None) => {
                        let now = mapping.get(&name);
                        let is_same = now.and_then(|it| earlier.value.same_as(it)) == Some(true);
                        let twice =
                            ParseError::duplicate_key(&name, earlier.key_span, key_span, is_same);
                        let around = frame.start..frame.start;
                        self.parse_errors.push(twice.inside(self.reader.span(&around)));
                    }
                }
            }
            PendingKey::Merge(span) => {
                if !merge(mapping, &node.value) {
                    let message = "`<<` takes a mapping or a list of mappings".to_owned();
                    self.parse_errors.push(ParseError::new(span, message, Severity::Error));
                }
            }
            PendingKey::Dropped => {}
        }
    }
}
