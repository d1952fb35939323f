//! Plans: recorded from `terraform show -json`, and written by hand where a provider would be needed.

use crate::resolve::terraform::{
    options::TerraformOptions,
    tests::{Project, show},
};

/// What Terraform 1.11 planned for [`MAIN`] and [`CHILD`] with `-var given=yes`.
const RECORDED: &str = include_str!("plan.json");

const MAIN: &str = r#"
variable "v" {
  default = "1.8.0"
}
variable "given" {}
variable "keys" {
  type    = map(string)
  default = { a = "1", b = "2" }
}
resource "terraform_data" "first" {
  input = { version = var.v, given = var.given, list = ["x", { y = 1 }] }
}
module "m" {
  source     = "./m"
  for_each   = var.keys
  in         = terraform_data.first.output
  lit        = "abc"
  depends_on = [terraform_data.last]
}
resource "terraform_data" "off" {
  count = var.given == "yes" ? 0 : 1
}
resource "terraform_data" "last" {
  input = "x"
}
locals {
  outs = [for k, v in module.m : v.out]
}
resource "terraform_data" "after" {
  input            = local.outs
  triggers_replace = { a = { b = "c" } }
}
resource "terraform_data" "one" {
  input = module.m["a"].out
}
"#;

const CHILD: &str = r#"
variable "in" {}
variable "lit" {}
resource "terraform_data" "inner" { input = "${var.lit}-${var.in.version}" }
output "out" { 
 value = terraform_data.inner.output 
 }
"#;

fn facts(project: &Project) -> Vec<(String, String)> {
    let input = |it: &crate::resolve::terraform::object::BlockInstance| {
        let input = it.body.as_map().and_then(|it| it.entry("input"));
        (it.address.to_string(), input.map_or(String::new(), |it| show(&it.value)))
    };
    let mut facts: Vec<_> = project
        .root("")
        .of(crate::resolve::terraform::object::Mode::Resource, "terraform_data")
        .map(input)
        .collect();
    facts.sort();
    facts
}

#[test]
fn planned_values_decide() {
    let with_source =
        Project::new(&[("main.tf", MAIN), ("m/main.tf", CHILD), ("tfplan.json", RECORDED)]);
    let alone = Project::new(&[("tfplan.json", RECORDED)]);
    for (project, known) in [(&with_source, true), (&alone, false)] {
        assert_eq!(project.terraform.roots.len(), 1);
        let facts = facts(project);
        let addresses: Vec<&str> = facts.iter().map(|(address, _)| &**address).collect();
        assert_eq!(
            addresses,
            [
                "module.m[\"a\"].terraform_data.inner",
                "module.m[\"b\"].terraform_data.inner",
                "terraform_data.after",
                "terraform_data.first",
                "terraform_data.last",
                "terraform_data.one",
            ]
        );
        let first = project.at("terraform_data.first", "input");
        for (path, expected) in [("given", "\"yes\""), ("version", "\"1.8.0\"")] {
            assert_eq!(first.get(path).present().map(show).as_deref(), Some(expected), "{known}");
        }
        assert_eq!(facts[4].1, "\"x\"");
        assert!(facts[0].1.starts_with(if known { "\"abc-<" } else { "?" }), "{facts:?}");
        let waits = |from: &str, to: &str| project.waits(from, to);
        assert!(waits("module.m[\"a\"].terraform_data.inner", "terraform_data.first"));
        assert!(waits("module.m[\"a\"].terraform_data.inner", "terraform_data.last"));
        assert!(waits("terraform_data.one", "module.m[\"b\"].terraform_data.inner"));
        assert!(waits("terraform_data.after", "terraform_data.first"));
        assert!(!waits("terraform_data.first", "terraform_data.last"));
    }
    let version = with_source.at("terraform_data.first", "input");
    let version = version.get("version").present().unwrap();
    assert_eq!(with_source.files.get(version.span.file).path(), "main.tf");
    assert_eq!(with_source.source(version), "\"1.8.0\"");
    let given = alone.object("terraform_data.first");
    assert_eq!(alone.files.text(given.header), "\"terraform_data.first\"");
}

#[test]
fn a_plan_is_known_by_its_content() {
    let other = r#"{"format_version": "1.0", "planned_values": {}}"#;
    let project = Project::new(&[("plan.json", other), ("x.json", RECORDED)]);
    assert!(project.terraform.roots.is_empty());
    let options = TerraformOptions { plans: vec!["x.json".into()], ..TerraformOptions::default() };
    let project = Project::with(&[("x.json", RECORDED)], &options);
    assert_eq!(project.terraform.roots.len(), 1);
}

