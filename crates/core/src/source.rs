//! Files and places in them: spans, lines, columns.
//!
//! Inside karplint a place is a file and two byte offsets; lines and columns exist only at the edge,
//! because every consumer counts columns differently.

pub mod account;
mod again;
pub mod aside;
pub mod brief;
pub mod column;
pub mod load;
mod lines;
mod outline;
mod paths;
pub mod span;
pub mod words;

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, OnceLock},
};

use memchr::memrchr;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::source::{
    account::Account,
    column::{ColumnUnit, Columns, Position},
    lines::LineStarts,
    load::{Content, Load},
    outline::Outline,
};
pub use crate::source::{
    paths::{distribution, ending, file_name, is_below, is_distribution, join, outward, parent},
    span::{FileId, Span},
};

/// A file with its line index. Its text is read when it is first needed, and once.
#[derive(Debug)]
pub struct SourceFile {
    path: String,
    content: OnceLock<Kept>,
    /// Of a text that was read and is not kept.
    outline: OnceLock<Outline>,
    load: Option<Arc<dyn Load>>,
    lines: OnceLock<LineStarts>,
    columns: Columns,
}

/// The content of a file that is kept. Whoever parses it shares its text.
#[derive(Clone, Debug, Default)]
struct Kept {
    text: Arc<str>,
    transcoded: bool,
    lost: bool,
}

impl From<Content> for Kept {
    fn from(Content { text, transcoded, lost }: Content) -> Self {
        Self { text: text.into(), transcoded, lost }
    }
}

impl SourceFile {
    /// A file at `path` (relative to the project's root, with `/`) whose text is known.
    #[must_use]
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self::with_content(path, Content { text: text.into(), ..Content::default() })
    }

    /// A file whose content was read already.
    #[must_use]
    pub fn with_content(path: impl Into<String>, content: Content) -> Self {
        Self::keeping(path, content.into())
    }

    fn keeping(path: impl Into<String>, content: Kept) -> Self {
        Self {
            path: path.into(),
            content: content.into(),
            outline: OnceLock::new(),
            load: None,
            lines: OnceLock::new(),
            columns: Columns::default(),
        }
    }

    /// A file that is read when its text is first asked for.
    #[must_use]
    pub fn lazy(path: impl Into<String>, load: Arc<dyn Load>) -> Self {
        let empty = Self::with_content(path, Content::default());
        Self { content: OnceLock::new(), load: Some(load), ..empty }
    }

    /// The path relative to the project's root, with `/`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The file's name without its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        file_name(&self.path)
    }

    /// What follows the last dot of the file's name: `tf`; the whole name if it has none.
    #[must_use]
    pub fn ending(&self) -> &str {
        let name = self.name();
        memrchr(b'.', name.as_bytes()).map_or(name, |at| &name[at + 1..])
    }

    /// The folder the file lies in, relative to the project's root; empty for the root itself.
    #[must_use]
    pub fn folder(&self) -> &str {
        parent(&self.path)
    }

    fn content(&self) -> &Kept {
        self.content.get_or_init(|| {
            let loaded = self.load.as_ref().map(|it| it.load(&self.path));
            self.same(loaded.unwrap_or_default()).into()
        })
    }

    /// The text, with a byte order mark if the file has one. Reads the file on first use.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.content().text
    }

    /// The same, to be kept by a value without another copy.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.content().text)
    }

    /// The bytes of an archive, which are not kept.
    pub fn archive(&self) -> Option<Vec<u8>> {
        self.load.as_ref()?.archive(&self.path)
    }

    /// The text, if it is worth keeping: a file that was not read before and is not worth it is dropped
    /// again, so that a large repository does not fill the memory.
    #[must_use]
    pub fn text_if(&self, worth: impl FnOnce(&str) -> bool) -> Option<&str> {
        if let Some(content) = self.content.get() {
            return worth(&content.text).then_some(&content.text);
        }
        let content = self.same(self.load.as_ref()?.load(&self.path));
        if !worth(&content.text) {
            return None;
        }
        Some(&self.content.get_or_init(|| content.into()).text)
    }

    /// What a question gives when it is put to the text. Neither that is kept, nor the reason why there is none.
    pub fn skim<T>(&self, question: impl FnOnce(&str) -> T) -> T {
        match (self.content.get(), &self.load) {
            (None, Some(load)) => question(&self.same(load.skim(&self.path)).text),
            _ => question(self.text()),
        }
    }

    /// Whether offsets differ from the bytes on disk.
    #[must_use]
    pub fn is_transcoded(&self) -> bool {
        self.outline().is_none() && self.content().transcoded
    }

    /// Whether the file could not be read, so that its empty text means nothing.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.outline().is_none() && self.content().lost
    }

    fn line_starts(&self) -> &LineStarts {
        self.lines.get_or_init(|| LineStarts::of(self.text()))
    }

    /// How many bytes the text has.
    #[must_use]
    pub fn length(&self) -> usize {
        self.outline().map_or_else(|| self.text().len(), Outline::length)
    }

    /// The bytes of a range between two characters.
    fn piece(&self, range: Range<usize>) -> &str {
        let kept = self.outline().and_then(|it| it.piece(&range));
        kept.unwrap_or_else(|| &self.text()[range])
    }

    /// How many lines the file has (at least one).
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.line_starts().count()
    }

    /// The line (from 0) that holds the byte at `offset`.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts().up_to(offset).saturating_sub(1)
    }

    /// The bytes of a line (from 0) without its line break; empty past the end.
    #[must_use]
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let starts = self.line_starts();
        let Some(start) = starts.get(line) else {
            return self.length()..self.length();
        };
        let end = starts.get(line + 1).unwrap_or(self.length());
        let line = self.piece(start..end);
        start..start + line.trim_end_matches(['\n', '\r']).len()
    }

    /// A line's text (from 0) without its line break.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &str {
        self.piece(self.line_range(line))
    }

    /// The line and column of a byte. A byte order mark does not count as a column.
    #[must_use]
    pub fn position(&self, offset: usize, unit: ColumnUnit) -> Position {
        let offset = self.floor(offset);
        let line = self.line_of(offset);
        let start = self.line_starts().get(line).unwrap_or_default();
        // All its characters are of one byte.
        if self.outline().is_some() {
            return Position { line: line + 1, column: offset - start + 1 };
        }
        let mark = self.text()[start..offset].starts_with('\u{feff}');
        let column = self.columns.between(self.text(), start, offset, unit);
        Position { line: line + 1, column: column + 1 - usize::from(mark) }
    }

    /// The nearest character boundary at or before `offset`.
    fn floor(&self, offset: usize) -> usize {
        let offset = offset.min(self.length());
        if self.outline().is_some() { offset } else { self.text().floor_char_boundary(offset) }
    }

    /// The text under a range, cut to what exists.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> &str {
        let start = self.floor(range.start);
        let end = self.floor(range.end).max(start);
        self.piece(start..end)
    }
}

