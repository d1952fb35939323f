//! Where pods can run and what each event does with them: in words at the pointer, and as a page.

use serde_json::{Value, json};

use super::session::{Answer, Session};

const POOLS: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      taints: [{ key: team, value: shop, effect: NoSchedule }]
";
const PODS: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: web }]
      tolerations: [{ key: team, value: shop }]
";

#[test]
fn the_pointer_on_a_workload_tells_what_takes_it() {
    let files = [("pools.yaml", POOLS), ("web.yaml", PODS)];
    let mut session = Session::start(&files, &json!({}));
    session.open("web.yaml", PODS);
    let params = session.at("web.yaml", 3, 9);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    for part in ["Can run on general", "consolidation", "drift", "web.yaml"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("taint"), "{text}");
    // Beside the name nothing is said.
    let params = session.at("web.yaml", 5, 2);
    assert_eq!(session.ask("textDocument/hover", params).result(), Some(Value::Null));
    // What is typed counts: without the toleration the pool refuses the pods.
    session.change("web.yaml", 2, ((11, 6), (11, 47)), "");
    let params = session.at("web.yaml", 3, 9);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("Cannot run on general") && text.contains("team=shop"), "{text}");
    session.end();
}

#[test]
fn a_command_answers_with_the_page() {
    let files = [("pools.yaml", POOLS), ("web.yaml", PODS)];
    let mut session = Session::start(&files, &json!({}));
    session.open("web.yaml", PODS);
    let uri = session.uri("web.yaml");
    let asked = json!({ "command": "karplint.page", "arguments": [uri] });
    let page = session.ask("workspace/executeCommand", asked).result().unwrap();
    let html = page["html"].as_str().unwrap();
    for part in ["<!doctype html>", "Content-Security-Policy", "general", "web.yaml"] {
        assert!(html.to_lowercase().contains(&part.to_lowercase()), "{part} is not on the page");
    }
    let root = page["root"].as_str().unwrap();
    assert!(uri.starts_with(root), "{root} is not above {uri}");
    // Without a file it is that of the first folder.
    let asked = json!({ "command": "karplint.page", "arguments": [] });
    let same = session.ask("workspace/executeCommand", asked).result().unwrap();
    assert_eq!(same["root"], page["root"]);
    session.end();
}
