//! The tests that policies bring along: small repositories, and where a policy has to find something in them.

use std::sync::Arc;

use crate::{
    config::Config,
    lint::{self, LintResult},
    project::{Project, kind::POLICIES},
    source::{Span, column::ColumnUnit},
};
use karplint_cel::policy::{Policy, Test};

/// What became of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the test shows.
    pub name: Arc<str>,
    /// Where that is written.
    pub span: Span,
    /// What should be found, each as `file:line`, sorted.
    pub expected: Vec<String>,
    /// What is found, likewise.
    pub got: Vec<String>,
    /// Why it may be otherwise: what is not known, and what cannot be read, a sentence each.
    pub remarks: Vec<String>,
}

impl Outcome {
    /// Whether all is found that should be, and nothing else.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.expected == self.got
    }
}

/// Runs the tests of a policy; `text` is that of its file.
#[must_use]
pub fn run(policy: &Policy, text: &str) -> Vec<Outcome> {
    policy.tests.iter().map(|it| run_one(policy, text, it)).collect()
}

fn run_one(policy: &Policy, own_text: &str, test: &Test) -> Outcome {
    let own = format!("{POLICIES}{}.yaml", policy.name);
    let files = test.files.iter().map(|(path, it)| (path.to_string(), it.text.to_string()));
    let files: Vec<(String, String)> = files.chain([(own, own_text.to_owned())]).collect();
    let project = Project::from_memory(files);
    let config = Config { only: vec![policy.name.to_string()], ..Config::default() };
    let outcome = lint::run(&project, &config.with_policies_of(&project));
    let own_findings = outcome.findings.iter().filter(|it| *it.rule == *policy.name);
    let mut got: Vec<String> = own_findings.map(|it| place(&project, it.span)).collect();
    got.sort();
    let expected = test.expected.iter().map(|(path, line)| format!("{path}:{line}"));
    let mut expected: Vec<String> = expected.collect();
    expected.sort();
    let remarks = remarks(policy, &project, &outcome);
    Outcome { name: test.name.clone(), span: test.name_span, expected, got, remarks }
}

/// What keeps the policy from finding something.
fn remarks(policy: &Policy, project: &Project, outcome: &LintResult) -> Vec<String> {
    let of_policy = outcome.unreported.iter().filter(|it| *it.rule == *policy.name);
    let undecided = of_policy.filter(|it| it.silence.cause().is_some()).map(|it| {
        let words = &it.silence.reason().words;
        format!("{} is not decided: {words}", place(project, it.span))
    });
    let unread = outcome.model.parse_errors.iter();
    let unread = unread.map(|it| format!("{}: {}", place(project, it.span), it.message));
    let mut remarks: Vec<String> = undecided.chain(unread).collect();
    remarks.dedup();
    remarks
}

/// `file:line`
fn place(project: &Project, span: Span) -> String {
    let file = project.files.get(span.file);
    let position = file.position(span.start as usize, ColumnUnit::Characters);
    format!("{}:{}", file.path(), position.line)
}