/// All files of a project, in the order of their paths.
#[derive(Debug, Default)]
pub struct Files {
    /// The number of the first file.
    first: u32,
    list: Vec<SourceFile>,
    by_path: HashMap<String, FileId>,
    links: HashMap<String, String>,
    account: Account,
}

impl Files {
    /// Files in any order; sorted by path, so that identifiers never depend on the walk.
    #[must_use]
    pub fn new(list: Vec<SourceFile>) -> Self {
        Self::numbered_from(0, list)
    }

    /// The same with identifiers from `first` on, so that those of several projects differ.
    #[must_use]
    pub fn numbered_from(first: u32, mut list: Vec<SourceFile>) -> Self {
        list.sort_by(|a, b| a.path.cmp(&b.path));
        list.dedup_by(|a, b| a.path == b.path);
        let by_path = (first..).map(FileId).zip(&list).map(|(id, it)| (it.path.clone(), id));
        let by_path = by_path.collect();
        Self { first, list, by_path, ..Self::default() }
    }

    /// The same files, with links from further paths to some of them: what reads a file by its path sees
    /// them, what looks at every file does not.
    #[must_use]
    pub fn with_links(self, links: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { links: links.into_iter().collect(), ..self }
    }

    /// The file behind an identifier.
    #[must_use]
    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.list[index(self.first, id)]
    }

    /// Whether the identifier is that of one of these files.
    #[must_use]
    pub fn holds(&self, id: FileId) -> bool {
        self.first <= id.0 && index(self.first, id) < self.list.len()
    }

    /// The identifier that the first file of another project may have.
    #[must_use]
    pub fn next(&self) -> u32 {
        self.first.saturating_add(u32::try_from(self.list.len()).unwrap_or(u32::MAX))
    }

    /// The file at a path relative to the root.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// The file one reads at a path relative to the root: links are followed.
    #[must_use]
    pub fn behind(&self, path: &str) -> Option<FileId> {
        self.find(path).or_else(|| self.find(self.links.get(path)?))
    }

    /// The links, each with the path of its file.
    pub fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.links.iter().map(|(path, target)| (path.as_str(), target.as_str()))
    }

    /// Every file with its identifier.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (self.first..).map(FileId).zip(&self.list)
    }

    /// Whether a text that was read names a word. Several are looked at at a time.
    #[must_use]
    pub fn any_names(&self, word: &str) -> bool {
        self.list.par_iter().any(|it| it.is_loaded() && it.names(word))
    }

    /// The account of the run that reads them.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Puts a text in place of a file's own.
    pub fn replace(&mut self, id: FileId, text: String) {
        if let Some(file) = self.list.get_mut(index(self.first, id)) {
            *file = SourceFile::new(std::mem::take(&mut file.path), text);
        }
    }

    /// Adds a file; identifiers given before mean other files afterwards.
    pub fn add(&mut self, file: SourceFile) {
        self.change(|list| list.push(file));
    }

    /// Leaves files out; identifiers given before mean other files afterwards.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.change(|list| list.retain(|it| wanted(&it.path)));
    }

    fn change(&mut self, change: impl FnOnce(&mut Vec<SourceFile>)) {
        let Self { first, mut list, links, .. } = std::mem::take(self);
        change(&mut list);
        *self = Self::numbered_from(first, list).with_links(links);
    }

    /// The text under a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).slice(span.range())
    }
}

/// The index of the file with an identifier.
fn index(first: u32, id: FileId) -> usize {
    id.0.saturating_sub(first) as usize
}

#[cfg(test)]
mod tests;
