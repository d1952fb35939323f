//! What policies say about a model.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::{
    findings::{
        Finding, Findings, Severity,
        silence::{Silence, Unreported},
    },
    inventory::objects::BuiltObjects,
    model::Model,
    policies::{
        RuleBook,
        names::interned,
        subjects::{
            Subjects,
            bound::{Bound, Kind, List, lists},
            subject::Subject,
        },
    },
    project::Project,
    source::{Span, account::Limit},
};
use karplint_cel::{
    cel::{bindings::Bindings, fault::Unknown, place::Place},
    policy::{Policy, SubjectKind, judge::Verdict},
};

/// The last resort against what no cost counts: all policies together take no longer.
const LONGEST: Duration = Duration::from_secs(10);
/// How many subjects all policies are asked of before the next: what they hold stays in the processor's cache.
const TILE: usize = 64;
/// The rule about what karplint cannot read or run.
const UNREADABLE: &str = "unreadable";

/// How policies are asked.
pub(crate) struct Manner<'a> {
    /// Whether a rule of that name runs.
    pub runs: &'a dyn Fn(&str) -> bool,
    /// Whether it is recorded what is sound, too.
    pub explains: bool,
}

impl RuleBook {
    /// What the policies say about a model.
    #[must_use]
    pub(crate) fn judge(
        &self,
        (project, model): (&Project, &Model),
        built: &BuiltObjects<'_>,
        manner: &Manner<'_>,
    ) -> (Vec<Finding>, Vec<Unreported>) {
        let policies: Vec<&Policy> = self.policies().filter(|it| (manner.runs)(&it.name)).collect();
        if policies.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let subjects = Subjects::of((project, model), built, &policies);
        let (end, explains) = (Instant::now() + LONGEST, manner.explains);
        let mut said: Vec<Said> = policies.iter().map(|_| Said::default()).collect();
        for list in lists(&policies, &subjects) {
            let questions = Question::all(&policies, &list);
            let ask = |tile: &[Bound<'_>]| -> Vec<Judging<'_>> {
                questions.iter().map(|it| it.ask(tile, end, explains)).collect()
            };
            let judged: Vec<Vec<Judging<'_>>> = list.subjects.par_chunks(TILE).map(ask).collect();
            for (question, judging) in judged.into_iter().flat_map(|it| questions.iter().zip(it)) {
                said[question.at].add(judging);
            }
        }
        let may_complain = (manner.runs)(UNREADABLE);
        let mut all = (Vec::new(), Vec::new());
        for Said { mut reported, unreported, costly, beyond } in said {
            let most = Limit::Findings.most();
            if let Some(beyond) = reported.get(most).map(|it| it.span).or(beyond) {
                project.files.account().reach(Limit::Findings, beyond);
                reported.truncate(most);
            }
            all.0.extend(reported);
            all.0.extend(costly.filter(|_| may_complain));
            all.1.extend(unreported);
        }
        all
    }
}

/// What a policy said.
#[derive(Default)]
struct Said {
    reported: Vec<Finding>,
    unreported: Vec<Unreported>,
    /// What is wrong with the policy itself.
    costly: Option<Finding>,
    /// The place of the first finding that some subjects had too many of.
    beyond: Option<Span>,
}

impl Said {
    fn add(&mut self, Judging { findings, costly, .. }: Judging<'_>) {
        self.beyond = self.beyond.or(findings.beyond());
        let (reported, unreported) = findings.into_parts();
        self.reported.extend(reported);
        self.unreported.extend(unreported);
        self.costly = self.costly.take().or_else(|| costly.into_list().into_iter().next());
    }
}

/// A policy that is asked of a list.
struct Question<'p> {
    policy: &'p Policy,
    /// Which of all policies it is.
    at: usize,
    /// Which kinds of the list it is asked of.
    is_meant: Vec<bool>,
}

