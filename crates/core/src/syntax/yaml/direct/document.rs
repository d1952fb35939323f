//! A document, and what its nodes become.

use std::{ops::Range, sync::Arc};

use crate::hash::HashSet;

use crate::{
    syntax::yaml::{carry, frame::ReadNode, text::TextReader},
    value::{Entry, Kind, Symbol, TextRun, Value},
};

/// Deeper documents are left.
const DEEPEST: u32 = 48;
/// More keys than this are looked up by their hashes.
const FEW: usize = 16;

/// A value, and its bytes in the document.
pub(super) struct Node {
    /// The value.
    pub value: Value,
    /// Its bytes.
    pub range: Range<usize>,
}

/// A key as it is written.
pub(super) struct Key {
    /// All of it, with its quotes.
    pub range: Range<usize>,
    /// What it says.
    pub text: Range<usize>,
}

/// A document and how far it was read.
pub(super) struct Document<'r, 't> {
    /// What reads scalars.
    pub reader: &'r mut TextReader<'t>,
    /// The text.
    pub source: &'t str,
    base: usize,
    /// The offset of what comes next.
    pub at: usize,
    /// Where the line begins.
    pub line: usize,
    depth: u32,
    /// The key whose values are left out of this document.
    omitted: Option<&'static str>,
    /// Whether what is read is inside such a value.
    pub omits: bool,
}

impl<'r, 't> Document<'r, 't> {
    /// The beginning of the document the reader is set to.
    pub(super) fn new(reader: &'r mut TextReader<'t>) -> Self {
        let (source, base) = (reader.source, reader.base);
        let omission = reader.omission.filter(|it| it.concerns(source));
        let omitted = omission.map(|it| it.key);
        Self { reader, source, base, at: 0, line: 0, depth: 0, omitted, omits: false }
    }

