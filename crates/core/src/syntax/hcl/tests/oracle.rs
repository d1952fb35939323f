//! The values of templates as terraform gives them.

use std::{fs::File, io::Write as _, process::Command};

use super::TEMPLATES;

#[test]
fn templates_have_the_values_terraform_gives_them() {
    if !karplint_test_tools::can_run("terraform") {
        return;
    }
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = |name: &str| folder.path().join(name);
    let items = TEMPLATES.map(|(written, _)| written).join("\n,\n");
    let text = format!("locals {{\n  x = \"X\"\n  yes = true\n  all = [\n{items}\n]\n}}\n");
    for (name, text) in [("main.tf", &*text), ("in", "jsonencode(local.all)\n")] {
        let mut file = File::create(file(name)).expect("a scratch file");
        file.write_all(text.as_bytes()).expect("the disk has room");
    }
    let mut run = Command::new("terraform");
    run.arg("console").current_dir(folder.path());
    run.stdin(File::open(file("in")).expect("it was just written"));
    let output = run.output().expect("terraform starts");
    let printed: String = serde_json::from_slice(&output.stdout).expect("terraform prints JSON");
    let values: Vec<String> = serde_json::from_str(&printed).expect("jsonencode gives JSON");
    for ((written, expected), value) in TEMPLATES.into_iter().zip(values) {
        assert_eq!(value, expected, "{written}");
    }
}
