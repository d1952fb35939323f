//! The command line: every flag and exit code, through the built program.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and be told to write its golden file"
)]

mod boundary;
mod charts;
mod configs;
mod landing;
mod objects;
mod order;
mod overview;
mod plans;
mod policies;
mod upgrade;
mod verdicts;

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use karplint_test_tools::can_run;
use tempfile::TempDir;

/// A controller release that installs CRDs a second release manages: one warning with a safe fix.
const TWICE: &str = r#"resource "helm_release" "karpenter_crd" {
  chart        = "oci://public.ecr.aws/karpenter/karpenter-crd"
  name         = "karpenter-crd"
  version      = "1.8.2"
  force_update = true
}

resource "helm_release" "karpenter" {
  chart      = "oci://public.ecr.aws/karpenter/karpenter"
  name       = "karpenter"
  version    = "1.8.2"
  skip_crds  = false
  depends_on = [helm_release.karpenter_crd]
  values     = [yamlencode({ settings = { clusterName = "shop", interruptionQueue = "shop" } })]
}
"#;

/// Where `false` is written in it.
const PLACE: &str = "main.tf:12:16";

fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = plain(files);
    fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

/// A folder that lies in no repository.
fn plain(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn read(folder: &Path, path: &str) -> String {
    std::io::read_to_string(fs::File::open(folder.join(path)).unwrap()).unwrap()
}

fn karplint(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder).args(arguments);
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"] {
        command.env_remove(name);
    }
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    karplint(folder, arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let arguments: Vec<_> =
        ["check", "--format", "json"].iter().chain(arguments).copied().collect();
    serde_json::from_slice(&run(folder, &arguments).stdout).unwrap()
}

