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
