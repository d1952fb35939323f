//! Words searched for in texts, all of them at once.

use aho_corasick::{AhoCorasick, packed::Searcher};

/// Words of which a text may hold one.
#[derive(Debug)]
pub struct Words(WordSearch);

#[derive(Debug)]
enum WordSearch {
    /// Compares many bytes in one step, which a processor can do for some dozens of words.
    Packed(Searcher),
    Automaton(AhoCorasick),
    /// More words than can be searched for.
    Anything,
}

impl Words {
    /// Any number of words.
    #[must_use]
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let words: Vec<W> = words.into_iter().collect();
        let bytes = || words.iter().map(|it| it.as_ref().as_bytes());
        if let Some(packed) = Searcher::new(bytes()) {
            return Self(WordSearch::Packed(packed));
        }
        Self(AhoCorasick::new(bytes()).map_or(WordSearch::Anything, WordSearch::Automaton))
    }

    /// Whether a text holds one of them.
    #[must_use]
    pub fn any_in(&self, text: &str) -> bool {
        match &self.0 {
            WordSearch::Packed(words) => words.find(text).is_some(),
            WordSearch::Automaton(words) => words.is_match(text),
            WordSearch::Anything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::source::words::Words;

    #[test]
    fn no_words_are_nowhere_and_nothing_is_everywhere() {
        assert!(!Words::new::<&str>([]).any_in("a"));
        assert!(Words::new(["", "b"]).any_in("a"));
        assert!(Words::new(["", "b"]).any_in(""));
        assert!(!Words::new(["b"]).any_in(""));
    }

    proptest! {
        #[test]
        fn a_text_holds_what_it_contains(
            words in prop::collection::vec("[ab.ä]{1,4}", 0..100),
            text in "[abc. ä]{0,80}",
        ) {
            let held = words.iter().any(|it| text.contains(it.as_str()));
            prop_assert_eq!(Words::new(&words).any_in(&text), held);
        }
    }
}
