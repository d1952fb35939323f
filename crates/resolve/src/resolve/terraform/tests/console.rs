//! The same expressions, evaluated by karplint and by Terraform itself.
//!
//! `expected.txt` holds expressions with what Terraform 1.11 answered among the declarations of
//! `scope.tf`: JSON, or `fault`. karplint must answer the same or unknown.
//!
//! Not in the list, because values do not show it: nulls that have a type (Terraform refuses
//! `tolist(var.text)` though the text is null), the type of a map's values where a default must fit it,
//! and `false && (a fault)`, which Terraform refuses up to 1.11 and answers from 1.12 on.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::{
    findings::Severity,
    resolve::terraform::{functions::base64, tests::Project},
    value::Kind,
};

const SCOPE: &str = include_str!("scope.tf");

/// Answers in a thousand that may be unknown where Terraform has a value.
const MOST_UNKNOWN: usize = 20;

/// The recorded expressions with Terraform's answers.
fn expectations() -> Vec<(&'static str, &'static str)> {
    include_str!("expected.txt").lines().filter_map(|it| it.rsplit_once(" => ")).collect()
}

fn asked(expression: &str) -> String {
    format!("try(jsonencode({expression}), \"fault\")")
}

#[test]
fn answers_are_terraforms_or_unknown() {
    let expectations = expectations();
    assert!(expectations.len() >= 2_000, "only {} expressions", expectations.len());
    let probes = expectations.iter().enumerate();
    let probes: Vec<String> = probes
        .map(|(index, (expression, _))| format!("  x{index} = {}", asked(expression)))
        .collect();
    let main = format!("{SCOPE}\nmodule \"probe\" {{\n{}\n}}\n", probes.join("\n"));
    let project = Project::new(&[("main.tf", &main)]);
    let mut parse_errors = project.terraform.parse_errors.iter();
    assert!(
        parse_errors.all(|it| it.severity < Severity::Error),
        "{:?}",
        project.terraform.parse_errors
    );
    let body = &project.object("module.probe").body;
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());
    for (index, (expression, expected)) in expectations.iter().enumerate() {
        let answer = body.get(&format!("x{index}")).present().expect("an answer");
        match &answer.kind {
            Kind::String(text) if text.holes.is_empty() && &*text.text == *expected => {}
            Kind::String(text) if text.holes.is_empty() => {
                wrong.push(format!("{expression}\n  ours   {}\n  theirs {expected}", text.text));
            }
            _ => unknown.push(*expression),
        }
    }
    let count = expectations.len();
    eprintln!("{} of {count} answers are unknown: {unknown:#?}", unknown.len());
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(unknown.len() * 1_000 <= count * MOST_UNKNOWN, "too many are unknown");
}

/// Bytes of one line for the console, which reads no more than 64 KB of one.
const LONGEST_LINE: usize = 50_000;

#[test]
fn expectations_are_terraforms() {
    if !karplint_test_tools::can_run("terraform") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("main.tf");
    let mut main = tempfile::NamedTempFile::new_in(folder.path()).expect("a file");
    main.write_all(SCOPE.as_bytes()).expect("a scope");
    main.persist(path).expect("a module");
    let mut waiting = &expectations()[..];
    while !waiting.is_empty() {
        let mut length = 0;
        let fitting = waiting.iter().take_while(|it| {
            length += it.0.len() + 40;
            length < LONGEST_LINE
        });
        let (chunk, rest) = waiting.split_at(fitting.count());
        let answers = ask(folder.path(), chunk);
        assert_eq!(answers.len(), chunk.len());
        for ((expression, expected), answer) in chunk.iter().zip(&answers) {
            assert_eq!(answer, expected, "{expression}");
        }
        waiting = rest;
    }
}

/// Terraform's answers, in base64 so that the console's own quoting does not matter.
pub(crate) fn ask(folder: &std::path::Path, expressions: &[(&str, &str)]) -> Vec<String> {
    let tries: Vec<String> = expressions.iter().map(|it| asked(it.0)).collect();
    let mut console = Command::new("terraform")
        .arg("console")
        .current_dir(folder)
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("terraform starts");
    let mut input = console.stdin.take().expect("a pipe");
    let line = format!("nonsensitive(base64encode(jsonencode([{}])))", tries.join(","));
    writeln!(input, "{line}").expect("terraform reads");
    drop(input);
    let output = console.wait_with_output().expect("terraform ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let bytes = base64::decode_bytes(text.trim().trim_matches('"'));
    let bytes =
        bytes.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_slice(&bytes).expect("a JSON list of texts")
}
