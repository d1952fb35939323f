//! What the README gives to copy where many repositories are checked: the same commands are run on two small ones.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
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

/// A pool without limits is one warning.
const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}\n      requirements: []\n";

fn snippet(part: &str) -> Value {
    let readme = include_str!("../README.md");
    let mut blocks = readme.split("\n```").filter_map(|it| it.strip_prefix("yaml\n"));
    let text = blocks.find(|it| it.contains(part)).unwrap();
    yaml::parse_file(FileId(0), text).values.remove(0)
}

fn strings(value: &Value, path: &str) -> Vec<String> {
    let list = value.at(path).present().unwrap().items();
    list.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn karplint(arguments: &[String], folder: &Path) -> Output {
    let own = env!("CARGO_BIN_EXE_karplint");
    Command::new(own).args(arguments).current_dir(folder).output().unwrap()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn repository(folder: &Path) {
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::write(folder.join("pool.yaml"), POOL).unwrap();
}

#[test]
fn the_matrix_of_github_checks_and_merges() {
    let workflow = snippet("name: karplint on all repositories");
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir_all(at("programs")).unwrap();
    let fake = format!("#!/bin/sh\nshift 2\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_karplint"));
    fs::write(at("programs/pipx"), fake).unwrap();
    fs::set_permissions(at("programs/pipx"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", at("programs").display());
    let run = |script: &str, repository: &str, work: &Path| {
        let mut command = Command::new("bash");
        command.args(["-ec", script]).env("PATH", &path).env("REPOSITORY", repository);
        let done = command.current_dir(work).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let steps = |job: &str| {
        let steps = workflow.at(&format!("jobs.{job}.steps")).present().unwrap().items().iter();
        steps
            .filter_map(|it| it.get("run").present()?.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let repositories = strings(&workflow, "jobs.check.strategy.matrix.repository");
    for (index, name) in repositories.iter().enumerate() {
        let work = at(&format!("work-{index}"));
        repository(&work);
        for step in steps("check") {
            run(&step, name, &work);
        }
        // As the artifacts are downloaded.
        let report = work.join(format!("reports/{name}.json"));
        let to = at(&format!("merge/reports/{name}.json"));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(report, to).unwrap();
    }
    for step in steps("merge") {
        run(&step, "", &at("merge"));
    }
    let page = fs::read_to_string(at("merge/karplint.html")).unwrap();
    for name in &repositories {
        assert!(page.contains(&format!("<td>{name}</td>")), "{name}");
    }
    assert!(page.contains("<td>payments</td>") && page.contains("unbounded-nodepool"));

    // The line above it in the README, and what is new at the next run.
    let merge = |text: &str| karplint(&words(text), &at("merge"));
    let first = merge("report merge reports/payments/shop.json --output last.json");
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let shown =
        "report merge reports/*/*.json --since last.json --format html --output karplint.html";
    assert!(include_str!("../README.md").contains(&format!("karplint {shown}")));
    let all = "report merge reports/payments/shop.json data/lake=reports/payments/ledger.json --since last.json";
    let second: serde_json::Value = serde_json::from_slice(&merge(all).stdout).unwrap();
    let new = |name: &str| {
        let list = second["repositories"].as_array().unwrap();
        list.iter().find(|it| it["name"] == name).unwrap()["new"].as_u64().unwrap()
    };
    assert_eq!(new("payments/shop"), 0);
    assert!(new("data/lake") > 0);
    let refused = merge("report merge karplint.html");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn what_the_engines_of_a_cluster_run_writes_reports() {
    let folder = tempfile::tempdir().unwrap();
    repository(&folder.path().join("src"));
    let here = |it: String| {
        let folder = folder.path().display().to_string();
        it.replace("/work/src", "/src")
            .replace("/src", &format!("{folder}/src"))
            .replace("/tmp/report.json", &format!("{folder}/report.json"))
    };
    let workflow = snippet("kind: Workflow");
    let templates = workflow.at("spec.templates").present().unwrap().items();
    let check = templates.iter().find(|it| it.get("container").present().is_some()).unwrap();
    let arguments: Vec<String> = strings(check, "container.args").into_iter().map(here).collect();
    assert!(karplint(&arguments, Path::new("/")).status.success());
    let written = fs::read_to_string(folder.path().join("report.json")).unwrap();
    let out = &check.at("outputs.artifacts").present().unwrap().items()[0];
    assert_eq!(out.get("path").present().unwrap().as_str(), Some("/tmp/report.json"));

    let job = snippet("kind: Job\n");
    let container = &job.at("spec.template.spec.containers").present().unwrap().items()[0];
    let arguments: Vec<String> = strings(container, "args").into_iter().map(here).collect();
    let output = karplint(&arguments, Path::new("/"));
    assert!(output.status.success());
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let file: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(said["summary"]["warnings"], file["summary"]["warnings"]);
    assert!(!said["findings"].as_array().unwrap().is_empty());
}
