use crate::{
    checks::{
        migration::{Migration, Obstacle, migration},
        retirement::{Retirement, TooNew, retirement},
    },
    findings::{Findings, Safety, Severity},
    knowledge::schema::retired::Move,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/retired-karpenter-api.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for object in &model.karpenter_objects {
        let Some(diagnosis) = retirement(model, object) else { continue };
        let Some(retired) = findings.fault(object.report_span, diagnosis) else { continue };
        let finding = findings.report(retired.span, message(&retired));
        finding.about(retired.object.subject.as_ref());
        if !retired.is_gone {
            let dated = retired.is_dated || retired.kubernetes.is_some();
            finding.at_most(if dated { Severity::Warning } else { Severity::Note });
        }
        if let Some(TooNew { version, span: Some(span), needs }) = &retired.kubernetes {
            let ((_, kubernetes), (major, minor)) = (version.line(), needs.line());
            let words =
                format!("Kubernetes 1.{kubernetes} needs Karpenter {major}.{minor} or newer");
            finding.note(*span, words);
        }
        if retired.by_document {
            finding.at_most(Severity::Warning);
        }
        for release in &retired.gone_with {
            let words = if retired.by_document {
                "a document installs this version"
            } else {
                "the version of Karpenter"
            };
            finding.note(release.version.span(), words);
        }
        for (span, field) in &retired.moved {
            finding.note(*span, moved(field));
        }
        if let Some(limit) = &retired.hop_limit {
            let (after, before) = (limit.after, limit.before);
            finding.note(
                limit.span,
                format!("the default hop limit changes from {before} to {after} with `v1`"),
            );
        }
        let migration = migration(retired.object, &model.karpenter_objects);
        finding.help(help(&retired, migration.as_ref()));
        if let Some(Ok(changes)) = migration {
            let title = match retired.successor {
                Some(next) => format!("Make it a `{next}`"),
                None => format!("Rewrite it for `{}/v1`", retired.object.object.group()),
            };
            finding.offer(title, Safety::Unsafe, changes);
        }
    }
}

/// What became of a field.
fn moved(field: &Move) -> String {
    let name = field.from.rsplit('.').next().unwrap_or_default();
    match &field.to {
        None => format!("`{name}` is gone"),
        Some(to) if to.kind == field.kind => format!("`{name}` becomes `{}`", to.path),
        Some(to) => format!("`{name}` becomes `{}` of the {}", to.path, to.kind),
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

fn help(retired: &Retirement<'_>, migration: Option<&Migration>) -> String {
    if let Some(next) = retired.successor {
        let article = if next.starts_with('E') { "an" } else { "a" };
        let by_hand = match migration {
            Some(Err(Obstacle::Role)) => "; `instanceProfile` or `role` has to be written in it",
            Some(Err(Obstacle::Launch)) => "; what its launch template says goes to its own fields",
            _ => "; Karpenter 0.32 serves both",
        };
        return format!("Write {article} {next} in its place{by_hand}");
    }
    let by_hand = match migration {
        Some(Err(Obstacle::Kubelet)) => "; `kubelet` goes to its EC2NodeClass",
        Some(Err(Obstacle::Resources)) => "; `resources` has no place in it",
        Some(Err(Obstacle::Family(_))) => "; its images need `amiSelectorTerms` of their own",
        _ => "; Karpenter 1.0 serves both",
    };
    format!("Rewrite it for `{}/v1`{by_hand}", retired.object.object.group())
}
