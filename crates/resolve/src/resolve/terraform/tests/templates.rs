//! Templates in files, in heredocs and in the data source of old; files that are there and cannot be read.

use std::sync::Arc;

use crate::{
    resolve::terraform::{
        options::TerraformOptions,
        resolve,
        tests::{Project, eval, show},
    },
    source::{
        Files, SourceFile,
        load::{Content, Load},
    },
};

const POOL: &str = "kind: NodePool\nmetadata:\n  name: ${name}\nspec:\n  weight: ${weight}\n";

#[test]
fn the_data_source_of_old_renders_a_file() {
    let main = r#"
variable "weight" {}
data "template_file" "pool" {
  template = file("${path.module}/pool.tpl")
  vars = {
    name   = "general"
    weight = 10
  }
}
data "template_file" "open" {
  count    = 2
  template = file("pool.tpl")
  vars     = { name = "n${count.index}", weight = var.weight }
}
data "template_file" "inline" {
  template = "$${a}-$${b}"
  vars     = { a = 1, b = true }
}
data "template_file" "filled" {
  template = "weight: ${var.weight}"
}
data "template_file" "lost" {
  template = file("absent.tpl")
}
module "probe" {
  manifest = yamldecode(data.template_file.pool.rendered)
  open     = yamldecode(data.template_file.open[1].rendered)
  inline   = data.template_file.inline.rendered
  filled   = yamldecode(data.template_file.filled.rendered)
  lost     = data.template_file.lost.rendered
  all      = data.template_file.open[*].rendered
}
"#;
    let project = Project::new(&[("main.tf", main), ("pool.tpl", POOL)]);
    let shown = |name| show(&project.at("module.probe", name));
    assert_eq!(
        shown("manifest"),
        r#"{kind="NodePool",metadata={name="general"},spec={weight=10}}"#
    );
    let kind = project.at("module.probe", "manifest.kind");
    assert_eq!(project.files.get(kind.span.file).path(), "pool.tpl");
    assert_eq!(project.source(&kind), "NodePool");
    let name = project.at("module.probe", "manifest.metadata.name");
    assert_eq!(project.source(&name), "\"general\"");
    assert_eq!(shown("inline"), "\"1-true\"");
    assert_eq!(
        shown("open"),
        r#"{kind="NodePool",metadata={name="n1"},spec={weight=?var.weight}}"#
    );
    assert_eq!(shown("filled"), "{weight=?var.weight}");
    assert!(shown("lost").starts_with('?'), "{}", shown("lost"));
    assert!(shown("all").contains("name: n0"), "{}", shown("all"));
}

