use crate::{
    findings::{Findings, Safety, Severity, change::Change},
    model::{
        Model,
        karpenter_object::{migration::Obstacle, retirement::Retirement},
    },
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/retired-karpenter-api.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for retired in model.retirements() {
        let finding = findings.report(retired.span, message(&retired));
        finding.instance(retired.object.instance.as_ref());
        if !retired.is_gone {
            finding.at_most(Severity::Warning);
        }
        for release in &retired.gone_with {
            finding.note(release.version.span(), "the release of Karpenter");
        }
        finding.notes(retired.moved.iter().cloned());
        if let Some(Ok(edits)) = &retired.object.migration {
            let title = format!("Rewrite it for `{}/v1`", retired.object.object.group());
            finding.offer(title, Safety::Unsafe, edits.iter().cloned().map(Change::Edit));
        }
        finding.help(help(&retired));
    }
}

fn message(retired: &Retirement<'_>) -> String {
    let (major, minor) = retired.version.as_ref().unwrap_or(retired.until).line();
    let since = if retired.version.is_some() { "" } else { " and later" };
    let karpenter = format!("Karpenter {major}.{minor}");
    let (kind, api) = (&retired.object.object.kind, &retired.object.object.api_version);
    match (retired.successor, retired.is_gone) {
        (Some(next), true) => format!("{karpenter}{since} has no {kind}: it became {next}"),
        (Some(next), false) => format!("{kind} is gone from {karpenter} on: it became {next}"),
        (None, true) => format!("{karpenter}{since} does not serve `{api}`"),
        (None, false) => format!("`{api}` is gone from {karpenter} on"),
    }
}

fn help(retired: &Retirement<'_>) -> String {
    if let Some(next) = retired.successor {
        let article = if next.starts_with('E') { "an" } else { "a" };
        return format!("Write {article} {next} in its place; Karpenter 0.32 serves both");
    }
    let by_hand = match &retired.object.migration {
        Some(Err(Obstacle::Kubelet)) => "; `kubelet` goes to its EC2NodeClass",
        Some(Err(Obstacle::Resources)) => "; `resources` has no place in it",
        Some(Err(Obstacle::Family(_))) => "; its images need `amiSelectorTerms` of their own",
        _ => "; Karpenter 1.0 serves both",
    };
    format!("Rewrite it for `{}/v1`{by_hand}", retired.object.object.group())
}
