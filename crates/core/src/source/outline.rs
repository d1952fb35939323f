//! What is kept of texts that are too many to keep.
//!
//! A repository may hold a hundred megabytes of manifests. Beyond some megabytes a text is forgotten once it was
//! parsed: its lines, what its objects are written in, and which words it names stay. Whoever asks for more has the
//! file read again.

use std::{
    hash::{BuildHasher, Hasher},
    ops::Range,
    sync::LazyLock,
};

use memchr::memmem::Finder;

use crate::source::lines::LineStarts;

/// The words that are looked for in every text that was read.
const WORDS: [&str; 6] = [
    "karpenter",
    "karpenter.sh/disrupt",
    "ValidatingAdmissionPolicy",
    "karplint:",
    "# Source: ",
    "helm.sh/chart: ",
];

/// What is known of a text that is not kept. All its characters are of one byte.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    length: usize,
    /// By this it is told whether the file is still the same.
    hash: u64,
    /// Which of the words it names.
    names: [bool; WORDS.len()],
    /// Where the piece that is kept begins.
    start: usize,
    piece: Box<str>,
}

impl Outline {
    /// That of a text whose lines begin at these places, and of which the lines of a range are kept.
    pub(super) fn of(text: &str, lines: &LineStarts, kept: &Range<usize>) -> Self {
        static FINDERS: LazyLock<[Finder; WORDS.len()]> = LazyLock::new(|| WORDS.map(Finder::new));
        let names = std::array::from_fn(|it| FINDERS[it].find(text.as_bytes()).is_some());
        // Whole lines, and the one above, which may mark the beginning of a document.
        let begins = |line: usize| lines.get(line).unwrap_or(text.len());
        let first = lines.up_to(kept.start).saturating_sub(2);
        let kept = begins(first)..begins(lines.up_to(kept.end));
        let piece = text.get(kept.clone()).unwrap_or_default().into();
        Self { length: text.len(), hash: hash(text), names, start: kept.start, piece }
    }

    /// Whether the text names a word; `None` where that was not looked for.
    pub(super) fn names(&self, word: &str) -> Option<bool> {
        let at = WORDS.iter().position(|it| *it == word)?;
        self.names.get(at).copied()
    }

    /// The bytes of a range, where they are kept.
    pub(super) fn piece(&self, range: &Range<usize>) -> Option<&str> {
        let at = range.start.checked_sub(self.start)?;
        self.piece.get(at..range.end.checked_sub(self.start)?)
    }

    /// Whether it is the outline of this text.
    pub(super) fn is_of(&self, text: &str) -> bool {
        self.length == text.len() && self.hash == hash(text)
    }

    /// Blanks in lines that begin at the same places.
    pub(super) fn blank(&self, lines: Option<&LineStarts>) -> String {
        let mut text = " ".repeat(self.length);
        let starts = lines.into_iter().flat_map(|it| (1..).map_while(|line| it.get(line)));
        for start in starts.filter_map(|it| it.checked_sub(1)) {
            text.replace_range(start..=start, "\n");
        }
        text
    }

    /// How many bytes the text has.
    pub(super) fn length(&self) -> usize {
        self.length
    }
}

/// A number that another text hardly has, in this process.
fn hash(text: &str) -> u64 {
    static SEED: LazyLock<foldhash::fast::RandomState> = LazyLock::new(Default::default);
    let mut hasher = SEED.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}
