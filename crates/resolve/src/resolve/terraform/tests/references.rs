//! Who reads what.

use super::Project;
use crate::{
    resolve::terraform::references::{Declared, ReferenceSite},
    source::Span,
};

const MAIN: &str = r#"
variable "pool" {
  type    = object({ cpu = number, tags = map(string) })
default = { cpu = 100, tags = { team = "a" } }
  validation {
    condition     = var.pool.cpu > 0
    error_message = "no"
  }
}
locals {
versions = {
crds = "1.0"
"chart" = "1.1"
}
  skip = false
}
locals { one = local.versions }
provider "helm" {
  debug = local.skip
}
resource "helm_release" "crds" {
  version   = local.versions["crds"]
  skip_crds = local.skip
  values    = [file("${path.module}/values/crds.yaml"), "${local.versions.crds}-x"]
}
# local.versions.chart
module "cluster" {
  source = "./cluster"
  cpu    = var.pool.cpu
  values = "values.yaml"
}
output "cluster" {
  value = [module.cluster.name.first, module.cluster]
}
"#;

const CLUSTER: &str = r#"
variable "cpu" {}
output "name" {
  value = { first = "f", second = "s" }
}
output "cpu" { value = var.cpu }
locals { x = "values.yaml" }
"#;

fn project() -> Project {
    Project::new(&[("main.tf", MAIN), ("cluster/main.tf", CLUSTER)])
}

/// The place of a text, or of the empty text behind `before`.
fn place(project: &Project, path: &str, text: &str) -> Span {
    let file = project.files.find(path).expect("the file");
    let (before, inside) = text.split_once('@').unwrap_or(("", text));
    let all = [before, inside].concat();
    let at = project.files.get(file).text().find(&all).expect("the text") + before.len();
    Span::new(file, at, if text.contains('@') { at } else { at + text.len() })
}

#[test]
fn a_place_belongs_to_a_declaration_and_the_keys_inside_it() {
    let project = project();
    for (path, text, wanted) in [
        ("main.tf", "\"1.0\"", Some((Declared::Local, "versions.crds"))),
        ("main.tf", "\"1.1\"", Some((Declared::Local, "versions.chart"))),
        ("main.tf", "\"1.1\"\n@}", Some((Declared::Local, "versions"))),
        ("main.tf", "false", Some((Declared::Local, "skip"))),
        ("main.tf", "\"a\"", Some((Declared::Variable, "pool.tags.team"))),
        ("main.tf", "var.pool.cpu > 0", Some((Declared::Variable, "pool"))),
        ("main.tf", "\"./cluster\"", None),
        ("cluster/main.tf", "\"s\"", Some((Declared::Output, "name.second"))),
    ] {
        let found = project.terraform.references.declaration_at(place(&project, path, text));
        let found = found.map(|(it, keys)| {
            let names: Vec<&str> = std::iter::once(&it.name).chain(&keys).map(|it| &**it).collect();
            (it.declared, names.join("."))
        });
        assert_eq!(found, wanted.map(|(declared, it)| (declared, it.to_owned())), "{text}");
    }
}

#[test]
fn those_who_read_a_place_read_it_or_what_is_around_it() {
    let project = project();
    for (path, text, wanted) in [
        // The local `one` reads all versions.
        (
            "main.tf",
            "\"1.0\"",
            &["local.versions", "local.versions[\"crds\"]", "local.versions.crds"][..],
        ),
        ("main.tf", "\"1.1\"", &["local.versions"]),
        ("main.tf", "\"1.1\"\n@}", &["local.versions"]),
        ("main.tf", "\"1.1@\"", &["local.versions"]),
        ("main.tf", "false", &["local.skip", "local.skip"]),
        ("main.tf", "\"a\"", &[]),
        ("main.tf", "100", &["var.pool.cpu", "var.pool.cpu"]),
        ("main.tf", "object", &["var.pool.cpu", "var.pool.cpu"]),
        ("cluster/main.tf", "\"f\"", &["module.cluster", "module.cluster.name.first"]),
        ("cluster/main.tf", "\"s\"", &["module.cluster"]),
        ("main.tf", "\"./cluster\"", &[]),
    ] {
        let place = place(&project, path, text);
        let found = project.terraform.references.readers(place);
        let mut found: Vec<&str> = found.map(|it| project.files.text(it.span)).collect();
        let mut wanted = wanted.to_vec();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn a_read_names_its_reader() {
    let project = project();
    let references = &project.terraform.references;
    let of = |text: &str| -> &[ReferenceSite] {
        let found = references.declaration_at(place(&project, "main.tf", text));
        found.map_or(&[], |(it, _)| references.reads(it))
    };
    let text = |it: Span| project.files.text(it);
    let skip: Vec<&str> = of("false").iter().map(|it| text(it.reader)).collect();
    assert_eq!(skip, ["resource \"helm_release\" \"crds\"", "provider \"helm\""]);
    let versions: Vec<_> =
        of("\"1.0\"").iter().map(|it| (text(it.reader), it.path.len())).collect();
    let release = "resource \"helm_release\" \"crds\"";
    assert_eq!(versions, [("one", 0), (release, 1), (release, 1)]);
    assert!(of("\"1.0\"").iter().all(|it| it.folder.is_empty()));
}

#[test]
fn files_are_named_by_the_ends_of_texts() {
    let project = project();
    let named = |name: &str| project.terraform.references.naming(name).len();
    assert_eq!(named("crds.yaml"), 1);
    assert_eq!(named("values.yaml"), 2);
    assert_eq!(named("yaml"), 0);
}

#[test]
fn code_that_cannot_be_read_may_hold_further_readers() {
    let project = Project::new(&[("a/x.tf", "locals { a = 1 }"), ("a/y.tf", "resource {{{")]);
    assert!(project.terraform.references.is_incomplete("a"));
    assert!(!project.terraform.references.is_incomplete("b"));
}
