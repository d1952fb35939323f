//! The JSON reports of many repositories as one: who owns each, counts by rule and by owner, and what is new since
//! an earlier one.

pub(crate) mod html;
pub(crate) mod sarif;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

/// A report that is to be merged: the name of its repository, and its text.
#[derive(Debug)]
pub(crate) struct Source {
    /// `OWNER/REPOSITORY`, or a name without an owner.
    pub name: String,
    /// What `karplint check --format json` wrote.
    pub text: String,
}

/// The reports of many repositories.
#[derive(Debug, Serialize)]
pub(crate) struct Merged {
    schema_version: u32,
    tool: Value,
    repositories: Vec<Repository>,
    counts: Tables,
    findings: Vec<Entry>,
}

/// The counts by rule and by owner.
#[derive(Debug, Default, Serialize)]
struct Tables {
    by_rule: BTreeMap<String, Counts>,
    by_owner: BTreeMap<String, Counts>,
}

/// A repository and how much was found in it.
#[derive(Debug, Serialize)]
struct Repository {
    name: String,
    owner: String,
    #[serde(flatten)]
    counts: Counts,
    skipped: usize,
    undecided: usize,
}

/// How many findings there are.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Counts {
    error: usize,
    warning: usize,
    note: usize,
    new: usize,
}

/// A finding with its repository.
#[derive(Debug, Serialize)]
struct Entry {
    repository: String,
    owner: String,
    /// Whether the earlier report lacks it; false where none is given.
    new: bool,
    #[serde(flatten)]
    finding: Found,
}

/// What is needed of a finding, and all else that a report says of it.
#[derive(Debug, Deserialize, Serialize)]
struct Found {
    rule: String,
    severity: String,
    message: String,
    location: Location,
    fingerprint: String,
    url: Option<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// A place as a report has it.
#[derive(Debug, Deserialize, Serialize)]
struct Location {
    path: String,
    start: Point,
    end: Point,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Point {
    line: usize,
    column: usize,
}

/// What is read of a report.
#[derive(Deserialize)]
struct Written {
    schema_version: u32,
    #[serde(default)]
    findings: Vec<Found>,
    #[serde(default)]
    skipped: Vec<Value>,
    #[serde(default)]
    undecided: Vec<Value>,
}

/// What is read of an earlier merged report.
#[derive(Deserialize)]
struct Earlier {
    repositories: Vec<Value>,
    findings: Vec<EarlierFinding>,
}

#[derive(Deserialize)]
struct EarlierFinding {
    repository: String,
    rule: String,
    fingerprint: String,
}

impl Merged {
    /// Joins reports, in the order of the names; what an earlier merged report lacks is new.
    ///
    /// # Errors
    /// When one is no such report, or two have one name; a sentence.
    pub(crate) fn of(mut sources: Vec<Source>, earlier: Option<&str>) -> Result<Self, String> {
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(twice) = sources.windows(2).find(|it| it[0].name == it[1].name) {
            let name = &twice[0].name;
            return Err(format!("two reports are of `{name}`; `NAME=FILE` names them apart"));
        }
        let known = earlier.map(earlier_findings).transpose()?;
        let is_new = |repository: &str, it: &Found| {
            let key = (repository.to_owned(), it.rule.clone(), it.fingerprint.clone());
            known.as_ref().is_some_and(|known| !known.contains(&key))
        };
        let tool = serde_json::json!({ "name": "karplint", "version": env!("CARGO_PKG_VERSION") });
        let (repositories, counts, findings) = Default::default();
        let mut merged =
            Self { schema_version: SCHEMA_VERSION, tool, repositories, counts, findings };
        for Source { name, text } in sources {
            let written: Written = serde_json::from_str(&text)
                .map_err(|error| format!("{name}: this is no JSON report of karplint: {error}"))?;
            if written.schema_version != SCHEMA_VERSION {
                let other = written.schema_version;
                return Err(format!("{name}: the report has the form {other}, which is not known"));
            }
            let owner = name.rsplit_once('/').map_or(String::new(), |it| it.0.to_owned());
            let mut counts = Counts::default();
            for finding in written.findings {
                let new = is_new(&name, &finding);
                let Tables { by_rule, by_owner } = &mut merged.counts;
                for it in [
                    &mut counts,
                    by_rule.entry(finding.rule.clone()).or_default(),
                    by_owner.entry(owner.clone()).or_default(),
                ] {
                    it.add(&finding.severity, new);
                }
                let (repository, owner) = (name.clone(), owner.clone());
                merged.findings.push(Entry { repository, owner, new, finding });
            }
            // Also of an owner of whom nothing is found.
            merged.counts.by_owner.entry(owner.clone()).or_default();
            let (skipped, undecided) = (written.skipped.len(), written.undecided.len());
            merged.repositories.push(Repository { name, owner, counts, skipped, undecided });
        }
        Ok(merged)
    }

