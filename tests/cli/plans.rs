//! Plans that are given without the configuration they were made of.

use std::fs;

use super::{err, json, out, run};

/// What a plan says of a release of a chart in a module: its planned values, and its configuration.
fn release(name: &str, chart: &str, version: &str) -> (String, String) {
    let kind = format!(r#""mode": "managed", "type": "helm_release", "name": "{name}""#);
    let values = r#"["settings:\n  clusterName: shop\n  interruptionQueue: ''\n"]"#;
    let planned = format!(
        r#"{{"address": "module.a[0].helm_release.{name}", {kind}, "values":
{{"chart": "{chart}", "repository": "oci://public.ecr.aws/karpenter", "version": "{version}", "skip_crds": false, "values": {values}}}}}"#
    );
    let configured = format!(
        r#"{{"address": "helm_release.{name}", {kind}, "expressions": {{
"chart": {{"constant_value": "{chart}"}}, "repository": {{"references": ["var.r"]}}, "version": {{"references": ["var.v"]}},
"values": {{"references": ["local.values"]}}}}}}"#
    );
    (planned, configured)
}

fn plan() -> String {
    let (controller, crds) =
        (release("k", "karpenter", "1.8.0"), release("crds", "karpenter-crd", "1.7.0"));
    format!(
        r#"{{"format_version": "1.2",
"planned_values": {{"root_module": {{"child_modules": [{{"resources": [
{},
{}]}}]}}}},
"configuration": {{"root_module": {{"module_calls": {{"a": {{"module": {{"resources": [
{},
{}]}}}}}}}}}}}}"#,
        controller.0, crds.0, controller.1, crds.1
    )
}

#[test]
fn places_are_those_of_planned_values() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("saved.json"), plan()).unwrap();
    let said = json(folder.path(), &["--exit-zero", "saved.json"]);
    let found = said["findings"].as_array().unwrap();
    let text = plan();
    let place = |rule: &str| {
        let finding = found.iter().find(|it| it["rule"] == rule);
        let finding = finding.unwrap_or_else(|| panic!("{rule} in {said}"));
        assert_eq!(finding["fix"], serde_json::Value::Null, "{rule}");
        let at = |end: &str| usize::try_from(finding["location"][end].as_u64().unwrap()).unwrap();
        text[at("byte_start")..at("byte_end")].to_owned()
    };
    assert_eq!(place("crd-version-mismatch"), "\"1.7.0\"");
    assert_eq!(place("crds-not-skipped"), "\"module.a[0].helm_release.k\"");
    assert_eq!(place("interruption-queue-unset"), "''");
}

#[test]
fn a_plan_that_is_not_json_is_refused_with_the_command_that_prints_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, shown) in [("tfplan", "tfplan.json"), ("plan.json", "plan.shown.json")] {
        fs::write(folder.path().join(name), b"PK\x03\x04\0").unwrap();
        let refused = run(folder.path(), &["check", name]);
        assert_eq!(refused.status.code(), Some(2), "{}", out(&refused));
        let expected = format!(
            "karplint: {name}: a binary plan: check what `terraform show -json {name} > {shown}` writes\n"
        );
        assert_eq!(err(&refused), expected);
    }
    let walked = json(folder.path(), &["--exit-zero"]);
    let reason =
        "a binary plan: check what `terraform show -json plan.json > plan.shown.json` writes";
    let expected = serde_json::json!([{"path": "plan.json", "reason": reason}]);
    assert_eq!(walked["skipped"], expected);
}
