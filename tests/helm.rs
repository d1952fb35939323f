//! `check --helm`: charts are rendered when asked to, and findings point into their templates.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n";

const STATEFUL_SET: &str = r#"{{- if .Values.database.enabled }}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .Release.Name }}-database
spec:
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec:
      containers:
        - {name: postgres, image: "postgres:{{ .Values.database.version }}"}
{{- end }}
"#;

const PDB: &str = "{{- if .Values.pdb }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: database}}
{{- end }}
";

/// Never rendered: the file is read as it is.
const LITERAL: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: queue
spec:
  selector: {matchLabels: {app: queue}}
  template:
    metadata: {labels: {app: queue}}
    spec:
      containers: [{name: queue, image: queue}]
";

/// What helm prints for these templates and values, written by hand; see
/// [`helm_itself_agrees`].
const RENDERED: &str = r#"---
# Source: shop/templates/queue.yaml
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: queue
spec:
  selector: {matchLabels: {app: queue}}
  template:
    metadata: {labels: {app: queue}}
    spec:
      containers: [{name: queue, image: queue}]
---
# Source: shop/templates/statefulset.yaml
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: shop-database
spec:
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec:
      containers:
        - {name: postgres, image: "postgres:17"}
"#;

const RENDERED_PDB: &str = "---
# Source: shop/templates/pdb.yaml
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: shop
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: database}}
";

/// The files of the chart.
fn shop() -> Vec<(&'static str, &'static str)> {
    vec![
        ("pool.yaml", POOL),
        ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("charts/shop/values.yaml", "database:\n  enabled: true\n  version: 17\npdb: false\n"),
        ("charts/shop/templates/statefulset.yaml", STATEFUL_SET),
        ("charts/shop/templates/pdb.yaml", PDB),
        ("charts/shop/templates/queue.yaml", LITERAL),
    ]
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// A repository, and beside it a helm that writes down how it is called, prints what is recorded for a
/// chart, and fails for all others.
fn repository(files: &[(&str, &str)], recorded: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("repository/.git")).unwrap();
    for (path, text) in files {
        write(&folder.path().join("repository"), path, text);
    }
    for (chart, text) in recorded {
        write(&folder.path().join("recorded"), chart, text);
    }
    let script = r#"#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/calls"
case "$*" in *"--values -"*) cat > "$here/values" ;; esac
chart=$(basename "$3")
test -f "$here/recorded/$2" && exec cat "$here/recorded/$2"
test -f "$here/recorded/$chart" && exec cat "$here/recorded/$chart"
echo "WARNING: careful" >&2
echo "Error: execution error at ($chart/templates/a.yaml:1:4): no value" >&2
exit 1
"#;
    // Written by another process: a file that this one has open, so may any child of it have, and a
    // program that is open for writing cannot be run.
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
        .arg(folder.path().join("helm"))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
    folder
}

