//! The programs that run karplint for people: pre-commit. Where one is not installed, its test says so.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test may stop at what it did not expect, write its own files, and say that it is skipped"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A controller release that installs the CRDs again: one warning.
const TWICE: &str = r#"resource "helm_release" "karpenter_crd" {
  chart        = "oci://public.ecr.aws/karpenter/karpenter-crd"
  name         = "karpenter-crd"
  version      = "1.8.2"
  force_update = true
}
"#;

const CONTROLLER: &str = r#"resource "helm_release" "karpenter" {
  chart      = "oci://public.ecr.aws/karpenter/karpenter"
  name       = "karpenter"
  version    = "1.8.2"
  skip_crds  = false
  depends_on = [helm_release.karpenter_crd]
}
"#;

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "core.hooksPath="];
    let done = Command::new("git").current_dir(folder).args(identity).args(arguments).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", said(&done));
}

fn commit(folder: &Path) {
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "--message", "x"]);
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    format!("{out}{err}")
}

/// Whether a program can be run; if not, says that its test is skipped.
fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    if !there {
        println!("skipped: {program} is not installed");
    }
    there
}

/// A repository with hooks as pre-commit clones it: only the file of hooks is needed to run what is installed.
fn hooks(folder: &Path) -> PathBuf {
    let hooks = folder.join("hooks");
    write(&hooks, ".pre-commit-hooks.yaml", include_str!("../.pre-commit-hooks.yaml"));
    git(&hooks, &["init", "--quiet"]);
    commit(&hooks);
    git(&hooks, &["tag", "v0"]);
    hooks
}

/// A karplint that writes its arguments down and then does its work.
#[cfg(unix)]
fn witness(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let programs = folder.join("programs");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nexec '{}' \"$@\"\n",
        folder.join("calls").display(),
        env!("CARGO_BIN_EXE_karplint")
    );
    write(&programs, "karplint", &script);
    fs::set_permissions(programs.join("karplint"), fs::Permissions::from_mode(0o755)).unwrap();
    programs
}

#[cfg(unix)]
#[test]
fn pre_commit_judges_the_changed_files_in_one_process() {
    if !is_there("pre-commit") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let programs = witness(folder.path());
    let config = format!(
        "repos:\n- repo: {}\n  rev: v0\n  hooks:\n  - id: karplint-system\n",
        hooks(folder.path()).display()
    );
    let work = folder.path().join("work");
    write(&work, ".pre-commit-config.yaml", &config);
    write(&work, "crds.tf", TWICE);
    write(&work, "old/main.tf", &format!("{TWICE}\n{CONTROLLER}"));
    git(&work, &["init", "--quiet"]);
    commit(&work);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let run = |arguments: &[&str]| {
        let mut command = Command::new("pre-commit");
        command.current_dir(&work).args(["run", "--color=never"]).args(arguments);
        command.env("PATH", &path).env("PRE_COMMIT_HOME", folder.path().join("cache"));
        command.output().unwrap()
    };
    let calls = || {
        let calls = fs::read_to_string(folder.path().join("calls")).unwrap_or_default();
        let _ = fs::remove_file(folder.path().join("calls"));
        calls.lines().map(str::to_owned).collect::<Vec<_>>()
    };

    write(&work, "controller.tf", CONTROLLER);
    write(&work, "values.yaml", "a: 1\n");
    write(&work, "notes.md", "# Notes\n");
    git(&work, &["add", "."]);
    let found = run(&[]);
    assert!(!found.status.success(), "{}", said(&found));
    // The file that was committed is as wrong, but nobody changed it; the CRDs' release lies in another.
    assert!(said(&found).contains("controller.tf:5:16"), "{}", said(&found));
    assert!(!said(&found).contains("old/main.tf"), "{}", said(&found));
    assert_eq!(calls(), ["check controller.tf values.yaml"]);

    write(&work, "controller.tf", &CONTROLLER.replace("false", "true"));
    git(&work, &["add", "."]);
    let clean = run(&[]);
    assert!(clean.status.success(), "{}", said(&clean));
    assert_eq!(calls().len(), 1);

    let all = run(&["--all-files"]);
    assert!(said(&all).contains("old/main.tf:12:16"), "{}", said(&all));
    assert_eq!(calls().len(), 1);
}
