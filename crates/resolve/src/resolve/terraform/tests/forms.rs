//! The forms of files, read by karplint and by Terraform itself.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::resolve::terraform::tests::{Project, show};

/// One module in all forms: JSON, native, overrides of both, values from all kinds of files.
const FILES: &[(&str, &str)] = &[
    (
        "main.tf.json",
        r#"{
  "//": "comment",
  "variable": [
    {"a": {"type": "map(string)", "default": {"k": "${no} %{if}", "n": 1}}},
    {"b": {"type": "list(string)", "default": ["x"]}, "c": {"default": null}}
  ],
  "locals": {
    "text": "a\tb\u00e9\n$${x} ${upper("q")}",
    "whole": "${[for k, v in var.a : format(\"%s=%s\", k, v)]}",
    "number": 1.50, "list": [1, "${1 + 1}", null, {"//": "kept", "${join("-", ["p", "q"])}": true}],
    "trim": "x %{ if true ~} y %{ endif }z",
    "first": "json", "second": "json"
  }
}"#,
    ),
    (
        "more.tf",
        "locals {\n  third = \"native\"\n  both = \"${local.first}-${local.second}-${local.third}\"\n}\nvariable \"d\" {\n  default = \"main\"\n}\nvariable \"e\" { default = \"main\" }\nvariable \"f\" { default = \"main\" }\nvariable \"g\" { default = \"main\" }\n",
    ),
    (
        "override.tf",
        "locals {\n  second = \"override\"\n  third = \"override\"\n}\nvariable \"d\" {\n  type = string\n}\n",
    ),
    (
        "z_override.tf.json",
        r#"{"locals": {"third": "last"}, "variable": {"e": {"default": "override"}}}"#,
    ),
    ("terraform.tfvars", "f = \"main\"\ng = \"main\"\n"),
    ("terraform.tfvars.json", r#"{"f": "json ${raw}"}"#),
    ("b.auto.tfvars.json", r#"{"g": "b"}"#),
    ("a.auto.tfvars", "g = \"a\"\n"),
    (".hidden.tf", "not read"),
];

const EXPRESSIONS: &[&str] = &[
    "var.a",
    "var.b",
    "var.c",
    "var.d",
    "var.e",
    "var.f",
    "var.g",
    "local.text",
    "local.whole",
    "local.number",
    "local.list",
    "local.trim",
    "local.both",
];

fn files() -> Vec<(&'static str, String)> {
    // Quotes inside interpolations are escaped in JSON.
    let escaped = |it: &str| {
        it.replace("(\"q\")", "(\\\"q\\\")")
            .replace("\"-\", [\"p\", \"q\"]", "\\\"-\\\", [\\\"p\\\", \\\"q\\\"]")
    };
    FILES.iter().map(|(path, text)| (*path, escaped(text))).collect()
}

fn asked() -> String {
    let parts: Vec<String> =
        EXPRESSIONS.iter().map(|it| format!("base64encode(jsonencode({it}))")).collect();
    format!("join(\",\", [{}])", parts.join(", "))
}

fn ask_terraform() -> Option<String> {
    let folder = tempfile::tempdir().ok()?;
    for (path, text) in files() {
        let mut file = std::fs::File::create(folder.path().join(path)).ok()?;
        file.write_all(text.as_bytes()).ok()?;
    }
    let mut child = Command::new("terraform")
        .arg("console")
        .current_dir(folder.path())
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(format!("{}\n", asked()).as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn terraform_reads_the_same() {
    if !karplint_test_tools::can_run("terraform") {
        return;
    }
    let theirs = ask_terraform().expect("terraform answers");
    let mut files = files();
    files.push(("probe.tf", format!("module \"probe\" {{\n  x = {}\n}}\n", asked())));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let project = Project::new(&files);
    let ours = show(&project.at("module.probe", "x"));
    let decoded = |it: &str| -> Vec<String> {
        let parts = it.trim_matches('"').split(',');
        let decode =
            |it| crate::resolve::terraform::tests::eval("", &format!("base64decode(\"{it}\")"));
        parts.map(decode).collect()
    };
    let (ours, theirs) = (decoded(&ours), decoded(&theirs));
    for (expression, (ours, theirs)) in EXPRESSIONS.iter().zip(ours.iter().zip(&theirs)) {
        assert_eq!(ours, theirs, "{expression}");
    }
    assert_eq!((ours.len(), theirs.len()), (EXPRESSIONS.len(), EXPRESSIONS.len()));
}