impl<'p> Question<'p> {
    /// The policies that are asked of a list.
    fn all(policies: &[&'p Policy], list: &List<'_>) -> Vec<Self> {
        let own = policies.iter().enumerate().filter(|(_, it)| it.subject.kind == list.of);
        own.map(|(at, policy)| {
            let is_meant = list.kinds.iter().map(|it| is_meant(policy, *it)).collect();
            Self { policy, at, is_meant }
        })
        .collect()
    }

    /// What the policy says of some subjects.
    fn ask(&self, subjects: &[Bound<'_>], end: Instant, explains: bool) -> Judging<'p> {
        let policy = self.policy;
        let findings = Findings::of(interned(&policy.name), policy.severity).explaining(explains);
        let costly = Findings::of(UNREADABLE, Severity::Error);
        let mut judging = Judging { policy, findings, costly };
        let mut meant = subjects.iter().filter(|it| self.is_meant[it.kind]).peekable();
        if meant.peek().is_some() && Instant::now() > end {
            let message = format!("The policy `{}` is too slow, and does not run", policy.name);
            judging.costly.report(policy.name_span, message);
            return judging;
        }
        meant.for_each(|it| judging.judge(it.subject, &it.bindings));
        judging
    }
}

/// One policy and what it says of some subjects.
struct Judging<'p> {
    policy: &'p Policy,
    findings: Findings,
    /// What is wrong with the policy itself.
    costly: Findings,
}

impl Judging<'_> {
    fn judge(&mut self, subject: &Subject, bindings: &Bindings) {
        let verdicts = self.policy.judge(bindings);
        if verdicts.is_empty() {
            let sound = Silence::sound("the policy holds, or its `where` leaves it out");
            self.findings.silent(subject.report_span, sound);
        }
        for verdict in verdicts {
            match verdict {
                Verdict::Failed { place, message } => self.report(subject, place.as_ref(), message),
                Verdict::Undecided(unknown) => {
                    self.findings.silent(subject.report_span, undecided(&unknown));
                }
                Verdict::TooCostly(span) => self.too_costly(subject, span),
            }
        }
    }

    fn report(&mut self, subject: &Subject, place: Option<&Place>, message: String) {
        self.findings.asked_of(subject.report_span);
        let span = place.map_or(subject.report_span, |it| it.span);
        let finding = self.findings.report(span, message);
        if let Some(help) = &self.policy.help {
            finding.help(&**help);
        }
        for (span, words) in place.into_iter().flat_map(related) {
            finding.note_elsewhere(span, words);
        }
        finding.about(subject.about.as_ref());
    }

    /// Once for a policy: what it costs for one object, it costs for many.
    fn too_costly(&mut self, subject: &Subject, span: Span) {
        if self.costly.is_empty() {
            let name = &self.policy.name;
            let message = format!("The policy `{name}` is too costly: more than Kubernetes allows");
            let finding = self.costly.report(span, message);
            finding.help("Compare fewer elements, or look each up by its key");
            finding.note_elsewhere(subject.report_span, "it is asked of this");
        }
    }
}

/// Whether a policy is asked of objects or resources of a kind.
fn is_meant(policy: &Policy, kind: Kind<'_>) -> bool {
    let kinds = &policy.subject.kinds;
    match (policy.subject.kind, kind) {
        (SubjectKind::Resource, Some((_, kind))) => kinds.iter().any(|it| **it == *kind),
        (SubjectKind::Object, Some((api, kind))) => kinds.iter().any(|it| is_kind(it, api, kind)),
        (SubjectKind::Object | SubjectKind::Resource, None) => false,
        _ => true,
    }
}

/// Whether `apps/v1/Deployment` or `karpenter.sh/*/NodePool` means that kind.
fn is_kind(pattern: &str, api: &str, kind: &str) -> bool {
    let Some((wanted_api, wanted_kind)) = pattern.rsplit_once('/') else { return false };
    let is = |wanted: &str, own: &str| wanted == "*" || wanted == own;
    let versions = match (wanted_api.split_once('/'), api.split_once('/')) {
        (Some((group, version)), Some((own_group, own))) => {
            is(group, own_group) && is(version, own)
        }
        (None, None) => is(wanted_api, api),
        // `*/v1/Event` means the core group, too.
        (Some(("*", version)), None) => is(version, api),
        _ => false,
    };
    versions && is(wanted_kind, kind)
}

fn undecided(unknown: &Unknown) -> Silence {
    let symbol = &unknown.symbol;
    let is_ours = symbol.scope.as_ref() == "view";
    let words = match symbol.expression() {
        Some(words) if is_ours => format!("{words} is not known"),
        Some(expression) => format!("`{expression}` is not known"),
        None => "a value that decides is not known".to_owned(),
    };
    let mut silence = Silence::undecided(symbol.cause, words);
    if let Some(place) = &unknown.place {
        silence = silence.at(place.span, "not known");
    }
    match symbol.expression().filter(|_| !is_ours) {
        Some(expression) => silence.missing(expression),
        None => silence,
    }
}

/// The element that was looked at, and the steps of the value.
fn related(place: &Place) -> Vec<(Span, String)> {
    let element = place.within.iter().map(|it| (it.span, "this element fails".to_owned()));
    element.chain(place.steps().map(|it| (it.span, it.kind.to_string()))).collect()
}

#[cfg(test)]
mod tests {
    use super::is_kind;

    #[test]
    fn kinds_are_patterns() {
        for (pattern, api, kind, wanted) in [
            ("apps/v1/Deployment", "apps/v1", "Deployment", true),
            ("apps/v1/Deployment", "apps/v1", "DaemonSet", false),
            ("karpenter.sh/*/NodePool", "karpenter.sh/v1beta1", "NodePool", true),
            ("v1/Pod", "v1", "Pod", true),
            ("v1/Pod", "metrics.k8s.io/v1", "Pod", false),
            ("*/*/*", "v1", "Pod", true),
            ("apps/*/*", "apps/v1", "StatefulSet", true),
            ("apps/*/*", "v1", "Pod", false),
        ] {
            assert_eq!(is_kind(pattern, api, kind), wanted, "{pattern} {api}/{kind}");
        }
    }
}
