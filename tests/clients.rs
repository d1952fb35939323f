//! What runs karplint for people: pre-commit, the action. Where a program is not installed, its test says so.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and write its own files"
)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use karplint_test_tools::can_run;

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

/// A config that turns on the one rule of these tests.
fn one_rule() -> String {
    let others = karplint::rules::pages().filter(|it| it.name != "crds-not-skipped");
    let off: Vec<String> = others.map(|it| format!("{}: off", it.name)).collect();
    format!("rules: {{{}}}\n", off.join(", "))
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
fn witness(folder: &Path) -> PathBuf {
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

#[test]
fn pre_commit_judges_the_changed_files_in_one_process() {
    if !can_run("pre-commit") {
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
    write(&work, ".karplint.yaml", &one_rule());
    write(&work, "crds.tf", TWICE);
    write(&work, "committed/main.tf", &format!("{TWICE}\n{CONTROLLER}"));
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
    // The file that was committed is as wrong, but it was not changed; the CRDs' release lies in another.
    assert!(said(&found).contains("controller.tf:5:16"), "{}", said(&found));
    assert!(!said(&found).contains("committed/main.tf"), "{}", said(&found));
    assert_eq!(calls(), ["check --else-changed-since HEAD controller.tf values.yaml"]);

    write(&work, "controller.tf", &CONTROLLER.replace("false", "true"));
    git(&work, &["add", "."]);
    let clean = run(&[]);
    assert!(clean.status.success(), "{}", said(&clean));
    assert_eq!(calls().len(), 1);

    let all = run(&["--all-files"]);
    assert!(said(&all).contains("committed/main.tf:12:16"), "{}", said(&all));
    assert_eq!(calls().len(), 1);
}

/// A runner of GitHub's: its folders, and the steps of the action with their environment.
struct Runner {
    folder: tempfile::TempDir,
}

impl Runner {
    /// A runner with a repository that has one warning, and a place where releases lie.
    fn new() -> Self {
        let runner = Self { folder: tempfile::tempdir().unwrap() };
        let work = runner.at("work");
        write(&work, ".karplint.yaml", &one_rule());
        write(&work, "main.tf", &format!("{TWICE}\n{CONTROLLER}"));
        git(&work, &["init", "--quiet", "--initial-branch=main"]);
        commit(&work);
        runner
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// Releases the built program as the release workflow does.
    fn release(&self, version: &str) -> PathBuf {
        let place = self.at(&format!("releases/download/v{version}"));
        write(&place, "pack/LICENSE", "");
        fs::copy(env!("CARGO_BIN_EXE_karplint"), place.join("pack/karplint")).unwrap();
        let script = "cd pack && tar -czf ../$0 ./* && cd .. && sha256sum $0 > $0.sha256";
        let mut command = Command::new("sh");
        command.current_dir(&place).args(["-ec", script]);
        let done = command.arg("karplint-x86_64-unknown-linux-musl.tar.gz").output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
        place
    }

    fn step(&self, script: &str, inputs: &[(&str, &str)]) -> Output {
        let action = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new("bash");
        command.arg(action.join(".github/action").join(script)).current_dir(self.at("work"));
        command.env("GITHUB_ACTION_PATH", action);
        command.env("KARPLINT_RELEASES", format!("file://{}", self.at("releases").display()));
        command.env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64");
        command.env("RUNNER_TEMP", self.at("temp"));
        for name in ["GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            command.env(name, self.at(name));
        }
        let installed = self.at("temp/karplint/bin");
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", installed.display()));
        command.env_remove("GITHUB_BASE_REF").envs(inputs.iter().copied()).output().unwrap()
    }
}

#[test]
fn the_action_runs_a_released_binary_and_leaves_failing_to_a_later_step() {
    if !can_run("curl") || !can_run("git") {
        return;
    }
    let runner = Runner::new();
    runner.release(env!("CARGO_PKG_VERSION"));
    let installed = runner.step("install.sh", &[]);
    assert!(installed.status.success(), "{}", said(&installed));
    assert!(runner.read("GITHUB_PATH").ends_with("/temp/karplint/bin\n"));

    let inputs = [("KARPLINT_ARGS", "--only crds-not-skipped"), ("KARPLINT_CATEGORY", "prod eu")];
    let checked = runner.step("check.sh", &inputs);
    assert!(checked.status.success(), "{}", said(&checked));
    assert!(said(&checked).contains("::warning file=main.tf,line=12,"), "{}", said(&checked));
    let outputs = runner.read("GITHUB_OUTPUT");
    assert!(outputs.starts_with("status=1\nsarif="), "{outputs}");
    let sarif = runner.read("temp/karplint/karplint.sarif");
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert_eq!(sarif["runs"][0]["automationDetails"]["id"], "karplint/prod eu/");
    assert!(runner.read("GITHUB_STEP_SUMMARY").contains("crds-not-skipped"));

    fs::remove_file(runner.at("GITHUB_OUTPUT")).unwrap();
    let lenient =
        runner.step("check.sh", &[("KARPLINT_FAIL_ON", "error"), ("KARPLINT_PATHS", ".\n")]);
    assert!(runner.read("GITHUB_OUTPUT").starts_with("status=0\n"), "{}", said(&lenient));
    let broken = runner.step("check.sh", &[("KARPLINT_PATHS", "no such folder")]);
    assert_eq!(broken.status.code(), Some(2), "{}", said(&broken));
    assert!(said(&broken).contains("::error::"), "{}", said(&broken));
}

#[test]
fn the_action_shows_what_a_pull_request_brings() {
    if !can_run("curl") || !can_run("git") {
        return;
    }
    let runner = Runner::new();
    runner.release(env!("CARGO_PKG_VERSION"));
    let origin = runner.at("work");
    git(&origin, &["checkout", "--quiet", "-b", "change"]);
    write(&origin, "new/main.tf", &format!("{TWICE}\n{CONTROLLER}"));
    commit(&origin);
    write(&origin, "notes.md", "");
    commit(&origin);
    fs::rename(&origin, runner.at("origin")).unwrap();
    // As actions/checkout does: the newest commit of one branch, and nothing else.
    let url = format!("file://{}", runner.at("origin").display());
    git(runner.folder.path(), &["clone", "--quiet", "--depth=1", "--branch=change", &url, "work"]);
    assert!(
        runner
            .step("install.sh", &[("KARPLINT_VERSION", env!("CARGO_PKG_VERSION"))])
            .status
            .success()
    );

    let base = ("KARPLINT_CHANGED_SINCE", "base");
    let brought = runner.step("check.sh", &[base, ("GITHUB_BASE_REF", "main")]);
    assert!(said(&brought).contains("file=new/main.tf,"), "{}", said(&brought));
    assert!(!said(&brought).contains("file=main.tf,"), "{}", said(&brought));
    let everything = runner.step("check.sh", &[base]);
    assert!(said(&everything).contains("file=main.tf,"), "{}", said(&everything));
}

#[test]
fn the_action_refuses_a_binary_with_another_checksum() {
    if !can_run("curl") {
        return;
    }
    let runner = Runner::new();
    let nowhere = runner.step("install.sh", &[("KARPLINT_VERSION", "v9.9.9")]);
    assert!(!nowhere.status.success(), "{}", said(&nowhere));
    assert!(said(&nowhere).contains("::error::karplint v9.9.9 cannot be"), "{}", said(&nowhere));

    let place = runner.release("0.2.0");
    write(&place, "karplint-x86_64-unknown-linux-musl.tar.gz", "something else");
    let refused = runner.step("install.sh", &[("KARPLINT_VERSION", "v0.2.0")]);
    assert!(!refused.status.success(), "{}", said(&refused));
    assert!(said(&refused).contains("FAILED"), "{}", said(&refused));
    assert_eq!(runner.read("GITHUB_PATH"), "");
}

/// What the action and the workflows use, each with its file.
fn used() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workflows = fs::read_dir(root.join(".github/workflows")).unwrap();
    let files = workflows.map(|it| it.unwrap().path()).chain([root.join("action.yml")]);
    let uses = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter_map(|it| it.split_once("uses: "));
        lines.map(|(_, it)| (path.clone(), it.to_owned())).collect::<Vec<_>>()
    };
    files.flat_map(uses).collect()
}

#[test]
fn actions_are_pinned_to_commits_with_their_tags() {
    let used = used();
    assert!(used.len() > 20, "{used:?}");
    for (path, action) in used.iter().filter(|(_, it)| it != "./") {
        let (commit, tag) =
            action.split_once('@').and_then(|it| it.1.split_once(" # ")).unwrap_or_default();
        let pinned = commit.len() == 40 && commit.bytes().all(|it| it.is_ascii_hexdigit());
        assert!(pinned && tag.starts_with('v'), "{}: {action}", path.display());
    }
}

#[test]
fn every_input_of_the_action_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("action.yml")).unwrap();
    let script = ["check.sh", "install.sh"].map(|it| root.join(".github/action").join(it));
    let scripts = script.map(|it| fs::read_to_string(it).unwrap()).concat();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, inputs) = action.split_once("\ninputs:\n").unwrap();
    let (inputs, rest) = inputs.split_once("\noutputs:\n").unwrap();
    let names = inputs.lines().filter_map(|it| it.strip_prefix("  ")?.strip_suffix(':'));
    let names: Vec<&str> = names.filter(|it| !it.starts_with(' ')).collect();
    assert!(names.contains(&"category") && names.len() == 8, "{names:?}");
    for name in names {
        assert!(rest.contains(&format!("inputs.{name}")), "nothing reads the input {name}");
        assert!(readme.contains(&format!("`{name}`")), "the README does not name {name}");
    }
    for (_, variable) in rest.lines().filter_map(|it| it.trim().split_once("KARPLINT_")) {
        let name = format!("KARPLINT_{}", variable.split(':').next().unwrap_or_default());
        assert!(scripts.contains(&name), "no script reads {name}");
    }
}