#[test]
fn a_template_in_a_text_points_into_that_text() {
    let main = r#"
locals {
  text = <<-EOT
    a: $${x}
    b: fixed
  EOT
}
module "probe" {
  tree = yamldecode(templatestring(local.text, { x = 1 }))
}
"#;
    let project = Project::new(&[("main.tf", main)]);
    assert_eq!(show(&project.at("module.probe", "tree")), r#"{a=1,b="fixed"}"#);
    assert_eq!(project.source(&project.at("module.probe", "tree.b")), "fixed");
}

#[derive(Debug)]
struct Unreadable;

impl Load for Unreadable {
    fn load(&self, _: &str) -> Content {
        Content { lost: true, ..Content::default() }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_unknown_not_empty() {
    let main = r#"
module "probe" {
  text     = file("big.yaml")
  template = templatefile("big.yaml", {})
  digest   = filesha256("big.yaml")
  there    = fileexists("big.yaml")
  linked   = file("link.txt")
}
"#;
    let files = vec![
        SourceFile::new("main.tf", main),
        SourceFile::lazy("big.yaml", Arc::new(Unreadable)),
        SourceFile::new("real.txt", "content"),
    ];
    let files = Files::new(files).with_links([("link.txt".to_owned(), "real.txt".to_owned())]);
    let terraform = resolve(&files, &TerraformOptions::default());
    let project = Project { files, terraform };
    for name in ["text", "template", "digest"] {
        let shown = show(&project.at("module.probe", name));
        assert!(shown.starts_with('?'), "{name}: {shown}");
    }
    assert_eq!(show(&project.at("module.probe", "there")), "true");
    let linked = project.at("module.probe", "linked");
    assert_eq!(show(&linked), "\"content\"");
    assert_eq!(project.files.get(linked.span.file).path(), "real.txt");
}

/// Three that are hard to parse: heredocs inside interpolations of heredocs, line breaks anywhere inside
/// `for`, directives at the margin.
#[test]
fn hard_layouts_are_read() {
    let nested = "
locals {
  names = [\"a\", \"b\"]
  outer = <<-OUTER
    start
    ${join(\"\\n\", [for it in local.names : <<-INNER
      item: ${it}
      ${indent(2, <<-DEEP
        deep: ${upper(it)}
      DEEP
      )}
    INNER
    ])}
    end
  OUTER
  broken = {
    for
    key,
    value
    in
    { x = 1, y = 2 }
    :
    key
    =>
    value + 1
    if
    value
    >
    1
  }
  margin = <<EOT
%{ for it in local.names ~}
- ${it}
%{ endfor ~}
%{ if true }
last
%{ endif }
EOT
}
";
    assert_eq!(eval(nested, "local.broken"), "{y=3}");
    assert_eq!(eval(nested, "local.margin"), r#""- a\n- b\n\nlast\n\n""#);
    let outer = eval(nested, "yamldecode(jsonencode(local.outer))");
    assert!(outer.contains("item: a") && outer.contains("deep: B"), "{outer}");
}

#[test]
fn empty_heredocs_end_where_they_end() {
    let declarations =
        "locals {\n  a = <<A\nA\n  b = <<-A\n    A\n\n  c = <<A\n\nA\n  d = \"after\"\n}\n";
    let shown = eval(declarations, "[local.a, local.b, local.c, local.d]");
    assert_eq!(shown, r#"["","","\n","after"]"#);
}

#[test]
fn what_a_value_puts_into_a_text_is_where_the_value_is() {
    let main = r#"
locals {
  inner = { a = "one", b = ["two", { c = "three" }] }
  more  = <<-EOT
    x: four
    k: ${local.name}
  EOT
  name  = "five"
}
module "probe" {
  whole   = yamldecode(<<-EOT
    ${yamlencode(local.inner)}
  EOT
  )
  part    = yamldecode("z: 1\nsettings: ${jsonencode(local.inner)}\n")
  beside  = yamldecode("${yamlencode(local.inner)}\nz: 1")
  nested  = yamldecode("list:\n  - 0\n  ${indent(2, yamlencode(local.inner.b))}\n${local.more}")
  partial = yamldecode("name: \"a-${local.name}\"")
}
"#;
    let project = Project::new(&[("main.tf", main)]);
    for (path, source, step) in [
        ("whole.a", "\"one\"", None),
        ("part.settings.a", "\"one\"", None),
        ("part.settings", "{ a = \"one\", b = [\"two\", { c = \"three\" }] }", Some("local.inner")),
        ("beside.a", "\"one\"", None),
        ("nested.x", "four", Some("local.more")),
        ("nested.k", "\"five\"", Some("local.name")),
        ("partial.name", r#"\"a-${local.name}\""#, None),
    ] {
        let value = project.at("module.probe", path);
        assert_eq!(project.source(&value), source, "{path}");
        let steps = project.steps(&value);
        let passed = |it: &str| steps.iter().any(|step| step.ends_with(&format!("@ {it}")));
        assert!(step.is_none_or(passed), "{path}: {steps:?}");
    }
    let list = project.at("module.probe", "nested.list");
    let sources: Vec<&str> = list.items().iter().map(|it| project.source(it)).collect();
    assert_eq!(sources, ["0", "\"two\"", "{ c = \"three\" }"]);
}

/// What a value gave may be among the blanks that are cut off, or lie behind them.
#[test]
fn blanks_that_values_gave_are_cut() {
    let declarations = r#"
variable "nothing" { default = "" }
variable "blank" { default = "  " }
variable "name" { default = "ledger " }
"#;
    for (expression, expected) in [
        (r#"trimspace("a  ${var.nothing}")"#, "a"),
        (r#"trimspace("a  ${var.blank} ")"#, "a"),
        (r#"trimspace("${var.blank} a")"#, "a"),
        (r#"chomp("a\n${var.nothing}\n")"#, "a"),
        (
            r#"trimspace("a ${jsonencode(var.name)} ${var.blank}${var.nothing}")"#,
            r#"a \"ledger \""#,
        ),
    ] {
        assert_eq!(eval(declarations, expression), format!("\"{expected}\""), "{expression}");
    }
}

/// A value that is put into a document does not end it; other texts are not split where a part is not known.
#[test]
fn documents_with_unknown_values_are_split() {
    let declarations = r#"variable "role" { type = string }"#;
    for (expression, count) in [
        (r#"split("---", "a: ${var.role}\n---\nb: 1\n")"#, Some("2")),
        (r#"split("\n---\n", "a: 1\n---\nb: ${var.role}\n---\nc: 1")"#, Some("3")),
        (r#"split("---", "a---${var.role}")"#, None),
        (r#"split(",", "a: ${var.role}\n---\nb: 1, 2")"#, None),
        (r#"split("---", var.role)"#, None),
    ] {
        let found = eval(declarations, &format!("length({expression})"));
        assert_eq!(Some(&*found).filter(|it| it.parse::<u32>().is_ok()), count, "{expression}");
    }
    for (expression, expected) in [
        (r#""a: ${var.role}" != """#, "true"),
        (r#""${var.role}" != """#, "unknown"),
        (r#""a${var.role}" == "b${var.role}x""#, "false"),
        (r#""a${var.role}z" == "a${var.role}y""#, "false"),
        (r#""a${var.role}" == "ab""#, "unknown"),
        (r#""a${var.role}" == "b""#, "false"),
    ] {
        let found = eval(declarations, expression);
        assert_eq!(found == expected, expected != "unknown", "{expression} is {found}");
    }
    let last = r#"trimspace(split("---", "a: ${var.role}\n---\nb: 1\n")[1])"#;
    assert_eq!(eval(declarations, last), "\"b: 1\"");
}
