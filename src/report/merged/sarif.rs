//! The merged report as a SARIF log: a run for each repository.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::report::{
    markup::percent_encoded,
    merged::{Entry, Merged, Repository},
};

/// The log; what is new is marked where the report is `compared` with an earlier one.
pub(crate) fn render(merged: &Merged, compared: bool) -> String {
    let run = |it: &Repository| {
        let of_it = merged.findings.iter().filter(|found| found.repository == it.name);
        run(&it.name, &of_it.collect::<Vec<_>>(), compared)
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": merged.repositories.iter().map(run).collect::<Vec<_>>(),
    });
    format!("{log:#}\n")
}

fn run(name: &str, findings: &[&Entry], compared: bool) -> Value {
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    for it in findings {
        let rule = &it.finding.rule;
        rules.entry(rule).or_insert_with(|| match &it.finding.url {
            Some(url) => json!({ "id": rule, "helpUri": url }),
            None => json!({ "id": rule }),
        });
    }
    json!({
        "tool": { "driver": {
            "name": "karplint",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules.into_values().collect::<Vec<_>>(),
        } },
        "automationDetails": { "id": format!("karplint/{name}/") },
        "columnKind": "unicodeCodePoints",
        "results": findings.iter().map(|it| result(it, compared)).collect::<Vec<_>>(),
    })
}

fn result(it: &Entry, compared: bool) -> Value {
    let found = &it.finding;
    let (start, end) = (&found.location.start, &found.location.end);
    let level = if ["error", "warning", "note"].contains(&&*found.severity) {
        &*found.severity
    } else {
        "none"
    };
    let mut result = json!({
        "ruleId": found.rule,
        "level": level,
        "message": { "text": found.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": percent_encoded(&found.location.path) },
            "region": { "startLine": start.line, "startColumn": start.column,
                "endLine": end.line, "endColumn": end.column },
        } }],
        "partialFingerprints": { "karplint/v1": found.fingerprint },
        "properties": { "repository": it.repository, "owner": it.owner },
    });
    if compared {
        result["baselineState"] = json!(if it.new { "new" } else { "unchanged" });
    }
    result
}
