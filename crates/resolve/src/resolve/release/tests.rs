//! Releases of Terraform and of kustomizations; those of other tools are tested with what reads them.

use crate::{
    resolve::{
        release::{Release, collect, crd_switch::CrdSwitch},
        terraform::{self, inputs::Inputs, options::TerraformOptions},
    },
    source::{Files, SourceFile},
};

/// The releases of Terraform code beside other files.
fn releases(code: &str, beside: &[(&str, &str)]) -> (Files, Vec<Release>) {
    let code = [("main.tf", code)];
    let all = code.iter().chain(beside).map(|(path, text)| SourceFile::new(*path, *text));
    let files = Files::new(all.collect());
    let terraform = terraform::resolve(&files, &TerraformOptions::default());
    let inputs = Inputs::find(&files);
    let roots = terraform.roots.iter().enumerate();
    let found =
        roots.flat_map(|(at, it)| collect::of_root(&files, &inputs, at, it).releases).collect();
    (files, found)
}

fn release(arguments: &str) -> String {
    format!("resource \"helm_release\" \"k\" {{\n  name = \"k\"\n{arguments}}}\n")
}

#[test]
fn a_switch_is_changed_where_it_is_a_literal_or_missing() {
    const LOCAL: &str = "locals {\n  skip = false\n}\n";
    for (argument, wanted) in [
        ("", "key"),
        ("  skip_crds = false\n", "false"),
        ("  skip_crds = \"false\"\n", "\"false\""),
        // Who else reads the local is asked before the fix is offered.
        ("  skip_crds = local.skip\n", "false"),
        ("  skip_crds = !true\n", "none"),
        ("  skip_crds = true\n", "none"),
    ] {
        let code = release(&format!("  chart = \"karpenter\"\n{argument}")) + LOCAL;
        let (files, found) = releases(&code, &[]);
        let [release] = &found[..] else { panic!("one release of {code}") };
        let switch = match &release.crd_switch {
            Some(CrdSwitch::Literal(span)) => files.text(*span),
            Some(CrdSwitch::Key { .. }) => "key",
            Some(CrdSwitch::Flag { .. }) => "flag",
            None => "none",
        };
        assert_eq!(switch, wanted, "{argument}");
    }
}

#[test]
fn a_chart_of_this_repository_has_no_name_on_any_surface() {
    let (_, found) = releases(
        &release("  chart = \"./charts/outer\"\n"),
        &[
            (
                "charts/outer/Chart.yaml",
                "name: outer\ndependencies:\n  - {name: karpenter, repository: \"file://../karpenter\", version: 0.1.0}\n",
            ),
            (
                "charts/karpenter/Chart.yaml",
                "name: karpenter\ndependencies:\n  - {name: karpenter, alias: k, repository: \"oci://x\", version: 1.8.2}\n",
            ),
        ],
    );
    let shown: Vec<_> = found
        .iter()
        .map(|it| (&*it.chart, it.local_chart.as_deref(), it.values_key.as_deref()))
        .collect();
    let wanted = [
        ("", Some("charts/outer"), None),
        ("karpenter", None, Some("k")),
        ("", Some("charts/karpenter"), Some("karpenter")),
    ];
    assert_eq!(shown, wanted);
}

#[test]
fn the_charts_of_other_providers_are_none_of_ours() {
    for (chart, is_ours) in [
        ("oci://mcr.microsoft.com/aks/karpenter/karpenter", false),
        ("karpenter-provider-gcp/karpenter", false),
        ("karpenter-provider-aws/karpenter", true),
    ] {
        let code = release(&format!("  chart = \"{chart}\"\n"));
        assert_eq!(!releases(&code, &[]).1.is_empty(), is_ours, "{chart}");
    }
}
