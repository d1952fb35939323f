//! Charts of the repository on the command line.

use std::fs;

use serde_json::{Value, json};

use super::{out, repository, run};

const TEMPLATE: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: {{ .Release.Name }}
spec:
  limits: { cpu: 10 }
  weight: 500
  disruption: { consolidationPolicy: {{ .Values.policy }}, consolidateAfter: 1m }
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
";

const FILES: &[(&str, &str)] = &[
    ("pools/Chart.yaml", "apiVersion: v2\nname: pools\nversion: 1.0.0\n"),
    ("pools/values.yaml", "# Which nodes go\npolicy: WhenUnderutilized\n"),
    ("pools/templates/pool.yaml", TEMPLATE),
];

#[test]
fn comments_in_templates_and_values_allow() {
    let folder = repository(FILES);
    let places = || {
        let output =
            run(folder.path(), &["check", "--format", "concise", "--quiet", "--severity", "note"]);
        let places = out(&output);
        let place = |it: &str| it.split(' ').next().unwrap_or_default().to_owned();
        places.lines().map(place).collect::<Vec<_>>()
    };
    assert_eq!(places(), ["pools/templates/pool.yaml:7:11:", "pools/values.yaml:2:9:"]);
    let write = |path: &str, text: String| fs::write(folder.path().join(path), text).unwrap();
    let rule = "invalid-karpenter-resource";
    let values = format!("# karplint: allow {rule} because the cluster is old\n");
    write("pools/values.yaml", values + "policy: WhenUnderutilized\n");
    assert_eq!(places(), ["pools/templates/pool.yaml:7:11:"]);
    let comment =
        format!("  {{{{- /* karplint: allow {rule} because it is a test */}}}}\n  weight");
    write("pools/templates/pool.yaml", TEMPLATE.replace("  weight", &comment));
    assert_eq!(places(), Vec::<String>::new());
    let unused = format!("{{{{/* karplint: allow {rule} because it is a test */}}}}\n");
    write("pools/templates/pool.yaml", TEMPLATE.replace("  weight: 500\n", &unused));
    assert_eq!(places(), ["pools/templates/pool.yaml:7:3:"]);
}

/// What a value gives is fixed in the values, what is literal in the template, and nothing elsewhere.
#[test]
fn fixes_change_literals() {
    let template = |name: &str, policy: &str| {
        let text = TEMPLATE.replace("  weight: 500\n", "").replace("{{ .Release.Name }}", name);
        text.replace("{{ .Values.policy }}", policy)
    };
    let values = "# Which nodes go\npolicy: WhenUnderutilized\nsuffix: Underutilized\n";
    let policies = [
        ("of-values", "{{ .Values.policy }}"),
        ("literal", "WhenUnderutilized"),
        ("joined", "When{{ .Values.suffix }}"),
        ("printed", "{{ printf \"When%s\" .Values.suffix }}"),
        ("chosen", "{{ ternary \"WhenUnderutilized\" \"WhenEmpty\" true }}"),
    ];
    let path = |name: &str| format!("pools/templates/{name}.yaml");
    let app = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: pools, namespace: \
               argocd}\nspec:\n  source: {repoURL: https://git.example/shop, path: pools}\n  \
               destination: {namespace: kube-system, server: 'https://kubernetes.default.svc'}\n";
    let about = ("pools/Chart.yaml".to_owned(), FILES[0].1.to_owned());
    let mut files = vec![
        about,
        ("pools/values.yaml".to_owned(), values.to_owned()),
        ("app.yaml".to_owned(), app.to_owned()),
    ];
    files.extend(policies.map(|(name, policy)| (path(name), template(name, policy))));
    let texts: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = repository(&texts);
    let output = run(
        folder.path(),
        &["check", "--only", "invalid-karpenter-resource", "--format", "concise"],
    );
    let places: Vec<String> =
        out(&output).lines().filter_map(|it| it.split(": ").next()).map(str::to_owned).collect();
    let wanted = [
        "pools/templates/chosen.yaml:7:50",
        "pools/templates/literal.yaml:7:38",
        "pools/values.yaml:2:9",
        "pools/values.yaml:3:9",
    ];
    assert_eq!(places[..4.min(places.len())], wanted);
    run(
        folder.path(),
        &["check", "--only", "invalid-karpenter-resource", "--unsafe-fixes", "--fix"],
    );
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let fixed = values.replace("policy: WhenUnderutilized", "policy: WhenEmptyOrUnderutilized");
    assert_eq!(read("pools/values.yaml"), fixed);
    for (name, policy) in policies {
        let policy = if name == "literal" { "WhenEmptyOrUnderutilized" } else { policy };
        assert_eq!(read(&path(name)), template(name, policy), "{name}");
    }
}

#[test]
fn a_log_has_regions_in_templates_and_values() {
    let folder = repository(FILES);
    let output = run(folder.path(), &["check", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&out(&output)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let place = |it: &Value| {
        let place = &it["locations"][0]["physicalLocation"];
        let region = &place["region"];
        json!([
            place["artifactLocation"]["uri"],
            region["startLine"],
            region["startColumn"],
            region["endColumn"]
        ])
    };
    let places: Vec<Value> = results.iter().map(place).collect();
    for wanted in
        [json!(["pools/templates/pool.yaml", 7, 11, 14]), json!(["pools/values.yaml", 2, 9, 26])]
    {
        assert!(places.contains(&wanted), "{wanted} in {places:?}");
    }
}
