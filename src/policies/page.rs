//! The page of a policy: what `explain`, reports and editors show of it.

use std::fmt::Write as _;

use crate::{page::Evidence, page::Page, policies::names::interned, source::SourceFile};
use karplint_cel::policy::{Policy, SubjectKind};

/// The topic of all policies.
pub(crate) const TOPIC: &str = "policies";

/// The page of a policy of a file.
#[must_use]
pub(super) fn page(policy: &Policy, file: &SourceFile) -> Page {
    let line = file.line_of(policy.name_span.start as usize) + 1;
    let mut body = format!("# {}\n", policy.title);
    if !policy.why.is_empty() {
        let _ = write!(body, "\n{}\n", policy.why);
    }
    let _ = write!(body, "\n## What is asked\n\n{}\n", asked(policy));
    Page {
        title: policy.title.to_string().into(),
        severity: policy.severity,
        reason: policy.why.to_string().into(),
        body: body.into(),
        ..bare(&policy.name, format!("{}:{line}", file.path()))
    }
}

/// The page of a policy of which only the name is known.
#[must_use]
pub(super) fn bare(name: &str, source: String) -> Page {
    Page {
        name: interned(name),
        severity: crate::findings::Severity::Warning,
        topic: TOPIC,
        evidence: Evidence::NotNeeded,
        is_absence: false,
        since: "",
        fix: "none",
        source: source.into(),
        title: "A policy that cannot be read".into(),
        reason: "".into(),
        body: "# A policy that cannot be read\n".into(),
    }
}

/// The subject and the expressions.
fn asked(policy: &Policy) -> String {
    let word = SubjectKind::ALL.iter().find(|(_, it)| *it == policy.subject.kind);
    let kinds: Vec<String> = policy.subject.kinds.iter().map(|it| format!("`{it}`")).collect();
    let mut text = format!("Of each `{}`", word.map_or("", |it| it.0));
    if !kinds.is_empty() {
        let _ = write!(text, " ({})", kinds.join(", "));
    }
    if let Some(condition) = &policy.condition {
        let _ = write!(text, " where `{}`", one_line(condition.text()));
    }
    text += ":\n";
    for (name, expression) in &policy.variables {
        let _ = write!(text, "\n```cel\n{name} = {}\n```\n", expression.text().trim());
    }
    for validation in &policy.validations {
        let _ = write!(text, "\n```cel\n{}\n```\n", validation.expression.text().trim());
    }
    if let Some(help) = &policy.help {
        let _ = write!(text, "\n{help}.\n");
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
