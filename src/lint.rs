//! Project in, findings out: the one place where the parts meet.

use std::time::{Duration, Instant};

use crate::{
    config::Config,
    findings::{Edit, Finding, Fix, Note, Safety, Severity},
    project::{Project, Skipped},
    source::Span,
};

/// What a run found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Sorted by path, position, rule; not yet filtered by path.
    pub findings: Vec<Finding>,
    /// How many findings were allowed by comments and annotations.
    pub allowed: usize,
    /// What was not read and why.
    pub skipped: Vec<Skipped>,
    /// "3 releases have an unknown version".
    pub unknowns: Vec<String>,
    /// How long each stage took.
    pub timings: Vec<(&'static str, Duration)>,
}

/// A stand-in until the rules exist: flags every `skip_crds = false`.
#[must_use]
pub fn run(project: &Project, config: &Config) -> Outcome {
    let start = Instant::now();
    let mut outcome = Outcome::default();
    let ids: Vec<_> = project.files.iter().map(|(id, _)| id).collect();
    let allowances = crate::config::allow::allowances(&project.files, &ids);
    for (id, file) in project.files.iter() {
        if project.skips_as_template(id) {
            continue;
        }
        for (at, word) in file.text().match_indices("skip_crds  = false") {
            let span = Span::new(id, at + 13, at + word.len());
            let rule = "crds-not-skipped";
            let Some(severity) = config.severity(rule, file.path(), Severity::Warning) else {
                continue;
            };
            let finding = Finding {
                rule,
                severity,
                span,
                message: "This release also installs the CRDs that `karpenter-crd` manages".into(),
                notes: vec![Note {
                    span: Span::new(id, 0, 8),
                    message: "the CRDs come from this release".into(),
                }],
                help: Some("Set `skip_crds = true` on the controller release".into()),
                fix: Some(Fix {
                    title: "Skip the chart's own CRDs".into(),
                    safety: Safety::Safe,
                    edits: vec![Edit { span, text: "true".into() }],
                }),
            };
            if config.use_allowances
                && allowances.iter().any(|it| it.covers(&project.files, &finding))
            {
                outcome.allowed += 1;
            } else if config.runs(rule) {
                outcome.findings.push(finding);
            }
        }
    }
    outcome.skipped = project.skipped();
    outcome.timings.push(("rules", start.elapsed()));
    outcome
}
