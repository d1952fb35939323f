//! The forms of files: JSON, `OpenTofu`'s own, overrides, variable files, fetched modules.

use crate::resolve::terraform::{
    object::Mode,
    options::TerraformOptions,
    tests::{Project, show},
};

/// The same module in both syntaxes.
const NATIVE: &str = r#"
variable "v" {
  type    = map(string)
  default = { k = "$${no}" }
}
locals { l = "x-${var.v["k"]}" }
resource "helm_release" "k" {
  count      = 2
  version    = local.l
  values     = [yamlencode({ a = var.v.k })]
  depends_on = [module.m, null_resource.n]
  set {
    name  = "s"
    value = "1"
  }
  dynamic "set" {
    for_each = var.v
    content {
      name = set.key
    }
  }
  lifecycle { ignore_changes = [version] }
}
resource "null_resource" "n" {}
module "m" {
  source = "./m"
  in     = { a = [1, true, null] }
}
output "o" { value = helm_release.k[0].version }
"#;

const JSON: &str = r#"{
  "//": "generated",
  "variable": {"v": {"type": "map(string)", "default": {"k": "${no}"}}},
  "locals": {"l": "x-${var.v[\"k\"]}"},
  "resource": {
    "helm_release": {"k": {
      "count": 2,
      "version": "${local.l}",
      "values": ["${yamlencode({ a = var.v.k })}"],
      "depends_on": ["module.m", "null_resource.n"],
      "set": {"name": "s", "value": "1"},
      "dynamic": {"set": {"for_each": "${var.v}", "content": {"name": "${set.key}"}}},
      "lifecycle": {"ignore_changes": ["version"]}
    }},
    "null_resource": {"n": [{}]}
  },
  "module": [{"m": {"source": "./m", "in": {"a": [1, true, null]}}}],
  "output": {"o": {"value": "${helm_release.k[0].version}"}}
}"#;

#[test]
fn json_equals_native_syntax() {
    let child = "variable \"in\" {}\n";
    let native = Project::new(&[("main.tf", NATIVE), ("m/main.tf", child)]);
    let json = Project::new(&[("main.tf.json", JSON), ("m/main.tf", child)]);
    assert!(json.terraform.parse_errors.is_empty(), "{:?}", json.terraform.parse_errors);
    let mut addresses: Vec<&str> = native.root("").objects.iter().map(|it| &*it.address).collect();
    let mut read: Vec<&str> = json.root("").objects.iter().map(|it| &*it.address).collect();
    addresses.sort_unstable();
    read.sort_unstable();
    assert_eq!(addresses, read);
    for address in addresses {
        for part in ["version", "values", "set", "in", "count"] {
            let of = |it: &Project| it.object(address).body.get(part).present().map(show);
            assert_eq!(of(&native), of(&json), "{address} {part}");
        }
    }
    assert_eq!(show(&json.at("helm_release.k[0]", "version")), "\"x-${no}\"");
    assert!(json.waits("helm_release.k[0]", "null_resource.n"));
    assert!(json.waits("helm_release.k[1]", "module.m"));
    assert_eq!(json.files.text(json.object("helm_release.k[0]").header), "\"k\"");
    let elements = &json.object("helm_release.k[0]").depends_on.as_ref().unwrap().elements;
    assert_eq!(json.files.text(elements[1]), "\"null_resource.n\"");
}

