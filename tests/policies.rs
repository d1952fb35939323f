//! Policies: the tests of those on the shelf, those that documentation shows, and what `karplint policy` writes.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and write its own files"
)]

mod admission;
mod recorded;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use karplint::{
    policies::{RuleBook, shelf::SHELF},
    policy_test::{self, Outcome},
    project::Project,
    source::column::ColumnUnit,
};

/// The policies of a text.
fn book(text: &str) -> (Project, RuleBook) {
    let project = Project::from_memory(vec![("policy.yaml".to_owned(), text.to_owned())]);
    let files: Vec<_> = project.files.iter().map(|it| it.0).collect();
    let book = RuleBook::read(&project.files, &files);
    (project, book)
}

/// What is wrong with the policies of a text: mistakes, and tests that fail.
fn wrong(text: &str) -> Vec<String> {
    let (_, book) = book(text);
    let mut wrong: Vec<String> = book.errors.iter().map(|it| it.message.clone()).collect();
    for policy in book.policies() {
        let failed = policy_test::run(policy, text).into_iter().filter(|it| !it.is_passed());
        let said = |it: Outcome| {
            let Outcome { name, expected, got, remarks, .. } = it;
            format!("{} / {name}: expected {expected:?}, got {got:?} {remarks:?}", policy.name)
        };
        wrong.extend(failed.map(said));
    }
    wrong
}

#[test]
fn every_policy_on_the_shelf_passes_its_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies");
    let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
    let mut files: Vec<String> = files.map(|it| it.into_string().unwrap()).collect();
    files.sort();
    let shelf: Vec<String> = SHELF.iter().map(|it| format!("{}.yaml", it.0)).collect();
    assert_eq!(files, shelf, "src/policies/shelf.rs lists the folder");
    for (name, text) in SHELF {
        assert_eq!(wrong(text), [""; 0], "{name}");
        let (_, book) = book(text);
        let policies: Vec<_> = book.policies().collect();
        let [policy] = &*policies else { panic!("{name}: one policy") };
        assert_eq!(&*policy.name, *name);
        assert!(policy.why.len() > 80 && policy.help.is_some(), "{name} has a reason and help");
        let finds = |wanted: bool| policy.tests.iter().any(|it| it.expected.is_empty() != wanted);
        assert!(
            finds(true) && finds(false),
            "{name} has a test that finds something and one that does not"
        );
    }
}

/// The code blocks of a text in a language, with what follows its name.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<(&'t str, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|it| !it.starts_with("```")).collect();
        if let Some(rest) = info.strip_prefix(language) {
            found.push((rest.trim(), block.join("\n") + "\n"));
        }
    }
    found
}

const DOCUMENTATION: &str = include_str!("../docs/policies.md");

#[test]
fn the_examples_of_the_documentation_pass_their_tests() {
    let examples = blocks(DOCUMENTATION, "yaml");
    assert!(examples.len() >= 4);
    for (_, text) in examples {
        assert_eq!(wrong(&text), [""; 0], "{text}");
        assert!(book(&text).1.policies().all(|it| !it.tests.is_empty()), "{text}");
    }
    for (subject, text) in blocks(DOCUMENTATION, "cel") {
        for expression in text.lines() {
            let policy = format!(
                "apiVersion: karplint/v1\nkind: Policy\nmetadata: {{name: a}}\nspec:\n  title: A\n  subject: \
                 {subject}\n  validations:\n    - expression: |\n        type({expression}) != string\n"
            );
            assert_eq!(wrong(&policy), [""; 0], "{expression}");
        }
    }
}

/// A policy with another expression, and how a mistake in it is shown.
fn mistake(line: &str, by: &str) -> Vec<(usize, usize, String)> {
    const POLICY: &str = "apiVersion: karplint/v1
kind: Policy
metadata: {name: sound}
spec:
  title: A sound policy
  subject: nodePool
  validations:
    - expression: object.spec.weight <= 10
";
    assert!(POLICY.contains(line), "{line}");
    let text = POLICY.replace(line, by);
    let (project, book) = book(&text);
    let shown = |it: &karplint::syntax::ParseError| {
        let file = project.files.get(it.span.file);
        let at = file.position(it.span.start as usize, ColumnUnit::Characters);
        (at.line, at.column, it.message.clone())
    };
    book.errors.iter().map(shown).collect()
}

#[test]
fn each_mistake_is_one_finding_at_its_character() {
    let expression = "object.spec.weight <= 10";
    let parentheses = format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000));
    for (line, by, place, words) in [
        (expression, "object.spec.weight <= ", (8, 40), "the expression ends"),
        (expression, "object.spec.wieght <= 10", (8, 31), "did you mean `weight`?"),
        (expression, "object.spec.weight <= '10'", (8, 41), "between `int` and `string`"),
        (expression, "object.spec.weight", (8, 19), "bool"),
        (expression, &*parentheses, (8, 169), "nested deeper than 150 levels"),
        (expression, "object.metadata.name.matches('(a')", (8, 48), "not a regular expression"),
        ("subject: nodePool", "subject: nodepool", (6, 12), "did you mean `nodePool`?"),
        ("title: A", "tilte: A", (5, 3), "did you mean `title`?"),
        ("name: sound", "name: unreadable", (3, 18), "is a rule of karplint"),
        ("kind: Policy", "kind: [", (4, 1), "is missing here"),
    ] {
        let found = mistake(line, by);
        let shown: String = by.chars().take(60).collect();
        let [(at, column, message), ..] = &*found else { panic!("{shown} is no mistake") };
        assert!(message.contains(words), "{shown}: {message}");
        assert_eq!((*at, *column), place, "{shown}: {message}");
    }
}

