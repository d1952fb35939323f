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
    let pulled = |name: &str, version: &str, files: &[(&str, &str)]| {
        let about = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
        let files = [&[("Chart.yaml", &*about)], files].concat();
        archive(&folder.path().join(format!("pulled/{name}-{version}.tgz")), name, &files);
    };
    let orders =
        [("templates/orders.yaml", STATEFUL_SET), ("crds/a.yaml", &crd("orders.shop.example"))];
    pulled("orders", "1.4.2", &orders);
    pulled("bundle", "1.0.0", &[("crds/a.yaml", &crd("nodepools.karpenter.sh"))]);
    folder
}

/// Writes the archive of a chart.
fn archive(path: &Path, name: &str, files: &[(&str, &str)]) {
    let file = fs::File::create(path).unwrap();
    let zip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let mut archive = tar::Builder::new(zip);
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("{name}/{path}"), text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

fn crd(name: &str) -> String {
    let (plural, group) = name.split_once('.').unwrap();
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: {name}}}\nspec: {{group: {group}, names: {{plural: {plural}}}}}\n"
    )
}

fn karplint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder.join("repository")).arg("check").args(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().unwrap()
}

fn findings(folder: &Path, arguments: &[&str]) -> Vec<String> {
    findings_of(folder, "stateful-pod-unprotected", arguments)
}

fn findings_of(folder: &Path, rule: &str, arguments: &[&str]) -> Vec<String> {
    let only = ["--format", "json", "--only", rule];
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
fn a_dependency_in_the_charts_folder_is_read_although_git_ignores_it() {
    let folder = repository();
    let repository = folder.path().join("repository");
    let charts = repository.join("shop/charts");
    fs::create_dir_all(charts.join("orders/templates")).unwrap();
    fs::write(repository.join(".gitignore"), "charts/\n*.tgz\n").unwrap();
    fs::write(charts.join("orders/Chart.yaml"), "apiVersion: v2\nname: orders\nversion: 1.4.2\n")
        .unwrap();
    fs::write(charts.join("orders/templates/orders.yaml"), STATEFUL_SET).unwrap();
    let found = |arguments: &[&str]| findings(folder.path(), arguments);
    assert_eq!(found(&[]), ["shop/values.yaml:1"]);
    fs::remove_dir_all(charts.join("orders")).unwrap();
    assert!(found(&[]).is_empty());
    let pulled = folder.path().join("pulled/orders-1.4.2.tgz");
    fs::copy(&pulled, charts.join("orders-1.4.2.tgz")).unwrap();
    assert_eq!(found(&[]), ["shop/values.yaml:1"]);
    // What the chart does not list is no part of it, and links are not followed.
    fs::rename(charts.join("orders-1.4.2.tgz"), charts.join("ledger-1.4.2.tgz")).unwrap();
    std::os::unix::fs::symlink(&pulled, charts.join("orders-1.4.2.tgz")).unwrap();
    assert!(found(&[]).is_empty());
}

#[test]
fn crds_of_karpenter_in_the_archive_of_another_chart_are_seen() {
    let folder = repository();
    let karpenter = "releases:
  - name: karpenter
    namespace: kube-system
    chart: oci://public.ecr.aws/karpenter/karpenter
    version: 1.8.2
    skipCRDs: true
";
    let about = ABOUT.replace("name: orders", "name: bundle");
    fs::write(folder.path().join("repository/helmfile.yaml"), karpenter).unwrap();
    fs::write(folder.path().join("repository/shop/Chart.yaml"), about).unwrap();
    let found = |arguments: &[&str]| findings_of(folder.path(), "crds-not-installed", arguments);
    assert_eq!(found(&[]), ["helmfile.yaml:6"]);
    assert!(found(&["--charts", "../pulled"]).is_empty());
}

#[test]
fn crds_of_charts_are_shown_once_with_the_release_that_brings_them() {
    let folder = repository();
    let release = |name: &str, skips: &str| {
        format!("  - {{ name: {name}, namespace: shop, chart: ./shop, skipCRDs: {skips} }}\n")
    };
    let releases =
        [release("first", "true"), release("second", "false"), release("third", "false")];
    let files = [
        ("helmfile.yaml", format!("releases:\n{}", releases.concat())),
        ("shop/crds/shops.yaml", crd("shops.shop.example")),
        ("shop/charts/off/Chart.yaml", "apiVersion: v2\nname: off\nversion: 1.0.0\n".to_owned()),
        ("shop/charts/off/crds/off.yaml", crd("off.shop.example")),
        ("alone/crds/alone.yaml", crd("alone.shop.example")),
    ];
    for (path, text) in files {
        let path = folder.path().join("repository").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let about = ABOUT.to_owned() + "  - { name: off, version: 1.x, condition: off.enabled }\n";
    fs::write(folder.path().join("repository/shop/Chart.yaml"), about).unwrap();
    fs::write(
        folder.path().join("repository/shop/values.yaml"),
        "orders: {replicas: 3}\noff: {enabled: false}\n",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder.path().join("repository"));
    let output = command.args(["show", "objects", "--charts", "../pulled"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let crds = text.split("---\n").filter(|it| it.contains("CustomResourceDefinition"));
    let origin = |it: &str| it.lines().next().unwrap_or_default().to_owned();
    let found: Vec<String> = crds.map(origin).collect();
    assert_eq!(
        found,
        [
            "# from alone/crds/alone.yaml:1",
            "# from shop/Chart.yaml:5 (release shop/second of chart shop, helmfile.yaml:3)",
            "# from shop/crds/shops.yaml:1 (release shop/second of chart shop, helmfile.yaml:3)",
        ],
        "{text}"
    );
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
