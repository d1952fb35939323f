//! Hostile input: each file ends in a finding or a skip, never in a panic or a hang.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use std::{
    fs,
    io::Write,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use karplint::{config::Config, lint, project::Project};
use serde_json::Value;

/// Far above what a debug build on a busy machine takes for all of it.
const PATIENCE: Duration = Duration::from_mins(2);

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(bytes).unwrap();
}

fn wide(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn check(folder: &Path) -> Value {
    fs::create_dir_all(folder.join(".git")).unwrap();
    let start = Instant::now();
    for format in ["text", "sarif", "json"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
        command.args(["check", "--format", format]).current_dir(folder);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{format}: {:?} {said}",
            output.status
        );
        assert_eq!(said, "", "{format}");
        if format == "json" {
            assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
            return serde_json::from_slice(&output.stdout).unwrap();
        }
    }
    Value::Null
}

/// Paths of the findings and of what was skipped.
fn paths_in(report: &Value) -> Vec<String> {
    let of = |list: &str, pointer: &str| -> Vec<String> {
        let items = report[list].as_array().unwrap().iter();
        items.map(|it| it.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect()
    };
    [of("findings", "/location/path"), of("skipped", "/path")].concat()
}

#[test]
fn broken_files_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let deep = |open: &str, close: &str| {
        format!(
            "kind: NodePool # karpenter.sh\nx: {}{}\n",
            open.repeat(20_000),
            close.repeat(20_000)
        )
    };
    let cases: [(&str, Vec<u8>); 12] = [
        ("binary.yaml", b"karpenter\0\x01\x02".to_vec()),
        ("binary.tf", vec![0; 100]),
        ("latin1.yaml", b"kind: NodePool # karpenter \xe9\n".to_vec()),
        ("half-wide.yaml", vec![0xff, 0xfe, 0x00, 0xd8]),
        ("huge.tf", vec![b' '; (4 << 20) + 1]),
        ("huge.json", vec![b' '; (4 << 20) + 1]),
        ("deep-list.yaml", deep("[", "]").into_bytes()),
        ("deep-map.yaml", deep("{a: ", "}").into_bytes()),
        ("open.yaml", b"kind: NodePool # karpenter.sh\nx: [1, 2\n".to_vec()),
        ("open.tf", b"resource \"helm_release\" \"karpenter\" {\n  name = \"x\n}\n".to_vec()),
        (
            "deep.tf",
            format!("a = {}1{}\n# karpenter", "(".repeat(5000), ")".repeat(5000)).into_bytes(),
        ),
        (
            "deep.json",
            format!("{{\"karpenter\": {}1{}}}", "[".repeat(50_000), "]".repeat(50_000))
                .into_bytes(),
        ),
    ];
    for (path, bytes) in &cases {
        write(folder.path(), path, bytes);
    }
    let paths = paths_in(&check(folder.path()));
    for (path, _) in &cases {
        assert!(paths.iter().any(|it| it == path), "nothing is said of {path}: {paths:?}");
    }
}

#[test]
fn unusual_files_are_read() {
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: kafka\n  namespace: SHOP\nspec:\n  serviceName: kafka\n  selector: {matchLabels: {app: kafka}}\n  template:\n    metadata: {labels: {app: kafka}}\n    spec: {containers: [{name: a, image: b}]}\n";
    let folder = tempfile::tempdir().unwrap();
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: general}\n";
    write(folder.path(), "pool.yaml", pool.as_bytes());
    write(folder.path(), "empty.yaml", b"");
    write(folder.path(), "empty.tf", b"");
    write(folder.path(), "empty.json", b"");
    // Files of the same text are reported once.
    let of = |shop: &str| set.replace("SHOP", shop);
    write(folder.path(), "plain.yaml", of("plain").as_bytes());
    write(folder.path(), "mark.yaml", format!("\u{feff}{}", of("mark")).as_bytes());
    write(folder.path(), "returns.yaml", of("returns").replace('\n', "\r\n").as_bytes());
    write(folder.path(), "wide.yaml", &wide(&of("wide")));
    let report = check(folder.path());
    let findings = report["findings"].as_array().unwrap();
    let places: Vec<_> = findings
        .iter()
        .map(|it| {
            let start = &it["location"]["start"];
            (
                it["location"]["path"].as_str().unwrap(),
                start["line"].as_u64(),
                start["column"].as_u64(),
            )
        })
        .collect();
    let expected = ["mark.yaml", "plain.yaml", "returns.yaml", "wide.yaml"];
    assert_eq!(places, expected.map(|it| (it, Some(4), Some(9))));
    assert_eq!(report["skipped"].as_array().unwrap().len(), 0, "{}", report["skipped"]);
}

