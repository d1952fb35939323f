//! Terragrunt's units.

use crate::resolve::terraform::tests::{Project, show};

const MODULE: &str = "variable \"v\" {}\nvariable \"env\" { default = \"none\" }\n\
    variable \"vpc\" {}\nvariable \"same\" { default = \"default\" }\n\
    resource \"helm_release\" \"k\" {\n  version = var.v\n  env = var.env\n  vpc = var.vpc\n  same = var.same\n}\n";

#[test]
fn inputs_reach_the_source_module() {
    let unit = r#"
include "root" {
  path   = find_in_parent_folders("root.hcl")
  expose = true
}
locals {
  env = read_terragrunt_config(find_in_parent_folders("env.hcl"))
}
terraform {
  source = "${dirname(find_in_parent_folders("root.hcl"))}/../modules//karpenter"
}
dependency "vpc" { config_path = "../vpc" }
inputs = {
  v    = "1.8.0"
  env  = "${local.env.locals.name}-${include.root.locals.region}"
  vpc  = dependency.vpc.outputs.id
}
"#;
    let root = "locals {\n  region = \"eu\"\n  s = \"${local.region}-same\"\n}\ninputs = {\n  v    = \"parent\"\n  same = local.s\n}\n";
    let env = "locals {\n  name = local.short\n  short = \"dev\"\n}\n";
    let project = Project::new(&[
        ("live/root.hcl", root),
        ("live/dev/env.hcl", env),
        ("live/dev/karpenter/terragrunt.hcl", unit),
        ("modules/karpenter/main.tf", MODULE),
    ]);
    assert!(project.terraform.parse_errors.is_empty(), "{:?}", project.terraform.parse_errors);
    let folders: Vec<&str> = project.terraform.roots.iter().map(|it| &*it.folder).collect();
    assert_eq!(folders, ["live/dev/karpenter"]);
    let at = |path: &str| show(&project.at("module.karpenter.helm_release.k", path));
    assert_eq!(at("version"), "\"1.8.0\"");
    assert_eq!(at("env"), "\"dev-eu\"");
    assert_eq!(at("vpc"), "?dependency.vpc.outputs.id");
    assert_eq!(at("same"), "\"eu-same\"");
    let version = project.at("module.karpenter.helm_release.k", "version");
    assert_eq!(project.files.get(version.span.file).path(), "live/dev/karpenter/terragrunt.hcl");
}

#[test]
fn inputs_may_be_computed_and_the_source_may_be_here() {
    let unit = "locals {\n  common = { v = \"1\", vpc = \"x\" }\n}\n\
                inputs = merge(local.common, { v = \"2\" }, get_env(\"X\"))\n";
    let known = "inputs = merge({ v = \"1\", vpc = \"x\" }, { v = \"2\" })\n";
    let project = Project::new(&[
        ("a/terragrunt.hcl", unit),
        ("a/main.tf", MODULE),
        ("b/terragrunt.hcl", known),
        ("b/main.tf", MODULE),
        ("c/terragrunt.hcl", "remote_state {}\n"),
        (
            "d/terragrunt.hcl",
            "terraform {\n  source = \"tfr:///a/b/aws?version=1.2\"\n}\ninputs = {\n  x = 1\n}\n",
        ),
    ]);
    let folders: Vec<&str> = project.terraform.roots.iter().map(|it| &*it.folder).collect();
    assert_eq!(folders, ["a", "b", "d"]);
    let at = |address: &str, path: &str| show(&project.at(address, path));
    assert_eq!(at("module.b.helm_release.k", "version"), "\"2\"");
    assert_eq!(at("module.b.helm_release.k", "vpc"), "\"x\"");
    assert!(at("module.a.helm_release.k", "version").starts_with('?'));
    assert_eq!(at("module.d", "source"), "\"a/b/aws\"");
    assert_eq!(at("module.d", "version"), "\"1.2\"");
    assert_eq!(at("module.d", "x"), "1");
}

#[test]
fn inputs_of_read_files_and_sources_of_included_ones_are_known() {
    let unit = "include \"common\" {\n  path = \"${get_repo_root()}/common.hcl\"\n  expose = true\n}\n\
                locals {\n  values = yamldecode(file(\"values.yml\"))\n  env = read_terragrunt_config(\"../env.hcl\")\n}\n\
                terraform {\n  source = include.common.locals.base\n}\n\
                dependency \"vpc\" { config_path = \"../vpc\" }\n\
                inputs = merge({ vpc = dependency.vpc.outputs.id }, local.values, local.env.inputs)\n";
    let common = "locals {\n  modules = \"${get_repo_root()}/modules\"\n  base = \"${local.modules}/karpenter\"\n}\n";
    let env = "locals {\n  name = \"dev\"\n}\ninputs = {\n  env = local.name\n}\n";
    let project = Project::new(&[
        ("common.hcl", common),
        ("live/env.hcl", env),
        ("live/karpenter/terragrunt.hcl", unit),
        ("live/karpenter/values.yml", "v: 1.8.1\n"),
        ("modules/karpenter/main.tf", MODULE),
    ]);
    let folders: Vec<&str> = project.terraform.roots.iter().map(|it| &*it.folder).collect();
    assert_eq!(folders, ["live/karpenter"]);
    let at = |path: &str| show(&project.at("module.karpenter.helm_release.k", path));
    assert_eq!(at("version"), "\"1.8.1\"");
    assert_eq!(at("env"), "\"dev\"");
    assert_eq!(at("vpc"), "?dependency.vpc.outputs.id");
    assert_eq!(at("same"), "\"default\"");
}
