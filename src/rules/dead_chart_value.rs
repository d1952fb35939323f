use crate::{
    checks::chart_value::{
        dead,
        dead_value::{DeadValue, Loss, RenameRisk},
    },
    findings::{Findings, Safety, Severity},
    knowledge::chart_values::UnreadReason,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/dead-chart-value.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in dead::values(model) {
        for dead in findings.fault(place, diagnosis).unwrap_or_default() {
            report(dead, findings);
        }
    }
}

fn report(dead: DeadValue, findings: &mut Findings) {
    let path = &dead.path;
    let message = match &dead.why {
        _ if !dead.others.is_empty() => {
            let others = dead.others.len();
            let more =
                if others == 1 { "1 other value" } else { &*format!("{others} other values") };
            format!("`{path}` and {more} have no effect: the chart does not read them")
        }
        _ if dead.is_split => format!("`{path}` names no text: Helm takes its dots for a path"),
        _ if let Some(path) = dead.as_one_key() => {
            format!("`{path}` has no effect: it is one key with a dot in its name")
        }
        UnreadReason::GoneSince(version) => {
            format!("`{path}` has no effect since chart {version}")
        }
        UnreadReason::NotBefore(version) => {
            format!("`{path}` has no effect before chart {version}")
        }
        UnreadReason::Never => format!("`{path}` has no effect: the chart does not read it"),
    };
    let finding = findings.report(dead.span, message);
    if let Some((place, version)) = &dead.version {
        finding.note_elsewhere(*place, format!("chart {version} is installed"));
    }
    for (place, path) in &dead.others {
        finding.note(*place, format!("`{path}` has none either"));
    }
    if let Some(RenameRisk::OtherQueue(_, queue)) = &dead.risk {
        finding.note_elsewhere(*queue, "the queue has another name");
    }
    finding.about(dead.subject.as_ref()).help(help(&dead));
    if dead.loss != Loss::Wish {
        finding.at_most(Severity::Note);
    }
    if dead.rename.is_some() {
        let safety = if dead.risk.is_some() { Safety::Unsafe } else { Safety::Safe };
        finding.offer(format!("Use {}", listed(&dead.instead)), safety, dead.rename);
    } else if matches!(dead.why, UnreadReason::GoneSince(_)) {
        finding.offer("Remove what has no successor", Safety::Unsafe, dead.removal);
    }
}

fn help(dead: &DeadValue) -> String {
    match &dead.why {
        _ if dead.indent_below.is_some() => {
            let key = dead.indent_below.as_deref().unwrap_or_default();
            format!("Indent them below `{key}`, where Karpenter's chart reads its own")
        }
        _ if dead.is_split => {
            format!("Escape them: {}, in quotes with two backslashes", listed(&dead.instead))
        }
        _ if let Some(path) = dead.as_one_key() => {
            let (above, last) = path.rsplit_once('.').unwrap_or_default();
            format!("Write a mapping inside a mapping: `{last}` below `{above}`")
        }
        _ if dead.replaced => format!("Remove it: {} is what counts", listed(&dead.instead)),
        _ if dead.risk.is_some() => of_risk(dead),
        _ if dead.loss == Loss::Nothing && !dead.instead.is_empty() => format!(
            "Use {} instead, or remove it: this version does in any case what it asks for",
            listed(&dead.instead)
        ),
        _ if !dead.instead.is_empty() => format!("Use {} instead", listed(&dead.instead)),
        _ if dead.of_class.as_ref().is_some_and(|it| it.is_written) => {
            "Remove it: the EC2NodeClass names a role or an instance profile of its own".to_owned()
        }
        _ if dead.loss == Loss::Nothing => {
            "Remove it: this version does in any case what it asks for".to_owned()
        }
        UnreadReason::NotBefore(version) => format!("Install {version} or later, or remove it"),
        UnreadReason::GoneSince(_) | UnreadReason::Never => of_unread(dead),
    }
}

/// What to do with what no chart from this one on reads.
fn of_unread(dead: &DeadValue) -> String {
    match &dead.of_class {
        Some(it) => format!(
            "Set it as `{}` of the EC2NodeClass, and remove it from the chart's values",
            it.path
        ),
        None if !dead.others.is_empty() => {
            "Remove them, or look for their right names in the chart's values".to_owned()
        }
        None if dead.why == UnreadReason::Never => {
            "Remove it, or look for its right name in the chart's values".to_owned()
        }
        None => "Remove it".to_owned(),
    }
}

/// What to do where a new name is not all that it takes.
fn of_risk(dead: &DeadValue) -> String {
    let instead = listed(&dead.instead);
    match &dead.risk {
        Some(RenameRisk::NoQueue) => format!("Use {instead} instead, once there is such a queue"),
        Some(RenameRisk::UnclearQueue) => format!("Use {instead} instead, with the queue's name"),
        Some(RenameRisk::OtherQueue(name, _)) => format!(
            "Use {instead} instead, with the queue's name, `{name}`: the value is not that name"
        ),
        Some(RenameRisk::NoText(how)) => format!(
            "Use {instead} instead, {how}: Helm takes the value for a boolean or a number, and the API server refuses all but text there"
        ),
        Some(RenameRisk::Refused) | None => format!("Use {instead} instead"),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}