fn paths(report: &serde_json::Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|it| it["location"]["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn exit_codes_say_what_happened() {
    let bad = repository(&[("main.tf", TWICE)]);
    let clean = repository(&[("main.tf", "")]);
    let cases: [(&TempDir, &[&str], i32); 12] = [
        (&clean, &["check"], 0),
        (&bad, &["check"], 1),
        (&bad, &["check", "--fail-on", "error"], 0),
        (&bad, &["check", "--fail-on", "note"], 1),
        (&bad, &["check", "--fail-on", "never"], 0),
        (&bad, &["check", "--exit-zero"], 0),
        (&bad, &["check", "--severity", "error"], 0),
        (&bad, &["check", "--no-such-flag"], 2),
        (&bad, &["check", "--fail-on", "sometimes"], 2),
        (&bad, &["check", "missing"], 2),
        (&bad, &["explain", "missing"], 2),
        (&bad, &["--version"], 0),
    ];
    for (folder, arguments, expected) in cases {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(expected), "{arguments:?}: {}", err(&output));
        assert_eq!(err(&output).is_empty(), expected != 2, "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn what_cannot_be_done_is_one_clear_sentence() {
    let folder = repository(&[("main.tf", TWICE), ("c.yaml", "rules: {crds-not-skiped: off}\n")]);
    let cases: [(&[&str], &str); 5] = [
        (&["check", "gone"], "karplint: gone: no such file or folder\n"),
        (
            &["check", "--only", "crds-not-skiped"],
            "karplint: --only: `crds-not-skiped` is neither a rule nor a topic (did you mean `crds-not-skipped`?); `karplint rules` lists them\n",
        ),
        (
            &["explain", "crds-not-skiped"],
            "karplint: `crds-not-skiped` is not a rule (did you mean `crds-not-skipped`?); `karplint rules` lists them\n",
        ),
        (
            &["check", "--config", "c.yaml"],
            "karplint: c.yaml:1:9: `crds-not-skiped` is neither a rule nor a topic (did you mean `crds-not-skipped`?); `karplint rules` lists them\n",
        ),
        (&["check", "-", "main.tf"], "karplint: `-` cannot be combined with other paths\n"),
    ];
    for (arguments, expected) in cases {
        let output = run(folder.path(), arguments);
        assert_eq!(err(&output), expected);
        assert_eq!(out(&output), "");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn paths_select_what_is_shown_and_are_relative_to_the_working_directory() {
    let folder = repository(&[("a/main.tf", TWICE), ("b/main.tf", TWICE)]);
    let root = folder.path();
    assert_eq!(paths(&json(root, &[])), ["a/main.tf", "b/main.tf"]);
    assert_eq!(paths(&json(root, &["a"])), ["a/main.tf"]);
    assert_eq!(paths(&json(root, &["b/main.tf", "a/main.tf"])), ["a/main.tf", "b/main.tf"]);
    assert_eq!(paths(&json(&root.join("a"), &[])), ["main.tf"]);
    assert_eq!(paths(&json(&root.join("a"), &["..", "."])), ["main.tf", "../b/main.tf"]);
    let whole = root.join("b");
    assert_eq!(paths(&json(&root.join("a"), &[whole.to_str().unwrap()])), ["../b/main.tf"]);
}

#[test]
fn a_template_can_be_asked_for() {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/controller/placement/bad/terraform");
    let copied = ["main.tf", "karpenter.yaml.tftpl"].map(|it| (it, read(&fixture, it)));
    let folder = repository(&copied.each_ref().map(|(path, text)| (*path, text.as_str())));
    let report = out(&run(folder.path(), &["check", "karpenter.yaml.tftpl"]));
    assert!(report.contains("[karpenter.yaml.tftpl:"), "{report}");
    assert!(report.ends_with(" in 1 file\n"), "{report}");
}

#[test]
fn ignored_files_are_left_out_unless_named() {
    let folder = repository(&[
        ("main.tf", ""),
        (".gitignore", "out/\n"),
        ("out/main.tf", TWICE),
        (".terraform/modules/x/main.tf", TWICE),
        ("node_modules/x/main.tf", TWICE),
        ("live/.terragrunt-cache/x/y/main.tf", TWICE),
        (".hidden/main.tf", TWICE),
    ]);
    assert_eq!(paths(&json(folder.path(), &[])), [".hidden/main.tf"]);
    assert_eq!(paths(&json(folder.path(), &["out"])), ["out/main.tf"]);
    assert_eq!(paths(&json(folder.path(), &["out/main.tf"])), ["out/main.tf"]);
}

#[test]
fn config_is_found_upwards_or_given() {
    let config = "exclude: [vendor]\npaths:\n- paths: [a]\n  rules: {crds-not-skipped: off}\n";
    let folder = repository(&[
        (".karplint.yaml", config),
        ("a/main.tf", TWICE),
        ("b/main.tf", TWICE),
        ("vendor/main.tf", TWICE),
        ("loud.yaml", "rules:\n  crds-not-skipped: error\n"),
    ]);
    assert_eq!(paths(&json(&folder.path().join("b"), &[".."])), ["main.tf"]);
    let report = json(folder.path(), &["--config", "loud.yaml", "a"]);
    assert_eq!(report["findings"][0]["severity"], "error");
}

#[test]
fn every_mistake_in_a_config_has_a_place() {
    let config = "\
rulez: {}
rules:
  crds-not-skipped: loud
exclude: ['a[']
karpenter_version: new
terraform: {var_file: x}
paths:
- paths: [a]
";
    let folder = repository(&[(".karplint.yaml", config), ("sub/main.tf", "")]);
    let output = run(&folder.path().join("sub"), &["check"]);
    assert_eq!(output.status.code(), Some(2));
    let expected = [
        "../.karplint.yaml:1:1: `rulez` is no key of a config (did you mean `rules`?)",
        "../.karplint.yaml:3:21: `loud` is no level; allowed: off, note, warning, error",
        "../.karplint.yaml:4:11: this pattern cannot be read",
        "../.karplint.yaml:5:20: this must be a version such as \"1.8.2\"",
        "../.karplint.yaml:6:13: `var_file` is no key of `terraform` (did you mean `var_files`?)",
        "../.karplint.yaml:8:3: an item of `paths` needs both `paths` and `rules`",
    ];
    let found = err(&output);
    let lines: Vec<_> = found.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{found}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(&format!("karplint: {expected}")), "{line}\n{expected}");
    }
}

#[test]
fn rules_can_be_chosen_and_comments_ignored() {
    let allowed = TWICE.replace(
        "skip_crds  = false",
        "skip_crds  = false # karplint: allow crds-not-skipped because of the tests",
    );
    let folder = repository(&[("main.tf", TWICE), ("allowed/main.tf", &allowed)]);
    let root = folder.path();
    let several = ["--only", "crd-version-mismatch", "crds-not-skipped"];
    assert_eq!(paths(&json(root, &several)), ["main.tf"]);
    let several = ["--only", "crd-version-mismatch,crds-not-skipped", "."];
    assert_eq!(paths(&json(root, &several)), ["main.tf"]);
    assert_eq!(paths(&json(root, &["--only", "crds-not-skipped"])), ["main.tf"]);
    assert!(paths(&json(root, &["--skip", "crds-not-skipped"])).is_empty());
    assert!(paths(&json(root, &["--only", "crd-version-mismatch"])).is_empty());
    assert_eq!(json(root, &[])["summary"]["allowed"], 1);
    assert_eq!(paths(&json(root, &["--no-allow"])), ["allowed/main.tf", "main.tf"]);
}

#[test]
fn text_is_for_people() {
    let folder = repository(&[("main.tf", TWICE)]);
    let text = out(&run(folder.path(), &["check"]));
    assert!(text.contains(PLACE), "{text}");
    assert!(text.contains("1 warning in 1 file"), "{text}");
    assert!(text.lines().all(|it| it.chars().count() <= 80), "{text}");
    let quiet = out(&run(folder.path(), &["check", "-q"]));
    assert!(quiet.contains(PLACE) && !quiet.contains("in 1 file"), "{quiet}");
    let verbose = run(folder.path(), &["check", "-v"]);
    assert_eq!(out(&verbose), text);
    assert!(err(&verbose).contains("1 file below") && err(&verbose).contains("ms  total"));
}

#[test]
fn colours_follow_flag_and_environment() {
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], bool);
    let folder = repository(&[("main.tf", TWICE)]);
    let cases: [Case; 6] = [
        (&["check"], &[], false),
        (&["check", "--color", "always"], &[], true),
        (&["check", "--color", "always"], &[("NO_COLOR", "1")], true),
        (&["check"], &[("CLICOLOR_FORCE", "1")], true),
        (&["check"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&["check", "--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
    ];
    for (arguments, environment, expected) in cases {
        let mut command = karplint(folder.path(), arguments);
        let output = command.envs(environment.iter().copied()).output().unwrap();
        assert_eq!(out(&output).contains('\u{1b}'), expected, "{arguments:?} {environment:?}");
    }
}

#[test]
fn reports_can_go_to_a_file() {
    let folder = repository(&[("main.tf", TWICE)]);
    let output = run(folder.path(), &["check", "--format", "sarif", "--output", "out.sarif"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""));
    let sarif: serde_json::Value = serde_json::from_str(&read(folder.path(), "out.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let failed = run(folder.path(), &["check", "--output", "no/such/folder"]);
    assert_eq!(failed.status.code(), Some(2));
    assert!(err(&failed).starts_with("karplint: no/such/folder: cannot be written"));
}

/// The rules and messages that are left with an `allow` list in the config.
fn left_with(allow: &str) -> Vec<String> {
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { name: ledger }\nspec:\n  selector: { matchLabels: { app: l } }\n  template: { metadata: { labels: { app: l } }, spec: { containers: [{ name: db, image: 'a/b:1' }] } }\n  volumeClaimTemplates: [{ metadata: { name: data } }]\n";
    let config = format!("allow:\n{allow}");
    let folder =
        repository(&[("main.tf", TWICE), ("apps/set.yaml", set), (".karplint.yaml", &config)]);
    let rules = ["--only", "crds-not-skipped,stateful-pod-unprotected,unused-allowance"];
    let report = json(folder.path(), &rules);
    let findings = report["findings"].as_array().unwrap();
    let said = |it: &serde_json::Value| {
        format!("{}: {}", it["rule"].as_str().unwrap(), it["message"].as_str().unwrap())
    };
    findings.iter().map(said).map(|it| it.split(" `").next().unwrap().to_owned()).collect()
}

#[test]
fn the_config_allows_findings_with_a_reason() {
    let crds = "crds-not-skipped: This release does not skip the CRDs that";
    let set = "stateful-pod-unprotected: Nothing protects";
    for (allow, wanted) in [
        ("  - { rule: crds-not-skipped, reason: in May }\n", &[set][..]),
        (
            "  - { rule: crds-not-skipped, reason: in May, object: helm_release.karpenter }\n",
            &[set],
        ),
        (
            "  - { rule: crds-not-skipped, reason: in May, object: helm_release.other }\n",
            &["unused-allowance: This entry allows nothing: no", set, crds],
        ),
        (
            "  - { rule: stateful-pod-unprotected, reason: toy, paths: [apps/], object: ledger }\n",
            &[crds],
        ),
        (
            "  - { rule: stateful-pod-unprotected, reason: toy, object: StatefulSet/ledger }\n",
            &[crds],
        ),
        (
            "  - { rule: stateful-pod-unprotected, reason: toy, paths: [other/] }\n",
            &["unused-allowance: This entry allows nothing: no", set, crds],
        ),
        ("  - { rule: crds-not-skipped, reason: in May, until: 9999-12-31 }\n", &[set]),
        (
            "  - { rule: crds-not-skipped, reason: in May, until: 2020-05-31 }\n",
            &["unused-allowance: This allowance ended on 2020-05-31", set, crds],
        ),
    ] {
        let left = left_with(allow);
        let same = left.len() == wanted.len()
            && left.iter().zip(wanted).all(|(left, wanted)| left.starts_with(wanted));
        assert!(same, "{allow}{left:?}\n{wanted:?}");
    }
}

#[test]
fn several_reports_come_out_of_one_run() {
    let folder = repository(&[("main.tf", TWICE)]);
    let root = folder.path();
    let both = ["check", "--format", "github", "--format", "gitlab=quality.json"];
    let output = run(root, &both);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).starts_with("::warning file=main.tf,line="), "{}", out(&output));
    let quality: serde_json::Value = serde_json::from_str(&read(root, "quality.json")).unwrap();
    assert_eq!(quality[0]["check_name"], "crds-not-skipped");
    for (arguments, sentence) in [
        (
            &["--format", "sarif", "--format", "text"][..],
            "karplint: two reports cannot both go to standard output: `--format text=FILE`",
        ),
        (
            &["--format", "json=a.json", "--format", "sarif=a.json"],
            "karplint: two reports cannot both go to a.json",
        ),
        (
            &["--format", "json=a.json", "--output", "b.json"],
            "karplint: `--output` has nothing to write",
        ),
        (
            &["--format", "serif"],
            "error: invalid value 'serif' for '--format <FORMAT[=FILE]>': there is no such form (did you mean `sarif`?)",
        ),
        (
            &["--format", "sarif="],
            "error: invalid value 'sarif=' for '--format <FORMAT[=FILE]>': a file's name belongs",
        ),
    ] {
        let output = run(root, &[&["check"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).starts_with(sentence), "{}", err(&output));
    }
}

#[test]
fn fixes_are_shown_or_applied() {
    let folder = repository(&[("main.tf", TWICE)]);
    let root = folder.path();
    let shown = run(root, &["check", "--diff"]);
    assert_eq!(shown.status.code(), Some(1));
    let diff = out(&shown);
    for line in ["--- a/main.tf", "-  skip_crds  = false", "+  skip_crds  = true"] {
        assert!(diff.lines().any(|it| it == line), "{diff}");
    }
    assert_eq!(read(root, "main.tf"), TWICE);
    let fixed = run(root, &["check", "--fix"]);
    assert_eq!(fixed.status.code(), Some(0), "{}", out(&fixed));
    assert_eq!(err(&fixed), "fixed 1 file: main.tf\n");
    assert_eq!(read(root, "main.tf"), TWICE.replace("= false", "= true"));
    assert_eq!(out(&run(root, &["check", "--diff"])), "");
}

#[test]
fn standard_input_stands_for_a_file() {
    let folder = repository(&[("a/main.tf", ""), ("b/main.tf", TWICE)]);
    let mut command = karplint(
        &folder.path().join("a"),
        &["check", "-", "--stdin-path", "main.tf", "--format", "json"],
    );
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(TWICE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(paths(&report), ["main.tf"]);
    let outside = karplint(folder.path(), &["check", "-", "--stdin-path", "../x.tf"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(outside.status.code(), Some(2));
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = repository(&[("main.tf", TWICE)]);
    let mut child = karplint(folder.path(), &["rules"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(err(&output), "");
}

#[test]
fn a_topic_stands_for_its_rules() {
    let both = TWICE
        .replace("  depends_on = [helm_release.karpenter_crd]\n", "")
        .replace("clusterName", "x");
    let repository = repository(&[("main.tf", &both)]);
    let rules = |arguments: &[&str]| {
        let report = json(repository.path(), arguments);
        let mut rules: Vec<String> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["rule"].as_str().unwrap().to_owned())
            .collect();
        rules.sort();
        rules
    };
    assert_eq!(rules(&["--only", "crds"]), ["crd-order-undeclared", "crds-not-skipped"]);
    assert_eq!(rules(&["--skip", "crds"]), ["cluster-name-unset", "dead-chart-value"]);
    let allowed = "allow: [{ rule: crds, reason: they come with the cluster }]\n";
    write(repository.path(), ".karplint.yaml", allowed);
    assert_eq!(rules(&[]), ["cluster-name-unset", "dead-chart-value"]);
    let list = out(&run(repository.path(), &["rules"]));
    let charts = list.find("charts\n").unwrap();
    assert!(charts < list.find("  cluster-name-unset ").unwrap(), "{list}");
}

#[test]
fn one_message_at_many_places_is_one_block_and_one_line_each() {
    let pool = |name: usize| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: pool-{name} }}\nspec:\n  \
             template:\n    spec:\n      nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, \
             name: pool-{name} }}\n      requirements: []\n"
        )
    };
    let pools: Vec<(String, String)> =
        (10..22).map(|it| (format!("{it}/pool.yaml"), pool(it))).collect();
    let files: Vec<(&str, &str)> = pools.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let repository = repository(&files);
    let check = |more: &[&str]| {
        let arguments = [&["check", "--only", "unbounded-nodepool"], more].concat();
        out(&run(repository.path(), &arguments))
    };
    let text = check(&[]);
    assert_eq!(text.matches("\n  also: ").count(), 8, "{text}");
    assert!(text.contains("\n  and 3 more, `-v` lists them\n"), "{text}");
    assert_eq!(text.matches("  page: ").count(), 1, "{text}");
    assert_eq!(check(&["-v"]).matches("\n  also: ").count(), 11);
    let lines = check(&["--format", "concise", "--quiet"]);
    assert_eq!(lines.lines().count(), 12);
    let first = lines.lines().next().unwrap_or_default();
    assert!(first.starts_with("10/pool.yaml:4:1: warning unbounded-nodepool "), "{first}");
    let counts = check(&["--statistics"]);
    assert!(counts.starts_with("   12  unbounded-nodepool  "), "{counts}");
    let groups: Vec<_> = json(repository.path(), &["--only", "unbounded-nodepool"])["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["group"].clone())
        .collect();
    assert!(groups.len() == 12 && groups.iter().all(|it| *it == groups[0]), "{groups:?}");
}

#[test]
fn notes_are_counted_until_they_are_asked_for() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: first }\nspec:\n  template:\n    \
                spec:\n      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: first }\n      \
                requirements: []\n";
    let repository = repository(&[("old/pool.yaml", pool)]);
    let text = out(&run(repository.path(), &["check"]));
    assert!(text.contains("1 note: `--severity note` shows them\n"), "{text}");
    assert!(!text.contains("unbounded-nodepool"), "{text}");
    let text = out(&run(repository.path(), &["check", "--severity", "note"]));
    assert!(text.starts_with("unbounded-nodepool\n"), "{text}");
    assert_eq!(json(repository.path(), &[])["summary"]["notes"], 1);
}

