//! Names from the repository are only names: whatever is printed, they control no terminal, begin no line, and are
//! no command of the machine that prints them.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and looks at the disk"
)]

use std::{fs, path::Path, process::Command};

/// Names of files and folders that try to be more.
const FOLDERS: &[&str] = &[
    "a\n::error::planted",
    "::warning file=x::planted",
    "b\u{1b}[2J\u{7}\u{9b}1m",
    "##[error]planted",
    "##vso[task.setvariable]planted",
    "c\r::add-mask::planted \u{202e}\u{2028}",
];

/// A workload with a fix; its name and a comment try to be more as well.
const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: \"we\\e[2J\\n::error::planted ##[error]planted\"
  annotations:
    karpenter.sh/do-not-disrupt: \"true\" # \u{202e} ##[add-mask]planted
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers: [{ name: web, image: \"registry.example.com/web:1\" }]
";

/// A release and a pool whose order is shown, with keys that try to be more.
const CODE: &str = "resource \"helm_release\" \"karpenter\" {
  for_each = { \"k\\n::error::planted\\u001b[2J\" = 1 }
  chart    = \"oci://public.ecr.aws/karpenter/karpenter\"
  name     = \"karpenter\" # \u{1b}[2J \u{9b}1m ##[add-mask]planted
  version  = \"1.8.2\"
  values   = [yamlencode({ \"sett\\n::error::planted\\u001b[2J\" = 1 })]
}

resource \"kubernetes_manifest\" \"pool\" {
  manifest = {
    apiVersion = \"karpenter.sh/v1\"
    kind       = \"NodePool\"
    metadata   = { name = \"po\\n::error::planted\\u001b[2J ##[error]planted\" }
    spec       = { template = { spec = { \"what\\n::error::planted\\u001b[2J\" = 1 } } }
  }
}
";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// What is printed, on both streams.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(matches!(output.status.code(), Some(0..=2)), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// What a text should not contain, if it does.
fn fault(text: &str) -> Option<&str> {
    let hidden = |it: char| {
        it.is_control() && it != '\t' || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2028}')
    };
    let is_command = |it: &&str| {
        let line = it.trim_start();
        let own = ["::error file=", "::warning file=", "::notice file="];
        line.starts_with("::") && !own.iter().any(|it| line.starts_with(it))
            || line.contains("##[")
            || line.contains("##vso[")
            || line.starts_with("::warning file=x")
    };
    text.split('\n').find(|it| it.contains(hidden) || is_command(it))
}

#[test]
fn no_name_is_more_than_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join(".git")).unwrap();
    for name in FOLDERS {
        let inside = root.join(name);
        write(&inside.join("web.yaml"), WEB);
        write(&inside.join(format!("{name}.tf")), CODE);
        write(&inside.join("Chart.yaml"), &format!("name: {name:?}\nversion: 1\napiVersion: v2\n"));
        write(&inside.join("templates").join(format!("{name}.yaml")), "a: {{ .Values.a }}\n");
        write(&inside.join(format!("{name}.json")), "\u{0}");
        std::os::unix::fs::symlink("/etc/hostname", inside.join(format!("{name}.yaml"))).unwrap();
    }
    let formats = [
        "text",
        "concise",
        "json",
        "sarif",
        "github",
        "gitlab",
        "junit",
        "checkstyle",
        "markdown",
        "html",
    ];
    let mut runs: Vec<Vec<&str>> = Vec::new();
    for format in formats {
        runs.push(vec!["check", "--severity", "note", "--format", format]);
        runs.push(vec!["check", "-v", "--format", format, FOLDERS[0], FOLDERS[2]]);
    }
    for format in ["text", "json", "markdown", "mermaid", "dot"] {
        runs.push(vec!["show", "order", "--format", format]);
    }
    for format in ["text", "json", "markdown"] {
        runs.push(vec!["upgrade", "--to", "1.9", "--format", format]);
    }
    runs.push(vec!["check", "--statistics"]);
    runs.push(vec!["check", "--why", "do-not-disrupt-misplaced"]);
    runs.push(vec!["check", "--why", "invalid-karpenter-resource"]);
    runs.push(vec!["check", "gone\n::error::planted\u{1b}[2J"]);
    runs.push(vec!["check", "--config", "gone\n::error::planted\u{1b}[2J"]);
    runs.push(vec!["check", "--baseline", "gone\n::error::planted\u{1b}[2J"]);
    runs.push(vec!["check", "--only", "gone\n::error::planted\u{1b}[2J"]);
    runs.push(vec!["check", "--output", "gone\n::error::planted\u{1b}[2J/x"]);
    runs.push(vec!["check", "--changed-since", "gone\n::error::planted\u{1b}[2J"]);
    runs.push(vec!["baseline", "--output", FOLDERS[2]]);
    runs.push(vec!["baseline", "--output", "list\n::error::planted\u{1b}[2J"]);
    runs.push(vec!["check", "--baseline", "list\n::error::planted\u{1b}[2J"]);
    let mut wrong = Vec::new();
    for arguments in &runs {
        let text = said(root, arguments);
        wrong.extend(fault(&text).map(|it| format!("{arguments:?}: {it:?}")));
    }
    // The text of the files is in a diff; names are in its heads.
    let diff = said(root, &["check", "--unsafe-fixes", "--diff"]);
    let heads = diff.lines().filter(|it| it.starts_with("--- ") || it.starts_with("+++ "));
    let heads = heads.collect::<Vec<_>>().join("\n");
    assert!(heads.matches("web.yaml").count() == 2 * FOLDERS.len(), "{diff:?}");
    wrong.extend(fault(&heads).map(|it| format!("--diff: {it:?}")));
    let fixed = said(root, &["check", "--unsafe-fixes"]);
    assert!(fixed.contains("fixed 6 files: "), "{fixed:?}");
    wrong.extend(fault(&fixed).map(|it| format!("--unsafe-fixes: {it:?}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mistakes_of_configs_are_only_words() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join(".git")).unwrap();
    let key = "\"ke\\n::error::planted\\e[2J ##[error]planted\"";
    let configs = [
        format!("{key}: 1\n"),
        format!("rules: {{ {key}: off }}\n"),
        format!("rules: {{ crds-not-skipped: {key} }}\n"),
        format!("extends: {key}\n"),
        format!("exclude: [{key}]\n"),
        format!("baseline: {key}\n"),
        format!("karpenter_version: {key}\n"),
        format!("terraform: {{ var_files: [{key}] }}\n"),
        format!("paths: {{ {key}: {{ {key}: {key} }} }}\n"),
        format!("fail-on: {key}\nformat: {key}\n"),
        "a: \u{1b}[2J\n b: [\n".to_owned(),
    ];
    let mut wrong = Vec::new();
    for config in configs {
        for place in [".karplint.yaml".to_owned(), format!("{}/.karplint.yaml", FOLDERS[0])] {
            write(&root.join(&place), &config);
            for arguments in [&["check"][..], &["check", "--format", "sarif"]] {
                let text = said(root, arguments);
                wrong.extend(fault(&text).map(|it| format!("{config:?}: {it:?}")));
            }
            fs::remove_file(root.join(&place)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
