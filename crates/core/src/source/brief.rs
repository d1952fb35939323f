//! Texts for now: kept, or forgotten once they were parsed, where there are too many to keep.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use memchr::memmem;

use crate::source::{Kept, SourceFile, lines::LineStarts, load::Content, outline::Outline};

/// A text for who needs it now.
#[derive(Debug)]
pub struct Brief {
    /// The text.
    pub text: Arc<str>,
    /// Whether it may be forgotten.
    is_spare: bool,
}

impl SourceFile {
    /// The text for now, if it is worth parsing. It is kept, unless so many are kept that the caller has to
    /// [`forget`](Self::forget) it.
    pub fn brief(&self, worth: impl FnOnce(&str) -> bool) -> Option<Brief> {
        let kept = |it: &Kept| Brief { text: Arc::clone(&it.text), is_spare: false };
        if let Some(content) = self.content.get() {
            return worth(&content.text).then(|| kept(content));
        }
        let load = self.load.as_ref()?;
        let content = self.same(load.load(&self.path));
        if !worth(&content.text) {
            return None;
        }
        let is_plain = content.text.is_ascii() && !content.transcoded && !content.lost;
        if self.outline.get().is_some() || is_plain && !load.may_keep(content.text.len()) {
            return Some(Brief { text: content.text.into(), is_spare: is_plain });
        }
        Some(kept(self.content.get_or_init(|| content.into())))
    }

    /// Lets a text go that was asked for, all but the lines of a piece of it.
    pub fn forget(&self, brief: &Brief, kept: &Range<usize>) {
        if brief.is_spare {
            let lines = self.lines.get_or_init(|| LineStarts::of(&brief.text));
            self.outline.get_or_init(|| Outline::of(&brief.text, lines, kept));
        }
    }

    /// Whether the text was read, and found to matter.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.content.get().is_some() || self.outline.get().is_some()
    }

    /// The text, if it was read and kept.
    #[must_use]
    pub fn kept_text(&self) -> Option<&str> {
        self.content.get().map(|it| &*it.text)
    }

    /// Whether the text names a word.
    #[must_use]
    pub fn names(&self, word: &str) -> bool {
        let known = self.outline.get().and_then(|it| it.names(word));
        known.unwrap_or_else(|| {
            self.skim(|text| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
        })
    }

    /// What was loaded, if it is what was read before; else blanks in the same lines, so that no place is outside.
    pub(super) fn same(&self, content: Content) -> Content {
        let Some(outline) = self.outline.get() else { return content };
        if outline.is_of(&content.text) {
            return content;
        }
        if let Some(load) = &self.load {
            load.note_change(&self.path);
        }
        Content { text: outline.blank(self.lines.get()), ..Content::default() }
    }

    /// What is kept of a text that is not.
    pub(super) fn outline(&self) -> Option<&Outline> {
        self.outline.get().filter(|_| self.content.get().is_none())
    }

    /// The same outline for the same file elsewhere.
    pub(super) fn with_outline_of(self, other: &Self) -> Self {
        let lines =
            if other.outline.get().is_some() { other.lines.clone() } else { OnceLock::new() };
        Self { outline: other.outline.clone(), lines, ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use crate::source::{
        SourceFile,
        column::{ColumnUnit, Position},
        load::{Content, Load},
    };

    /// A disk with one file and no room for it.
    #[derive(Debug, Default)]
    struct Full {
        text: Mutex<String>,
        loads: AtomicUsize,
        changes: AtomicUsize,
    }

    impl Load for Full {
        fn load(&self, _: &str) -> Content {
            self.loads.fetch_add(1, Ordering::Relaxed);
            Content { text: self.text.lock().unwrap().clone(), ..Content::default() }
        }

        fn may_keep(&self, _: usize) -> bool {
            false
        }

        fn note_change(&self, _: &str) {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
    }

    const TEXT: &str = "kind: A\n---\nkind: karpenter\nname: x\n";

    fn forgotten() -> (Arc<Full>, SourceFile) {
        let disk = Arc::new(Full { text: Mutex::new(TEXT.to_owned()), ..Full::default() });
        let file = SourceFile::lazy("a.yaml", Arc::clone(&disk) as Arc<_>);
        let brief = file.brief(|_| true).unwrap();
        file.forget(&brief, &(12..30));
        (disk, file)
    }

    #[test]
    fn what_is_kept_answers_without_the_file() {
        let (disk, file) = forgotten();
        assert!(file.is_loaded() && file.kept_text().is_none());
        assert!(file.names("karpenter") && !file.names("karplint:"));
        assert_eq!((file.line_of(20), file.line_count()), (2, 5));
        assert_eq!((file.line_text(3), file.line_text(1)), ("name: x", "---"));
        assert_eq!(file.position(18, ColumnUnit::Characters), Position { line: 3, column: 7 });
        assert_eq!(disk.loads.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_is_not_kept_is_read_again() {
        let (disk, file) = forgotten();
        assert!(file.names("kind: A"));
        assert!(file.again().names("name"));
        assert_eq!(&*file.brief(|_| true).unwrap().text, TEXT);
        assert_eq!((file.line_text(0), file.text()), ("kind: A", TEXT));
        assert_eq!(disk.changes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_file_that_changed_is_blank_where_it_is_not_kept() {
        let (disk, file) = forgotten();
        *disk.text.lock().unwrap() = "short".to_owned();
        assert_eq!(file.line_text(3), "name: x");
        assert_eq!(file.line_text(0).trim(), "");
        assert_eq!((file.text().len(), file.text().lines().count()), (TEXT.len(), 4));
        assert_eq!(disk.changes.load(Ordering::Relaxed), 1);
    }
}
