//! What the forms of Terraform's files, variants and shared modules mean for findings.

use karplint::{config::Config, findings::Finding, lint, project::Project};

fn project(files: &[(&str, &str)]) -> Project {
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    Project::from_memory(files.iter().map(own).collect())
}

/// The findings of a rule as `path:text under the span`, with their notes.
fn found(project: &Project, config: &Config, rule: &str) -> Vec<(String, Vec<String>)> {
    let outcome = lint::run(project, config);
    let shown = |it: &Finding| {
        let path = project.files.get(it.span.file).path();
        let notes = it.notes.iter().map(|it| it.message.clone()).collect();
        (format!("{path}:{}", project.files.text(it.span)), notes)
    };
    outcome.findings.iter().filter(|it| it.rule == rule).map(shown).collect()
}

const RULE: &str = "crd-version-mismatch";

/// The two charts, the controller's version given by a variable.
const CHARTS: &str = r#"
variable "v" {}
resource "helm_release" "crds" {
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter-crd"
  version    = "1.7.0"
}
resource "helm_release" "karpenter" {
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = var.v
  skip_crds  = true
  depends_on = [helm_release.crds]
}
"#;

#[test]
fn a_finding_of_some_variants_says_which() {
    let files = [
        ("main.tf", CHARTS),
        ("dev.tfvars", "v = \"1.7.0\"\n"),
        ("prod.tfvars", "v = \"1.8.0\"\n"),
        ("new.tfvars", "v = \"1.8.0\"\n"),
    ];
    let project = project(&files);
    let variant = |name: &str| (name.to_owned(), vec![format!("{name}.tfvars")]);
    let judged = |names: &[&str]| {
        let variants = names.iter().map(|it| variant(it)).collect();
        found(&project, &Config { variants, ..Config::default() }, RULE)
    };
    let says = |found: &[(String, Vec<String>)]| {
        let notes = found.iter().flat_map(|(_, notes)| notes);
        notes.filter(|it| it.starts_with("only")).cloned().collect::<Vec<_>>()
    };
    let some = judged(&["dev", "prod"]);
    assert_eq!(some.len(), 1, "{some:?}");
    assert_eq!(says(&some), ["only with variant `prod`"]);
    assert_eq!(says(&judged(&["dev", "prod", "new"])), ["only with variants `prod`, `new`"]);
    let all = judged(&["prod", "new"]);
    assert_eq!((all.len(), says(&all)), (1, Vec::new()));
    assert!(judged(&["dev"]).is_empty());
}

#[test]
fn a_finding_of_some_callers_says_which() {
    let call = |version: &str| {
        format!("module \"k\" {{\n  source = \"../../modules/k\"\n  v = \"{version}\"\n}}\n")
    };
    let (dev, prod, copy) = (call("1.7.0"), call("1.8.0"), call("1.8.0"));
    let files = [
        ("modules/k/main.tf", CHARTS),
        ("envs/dev/main.tf", &dev),
        ("envs/prod/main.tf", &prod),
        ("envs/copy/main.tf", &copy),
    ];
    let some = found(&project(&files), &Config::default(), RULE);
    assert_eq!(some.len(), 1, "{some:?}");
    assert!(some[0].1.contains(&"only in `envs/copy`, `envs/prod`".to_owned()), "{some:?}");
    let all = [files[0], files[2], files[3]];
    let all = found(&project(&all), &Config::default(), RULE);
    assert_eq!(all.len(), 1);
    assert!(!all[0].1.iter().any(|it| it.starts_with("only")), "{all:?}");
}

const LIST: &str = r#"{"Modules": [
  {"Key": "k", "Source": "some/k/aws", "Dir": ".terraform/modules/k"},
  {"Key": "eks", "Source": "terraform-aws-modules/eks/aws", "Dir": ".terraform/modules/eks"}]}"#;

#[test]
fn what_is_wrong_in_a_fetched_module_is_said_at_its_call() {
    let main = r#"
module "k" {
  source = "some/k/aws"
  chart  = "karpenter"
  v      = "1.8.0"
}
module "eks" {
  source = "terraform-aws-modules/eks/aws"
}
"#;
    let project = project(&[
        ("main.tf", main),
        (".terraform/modules/modules.json", LIST),
        (".terraform/modules/k/main.tf", CHARTS),
        (".terraform/modules/k/broken.tf", "resource {\n"),
        (".terraform/modules/eks/main.tf", "resource \"aws_eks_node_group\" \"x\" {}\n"),
        (
            ".terraform/modules/k/pool.yaml",
            "kind: StatefulSet\napiVersion: karpenter.sh/v1\n  x: y\n",
        ),
    ]);
    let mismatch = found(&project, &Config::default(), RULE);
    assert_eq!(mismatch.len(), 1, "{mismatch:?}");
    assert_eq!(mismatch[0].0, "main.tf:module \"k\"");
    let outcome = lint::run(&project, &Config::default());
    for finding in outcome.findings {
        let spans = [finding.span].into_iter().chain(finding.notes.iter().map(|it| it.span));
        for span in spans {
            assert_eq!(project.files.get(span.file).path(), "main.tf", "{}", finding.message);
        }
        assert!(
            finding
                .fix
                .is_none_or(|it| it.edits.iter().all(|it| it.span.file == finding.span.file))
        );
    }
}

#[test]
fn json_syntax_has_findings_and_no_fixes_in_the_wrong_language() {
    let json = r#"{"resource": {"helm_release": {
  "crds": {
    "chart": "karpenter-crd",
    "repository": "oci://public.ecr.aws/karpenter",
    "version": "1.7.0"
  },
  "karpenter": {
    "repository": "oci://public.ecr.aws/karpenter",
    "chart": "karpenter",
    "version": "${"1.8.0"}"
  }
}}}"#
        .replace("${\"1.8.0\"}", "${\\\"1.8.0\\\"}");
    let project = project(&[("main.tf.json", &json)]);
    let mismatch = found(&project, &Config::default(), RULE);
    assert_eq!(mismatch.len(), 1, "{mismatch:?}");
    let outcome = lint::run(&project, &Config::default());
    assert!(outcome.findings.iter().any(|it| it.rule == "crd-order-undeclared"));
    for fix in outcome.findings.iter().filter_map(|it| it.fix.as_ref()) {
        for edit in &fix.edits {
            assert!(!edit.text.contains(" = ") && !edit.text.contains("helm_release"), "{edit:?}");
        }
    }
}
