//! Fixes prove themselves before they are kept: made in memory, the text parses as well as before, every leaf they
//! do not touch is as it was, their findings are gone, and no other one came.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{Finding, Safety},
    fix::{accepted::Accepted, leaves},
    lint::LintResult,
    project::Project,
    resolve::terraform::earlier::Earlier,
    source::{FileId, Files, Span},
};

/// Lints a project once more, with what is known of it before its files changed.
pub type Lint<'a> = dyn Fn(&Project, Option<Earlier>) -> LintResult + 'a;

/// What may be found once a fix is made, and was not before: the rules, and why that is so.
pub const CONSEQUENCES: &[(&str, &str, &str)] = &[
    ("do-not-disrupt-misplaced", "endless-drain", "now the pods are protected"),
    ("do-not-disrupt-misplaced", "stateful-on-shared-pool", "now the pods are protected"),
    ("retired-chart-repository", "crds-never-upgraded", "now there are newer charts"),
    ("retired-chart-repository", "chart-version-prefix", "the other repository has no `v`"),
    ("chart-version-prefix", "known-bad-release", "now the release is one that exists"),
    ("retired-karpenter-api", "latest-ami-alias", "what a family meant is written now"),
    ("retired-karpenter-api", "retired-karpenter-api", "the next API is not the last"),
    ("retired-karpenter-api", "unbounded-nodepool", "it is a NodePool now"),
    ("retired-karpenter-api", "plan-time-crd", "it is a NodePool now"),
    ("retired-karpenter-api", "stateful-on-shared-pool", "it is a NodePool now"),
    ("retired-karpenter-api", "retired-pod-annotation", "it is a NodePool now"),
    ("retired-karpenter-api", "stateful-pod-unprotected", "it is a NodePool now"),
    ("retired-karpenter-api", "drain-blocking-pdb", "it is a NodePool now"),
    ("retired-karpenter-api", "ambiguous-nodepools", "it is a NodePool now"),
    ("retired-karpenter-api", "frozen-nodepool", "it is a NodePool now"),
    ("retired-karpenter-api", "endless-drain", "it is a NodePool now"),
    ("retired-karpenter-api", "nodepool-outlives-controller", "it is a NodePool now"),
    ("retired-karpenter-api", "nodepool-deleted-in-background", "the release serves it now"),
    ("retired-karpenter-api", "nodeclass-destroyed-early", "the release serves it now"),
    ("retired-karpenter-api", "controller-on-own-nodes", "it is a NodePool now"),
    ("retired-karpenter-api", "controller-taint-untolerated", "it is a NodePool now"),
    ("retired-karpenter-api", "startup-taint-undeclared", "it is a NodePool now"),
    ("retired-karpenter-api", "unused-nodepool", "it is a NodePool now"),
    ("retired-karpenter-api", "unsatisfiable-nodepool", "it is a NodePool now"),
    ("retired-karpenter-api", "agent-missing-on-pool", "it is a NodePool now"),
    ("retired-karpenter-api", "pod-unplaceable", "it is a NodePool now"),
    ("retired-karpenter-api", "consolidate-after-too-short", "what a policy meant is written now"),
    (
        "invalid-karpenter-resource",
        "consolidate-after-too-short",
        "what a policy meant is written now",
    ),
];

/// A run finds out of so many sets of fixes whether they hold; each costs as much as a check.
const TRIALS: usize = 100;

/// What identifies a fix whatever else has changed in its files: its finding, and each old and new text.
type Identity = (&'static str, String, String, Vec<(String, String)>);

/// Makes fixes that hold.
pub(super) struct Proof<'a> {
    lint: &'a Lint<'a>,
    /// The fixes that are made.
    safety: Safety,
    /// Those that do not hold.
    dropped: HashSet<Identity>,
    trials: usize,
}

impl<'a> Proof<'a> {
    /// Nothing is known yet.
    pub(super) fn new(lint: &'a Lint<'a>, safety: Safety) -> Self {
        Self { lint, safety, dropped: HashSet::new(), trials: 0 }
    }

