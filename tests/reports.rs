//! The forms of a report: golden files, the rules of their readers, and Microsoft's validator for SARIF.
//!
//! `BLESS=1 cargo test` rewrites the golden files.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and read its own files"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use karplint::{
    config::Config,
    findings::{Edit, Finding, Fix, Note, Safety, Severity},
    lint::{self, Outcome},
    project::{Project, Skipped, walk},
    report::{
        Report, checkstyle,
        choice::Choice,
        github, gitlab, html, json, junit, markdown, sarif,
        text::{self, Look},
    },
    rules,
    source::Span,
};
use serde_json::Value;

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
        message: message.to_owned(),
        notes: Vec::new(),
        help: None,
        offer: None,
        fix: None,
        instance: None,
    }
}

fn note(span: Span, message: &str) -> Note {
    Note { span, message: message.to_owned() }
}

fn outcome(project: &Project) -> Outcome {
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
            "This release also installs the CRDs that `karpenter-crd` manages",
        ),
        finding(Severity::Note, at(project, "infra/main.tf", "last"), "The last line has no end"),
    ];
    findings[4].notes = vec![
        note(release, "the CRDs come from this release, which is said at some length here"),
        note(name, "the release is called `日本 🎉`"),
    ];
    findings[4].help =
        Some("Set `skip_crds = true` on the controller release, or `values = [x]`".to_owned());
    findings[4].fix =
        Some(Fix { title: "Skip the chart's own CRDs".to_owned(), safety: Safety::Safe, edits });
    Outcome {
        findings,
        allowed: vec![release],
        skipped: vec![Skipped { path: "big.yaml".to_owned(), reason: "over 32 MB".to_owned() }],
        unknowns: vec![note(release, "the version of this release is not known")],
        ..Outcome::default()
    }
}

fn with_report<T>(outcome: impl Fn(&Project) -> Outcome, f: impl Fn(&Report) -> T) -> T {
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
    assert_eq!(found, expected, "{} differs; BLESS=1 accepts it", path.display());
}

#[test]
fn text_looks_as_it_did() {
    let look = Look { color: false, unicode: true };
    golden("report.txt", &with_report(outcome, |it| text::render(it, look, false).unwrap()));
    let look = Look { color: false, unicode: false };
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
fn sarif_looks_as_it_did() {
    golden("report.sarif", &without_rules(sarif_of(outcome)));
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
    assert!(said.contains(&"This release also installs the CRDs that `karpenter-crd` manages"));
    let text = with_report(outcome, junit::render);
    let document = roxmltree::Document::parse(&text).unwrap();
    let count = |name: &str| document.descendants().filter(|it| it.has_tag_name(name)).count();
    let suites = document.root_element();
    assert_eq!((count("testcase"), count("failure"), count("system-out")), (6, 4, 2));
    assert_eq!((suites.attribute("tests"), suites.attribute("failures")), (Some("6"), Some("4")));
    let text = with_report(|_| Outcome::default(), junit::render);
    let document = roxmltree::Document::parse(&text).unwrap();
    let cases = document.descendants().filter(|it| it.has_tag_name("testcase"));
    assert_eq!(cases.count(), 1);
    let text = with_report(|_| Outcome::default(), checkstyle::render);
    assert!(roxmltree::Document::parse(&text).is_ok());
}

/// More findings than any reader takes, one of them an error.
fn crowd(project: &Project) -> Outcome {
    let span = at(project, "infra/main.tf", "false");
    let note = finding(Severity::Note, span, &"A note of some length. ".repeat(3));
    let mut findings = vec![note; 6000];
    findings[5500].severity = Severity::Error;
    Outcome { findings, ..Outcome::default() }
}

#[test]
fn readers_get_no_more_than_they_take() {
    let text = with_report(crowd, markdown::render);
    assert!(text.chars().count() <= 65_536, "{} characters", text.chars().count());
    assert!(text.contains("| :x: error |") && text.contains("found no room here"));
    let log = sarif_of(crowd);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 5000);
    assert_eq!(results.iter().filter(|it| it["level"] == "error").count(), 1);
    let notices = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notices.contains("1000 findings, the least severe, are left out"), "{notices}");
}

/// A log without what changes with every rule and release.
fn without_rules(mut log: Value) -> String {
    let driver = &mut log["runs"][0]["tool"]["driver"];
    driver["version"] = "VERSION".into();
    driver["semanticVersion"] = "VERSION".into();
    driver["rules"] = Value::Array(Vec::new());
    for result in log["runs"][0]["results"].as_array_mut().unwrap() {
        result["ruleIndex"] = 0.into();
    }
    serde_json::to_string_pretty(&log).unwrap() + "\n"
}

#[test]
fn a_repository_is_reported_as_it_was() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/article-2-crds-bad");
    let text = |path: &String| fs::read_to_string(root.join(path)).unwrap().replace("\r\n", "\n");
    let paths = walk::files(&root, &root, &|_| false).paths;
    let project = Project::from_memory(paths.iter().map(|it| (it.clone(), text(it))).collect());
    let outcome = lint::run(&project, &Config::default());
    let report = Report::new(&project, &outcome, Path::new(""), Choice::everything());
    let look = Look { color: false, unicode: true };
    golden("fixture.txt", &text::render(&report, look, false).unwrap());
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    golden("fixture.json", &json::render(&report).replace(&version, "\"version\": \"VERSION\""));
    let log = serde_json::from_str(&sarif::render(&report)).unwrap();
    golden("fixture.sarif", &without_rules(log));
}

fn sarif_of(outcome: impl Fn(&Project) -> Outcome) -> Value {
    serde_json::from_str(&with_report(outcome, sarif::render)).unwrap()
}

