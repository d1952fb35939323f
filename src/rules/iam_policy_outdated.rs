use crate::{
    checks::{
        conversion::written_before_1_0,
        identity::{
            permissions::{OnlyDeletion, policies, stops_only_deletion},
            policy::{Denied, PolicySource, Unmet},
            powerless::powerless,
        },
        module_step::ModuleChange,
    },
    findings::{
        Findings, Safety, Severity,
        change::{Change, NewValue},
        mention::Claim,
        note::Note,
    },
    knowledge::identity::need::Need,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/iam-policy-outdated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    report_powerless(model, findings);
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
        if let Some(severity) = cost(&denied) {
            finding.at_most(severity);
        }
        match stops_only_deletion(model, &denied) {
            Some(OnlyDeletion::OfAnyClass) => {
                finding.at_most(Severity::Warning);
            }
            Some(OnlyDeletion::With(place)) => {
                let words = "all classes name a profile of their own: only their deletion hangs";
                finding.at_most(Severity::Warning).note(place, words);
            }
            None => {}
        }
        finding
            .about(&denied.subject)
            .notes(conditions(&denied))
            .notes(misnamed(&denied))
            .notes(costs(&denied))
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

/// Reports the controllers that may launch nothing at all.
fn report_powerless(model: &Model, findings: &mut Findings) {
    for fault in powerless(model) {
        let message = match fault.other {
            None => "Karpenter may do nothing: its role has no policy",
            Some(_) => "Karpenter may launch nothing: no policy of its role is for it",
        };
        let finding = findings.report(fault.role.header, message);
        if let Some(other) = fault.other {
            finding.note(other.header, "this allows other things");
        }
        finding
            .about(&fault.role.subject(fault.root))
            .note(fault.release.report_span, "the controller takes it on")
            .help("Attach the controller policy of its version to it")
            .unless_mentioned(Claim::RolePolicies);
    }
}

/// The conditions that nothing meets.
fn conditions(denied: &Denied<'_>) -> impl Iterator<Item = Note> {
    denied.conditions.iter().map(|(span, unmet)| {
        let message = match unmet {
            Unmet::FormerTag(need) => {
                let tag = need.right_tag.as_deref().unwrap_or_default();
                match need.range().until {
                    None => {
                        format!("of Karpenter's resources none has this tag: it is `{tag}` now")
                    }
                    Some(first) => {
                        format!("before {first}, none of Karpenter's resources has this tag")
                    }
                }
            }
            Unmet::LiteralStar => {
                "only `StringLike` takes `*` for any text: no tag is `*`".to_owned()
            }
        };
        Note { span: *span, message }
    })
}

/// The actions that are named under another service.
fn misnamed(denied: &Denied<'_>) -> impl Iterator<Item = Note> {
    denied.misnamed.iter().map(|(span, written, need)| {
        let message = format!("`{written}` is not `{}`", need.action);
        Note { span: *span, message }
    })
}

/// What the lesser denials cost, which would go unseen beside what stops Karpenter.
fn costs(denied: &Denied<'_>) -> impl Iterator<Item = Note> {
    denied.needs.iter().skip(1).filter_map(|need| {
        let message = format!("without `{}`, {}", need.action, need.stops_only.as_ref()?);
        Some(Note { span: denied.place, message })
    })
}

/// What adds the actions to a statement that allows others for everything.
fn allow(denied: &Denied<'_>) -> Vec<Change> {
    match &denied.source {
        PolicySource::Own(Some((statement, key))) if denied.conditions.is_empty() => {
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
        PolicySource::Own(_) | PolicySource::Module { .. } | PolicySource::Aws => Vec::new(),
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
    let remedy = denied.needs.first().and_then(|it| it.remedy.as_ref());
    if let (PolicySource::Module { .. }, Some(remedy)) = (&denied.source, remedy) {
        return remedy.clone();
    }
    match &denied.source {
        PolicySource::Aws => {
            format!("Attach the controller policy of its version to the role: it allows {actions}")
        }
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
    let named = |it: &&Need| match it.tag.as_ref().or(it.right_tag.as_ref()) {
        Some(tag) => format!("`{}` with the tag `{tag}`", it.action),
        None => format!("`{}`", it.action),
    };
    denied.needs.iter().map(named).collect()
}

/// How much the denials hurt, where everything goes on without what is denied.
fn cost(denied: &Denied<'_>) -> Option<Severity> {
    let is_minor = denied.needs.iter().all(|it| it.is_minor);
    let severity = if is_minor { Severity::Note } else { Severity::Warning };
    denied.needs.iter().all(|it| it.stops_only.is_some()).then_some(severity)
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
    if let [Need { stops_only: Some(cost), .. }] = &*denied.needs {
        return Some(format!("Karpenter is denied {all}: {cost}"));
    }
    if let [Need { only_deletion: true, .. }] = &*denied.needs {
        return Some(format!("Karpenter is denied {all}: no EC2NodeClass can be deleted"));
    }
    Some(match others.len() {
        _ if all.len() <= 60 => format!("Karpenter is denied {all}"),
        1 => format!("Karpenter is denied {first} and another action"),
        more => format!("Karpenter is denied {first} and {more} other actions"),
    })
}
