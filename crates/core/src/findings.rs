//! What a rule reports: findings, notes, fixes.

pub mod change;
pub mod edit;
pub mod mention;
pub mod note;
pub mod silence;
pub mod subject;

use crate::{
    findings::{
        change::Change,
        edit::Edit,
        note::Note,
        silence::{Silence, Unreported},
        subject::{ObjectRef, Subject},
    },
    source::{Span, account::Limit},
};

/// Nobody reads more places of one finding than these.
const MOST_NOTES: usize = 100;

/// How bad it is. One axis, no confidence: a rule that is unsure reports nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Will hurt one day.
    Warning,
    /// Will fail, or loses capacity or data.
    Error,
}

impl Severity {
    /// The word used on the command line, in config and in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Note, Self::Warning, Self::Error].into_iter().find(|it| it.word() == word)
    }
}

/// Whether a fix may change what the configuration means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// The meaning the author had in mind stays.
    Safe,
    /// A person should look at it.
    Unsafe,
}

/// What a rule offers to do about a finding. It becomes a [`Fix`] where all of it can be
/// written for sure.
#[derive(Clone, Debug)]
pub struct FixPlan {
    /// What it does, as an order: "Skip the bundled CRDs".
    pub title: String,
    /// Whether it may be done unseen.
    pub safety: Safety,
    /// All of it, or nothing.
    pub changes: Vec<Change>,
}

/// Edits that correct a finding, all or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "Skip the bundled CRDs".
    pub title: String,
    /// Whether it may be applied unseen.
    pub safety: Safety,
    /// The edits, in no particular order, not overlapping.
    pub edits: Vec<Edit>,
}

/// One thing a rule reports about one place.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's name; stamped by the runner.
    pub rule: &'static str,
    /// Stamped by the runner from the page and the config, unless the rule lowered it.
    pub severity: Severity,
    /// Where one would edit.
    pub span: Span,
    /// The subject that the rule asked about, which may be elsewhere.
    pub asked: Option<Span>,
    /// What is wrong, under 80 characters, present tense.
    pub message: String,
    /// Related places, in the order of the story.
    pub notes: Vec<Note>,
    /// What to do, one sentence.
    pub help: Option<String>,
    /// What the rule would change; the runner makes it a fix.
    pub offer: Option<FixPlan>,
    /// At most one fix.
    pub fix: Option<Fix>,
    /// What it is about. The runner gathers the subjects of equal findings at one place.
    pub subjects: Vec<Subject>,
    /// What the finding claims to be missing: the runner drops the finding when a script or a template
    /// mentions it.
    pub unless_mentioned: Option<mention::Claim>,
    /// What the finding depends on: the runner drops the finding when no script or template mentions it.
    pub if_mentioned: Option<mention::Claim>,
}

impl Finding {
    /// The names of what it is about: a Terraform address, or `StatefulSet/ledger` and `ledger`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.subjects.iter().flat_map(Subject::names).collect()
    }

    /// The Kubernetes object it is about, if it is about one.
    #[must_use]
    pub fn object(&self) -> Option<&ObjectRef> {
        self.subjects.iter().find_map(|it| it.object.as_ref())
    }

    /// The name to write down: `StatefulSet/ledger`, or a Terraform address without modules and instances.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.subjects.iter().find_map(|it| match (&it.object, &it.block) {
            (Some(object), _) => Some(object.title()),
            (None, Some(block)) => Some(block.local.to_string()),
            (None, None) => None,
        })
    }

    /// Adds a related place.
    pub fn note(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        if self.notes.len() > MOST_NOTES {
            return self;
        }
        let mut note = Note { span, message: message.into() };
        if self.notes.contains(&note) {
            return self;
        }
        if self.notes.len() == MOST_NOTES {
            "further places are not listed".clone_into(&mut note.message);
        }
        self.notes.push(note);
        self
    }

    /// Adds a related place, unless it is the finding's own.
    pub fn note_elsewhere(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        if span == self.span { self } else { self.note(span, message) }
    }

    /// Adds related places.
    pub fn notes(&mut self, notes: impl IntoIterator<Item = Note>) -> &mut Self {
        for note in notes {
            self.note(note.span, note.message);
        }
        self
    }

    /// Sets the help: what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Offers to make changes, none or all; the runner writes them where that can be done for sure.
    pub fn offer(
        &mut self,
        title: impl Into<String>,
        safety: Safety,
        changes: impl IntoIterator<Item = Change>,
    ) -> &mut Self {
        let changes: Vec<_> = changes.into_iter().collect();
        let offer = FixPlan { title: title.into(), safety, changes };
        self.offer = Some(offer).filter(|it| !it.changes.is_empty());
        self
    }

    /// Says what it is about; the runner names the instances and roots when not all have the fault.
    pub fn about<'a>(&mut self, subject: impl Into<Option<&'a Subject>>) -> &mut Self {
        let subject = subject.into().filter(|it| **it != Subject::default());
        if let Some(subject) = subject.filter(|it| !self.subjects.contains(it)) {
            self.subjects.push(subject.clone());
        }
        self
    }

    /// Drops the finding when a file that is not evaluated, a script or a template, mentions this.
    pub fn unless_mentioned(&mut self, subject: impl Into<Option<mention::Claim>>) -> &mut Self {
        self.unless_mentioned = subject.into();
        self
    }

    /// Keeps the finding only when a file that is not evaluated, a script or a template, mentions this.
    pub fn only_if_mentioned(&mut self, subject: impl Into<Option<mention::Claim>>) -> &mut Self {
        self.if_mentioned = subject.into();
        self
    }

    /// Raises the severity to at least this.
    pub fn at_least(&mut self, severity: Severity) -> &mut Self {
        self.severity = self.severity.max(severity);
        self
    }

    /// Lowers the severity to at most this.
    pub fn at_most(&mut self, severity: Severity) -> &mut Self {
        self.severity = self.severity.min(severity);
        self
    }
}

