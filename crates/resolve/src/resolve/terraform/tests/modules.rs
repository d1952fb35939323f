//! Roots, instances, blocks and the graph.

use crate::resolve::terraform::{
    object::Mode,
    options::TerraformOptions,
    tests::{Project, show},
};

#[test]
fn blocks_become_lists_and_dynamic_ones_expand() {
    let main = r#"
variable "unknown" {}
resource "helm_release" "k" {
  set {
    name = "a"
  }
  dynamic "set" {
    for_each = { b = 1, c = 2 }
    content {
      name  = set.key
      value = set.value
    }
  }
  dynamic "set" {
    for_each = var.unknown
    iterator = it
    content { name = it.value }
  }
}
"#;
    let project = Project::new(&[("main.tf", main)]);
    let set = project.at("helm_release.k", "set");
    assert_eq!(show(&set), r#"[{name="a"},{name="b",value=1},{name="c",value=2},…]"#);
    assert_eq!(project.files.text(set.items()[0].name), "set");
    assert_eq!(project.files.text(set.items()[1].name), "dynamic \"set\"");
}

#[test]
fn repetition_makes_instances() {
    let main = r#"
variable "on" { default = false }
variable "keys" {}
locals {
  off = var.on
  never = false
}
resource "a" "each" {
  for_each = { x = "1", y = "2" }
  name     = "${each.key}-${each.value}"
}
resource "a" "count" {
  count = 2
  name  = "n${count.index}"
}
resource "a" "never" { count = local.never ? 1 : 0 }
resource "a" "maybe" { count = local.off ? 1 : 0 }
resource "a" "open" {
  for_each = var.keys
  name     = each.key
}
module "m" {
  source   = "./m"
  for_each = { p = 1, q = 2 }
  n        = each.value
}
module "off" {
  source = "./m"
  n      = 1
  on     = false
}
module "probe" {
  x = [a.each["y"].name, a.count[1].name, a.count[*].name, module.m["q"].out, [for k, v in module.m : v.out], a.open["z"].name]
}
"#;
    let child = "variable \"n\" {}\nvariable \"on\" { default = true }\n\
                 resource \"b\" \"r\" {\n  count = var.on ? 1 : 0\n  n = var.n\n}\n\
                 output \"out\" { value = b.r[0].n }\n";
    let project = Project::new(&[("main.tf", main), ("m/main.tf", child)]);
    assert!(!project.has("a.never[0]"));
    assert!(project.has("a.maybe[0]"));
    assert!(!project.has("module.off.b.r[0]"));
    assert!(project.has("module.m[\"p\"].b.r[0]"));
    assert_eq!(project.at("a.each[\"x\"]", "name").as_str(), Some("x-1"));
    assert_eq!(project.object("a.each[\"x\"]").node, project.object("a.each[\"y\"]").node);
    assert_eq!(project.at("module.m[\"q\"].b.r[0]", "n").as_number(), Some(2.0));
    assert_eq!(show(&project.at("a.open", "name")), "?each.key");
    assert_eq!(
        show(&project.at("module.probe", "x")),
        r#"["y-2","n1",["n0","n1"],2,[1,2],?a.open.z.name]"#
    );
}

#[test]
fn folders_without_a_caller_are_roots() {
    let project = Project::new(&[
        ("examples/a/main.tf", "module \"m\" { source = \"../..\" }"),
        ("main.tf", "variable \"x\" {}\nmodule \"s\" {\n  source = \"./sub\"\n}"),
        ("sub/main.tf", "module \"self\" { source = \"../sub\" }"),
        ("loop1/main.tf", "module \"o\" { source = \"../loop2\" }"),
        ("loop2/main.tf", "module \"o\" { source = \"../loop1\" }"),
        ("lib/main.tf", "variable \"x\" {}\nmodule \"registry\" { source = \"a/b/c\" }"),
        ("own/main.tf", "variable \"x\" {}\nprovider \"aws\" {}"),
    ]);
    let roots = &project.terraform.roots;
    let folders: Vec<(&str, bool)> = roots.iter().map(|it| (&*it.folder, it.reusable)).collect();
    assert_eq!(folders, [("examples/a", false), ("lib", true), ("loop1", false), ("own", false)]);
}

#[test]
fn the_graph_crosses_modules() {
    let main = r#"
module "a" {
  source = "./m"
  in     = "x"
}
module "b" {
  source     = "./m"
  in         = module.a.second
}
module "c" {
  source     = "./m"
  in         = "y"
  depends_on = [module.b]
}
module "registry" {
  source = "x/y/z"
  in     = b.r.id
}
resource "b" "r" { name = module.a.first }
resource "b" "s" { depends_on = [module.registry, resource.b.r] }
resource "b" "t" { name = local.l }
locals { l = module.registry.out }
"#;
    let child = r#"
variable "in" {}
resource "r" "one" { name = "x" }
resource "r" "two" { name = var.in }
output "first" { value = r.one.id }
output "second" { value = r.two.id }
"#;
    let project = Project::new(&[("main.tf", main), ("m/main.tf", child)]);
    let table = [
        ("b.r", "module.a.r.one", true),
        ("b.r", "module.a.r.two", false),
        ("b.r", "module.a", true),
        ("module.b.r.two", "module.a.r.two", true),
        ("module.b.r.one", "module.a.r.two", false),
        ("module.b", "module.a.r.two", true),
        ("module.c.r.one", "module.b.r.one", true),
        ("module.c.r.one", "module.b", true),
        ("module.c.r.one", "module.a.r.two", true),
        ("module.c.r.one", "module.a.r.one", false),
        ("b.t", "module.registry", true),
        ("b.t", "module.a.r.one", true),
        ("b.s", "b.r", true),
        ("b.r", "b.s", false),
        ("b.r", "b.r", false),
    ];
    for (from, to, expected) in table {
        assert_eq!(project.waits(from, to), expected, "{from} → {to}");
    }
}

#[test]
fn only_wanted_bodies_are_evaluated() {
    let main = "resource \"a\" \"x\" {\n  n = 1\n}\nresource \"b\" \"x\" {\n  n = a.x.n\n}\n";
    let options = TerraformOptions { kinds: Some(vec!["b".into()]), ..TerraformOptions::default() };
    let project = Project::with(&[("main.tf", main)], &options);
    assert!(project.object("a.x").body.is_unknown());
    assert_eq!(project.at("b.x", "n").as_number(), Some(1.0));
    assert!(project.waits("b.x", "a.x"));
    assert_eq!(project.root("").of(Mode::Resource, "b").count(), 1);
}

#[test]
fn only_wanted_fields_are_evaluated() {
    let main =
        "resource \"a\" \"x\" {\n  n = 1\n  m = 2\n}\nresource \"b\" \"x\" {\n  n = a.x.m\n}\n";
    let fields = [("a", &["n"][..])].into_iter().collect();
    let options = TerraformOptions { fields, ..TerraformOptions::default() };
    let project = Project::with(&[("main.tf", main)], &options);
    assert_eq!(project.at("a.x", "n").as_number(), Some(1.0));
    assert!(project.at("a.x", "m").is_unknown());
    assert_eq!(project.at("b.x", "n").as_number(), Some(2.0));
}

#[test]
fn order_reaches_into_nested_modules_and_out_of_them() {
    let main = r#"
resource "r" "first" { name = "x" }
resource "r" "other" { name = "x" }
resource "r" "keys" { name = "x" }
locals { first = [r.first] }
module "outer" {
  source     = "./outer"
  in         = r.other.id
  depends_on = [local.first]
}
module "repeated" {
  source   = "./outer"
  in       = "x"
  for_each = toset(r.keys.list)
}
resource "r" "last" { depends_on = [module.outer] }
resource "r" "part" { depends_on = [module.outer.deep] }
resource "r" "index" { name = module.repeated["a"].deep }
data "d" "d" { name = module.repeated[*].flat }
"#;
    let outer = "variable \"in\" {}\nmodule \"inner\" {\n  source = \"../inner\"\n  in = var.in\n}\n\
                 resource \"o\" \"o\" { name = \"x\" }\n\
                 output \"deep\" { value = module.inner.out }\noutput \"flat\" { value = o.o.id }\n";
    let inner = "variable \"in\" {}\nresource \"i\" \"uses\" { name = var.in }\n\
                 resource \"i\" \"free\" { name = \"x\" }\noutput \"out\" { value = i.free.id }\n";
    let files = [("main.tf", main), ("outer/main.tf", outer), ("inner/main.tf", inner)];
    let project = Project::new(&files);
    let table = [
        ("module.outer.module.inner.i.uses", "r.other", true),
        ("module.outer.module.inner.i.free", "r.other", false),
        ("module.outer.module.inner.i.free", "r.first", true),
        ("module.outer.o.o", "r.first", true),
        ("module.outer", "r.first", true),
        ("r.last", "module.outer.module.inner.i.uses", true),
        ("r.last", "module.outer.module.inner", true),
        ("r.last", "r.other", true),
        ("r.part", "module.outer.module.inner.i.free", true),
        ("r.part", "module.outer.module.inner.i.uses", false),
        ("r.part", "module.outer", true),
        ("module.repeated.module.inner.i.free", "r.keys", true),
        ("r.index", "module.repeated.module.inner.i.free", true),
        ("r.index", "module.repeated.o.o", false),
        ("data.d.d", "module.repeated.o.o", true),
        ("data.d.d", "r.keys", true),
        ("data.d.d", "r.first", false),
    ];
    for (from, to, expected) in table {
        assert_eq!(project.waits(from, to), expected, "{from} → {to}");
    }
}

#[test]
fn the_address_of_this_repository_leads_to_its_folders() {
    let role = "variable \"name\" {}\nresource \"aws_iam_role\" \"this\" { name = var.name }\n";
    let roots = |address: &str, more: &str| {
        let call = |folder: &str| {
            format!(
                "module \"{folder}\" {{\n  source = \"{address}//modules/{folder}{more}\"\n  name = \"{folder}\"\n}}\n"
            )
        };
        let main = format!("{}{}", call("a"), call("b"));
        let files =
            [("live/main.tf", &*main), ("modules/a/main.tf", role), ("modules/b/main.tf", role)];
        Project::new(&files).terraform.roots.len()
    };
    assert_eq!(roots("git@h.org:shop/platform.git", ""), 1);
    assert_eq!(roots("git::https://h.org/shop/platform.git", "?ref=main"), 1);
    // What a version holds need not be what is here.
    assert_eq!(roots("git@h.org:shop/platform.git", "?ref=v1.2.0"), 3);
    let one =
        "module \"a\" {\n  source = \"git@h.org:shop/modules.git//modules/a\"\n  name = \"a\"\n}\n";
    let files = [("live/main.tf", one), ("modules/a/main.tf", role)];
    assert_eq!(Project::new(&files).terraform.roots.len(), 2);
    let other = "module \"a\" {\n  source = \"git@h.org:shop/modules.git//modules/a\"\n  name = \"a\"\n}\nmodule \"b\" {\n  source = \"git@h.org:shop/modules.git//modules/b\"\n  title = \"b\"\n}\n";
    let files = [("live/main.tf", other), ("modules/a/main.tf", role), ("modules/b/main.tf", role)];
    assert_eq!(Project::new(&files).terraform.roots.len(), 3);
}
