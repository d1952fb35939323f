//! What the README gives to copy into a pipeline, run on a history with a change of version.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and write its own files"
)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use karplint::{source::FileId, syntax::yaml, value::Value};
use karplint_test_tools::can_run;

const RELEASE: &str = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "0.37.5"
  values     = [yamlencode({ logConfig = { enabled = true }, settings = { clusterName = "shop", interruptionQueue = "shop" } })]
}
"#;

/// The YAML block of the README with that text in it.
fn snippet(part: &str) -> Value {
    let readme = include_str!("../README.md");
    let blocks = readme.split("\n```").filter_map(|it| it.strip_prefix("yaml\n"));
    let text = blocks.into_iter().find(|it| it.contains(part)).unwrap();
    let mut values = yaml::parse_file(FileId(0), text).values;
    assert_eq!(values.len(), 1);
    values.remove(0)
}

fn text(value: &Value, path: &str) -> String {
    value.at(path).present().and_then(Value::as_str).unwrap_or_else(|| panic!("{path}")).to_owned()
}

/// What a job of GitLab runs, as one script.
fn script(job: &Value) -> String {
    let lines = job.get("script").present().unwrap().items();
    lines.iter().flat_map(|it| [it.as_str().unwrap(), "\n"]).collect()
}

/// A repository whose `origin/main` has one version, and whose branch has another.
struct Change {
    folder: tempfile::TempDir,
}

impl Change {
    fn to(version: &str) -> Self {
        let change = Self { folder: tempfile::tempdir().unwrap() };
        let (origin, work) =
            (change.folder.path().join("origin"), change.folder.path().join("work"));
        fs::create_dir_all(&origin).unwrap();
        fs::write(origin.join("main.tf"), RELEASE).unwrap();
        git(&origin, &["init", "--quiet", "--initial-branch=main"]);
        git(&origin, &["add", "."]);
        git(&origin, &["commit", "--quiet", "--message", "x"]);
        git(change.folder.path(), &["clone", "--quiet", "origin", "work"]);
        fs::write(work.join("main.tf"), RELEASE.replace("0.37.5", version)).unwrap();
        git(&work, &["commit", "--quiet", "--all", "--message", "Raise the version"]);
        // What sends the comment keeps its text.
        let programs = change.folder.path().join("programs");
        fs::create_dir_all(&programs).unwrap();
        for name in ["gh", "curl"] {
            let path = programs.join(name);
            let to = change.folder.path().join("sent");
            let fake = format!("#!/bin/sh\n{{ echo \"$@\"; cat plan.md; }} > '{}'\n", to.display());
            fs::write(&path, fake).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        change
    }

    /// Runs a script as the pipeline does, and gives what was sent.
    fn run(&self, shell: &[&str], script: &str) -> Option<String> {
        let own = Path::new(env!("CARGO_BIN_EXE_karplint")).parent().unwrap();
        let programs = self.folder.path().join("programs");
        let work = self.folder.path().join("work");
        let base = git(&work, &["rev-parse", "origin/main"]);
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).arg(script).current_dir(&work);
        command.env(
            "PATH",
            format!("{}:{}:/usr/local/bin:/usr/bin:/bin", programs.display(), own.display()),
        );
        command.env("GITHUB_BASE_REF", "main").env("PULL_REQUEST", "7");
        command.env("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.trim());
        command.env("CI_API_V4_URL", "https://example.com").env("CI_PROJECT_ID", "1");
        command.env("CI_MERGE_REQUEST_IID", "7").env("COMMENT_TOKEN", "x");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
        fs::read_to_string(self.folder.path().join("sent")).ok()
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "core.hooksPath="];
    let done = Command::new("git").current_dir(folder).args(identity).args(arguments).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", said(&done));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    format!("{out}{err}")
}

/// A change of version is commented with what else has to change, another one is not.
fn comments(shell: &[&str], script: &str) {
    let sent = Change::to("1.0.14").run(shell, script).unwrap();
    assert!(sent.contains("0.37.5 → 1.0.14"), "{sent}");
    assert!(sent.contains("`main.tf:7`: `logConfig` has no effect since chart 1.0.0"), "{sent}");
    let other = Change::to("0.37.5 ");
    assert_eq!(other.run(shell, script), None, "no version changed");
}

#[test]
fn the_workflow_of_github_comments_a_change_of_version() {
    if !can_run("git") || !can_run("bash") || !can_run("jq") {
        return;
    }
    let workflow = snippet("gh pr comment");
    let steps = workflow.at("jobs.upgrade.steps").present().unwrap().items();
    comments(&["bash", "-ec"], &text(steps.last().unwrap(), "run"));
}

#[test]
fn the_jobs_of_gitlab_comment_a_change_of_version() {
    if !can_run("git") {
        return;
    }
    let jobs = snippet("karplint-comment:");
    let job = |name: &str| script(jobs.get(name).present().unwrap());
    comments(
        &["sh", "-ec"],
        &format!("({})\n{}", job("karplint-upgrade"), job("karplint-comment")),
    );
}
