use crate::{
    checks::{
        naming,
        unsatisfiable::{Unsatisfiable, fault::RequirementFault, unsatisfiable},
    },
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unsatisfiable-nodepool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pool, diagnosis) in unsatisfiable(model) {
        if let Some(found) = findings.fault(pool.report_span, diagnosis) {
            report(&found, findings);
        }
    }
}

fn report(Unsatisfiable { pool, fault }: &Unsatisfiable<'_>, findings: &mut Findings) {
    let finding = match fault {
        RequirementFault::Value { key, values, meant, place } => {
            let finding =
                findings.report(place.values, format!("No node has the `{}` {values}", short(key)));
            finding.help(match meant {
                Some(meant) => format!("Did you mean `{meant}`?"),
                None => "Require a value that instance types have".to_owned(),
            })
        }
        RequirementFault::Contradiction { key, places } => {
            let [first, .., last] = places.as_slice() else { return };
            let message = format!("The requirements on `{}` exclude one another", short(key));
            let finding = findings.report(last.values, message);
            finding.note_elsewhere(first.values, "and here");
            finding.help("Leave out one of them, or write bounds between which there are values")
        }
        RequirementFault::Pair { keys: [one, other], places } => {
            let (one, other) = (short(one), short(other));
            let message = format!("No instance type has the required `{other}` and `{one}`");
            let finding = findings.report(places[1].span, message);
            finding.note_elsewhere(places[0].span, format!("`{one}` is required here"));
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

/// A label without its domain.
fn short(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}
