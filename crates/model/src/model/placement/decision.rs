//! Whether something takes pods.

use crate::{resolve::pod::toleration::Taint, source::Span};

/// Whether something takes pods.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It can.
    Yes,
    /// It certainly cannot.
    No(Refusal),
    /// Something is missing to know.
    Undecided(Doubt),
}

/// Why something never takes pods.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What keeps them off.
    pub cause: RefusalCause,
    /// The same in words, without full stop: "taint `team=batch`".
    pub words: String,
    /// Where that is written of the taker; `None` where it is written nowhere.
    pub because: Option<Span>,
    /// Where the pods ask for what it has not; `None` for what they lack.
    pub demand: Option<Span>,
}

/// What keeps pods off.
#[derive(Clone, Debug, PartialEq)]
pub enum RefusalCause {
    /// A taint that they do not tolerate.
    Taint(Taint),
    /// A label that they ask for, by its key.
    Label(String),
    /// They ask for more of a resource than any node has.
    Resource(String),
    /// No instance type is left that meets all that is asked for.
    Instances,
    /// Pods of their kind do not run there.
    Kind,
}

/// What is missing to know whether something takes pods.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// Why, without full stop: "its taints are not known".
    pub why: String,
    /// The place that it speaks of.
    pub place: Option<Span>,
}

impl Decision {
    /// It certainly cannot, because of this; `because` is written of the taker.
    #[must_use]
    pub(crate) fn no(cause: RefusalCause, words: String, because: Option<Span>) -> Self {
        Self::No(Refusal { cause, words, because, demand: None })
    }

    /// It is not known, because of this.
    #[must_use]
    pub(crate) fn undecided(why: impl Into<String>, place: Option<Span>) -> Self {
        Self::Undecided(Doubt { why: why.into(), place })
    }

    /// The same, for what the pods ask there.
    #[must_use]
    pub(crate) fn asked_at(self, demand: Option<Span>) -> Self {
        match self {
            Self::No(refusal) => Self::No(Refusal { demand, ..refusal }),
            other => other,
        }
    }

    /// Whether it can; `None` where that is not known.
    #[must_use]
    pub fn known(&self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No(_) => Some(false),
            Self::Undecided(_) => None,
        }
    }

    /// What both say of pods that have to pass both: the first that refuses, else the first doubt.
    #[must_use]
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::No(_) => self,
            Self::Yes => other(),
            Self::Undecided(_) => match other() {
                no @ Self::No(_) => no,
                _ => self,
            },
        }
    }

    /// What both say of pods for which one of both is enough.
    #[must_use]
    pub(crate) fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Yes => self,
            Self::No(_) => match other() {
                Self::No(_) => self,
                better => better,
            },
            Self::Undecided(_) => match other() {
                Self::Yes => Self::Yes,
                _ => self,
            },
        }
    }
}
