//! Findings in charts: in templates, in the values that they take, and in what templates include.

use serde_json::{Value, json};

use super::session::{Answer, Session};

const CONFIG: &str = "rules: { invalid-karpenter-resource: error }\n";
const CHART: &str = "apiVersion: v2\nname: pools\nversion: 1.0.0\n";
const VALUES: &str = "policy: WhenUnderutilized\n";
const HELPERS: &str = "{{ define \"pools.after\" }}ten{{ end }}\n";
const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: {{ .Release.Name }}
spec:
  limits: { cpu: 10 }
  weight: 500
  disruption:
    consolidationPolicy: {{ .Values.policy }}
    consolidateAfter: {{ include \"pools.after\" . }}
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
";

fn session() -> Session {
    let files = [
        (".karplint.yaml", CONFIG),
        ("pools/Chart.yaml", CHART),
        ("pools/values.yaml", VALUES),
        ("pools/templates/_helpers.tpl", HELPERS),
        ("pools/templates/pool.yaml", POOL),
    ];
    Session::start(&files, &json!({}))
}

#[test]
fn findings_of_a_chart_are_in_its_values_and_templates() {
    let session = session();
    let found = |path: &str| {
        let found = session.diagnostics(path, |it| !it.diagnostics.is_empty());
        let found = serde_json::to_value(&found.diagnostics).unwrap();
        let place = |it: &Value| (it["range"]["start"].clone(), it["range"]["end"].clone());
        found.as_array().unwrap().iter().map(place).collect::<Vec<_>>()
    };
    let at = |line: u32, from: u32, to: u32| {
        let position = |character: u32| json!({ "line": line, "character": character });
        (position(from), position(to))
    };
    // The server says them in the order of the paths.
    assert_eq!(found("pools/templates/_helpers.tpl"), [at(0, 26, 29)]);
    assert_eq!(found("pools/templates/pool.yaml"), [at(6, 10, 13)]);
    assert_eq!(found("pools/values.yaml"), [at(0, 8, 25)]);
    session.end();
}

#[test]
fn templates_and_values_count_as_they_are_typed() {
    let mut session = session();
    let (helpers, template, values) =
        ("pools/templates/_helpers.tpl", "pools/templates/pool.yaml", "pools/values.yaml");
    session.open(helpers, HELPERS);
    session.diagnostics(helpers, |it| it.version == Some(1) && it.diagnostics.len() == 1);
    session.change(helpers, 2, ((0, 26), (0, 29)), "10m");
    session.diagnostics(helpers, |it| it.version == Some(2) && it.diagnostics.is_empty());
    session.open(values, VALUES);
    session.diagnostics(values, |it| it.version == Some(1) && it.diagnostics.len() == 1);
    let params = session.at(values, 0, 10);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("WhenUnderutilized"), "{text}");
    assert_eq!(hover["range"]["start"], json!({ "line": 0, "character": 8 }));
    session.change(values, 2, ((0, 8), (0, 25)), "WhenEmpty");
    session.diagnostics(values, |it| it.version == Some(2) && it.diagnostics.is_empty());
    session.open(template, POOL);
    session.diagnostics(template, |it| it.version == Some(1) && it.diagnostics.len() == 1);
    let params = session.at(template, 6, 11);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("`weight` cannot be `500`"), "{text}");
    let actions = serde_json::to_value(session.actions(template, 6, 11)).unwrap();
    let edit = &actions[0]["edit"]["changes"][session.uri(template)][0];
    let comment = "  {{- /* karplint: allow invalid-karpenter-resource because … */}}\n";
    assert_eq!(edit["newText"], comment);
    session.change(template, 2, ((6, 0), (6, 0)), &comment.replace('…', "it is a test"));
    session.diagnostics(template, |it| it.version == Some(2) && it.diagnostics.is_empty());
    session.end();
}
