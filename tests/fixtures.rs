//! Every finding in a fixture is marked, every mark is met, and the order of files does not matter.

#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "fixtures are read from the disk, and are not as they must be"
)]

pub(crate) mod folder;

use karplint::{
    config::Config,
    findings::{Finding, Safety},
    fix,
    lint::{self, LintResult},
    project::Project,
    source::column::ColumnUnit,
};
use rayon::prelude::*;

use folder::{Fixture, Linted, Texts};

/// `path:line rule`
type Marks = Vec<(String, String)>;

/// The marks of a fixture: comments, and the file `marks` for places without comments.
fn marks(fixture: &Fixture) -> Marks {
    let mut found = fixture.marks.clone();
    for (path, text) in &fixture.files {
        for (number, line) in text.lines().enumerate() {
            let at = |number: usize| format!("{path}:{number}");
            if let Some((_, rules)) = line.split_once("#~^") {
                found.extend(rules.split_whitespace().map(|it| (at(number), it.to_owned())));
            } else if let Some((_, rules)) = line.split_once("#~") {
                found.extend(rules.split_whitespace().map(|it| (at(number + 1), it.to_owned())));
            }
        }
    }
    found.sort();
    found
}

/// `path:line` of a finding.
pub(crate) fn place(linted: &Linted, finding: &Finding) -> String {
    let file = linted.project.files.get(finding.span.file);
    let position = file.position(finding.span.start as usize, ColumnUnit::Characters);
    format!("{}:{}", file.path(), position.line)
}

fn found(linted: &Linted) -> Marks {
    let findings = linted.outcome.findings.iter();
    let mut found: Marks = findings.map(|it| (place(linted, it), it.rule.to_owned())).collect();
    found.sort();
    found
}

#[test]
fn every_finding_is_marked_and_every_mark_is_met() {
    let wrong: Vec<String> = folder::all().par_iter().flat_map_iter(wrong_marks).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong_marks(fixture: &Fixture) -> Vec<String> {
    let name = &fixture.name;
    let (wanted, got) = (marks(fixture), found(fixture.linted()));
    let missing = wanted.iter().filter(|it| !got.contains(it));
    let extra = got.iter().filter(|it| !wanted.contains(it));
    let missing = missing.map(|(place, rule)| format!("{name}/{place} wants {rule}, got nothing"));
    let extra = extra.map(|(place, rule)| format!("{name}/{place} says {rule}, unmarked"));
    let mut wrong: Vec<String> = missing.chain(extra).collect();
    if wrong.is_empty() && wanted.len() != got.len() {
        wrong.push(format!("{name}: {} marks, {} findings", wanted.len(), got.len()));
    }
    wrong
}

/// The same text with its top-level blocks or documents in the opposite order.
fn turned(path: &str, text: &str) -> String {
    let is = |ending: &str| path.rsplit('.').next() == Some(ending);
    let terraform = is("tf") && !text.contains("<<") && !text.contains('\r');
    if terraform {
        // A blank line at the outermost level parts blocks; a comment stays with what follows it.
        let outermost = |it: &str| it.starts_with(|it: char| it.is_ascii_lowercase() || it == '#');
        let mut blocks: Vec<String> = vec![String::new()];
        for paragraph in text.split_inclusive("\n\n") {
            match blocks.last_mut() {
                Some(last) if !outermost(paragraph) => last.push_str(paragraph),
                _ => blocks.push(paragraph.to_owned()),
            }
        }
        blocks.iter_mut().filter(|it| !it.ends_with("\n\n")).for_each(|it| it.push('\n'));
        blocks.reverse();
        blocks.concat()
    } else if is("yaml") && text.contains("\n---\n") && !text.contains("{{") {
        let mut documents: Vec<&str> = text.split("\n---\n").collect();
        documents.reverse();
        documents.join("\n---\n")
    } else {
        text.to_owned()
    }
}

/// What is said, without places.
fn said(linted: &Linted) -> Vec<(String, String)> {
    let text = |it: &Finding| format!("{} {} {}", it.rule, it.severity.word(), it.message);
    let findings = linted.outcome.findings.iter();
    let mut said: Vec<_> = findings.map(|it| (linted.path(it).to_owned(), text(it))).collect();
    said.sort();
    said
}

#[test]
fn the_order_of_files_and_blocks_does_not_matter() {
    // A broken block is cut off where the next begins, so its neighbours matter to it.
    let fixtures = folder::all().par_iter().filter(|it| it.name != folder::BROKEN);
    fixtures.for_each(|fixture| {
        let files = fixture.files.iter().rev();
        let turned: Texts = files.map(|(path, text)| (path.clone(), turned(path, text))).collect();
        assert_eq!(
            said(fixture.linted()),
            said(&Linted::since(turned, fixture.before.clone())),
            "{}",
            fixture.name
        );
    });
}

#[test]
fn fixes_leave_nothing_to_fix_and_no_broken_file() {
    let fixtures = folder::all().par_iter().filter(|it| it.has_fixes());
    let wrong: Vec<String> = fixtures.flat_map_iter(left_after_fixes).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn left_after_fixes(fixture: &Fixture) -> Vec<String> {
    let name = &fixture.name;
    let mut wrong = Vec::new();
    let unreadable =
        |it: &Linted| it.outcome.findings.iter().filter(|it| it.rule == "unreadable").count();
    let after = all_fixed(fixture.files.clone());
    if unreadable(&after) > unreadable(fixture.linted()) {
        wrong.push(format!("{name}: a fix broke a file"));
    }
    for finding in after.outcome.findings.iter().filter(|it| it.fix.is_some()) {
        wrong.push(format!("{name}: {} still has a fix: {}", finding.rule, finding.message));
    }
    // Fixes that do not hold are withdrawn.
    let said = |outcome: &LintResult| -> Vec<String> {
        let text = |it: &Finding| format!("{:?}", Finding { fix: None, ..it.clone() });
        outcome.findings.iter().map(text).collect()
    };
    if said(&after.outcome) != said(&lint::run(&after.project, &Config::default())) {
        wrong.push(format!("{name}: what was kept of the state before a fix is not as it is"));
    }
    wrong
}

/// What is found after all fixes, round after round.
pub(crate) fn all_fixed(files: Texts) -> Linted {
    let mut linted = Linted::new(files);
    let Linted { project, outcome } = &mut linted;
    let all = &|_: &Project, outcome: &LintResult| outcome.findings.clone();
    let lint = |project: &Project, known| lint::run_again(project, &Config::default(), &[], known);
    fix::until_quiet(project, &lint, outcome, Safety::Unsafe, all);
    linted
}
