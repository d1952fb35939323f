//! The recorded expectations against the terraform binary, where there is one.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use super::expectations;
use crate::resolve::terraform::functions::base64;

/// Expressions a console session evaluates at once; a line of its input must stay below 64 KB.
const AT_ONCE: usize = 60;

#[test]
fn expectations_are_terraforms() {
    let recorded: Vec<_> = expectations().filter(|it| it.1 != "unknown").collect();
    assert!(recorded.len() >= 400, "only {} expectations", recorded.len());
    if Command::new("terraform").arg("version").output().is_err() {
        eprintln!("skipped: terraform is not installed; only the recorded answers were checked");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for chunk in recorded.chunks(AT_ONCE) {
        let answers = ask(folder.path(), chunk);
        for ((expression, expected), answer) in chunk.iter().zip(&answers) {
            assert_eq!(answer, expected, "{expression}");
        }
        assert_eq!(answers.len(), chunk.len());
    }
}

/// Terraform's answers, in base64 so that the console's own quoting does not matter.
fn ask(folder: &std::path::Path, expressions: &[(&str, &str)]) -> Vec<String> {
    let tries = expressions.iter().map(|it| format!("try(jsonencode({}), \"fault\")", it.0));
    let tries = tries.collect::<Vec<_>>().join(",");
    let mut console = Command::new("terraform")
        .arg("console")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("terraform starts");
    let mut input = console.stdin.take().expect("a pipe");
    writeln!(input, "base64encode(jsonencode([{tries}]))").expect("terraform reads");
    drop(input);
    let output = console.wait_with_output().expect("terraform ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let bytes = base64::decode_bytes(text.trim().trim_matches('"'));
    let bytes =
        bytes.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_slice(&bytes).expect("a JSON list of texts")
}