#[test]
fn a_repository_without_karpenter_is_called_so() {
    let without = repository(&[("a.yaml", "kind: ConfigMap\nmetadata: { name: a }\n")]);
    let text = out(&run(without.path(), &["check"]));
    assert!(text.contains("\nNothing of Karpenter is seen"), "{text}");
    let class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: a }\n";
    for path in ["a.yaml", "chart/templates/a.yaml"] {
        let chart = ("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 0.1.0\n");
        let only_a_class = repository(&[chart, (path, class)]);
        let text = out(&run(only_a_class.path(), &["check"]));
        assert!(!text.contains("Nothing of Karpenter"), "{path}: {text}");
    }
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: { name: shop }\nspec: { source: { \
                       repoURL: \"https://github.com/shop/shop\", path: k8s } }\n";
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: a }\nspec: { template: { spec: { requirements: [], \
                        nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: a } } } }\n";
    let left_out = repository(&[
        ("app.yaml", application),
        ("k8s/kustomization.yaml", "resources: [web]\n"),
        ("k8s/web/kustomization.yaml", "resources: [web.yaml]\n"),
        ("k8s/web/web.yaml", "apiVersion: v1\nkind: Service\nmetadata: { name: web }\n"),
        ("k8s/karpenter/pool.yaml", pool),
    ]);
    let text = out(&run(left_out.path(), &["check"]));
    assert!(text.contains("\nOf Karpenter only resources are seen that nothing here"), "{text}");
    let queue = "resource \"aws_sqs_queue\" \"karpenter\" {}\n";
    let parts = repository(&[("main.tf", queue)]);
    let text = out(&run(parts.path(), &["check"]));
    assert!(text.contains("\nOf Karpenter only queues in AWS are seen"), "{text}");
}

