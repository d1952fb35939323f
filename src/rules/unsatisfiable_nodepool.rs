use std::collections::BTreeSet;

use crate::{
    checks::{
        naming,
        unsatisfiable::{
            Unsatisfiable,
            fault::{OtherLabel, RequirementFault, WrongValue},
            unsatisfiable,
        },
    },
    findings::{Finding, Findings, Severity},
    model::{Model, node_pool::offerings::Place},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unsatisfiable-nodepool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in unsatisfiable(model) {
        for found in findings.fault(place, diagnosis).into_iter().flatten() {
            report(&found, findings);
        }
    }
}

fn report(Unsatisfiable { pool, fault }: &Unsatisfiable<'_>, findings: &mut Findings) {
    let finding = match fault {
        RequirementFault::Values { key, wrong, has_others, instead, beside } => {
            let Some((first, others)) = wrong.split_first() else { return };
            let values: Vec<&str> = wrong.iter().map(|it| &*it.words).collect();
            let message = format!("No node has the `{}` {}", short(key), either(&values));
            let finding = findings.report(first.place, message);
            if *has_others {
                finding.at_most(Severity::Note);
            }
            note_others(finding, others, beside.as_ref());
            finding.help(instead.as_ref().map_or_else(|| meant(wrong), |it| elsewhere(it, &values)))
        }
        RequirementFault::Zones { zones, has_others, region, region_place } => {
            let Some(((zone, place), others)) = zones.split_first() else { return };
            let message = format!("Zone `{zone}` is not in the region of the cluster");
            let finding = findings.report(*place, message);
            if *has_others {
                finding.at_most(Severity::Note);
            }
            for (zone, place) in others {
                finding.note_elsewhere(*place, format!("nor is `{zone}`"));
            }
            finding.note_elsewhere(*region_place, format!("the cluster is in `{region}`"));
            finding.help(format!("Name zones of `{region}`"))
        }
        RequirementFault::Few { key, found, wanted, place } => {
            let short = short(key);
            let message =
                format!("`minValues` asks for {wanted} values of `{short}`, {found} are left");
            let finding = findings.report(place.span, message);
            finding.help("Widen the requirements, or ask for fewer values: Karpenter launches nothing with less")
        }
        RequirementFault::Contradiction { key, places } => {
            let [first, .., last] = places.as_slice() else { return };
            let message = format!("The requirements on `{}` exclude one another", short(key));
            let finding = findings.report(last.values, message);
            finding.note_elsewhere(first.values, "the requirement that excludes it");
            finding.help(if places.iter().any(|it| it.is_label) {
                "Remove the label of the template, or the requirement: such a label is a requirement, too"
            } else {
                "Leave out one of them, or write bounds between which there are values"
            })
        }
        RequirementFault::Pair { keys: [one, other], places } => {
            let (one, other) = (short(one), short(other));
            let message = format!("No instance type has the required `{other}` and `{one}`");
            let finding = findings.report(places[1].span, message);
            finding.note_elsewhere(places[0].span, format!("the requirement on `{one}`"));
            finding.help("Widen one of the two requirements")
        }
        RequirementFault::Together => {
            let message =
                format!("No instance type meets all requirements of {}", naming::pool(pool));
            let finding = findings.report(pool.spec, message);
            finding.help("Widen the requirements: each of them is met by some types, and all of them by none")
        }
    };
    finding.about(pool.subject.as_ref());
}

/// Notes the other values that nothing has, and what leaves the pool empty all the same.
fn note_others(finding: &mut Finding, others: &[WrongValue], beside: Option<&(String, Place)>) {
    for it in others {
        finding.note_elsewhere(it.place, format!("nor {}", it.words));
    }
    if let Some((other, place)) = beside {
        let words = format!("no type that is meant meets this for `{}`", short(other));
        finding.note_elsewhere(place.values, words);
    }
}

/// What to write in place of values that nothing has.
fn meant(wrong: &[WrongValue]) -> String {
    let meant: BTreeSet<String> =
        wrong.iter().filter_map(|it| Some(format!("`{}`", it.meant.as_ref()?))).collect();
    let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
    if meant.is_empty() {
        return "Require a value that instance types have".to_owned();
    }
    format!("Did you mean {}?", either(&meant))
}

/// By which label to require what values stand for.
fn elsewhere(label: &OtherLabel, values: &[&str]) -> String {
    let quoted = |it: &[String]| {
        let quoted: Vec<String> = it.iter().map(|it| format!("`{it}`")).collect();
        either(&quoted.iter().map(String::as_str).collect::<Vec<_>>())
    };
    match label {
        OtherLabel::Same(key) => {
            let these = if values.len() == 1 { "it" } else { "them" };
            format!("Require {these} of `{key}`, which has such values")
        }
        OtherLabel::Generations { categories, generations } => format!(
            "Require {} of `karpenter.k8s.aws/instance-category`, and {} of `karpenter.k8s.aws/instance-generation`",
            quoted(categories),
            quoted(generations)
        ),
        OtherLabel::Families => {
            "Name the families with `karpenter.k8s.aws/instance-family`: `c7i`, `m7g`".to_owned()
        }
    }
}

/// "`a`", "`a` or `b`", "`a`, `b` or `c`".
fn either(words: &[&str]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        _ => words.concat(),
    }
}

/// A label without its domain.
fn short(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}
