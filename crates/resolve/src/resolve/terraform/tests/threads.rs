//! What users of other tools complained of: each thread's repository, made small.

use std::time::{Duration, Instant};

use crate::resolve::terraform::{
    object::Mode,
    tests::{Project, show},
};

/// checkov 7503: a module's `for_each` that is a `for` expression was kept as text.
#[test]
fn a_module_is_expanded_by_a_for_expression() {
    let main = r#"
variable "clusters" {
  type = map(object({ enabled = optional(bool, true), version = optional(string, "1.8.3") }))
  default = {
    blue  = {}
    green = { version = "1.9.0" }
    old   = { enabled = false }
  }
}
module "karpenter" {
  source   = "./karpenter"
  for_each = { for name, it in var.clusters : name => it if it.enabled }
  name     = each.key
  release  = each.value.version
}
"#;
    let module = r#"
variable "name" {}
variable "release" {}
resource "helm_release" "karpenter" {
  name    = "karpenter-${var.name}"
  version = var.release
}
"#;
    let project = Project::new(&[("main.tf", main), ("karpenter/main.tf", module)]);
    let root = project.root("");
    let releases = root.of(Mode::Resource, "helm_release").map(|it| {
        let part = |name| it.body.get(name).present().and_then(|it| it.as_str()).map(str::to_owned);
        (it.address.to_string(), part("name"), part("version"))
    });
    let text = |it: &str| Some(it.to_owned());
    let address = |key: &str| format!("module.karpenter[\"{key}\"].helm_release.karpenter");
    assert_eq!(
        releases.collect::<Vec<_>>(),
        [
            (address("blue"), text("karpenter-blue"), text("1.8.3")),
            (address("green"), text("karpenter-green"), text("1.9.0")),
        ]
    );
}

/// trivy 7113: a call of a registry module's sub-module was taken for the module around it.
#[test]
fn a_submodule_of_the_registry_is_opaque_with_known_arguments() {
    let main = r#"
module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"
  name    = "harbour"
}
module "karpenter" {
  source       = "terraform-aws-modules/eks/aws//modules/karpenter"
  version      = "~> 21.0"
  cluster_name = module.eks.cluster_name
  namespace    = "karpenter"
}
resource "helm_release" "karpenter" {
  set {
    name  = "settings.interruptionQueue"
    value = module.karpenter.queue_name
  }
}
"#;
    let project = Project::new(&[("main.tf", main)]);
    let argument = |name| show(&project.at("module.karpenter", name));
    assert_eq!(argument("source"), "\"terraform-aws-modules/eks/aws//modules/karpenter\"");
    assert_eq!(argument("namespace"), "\"karpenter\"");
    assert_eq!(argument("cluster_name"), "?module.eks.cluster_name");
    let set = project.at("helm_release.karpenter", "set");
    assert_eq!(
        show(&set),
        r#"[{name="settings.interruptionQueue",value=?module.karpenter.queue_name}]"#
    );
    assert!(project.waits("helm_release.karpenter", "module.eks"));
    assert!(!project.waits("module.eks", "module.karpenter"));
}

const SIBLING: &str = r#"
variable "version_wanted" { default = "0.1.0" }
variable "peer" { default = "nobody" }
output "seen" { value = "${var.version_wanted} beside ${var.peer}" }
resource "helm_release" "it" { version = var.version_wanted }
"#;

/// trivy 10926, checkov 7470: siblings were evaluated with their defaults, and by the order of their names.
#[test]
fn siblings_pass_values_to_each_other_whatever_they_are_called() {
    for (first, second) in [("alpha", "omega"), ("omega", "alpha")] {
        let one = format!(
            "module \"{first}\" {{\n  source = \"./{first}\"\n  version_wanted = \"1.8.3\"\n}}\n"
        );
        let two = format!(
            "module \"{second}\" {{\n  source = \"./{second}\"\n  \
             version_wanted = \"1.9.0\"\n  peer = module.{first}.seen\n}}\n"
        );
        for main in [format!("{one}{two}"), format!("{two}{one}")] {
            let probe = format!("module \"probe\" {{\n  x = module.{second}.seen\n}}\n");
            let files = [
                ("main.tf".to_owned(), main),
                ("z.tf".to_owned(), probe),
                (format!("{first}/main.tf"), SIBLING.to_owned()),
                (format!("{second}/main.tf"), SIBLING.to_owned()),
            ];
            let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
            let project = Project::new(&files);
            let seen = show(&project.at("module.probe", "x"));
            assert_eq!(seen, "\"1.9.0 beside 1.8.3 beside nobody\"");
            let version = |name| project.at(&format!("module.{name}.helm_release.it"), "version");
            assert_eq!(show(&version(first)), "\"1.8.3\"");
            assert_eq!(show(&version(second)), "\"1.9.0\"");
        }
    }
}