fn karplint(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_karplint");
    let command = || Command::new(program).current_dir(folder).args(arguments).output();
    command().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_hurts_one_policy_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let policy = |name: &str, expression: &str| {
        let text = format!(
            "apiVersion: karplint/v1\nkind: Policy\nmetadata: {{name: {name}}}\nspec:\n  title: {name}\n  subject: \
             nodePool\n  validations:\n    - expression: >-\n        {expression}\n"
        );
        write(&format!(".karplint/policies/{name}.yaml"), &text);
    };
    policy("sound", "object.metadata.name != 'default'");
    policy("endless", "lists.range(1000000).all(a, lists.range(1000).all(b, a + b >= 0))");
    policy(
        "hungry",
        "object.metadata.name.matches('^(a+)+$') || object.metadata.name.matches('((a{1000}){1000}){1000}')",
    );
    policy("deep", &format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000)));
    policy("broken", "object.metadata.name ==");
    write(
        "pool.yaml",
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n  limits: {cpu: 1}\n  \
         template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, \
         requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}}\n",
    );
    let done =
        karplint(folder.path(), &["check", "--format", "concise", "--only", "policies,unreadable"]);
    let said = text(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{said}{}", text(&done.stderr));
    assert!(said.contains("pool.yaml:3:18:"), "the sound one runs: {said}");
    for name in ["endless", "hungry", "deep", "broken"] {
        let place = format!(".karplint/policies/{name}.yaml:");
        assert_eq!(said.matches(&place).count(), 1, "{name}: {said}");
    }
}

#[test]
fn a_new_policy_passes_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    let done = karplint(folder.path(), &["policy", "new", "pools-have-limits"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let done = karplint(folder.path(), &["policy", "test"]);
    let wanted = "pools-have-limits\n  ok      a pool without limits\n  ok      a pool with limits\n2 passed, 0 failed\n";
    assert_eq!((done.status.code(), text(&done.stdout)), (Some(0), wanted.to_owned()));
    for (name, words) in [
        ("pools-have-limits", "there is a rule or a topic of that name"),
        ("unreadable", "there is a rule or a topic of that name"),
        ("Pools", "kebab-case"),
    ] {
        let done = karplint(folder.path(), &["policy", "new", name]);
        assert_eq!(done.status.code(), Some(2), "{name}");
        assert!(text(&done.stderr).contains(words), "{name}: {}", text(&done.stderr));
    }
    let path = folder.path().join(".karplint/policies/pools-have-limits.yaml");
    let broken = fs::read_to_string(&path).unwrap().replace("- pool.yaml:5", "- pool.yaml:7");
    fs::write(&path, broken).unwrap();
    let done = karplint(folder.path(), &["policy", "test", ".karplint/policies"]);
    let said = text(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        said.contains("          expected  pool.yaml:7\n          got       pool.yaml:5\n"),
        "{said}"
    );
    assert!(said.ends_with("1 passed, 1 failed\n"), "{said}");
}

#[test]
fn policies_of_the_shelf_are_copied_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let done = karplint(folder.path(), &["init", "--policies"]);
    let said = text(&done.stdout);
    assert!(SHELF.iter().all(|it| said.contains(it.0)), "{said}");
    let done = karplint(folder.path(), &["init", "--policies", "amis-are-pined"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        text(&done.stderr).contains("did you mean `amis-are-pinned`?"),
        "{}",
        text(&done.stderr)
    );
    let done = karplint(folder.path(), &["init", "--policies", "amis-are-pinned,addon-versions"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let done = karplint(folder.path(), &["policy", "test"]);
    assert!(text(&done.stdout).ends_with("4 passed, 0 failed\n"), "{}", text(&done.stdout));
    let done = karplint(folder.path(), &["init", "--policies", "all"]);
    assert_eq!(done.status.code(), Some(2), "two are there already, and none is written");
    let done = karplint(folder.path(), &["policy", "test"]);
    assert!(text(&done.stdout).ends_with("4 passed, 0 failed\n"));
}

#[test]
fn the_schema_of_policies_is_one_for_editors() {
    let done = karplint(Path::new("."), &["schema", "--policy"]);
    let schema: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let spec = schema["properties"]["spec"]["properties"].as_object().unwrap();
    for (name, text) in SHELF {
        let fields = text
            .lines()
            .filter_map(|it| it.strip_prefix("  "))
            .filter(|it| !it.starts_with([' ', '-', '#']));
        let fields = fields.filter_map(|it| it.split_once(':')).map(|it| it.0);
        for field in fields.filter(|it| *it != "name") {
            assert!(spec.contains_key(field), "{name}: {field}");
        }
    }
}
