//! Small files that describe something endless.

use crate::resolve::terraform::tests::{Project, eval};

/// Locals `a0 = "x"` and `a1`, `a2` … each made from the one before it.
fn chain(length: usize, step: &str) -> String {
    let line =
        |it: usize| format!("  a{it} = {}\n", step.replace('@', &format!("local.a{}", it - 1)));
    let lines: String = (1..=length).map(line).collect();
    format!("locals {{\n  a0 = \"x\"\n{lines}}}\n")
}

#[test]
fn what_doubles_at_each_step_is_unknown_in_the_end() {
    let steps = [
        "[@, @]",
        "{ a = @, b = @ }",
        "\"${@}${@}\"",
        "[for x in [1, 2] : @]",
        "jsonencode([@, @])",
        "concat([@], [@], [@, @])",
        "merge({ a = @ }, { b = [@] })",
        "\"%{ for x in [1, 2, 3] }${@}%{ endfor }\"",
        "try([@, @], 1)",
        "@ == [@] ? [@] : [@, @]",
    ];
    for step in steps {
        for ask in
            ["local.a63", "can(local.a63)", "jsonencode(local.a63)", "local.a63 == local.a62"]
        {
            let answer = eval(&chain(63, step), ask);
            assert!(answer.len() < 10_000_000, "{step}, {ask}");
        }
    }
}

#[test]
fn long_chains_are_unknown_not_an_overflow() {
    for step in ["@", "[@]", "{ a = [for x in [1] : merge({ v = try(@, 1) }, {})] }", "\"${@}-\""] {
        // Asked from the far end everything is new, from the near end everything is known already.
        let far = eval(&chain(3_000, step), "local.a3000");
        assert!(!far.contains('x'), "{step}: {far}");
        let ask = |it: usize| format!("resource \"r\" \"r{it}\" {{\n  x = local.a{it}\n}}\n");
        let asked: Vec<String> = (0..3_000).map(ask).collect();
        eval(&(chain(3_000, step) + &asked.concat()), "jsonencode(local.a3000)");
    }
}

#[test]
fn modules_that_call_themselves_end() {
    let call = |name: &str, source: &str| {
        format!(
            "module \"{name}\" {{\n  source = \"{source}\"\n  for_each = toset([\"a\", \"b\"])\n}}\n"
        )
    };
    let twice = |source: &str| call("x", source) + &call("y", source);
    let mut files: Vec<(String, String)> =
        (0..40).map(|it| (format!("m{it}/main.tf"), twice(&format!("../m{}", it + 1)))).collect();
    files.push(("m40/main.tf".into(), twice("../m0")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let project = Project::new(&files);
    assert_eq!(project.terraform.roots.len(), 1);
}

#[test]
fn ten_thousand_brackets_are_refused_and_the_rest_is_read() {
    for (open, close) in
        [("[", "]"), ("(", ")"), ("{ a = ", "}"), ("\"${", "}\""), ("-", ""), ("f(", ")")]
    {
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        let main = format!("locals {{\n  deep = {deep}\n}}\n");
        let probe = "module \"probe\" {\n  x = upper(\"fine\")\n  y = local.deep\n}\n";
        let project = Project::new(&[("deep.tf", &main), ("main.tf", probe)]);
        assert_eq!(project.at("module.probe", "x").as_str(), Some("FINE"), "{open}");
        assert!(project.at("module.probe", "y").is_unknown(), "{open}");
    }
}
