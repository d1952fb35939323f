//! The same expressions, evaluated by karplint and by Terraform itself.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::resolve::terraform::tests::eval;

const DECLARATIONS: &str = r#"
variable "text" { default = "1.8.3" }
variable "count_text" {
  type    = number
  default = "3"
}
variable "pool" {
  type = object({
    name  = string
    size  = optional(number, 2)
    taint = optional(object({ key = optional(string, "k"), value = optional(string) }), {})
    list  = optional(list(object({ a = optional(bool, true) })), [{}])
  })
  default = { name = 5, extra = 1 }
}
variable "set" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "map" {
  type    = map(object({ v = optional(string, "d") }))
  default = { z = {}, a = { v = 1 } }
}
variable "fixed" {
  default  = 7
  nullable = false
}
locals {
  list   = ["c", "a", "b"]
  object = { b = 1, a = "x", "c-d" = [1, 2], n = null }
  nested = { one = { taints = [{ key = "k", value = "v" }] }, two = { taints = [] } }
  template = "$${y}: %%{ for i in x }<$${i}>%%{ endfor }"
  merged = merge(local.object, { b = 2 })
}
"#;

/// Each is asked of both; both must give the same.
const EXPRESSIONS: &[&str] = &[
    "1 + 2 * 3",
    "\"1\" + 2",
    "7 / 2",
    "-7 % 3",
    "10 / 5",
    "1.50",
    "1e3",
    "\"${1.50}-${100}-${1e21}-${0.1}\"",
    "1 == \"1\"",
    "\"a\" == \"a\"",
    "1 == 1.0",
    "[1] == [1]",
    "{ a = 1 } == { a = 1 }",
    "null == null",
    "local.object.n == null",
    "local.object == null",
    "!true || false && true",
    "!(\"true\")",
    "\"3\" > 2 && 2 >= 2",
    "true ? 1 : \"a\"",
    "false ? 1 : \"a\"",
    "true ? \"x\" : null",
    "true ? { a = 1 } : {}",
    "true ? [] : [1]",
    "local.object.b",
    "local.object[\"c-d\"][1]",
    "local.list.0",
    "local.list[\"1\"]",
    "local.list[length(local.list) - 1]",
    "local.merged.b",
    "local.nested.one.taints[0].key",
    "local.nested[*].one",
    "local.list[*]",
    "[{ a = 1 }, { a = 2 }][*].a",
    "[{ a = [1, 2] }, { a = [3] }].*.a[0]",
    "[{ a = [1, 2] }, { a = [3] }][*].a[0]",
    "[{ a = [{ b = 1 }] }][*].a[*].b",
    "null[*]",
    "\"x\"[*]",
    "[for x in local.list : upper(x)]",
    "[for i, x in local.list : \"${i}${x}\"]",
    "[for k, v in { b = 1, a = 2 } : \"${k}=${v}\"]",
    "[for x in local.list : x if x != \"a\"]",
    "{ for x in local.list : x => upper(x) }",
    "{ for i, x in local.list : x => i }",
    "{ for x in [\"aa\", \"ab\", \"b\"] : substr(x, 0, 1) => x... }",
    "{ for k, v in local.nested : k => [for t in v.taints : t.key] }",
    "[for k, v in toset([\"b\", \"a\"]) : \"${k}${v}\"]",
    "[for s in var.set : s]",
    "[for o in [{ a = 1 }] : { for k, v in o : \"x-${k}\" => v }]",
    "flatten([for k, v in local.nested : [for t in v.taints : merge(t, { pool = k })]])",
    "{ (var.text) = 1, \"${var.text}x\" = 2, a : 3 }",
    "{ \"a\" = 1, b = { c = [] } }",
    "var.pool",
    "var.pool.taint.key",
    "var.pool.list[0].a",
    "var.set",
    "var.map",
    "var.map[\"a\"].v",
    "var.count_text",
    "var.count_text == 3",
    "var.fixed",
    "\"%{ if var.fixed == 7 }yes%{ else }no%{ endif }\"",
    "\"%{ if false }yes%{ endif }\"",
    "\"%{ for x in local.list }${x},%{ endfor }\"",
    "\"%{ for k, v in { b = 1, a = 2 } }${k}${v} %{ endfor }\"",
    "\"a ${\"b ${\"c\"}\"}\"",
    "\"$${x} %%{y} \\\"q\\\" \\n \\t \\u00e9\"",
    "\"${[1, 2][0]}\"",
    "\"${true}\"",
    "try(local.object.zzz, \"default\")",
    "try(local.object.a, \"default\")",
    "try(local.object.nope[0], local.list[9], \"last\")",
    "try(tostring(local.nested), jsonencode(local.nested))",
    "can(local.object.zzz)",
    "can(local.object.a)",
    "can(local.list[3])",
    "can(\"${local.list}\")",
    "can(null.a)",
    "can(\"x\" + 1)",
    "can({ for x in [\"a\", \"a\"] : x => 1 })",
    "can(-\"a\")",
    "can(!1)",
    "lookup(local.object, \"zzz\", \"d\")",
    "lookup(local.nested, \"one\", {}).taints[0].value",
    "coalesce(local.object.n, \"x\")",
    "merge([{ a = 1 }, { b = 2 }]...)",
    "concat([1], [\"a\"], [])",
    "max([1, 5, 3]...)",
    "format(\"%s-%03d\", var.text, 7)",
    "templatestring(var.text, {})",
    "path.module",
    "-var.fixed",
    "(var.fixed)",
    "length(\"héllo\")",
    "[for x in [1, \"2\", true] : x]",
    "tolist([1, \"2\", true])",
    "jsondecode(jsonencode(local.nested)).one.taints[0].value",
    "yamldecode(\"a: [1, {b: c}]\").a[1].b",
    "sensitive(1) == 1 ? \"y\" : \"n\"",
    "0.1 + 0.2",
    "floor(1 / 3 * 100)",
    "\"${1}\"",
    "\"${1}x\"",
    "1 + 2 == 3 && 4 - 1 == 3 || false",
    "!false == true",
    "-1 - -2",
    "2 * 3 % 4",
    "true ? false ? 1 : 2 : 3",
    "true ? true : \"x\"",
    "false ? 1 : null",
    "null == \"\"",
    "[] == []",
    "{} == {}",
    "[1, 2] == [1, \"2\"]",
    "[1, 2] != [1, 3]",
    "{ a = 1, b = 2 } == { b = 2, a = 1 }",
    "\"true\" == true",
    "\"1\" != 1",
    "local.object.n == local.object.n",
    "[for x in [1, null, 2] : x if x != null]",
    "[for x in [3, 1, 2] : x * 2 if x % 2 == 1]",
    "{ for k, v in local.object : k => v if v != null }",
    "{ for k, v in { a = [1, 2], b = [3] } : k => { for i, x in v : \"n${i}\" => x } }",
    "{ for i in range(3) : \"k${i}\" => i }",
    "{ for x in [{ n = \"a\", g = 1 }, { n = \"b\", g = 1 }] : x.g => x.n... }",
    "[for a in [1, 2] : [for b in [10, 20] : a * b]]",
    "flatten([for a in [\"x\", \"y\"] : [for b in [1, 2] : { a = a, b = b }]])",
    "[for k in keys({ b = 1, a = 2 }) : k]",
    "values({ b = 1, a = 2 })",
    "{ b = 1, a = 2 }[\"a\"]",
    "{ \"1\" = \"one\" }[1]",
    "[\"a\", \"b\"][\"0\"]",
    "[[1, 2], [3]][0][1]",
    "[{ a = { b = [5] } }][0].a.b[0]",
    "can([1][-1])",
    "can([1][0.5])",
    "can({ a = 1 }[null])",
    "can(\"abc\"[0])",
    "can([1].a)",
    "can(null == null)",
    "can(\"${null}\")",
    "can(\"x${null}\")",
    "can([for x in null : x])",
    "can([for x in \"abc\" : x])",
    "can(\"a\" ? 1 : 2)",
    "can(\"1\" ? 1 : 2)",
    "\"true\" ? 1 : 2",
    "can(1 && true)",
    "can(\"true\" && true)",
    "can([1] + 1)",
    "can(null + 1)",
    "can(true < 1)",
    "can(upper())",
    "can(tonumber(\"x\"))",
    "[{ a = null }, { a = [1] }][*].a",
    "[[1, 2], [3]][*][0]",
    "{ a = [{ b = 1 }, { b = 2 }] }.a[*].b",
    "{ a = [{ b = 1 }, { b = 2 }] }.a.*.b",
    "length([for t in [null][*] : t])",
    "local.nested[\"one\"][\"taints\"][0][\"value\"]",
    "merge(local.nested, { one = merge(local.nested.one, { extra = [for i in [1] : i] }) })",
    "merge({ a = 1 }, null, { b = 2 })",
    "lookup({ a = { b = 1 } }, \"a\", null).b",
    "coalescelist([], local.list)[0]",
    "element(local.list, 4)",
    "zipmap([\"a\", \"b\"], [1, 2])",
    "try(local.nested.three.taints, local.nested.one.taints)[0].key",
    "try([for x in local.object.zzz : x], [])",
    "try(var.pool.nope, var.pool.name)",
    "var.pool.taint.value == null ? \"none\" : \"some\"",
    "[for k, v in var.map : \"${k}:${v.v}\"]",
    "var.count_text + 1",
    "\"${var.count_text}\"",
    "contains(var.set, \"a\") ? var.text : \"\"",
    "join(\",\", [for s in var.set : upper(s)])",
    "{ for s in var.set : s => length(s) }",
    "jsonencode({ a = var.text, b = [var.count_text, null, true], c = { d = 1.5 } })",
    "yamldecode(yamlencode(local.nested)).one.taints[0].key",
    "format(\"%s %v %q %t %d %5.2f\", \"a\", [1], \"q\", true, 3, 2.5)",
    "replace(var.text, \"/\\\\.[0-9]+$/\", \"\")",
    "split(\".\", var.text)[1] + 1",
    "tonumber(split(\".\", var.text)[0]) >= 1",
    "\"%{ if true ~}  a  %{~ endif }b\"",
    "\"%{ for i, x in [\"p\", \"q\"] ~} ${i}=${x} %{~ endfor }\"",
    "\"%{ if local.object.n == null }null%{ else }${local.object.b}%{ endif }\"",
    "\"a\\\\b\\tc\\\"d\\u00fc$$$${e}\"",
    "templatestring(local.template, { x = [1, 2], y = \"v\" })",
];

