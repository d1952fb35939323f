//! SARIF: what GitHub, GitLab, the viewer of VS Code and Microsoft's validator ask of a log.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use karplint::{
    config::Config,
    findings::{Fix, Safety, Severity, edit::Edit},
    lint::{self, LintResult},
    project::Project,
    report::{
        Report,
        choice::Choice,
        sarif::{self, Checkout, LogContext},
    },
    rules,
    source::Span,
};
use karplint_test_tools::found;
use serde_json::Value;

use super::{at, finding, fixture, golden, note, outcome, with_report};

#[test]
fn sarif_looks_as_it_did() {
    golden("report.sarif", &without_rules(sarif_of(outcome)));
}

/// More findings than any reader takes, one of them an error.
pub(super) fn crowd(project: &Project) -> LintResult {
    let span = at(project, "infra/main.tf", "false");
    let note = finding(Severity::Note, span, &"A note of some length. ".repeat(3));
    let mut findings = vec![note; 6000];
    findings[5500].severity = Severity::Error;
    LintResult { findings, ..LintResult::default() }
}

#[test]
fn readers_get_no_more_results_than_they_take() {
    let log = sarif_of(crowd);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 5000);
    assert_eq!(results.iter().filter(|it| it["level"] == "error").count(), 1);
    let notices = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notices.contains("1000 findings, the least severe, are left out"), "{notices}");
}

/// A log without what changes with every rule and release.
pub(super) fn without_rules(mut log: Value) -> String {
    let driver = &mut log["runs"][0]["tool"]["driver"];
    driver["version"] = "VERSION".into();
    driver["semanticVersion"] = "VERSION".into();
    driver["rules"] = Value::Array(Vec::new());
    for result in log["runs"][0]["results"].as_array_mut().unwrap() {
        result["ruleIndex"] = 0.into();
    }
    serde_json::to_string_pretty(&log).unwrap() + "\n"
}

fn sarif_of(outcome: impl Fn(&Project) -> LintResult) -> Value {
    serde_json::from_str(&with_report(outcome, plain)).unwrap()
}

/// A log that says nothing of its upload.
fn plain(report: &Report) -> String {
    sarif::render(report, &LogContext::default())
}

/// A log that says all there is to say of its upload.
fn sarif_log(report: &Report) -> String {
    let checkout = Checkout {
        repository: "https://github.com/karplint/karplint".to_owned(),
        revision: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        branch: Some("main".to_owned()),
    };
    let category = Some("clusters/prod".to_owned());
    sarif::render(report, &LogContext { category, checkout: Some(checkout) })
}

/// Overlong texts, in every place that takes one.
fn wordy(project: &Project) -> LintResult {
    let span = at(project, "infra/main.tf", "false");
    let long = "A [value] of `日本 🎉` that goes on \\ and on, ".repeat(500);
    let mut one = finding(Severity::Warning, span, &long);
    one.notes = (0..150).map(|it| note(Span { start: it, end: it + 1, ..span }, &long)).collect();
    one.help = Some(long.clone());
    let edits = vec![Edit { span, text: long.clone() }];
    one.fix = Some(Fix { title: long, safety: Safety::Safe, edits });
    LintResult { findings: vec![one], ..LintResult::default() }
}

/// Many findings, each with long texts and several places.
fn heavy(project: &Project) -> LintResult {
    let mut one = wordy(project).findings.remove(0);
    one.notes.truncate(3);
    one.fix = outcome(project).findings.remove(4).fix;
    LintResult { findings: vec![one; 1700], ..LintResult::default() }
}

#[test]
fn a_log_says_what_was_checked_and_for_which_upload() {
    let log: Value = serde_json::from_str(&with_report(outcome, sarif_log)).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["automationDetails"]["id"], "karplint/clusters/prod/");
    let provenance = &run["versionControlProvenance"][0];
    assert_eq!(provenance["repositoryUri"], "https://github.com/karplint/karplint");
    assert_eq!(provenance["revisionId"].as_str().unwrap().len(), 40);
    assert_eq!(provenance["branch"], "main");
    assert_eq!(provenance["mappedTo"]["uriBaseId"], "%SRCROOT%");
    assert!(sarif_of(outcome)["runs"][0].get("versionControlProvenance").is_none());
}

/// What the program says to these arguments in a repository whose remote has a token.
fn said(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let remote = "[remote \"origin\"]\n\turl = https://ci:t0ken@git.example.org/a/b.git\n";
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, text) in [
        (".git/config", remote),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/packed-refs", "0123456789abcdef0123456789abcdef01234567 refs/heads/main\n"),
        ("main.tf", "resource \"helm_release\" \"karpenter\" {\n  chart = \"karpenter\"\n}\n"),
    ] {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder.path()).args(["check", "--exit-zero"]).args(arguments);
    command.output().unwrap()
}