#[test]
fn override_files_are_merged() {
    let main = r#"
locals {
  a = 1
  b = 1
}
variable "v" {
  type    = string
  default = "main"
}
resource "r" "x" {
  version = var.v
  kept    = local.a
  other   = local.b
  set { name = "one" }
  set { name = "two" }
  taint { key = "k" }
  lifecycle { prevent_destroy = true }
}
module "m" { source = "./old" }
"#;
    let first = r#"
locals { b = 2 }
variable "v" { default = "first" }
resource "r" "x" {
  set { name = "three" }
  lifecycle { create_before_destroy = true }
}
"#;
    let second =
        r#"{"resource": {"r": {"x": {"other": 3}}}, "module": {"m": {"source": "./new"}}}"#;
    let project = Project::new(&[
        ("a_override.tf", first),
        ("main.tf", main),
        ("override.tf.json", second),
        ("old/main.tf", "resource \"o\" \"o\" {}"),
        ("new/main.tf", "resource \"n\" \"n\" {}"),
    ]);
    let at = |path: &str| show(&project.at("r.x", path));
    assert_eq!(at("version"), "\"first\"");
    assert_eq!((at("kept"), at("other")), ("1".into(), "3".into()));
    assert_eq!(at("set"), r#"[{name="three"}]"#);
    assert_eq!(at("taint"), r#"[{key="k"}]"#);
    assert_eq!(at("lifecycle"), "[{prevent_destroy=true,create_before_destroy=true}]");
    assert_eq!(project.object("module.m.n.n").mode, Mode::Resource);
    assert_eq!(project.terraform.roots.len(), 2);
}

#[test]
fn opentofu_reads_its_own_files_instead() {
    let resource = |version: &str| format!("resource \"r\" \"x\" {{\n  v = \"{version}\"\n}}\n");
    let project = Project::new(&[
        ("main.tf", &resource("terraform")),
        ("main.tofu", &resource("tofu")),
        ("more.tofu.json", r#"{"resource": {"r": {"y": {"v": 1}}}}"#),
    ]);
    assert_eq!(project.root("").objects.len(), 2);
    assert_eq!(project.at("r.x", "v").as_str(), Some("tofu"));
}

#[test]
fn variable_files_in_json_count_in_their_order() {
    let names = ["a", "b", "c", "d", "e"];
    let main: String =
        names.map(|it| format!("variable \"{it}\" {{\n  default = \"0\"\n}}\n")).concat()
            + "module \"probe\" { x = [var.a, var.b, var.c, var.d, var.e] }\n";
    let project = Project::with(
        &[
            ("main.tf", &main),
            ("terraform.tfvars", "a = \"1\"\nb = \"1\"\nc = \"1\"\nd = \"1\"\n"),
            ("terraform.tfvars.json", r#"{"b": "2", "c": "2", "d": "${raw}"}"#),
            ("a.auto.tfvars.json", r#"{"c": "3"}"#),
            ("z.auto.tfvars", "c = \"4\"\n"),
            ("env/x.tfvars.json", r#"{"e": "5"}"#),
        ],
        &TerraformOptions {
            var_files: vec!["env/x.tfvars.json".into()],
            ..TerraformOptions::default()
        },
    );
    assert_eq!(show(&project.at("module.probe", "x")), r#"["1","2","4","${raw}","5"]"#);
}

#[test]
fn fetched_modules_are_walked_into() {
    let main = r#"
module "k" {
  source  = "some/k/aws"
  version = "1.2.3"
  chart_version = "1.8.0"
}
module "known" { source = "well/known/aws" }
resource "r" "last" { name = module.k.name }
"#;
    let list = r#"{"Modules": [
        {"Key": "", "Source": "", "Dir": "."},
        {"Key": "k", "Source": "registry.terraform.io/some/k/aws", "Version": "1.2.3", "Dir": ".terraform/modules/k"},
        {"Key": "k.deep", "Source": "./modules/deep", "Dir": ".terraform/modules/k/modules/deep"},
        {"Key": "k.other", "Source": "git::https://x/y", "Dir": ".terraform/modules/k.other"},
        {"Key": "known", "Source": "well/known/aws", "Dir": ".terraform/modules/known"}]}"#;
    let k = r#"
variable "chart_version" {}
module "deep" {
  source = "./modules/deep"
  v      = var.chart_version
}
module "other" { source = "git::https://x/y" }
output "name" { value = module.deep.name }
broken {
"#;
    let deep = "variable \"v\" {}\nresource \"helm_release\" \"k\" {\n  version = var.v\n  chart = \"karpenter\"\n}\n\
                output \"name\" { value = helm_release.k.id }\n";
    let project = Project::with(
        &[
            ("live/main.tf", main),
            ("live/.terraform/modules/modules.json", list),
            ("live/.terraform/modules/k/main.tf", k),
            ("live/.terraform/modules/k/modules/deep/main.tf", deep),
            ("live/.terraform/modules/k.other/main.tf", "resource \"o\" \"o\" {}"),
            ("live/.terraform/modules/known/main.tf", "resource \"o\" \"known\" {}"),
        ],
        &TerraformOptions {
            opaque: Some(|it| it == "well/known/aws"),
            ..TerraformOptions::default()
        },
    );
    assert_eq!(project.terraform.roots.len(), 1);
    assert!(project.terraform.parse_errors.is_empty());
    assert!(project.root("live").incomplete);
    let release = project.object("module.k.module.deep.helm_release.k");
    let version = project.at("module.k.module.deep.helm_release.k", "version");
    assert_eq!(project.source(&version), "\"1.8.0\"");
    assert_eq!(release.foreign.map(|it| project.files.text(it)), Some("module \"k\""));
    assert_eq!(project.object("module.k.module.other.o.o").foreign, release.foreign);
    assert_eq!(project.object("r.last").foreign, None);
    let entered = |address: &str| project.object(address).entered;
    assert_eq!((entered("module.k"), entered("module.known")), (true, false));
    assert!(project.waits("r.last", "module.k.module.deep.helm_release.k"));
}

#[test]
fn what_is_lost_is_unknown() {
    let main = "variable \"a\" {\n  default = 1\n}\nvariable \"b\" {\n  default = 1\n}\n\
                module \"probe\" { x = [var.a, var.b, local.gone, r.gone.x] }\n";
    let files = [
        ("main.tf", main),
        ("more.tf", "locals {\n  gone = \n}\nresource \"r\" \"kept\" {}\n"),
        ("terraform.tfvars", "a = [\nb = 2\n"),
        ("x.auto.tfvars", "b = 3\n"),
        ("fine/main.tf", "resource \"r\" \"x\" {}"),
    ];
    let project = Project::new(&files);
    assert_eq!(show(&project.at("module.probe", "x")), "[?var.a,3,?local.gone,?r.gone.x]");
    assert!(project.root("").incomplete);
    assert!(!project.root("fine").incomplete);
    assert_eq!(project.terraform.parse_errors.len(), 2);
    let files = [("main.tf", ""), ("x.tfvars", "a = [\n")];
    assert!(Project::new(&files).root("").incomplete);
}

#[test]
fn ephemeral_blocks_are_objects_of_the_graph() {
    let main = "resource \"r\" \"a\" {}\nephemeral \"e\" \"x\" {\n  id = r.a.id\n}\n\
                resource \"r\" \"b\" {\n  token = ephemeral.e.x.token\n}\n";
    let project = Project::new(&[("main.tf", main)]);
    assert_eq!(project.object("ephemeral.e.x").mode, Mode::Ephemeral);
    assert!(project.waits("r.b", "ephemeral.e.x"));
    assert!(project.waits("r.b", "r.a"));
    assert_eq!(show(&project.at("r.b", "token")), "?ephemeral.e.x.token");
}
