//! A value without effect, and what is known of it.

use std::sync::Arc;

use crate::{
    checks::chart_value::moved::ClassField,
    findings::{change::Change, subject::Subject},
    knowledge::chart_values::UnreadReason,
    resolve::release::Release,
    source::Span,
};

/// What is lost with a value that has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// What it asks for.
    Wish,
    /// Nothing: the chart makes that without it, or another value asks for the same.
    Nothing,
    /// Nothing either: what it describes is gone itself.
    Bygone,
}

/// Why a value that has no effect may do harm where the chart reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RenameRisk {
    /// Karpenter then reads a queue that nothing in sight makes.
    NoQueue,
    /// It then reads a queue that may have another name than that in sight.
    UnclearQueue,
    /// It then reads another queue than the one in sight, which has this name and gets it here.
    OtherQueue(String, Span),
    /// It is then printed into the pod, and the API server may refuse it.
    Refused,
    /// It is then printed where only a text may be, and it is none as it is written. Told is what makes it one.
    NoText(&'static str),
}

/// A value without effect.
#[derive(Clone, Debug)]
pub(crate) struct DeadValue {
    /// Its key.
    pub span: Span,
    /// The keys that lead to it.
    pub path: String,
    /// The others that have none for the same reason, with their keys' places.
    pub others: Vec<(Span, String)>,
    /// The key of the chart, where this value and the others are set beside it, and only have to go below it.
    pub indent_below: Option<String>,
    /// Why it has none.
    pub why: UnreadReason,
    /// What the chart reads instead.
    pub instead: Vec<String>,
    /// Whether all of that is written, too.
    pub replaced: bool,
    /// Whether it is a name with dots that Helm takes for a path: the chart reads a mapping in place of a text.
    pub is_split: bool,
    /// What is lost with it.
    pub loss: Loss,
    /// What gives it the name the chart reads.
    pub rename: Option<Change>,
    /// Why that may do harm.
    pub risk: Option<RenameRisk>,
    /// The field of a class that took its place.
    pub of_class: Option<ClassField>,
    /// What takes away what has no successor in this version.
    pub removal: Vec<Change>,
    /// Where the version is written, and which it is.
    pub version: Option<(Span, Arc<str>)>,
    /// Which of several instances of its release.
    pub subject: Option<Subject>,
}

impl DeadValue {
    /// A value that no version reads where it is.
    #[must_use]
    pub(super) fn misplaced(
        span: Span,
        path: String,
        instead: Vec<String>,
        release: &Release,
    ) -> Self {
        Self {
            span,
            path,
            others: Vec::new(),
            indent_below: None,
            why: UnreadReason::Never,
            instead,
            replaced: false,
            is_split: false,
            loss: Loss::Wish,
            rename: None,
            risk: None,
            of_class: None,
            removal: Vec::new(),
            version: None,
            subject: release.subject.clone(),
        }
    }

    /// The path that the chart reads, where the keys are right but for dots within one that no values file splits.
    #[must_use]
    pub(crate) fn as_one_key(&self) -> Option<&str> {
        let [only] = self.instead.as_slice() else { return None };
        let is_it = self.path.contains("\\.") && self.path.replace("\\.", ".") == *only;
        is_it.then_some(only)
    }
}

/// The values below a key that no chart reads, each written as a path: one mistake.
pub(super) fn joined(mut found: Vec<DeadValue>) -> Vec<DeadValue> {
    let is_plain = |it: &DeadValue| {
        let is_never = it.why == UnreadReason::Never && it.loss == Loss::Wish;
        is_never && it.instead.is_empty() && it.of_class.is_none() && it.risk.is_none()
    };
    if !found.iter().all(is_plain) {
        return found;
    }
    let others = found.split_off(found.len().min(1));
    if let Some(first) = found.first_mut() {
        for other in others {
            first.others.push((other.span, other.path));
            first.others.extend(other.others);
        }
    }
    found
}
