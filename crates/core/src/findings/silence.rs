//! Why a rule does not report a subject that it looked at.

use std::{borrow::Cow, sync::Arc};

use crate::{findings::note::Note, source::Span, value::cause::Cause};

/// Why a subject is not reported. A diagnosis is a `Result<Fault, Silence>`, so that each guard of a
/// check says with `?` why it ends there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// There is no fault.
    Sound(Reason),
    /// Something is missing to know.
    Undecided(Cause, Reason),
}

/// A reason in words, with the places it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A clause without full stop: "the bundled CRDs are skipped".
    pub words: Cow<'static, str>,
    /// The places.
    pub notes: Vec<Note>,
    /// The name of what is missing to decide: `var.x`, a chart.
    pub missing: Option<Arc<str>>,
    /// The source of the module that would have to be here.
    pub module: Option<Arc<str>>,
}

impl Reason {
    fn new(words: Cow<'static, str>) -> Self {
        Self { words, notes: Vec::new(), missing: None, module: None }
    }
}

/// A subject that a rule looked at and did not report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreported {
    /// The rule's name.
    pub rule: &'static str,
    /// The subject: where a finding would be, or what it would be about.
    pub span: Span,
    /// Why.
    pub silence: Silence,
}

impl Silence {
    /// There is no fault, because of this.
    pub fn sound(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Sound(Reason::new(words.into()))
    }

    /// It cannot be decided, because of this.
    pub fn undecided(cause: Cause, words: impl Into<Cow<'static, str>>) -> Self {
        Self::Undecided(cause, Reason::new(words.into()))
    }

    /// The same with a place that the reason speaks of.
    #[must_use]
    pub fn at(mut self, span: Span, message: impl Into<String>) -> Self {
        self.reason_mut().notes.push(Note { span, message: message.into() });
        self
    }

    /// The same with the name of what is missing: a summary lists it.
    #[must_use]
    pub fn missing(mut self, name: impl Into<Arc<str>>) -> Self {
        self.reason_mut().missing = Some(name.into());
        self
    }

    /// The same where what is missing is in a module that is not here, with its source; empty where that is not known.
    #[must_use]
    pub fn without_module(mut self, source: impl Into<Arc<str>>) -> Self {
        let reason = self.reason_mut();
        let source = source.into();
        if source.is_empty() {
            reason.words =
                format!("{}: the source of its module is not known", reason.words).into();
            return self;
        }
        reason.words = format!("{}: the module `{source}` is not here", reason.words).into();
        reason.module = Some(source);
        self
    }

    /// The same with more words about the reason.
    #[must_use]
    pub fn adding(mut self, words: &str) -> Self {
        let reason = self.reason_mut();
        reason.words = format!("{}{words}", reason.words).into();
        self
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        match self {
            Self::Sound(reason) | Self::Undecided(_, reason) => reason,
        }
    }

    fn reason_mut(&mut self) -> &mut Reason {
        match self {
            Self::Sound(reason) | Self::Undecided(_, reason) => reason,
        }
    }

    /// What was missing to decide; `None` where there is no fault.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        match self {
            Self::Sound(_) => None,
            Self::Undecided(cause, _) => Some(*cause),
        }
    }
}
