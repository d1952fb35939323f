//! Functions and comparisons, with the answers of Helm 3.17: an expression, ` ⇒ `, what it prints, `¶`.

use std::{fs, process::Command, thread};

use karplint_test_tools::can_run;

use super::template;

const CASES: &str = include_str!("functions.txt");

/// What Helm refuses, an expression a line.
const REFUSED: &str = include_str!("refused.txt");

/// What Helm 4 answers otherwise: it has a newer package for ranges, another form of numbers in TOML, other words
/// about JSON, and other types of its own.
const OTHERWISE_IN_HELM_4: [&str; 14] = [
    "fromJson \"{\\\"a\\\": 1.x}\"",
    "fromJson \"{\\\"a\\\": \\\"\\\\q\\\"}\"",
    "typeOf .Capabilities",
    "typeOf .Capabilities.KubeVersion",
    "kindOf .Chart",
    "toJson .Chart",
    "toYaml .Chart",
    "toPrettyJson .Chart",
    ".Chart | toRawJson",
    "printf \"%v\" .Capabilities.KubeVersion",
    ".Capabilities.KubeVersion | quote",
    "semverCompare \"!=1.2.3\" \"1.2.3-rc.1\"",
    "semverCompare \"!=1.2.3\" \"v1.20.15-eks-1\"",
    "toToml (dict \"f\" 1e21 \"g\" 1000000.0 \"h\" 0.0000001 \"i\" 123456789.5 \"j\" -0.0)",
];

fn cases() -> Vec<(&'static str, String)> {
    let plain = |it: &str| {
        it.replace("\\\\", "\u{1}").replace("\\n", "\n").replace("\\t", "\t").replace('\u{1}', "\\")
    };
    let case = |line: &'static str| {
        let (expression, answer) = line.split_once(" ⇒ ").unwrap();
        (expression, plain(answer.strip_suffix('¶').unwrap()))
    };
    CASES.lines().map(case).collect()
}

/// A template of all expressions, and the answers in what it printed.
fn form(expressions: &[&str]) -> String {
    let lines = expressions.iter().enumerate();
    let lines: Vec<String> = lines.map(|(at, it)| format!("#@{at}@{{{{ {it} }}}}\n")).collect();
    lines.concat() + "#@end@"
}

#[test]
fn functions_answer_as_helm_does() {
    let mut wrong = Vec::new();
    for (expression, expected) in cases() {
        let found = template(&format!("{{{{ {expression} }}}}"), "");
        let found = found.unwrap_or_else(|it| format!("error: {}", it.message));
        if found != expected {
            wrong.push(format!("{expression}\n  helm {expected:?}\n  here {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases().len(), wrong.join("\n"));
}

#[test]
fn what_helm_refuses_is_refused() {
    let accepted = REFUSED.lines().filter_map(|it| {
        let printed = template(&format!("{{{{ {it} }}}}"), "").ok()?;
        Some(format!("{it}\n  here {printed:?}"))
    });
    let accepted: Vec<String> = accepted.collect();
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
}

/// In Helm 4 `.Chart` is a map.
#[test]
fn what_one_helm_refuses_and_another_does_not_is_unknown() {
    for expression in
        [".Chart.Nothing", "keys .Chart | len", "index .Chart \"Name\"", "hasKey .Chart \"x\""]
    {
        let printed = template(&format!("{{{{ {expression} }}}}"), "").unwrap();
        assert!(printed.contains(crate::value::HOLE_START), "{expression}: {printed:?}");
    }
}

#[test]
fn helm_itself_refuses_these() {
    if !can_run("helm") {
        return;
    }
    let expressions: Vec<&str> = REFUSED.lines().collect();
    thread::scope(|scope| {
        for part in expressions.chunks(expressions.len().div_ceil(4)) {
            scope.spawn(move || {
                for it in part {
                    assert!(!printed_by_helm(&[it]).contains("#@end@"), "{it}");
                }
            });
        }
    });
}

/// What helm prints for a template of expressions.
#[expect(clippy::disallowed_methods, reason = "helm reads its chart from the disk")]
fn printed_by_helm(expressions: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("templates")).unwrap();
    fs::write(folder.path().join("Chart.yaml"), super::CHART).unwrap();
    fs::write(folder.path().join("templates/t.yaml"), form(expressions)).unwrap();
    let output = Command::new("helm")
        .args(["template", "release-name", ".", "--debug", "--kube-version", "1.32.0"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn helm_itself_gives_these_answers() {
    if !can_run("helm") {
        return;
    }
    let cases = cases();
    let expressions: Vec<&str> = cases.iter().map(|(it, _)| *it).collect();
    let text = printed_by_helm(&expressions);
    let version = Command::new("helm").args(["version", "--short"]).output().unwrap();
    let is_helm_4 = version.stdout.starts_with(b"v4.");
    for (at, (expression, expected)) in cases.iter().enumerate() {
        let begin = format!("#@{at}@");
        let (_, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{expression}: {text}"));
        let answer = rest.split("\n#@").next().unwrap();
        if is_helm_4 && OTHERWISE_IN_HELM_4.contains(expression) {
            continue;
        }
        assert_eq!(answer, expected, "{expression}");
    }
}
