//! Colours of a terminal.

use crate::model::disruption::Outcome;

/// Whether there are any.
#[derive(Clone, Copy)]
pub(crate) struct Ink {
    /// Whether words are coloured.
    pub colors: bool,
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

impl Ink {
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint(BOLD, text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint(DIM, text)
    }

    /// What is in order.
    pub(crate) fn good(self, text: &str) -> String {
        self.paint(GREEN, text)
    }

    /// What is not.
    pub(crate) fn bad(self, text: &str) -> String {
        self.paint(RED, text)
    }

    /// What is not known, or between the two.
    pub(crate) fn doubtful(self, text: &str) -> String {
        self.paint(YELLOW, text)
    }

    /// Words about pods, by what becomes of them.
    pub(crate) fn outcome(self, outcome: Outcome, text: &str) -> String {
        match outcome {
            Outcome::Killed | Outcome::Blocked => self.bad(text),
            Outcome::ForcedAfter | Outcome::Unknown => self.doubtful(text),
            Outcome::Drained | Outcome::OneByOne => self.good(text),
            Outcome::Never | Outcome::NotOnKarpenter => self.dim(text),
        }
    }

    fn paint(self, style: &str, text: &str) -> String {
        if self.colors && !text.is_empty() {
            return format!("\u{1b}[{style}m{text}\u{1b}[0m");
        }
        text.to_owned()
    }

    /// The text with what is not known, or not protected, in another colour.
    pub(crate) fn marked(self, text: &str) -> String {
        if text == "nothing" {
            return self.bad(text);
        }
        let mut marked = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = unknown_in(rest) {
            let (before, from) = rest.split_at(at);
            let ends = [", ", ")", " · ", " - "].iter().filter_map(|it| from.find(it));
            let (unknown, after) = from.split_at(ends.min().unwrap_or(from.len()));
            marked += &[before, &self.doubtful(unknown)].concat();
            rest = after;
        }
        marked + rest
    }
}

/// Where the next `?` begins that stands for what is not known.
fn unknown_in(text: &str) -> Option<usize> {
    let begins = |at: &usize| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|it| matches!(it, ' ' | '=' | '(' | ':'))
    };
    text.match_indices('?').map(|it| it.0).find(begins)
}
