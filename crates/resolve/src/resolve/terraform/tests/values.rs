//! Values and their origins.

use crate::{
    resolve::terraform::{
        options::TerraformOptions,
        tests::{Project, eval, show},
    },
    value::Kind,
};

#[test]
fn a_version_is_followed_to_its_literal() {
    let project = Project::new(&[
        (
            "main.tf",
            "variable \"v\" {\n  default = \"1.8.3\"\n}\nlocals {\n  k = { version = var.v }\n}\n\
             module \"k\" {\n  source = \"./k\"\n  chart_version = local.k.version\n}\n",
        ),
        (
            "k/main.tf",
            "variable \"chart_version\" {\n  type = string\n}\n\
             resource \"helm_release\" \"k\" {\n  version = var.chart_version\n}\n",
        ),
    ]);
    assert_eq!(project.terraform.roots.len(), 1);
    let value = project.at("module.k.helm_release.k", "version");
    assert_eq!(value.as_str(), Some("1.8.3"));
    assert_eq!(project.source(&value), "\"1.8.3\"");
    assert_eq!(
        project.steps(&value),
        [
            "through `var.chart_version` @ var.chart_version",
            "passed to `module.k` as `chart_version` @ local.k.version",
            "through `local.k.version` @ local.k.version",
            "through `var.v` @ var.v",
        ]
    );
    let object = project.object("module.k.helm_release.k");
    assert_eq!(project.files.text(object.body.name), "resource \"helm_release\" \"k\"");
}

