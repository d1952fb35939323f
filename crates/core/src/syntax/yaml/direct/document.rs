//! A document, and what its nodes become.

use std::{borrow::Cow, ops::Range, sync::Arc};

use crate::hash::HashSet;

use crate::{
    syntax::yaml::{
        carry,
        direct::place::Place,
        frame::ReadNode,
        kept::Keeping,
        scalar::{Scalar, plain},
        text::TextReader,
    },
    value::{Entry, Kind, Symbol, TextRun, Value},
};

/// Deeper documents are left.
const DEEPEST: u32 = 48;
/// More keys than this are looked up by their hashes.
const FEW: usize = 16;
/// How many entries most documents have open at a time.
const OPEN: usize = 32;

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
    /// Whether what is read is inside of something that is left out: it is looked at, and not kept.
    pub omits: bool,
    /// What is kept of the mapping or list that is read.
    pub place: Place,
    /// The entries of all mappings that are open, of which each is copied once when it ends.
    entries: Vec<Entry>,
    /// The same of what is left out.
    names: Vec<Cow<'t, str>>,
}

impl<'r, 't> Document<'r, 't> {
    /// The beginning of the document the reader is set to.
    pub(super) fn new(reader: &'r mut TextReader<'t>) -> Self {
        let (source, base) = (reader.source, reader.base);
        let Keeping { omission, lists, only_checks: omits } = reader.keeping;
        let omission = omission.filter(|it| it.concerns(source));
        let omitted = omission.map(|it| it.key);
        let place = lists.and_then(|it| it(source)).map_or(Place::Elsewhere, Place::Toward);
        let entries = Vec::with_capacity(if omits { 0 } else { OPEN });
        let (at, line, depth) = (0, 0, 0);
        Self {
            reader,
            source,
            base,
            at,
            line,
            depth,
            omitted,
            omits,
            place,
            entries,
            names: Vec::new(),
        }
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

    /// The node of a key: unknown or nothing where it is left out.
    pub(super) fn under(
        &mut self,
        key: &Key,
        read: impl FnOnce(&mut Self) -> Option<Node>,
    ) -> Option<Node> {
        if self.omits {
            return read(self);
        }
        let name = self.text(&key.text);
        let around = self.place;
        let unknown = self.omitted.filter(|it| *it == name);
        self.omits = unknown.is_some() || !around.keeps(name);
        self.place = around.of_key(name);
        let node = read(self);
        self.omits = false;
        self.place = around;
        let node = node?;
        let Some(name) = unknown else { return Some(node) };
        let span = self.reader.span(&self.whole(&node.range));
        Some(Node { value: Value::unknown(Symbol::new("", name), span), ..node })
    }

    /// What is left out, of which the place is known.
    pub(super) fn omitted(&self, range: Range<usize>) -> Node {
        let span = self.reader.span(&self.whole(&range));
        Node { value: Value::new(Kind::Null, span), range }
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
        if self.omits {
            return self.omitted(range);
        }
        items.shrink_to_fit();
        let span = self.reader.span(&self.whole(&range));
        Node { value: Value::list(items, span), range }
    }

    /// The mapping of the last entries that were put.
    pub(super) fn mapping_of(&mut self, entries: &Entries, range: Range<usize>) -> Node {
        if self.omits {
            self.names.truncate(entries.first);
            return self.omitted(range);
        }
        let place = self.place;
        let is_kept = |it: &Entry| place.keeps(&it.key);
        let added = self.entries.get(entries.first..).unwrap_or_default();
        let mut list = Vec::with_capacity(added.iter().filter(|it| is_kept(it)).count());
        list.extend(self.entries.drain(entries.first..).filter(is_kept));
        let span = self.reader.span(&self.whole(&range));
        let first = list.first().filter(|it| it.value.origin.is_none());
        let name = first.map_or(span, |it| it.key_span);
        Node { value: Value::map(list, span).named(name), range }
    }

    /// Entries of a mapping that begins.
    pub(super) fn begin(&self) -> Entries {
        let first = if self.omits { self.names.len() } else { self.entries.len() };
        Entries { first, many: HashSet::default() }
    }

    /// The key that a scalar makes, of what is left out.
    fn name(&mut self, text: &'t str, is_plain: bool) -> Option<Cow<'t, str>> {
        if !is_plain || plain(text) == Scalar::Text {
            return Some(text.into());
        }
        Some(self.reader.key(text, is_plain)?.to_string().into())
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
        if self.omits {
            let name = self.name(text, is_plain)?;
            let own = self.names.get(entries.first..).unwrap_or_default();
            let is_new = entries.is_new(own, &name, |it| Arc::from(&**it));
            self.names.push(name);
            return is_new.then_some(());
        }
        let name = self.reader.key(text, is_plain)?;
        let written = self.whole(&key.range);
        let key_span = self.reader.span(&written);
        let entry = Entry { key: name, key_span, value: node.value };
        let entry = match self.run(&node.range, around) {
            Some(run) => carry::put(entry, written.start, Some(&run)),
            None => Entry { value: entry.value.named(key_span), ..entry },
        };
        let own = self.entries.get(entries.first..).unwrap_or_default();
        let is_new = entries.is_new(own, &entry, |it| Arc::clone(&it.key));
        self.entries.push(entry);
        is_new.then_some(())
    }
}

/// The entries of one mapping that is open: the last ones, whose keys differ.
pub(super) struct Entries {
    /// Which entry of all is the first of them.
    first: usize,
    many: HashSet<Arc<str>>,
}

impl Entries {
    /// Whether none of its own has the key of one that is then put beside them.
    fn is_new<T: Named>(&mut self, own: &[T], added: &T, key: impl Fn(&T) -> Arc<str>) -> bool {
        if own.len() < FEW {
            return own.iter().all(|it| it.name() != added.name());
        }
        if self.many.is_empty() {
            self.many.extend(own.iter().map(&key));
        }
        self.many.insert(key(added))
    }
}

/// What has a key: an entry, or the key of one that is left out.
trait Named {
    fn name(&self) -> &str;
}

impl Named for Entry {
    fn name(&self) -> &str {
        &self.key
    }
}

impl Named for Cow<'_, str> {
    fn name(&self) -> &str {
        self
    }
}