fn strings<'a>(value: &'a Value, paths: &[&str]) -> Vec<&'a str> {
    paths.iter().map(|it| value.pointer(it).and_then(Value::as_str).unwrap_or_default()).collect()
}

#[test]
fn sarif_has_what_its_readers_require() {
    for log in [sarif_of(outcome), sarif_of(|_| Outcome::default())] {
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(run["columnKind"], "utf16CodeUnits");
        assert_eq!(run["automationDetails"]["id"], "karplint/");
        assert!(run["originalUriBaseIds"]["%SRCROOT%"].get("uri").is_none());
        let listed = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(listed.len(), rules::pages().len());
        for rule in listed {
            let paths = [
                "/id",
                "/shortDescription/text",
                "/fullDescription/text",
                "/help/text",
                "/help/markdown",
                "/helpUri",
                "/defaultConfiguration/level",
                "/properties/precision",
                "/properties/problem.severity",
            ];
            assert!(strings(rule, &paths).iter().all(|it| !it.is_empty()), "{rule}");
            assert!(
                strings(rule, &paths[1..3]).iter().all(|it| it.chars().count() <= 1024),
                "{rule}"
            );
            assert!(rule["properties"].get("security-severity").is_none());
        }
        let results = run["results"].as_array().unwrap();
        for result in results {
            required_of(result, listed);
        }
    }
    assert_eq!(sarif_of(outcome)["runs"][0]["results"].as_array().unwrap().len(), 6);
}

fn required_of(result: &Value, rules: &[Value]) {
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], result["ruleId"]);
    let paths = [
        "/message/text",
        "/level",
        "/partialFingerprints/primaryLocationLineHash",
        "/partialFingerprints/karplint~1v1",
    ];
    assert!(strings(result, &paths).iter().all(|it| !it.is_empty()), "{result}");
    let locations = result["locations"].as_array().unwrap();
    assert_eq!(locations.len(), 1);
    let related = result["relatedLocations"].as_array().map_or(&[][..], Vec::as_slice);
    for location in locations.iter().chain(related) {
        let place = &location["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.starts_with(['/', '.']) && !uri.contains([' ', '\\', '[']), "{uri}");
        assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        let region = &place["region"];
        assert_eq!(region["startLine"], region["endLine"]);
        assert!(region["startColumn"].as_u64().unwrap() <= region["endColumn"].as_u64().unwrap());
    }
    let message = result["message"]["text"].as_str().unwrap();
    for location in related {
        assert!(message.contains(&format!("]({})", location["id"])), "{message}");
    }
}

#[test]
fn sarif_counts_columns_in_utf16_and_cuts_to_one_line() {
    let log = sarif_of(outcome);
    let results = &log["runs"][0]["results"];
    let region = |path: &str| results.pointer(path).unwrap().clone();
    // `{\r` ends the first line; the byte order mark is no column.
    let block = region("/3/locations/0/physicalLocation/region");
    assert_eq!((&block["startColumn"], &block["endColumn"]), (&1.into(), &38.into()));
    let name = region("/4/relatedLocations/1/physicalLocation/region");
    assert_eq!((&name["startColumn"], &name["endColumn"]), (&10.into(), &17.into()));
    assert_eq!(name["snippet"]["text"], "\"日本 🎉\"");
    let uri = region("/0/locations/0/physicalLocation/artifactLocation/uri");
    assert_eq!(uri, "a%20folder/wide%20%5B1%5D.yaml");
}

/// The validator's program, from npm, kept below `target/`; or why it cannot be had.
fn validator() -> Result<PathBuf, String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        other => return Err(format!("no validator for {other}")),
    };
    let package = format!("@microsoft/sarif-multitool-{system}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../sarif-multitool");
    let program = folder.join("node_modules").join(&package).join("Sarif.Multitool");
    if !program.exists() {
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-save", "--prefix"]).arg(&folder);
        let output = npm.arg(format!("{package}@5")).output();
        let output = output.map_err(|error| format!("npm: {error}"))?;
        if !program.exists() {
            return Err(format!("npm: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
    }
    let starts = Command::new(&program).arg("--version").output();
    starts.map(|_| program).map_err(|error| format!("{package}: {error}"))
}

#[test]
fn sarif_satisfies_the_validator() {
    let program = match validator() {
        Ok(program) => program,
        Err(why) => {
            eprintln!("skipped: the SARIF validator cannot be had here ({why})");
            return;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let logs = [
        ("found.sarif", with_report(outcome, sarif::render)),
        ("empty.sarif", with_report(|_| Outcome::default(), sarif::render)),
    ];
    for (name, log) in logs {
        let (input, verdict) = (folder.path().join(name), folder.path().join("verdict.sarif"));
        fs::write(&input, &log).unwrap();
        let output = Command::new(&program)
            .arg("validate")
            .arg(&input)
            .arg("--output")
            .arg(&verdict)
            .args(["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note"])
            .args(["--log", "ForceOverwrite"])
            .output()
            .unwrap();
        // It exits with 0 whatever it finds.
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let verdict = fs::read_to_string(&verdict).unwrap_or_else(|_| panic!("{said}"));
        let verdict: Value = serde_json::from_str(verdict.trim_start_matches('\u{feff}')).unwrap();
        let results = verdict["runs"][0]["results"].as_array().unwrap();
        // The default level is `warning`.
        let bad: Vec<_> = results.iter().filter(|it| it["level"] != "note").collect();
        assert!(bad.is_empty(), "{said}");
        assert!(!results.is_empty(), "the validator said nothing at all: {said}");
    }
}
