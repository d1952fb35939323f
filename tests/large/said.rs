//! What is said where a limit is reached, with limits of a hundredth, so that small inputs reach them.

use serde_json::Value;

use crate::large::{check, filled_to, pool, release_of, too_large};

/// Limits of a hundredth, and all that is listed.
const LOWERED: &[&str] = &["--limits", "0.01", "-v"];

/// What is listed as not read or not rendered, each by its path and why.
fn skipped(report: &Value) -> Vec<String> {
    let all = report["skipped"].as_array().into_iter().flatten();
    let of = |it: &Value| Some(format!("{}: {}", it["path"].as_str()?, it["reason"].as_str()?));
    all.filter_map(of).collect()
}

/// A chart of one template, in a folder.
fn chart<'a>(paths: &'a [(String, String)], template: &str) -> Vec<(&'a str, String)> {
    let metadata = "apiVersion: v2\nname: x\nversion: 1.0.0\n";
    let files = |(metadata_path, path): &'a (String, String)| {
        [
            (metadata_path.as_str(), metadata.to_owned()),
            (path.as_str(), format!("# karpenter\n{template}")),
        ]
    };
    paths.iter().flat_map(files).collect()
}

/// The paths of the metadata and the template of charts.
fn charts(count: usize) -> Vec<(String, String)> {
    let of = |it| (format!("c{it:02}/Chart.yaml"), format!("c{it:02}/templates/a.yaml"));
    (0..count).map(of).collect()
}

#[test]
fn module_calls() {
    let call = |it| format!("module \"m{it}\" {{\n  source = \"./m\"\n}}\n");
    let files = [
        ("main.tf", (0..110).map(call).collect()),
        ("m/main.tf", "output \"karpenter\" { value = 1 }\n".to_owned()),
    ];
    let found = too_large(&check(&files, LOWERED));
    assert!(
        found.contains(&"main.tf: 100 module calls below one Terraform root".to_owned()),
        "{found:?}"
    );
}

#[test]
fn steps_of_one_root() {
    let nested = format!("{}\"x\"{}", "[for x in range(100) : ".repeat(3), "]".repeat(3));
    let root = release_of(&format!("  a = {nested}\n"), "join(\"\", flatten(local.a))");
    assert_eq!(
        too_large(&check(&[("main.tf", root)], LOWERED)),
        ["main.tf: 15,000 steps to evaluate one Terraform root"]
    );
}

#[test]
fn pairs_of_pools() {
    let key = |it| format!("{{key: team, operator: NotIn, values: [t{it}]}}, ");
    let pools = (0..220).map(|it| pool(it, &key(it))).collect();
    let report =
        check(&[("a.yaml", pools)], &[LOWERED, &["--only", "ambiguous-nodepools"]].concat());
    let said = report["undecided"].to_string();
    assert!(said.contains("too many NodePools are applied together to compare them all"), "{said}");
}

#[test]
fn steps_of_all_charts() {
    let paths = charts(30);
    let files = chart(&paths, "{{ range until 1000 }}{{ range until 1000 }}x{{ end }}{{ end }}");
    let found = skipped(&check(&files, LOWERED));
    assert_eq!(found.len(), 30, "{found:?}");
    assert!(found[0].contains("more than 600,000 steps to render all charts"), "{found:?}");
    // Those of one are fewer where there are few.
    let found = skipped(&check(&files[..2], LOWERED));
    assert!(found[0].contains("more than 30,000 steps to render one chart"), "{found:?}");
}

#[test]
fn megabytes_of_a_chart_and_of_one_text() {
    let paths = charts(1);
    let plain = format!("{{{{ range until 2000 }}}}{}{{{{ end }}}}", "x".repeat(1000));
    for (template, words) in [
        (plain.as_str(), "1 MB in one text of a chart"),
        (
            "{{ $x := repeat 500000 \"x\" }}{{ $y := print $x $x $x }}",
            "1 MB in one text of a chart",
        ),
        (
            "{{ range until 9 }}{{ $x := repeat 500000 \"x\" }}{{ end }}",
            "2 MB of output of one chart",
        ),
    ] {
        let found = skipped(&check(&chart(&paths, template), LOWERED));
        assert!(
            found.iter().any(|it| it.contains(&format!("more than {words};"))),
            "{words}: {found:?}"
        );
    }
}

#[test]
fn megabytes_of_a_file() {
    let code = |len: usize| filled_to(len, |it| format!("# karpenter {it}\n"));
    let mut exact = code(1 << 20);
    exact.truncate(1 << 20);
    let report = check(&[("a.tf", code((1 << 20) + 1)), ("b.tf", exact)], LOWERED);
    assert_eq!(skipped(&report), ["a.tf: over 1 MB; `--limits` raises this"]);
    assert_eq!(too_large(&report), ["b.tf: 1 MB in one file"]);
}

#[test]
fn findings_of_a_rule_and_of_a_policy() {
    const POLICY: &str = "apiVersion: karplint/v1\nkind: Policy\nmetadata: { name: pools-have-a-team }\nspec:\n  title: Pools have a team\n  subject: nodePool\n  validations: [{ expression: 'false', message: No team }]\n";
    let pools: String = (0..60).map(|it| pool(it, "")).collect();
    let files = [("a.yaml", pools), (".karplint/policies/team.yaml", POLICY.to_owned())];
    for rule in ["unbounded-nodepool", "pools-have-a-team"] {
        let only = format!("{rule},unreadable");
        let report = check(&files, &["--limits", "0.001", "--only", &only]);
        assert_eq!(too_large(&report), ["a.yaml: 50 findings of one rule"], "{rule}");
        let of_rule = report["findings"].as_array().into_iter().flatten();
        assert_eq!(of_rule.filter(|it| it["rule"] == rule).count(), 50, "{rule}");
    }
}
