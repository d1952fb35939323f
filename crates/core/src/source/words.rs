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

/// Words of which a text may hold one as a whole: `web` is none of `web-shop`.
#[derive(Debug)]
pub struct WholeWords(Option<AhoCorasick>);

impl WholeWords {
    /// Any number of words.
    #[must_use]
    pub fn new<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> Self {
        Self(AhoCorasick::new(words).ok())
    }

    /// Whether a text holds one of them; true where they are more than can be searched for.
    #[must_use]
    pub fn any_in(&self, text: &str) -> bool {
        let goes_on = |it: Option<&u8>| it.is_some_and(|it| is_in_word(*it));
        let bytes = text.as_bytes();
        self.0.as_ref().is_none_or(|words| {
            words.find_overlapping_iter(text).any(|it| {
                let before = it.start().checked_sub(1).and_then(|at| bytes.get(at));
                !goes_on(before) && !goes_on(bytes.get(it.end()))
            })
        })
    }
}

/// Whether a name or the value of a label may hold a byte.
fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::source::words::{WholeWords, Words};

    #[test]
    fn a_whole_word_ends_where_a_name_does() {
        let words = WholeWords::new(["web", "web-shop", "a"]);
        for text in ["app: web", "{app: web, x: y}", "'web'", "${X}web", "web-shop", "x-web a"] {
            assert!(words.any_in(text), "{text}");
        }
        for text in ["", "webs", "web-shops", "my-web", "web.io", "web_1", "1web"] {
            assert!(!words.any_in(text), "{text}");
        }
        assert!(!WholeWords::new::<&str>([]).any_in("a"));
    }

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

        #[test]
        fn a_whole_word_is_one_of_those_between_other_bytes(
            words in prop::collection::vec("[ab-]{1,4}", 0..100),
            text in "[ab: -]{0,80}",
        ) {
            let held = text.split([' ', ':']).any(|it| words.iter().any(|word| word == it));
            prop_assert_eq!(WholeWords::new(&words).any_in(&text), held);
        }
    }
}