    /// Makes those of the fixes that hold in the project, and gives what is found then; `None` where none does. A
    /// fix that meets another is left to the next time.
    pub(super) fn make(
        &mut self,
        project: &mut Project,
        outcome: &LintResult,
        findings: &[Finding],
    ) -> Option<LintResult> {
        let known = |it: &&Finding| !self.dropped.contains(&identity(&project.files, it));
        let wanted: Vec<&Finding> = findings.iter().filter(known).collect();
        let mut made = Accepted::of(&project.files, wanted.iter().copied(), self.safety);
        if let Some(found) = self.made(project, outcome, &made) {
            return Some(found);
        }
        let held = self.held(project, outcome, &made.findings);
        made = Accepted::of(&project.files, held.iter().copied(), self.safety);
        if let Some(found) = self.made(project, outcome, &made) {
            return Some(found);
        }
        // Each holds for itself: then one is made, and the next time the others are asked again.
        let first = Accepted::of(&project.files, held.first().copied(), self.safety);
        self.made(project, outcome, &first)
    }

    /// Finds out which of the fixes hold, and changes nothing. Those that meet another are made without it.
    pub(super) fn examine(
        &mut self,
        project: &mut Project,
        outcome: &LintResult,
        findings: &[Finding],
    ) {
        let mut left: Vec<&Finding> = findings.iter().collect();
        while !left.is_empty() {
            let made = Accepted::of(&project.files, left.iter().copied(), self.safety).findings;
            if made.is_empty() {
                // Those that cannot be made at all.
                self.dropped.extend(left.iter().map(|it| identity(&project.files, it)));
                return;
            }
            let all = Accepted::of(&project.files, made.iter().copied(), self.safety);
            if !self.holds(project, outcome, &all) {
                self.held(project, outcome, &made);
            }
            left.retain(|it| !made.iter().any(|made| std::ptr::eq(*made, *it)));
        }
    }

    /// Whether a fix that was asked about holds.
    pub(super) fn is_proven(&self, project: &Project, finding: &Finding) -> bool {
        !self.dropped.contains(&identity(&project.files, finding))
    }

    /// The findings of whose fixes each holds, in halves.
    fn held<'f>(
        &mut self,
        project: &mut Project,
        outcome: &LintResult,
        findings: &[&'f Finding],
    ) -> Vec<&'f Finding> {
        if let [only] = findings {
            let one = Accepted::of(&project.files, [*only], self.safety);
            if self.holds(project, outcome, &one) {
                return vec![only];
            }
            self.dropped.insert(identity(&project.files, only));
            return Vec::new();
        }
        let (left, right) = findings.split_at(findings.len() / 2);
        let mut held = Vec::new();
        for half in [left, right].into_iter().filter(|it| !it.is_empty()) {
            let all = Accepted::of(&project.files, half.iter().copied(), self.safety);
            if half.len() > 1 && self.holds(project, outcome, &all) {
                held.extend(half);
            } else {
                held.extend(self.held(project, outcome, half));
            }
        }
        held
    }

    fn holds(&mut self, project: &mut Project, outcome: &LintResult, fixes: &Accepted) -> bool {
        let before = fixes.texts_before(&project.files);
        let Some(found) = self.made(project, outcome, fixes) else { return false };
        put(project, before);
        // What was understood is large, and nobody has to wait until it is gone.
        rayon::spawn(move || drop(found));
        true
    }

    /// Makes fixes, and gives what is found then; `None` where they do not hold, and then nothing is changed.
    fn made(
        &mut self,
        project: &mut Project,
        outcome: &LintResult,
        fixes: &Accepted,
    ) -> Option<LintResult> {
        let changed = fixes.texts(&project.files);
        let keeps = |(id, text): &(_, String)| {
            leaves::are_kept(project.files.get(*id), text, &fixes.edits_of(*id))
        };
        if changed.is_empty() || self.trials >= TRIALS || !changed.iter().all(keeps) {
            return None;
        }
        self.trials += 1;
        let before = fixes.texts_before(&project.files);
        let known = outcome.known(changed.iter().map(|it| it.0));
        let counts = Counts::of(&project.files, &outcome.findings);
        let gone = Counts::of(&project.files, fixes.findings.iter().copied());
        put(project, changed);
        let after = (self.lint)(project, known);
        let found = Counts::of(&project.files, &after.findings);
        let rules: HashSet<&str> = fixes.findings.iter().map(|it| it.rule).collect();
        if found.lacks(&counts, &gone)
            && !found.brings(&counts, &rules)
            && self.ends(project, &after, (&counts, &gone))
        {
            return Some(after);
        }
        put(project, before);
        None
    }

    /// Whether findings of which a fix was only a step are gone after the steps that follow. The project is as before
    /// afterwards.
    fn ends(
        &mut self,
        project: &mut Project,
        after: &LintResult,
        (before, gone): (&Counts<'_>, &Counts<'_>),
    ) -> bool {
        let (mut last, mut seen, mut undo) = (None, HashSet::new(), Vec::new());
        let ended = loop {
            let now: &LintResult = last.as_ref().unwrap_or(after);
            let left = Counts::of(&project.files, &now.findings).left(before, gone);
            if left.is_empty() {
                break true;
            }
            let next = now.findings.iter().filter(|it| left.contains(&words(&project.files, it)));
            let step = Accepted::of(&project.files, next, Safety::Unsafe);
            let changed = step.texts(&project.files);
            if changed.is_empty() || self.trials >= TRIALS || !seen.insert(changed.clone()) {
                break false;
            }
            self.trials += 1;
            undo.push(step.texts_before(&project.files));
            let known = now.known(changed.iter().map(|it| it.0));
            put(project, changed);
            last = Some((self.lint)(project, known));
        };
        undo.into_iter().rev().for_each(|it| put(project, it));
        ended
    }

    /// Offers no more what does not hold, and says where that was.
    pub(super) fn withdraw(&self, project: &Project, outcome: &mut LintResult) -> Vec<Span> {
        let findings = outcome.findings.iter_mut();
        let dropped = findings
            .filter(|it| it.fix.is_some() && self.dropped.contains(&identity(&project.files, it)));
        let withdrawn = dropped.map(|it| {
            it.fix = None;
            it.span
        });
        withdrawn.collect()
    }
}

