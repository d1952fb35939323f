//! What a run reports of the limits that it reached.

use crate::{
    findings::{Finding, Findings, Severity},
    source::{Span, account::Limit},
};

/// What is too large to be judged is as what cannot be read.
pub(super) const RULE: &str = "unreadable";

/// A finding for each limit and file. No comment allows it.
pub(super) fn too_large(reached: &[(Limit, Span)]) -> Vec<Finding> {
    let mut findings = Findings::of(RULE, Severity::Warning);
    for (limit, span) in reached {
        findings.report(*span, sentence(&limit.message()));
    }
    findings.into_parts().0
}

/// With a capital letter in front.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