#[test]
fn planned_sets_find_what_is_written() {
    let main = r#"
variable "url" {}
variable "more" {}
resource "helm_release" "k" {
  chart   = "karpenter"
  version = var.url
  set {
    name  = "a"
    value = var.url
  }
  set {
    name  = "b"
    value = "2"
  }
  dynamic "set" {
    for_each = var.more
    content {
      name  = set.key
      value = set.value
    }
  }
  values = [yamlencode({ known = 1, url = var.url })]
}
"#;
    let plan = r#"{"format_version": "1.2", "planned_values": {"root_module": {"resources": [{
      "address": "helm_release.k", "mode": "managed", "type": "helm_release", "name": "k",
      "values": {"chart": "karpenter", "version": "1.8.0", "skip_crds": false, "timeout": 300,
        "set": [{"name": "c", "value": "3", "type": ""}, {"name": "b", "value": "2", "type": ""}, {"name": "a", "type": ""}],
        "values": ["known: 1\nurl: u\n"]}}]}},
      "resource_changes": [{"address": "helm_release.k", "change": {"after_unknown": {"id": true,
        "set": [{}, {}, {"value": true}], "values": [false]}}}],
      "configuration": {"root_module": {"resources": [{"address": "helm_release.k", "mode": "managed",
        "type": "helm_release", "name": "k", "expressions": {"chart": {"constant_value": "karpenter"},
        "version": {"references": ["var.url"]}, "values": {"references": ["var.url"]},
        "set": [{"name": {"constant_value": "a"}, "value": {"references": ["var.url"]}},
                {"name": {"constant_value": "b"}, "value": {"constant_value": "2"}}]}}]}}}"#;
    let project = Project::new(&[("main.tf", main), ("plan.json", plan)]);
    let at = |path: &str| project.at("helm_release.k", path);
    assert_eq!(at("version").as_str(), Some("1.8.0"));
    assert_eq!(project.source(&at("version")), "var.url");
    assert!(project.object("helm_release.k").body.get("skip_crds").is_missing());
    let set = at("set");
    assert_eq!(
        show(&set),
        r#"[{name="c",value="3",type=""},{name="b",value="2"},{name="a",value=?var.url}]"#
    );
    assert_eq!(project.source(&set.items()[1].get("value").present().unwrap().clone()), "\"2\"");
    assert_eq!(show(&at("values")), r#"["known: 1\nurl: u\n"]"#);
    let alone = Project::new(&[("plan.json", plan)]);
    assert_eq!(alone.at("helm_release.k", "version").as_str(), Some("1.8.0"));
    assert_eq!(alone.at("helm_release.k", "set").items().len(), 3);
    let written = |path: &str| alone.source(&alone.at("helm_release.k", path));
    assert_eq!(written("version"), "\"1.8.0\"");
    assert_eq!(written("values"), "[\"known: 1\\nurl: u\\n\"]");
}

#[test]
fn a_plan_older_than_the_code_decides_nothing() {
    let plan = |version: &str| {
        format!(
            r#"{{"format_version":"1.2","complete":true,
            "planned_values":{{"root_module":{{"resources":[{{"address":"helm_release.a","mode":"managed",
                "type":"helm_release","name":"a","values":{{"name":"a","version":"{version}"}}}}]}}}},
            "configuration":{{"root_module":{{"resources":[{{"address":"helm_release.a","mode":"managed",
                "type":"helm_release","name":"a","expressions":{{}}}}]}}}}}}"#
        )
    };
    for (written, planned, version) in [
        ("1.*", "0.37.0", "1.*"),
        ("1.*", "1.5.0", "1.5.0"),
        ("1.4.0", "1.5.0", "1.4.0"),
        ("v1.5.0", "1.5.0", "1.5.0"),
    ] {
        let code = format!(
            "resource \"helm_release\" \"a\" {{\n  name = \"a\"\n  version = \"{written}\"\n}}\n"
        );
        let project = Project::new(&[("main.tf", &code), ("plan.json", &plan(planned))]);
        let found =
            project.root("").of(crate::resolve::terraform::object::Mode::Resource, "helm_release");
        let versions: Vec<&str> =
            found.filter_map(|it| it.body.get("version").present()?.as_str()).collect();
        assert_eq!(versions, [version], "{written} {planned}");
    }
}
