//! The forms of a report: golden files, the rules of their readers, and Microsoft's validator for SARIF.
//!
//! `BLESS=1 cargo test` rewrites the golden files. What wants a program that is not there (`validator`, `chromium`)
//! does not run, unless `KARPLINT_MUST_RUN` names it.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and read its own files"
)]

mod fixes;
mod hostile;
pub(crate) mod page;
mod logs;

use std::{fs, path::Path};

use karplint::{
    config::Config,
    findings::{
        Finding, Fix, Safety, Severity,
        edit::Edit,
        note::Note,
        silence::{Silence, Unreported},
        subject::{Block, Subject},
    },
    fix,
    lint::{self, LintResult, allowing::AllowedFinding},
    project::{Project, skipped::Skipped},
    report::{
        Report, checkstyle,
        choice::Choice,
        github, gitlab, html, json, junit, markdown,
        sarif::{self, LogContext},
        text::{self, Look},
    },
    source::Span,
    value::cause::Cause,
};

use crate::fixtures::folder;
use logs::{crowd, without_rules};

/// Files that are awkward in every way a report can meet.
const FILES: [(&str, &str); 4] = [
    (
        "infra/main.tf",
        "\u{feff}resource \"helm_release\" \"karpenter\" {\r\n  name = \"日本 🎉\" # 🎉\r\n\tskip_crds = false\r\n}\r\n\r\nlast",
    ),
    (
        "infra/crds.tf",
        "# one\n# two\n\nresource \"helm_release\" \"karpenter_crd\" {\n  name = \"karpenter-crd\"\n}\n",
    ),
    (
        "a folder/wide [1].yaml",
        "first: 1\nlong: \"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 here 0123456789 0123456789\"\nsteer: \u{1b}[31mred\n",
    ),
    ("empty.yaml", ""),
];

fn project() -> Project {
    Project::from_memory(FILES.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect())
}

/// The span of the first `words` in a file.
fn at(project: &Project, path: &str, words: &str) -> Span {
    let file = project.files.find(path).unwrap();
    let start = project.files.get(file).text().find(words).unwrap();
    Span::new(file, start, start + words.len())
}

fn finding(severity: Severity, span: Span, message: &str) -> Finding {
    Finding {
        rule: "crds-not-skipped",
        severity,
        span,
        asked: None,
        message: message.to_owned(),
        notes: Vec::new(),
        help: None,
        offer: None,
        fix: None,
        subjects: Vec::new(),
        unless_mentioned: None,
        if_mentioned: None,
    }
}

fn note(span: Span, message: &str) -> Note {
    Note { span, message: message.to_owned() }
}

fn outcome(project: &Project) -> LintResult {
    let wide = "a folder/wide [1].yaml";
    let literal = at(project, "infra/main.tf", "false");
    let name = at(project, "infra/main.tf", "\"日本 🎉\"");
    let block = at(project, "infra/main.tf", "resource \"helm_release\"").to(literal);
    let release = at(project, "infra/crds.tf", "resource \"helm_release\" \"karpenter_crd\"");
    let edits = vec![
        Edit { span: literal, text: "true".to_owned() },
        Edit { span: Span::new(release.file, 0, 0), text: "# 日本\n".to_owned() },
    ];
    let mut findings = vec![
        finding(Severity::Error, at(project, wide, "here"), "A place far to the right"),
        finding(Severity::Note, at(project, wide, "\u{1b}[31mred"), "A value that steers [x](1)"),
        finding(
            Severity::Error,
            Span::new(project.files.find("empty.yaml").unwrap(), 0, 0),
            "Nothing is here",
        ),
        finding(Severity::Warning, block, "A span of several lines"),
        finding(
            Severity::Warning,
            literal,
            "This release does not skip the CRDs that `karpenter-crd` manages",
        ),
        finding(Severity::Note, at(project, "infra/main.tf", "last"), "The last line has no end"),
    ];
    findings[4].notes = vec![
        note(release, "the CRDs come from this release, which is said at some length here"),
        note(name, "the release is called `日本 🎉`"),
    ];
    findings[4].help =
        Some("Set `skip_crds = true` on the controller release, or `values = [x]`".to_owned());
    findings[4].about(&Subject {
        block: Some(Block {
            address: "helm_release.karpenter".into(),
            local: "helm_release.karpenter".into(),
            call: None,
        }),
        ..Subject::default()
    });
    findings[4].fix =
        Some(Fix { title: "Skip the chart's own CRDs".to_owned(), safety: Safety::Safe, edits });
    LintResult {
        findings,
        allowed: vec![AllowedFinding { span: release, rule: "crds-not-skipped", by: release }],
        skipped: vec![Skipped::new("big.yaml", "over 32 MB")],
        unreported: vec![Unreported {
            rule: "known-bad-release",
            span: release,
            silence: Silence::undecided(Cause::Version, "the version is not known"),
        }],
        ..LintResult::default()
    }
}

