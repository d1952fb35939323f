//! Configuration by file: the nearest config above each, what it extends, and what is wrong with it.

use std::path::Path;

use super::{TWICE, err, json, out, paths, read, repository, run, write};

const OFF: &str = "rules: { crds-not-skipped: off }\n";
const ERROR: &str = "rules: { crds-not-skipped: error }\n";

/// The path and severity of each finding.
fn found(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let report = json(folder, arguments);
    let findings = report["findings"].as_array().unwrap();
    let mut found: Vec<String> = paths(&report)
        .into_iter()
        .zip(findings)
        .map(|(path, it)| format!("{path} {}", it["severity"].as_str().unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn each_file_follows_the_nearest_config_however_it_is_asked_for() {
    let folder = repository(&[
        (".karplint.yaml", ERROR),
        ("main.tf", TWICE),
        ("apps/.karplint.yaml", OFF),
        ("apps/main.tf", TWICE),
        ("apps/shop/.karplint.yml", "extends: ../../.karplint.yaml\nexclude: [old]\n"),
        ("apps/shop/main.tf", TWICE),
        ("apps/shop/old/main.tf", TWICE),
        ("infra/main.tf", TWICE),
    ]);
    let root = folder.path();
    let all = ["apps/shop/main.tf error", "infra/main.tf error", "main.tf error"];
    let files =
        ["main.tf", "apps/main.tf", "apps/shop/main.tf", "apps/shop/old/main.tf", "infra/main.tf"];
    let backwards: Vec<&str> = files.iter().rev().copied().collect();
    for arguments in [&[][..], &["."], &files, &backwards, &["infra", ".", "apps"]] {
        assert_eq!(found(root, arguments), all, "{arguments:?}");
        assert_eq!(err(&run(root, &[&["check"], arguments].concat())), "", "{arguments:?}");
    }
    assert_eq!(found(root, &["apps"]), [all[0]]);
    assert_eq!(found(&root.join("apps/shop"), &[]), ["main.tf error"]);
    // One that is given counts for all.
    let given = found(root, &["--config", "apps/.karplint.yaml"]);
    assert!(given.is_empty(), "{given:?}");
}

#[test]
fn what_is_extended_has_its_own_folder_and_its_entries_are_used_by_all() {
    let base = "exclude: [gen]\nallow:\n- { rule: crds-not-skipped, paths: apps/a, reason: moves in May }\n- { rule: crds-not-skipped, paths: apps/z, reason: moves in June }\n";
    let extends = "extends: ../../base.yaml\n";
    let folder = repository(&[
        ("base.yaml", base),
        ("apps/a/.karplint.yaml", extends),
        ("apps/a/main.tf", TWICE),
        ("apps/a/gen/main.tf", TWICE),
        ("apps/b/.karplint.yaml", extends),
        ("apps/b/main.tf", TWICE),
        ("gen/main.tf", TWICE),
    ]);
    let rules = ["--only", "crds-not-skipped,unused-allowance"];
    let report = found(folder.path(), &rules);
    assert_eq!(report, ["apps/b/main.tf warning", "base.yaml warning", "gen/main.tf warning"]);
}

#[test]
fn what_cannot_be_extended_stops_the_run() {
    let folder = repository(&[("main.tf", TWICE), ("apps/main.tf", "")]);
    let root = folder.path();
    for (base, expected) in [
        ("../../x.yaml", "`../../x.yaml` lies outside the repository, where nothing is read"),
        ("x.yaml", "there is no file apps/x.yaml"),
        (".karplint.yaml", "this config extends itself: apps/.karplint.yaml → apps/.karplint.yaml"),
    ] {
        write(root, "apps/.karplint.yaml", &format!("rules: {{}}\nextends: {base}\n"));
        let output = run(root, &["check"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(err(&output), format!("karplint: apps/.karplint.yaml:2:10: {expected}\n"));
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_repository_is_no_config() {
    let folder = repository(&[("repo/.git/HEAD", ""), ("repo/main.tf", TWICE), ("base.yaml", OFF)]);
    let root = folder.path().join("repo");
    std::os::unix::fs::symlink("../base.yaml", root.join(".karplint.yaml")).unwrap();
    let output = run(&root, &["check"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).ends_with(".karplint.yaml: it leads out of the repository\n"),
        "{}",
        err(&output)
    );
}

#[test]
fn what_the_repository_contradicts_is_reported_and_fails_nothing() {
    let config = "\
exclude: [gone/, old]
paths:
- { paths: [nowhere/, main.tf], rules: {} }
karpenter_version: '0.37.50'
kubernetes_version: '1.99'
terraform:
  var_files: [a.tfvars, secret.tfvars]
  variants: { prod: [prod.tfvars] }
baseline: known.json
";
    let folder = repository(&[
        (".karplint.yaml", config),
        (".karplint.yml", "rules: {}\n"),
        (".gitignore", "secret.tfvars\n"),
        ("secret.tfvars", ""),
        ("main.tf", ""),
        ("old/main.tf", TWICE),
        ("apps/.karplint.yaml", "kubernetes_version: '1.30'\n"),
    ]);
    let expected = "\
karplint: warning: .karplint.yml:1:1: nothing in this file counts, because .karplint.yaml is there too
karplint: warning: .karplint.yaml:1:11: this pattern excludes nothing
karplint: warning: .karplint.yaml:3:13: this pattern matches no file
karplint: warning: .karplint.yaml:4:20: Karpenter has no release 0.37.50
karplint: warning: .karplint.yaml:5:21: karplint knows no such Kubernetes; the newest it knows is 1.36
karplint: warning: .karplint.yaml:7:15: this file is not there, so variables keep their defaults
karplint: warning: .karplint.yaml:8:22: this file is not there, so variables keep their defaults
karplint: warning: .karplint.yaml:9:11: this file is not there; `karplint baseline` writes it
karplint: warning: apps/.karplint.yaml:1:1: `kubernetes_version` is read only in the .karplint.yaml of the repository's root, because it counts for the whole repository
";
    let output = run(folder.path(), &["check"]);
    assert_eq!(err(&output), expected);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(err(&run(folder.path(), &["check", "-q"])), "");
}

#[test]
fn the_command_line_wins_over_the_config() {
    let config = "fail-on: error\nformat: github\n";
    let folder = repository(&[(".karplint.yaml", config), ("main.tf", TWICE)]);
    let root = folder.path();
    let output = run(root, &["check"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).starts_with("::warning file=main.tf"), "{}", out(&output));
    assert_eq!(run(root, &["check", "--fail-on", "warning"]).status.code(), Some(1));
    assert!(out(&run(root, &["check", "--format", "json"])).starts_with('{'));
    write(root, ".karplint.yaml", "fail-on: sometimes\nformat: txt\nbaseline: ../x.json\n");
    let expected = "\
karplint: .karplint.yaml:1:10: `sometimes` is not known here; allowed: error, warning, note, never
karplint: .karplint.yaml:2:9: `txt` is not known here (did you mean `text`?); allowed: text, concise, json, sarif, github, gitlab, junit, checkstyle, markdown, html
karplint: .karplint.yaml:3:11: this file lies outside the repository
";
    assert_eq!(err(&run(root, &["check"])), expected);
}

#[test]
fn projects_that_name_different_forms_ask_for_a_decision() {
    let folder = repository(&[
        ("a/.git/HEAD", ""),
        ("a/.karplint.yaml", "format: json\n"),
        ("b/.git/HEAD", ""),
        ("b/.karplint.yaml", "format: github\n"),
    ]);
    let output = run(folder.path(), &["check", "a", "b"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("json and github; `--format` decides"), "{}", err(&output));
}

#[test]
fn a_baseline_says_how_it_is_used_and_the_config_makes_it_permanent() {
    let folder = repository(&[("main.tf", TWICE), ("sub/x.tf", "")]);
    let root = folder.path();
    let output = run(root, &["baseline"]);
    assert_eq!(
        err(&output),
        ".karplint-baseline.json accepts 1 finding
`karplint check --baseline .karplint-baseline.json` hides them; to hide them always, add this line to .karplint.yaml and commit both:
baseline: .karplint-baseline.json
"
    );
    assert_eq!(run(root, &["check"]).status.code(), Some(1));
    write(root, ".karplint.yaml", "baseline: .karplint-baseline.json\n");
    for (from, path) in [(root.to_path_buf(), "."), (root.join("sub"), "..")] {
        let output = run(&from, &["check", path]);
        assert_eq!((output.status.code(), err(&output)), (Some(0), String::new()));
    }
    std::fs::remove_file(root.join(".karplint-baseline.json")).unwrap();
    let output = run(&root.join("sub"), &["baseline", ".."]);
    assert!(err(&output).contains("hides them from now on"), "{}", err(&output));
    assert!(read(root, ".karplint-baseline.json").contains("crds-not-skipped"));
    assert_eq!(run(root, &["check"]).status.code(), Some(0));
}

#[test]
fn a_topic_sets_all_its_rules_but_those_that_are_set_themselves() {
    let folder = repository(&[("main.tf", TWICE)]);
    let root = folder.path();
    for (rules, wanted) in [
        ("{ crds: off }", None),
        ("{ crds: note }", Some("main.tf note")),
        ("{ crds-not-skipped: error, crds: off }", Some("main.tf error")),
        ("{ placement: off }", Some("main.tf warning")),
    ] {
        write(root, ".karplint.yaml", &format!("rules: {rules}\n"));
        assert_eq!(found(root, &[]), wanted.as_slice(), "{rules}");
    }
    write(root, ".karplint.yaml", "rules: { crd: off }\n");
    let wrong = err(&run(root, &["check"]));
    assert!(
        wrong.contains("1:10: `crd` is neither a rule nor a topic (did you mean `crds`?)"),
        "{wrong}"
    );
}

#[test]
fn what_the_repository_contradicts_is_in_the_reports_for_programs() {
    let config = "exclude: [gone]\nterraform: { var_files: [gone.tfvars] }\n";
    let folder = repository(&[(".karplint.yaml", config), ("main.tf", TWICE)]);
    let report = json(folder.path(), &[]);
    let warnings = report["config_warnings"].as_array().unwrap();
    let shown: Vec<String> = warnings
        .iter()
        .map(|it| {
            let (place, start) = (&it["location"], &it["location"]["start"]);
            let path = place["path"].as_str().unwrap();
            format!("{path}:{}:{} {}", start["line"], start["column"], it["message"])
        })
        .collect();
    let wanted = [
        ".karplint.yaml:1:11 \"this pattern excludes nothing\"",
        ".karplint.yaml:2:26 \"this file is not there, so variables keep their defaults\"",
    ];
    assert_eq!(shown, wanted);
    let log = out(&run(folder.path(), &["check", "--format", "sarif"]));
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let said = log["runs"][0]["invocations"][0]["toolConfigurationNotifications"].as_array();
    let lines: Vec<_> = said
        .unwrap()
        .iter()
        .map(|it| &it["locations"][0]["physicalLocation"]["region"]["startLine"])
        .collect();
    assert_eq!(lines, [1, 2]);
}

#[test]
fn a_version_that_the_repository_leaves_open_is_the_one_of_the_config() {
    let release = "variable \"version\" {}\n\nterraform {\n  backend \"s3\" {}\n}\n\nresource \"helm_release\" \"karpenter\" {\n  chart   = \"oci://public.ecr.aws/karpenter/karpenter\"\n  version = var.version\n}\n";
    let pool = "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: { name: general }\nspec: { template: { spec: { nodeClassRef: { name: default } } } }\n";
    let folder = repository(&[
        (".karplint.yaml", "karpenter_version: '1.8.2'\n"),
        ("main.tf", release),
        ("pool.yaml", pool),
    ]);
    let retired = ["--only", "retired-karpenter-api"];
    assert_eq!(found(folder.path(), &retired), ["pool.yaml error"]);
    write(folder.path(), ".karplint.yaml", "{}\n");
    // A release of an unknown version says nothing of the one in use.
    assert_eq!(found(folder.path(), &retired), ["pool.yaml warning"]);
}