/// Where a rule reports to.
#[derive(Debug)]
pub struct Findings {
    rule: &'static str,
    severity: Severity,
    list: Vec<Finding>,
    unreported: Vec<Unreported>,
    /// The subject that is reported next.
    asked: Option<Span>,
    /// Whether subjects without a fault are recorded, too.
    explains: bool,
    /// The place of the first report that is one too many, and the last such report, which nobody gets.
    beyond: Option<(Span, Box<Finding>)>,
}

impl Findings {
    /// Collects what the rule of that name reports, at the severity of its page.
    #[must_use]
    pub fn of(rule: &'static str, severity: Severity) -> Self {
        Self {
            rule,
            severity,
            list: Vec::new(),
            unreported: Vec::new(),
            asked: None,
            explains: false,
            beyond: None,
        }
    }

    /// Records also why a subject is sound.
    #[must_use]
    pub fn explaining(self, explains: bool) -> Self {
        Self { explains, ..self }
    }

    /// The fault that a diagnosis of a subject found; why there is none is recorded.
    pub fn fault<T>(&mut self, subject: Span, diagnosis: Result<T, Silence>) -> Option<T> {
        match diagnosis {
            Ok(fault) => {
                self.asked_of(subject);
                Some(fault)
            }
            Err(silence) => {
                self.silent(subject, silence);
                None
            }
        }
    }

    /// Says of which subject the next reports are.
    pub fn asked_of(&mut self, subject: Span) {
        self.asked = Some(subject);
    }

    /// Records why a subject is not reported.
    pub fn silent(&mut self, subject: Span, silence: Silence) {
        if self.explains || matches!(silence, Silence::Undecided(..)) {
            self.unreported.push(Unreported { rule: self.rule, span: subject, silence });
        }
    }

    /// Reports that something is wrong at a place. What is reported beyond [`Limit::Findings`] is dropped.
    pub fn report(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        let finding = Finding {
            rule: self.rule,
            severity: self.severity,
            span,
            asked: self.asked,
            // What it quotes may have several lines.
            message: message.into().replace('\n', "\\n"),
            notes: Vec::new(),
            help: None,
            offer: None,
            fix: None,
            subjects: Vec::new(),
            unless_mentioned: None,
            if_mentioned: None,
        };
        if self.list.len() == Limit::Findings.most() {
            let first = self.beyond.take().map_or(span, |(first, _)| first);
            return &mut self.beyond.insert((first, Box::new(finding))).1;
        }
        self.list.push(finding);
        // The list was pushed to in the line above.
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// The place of the first report that was dropped.
    #[must_use]
    pub fn beyond(&self) -> Option<Span> {
        self.beyond.as_ref().map(|(first, _)| *first)
    }

    /// Whether nothing was reported.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What was reported, in order.
    #[must_use]
    pub fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// What was reported and what was not, in order.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Finding>, Vec<Unreported>) {
        (self.list, self.unreported)
    }
}