#[test]
fn nothing_takes_quadratic_time() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // Duplicate keys, each a finding, on one long line.
    let twice = format!("{{\"kind\": \"karpenter\", {}\"b\": 1}}", "\"a\":1,".repeat(20_000));
    write(root, "line.json", twice.as_bytes());
    let comment = "# karplint: allow stateful-pod-unprotected because of x\n";
    write(root, "comments.yaml", format!("a: 1\n{}", comment.repeat(10_000)).as_bytes());
    let line = format!("a: 1 # {}", comment.trim().repeat(5_000));
    write(root, "comment.yaml", line.as_bytes());
    let anchor =
        |it: i32| format!("a{it}: &a{it} [{}]", vec![format!("*a{}", it - 1); 9].join(","));
    let anchors = (1..30).map(anchor).collect::<Vec<_>>().join("\n");
    write(root, "laughs.yaml", format!("kind: karpenter\na0: &a0 [x]\n{anchors}").as_bytes());
    check(root);
}

#[test]
fn scripts_and_templates_end() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // Scripts that read each other, and a thousand that are read by one.
    write(root, "a.sh", b". b.sh\nhelm install k oci://x/karpenter --version $V\nV=$W\nW=$V\n");
    write(root, "b.sh", b". a.sh\n. b.sh\nV=${V:-$V}\nhelm repo add x y\n");
    let many: Vec<String> = (0..1_000).map(|it| format!("source c{it}.sh")).collect();
    let many = many.join("\n");
    write(root, "many.sh", format!("{many}\nhelm install k oci://x/karpenter\n").as_bytes());
    for it in 0..1_000 {
        write(root, &format!("c{it}.sh"), b"V=1\n");
    }
    write(root, "Makefile", b"include Makefile x.mk\nup:\n\thelm install k x/karpenter\n");
    write(root, "x.mk", b"include x.mk Makefile\nV = $(V)\n");
    // Each file that a command writes may be applied by each later one.
    let rendered = "helm template k oci://x/karpenter > a\n".repeat(3_000);
    let applied = "kubectl apply -f b # karpenter\n".repeat(3_000);
    write(root, "render.sh", format!("{rendered}{applied}").as_bytes());
    let template = |properties: &str| {
        let head = r#"{"Resources": {"A": {"Type": "Custom::AWSCDK-EKS-KubernetesResource","#;
        format!(r#"{head} "Properties": {{"Manifest": {properties}}}}}}}}}"#)
    };
    let nested = |levels: usize| {
        let (open, close) = (r#"{"Fn::Join": ["", ["a", "#, "]]}");
        format!("{}\"karpenter\"{}", open.repeat(levels), close.repeat(levels))
    };
    write(root, "deep.json", template(&nested(120)).as_bytes());
    let items = vec![r#"{"Ref": "karpenter"}"#; 20_000].join(",");
    let long = format!(r#"{{"Fn::Join": ["", [{items}]]}}"#);
    write(root, "long.json", template(&long).as_bytes());
    let texts = vec![format!("\"{}\"", "[".repeat(1_000)); 1_000].join(",");
    let large = format!(r#"{{"Fn::Join": ["", [{texts}]]}}"#);
    write(root, "large.json", template(&large).as_bytes());
    write(
        root,
        "deep.yaml",
        format!(
            "Resources:\n  A:\n    Type: AWS::EKS::Addon\n    Properties: {}!Ref x{}\n",
            "!If [".repeat(60),
            "]".repeat(60)
        )
        .as_bytes(),
    );
    check(root);
}

/// A few lines that stand for millions of things: each has a limit, and what lies beyond it is not judged.
#[test]
fn what_multiplies_ends() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // Charts that use charts twenty times each, five deep.
    for depth in 0..6 {
        let alias = |it: i32| {
            let below = depth + 1;
            format!(
                "  - name: c{below}\n    alias: a{it}\n    version: 1.0.0\n    repository: file://../c{below}\n"
            )
        };
        let below: String = (0..20).filter(|_| depth < 5).map(alias).collect();
        let below = format!("name: c{depth}\nversion: 1.0.0\ndependencies:\n{below}");
        write(root, &format!("c{depth}/Chart.yaml"), below.as_bytes());
        let set = b"apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: x\n";
        write(root, &format!("c{depth}/templates/a.yaml"), set);
    }
    // Blocks in blocks in blocks.
    let dynamic = |name: &str, inside: &str| {
        format!("dynamic \"{name}\" {{\nfor_each = range(500)\ncontent {{\n{inside}\n}}\n}}\n")
    };
    let taint = dynamic("a", &dynamic("b", &dynamic("taint", "key = \"karpenter\"")));
    let group = format!("resource \"aws_eks_node_group\" \"x\" {{\n{taint}}}\n");
    write(root, "groups/main.tf", group.as_bytes());
    // A template that calls itself twice, which Terraform refuses.
    let call = "${templatefile(\"t.tftpl\", { a = \"x\" })}";
    write(root, "calls/t.tftpl", call.repeat(2).as_bytes());
    let release = "resource \"helm_release\" \"k\" {\n  name = \"karpenter\"\n  chart = \"karpenter\"\n  \
                   values = [templatefile(\"t.tftpl\", { a = \"x\" })]\n}\n";
    write(root, "calls/main.tf", release.as_bytes());
    // Keys that are compared with all before them, and keys that are all written twice.
    let keys: Vec<String> = (0..30_000).map(|it| format!("k{it} = {it}\n")).collect();
    let keys = keys.concat();
    write(root, "keys/main.tf", format!("locals {{\na = {{\n{keys}}}\n}}\n# karpenter").as_bytes());
    let twice = format!("kind: karpenter\n{}", "a: 1\n".repeat(200_000));
    write(root, "twice.yaml", twice.as_bytes());
    let report = check(root);
    assert!(paths_in(&report).iter().any(|it| it == "keys/main.tf"), "{report}");
    let related = report["findings"].as_array().unwrap().iter();
    assert!(related.map(|it| it["related"].as_array().map_or(0, Vec::len)).all(|it| it <= 101));
}

/// Found by the fuzz target: an error pointed at the first byte of a letter that has two.
#[test]
fn places_cover_whole_letters() {
    let application =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n source:\n  path: root\n";
    let files = [
        ("bootstrap.yaml", application),
        ("root/Chart.yaml", "name: root\n"),
        ("root/templates/apps.yaml", "{{\u{7f}\u{10ffff}\n"),
        ("root/templates/more.yaml", "{{\u{10ffff}\n"),
        (
            "main.tf",
            "resource \"helm_release\" \"karpenter\" {\n  chart = \"karpenter\"\n  values = [templatefile(\"t.tftpl\", {})]\n}\n",
        ),
        ("t.tftpl", "${\u{10ffff}"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let project = Project::from_memory(files.to_vec());
    let outcome = lint::run(&project, &Config::default());
    assert!(!outcome.findings.is_empty());
    for it in &outcome.findings {
        let text = project.files.get(it.span.file).text();
        assert!(text.get(it.span.range()).is_some(), "{it:?}");
    }
}