#[test]
fn a_rule_says_why_it_reports_a_subject_or_not() {
    let apart = |skip: &str| TWICE.replace("skip_crds  = false", &format!("skip_crds  = {skip}"));
    let repository = repository(&[
        ("a/main.tf", TWICE),
        ("b/main.tf", &apart("true")),
        ("c/main.tf", &(apart("var.skip") + "variable \"skip\" {}\n")),
    ]);
    let why = |path: &str| {
        let output = run(repository.path(), &["check", "--why", "crds-not-skipped", path]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        out(&output)
    };
    assert!(why("a").starts_with("reported    a/main.tf:12:16\n"), "{}", why("a"));
    assert_eq!(
        why("b"),
        "sound       b/main.tf:8:1\n            the CRDs of the chart are skipped\n            \
         b/main.tf:12:16: the switch\n"
    );
    assert_eq!(
        why("c/main.tf:8"),
        "not decided c/main.tf:8:1\n            the switch that skips CRDs is `var.skip`, which is not \
         known\n            c/main.tf:12:16: not known\n"
    );
    // A finding counts at the release that the rule asks about, too, and its related places.
    assert!(
        why("a/main.tf:8").starts_with("reported    a/main.tf:12:16\n"),
        "{}",
        why("a/main.tf:8")
    );
    let wrong = run(repository.path(), &["check", "--why", "crds-not-skiped"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("did you mean `crds-not-skipped`?"), "{}", err(&wrong));
    assert!(why("c/main.tf:7").contains("has nothing to look at"), "{}", why("c/main.tf:7"));
    let report = json(repository.path(), &["--only", "crds-not-skipped"]);
    assert_eq!(report["summary"]["undecided"], 1);
    let open = &report["undecided"][0];
    assert_eq!(open["needs"], "unknown-value");
    assert_eq!(open["location"]["path"], "c/main.tf");
}

#[test]
fn a_rule_asked_about_one_file_judges_all_that_belongs_to_it() {
    let module = "module \"karpenter\" {\n  source = \"./karpenter\"\n  skip   = true\n}\n";
    let called = TWICE.replace("skip_crds  = false", "skip_crds  = var.skip");
    let files = [
        ("main.tf", module.to_owned()),
        ("karpenter/main.tf", called + "variable \"skip\" {}\n"),
        ("other.tf", String::new()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    // With a repository around it, and without one in the folder one works in.
    for folder in [repository(&files), plain(&files)] {
        let why =
            |path: &str| out(&run(folder.path(), &["check", "--why", "crds-not-skipped", path]));
        assert!(why("karpenter/main.tf").starts_with("sound       karpenter/main.tf:8:1\n"));
        // What decides is written there.
        assert!(
            why("main.tf").starts_with("sound       karpenter/main.tf:8:1\n"),
            "{}",
            why("main.tf")
        );
        assert_eq!(
            why("other.tf"),
            "crds-not-skipped has nothing to look at in the 1 file asked for; elsewhere in the \
             project:\nsound       karpenter/main.tf:8:1\n"
        );
    }
}

#[test]
fn what_is_not_decided_is_listed_by_rule() {
    let open = TWICE.replace("skip_crds  = false", "skip_crds  = var.skip");
    let repository = repository(&[("main.tf", &(open + "variable \"skip\" {}\n"))]);
    let output = run(repository.path(), &["check", "-v"]);
    let listed = err(&output);
    let wanted = "not decided: crds-not-skipped\n  main.tf:8:1\n      the switch that skips CRDs is \
                  `var.skip`, which is not known: set\n      `var.skip` in a file under `var_files` in \
                  .karplint.yaml\n";
    assert!(listed.contains(wanted), "{listed}");
    let timings = listed.find(" ms  walk").unwrap_or_default();
    assert!(listed.find(wanted) < Some(timings), "{listed}");
    let summary = out(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = "for want of variables (a file under `var_files` in .karplint.yaml sets them, a plan shows \
                  them): `var.skip`";
    assert!(summary.contains(wanted), "{summary}");
}

#[test]
fn a_rule_says_since_when_a_chart_tolerates_the_taint() {
    let release = [
        "resource \"helm_release\" \"ebs\" {",
        "  repository = \"https://kubernetes-sigs.github.io/aws-ebs-csi-driver\"",
        "  chart      = \"aws-ebs-csi-driver\"",
        "  version    = \"2.36.0\"",
        "  values     = [yamlencode({ node = { tolerateAllTaints = false } })]",
        "}\n",
    ];
    let repository = repository(&[("ebs.tf", &release.join("\n"))]);
    let output = run(repository.path(), &["check", "--why", "disruption-taint-untolerated", "."]);
    let text = out(&output);
    let wanted = "EBS CSI node pods tolerate `karpenter.sh/disrupted` with these values from chart 2.36.0 on";
    assert!(text.starts_with("sound ") && text.contains(wanted), "{text}");
}

#[test]
fn rules_and_pages_can_be_read() {
    let folder = repository(&[]);
    let list = out(&run(folder.path(), &["rules"]));
    assert!(list.lines().any(|it| it.starts_with("  crds-not-skipped ")), "{list}");
    let rules: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), &["rules", "--format", "json"]).stdout).unwrap();
    let listed = list.lines().filter(|it| it.starts_with("  ")).count();
    assert_eq!(rules.as_array().unwrap().len(), listed);
    let page = out(&run(folder.path(), &["explain", "crds-not-skipped"]));
    let parts = [
        "crds-not-skipped (warning, crds, fixed by --fix",
        "Two charts install the same CRDs",
        "How to fix",
        "Severity",
        "Bad",
        "https://",
    ];
    let places: Vec<_> = parts.iter().map(|it| page.find(it)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {page}");
    assert!(!page.contains("```") && !page.contains("#~"), "{page}");
    let version = out(&run(folder.path(), &["--version"]));
    assert_eq!(version, format!("karplint {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn files_that_cannot_be_read_are_listed() {
    let folder = repository(&[
        ("main.tf", ""),
        ("chart/Chart.yaml", "name: x\n"),
        ("chart/templates/a.yaml", "a: {{ .Values.a }}\n"),
        ("binary.yaml", "a\0b"),
    ]);
    let report = json(folder.path(), &["--no-render"]);
    let skipped = &report["skipped"];
    let expected = serde_json::json!([
        {"path": "binary.yaml", "reason": "binary"},
        {"path": "chart/templates/a.yaml", "reason": "chart chart is not rendered: `--helm PATH` renders it"},
    ]);
    assert_eq!(skipped, &expected);
    let verbose = run(folder.path(), &["check", "-v", "--no-render"]);
    assert!(err(&verbose).contains("skipped: binary.yaml: binary\n"), "{}", err(&verbose));
    assert!(out(&verbose).contains("2 files not read"), "{}", out(&verbose));
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_outside() {
    use std::os::unix::fs::symlink;
    let outside = repository(&[("main.tf", TWICE)]);
    let folder = repository(&[("shared/main.tf", TWICE), ("module/other.tf", "")]);
    let root = folder.path();
    symlink("../shared/main.tf", root.join("module/main.tf")).unwrap();
    symlink(outside.path().join("main.tf"), root.join("outside.tf")).unwrap();
    symlink(root, root.join("loop")).unwrap();
    let report = json(root, &[]);
    assert_eq!(paths(&report), ["module/main.tf", "shared/main.tf"]);
    assert_eq!(
        report["skipped"],
        serde_json::json!([{"path": "outside.tf", "reason": "a link that leads out of the repository"}])
    );
}

#[test]
fn who_asks_for_a_plan_asks_for_its_configuration() {
    let main = "variable \"v\" {}\nresource \"helm_release\" \"k\" {\n  chart = \"karpenter\"\n  \
                version = var.v\n}\nresource \"helm_release\" \"crds\" {\n  \
                chart = \"karpenter-crd\"\n  version = \"1.7.0\"\n}\n";
    let resource = |name: &str, chart: &str, version: &str| {
        let address = format!(
            r#""address": "helm_release.{name}", "mode": "managed", "type": "helm_release", "name": "{name}""#
        );
        let planned =
            format!(r#"{{{address}, "values": {{"chart": "{chart}", "version": "{version}"}}}}"#);
        (planned, format!("{{{address}}}"))
    };
    let (k, crds) =
        (resource("k", "karpenter", "1.8.0"), resource("crds", "karpenter-crd", "1.7.0"));
    let plan = format!(
        r#"{{"format_version": "1.2", "planned_values": {{"root_module": {{"resources": [{}, {}]}}}},
        "configuration": {{"root_module": {{"resources": [{}, {}]}}}}}}"#,
        k.0, crds.0, k.1, crds.1
    );
    let folder = repository(&[("live/main.tf", main), ("live/x.json", &plan)]);
    let without = run(folder.path(), &["check", "live/main.tf"]);
    assert!(!out(&without).contains("crd-version-mismatch"), "{}", out(&without));
    let with = run(folder.path(), &["check", "live/x.json"]);
    assert!(out(&with).contains("crd-version-mismatch"), "{}", out(&with));
    assert!(out(&with).contains("live/main.tf:8"), "{}", out(&with));
}

#[test]
fn what_only_tests_or_jinja_read_is_left_out_and_listed() {
    let broken = "kind: NodePool # karpenter\na: [1\n";
    let folder = repository(&[
        ("testdata/a.yaml", broken),
        ("p/.kyverno-test/b.yaml", broken),
        ("p/.chainsaw-test/c.yaml", broken),
        ("pool.j2.yaml", broken),
        ("j2.yaml", broken),
    ]);
    let said = json(folder.path(), &["--exit-zero"]);
    assert_eq!(paths(&said), ["j2.yaml"]);
    let skipped: Vec<&str> =
        said["skipped"].as_array().unwrap().iter().filter_map(|it| it["path"].as_str()).collect();
    assert_eq!(skipped, ["p/.chainsaw-test", "p/.kyverno-test", "pool.j2.yaml", "testdata"]);
    let named = folder.path().join("p/.kyverno-test");
    assert_eq!(paths(&json(&named, &["--exit-zero", "."])), ["b.yaml"]);
}

/// Whether a shell takes a script; one that is not installed has no opinion.
fn takes(shell: &str, script: &str) -> bool {
    if !can_run(shell) {
        return true;
    }
    let folder = repository(&[("script", script)]);
    let checked = Command::new(shell).arg("-n").arg(folder.path().join("script")).output();
    checked.unwrap().status.success()
}

#[test]
fn shells_complete_flags_forms_and_rules() {
    let folder = repository(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(folder.path(), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let script = out(&output);
        assert!(script.contains("changed-since"), "{shell}: {script}");
        if ["bash", "zsh", "fish"].contains(&shell) {
            for name in ["crds-not-skipped", "sarif"] {
                assert!(script.contains(name), "{shell} does not know {name}");
            }
            assert!(takes(shell, &script), "{shell} does not take its script");
        }
    }
    assert_eq!(run(folder.path(), &["completions", "csh"]).status.code(), Some(2));
}

#[test]
fn manual_pages_tell_of_all_commands() {
    let folder = repository(&[]);
    let page = out(&run(folder.path(), &["man"]));
    assert!(page.contains(".TH karplint 1"), "{page}");
    for command in ["check", "baseline", "rules", "explain", "lsp", "completions", "man"] {
        assert!(page.contains(&format!("karplint\\-{command}(1)")), "{command}: {page}");
        let own = run(folder.path(), &["man", command]);
        assert!(out(&own).contains(&format!(".TH karplint-{command} 1")), "{}", out(&own));
    }
    assert!(out(&run(folder.path(), &["man", "check"])).contains("changed\\-since"));
    for section in ["EXIT STATUS", "FILES", "EXAMPLES"] {
        assert!(page.lines().any(|it| it.replace('"', "") == format!(".SH {section}")), "{page}");
    }
    assert_eq!(run(folder.path(), &["man", "chekc"]).status.code(), Some(2));
}

#[test]
fn a_config_to_start_from_decides_nothing() {
    let folder = repository(&[("main.tf", TWICE)]);
    let root = folder.path();
    let before = json(root, &[]);
    assert_eq!(run(root, &["init"]).status.code(), Some(0));
    assert_eq!(json(root, &[])["findings"], before["findings"]);
    let again = run(root, &["init"]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(err(&again), "karplint: .karplint.yaml: is there already\n");
    // What is commented out is good as well: lines of keys whose value is not on their own line.
    let text = read(root, ".karplint.yaml");
    let examples = text.replace(": {}\n#  ", ":\n  ").replace(": []\n#  ", ":\n  ");
    let examples = examples.replace("\n#  ", "\n  ").replace("\n#k", "\nk").replace("\n#t", "\nt");
    let examples = examples.replace("\n#f", "\nf").replace("\n#b", "\nb");
    write(root, ".karplint.yaml", &examples);
    assert_eq!(run(root, &["check", "--exit-zero"]).status.code(), Some(0), "{examples}");
}

#[test]
fn the_schema_of_the_config_is_the_one_editors_get() {
    let folder = repository(&[]);
    let printed = out(&run(folder.path(), &["schema"]));
    let schema: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let rules = &schema["definitions"]["rules"]["properties"];
    let topics: BTreeSet<&str> = karplint::rules::pages().map(|it| it.topic).collect();
    let names = karplint::rules::with_pages().len() + topics.len();
    assert_eq!(rules.as_object().unwrap().len(), names);
    let copy = "editors/vscode/karplint.schema.json";
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        write(root, copy, &printed);
    }
    assert_eq!(printed, read(root, copy), "BLESS=1 cargo test --test karplint writes it");
}