#[test]
fn the_program_tells_its_upload_from_others() {
    for (arguments, id) in [
        (&["--format", "sarif"][..], "karplint/"),
        (&["--format", "sarif", "--sarif-category", "prod"], "karplint/prod/"),
        (
            &["--format", "sarif", "--sarif-category", "/clusters/été 2/"],
            "karplint/clusters/été 2/",
        ),
    ] {
        let output = said(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        let log: Value = serde_json::from_str(&text).unwrap();
        let run = &log["runs"][0];
        assert_eq!(run["automationDetails"]["id"], id);
        let provenance = &run["versionControlProvenance"][0];
        assert_eq!(provenance["repositoryUri"], "https://git.example.org/a/b.git");
        assert_eq!(provenance["revisionId"], "0123456789abcdef0123456789abcdef01234567");
        assert!(!text.contains("t0ken"), "{text}");
    }
    for (arguments, why) in [
        (&["--sarif-category", "prod"][..], "karplint: `--sarif-category` has nothing to name"),
        (&["--format", "sarif", "--diff", "--sarif-category", "a"], "has nothing to name"),
        (&["--format", "sarif", "--sarif-category", " / "], "a category needs a name"),
        (&["--format", "sarif", "--sarif-category", "a\nb"], "is one line of at most 200"),
    ] {
        let output = said(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(why), "{complaint}");
    }
}

#[test]
fn places_have_the_names_of_things() {
    let log = sarif_of(outcome);
    let results = &log["runs"][0]["results"];
    let name = |it: &Value| it["logicalLocations"][0]["fullyQualifiedName"].clone();
    assert_eq!(name(&results[4]["locations"][0]), "helm_release.karpenter");
    assert!(results[0]["locations"][0].get("logicalLocations").is_none());
}

#[test]
fn no_text_is_longer_than_its_readers_take() {
    let length = |it: &Value| it.as_str().unwrap().encode_utf16().count();
    for log in [sarif_of(wordy), sarif_of(outcome)] {
        for result in log["runs"][0]["results"].as_array().unwrap() {
            let list = |it: &str| result[it].as_array().map_or(&[][..], Vec::as_slice);
            assert!(length(&result["message"]["text"]) <= 2048);
            let related = list("relatedLocations");
            assert!(related.len() <= 100);
            assert!(related.iter().all(|it| length(&it["message"]["text"]) <= 1024));
            assert!(list("fixes").iter().all(|it| length(&it["description"]["text"]) <= 1024));
            // GitLab puts a rank before every other severity, and skips what is suppressed.
            assert!(result.get("rank").is_none() && result.get("suppressions").is_none());
        }
    }
}

#[test]
fn no_log_is_larger_than_its_readers_take() {
    let text = with_report(heavy, sarif_log);
    assert!(text.len() <= 10_000_000, "{} bytes", text.len());
    let log: Value = serde_json::from_str(&text).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap().len();
    let notices = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!((1000..1700).contains(&results), "{results} results");
    assert!(notices.contains(&format!("{} findings, the least", 1700 - results)), "{notices}");
    // Those with texts of the usual length lose the lines around them, and none is left out.
    let log = sarif_of(|project| {
        let one = outcome(project).findings.remove(4);
        LintResult { findings: vec![one; 3000], ..LintResult::default() }
    });
    let results = log["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(results.len(), 3000);
    assert!(place.get("contextRegion").is_none() && place["region"].get("snippet").is_some());
}

fn strings<'a>(value: &'a Value, paths: &[&str]) -> Vec<&'a str> {
    paths.iter().map(|it| value.pointer(it).and_then(Value::as_str).unwrap_or_default()).collect()
}

#[test]
fn sarif_has_what_its_readers_require() {
    for log in [sarif_of(outcome), sarif_of(|_| LintResult::default())] {
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(run["columnKind"], "utf16CodeUnits");
        assert_eq!(run["automationDetails"]["id"], "karplint/");
        assert!(run["originalUriBaseIds"]["%SRCROOT%"].get("uri").is_none());
        let listed = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(listed.len(), rules::with_pages().len());
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
            for (path, most) in [("/name", 255), ("/helpUri", 2048)] {
                assert!(strings(rule, &[path])[0].len() <= most, "{rule}");
            }
            assert!(strings(rule, &paths[1..3]).iter().all(|it| it.len() <= 1024), "{rule}");
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

/// Logs of all kinds: with every field, with nothing in them, with texts that are cut, with the findings and the
/// fixes of real files.
fn logs() -> Vec<(&'static str, String)> {
    let mut logs = vec![
        ("found.sarif", with_report(outcome, sarif_log)),
        ("empty.sarif", with_report(|_| LintResult::default(), plain)),
        ("long.sarif", with_report(wordy, sarif_log)),
    ];
    for (name, fixture_name) in [
        ("crds.sarif", "crds/terraform/bad"),
        ("api.sarif", "resources/migration-to-v1"),
        ("tolerations.sarif", "taints/after-upgrade/bad"),
    ] {
        let project = fixture(fixture_name);
        let outcome = lint::run(&project, &Config::default());
        let report = Report::new(&project, &outcome, Path::new(""), Choice::everything());
        let log = sarif_log(&report);
        assert!(log.contains("\"fixes\"") && log.contains("\"logicalLocations\""), "{name}");
        logs.push((name, log));
    }
    logs
}

#[test]
fn sarif_satisfies_the_validator() {
    let Some(program) = found("validator", validator()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let logs = logs();
    for (name, log) in &logs {
        fs::write(folder.path().join(name), log).unwrap();
    }
    let verdict = folder.path().join("verdict");
    let output = Command::new(&program)
        .arg("validate")
        .args(logs.iter().map(|(name, _)| folder.path().join(name)))
        .arg("--output")
        .arg(&verdict)
        .args(["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note"])
        .args(["--log", "ForceOverwrite"])
        // It would try every link, and says only a note of those it cannot reach.
        .envs(["http_proxy", "https_proxy"].map(|it| (it, "http://127.0.0.1:9")))
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
    for (name, _) in &logs {
        let about = |it: &&Value| it["locations"].to_string().contains(name);
        assert!(results.iter().any(|it| about(&it)), "the validator has not read {name}: {said}");
    }
}