    /// Reads something nested.
    pub(super) fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Node>) -> Option<Node> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let node = read(self);
        self.depth -= 1;
        node
    }

    /// The node of a key, which is unknown where such are left out.
    pub(super) fn under(
        &mut self,
        key: &Key,
        read: impl FnOnce(&mut Self) -> Option<Node>,
    ) -> Option<Node> {
        let Some(name) = self.omitted.filter(|it| !self.omits && *it == self.text(&key.text))
        else {
            return read(self);
        };
        self.omits = true;
        let node = read(self);
        self.omits = false;
        let node = node?;
        let span = self.reader.span(&self.whole(&node.range));
        Some(Node { value: Value::unknown(Symbol::new("", name), span), ..node })
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.byte_at(self.at)
    }

    pub(super) fn byte_at(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    pub(super) fn text(&self, range: &Range<usize>) -> &'t str {
        self.source.get(range.clone()).unwrap_or_default()
    }

    pub(super) fn whole(&self, range: &Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    /// Whether an item of a list begins here.
    pub(super) fn is_dash(&self) -> bool {
        self.byte() == Some(b'-') && matches!(self.byte_at(self.at + 1), Some(b' ' | b'\n'))
    }

    pub(super) fn spaces(&mut self) {
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|it| **it == b' ').count();
    }

    /// Passes over what may be left of a line: spaces and a comment.
    pub(super) fn end_of_line(&mut self) -> Option<()> {
        self.spaces();
        let is_apart =
            self.at == self.line || self.source.as_bytes().get(self.at - 1) == Some(&b' ');
        match self.byte() {
            None | Some(b'\n') => Some(()),
            Some(b'#') if is_apart => {
                let rest = self.source.as_bytes().get(self.at..)?;
                self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                Some(())
            }
            _ => None,
        }
    }

    /// The column of what comes next on a line of its own; `None` inside where nothing does.
    #[allow(clippy::option_option, reason = "the outer one is whether the document is left")]
    pub(super) fn next(&mut self) -> Option<Option<usize>> {
        self.end_of_line()?;
        if self.byte().is_none() {
            return Some(None);
        }
        self.at += 1;
        self.content()
    }

    /// The same at the beginning of a line.
    #[allow(clippy::option_option, reason = "as above")]
    pub(super) fn content(&mut self) -> Option<Option<usize>> {
        loop {
            self.line = self.at;
            self.spaces();
            match self.byte() {
                None => return Some(None),
                Some(b'\n' | b'#') => {
                    self.end_of_line()?;
                    if self.byte().is_none() {
                        return Some(None);
                    }
                    self.at += 1;
                }
                // `...` ends a document.
                Some(b'.') if self.at == self.line => return None,
                Some(_) => return Some(Some(self.at - self.line)),
            }
        }
    }

    /// A node as the item of a list that begins at `around`.
    pub(super) fn item(&self, node: Node, around: usize) -> Value {
        let whole = self.whole(&node.range);
        let name = self.reader.span(&whole);
        let Some(run) = self.run(&node.range, around) else { return node.value.named(name) };
        let Range { start, end } = whole;
        let node = ReadNode { value: node.value, start, end, height: 0 };
        let carried = carry::add(&node, &mut (0, 0), Some(&run));
        carried.unwrap_or_else(|| node.value.named(name))
    }

    /// The document's own node.
    pub(super) fn root(&self, node: Node) -> Value {
        let run = self.reader.carrying(&self.whole(&node.range));
        run.and_then(|it| carry::whole(&node.value, it.carried)).unwrap_or(node.value)
    }

    /// The run that a value gave and that holds a range, where the collection around begins before it.
    fn run(&self, range: &Range<usize>, around: usize) -> Option<TextRun<'t>> {
        if !self.reader.has_runs() {
            return None;
        }
        let run = self.reader.carrying(&self.whole(range))?;
        (around + self.base < run.range.start).then_some(run)
    }

    pub(super) fn list_of(&self, mut items: Vec<Value>, range: Range<usize>) -> Node {
        items.shrink_to_fit();
        let span = self.reader.span(&self.whole(&range));
        Node { value: Value::list(items, span), range }
    }

    pub(super) fn mapping_of(&self, mut entries: Entries, range: Range<usize>) -> Node {
        // Most mappings have one or two entries, and room for four was made for the first.
        entries.list.shrink_to_fit();
        let span = self.reader.span(&self.whole(&range));
        let first = entries.list.first().filter(|it| it.value.origin.is_none());
        let name = first.map_or(span, |it| it.key_span);
        Node { value: Value::map(entries.list, span).named(name), range }
    }

    /// Adds an entry to a mapping that begins at `around`; not where its key was there already.
    pub(super) fn put(
        &mut self,
        (entries, around): (&mut Entries, usize),
        key: &Key,
        node: Node,
    ) -> Option<()> {
        let is_plain = key.range == key.text;
        let text = self.text(&key.text);
        if is_plain && text == "<<" {
            return None;
        }
        let name = self.reader.key(text, is_plain)?;
        let written = self.whole(&key.range);
        let key_span = self.reader.span(&written);
        if self.omits {
            return entries.put(Entry {
                key: name,
                key_span,
                value: Value::new(Kind::Null, key_span),
            });
        }
        let Some(run) = self.run(&node.range, around) else {
            return entries.put(Entry { key: name, key_span, value: node.value.named(key_span) });
        };
        let entry = Entry { key: name, key_span, value: node.value };
        entries.put(carry::put(entry, written.start, Some(&run)))
    }
}

/// Entries whose keys differ.
#[derive(Default)]
pub(super) struct Entries {
    /// The entries so far.
    pub list: Vec<Entry>,
    many: HashSet<Arc<str>>,
}

impl Entries {
    fn put(&mut self, entry: Entry) -> Option<()> {
        let is_new = if self.list.len() < FEW {
            self.list.iter().all(|it| it.key != entry.key)
        } else {
            if self.many.is_empty() {
                self.many.extend(self.list.iter().map(|it| Arc::clone(&it.key)));
            }
            self.many.insert(Arc::clone(&entry.key))
        };
        self.list.push(entry);
        is_new.then_some(())
    }
}