#[test]
fn variable_files_beat_defaults_in_their_order() {
    let main = "variable \"a\" { default = \"0\" }\nvariable \"b\" { default = \"0\" }\n\
                variable \"c\" { default = \"0\" }\nvariable \"d\" { default = \"0\" }\n\
                module \"probe\" { x = [var.a, var.b, var.c, var.d] }\n";
    let project = Project::with(
        &[
            ("r/main.tf", main),
            ("r/terraform.tfvars", "a = \"1\"\nb = \"1\"\nc = \"1\"\n"),
            ("r/x.auto.tfvars", "b = \"2\"\nc = \"2\"\n"),
            ("envs/prod.tfvars", "c = \"3\"\n"),
        ],
        &TerraformOptions {
            var_files: vec!["envs/prod.tfvars".into()],
            ..TerraformOptions::default()
        },
    );
    let value = project.at("module.probe", "x");
    assert_eq!(show(&value), r#"["1","2","3","0"]"#);
    assert_eq!(project.files.get(value.items()[2].span.file).path(), "envs/prod.tfvars");
    assert!(!project.root("r").reusable);
}

#[test]
fn what_is_unknown_keeps_its_expression() {
    let declarations = "variable \"v\" {}\nvariable \"d\" { default = 3 }\n\
                        locals {\n  a = local.b\n  b = local.a\n  u = var.v\n}\n\
                        resource \"x\" \"r\" {\n  name = \"n\"\n  nested { a = 1 }\n}\n";
    let table = [
        ("var.v", "?var.v"),
        ("local.u.x[\"y\"]", "?var.v.x.y"),
        ("var.d", "3"),
        ("local.a", "?local.a"),
        ("x.r.name", "\"n\""),
        ("x.r.arn", "?x.r.arn"),
        ("x.r.nested[0].a", "1"),
        ("\"a-${var.v}-${var.d}\"", "\"a-<var.v>-3\""),
        ("\"${var.v}\"", "?var.v"),
        ("{ a = var.v, b = 2 }", "{a=?var.v,b=2}"),
        ("var.v ? 1 : 1", "1"),
        ("var.v ? 1 : 2", "?var.v ? 1 : 2"),
        ("var.v ? { a = 1, b = [2] } : { a = 1, b = [3] }", "{a=1,…}"),
        ("var.v ? { a = 1, b = 2 } : { a = 1 }", "{a=1,…}"),
        ("[for x in var.v : x.a]", "[…]"),
        ("[for x in [var.v, 2] : x == 2]", "[?var.v == 2,true]"),
        ("var.v[*].a", "?var.v[*].a"),
        ("false && var.v", "false"),
        ("var.v || true", "true"),
        ("var.v && true", "?var.v && true"),
        ("try(var.v.a, 1)", "?try(var.v.a, 1)"),
        ("try({ a = 1 }.b, \"no\")", "\"no\""),
        ("can({ a = 1 }.b)", "false"),
        ("module.gone.x", "?module.gone.x"),
        ("data.a.b.c[0].d", "?data.a.b.c[0].d"),
        ("path.module", "\".\""),
        ("var.d + \"4\"", "7"),
        ("[1, 2][5]", "?[1, 2][5]"),
        ("\"%{ if var.d == 3 }yes%{ else }no%{ endif }\"", "\"yes\""),
        ("\"%{ for x in [1, 2] }<${x}>%{ endfor }\"", "\"<1><2>\""),
        (
            "{ for k in [\"a\", \"b\", \"c\"] : (k == \"a\" ? \"x\" : \"y\") => k... }",
            r#"{x=["a"],y=["b","c"]}"#,
        ),
        ("[for k, v in { b = 1, a = 2 } : \"${k}${v}\" if v > 0]", r#"["a2","b1"]"#),
        ("null[*]", "[]"),
        ("{ a = 1 }[*].a", "[1]"),
        ("true ? 1 : \"a\"", "\"1\""),
        ("-(1 + 2) * 3 / 2", "-4.5"),
    ];
    for (expression, expected) in table {
        assert_eq!(eval(declarations, expression), expected, "{expression}");
    }
}

#[test]
fn literal_text_knows_its_place() {
    let main = "variable \"v\" {}\nmodule \"probe\" {\n  plain = \"abc\"\n  mixed = \"ab${var.v}cd\"\n\
                \x20 here = <<-EOT\n    a: 1\n    b: ${var.v}\n  EOT\n}\n";
    let project = Project::new(&[("main.tf", main)]);
    for (name, part) in [("plain", "bc"), ("mixed", "cd"), ("here", "a: 1"), ("here", "b: ")] {
        let value = project.at("module.probe", name);
        let Kind::String(text) = &value.kind else { panic!("{name} is no text") };
        let at = text.text.find(part).expect("the part");
        let span = text.locate(at, at + part.len(), value.span);
        assert_eq!(project.files.text(span), part, "{name}");
    }
}

#[test]
fn types_convert_and_fill_in() {
    let declarations = r#"
variable "a" {
  type = object({
    name = string
    size = optional(number, "3")
    more = optional(object({ x = optional(bool, true), y = optional(string) }), {})
  })
  default = { name = 12, gone = 1 }
}
variable "b" {
  type    = map(object({ v = optional(string, "d") }))
  default = { k = {} }
}
variable "c" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "d" {
  default  = 7
  nullable = false
}
"#;
    let table = [
        ("var.a", r#"{name="12",size=3,more={x=true,y=null}}"#),
        ("var.b[\"k\"].v", "\"d\""),
        ("var.c", r#"["a","b"]"#),
        ("var.d", "7"),
    ];
    for (expression, expected) in table {
        assert_eq!(eval(declarations, expression), expected, "{expression}");
    }
}

#[test]
fn symbols_are_equal_where_expressions_are() {
    let main = r#"
variable "v" {}
module "m" {
  source = "./m"
  v      = var.v
}
module "n" {
  source = "./m"
  v      = "${var.v}-x"
}
locals {
  a = [1, 2]
  b = [3, 4]
}
resource "r" "own" {
  version = var.v
  picked  = local.a[var.v]
  other   = local.b[var.v]
  spread  = [local.a, local.b][*][var.v]
}
resource "r" "each" {
  for_each = { a = 1, b = 2 }
  version  = format("%s", var.v + each.key)
}
"#;
    let child = "variable \"v\" {}\nvariable \"w\" {}\nresource \"r\" \"r\" {\n  version = var.v\n  other = var.w\n}\n";
    let project = Project::new(&[("main.tf", main), ("m/main.tf", child)]);
    let same =
        |a: (&str, &str), b: (&str, &str)| project.at(a.0, a.1).same_as(&project.at(b.0, b.1));
    assert_eq!(same(("module.m.r.r", "version"), ("r.own", "version")), Some(true));
    assert_eq!(same(("r.own", "picked"), ("r.own", "picked")), Some(true));
    assert_eq!(same(("r.own", "picked"), ("r.own", "other")), None);
    let spread = project.at("r.own", "spread");
    assert_eq!(spread.items()[0].same_as(&spread.items()[1]), None);
    assert_eq!(same(("r.each[\"a\"]", "version"), ("r.each[\"b\"]", "version")), None);
    // With something added it is another text.
    assert_eq!(same(("module.n.r.r", "version"), ("r.own", "version")), Some(false));
    assert_eq!(same(("module.m.r.r", "other"), ("module.n.r.r", "other")), None);
}

#[test]
fn template_files_keep_their_places() {
    let main = "variable \"u\" {}\nmodule \"m\" {\n  source = \"../mod\"\n  u = var.u\n}\n";
    let module = "variable \"u\" {}\nmodule \"probe\" {\n  x = templatefile(\"${path.module}/t.yaml\", { a = 1, u = var.u })\n}\n";
    let project = Project::new(&[
        ("live/main.tf", main),
        ("mod/main.tf", module),
        ("mod/t.yaml", "one: ${a}\ntwo: ${u}\n"),
    ]);
    let value = project.at("module.m.module.probe", "x");
    assert_eq!(show(&value), r#""one: 1\ntwo: <var.u>\n""#);
    let Kind::String(text) = &value.kind else { panic!("text") };
    let span = text.locate(7, 11, value.span);
    assert_eq!(project.files.text(span), "two:");
    assert_eq!(project.files.get(span.file).path(), "mod/t.yaml");
}

#[test]
fn what_terraform_would_refuse_spoils_only_its_part() {
    let declarations = r#"
variable "eks" { default = {} }
locals {
  release = merge({ a = 1 }, { version = "1.8.3", arn = var.eks["arn"] }, {})
  text    = "x ${var.eks.name} y"
  tried   = try({ a = var.eks.name }, "given up")
}
"#;
    let cases = [
        ("local.release.version", r#""1.8.3""#),
        ("local.release.arn", r#"?var.eks["arn"]"#),
        ("local.text", r#""x <var.eks.name> y""#),
        ("local.tried", r#""given up""#),
        ("can(var.eks.name)", "false"),
    ];
    for (expression, expected) in cases {
        assert_eq!(eval(declarations, expression), expected, "{expression}");
    }
}

#[test]
fn the_provider_decides_where_null_is_written() {
    let main = "resource \"aws_iam_role\" \"node\" {\n  count = 1\n  name = null\n  path = \"/\"\n}\n\
                module \"probe\" {\n  role = \"role: ${try(aws_iam_role.node[0].name, null)}\"\n  \
                path = aws_iam_role.node[0].path\n}\n";
    let project = Project::new(&[("main.tf", main)]);
    assert_eq!(
        show(&project.at("module.probe", "role")),
        r#""role: <try(aws_iam_role.node[0].name, null)>""#
    );
    assert_eq!(show(&project.at("module.probe", "path")), r#""/""#);
}
