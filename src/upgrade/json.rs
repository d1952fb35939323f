//! The plan as one JSON object. Its form is stable: see `schema_version`.

use serde::Serialize;

use crate::{
    knowledge::upgrade::Ask,
    report::{
        Report,
        json::{FindingObject, JsonLocation, findings},
    },
    upgrade::{karpenter::Running, shown::Plan, way::Step},
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct PlanObject<'a> {
    schema_version: u32,
    upgrades: Vec<UpgradeObject<'a>>,
}

#[derive(Serialize)]
struct UpgradeObject<'a> {
    location: JsonLocation,
    from: FromObject<'a>,
    to: Option<String>,
    steps: Vec<StepObject<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FromObject<'a> {
    Version(String),
    Unknown { unknown: &'a str },
}

#[derive(Serialize)]
struct StepObject<'a> {
    version: String,
    forbidden_without: Option<String>,
    /// Where the step is one of Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    kubernetes: Option<String>,
    changes: Vec<FindingObject<'a>>,
    cluster: Vec<AskObject<'a>>,
}

#[derive(Serialize)]
struct AskObject<'a> {
    r#do: &'a str,
    why: &'a str,
    source: &'a str,
}

/// The plan as JSON.
#[must_use]
pub(super) fn text(plan: &Plan<'_>) -> String {
    let reports = |(project, it)| plan.reports(project, it);
    let reports: Vec<Vec<Report<'_>>> = plan.upgrades().map(reports).collect();
    let upgrades = plan.upgrades().zip(&reports).map(|((project, it), reports)| {
        let (span, path) = (it.karpenter.span, plan.path(project, it.karpenter.span));
        UpgradeObject {
            location: JsonLocation::of(project.files.get(span.file), path, span),
            from: match &it.karpenter.from {
                Running::Version(version) => FromObject::Version(version.to_string()),
                Running::Unknown(text) => FromObject::Unknown { unknown: text },
            },
            to: it.to.as_ref().map(ToString::to_string),
            steps: it.steps.iter().zip(reports).map(|(it, report)| step(it, report)).collect(),
        }
    });
    let object = PlanObject { schema_version: SCHEMA_VERSION, upgrades: upgrades.collect() };
    serde_json::to_string_pretty(&object).unwrap_or_default() + "\n"
}

fn step<'a>(step: &'a Step, report: &'a Report<'_>) -> StepObject<'a> {
    StepObject {
        version: step.version.to_string(),
        forbidden_without: step.forbidden_without.as_ref().map(ToString::to_string),
        kubernetes: step.kubernetes.as_ref().map(|it| format!("{}.{}", it.major, it.minor)),
        changes: findings(report),
        cluster: step.asks.iter().map(ask).collect(),
    }
}

fn ask(ask: &Ask) -> AskObject<'_> {
    AskObject { r#do: &ask.r#do, why: &ask.why, source: &ask.source }
}