/// Terraform's answers in order; `None` where it is not installed.
fn ask_terraform() -> Option<Vec<String>> {
    let folder = tempfile::tempdir().ok()?;
    let mut main =
        tempfile::Builder::new().prefix("main").suffix(".tf").tempfile_in(folder.path()).ok()?;
    main.write_all(DECLARATIONS.as_bytes()).ok()?;
    let mut child = Command::new("terraform")
        .arg("console")
        .current_dir(folder.path())
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    // The console answers only the last line it is given.
    let asked: Vec<String> = EXPRESSIONS.iter().map(|it| asked(it)).collect();
    let line = format!("join(\",\", [{}])\n", asked.join(", "));
    child.stdin.take()?.write_all(line.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(answers.trim().trim_matches('"').split(',').map(|it| format!("\"{it}\"")).collect())
}

/// Plain letters whatever the value is; what is sensitive is shown all the same.
fn asked(expression: &str) -> String {
    format!("nonsensitive(base64encode(jsonencode({expression})))")
}

#[test]
fn terraform_says_the_same() {
    let Some(answers) = ask_terraform() else {
        eprintln!("skipped: terraform is not installed");
        return;
    };
    assert_eq!(answers.len(), EXPRESSIONS.len());
    let mut different = Vec::new();
    for (expression, expected) in EXPRESSIONS.iter().zip(answers) {
        let ours = eval(DECLARATIONS, &asked(expression));
        if ours != expected {
            let json = |it: &str| eval("", &format!("base64decode({it})"));
            let shown = if ours.starts_with('?') { ours } else { json(&ours) };
            different.push(format!("{expression}\n  ours   {shown}\n  theirs {}", json(&expected)));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
