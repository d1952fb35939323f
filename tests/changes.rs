//! Only what is new: baselines, and what changed since a commit, with the real git.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and write its own files"
)]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use karplint_test_tools::can_run;
use tempfile::TempDir;

/// A release that skips no CRDs although another brings them.
const TWICE: &str = "resource \"helm_release\" \"karpenter_crd\" {
  name         = \"karpenter-crd\"
  chart        = \"karpenter-crd\"
  version      = \"1.6.0\"
  force_update = true
}

resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  chart      = \"karpenter\"
  version    = \"1.6.0\"
  depends_on = [helm_release.karpenter_crd]
}
";

const DATABASE: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger }
spec:
  selector: { matchLabels: { app: ledger } }
  template:
    metadata:
      labels: { app: ledger }
    spec:
      containers: [{ name: db, image: 'registry.example.com/db:1' }]
  volumeClaimTemplates: [{ metadata: { name: data } }]
";

const PDB: &str = "apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ledger }
spec:
  maxUnavailable: 1
  selector: { matchLabels: { app: ledger } }
";

/// The rules these repositories break; others would only be in the way.
const ONLY: [&str; 4] = ["--only", "crds-not-skipped", "--only", "stateful-pod-unprotected"];

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn karplint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder).args(arguments).args(ONLY).output().unwrap()
}

/// What `check` finds, as rule and path.
fn found(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = karplint(folder, &[&["check", "--format", "json"], arguments].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| unreachable!("{error}"));
    let text = |it: &serde_json::Value| it.as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|it| text(&it["rule"]) + " " + &text(&it["location"]["path"])).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn accepted_findings_are_not_reported_again() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "main.tf", TWICE);
    let root = folder.path();
    let written = karplint(root, &["baseline", "--output", "known.json"]);
    assert_eq!(written.status.code(), Some(0), "{}", said(&written));
    assert!(said(&written).starts_with("known.json accepts 1 finding\n"), "{}", said(&written));
    assert_eq!(found(root, &["--baseline", "known.json"]), Vec::<String>::new());
    // Lines above do not matter, other findings do.
    write(&folder, "main.tf", &format!("# a comment\n\n{TWICE}"));
    write(&folder, "ledger.yaml", DATABASE);
    let new = found(root, &["--baseline", "known.json"]);
    assert_eq!(new, ["stateful-pod-unprotected ledger.yaml"]);
    let text = karplint(root, &["check", "--baseline", "known.json"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("1 warning in 3 files (1 in the baseline)"), "{text}");
    // Findings that are gone are named, unless no baseline is given.
    write(&folder, "main.tf", &TWICE.replace("  depends_on", "  skip_crds  = true\n  depends_on"));
    let gone = said(&karplint(root, &["check", "--baseline", "known.json"]));
    assert!(gone.starts_with("gone from the baseline: main.tf: crds-not-skipped: "), "{gone}");
    let elsewhere = karplint(root, &["check", "--baseline", "known.json", "ledger.yaml"]);
    assert_eq!(said(&elsewhere), "");
}

#[test]
fn a_baseline_that_is_none_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "main.tf", TWICE);
    for (text, words) in [
        ("{", "known.json: is no baseline: EOF while parsing"),
        ("[]", "known.json: is no baseline: invalid length 0"),
        (
            "{\"schema_version\": 7, \"findings\": []}",
            "known.json: is no baseline: `schema_version` is 7, and this karplint knows 1",
        ),
    ] {
        write(&folder, "known.json", text);
        let output = karplint(folder.path(), &["check", "--baseline", "known.json"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).starts_with(&format!("karplint: {words}")), "{}", said(&output));
    }
    let output = karplint(folder.path(), &["check", "--baseline", "missing.json"]);
    assert!(said(&output).starts_with("karplint: missing.json: "), "{}", said(&output));
}

fn git(folder: &TempDir, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder.path()).args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.example",
    ]);
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
}

/// A repository with one commit on `main`, unless there is no git here.
fn committed(files: &[(&str, &str)]) -> Option<TempDir> {
    if !can_run("git") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(&folder, path, text);
    }
    git(&folder, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&folder);
    Some(folder)
}

fn commit(folder: &TempDir) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "a"]);
}

#[test]
fn only_what_changed_is_shown() {
    let files = [("main.tf", TWICE), ("ledger.yaml", DATABASE), ("pdb.yaml", PDB)];
    let Some(folder) = committed(&files) else { return };
    let root = folder.path();
    assert_eq!(found(root, &[]), ["crds-not-skipped main.tf"]);
    assert_eq!(found(root, &["--changed-since", "main"]), Vec::<String>::new());
    // A new comment moves the finding and changes nothing.
    write(&folder, "main.tf", &format!("# a comment\n{TWICE}"));
    assert_eq!(found(root, &["--changed-since", "HEAD"]), Vec::<String>::new());
    // A file that goes away brings a finding in an unchanged one.
    fs::remove_file(root.join("pdb.yaml")).unwrap();
    let brought = found(root, &["--changed-since", "main"]);
    assert_eq!(brought, ["stateful-pod-unprotected ledger.yaml"]);
    // Files git does not know yet count.
    write(&folder, "pdb.yaml", PDB);
    write(&folder, "new/ledger.yaml", &DATABASE.replace("ledger", "journal"));
    let brought = found(root, &["--changed-since", "main"]);
    assert_eq!(brought, ["stateful-pod-unprotected new/ledger.yaml"]);
}

#[test]
fn a_changed_line_shows_its_finding_and_a_renamed_file_does_not() {
    let Some(folder) = committed(&[("main.tf", TWICE)]) else { return };
    let root = folder.path();
    let header = "resource \"helm_release\" \"karpenter\" {";
    write(&folder, "main.tf", &TWICE.replace(header, &format!("{header} # the controller")));
    assert_eq!(found(root, &["--changed-since", "main"]), ["crds-not-skipped main.tf"]);
    write(&folder, "main.tf", TWICE);
    git(&folder, &["mv", "main.tf", "karpenter.tf"]);
    assert_eq!(found(root, &["--changed-since", "main"]), Vec::<String>::new());
}

#[test]
fn changes_count_from_where_the_branch_began() {
    let Some(folder) = committed(&[("main.tf", TWICE)]) else { return };
    let root = folder.path();
    git(&folder, &["checkout", "--quiet", "-b", "topic"]);
    write(&folder, "ledger.yaml", DATABASE);
    commit(&folder);
    git(&folder, &["checkout", "--quiet", "main"]);
    write(&folder, "main.tf", &TWICE.replace("  depends_on", "  skip_crds  = true\n  depends_on"));
    commit(&folder);
    git(&folder, &["checkout", "--quiet", "topic"]);
    // The fix on main is not part of this branch, nor are the findings it fixes.
    let brought = found(root, &["--changed-since", "main"]);
    assert_eq!(brought, ["stateful-pod-unprotected ledger.yaml"]);
    let output = karplint(root, &["check", "--changed-since", "no-such-branch"]);
    assert_eq!(output.status.code(), Some(2));
    let words = "karplint: --changed-since: git knows no `no-such-branch` here\n";
    assert_eq!(said(&output), words);
}