/// A fixture in memory, with the line ends of Unix.
fn fixture(name: &str) -> Project {
    let files = folder::named(name).files.iter();
    Project::from_memory(files.map(|it| (it.0.clone(), it.1.replace("\r\n", "\n"))).collect())
}

fn with_report<T>(outcome: impl Fn(&Project) -> LintResult, f: impl Fn(&Report) -> T) -> T {
    let project = project();
    let outcome = outcome(&project);
    f(&Report::new(&project, &outcome, Path::new("/somewhere"), Choice::everything()))
}

fn golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let change = fix::diff(name, &expected, found);
    assert!(found == expected, "{} differs; BLESS=1 accepts it\n{change}", path.display());
}

#[test]
fn text_looks_as_it_did() {
    let look =
        Look { color: false, unicode: true, width: 80, lowest: Severity::Note, lists_all: false };
    golden("report.txt", &with_report(outcome, |it| text::render(it, look, false).unwrap()));
    let look =
        Look { color: false, unicode: false, width: 80, lowest: Severity::Note, lists_all: false };
    let ascii = with_report(outcome, |it| text::render(it, look, false).unwrap());
    let frames = |it: char| ('\u{2500}'..='\u{257f}').contains(&it);
    assert!(!ascii.contains(frames), "{ascii}");
}

#[test]
fn json_looks_as_it_did() {
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let found = with_report(outcome, json::render);
    golden("report.json", &found.replace(&version, "\"version\": \"VERSION\""));
}

#[test]
fn other_forms_look_as_they_did() {
    let quiet = |it: &Report| github::render(it, false);
    golden("report.github", &with_report(outcome, quiet));
    golden("report.gitlab.json", &with_report(outcome, gitlab::render));
    golden("report.junit.xml", &with_report(outcome, junit::render));
    golden("report.checkstyle.xml", &with_report(outcome, checkstyle::render));
    golden("report.md", &with_report(outcome, markdown::render));
    let version = format!("karplint {}", env!("CARGO_PKG_VERSION"));
    let page = with_report(outcome, html::render);
    golden("report.html", &page.replace(&version, "karplint VERSION"));
}

#[test]
fn xml_is_read_back_as_it_was_meant() {
    let text = with_report(outcome, checkstyle::render);
    let document = roxmltree::Document::parse(&text).unwrap();
    let said = document.descendants().filter(|it| it.has_tag_name("error"));
    let said: Vec<&str> = said.filter_map(|it| it.attribute("message")).collect();
    assert_eq!(said.len(), 6);
    assert!(said.contains(&"This release does not skip the CRDs that `karpenter-crd` manages"));
    let text = with_report(outcome, junit::render);
    let document = roxmltree::Document::parse(&text).unwrap();
    let count = |name: &str| document.descendants().filter(|it| it.has_tag_name(name)).count();
    let suites = document.root_element();
    assert_eq!((count("testcase"), count("failure"), count("system-out")), (6, 4, 2));
    assert_eq!((suites.attribute("tests"), suites.attribute("failures")), (Some("6"), Some("4")));
    let text = with_report(|_| LintResult::default(), junit::render);
    let document = roxmltree::Document::parse(&text).unwrap();
    let cases = document.descendants().filter(|it| it.has_tag_name("testcase"));
    assert_eq!(cases.count(), 1);
    let text = with_report(|_| LintResult::default(), checkstyle::render);
    assert!(roxmltree::Document::parse(&text).is_ok());
}

#[test]
fn a_comment_is_no_longer_than_github_takes() {
    let text = with_report(crowd, markdown::render);
    assert!(text.chars().count() <= 65_536, "{} characters", text.chars().count());
    assert!(text.contains("| :x: error |") && text.contains("found no room here"));
}

#[test]
fn a_repository_is_reported_as_it_was() {
    let project = fixture("crds/terraform/bad");
    let outcome = lint::run(&project, &Config::default());
    let report = Report::new(&project, &outcome, Path::new(""), Choice::everything());
    let look =
        Look { color: false, unicode: true, width: 80, lowest: Severity::Note, lists_all: false };
    golden("fixture.txt", &text::render(&report, look, false).unwrap());
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    golden("fixture.json", &json::render(&report).replace(&version, "\"version\": \"VERSION\""));
    let log = serde_json::from_str(&sarif::render(&report, &LogContext::default())).unwrap();
    golden("fixture.sarif", &without_rules(log));
}
