//! `check --charts DIR`: dependencies that only an archive has.

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

use tempfile::TempDir;

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n";
const ABOUT: &str = "apiVersion: v2
name: shop
version: 1.0.0
dependencies:
  - name: orders
    version: 1.x
    repository: https://charts.example.com
";
const STATEFUL_SET: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: {name: orders}
spec:
  replicas: {{ .Values.replicas | default 3 }}
  selector: {matchLabels: {app: orders}}
  template:
    metadata: {labels: {app: orders}}
    spec: {containers: [{name: orders, image: orders}]}
";

/// A chart that depends on another, and beside the repository a folder with an archive of that.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("repository/.git/HEAD", ""),
        ("repository/pool.yaml", POOL),
        ("repository/shop/Chart.yaml", ABOUT),
        ("repository/shop/values.yaml", "orders: {replicas: 3}\n"),
        ("repository/shop/templates/empty.yaml", ""),
        ("pulled/README.md", "no archive"),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    // Larger than any archive may be, and none of a chart.
    let dump = fs::File::create(folder.path().join("pulled/dump.sql.gz")).unwrap();
    dump.set_len(1 << 30).unwrap();
    let file = fs::File::create(folder.path().join("pulled/orders-1.4.2.tgz")).unwrap();
    let zip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let mut archive = tar::Builder::new(zip);
    let about = "apiVersion: v2\nname: orders\nversion: 1.4.2\n";
    for (path, text) in
        [("orders/Chart.yaml", about), ("orders/templates/orders.yaml", STATEFUL_SET)]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
    folder
}

fn karplint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder.join("repository")).arg("check").args(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().unwrap()
}

fn findings(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let only = ["--format", "json", "--only", "stateful-pod-unprotected"];
    let output = karplint(folder, &[&only, arguments].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = report["findings"].as_array().unwrap().iter();
    list.map(|it| {
        let place = &it["location"];
        format!("{}:{}", place["path"].as_str().unwrap(), place["start"]["line"])
    })
    .collect()
}

#[test]
fn a_dependency_is_taken_from_the_folder() {
    let folder = repository();
    assert!(findings(folder.path(), &[]).is_empty());
    let found = findings(folder.path(), &["--charts", "../pulled"]);
    // Nothing inside an archive can be pointed at: its values are, else the dependency.
    assert_eq!(found, ["shop/values.yaml:1"]);
    fs::write(folder.path().join("repository/shop/values.yaml"), "").unwrap();
    let found = findings(folder.path(), &["--charts", "../pulled"]);
    assert_eq!(found, ["shop/Chart.yaml:5"]);
}

#[test]
fn a_folder_that_cannot_be_read_is_a_mistake() {
    let folder = repository();
    let said = |arguments: &[&str]| {
        let output = karplint(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let missing = said(&["--charts", "../missing"]);
    assert_eq!(missing, "karplint: --charts: ../missing: no such file\n");
    let both = said(&["--charts", "../pulled", "--no-render"]);
    assert!(both.contains("cannot be used with"), "{both}");
}
