//! Every page is complete, its examples behave, and a fix turns Bad into Good letter for letter.

#![expect(clippy::disallowed_methods, reason = "pages and sources are read from the disk")]

mod coverage;
pub(crate) mod examples;

use std::collections::BTreeMap;

use examples::{Example, examples};
use karplint::{
    config::Config,
    findings::{Finding, Safety, silence::Unreported},
    fix,
    lint::{self, LintResult},
    page::Page,
    project::Project,
    rules,
    source::{Span, column::ColumnUnit},
};

#[test]
fn every_page_is_complete() {
    let mut wrong = Vec::new();
    for rule in rules::ALL {
        match Page::parse(rule.page) {
            Err(message) => {
                wrong.push(format!("{}: {message}", rule.page.lines().nth(1).unwrap_or_default()));
            }
            Ok(page) => {
                let sections: Vec<&str> =
                    page.body.lines().filter_map(|it| it.strip_prefix("## ")).collect();
                let expected = ["How to fix", "Severity", "Bad", "Good", "Not reported"];
                let rest = sections.get(5..).unwrap_or_default();
                if sections.get(..5) != Some(&expected[..]) || !matches!(rest, [] | ["References"])
                {
                    wrong.push(format!(
                        "{}: sections are {sections:?}, not {expected:?}",
                        page.name
                    ));
                }
                if !["none", "safe", "unsafe"].contains(&page.fix) {
                    wrong.push(format!("{}: `fix: {}`", page.name, page.fix));
                }
                if page.reason.is_empty() || !page.source.starts_with("https://") {
                    wrong.push(format!("{}: a reason and a source are needed", page.name));
                }
                if examples(&page.body, "Not reported").len() < 2 {
                    wrong.push(format!(
                        "{}: at least two look-alikes under Not reported",
                        page.name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bad_examples_are_reported_where_they_are_marked() {
    let mut wrong = Vec::new();
    for page in rules::pages() {
        for example in examples(&page.body, "Bad") {
            wrong.extend(compare(page.name, &example));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn good_examples_and_look_alikes_are_silent() {
    let mut wrong = Vec::new();
    for page in rules::pages() {
        for section in ["Good", "Not reported"] {
            for example in examples(&page.body, section) {
                let (project, outcome) = lint_rule(page.name, &example);
                for finding in &outcome {
                    let place = place(&project, finding.span);
                    let title = &example.title;
                    wrong.push(format!(
                        "{}/{section}/{title}: {place} says {:?}",
                        page.name, finding.message
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rules that have no subjects, or ask only of what is gone from a good example: an old name, an old image.
const WITHOUT_GOOD_SUBJECTS: [&str; 9] = [
    "ami-unavailable",
    "blanket-toleration",
    "do-not-disrupt-on-daemonset",
    "plan-time-crd",
    "retired-karpenter-api",
    "retired-pod-annotation",
    "shared-discovery-tag",
    "unreadable",
    "unused-allowance",
];

#[test]
fn good_examples_are_found_sound() {
    let mut wrong = Vec::new();
    for page in rules::pages().filter(|it| !WITHOUT_GOOD_SUBJECTS.contains(&it.name)) {
        for example in examples(&page.body, "Good") {
            let verdicts = verdicts(page.name, &example);
            let sound = verdicts.iter().any(|it| it.silence.cause().is_none());
            if !sound {
                wrong.push(format!("{}/{}: {verdicts:?}", page.name, example.title));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fixes_turn_bad_into_good() {
    let mut wrong = Vec::new();
    for page in rules::pages().filter(|it| it.fix != "none") {
        let bad = examples(&page.body, "Bad");
        let good = examples(&page.body, "Good");
        for (bad, good) in bad.iter().zip(&good) {
            let fixed = fixed(page.name, bad);
            for (path, text) in good.files() {
                if fixed.get(&path) != Some(&text) {
                    let got = fixed.get(&path).map_or("nothing", String::as_str);
                    wrong.push(format!(
                        "{}/{}: {path}\n--- wanted\n{text}\n--- got\n{got}",
                        page.name, bad.title
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The example's files after all fixes of the rule.
fn fixed(rule: &str, example: &Example) -> BTreeMap<String, String> {
    let (project, findings) = lint_rule(rule, example);
    let mut files: BTreeMap<String, String> = example.files().into_iter().collect();
    for (file, text) in fix::apply(&project.files, &findings, Safety::Unsafe) {
        files.insert(project.files.get(file).path().to_owned(), text);
    }
    files
}

/// The marks of an example that no finding meets, and the findings no mark asks for.
fn compare(rule: &str, example: &Example) -> Vec<String> {
    let (project, findings) = lint_rule(rule, example);
    let mut left = example.marks.clone();
    let mut wrong = Vec::new();
    let title = &example.title;
    for finding in &findings {
        let at = place(&project, finding.span);
        let met = left.iter().position(|it| it.place == at && finding.message.contains(&it.text));
        match met {
            Some(index) => drop(left.remove(index)),
            None => {
                wrong
                    .push(format!("{rule}/Bad/{title}: {at} says {:?}, unmarked", finding.message));
            }
        }
        if finding.message.chars().count() > 80 || finding.message.ends_with('.') {
            wrong.push(format!(
                "{rule}/Bad/{title}: {:?} is too long or ends with a full stop",
                finding.message
            ));
        }
    }
    wrong
        .extend(left.iter().map(|it| {
            format!("{rule}/Bad/{title}: {} wants {:?}, got nothing", it.place, it.text)
        }));
    wrong
}

#[test]
fn the_index_lists_every_page() {
    let head = "# Rules\n\nWritten by the tests (`BLESS=1 cargo test --test karplint`); one page per rule.\n\n\
                | rule | topic | severity | fix | |\n|---|---|---|---|---|\n";
    let row = |page: &Page| {
        let (name, severity, fix, title) = (page.name, page.severity.word(), page.fix, &page.title);
        format!("| [{name}]({name}.md) | {} | {severity} | {fix} | {title} |\n", page.topic)
    };
    let rows = rules::pages().map(row);
    let index: String =
        std::iter::once(head.to_owned()).chain(rows).chain([coverage::section()]).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/README.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &index).expect("the index can be written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(written, index, "run `BLESS=1 cargo test --test karplint`");
}

/// `path:line` of a span.
fn place(project: &Project, span: Span) -> String {
    let file = project.files.get(span.file);
    let position = file.position(span.start as usize, ColumnUnit::Characters);
    format!("{}:{}", file.path(), position.line)
}

/// What a rule says in memory of the subjects that it does not report.
fn verdicts(rule: &str, example: &Example) -> Vec<Unreported> {
    let config = Config { explains: true, only: vec![rule.to_owned()], ..Config::default() };
    linted(example, &config).1.unreported
}

/// Lints files in memory; only one rule's findings are given.
fn lint_rule(rule: &str, example: &Example) -> (Project, Vec<Finding>) {
    let (project, outcome) = linted(example, &Config::default());
    let findings = outcome.findings.into_iter().filter(|it| it.rule == rule).collect();
    (project, findings)
}

/// Lints an example, as a change of what was before where it shows one.
fn linted(example: &Example, config: &Config) -> (Project, LintResult) {
    let before = example.files_before().map(|it| lint::run(&Project::from_memory(it), config));
    let versions = before.map(|it| it.versions).unwrap_or_default();
    let project = Project::from_memory(example.files());
    let outcome = lint::run_since(&project, config, &versions);
    (project, outcome)
}