/// checkov 3354: `lookup` inside the dynamic blocks of popular modules was never resolved.
#[test]
fn lookups_in_dynamic_blocks_are_resolved() {
    let main = r#"
variable "set" {
  type    = any
  default = [{ name = "replicas", value = 2 }, { name = "logLevel", value = "debug", type = "string" }]
}
resource "helm_release" "karpenter" {
  dynamic "set" {
    iterator = each_item
    for_each = { for it in var.set : it.name => it }
    content {
      name  = each_item.key
      value = lookup(each_item.value, "value", null)
      type  = lookup(each_item.value, "type", "auto")
    }
  }
}
"#;
    let project = Project::new(&[("main.tf", main)]);
    assert_eq!(
        show(&project.at("helm_release.karpenter", "set")),
        r#"[{name="logLevel",value="debug",type="string"},{name="replicas",value=2,type="auto"}]"#
    );
}

/// tflint 2076 and 2169: static outputs of local modules, and locals in calls, were unknown.
#[test]
fn static_outputs_of_local_modules_are_known() {
    let files = [
        (
            "main.tf",
            r#"
locals { release = { karpenter = "1.8.3" } }
module "versions" {
  source = "./versions"
  wanted = local.release.karpenter
}
module "probe" {
  static = module.versions.static
  passed = module.versions.all["karpenter"].version
  file   = module.versions.file.a
}
"#,
        ),
        (
            "versions/main.tf",
            r#"
variable "wanted" {}
output "static" { value = "v1" }
output "all" { value = { karpenter = { version = "v${var.wanted}" } } }
output "file" { value = yamldecode(file("${path.module}/defaults.yaml")) }
"#,
        ),
        ("versions/defaults.yaml", "a: inside\n"),
    ];
    let project = Project::new(&files);
    let probe = |name| show(&project.at("module.probe", name));
    assert_eq!(
        (probe("static"), probe("passed"), probe("file")),
        ("\"v1\"".to_owned(), "\"v1.8.3\"".to_owned(), "\"inside\"".to_owned())
    );
}

/// trivy 7099: what depends on a variable that is not set is unknown, names it, and hides nothing else.
#[test]
fn a_missing_variable_is_named() {
    let main = r#"
variable "missing" {}
module "probe" {
  version = var.missing
  name    = "karpenter"
  values  = [yamlencode({ replicas = var.missing, logLevel = "debug" })]
}
"#;
    let project = Project::new(&[("main.tf", main)]);
    assert_eq!(show(&project.at("module.probe", "version")), "?var.missing");
    assert_eq!(show(&project.at("module.probe", "name")), "\"karpenter\"");
    assert_eq!(
        show(&project.at("module.probe", "values")),
        r#"["\"logLevel\": \"debug\"\n\"replicas\": <var.missing>\n"]"#
    );
}

/// checkov 7524: modules in modules took hours. Each level passes twenty values on.
#[test]
fn deeply_nested_modules_take_linear_time() {
    let names: Vec<String> = (0..20).map(|it| format!("v{it}")).collect();
    let variables: Vec<String> = names.iter().map(|it| format!("variable \"{it}\" {{}}")).collect();
    let level = |depth: usize| {
        let passed: Vec<String> = names
            .iter()
            .map(|it| {
                format!(
                    "  {it} = {}",
                    if depth == 0 { "\"x\"".into() } else { format!("var.{it}") }
                )
            })
            .collect();
        let declared = if depth == 0 { String::new() } else { variables.join("\n") };
        let call =
            format!("module \"next\" {{\n  source = \"./next\"\n{}\n}}\n", passed.join("\n"));
        let back = "output \"deep\" { value = module.next.deep }\n";
        (format!("{}main.tf", "next/".repeat(depth)), format!("{declared}\n{call}{back}"))
    };
    let deepest = 20;
    let mut files: Vec<(String, String)> = (0..deepest).map(level).collect();
    let last = format!("{}\noutput \"deep\" {{ value = var.v7 }}\n", variables.join("\n"));
    files.push((format!("{}main.tf", "next/".repeat(deepest)), last));
    files.push((
        "probe.tf".to_owned(),
        "module \"probe\" {\n  x = module.next.deep\n}\n".to_owned(),
    ));
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let start = Instant::now();
    let project = Project::new(&files);
    assert_eq!(show(&project.at("module.probe", "x")), "\"x\"");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// tflint 1943: a module that many roots share is parsed once and evaluated for each.
#[test]
fn roots_share_a_module_and_keep_their_values() {
    let mut files = vec![("shared/main.tf".to_owned(), SIBLING.to_owned())];
    for root in 0..200 {
        let main = format!(
            "module \"m\" {{\n  source = \"../../shared\"\n  version_wanted = \"1.{root}.0\"\n}}\n"
        );
        files.push((format!("roots/r{root}/main.tf"), main));
    }
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let project = Project::new(&files);
    assert_eq!(project.terraform.roots.len(), 200);
    for root in &project.terraform.roots {
        let number = root.folder.trim_start_matches("roots/r");
        let release = root.of(Mode::Resource, "helm_release").next().expect("the release");
        let version = release.body.get("version").present().expect("a version");
        assert_eq!(show(version), format!("\"1.{number}.0\""));
    }
}