/// Gives files their texts.
fn put(project: &mut Project, texts: Vec<(FileId, String)>) {
    for (id, text) in texts {
        project.files.replace(id, text);
    }
}

fn identity(files: &Files, finding: &Finding) -> Identity {
    let edits = finding.fix.iter().flat_map(|it| &it.edits);
    let edits = edits.map(|it| (files.text(it.span).to_owned(), it.text.clone()));
    let path = files.get(finding.span.file).path().to_owned();
    (finding.rule, path, finding.message.clone(), edits.collect())
}

/// What is said of a file, whatever is offered.
type Words = (&'static str, String, String);

fn words(files: &Files, finding: &Finding) -> Words {
    let (rule, path, message, _) = identity(files, finding);
    (rule, path, message)
}

/// How often something is found.
#[derive(Default)]
struct Counts<'a> {
    /// By what identifies them: a finding that offers something else now may have made a step.
    said: HashMap<Identity, usize>,
    words: HashMap<Words, usize>,
    /// By rule and path.
    of_rule: HashMap<(&'a str, String), usize>,
}

impl<'a> Counts<'a> {
    fn of(files: &Files, findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for it in findings {
            let path = files.get(it.span.file).path().to_owned();
            *counts.said.entry(identity(files, it)).or_default() += 1;
            *counts.words.entry(words(files, it)).or_default() += 1;
            *counts.of_rule.entry((it.rule, path)).or_default() += 1;
        }
        counts
    }

    /// Whether what is gone was there before and is not any more.
    fn lacks(&self, before: &Self, gone: &Self) -> bool {
        gone.said.iter().all(|(it, gone)| {
            // One that offers nothing any more is still there.
            let (rule, path, message, _) = it.clone();
            let without = (rule, path, message, Vec::new());
            let count = |counts: &Self| {
                [it, &without].into_iter().filter_map(|it| counts.said.get(it)).sum::<usize>()
            };
            count(self) + gone <= count(before)
        })
    }

    /// What is gone only as it was offered: the same is still said as often.
    fn left(&self, before: &Self, gone: &Self) -> HashSet<Words> {
        let count = |counts: &Self, it| counts.words.get(it).copied().unwrap_or_default();
        let gone = gone.words.iter();
        let left = gone.filter(|(it, gone)| count(self, it) + **gone > count(before, it));
        left.map(|(it, _)| it.clone()).collect()
    }

    /// Whether more is found than before that does not follow from fixes of these rules.
    fn brings(&self, before: &Self, rules: &HashSet<&str>) -> bool {
        self.of_rule.iter().any(|(it, count)| {
            let follows = |(fixed, brought, _): &(&str, &str, &str)| {
                *brought == it.0 && rules.contains(fixed)
            };
            *count > before.of_rule.get(it).copied().unwrap_or_default()
                && !CONSEQUENCES.iter().any(follows)
        })
    }
}