    /// One JSON object.
    pub(crate) fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.map(|it| it + "\n").unwrap_or_default()
    }
}

impl Counts {
    fn add(&mut self, severity: &str, new: bool) {
        match severity {
            "error" => self.error += 1,
            "warning" => self.warning += 1,
            _ => self.note += 1,
        }
        self.new += usize::from(new);
    }
}

/// What identifies the findings of an earlier merged report.
fn earlier_findings(text: &str) -> Result<BTreeSet<(String, String, String)>, String> {
    let earlier: Earlier = serde_json::from_str(text)
        .map_err(|error| format!("--since: this is no merged report of karplint: {error}"))?;
    if earlier.repositories.is_empty() && !earlier.findings.is_empty() {
        return Err("--since: the merged report names no repositories".to_owned());
    }
    let key = |it: EarlierFinding| (it.repository, it.rule, it.fingerprint);
    Ok(earlier.findings.into_iter().map(key).collect())
}

#[cfg(test)]
mod tests {
    use super::{Merged, Source};
    use crate::report::merged::{html, sarif};

    fn report(rules: &[&str]) -> String {
        let finding = |(at, rule): (usize, &&str)| {
            serde_json::json!({
                "rule": rule, "severity": "warning", "message": "A <b>", "fingerprint": format!("f{at}"),
                "url": null, "help": null, "fix": null, "group": "g", "related": [],
                "location": {"path": "a.yaml", "start": {"line": 1, "column": 2},
                    "end": {"line": 1, "column": 4}, "byte_start": 1, "byte_end": 3},
            })
        };
        let findings: Vec<_> = rules.iter().enumerate().map(finding).collect();
        serde_json::json!({ "schema_version": 1, "findings": findings, "skipped": [] }).to_string()
    }

    fn merged(reports: &[(&str, &[&str])], since: Option<&str>) -> Result<Merged, String> {
        let source = |it: &(&str, &[&str])| Source { name: it.0.to_owned(), text: report(it.1) };
        Merged::of(reports.iter().map(source).collect(), since)
    }

    #[test]
    fn findings_are_counted_by_rule_and_owner() {
        let found = merged(&[("b/y", &["r", "s"]), ("a/x", &["r"]), ("z", &[])], None).unwrap();
        let json: serde_json::Value = serde_json::from_str(&found.json()).unwrap();
        assert_eq!(json["counts"]["by_rule"]["r"]["warning"], 2);
        assert_eq!(json["counts"]["by_owner"]["b"]["warning"], 2);
        assert_eq!(json["repositories"][0]["name"], "a/x");
        assert_eq!(json["findings"][0]["owner"], "a");
        assert_eq!(json["findings"][0]["location"]["byte_start"], 1);
        assert_eq!(json["findings"][0]["group"], "g");
        assert!(
            html::render(&found).contains("A &lt;b>")
                || html::render(&found).contains("A &lt;b&gt;")
        );
    }

    #[test]
    fn what_an_earlier_report_lacks_is_new() {
        let first = merged(&[("a/x", &["r"])], None).unwrap().json();
        let second = merged(&[("a/x", &["r", "s"])], Some(&first)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&second.json()).unwrap();
        assert_eq!(
            (&json["findings"][0]["new"], &json["findings"][1]["new"]),
            (&false.into(), &true.into())
        );
        assert_eq!(json["counts"]["by_owner"]["a"]["new"], 1);
        let log: serde_json::Value = serde_json::from_str(&sarif::render(&second, true)).unwrap();
        let states = log["runs"][0]["results"].as_array().unwrap().iter();
        let states: Vec<_> = states.map(|it| it["baselineState"].as_str().unwrap()).collect();
        assert_eq!(states, ["unchanged", "new"]);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        assert!(merged(&[("a", &[]), ("a", &[])], None).unwrap_err().contains("two reports"));
        let source = |text: &str| vec![Source { name: "a".to_owned(), text: text.to_owned() }];
        assert!(Merged::of(source("[]"), None).is_err());
        assert!(Merged::of(source("{\"schema_version\": 2}"), None).is_err());
        assert!(merged(&[("a", &[])], Some("{}")).is_err());
    }
}
