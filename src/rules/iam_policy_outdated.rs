use crate::{
    checks::{
        conversion::written_before_1_0,
        identity::{
            permissions::{policies, stops_only_deletion},
            policy::{Denied, PolicySource},
        },
        module_step::ModuleChange,
    },
    findings::{
        Findings, Safety, Severity,
        change::{Change, NewValue},
        note::Note,
    },
    knowledge::identity::Need,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/iam-policy-outdated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in policies(model) {
        let Some(denied) = findings.fault(place, diagnosis) else { continue };
        let Some(version) = denied.release.version.plainly() else { continue };
        let Some(message) = message(&denied) else { continue };
        let finding = findings.report(denied.place, message);
        match written_before_1_0(model, denied.release) {
            Some(it) if is_for_earlier_nodes(&denied) => {
                let api = &it.object.api_version;
                finding.at_most(Severity::Warning).note(
                    it.report_span,
                    format!("this object of `{api}` is from before 1.0, as nodes may be"),
                );
            }
            None if is_for_earlier_nodes(&denied) => {
                let words = "where no release before 1.0 ever ran, no node needs it";
                finding.at_most(Severity::Note).note(denied.release.version.span(), words);
            }
            _ => {}
        }
        if stops_only(&denied).is_some() {
            finding.at_most(Severity::Warning);
        }
        if let Some(place) = stops_only_deletion(model, &denied) {
            let words = "all classes name a profile of their own: only their deletion hangs";
            finding.at_most(Severity::Warning).note(place, words);
        }
        finding
            .about(&denied.subject)
            .note(denied.release.version.span(), format!("the controller is {version}"))
            .notes(denied.release.version.steps())
            .notes(with_version(&denied))
            .help(help(&denied))
            .offer(
                format!("Allow {}", actions(&denied).join(", ")),
                Safety::Unsafe,
                allow(&denied),
            );
    }
}

/// What adds the actions to a statement that allows others for everything.
fn allow(denied: &Denied<'_>) -> Vec<Change> {
    match &denied.source {
        PolicySource::Own(Some((statement, key))) => {
            let text = |it: &Need| NewValue::text(&*it.action);
            let add = |it: &&Need| Change::add(statement, key, Vec::new(), text(it));
            denied.needs.iter().map(add).collect()
        }
        PolicySource::Module { set: Some(change), .. } => vec![Change::clone(change)],
        PolicySource::Module { raised: Some(raised), .. } => {
            let (version, others) = &**raised;
            let others: Option<Vec<Change>> = others.iter().map(|it| it.change.clone()).collect();
            others.map_or_else(Vec::new, |it| [version.clone()].into_iter().chain(it).collect())
        }
        PolicySource::Own(None) | PolicySource::Module { .. } => Vec::new(),
    }
}

/// What else changes with the version of the module that allows it.
fn with_version(denied: &Denied<'_>) -> Vec<Note> {
    let PolicySource::Module { switch: None, raised: Some(raised), .. } = &denied.source else {
        return Vec::new();
    };
    let note = |it: &ModuleChange| Note { span: it.span, message: it.words.clone() };
    raised.1.iter().map(note).collect()
}

fn help(denied: &Denied<'_>) -> String {
    let actions = actions(denied).join(", ");
    match &denied.source {
        PolicySource::Own(_) => format!("Allow {actions} in this policy"),
        PolicySource::Module { switch: Some(name), .. } => {
            format!("Set `{name} = true`: it allows {actions}")
        }
        PolicySource::Module { allowed_since: Some(since), raised, besides, .. } => {
            let others = raised.iter().flat_map(|it| &it.1).map(|it| format!("; {}", it.words));
            let others = others.collect::<String>();
            let field = |it: &&Need| Some((it.action.clone(), it.with_class_field.clone()?));
            let more = besides.iter().filter_map(field);
            let more = more.map(|(it, field)| format!(", and `{it}` for classes with `{field}`"));
            let more = more.collect::<String>();
            format!("Use version {since} of the module or newer: it allows {actions}{more}{others}")
        }
        PolicySource::Module { statements: Some(input), .. } => {
            format!("Allow {actions} in `{input}` of the module")
        }
        PolicySource::Module { .. } => {
            format!("Allow {actions} in a policy of your own for the role of the controller")
        }
    }
}

/// The actions, each with the tag that it is denied for: others may be allowed.
fn actions(denied: &Denied<'_>) -> Vec<String> {
    let named = |it: &&Need| match &it.tag {
        Some(tag) => format!("`{}` with the tag `{tag}`", it.action),
        None => format!("`{}`", it.action),
    };
    denied.needs.iter().map(named).collect()
}

/// What the denial stops, where everything else goes on.
fn stops_only<'d>(denied: &'d Denied<'_>) -> Option<&'d str> {
    let (first, others) = denied.needs.split_first()?;
    let stops = first.stops_only.as_deref()?;
    others.iter().all(|it| it.stops_only.as_deref() == Some(stops)).then_some(stops)
}

/// Whether only the nodes that an earlier version launched need what is lacking.
fn is_for_earlier_nodes(denied: &Denied<'_>) -> bool {
    denied.needs.iter().all(|it| it.for_nodes_before.is_some())
}

/// Names the actions, as many as fit.
fn message(denied: &Denied<'_>) -> Option<String> {
    let actions: Vec<String> = denied.needs.iter().map(|it| format!("`{}`", it.action)).collect();
    let (first, others) = actions.split_first()?;
    let all = actions.join(", ");
    if let [Need { for_nodes_before: Some(version), .. }] = &*denied.needs {
        return Some(format!("Karpenter is denied {all} on nodes from before {version}"));
    }
    if let Some(stops) = stops_only(denied) {
        return Some(format!("Karpenter is denied {all}: its {stops} are off"));
    }
    Some(match others.len() {
        _ if all.len() <= 60 => format!("Karpenter is denied {all}"),
        1 => format!("Karpenter is denied {first} and another action"),
        more => format!("Karpenter is denied {first} and {more} other actions"),
    })
}
