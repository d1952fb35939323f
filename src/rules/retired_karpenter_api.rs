use crate::{
    checks::{
        migration::{Migration, Obstacle, migration},
        retirement::{MovedField, Retirement, Successor, TooNew, retirement},
    },
    findings::{Findings, Safety, Severity},
    knowledge::schema::Schema,
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
        if !retired.is_gone && retired.kubernetes.is_none() {
            finding.at_most(Severity::Warning);
            if !retired.is_dated {
                finding.note(retired.span, "nothing here says which release is installed");
            }
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
        for field in &retired.moved {
            finding.note(field.span, moved(field, &retired.object.object.kind));
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
        let is_replaced = retired.replaced_by.is_some_and(|it| it.has_its_name);
        if let Some(by) = retired.replaced_by {
            finding.note(by.object.report_span, "this may have taken its place");
        }
        if let Some(Ok(changes)) = migration.filter(|_| !is_replaced) {
            let title = match retired.successor {
                Some(next) => format!("Make it a `{next}`"),
                None => format!("Rewrite it for `{}/v1`", retired.object.object.group()),
            };
            finding.offer(title, Safety::Unsafe, changes);
        }
    }
}

/// What became of a field of that kind.
fn moved(MovedField { name, to, .. }: &MovedField, kind: &str) -> String {
    match to {
        None => format!("`{name}` is gone"),
        Some(to) if to.kind == kind => format!("`{name}` becomes `{}`", to.path),
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
    let new = write_new(retired, migration);
    let Some(Successor { object, has_its_name }) = &retired.replaced_by else { return new };
    let (kind, name) = (&object.object.kind, object.object.anchor_text().unwrap_or_default());
    if *has_its_name {
        return format!(
            "Delete it: the {kind} `{name}` of `{}` replaces it",
            object.object.api_version
        );
    }
    format!("Delete it if the {kind} `{name}` beside it replaces it; if not, {}", lower_first(&new))
}

/// What is to be written in its place.
fn write_new(retired: &Retirement<'_>, migration: Option<&Migration>) -> String {
    let api = retired.target.map(Schema::api_version).unwrap_or_default();
    let by_hand = match migration {
        Some(Err(Obstacle::Role)) => "; `instanceProfile` or `role` has to be written in it",
        Some(Err(Obstacle::Launch)) => "; what its launch template says goes to its own fields",
        Some(Err(Obstacle::Kubelet)) => "; `kubelet` goes to its EC2NodeClass",
        Some(Err(Obstacle::Resources)) => "; `resources` has no place in it",
        Some(Err(Obstacle::Family(_))) => "; its images need `amiSelectorTerms` of their own",
        Some(Err(Obstacle::Provider)) => {
            "; what is below `provider` goes to an EC2NodeClass, which it names as `nodeClassRef`"
        }
        _ if retired.is_gone || retired.kubernetes.is_some() => "",
        _ if retired.successor.is_some() => "; Karpenter 0.32 serves both",
        _ => "; Karpenter 1.0 serves both",
    };
    match retired.successor {
        Some(next) => {
            let article = if next.starts_with('E') { "an" } else { "a" };
            let is_refused = retired.is_gone || retired.kubernetes.is_some();
            let of_api = if is_refused { format!(" of `{api}`") } else { String::new() };
            format!("Write {article} {next}{of_api} in its place{by_hand}")
        }
        None => format!("Rewrite it for `{api}`{by_hand}"),
    }
}

fn lower_first(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map(|it| it.to_lowercase().chain(rest).collect()).unwrap_or_default()
}