fn karplint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    command.current_dir(folder.join("repository")).arg("check").args(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = karplint(folder, &[&["--format", "json"], arguments].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The findings, each as `rule path:line:column`.
fn findings(report: &serde_json::Value) -> Vec<String> {
    let place = |it: &serde_json::Value| {
        let location = &it["location"];
        let (path, start) = (location["path"].as_str().unwrap(), &location["start"]);
        let rule = it["rule"].as_str().unwrap();
        format!("{rule} {path}:{}:{}", start["line"], start["column"])
    };
    report["findings"].as_array().unwrap().iter().map(place).collect()
}

fn skipped(report: &serde_json::Value) -> Vec<String> {
    let line = |it: &serde_json::Value| {
        format!("{}: {}", it["path"].as_str().unwrap(), it["reason"].as_str().unwrap())
    };
    report["skipped"].as_array().unwrap().iter().map(line).collect()
}

fn calls(folder: &Path) -> Vec<String> {
    let Ok(file) = fs::File::open(folder.join("calls")) else { return Vec::new() };
    let mut lines: Vec<String> =
        std::io::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const QUEUE: &str = "stateful-pod-unprotected charts/shop/templates/queue.yaml:4:9";
/// The place that rendering in the process knows, also of what the program prints alike.
const DATABASE: &str = "stateful-pod-unprotected charts/shop/templates/statefulset.yaml:5:12";

#[test]
fn without_the_flag_no_program_is_run() {
    let folder = repository(&shop(), &[("shop", RENDERED)]);
    let report = json(folder.path(), &[]);
    assert_eq!(findings(&report), [QUEUE, DATABASE]);
    assert!(skipped(&report).is_empty(), "{report}");
    let verbose = err(&karplint(folder.path(), &["-v"]));
    assert!(!verbose.contains("not rendered"), "{verbose}");
    assert!(calls(folder.path()).is_empty());
}

#[test]
fn charts_may_be_left_alone() {
    let folder = repository(&shop(), &[("shop", RENDERED)]);
    let report = json(folder.path(), &["--no-render"]);
    assert_eq!(findings(&report), [QUEUE]);
    let expected = [
        "charts/shop/templates/pdb.yaml: chart charts/shop is not rendered: `--helm PATH` renders it",
        "charts/shop/templates/statefulset.yaml: chart charts/shop is not rendered: `--helm PATH` renders it",
    ];
    assert_eq!(skipped(&report), expected);
    let verbose = err(&karplint(folder.path(), &["-v", "--no-render"]));
    let line = "2 templates of 1 chart not rendered (--helm PATH renders them)\n";
    assert!(verbose.contains(line), "{verbose}");
}

#[test]
fn findings_point_into_templates() {
    let folder = repository(&shop(), &[("shop", RENDERED)]);
    let report = json(folder.path(), &["--helm", "../helm"]);
    assert_eq!(findings(&report), [QUEUE, DATABASE]);
    let message = report["findings"][1]["message"].as_str().unwrap();
    assert!(message.contains("`shop-database`"), "{message}");
    assert!(skipped(&report).is_empty(), "{report}");
    let root = folder.path().join("repository").canonicalize().unwrap();
    let chart = root.join("charts/shop");
    let expected = format!("template shop {} --include-crds", chart.display());
    assert_eq!(calls(folder.path()), [expected]);
    let verbose = err(&karplint(folder.path(), &["-v", "--helm", "../helm"]));
    assert!(!verbose.contains("not rendered"), "{verbose}");
}

/// A value that reaches a `NodePool`, and what helm prints of it.
const POOL_TEMPLATE: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: nodes
spec:
  limits: {cpu: 1}
  disruption: {consolidateAfter: 1m, consolidationPolicy: {{ .Values.policy }}}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: nodes}
      requirements: []
";

#[test]
fn findings_are_those_without_the_program() {
    let printed = POOL_TEMPLATE.replace("{{ .Values.policy }}", "WhenRare");
    let printed = format!("---\n# Source: nodes/templates/pool.yaml\n{printed}");
    let files = [
        ("nodes/Chart.yaml", "apiVersion: v2\nname: nodes\nversion: 1.0.0\n"),
        ("nodes/values.yaml", "policy: WhenRare\n"),
        ("nodes/templates/pool.yaml", POOL_TEMPLATE),
        ("helmfile.yaml", "releases:\n  - {name: nodes, namespace: web, chart: ./nodes}\n"),
    ];
    let folder = repository(&files, &[("nodes", &printed)]);
    let found = findings(&json(folder.path(), &["--helm", "../helm"]));
    let wanted = "invalid-karpenter-resource nodes/values.yaml:1:9".to_owned();
    assert!(found.contains(&wanted), "{found:?}");
    assert_eq!(found, findings(&json(folder.path(), &[])));
}

#[test]
fn objects_of_one_chart_belong_together() {
    let both = format!("{RENDERED}{RENDERED_PDB}");
    let folder = repository(&shop(), &[("shop", &both)]);
    assert_eq!(findings(&json(folder.path(), &["--helm", "../helm"])), [QUEUE]);
}

#[test]
fn comments_in_templates_allow_what_rendering_finds() {
    let rule = "stateful-pod-unprotected";
    let allowing = STATEFUL_SET.replace(
        "-database\n",
        &format!("-database # karplint: allow {rule} because it is a cache\n"),
    );
    let mut files = shop();
    files.retain(|(path, _)| !path.ends_with("statefulset.yaml"));
    files.push(("charts/shop/templates/statefulset.yaml", &allowing));
    let folder = repository(&files, &[("shop", RENDERED)]);
    assert_eq!(findings(&json(folder.path(), &["--helm", "../helm"])), [QUEUE]);
    // Whether it is of use is not known before the chart is rendered.
    assert_eq!(findings(&json(folder.path(), &["--no-render"])), [QUEUE]);
}

#[test]
fn a_chart_that_cannot_be_rendered_is_skipped() {
    let mut files = shop();
    let template = "a: {{ .Values.a }}\n";
    files.extend([
        ("charts/broken/Chart.yaml", "name: broken\n"),
        ("charts/broken/templates/a.yaml", template),
        ("charts/broken/charts/inner/Chart.yaml", "name: inner\n"),
        ("charts/broken/charts/inner/templates/a.yaml", template),
        ("charts/library/Chart.yaml", "name: library\ntype: library\n"),
        ("charts/library/templates/a.yaml", template),
        ("charts/literal/Chart.yaml", "name: literal\n"),
        ("charts/literal/templates/a.yaml", "a: b\n"),
    ]);
    let folder = repository(&files, &[("shop", RENDERED)]);
    let report = json(folder.path(), &["--helm", "../helm"]);
    assert_eq!(findings(&report), [QUEUE, DATABASE]);
    let expected = [
        "charts/broken/Chart.yaml: not rendered: execution error at (broken/templates/a.yaml:1:4): no value",
        "charts/broken/charts/inner/templates/a.yaml: chart charts/broken is not rendered: helm refuses it",
        "charts/broken/templates/a.yaml: chart charts/broken is not rendered: helm refuses it",
        "charts/library/templates/a.yaml: chart charts/library is not rendered: `--helm PATH` renders it",
    ];
    assert_eq!(skipped(&report), expected);
    let output = karplint(folder.path(), &["-v", "--exit-zero", "--helm", "../helm"]);
    assert_eq!(output.status.code(), Some(0));
    let verbose = err(&output);
    assert!(verbose.contains("\n3 templates of 2 charts not rendered\n"), "{verbose}");
    let called = calls(folder.path());
    let names: Vec<_> = called.iter().filter_map(|it| it.split(' ').nth(1)).collect();
    assert_eq!(names, ["broken", "broken", "shop", "shop"]);
}

#[test]
fn a_helm_that_is_not_there_is_a_mistake() {
    let folder = repository(&shop(), &[]);
    let output = karplint(folder.path(), &["--helm", "../missing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).starts_with("karplint: --helm: ../missing cannot be run: "),
        "{}",
        err(&output)
    );
}

/// A chart that depends on one that lies unpacked in `charts/` and on one that lies there as an archive.
const UMBRELLA: &str = "apiVersion: v2
name: umbrella
version: 1.0.0
dependencies:
  - {name: ledger, version: 1.0.0, repository: \"https://charts.example.com\"}
  - {name: orders, version: 1.0.0, repository: \"https://charts.example.com\"}
";

/// A `NodePool` that makes nodes.
const LIVE_POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
";

/// What belongs to a `StatefulSet` that keeps data.
const CLAIMS: &str = "  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 8Gi}}}
";

fn stateful_set(name: &str) -> String {
    let about = LITERAL.replace("queue", name) + CLAIMS;
    about.replace(&format!("  name: {name}\n"), "  name: {{ .Chart.Name }}\n")
}

/// A repository with that chart, and what helm prints of it.
fn umbrella() -> TempDir {
    let about = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    let (ledger, ledger_about) = (stateful_set("ledger"), about("ledger"));
    let files = [
        ("pool.yaml", LIVE_POOL),
        ("umbrella/Chart.yaml", UMBRELLA),
        ("umbrella/values.yaml", ""),
        ("umbrella/templates/note.yaml", "{{/* nothing */}}"),
        ("umbrella/charts/ledger/Chart.yaml", &ledger_about),
        ("umbrella/charts/ledger/templates/set.yaml", &ledger),
    ];
    let printed = |name: &str| {
        let source = format!("---\n# Source: umbrella/charts/{name}/templates/set.yaml\n");
        source + &LITERAL.replace("queue", name) + CLAIMS
    };
    let folder = repository(&files, &[("umbrella", &(printed("ledger") + &printed("orders")))]);
    let path = folder.path().join("repository/umbrella/charts/orders-1.0.0.tgz");
    let zip =
        flate2::write::GzEncoder::new(fs::File::create(path).unwrap(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(zip);
    for (path, text) in
        [("Chart.yaml", about("orders")), ("templates/set.yaml", stateful_set("orders"))]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("orders/{path}"), text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
    folder
}

/// The findings with their severities.
fn severities(report: &serde_json::Value) -> Vec<(String, String)> {
    let of = report["findings"].as_array().unwrap().iter();
    let all = of.map(|it| it["severity"].as_str().unwrap().to_owned());
    findings(report).into_iter().zip(all).collect()
}

#[test]
fn dependencies_are_judged_as_without_the_program() {
    let folder = umbrella();
    let only = ["--only", "stateful-pod-unprotected"];
    let alone = json(folder.path(), &only);
    let rule = "stateful-pod-unprotected umbrella/Chart.yaml";
    let found = [format!("{rule}:5:5"), format!("{rule}:6:5")];
    assert_eq!(findings(&alone), found);
    let printed = json(folder.path(), &[&only[..], &["--helm", "../helm"]].concat());
    assert_eq!(severities(&printed), severities(&alone));
    for report in [&printed, &alone] {
        assert!(report["findings"][0]["severity"] == "note", "{report}");
    }
    let verbose = err(&karplint(folder.path(), &["-v", "--helm", "../helm"]));
    assert!(!verbose.contains("not here"), "{verbose}");
    if karplint_test_tools::can_run("helm") {
        let real = json(folder.path(), &[&only[..], &["--helm", "helm"]].concat());
        assert_eq!(severities(&real), severities(&alone));
    }
}

#[test]
fn what_nobody_installs_is_a_note_with_the_program_and_without() {
    let (literal, rendered) = (LITERAL.to_owned() + CLAIMS, RENDERED.to_owned() + CLAIMS);
    let template = STATEFUL_SET.replace("{{- end }}", &format!("{CLAIMS}{{{{- end }}}}"));
    let mut files = shop();
    for (path, text) in &mut files {
        match path.rsplit('/').next() {
            Some("pool.yaml") => *text = LIVE_POOL,
            Some("queue.yaml") => *text = &literal,
            Some("statefulset.yaml") => *text = &template,
            _ => {}
        }
    }
    let folder = repository(&files, &[("shop", &rendered)]);
    let all = |arguments: &[&str]| -> Vec<String> {
        let only = ["--only", "stateful-pod-unprotected"];
        let report = json(folder.path(), &[&only, arguments].concat());
        severities(&report).into_iter().map(|it| it.1).collect()
    };
    assert_eq!(all(&[]), ["note", "note"]);
    assert_eq!(all(&["--helm", "../helm"]), ["note", "note"]);
    let release = "releases:\n  - {name: shop, namespace: shop, chart: ./charts/shop}\n";
    write(&folder.path().join("repository"), "helmfile.yaml", release);
    assert_eq!(all(&[]), ["warning", "warning"]);
    assert_eq!(all(&["--helm", "../helm"]), ["warning", "warning"]);
}

/// Applications that a chart makes, one file each, with versions that differ.
#[test]
fn releases_that_a_chart_makes_are_releases() {
    let template = "kind: Application\nmetadata: {name: {{ .x }}}\n";
    let application = |file: &str, chart: &str, version: &str| {
        format!(
            "---\n# Source: apps/templates/{file}.yaml\napiVersion: argoproj.io/v1alpha1\n\
             kind: Application\nmetadata: {{name: {chart}}}\nspec:\n  source:\n    \
             repoURL: public.ecr.aws/karpenter\n    chart: {chart}\n    targetRevision: {version}\n  \
             destination: {{namespace: karpenter}}\n"
        )
    };
    let files = [
        ("apps/Chart.yaml", "name: apps\n"),
        ("apps/templates/a.yaml", template),
        ("apps/templates/b.yaml", template),
    ];
    let apart =
        [application("a", "karpenter-crd", "1.5.0"), application("b", "karpenter", "1.8.2")];
    let folder = repository(&files, &[("apps", &apart.concat())]);
    let report = json(folder.path(), &["--helm", "../helm", "--only", "crd-version-mismatch"]);
    assert_eq!(findings(&report), ["crd-version-mismatch apps/templates/a.yaml:1:1"]);
    // The version is not written there.
    assert!(report["findings"][0]["fix"].is_null(), "{report}");
}

/// Helm takes the arguments, and finds what its stand-in does.
#[test]
fn helm_itself_agrees() {
    if !karplint_test_tools::can_run("helm") {
        return;
    }
    let folder = repository(&shop(), &[("shop", RENDERED)]);
    let real = json(folder.path(), &["--helm", "helm"]);
    assert_eq!(findings(&real), findings(&json(folder.path(), &["--helm", "../helm"])));
    assert!(skipped(&real).is_empty(), "{real}");
}

/// A release of the chart without its `StatefulSet`.
const RELEASE: &str = "releases:
  - name: web
    namespace: front
    chart: ./charts/shop
    values:
      - database: {enabled: false, version: 18}
";

fn with_release(recorded: &[(&str, &str)], release: (&str, &str)) -> TempDir {
    let mut files = shop();
    files.push(release);
    let cluster =
        "resource \"aws_eks_cluster\" \"main\" {\n  name = \"main\"\n  version = \"1.33\"\n}\n";
    files.push(("cluster.tf", cluster));
    repository(&files, recorded)
}

#[test]
fn each_release_is_rendered_with_its_values() {
    let (queue, _) = RENDERED.split_at(RENDERED.rfind("---").unwrap());
    let recorded = [("shop", RENDERED), ("web", queue)];
    let folder = with_release(&recorded, ("helmfile.yaml", RELEASE));
    let report = json(folder.path(), &["--helm", "../helm"]);
    assert_eq!(findings(&report), [QUEUE]);
    assert!(skipped(&report).is_empty(), "{report}");
    let root = folder.path().join("repository").canonicalize().unwrap();
    let chart = format!("{} --include-crds", root.join("charts/shop").display());
    let of_release =
        format!("template web {chart} --values - --namespace=front --kube-version=1.33.0");
    assert_eq!(calls(folder.path()), [format!("template shop {chart}"), of_release]);
    let values = std::io::read_to_string(fs::File::open(folder.path().join("values")).unwrap());
    assert_eq!(values.unwrap(), r#"{"database":{"enabled":false,"version":18}}"#);
}

#[test]
fn a_release_of_unknown_values_is_rendered_without_the_program() {
    let release = "variable \"on\" {}\nresource \"helm_release\" \"web\" {\n  name = \"web\"\n  \
                   namespace = \"front\"\n  chart = \"./charts/shop\"\n  \
                   values = [yamlencode({ pdb = var.on })]\n}\n";
    let folder = with_release(&[("shop", RENDERED)], ("main.tf", release));
    let report = json(folder.path(), &["--helm", "../helm"]);
    let wanted = "charts/shop/Chart.yaml: rendered without helm for the release `web`: `var.on` is not known";
    assert_eq!(skipped(&report), [wanted]);
    assert_eq!(findings(&report), findings(&json(folder.path(), &[])));
    assert_eq!(calls(folder.path()).len(), 1);
    // So is one that the program refuses, though it renders the chart with its own values.
    let release = release.replace("var.on", "true");
    let refused = with_release(&[], ("main.tf", &release));
    let report = json(refused.path(), &["--helm", "../helm"]);
    let [only] = &*skipped(&report) else { panic!("{report}") };
    assert!(
        only.contains("rendered without helm for the release `web`: execution error"),
        "{only}"
    );
}

#[test]
fn helm_itself_renders_releases_as_karplint_does() {
    if !karplint_test_tools::can_run("helm") {
        return;
    }
    for values in ["{enabled: false}", "{enabled: true, version: \"1e3\"}"] {
        let release = RELEASE.replace("{enabled: false, version: 18}", values);
        let folder = with_release(&[], ("helmfile.yaml", &release));
        let said = |arguments: &[&str]| -> Vec<String> {
            let report = json(folder.path(), arguments);
            assert!(skipped(&report).is_empty(), "{report}");
            let all = report["findings"].as_array().unwrap().iter();
            all.map(|it| format!("{} {}", it["rule"], it["message"])).collect()
        };
        assert_eq!(said(&["--helm", "helm"]), said(&[]), "{values}");
    }
}
