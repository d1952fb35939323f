//! Selectors that nearly match.

use crate::resolve::pod::selector::{LabelOperator, Labels, Requirement, Selector};

/// The one requirement that keeps a selector from matching.
#[derive(Clone, Debug)]
pub struct NearMiss {
    /// What the selector asks for.
    pub requirement: Requirement,
    /// The value the labels have; `None` if they lack the key.
    pub got: Option<String>,
    /// Whether the two values resemble each other.
    pub resembles: bool,
}

/// The single requirement that keeps the selector from matching, if all others are met and it is
/// close: others are met, the label's value resembles the wanted one, or another label has it.
#[must_use]
pub fn near_miss(selector: &Selector, labels: &Labels) -> Option<NearMiss> {
    if selector.is_open() || selector.is_nothing() {
        return None;
    }
    let mut missed = None;
    let mut met = 0_usize;
    for requirement in &selector.requirements {
        match requirement.met_by(labels)? {
            true => met += 1,
            false if missed.is_some() => return None,
            false => missed = Some(requirement),
        }
    }
    let missed = missed?;
    let got = labels.value(&missed.key).map(str::to_owned);
    let elsewhere = || labels.pairs().any(|(_, it)| is_only(&missed.operator, it));
    let resembles = match &got {
        Some(got) => resembles(&missed.operator, got),
        None => elsewhere(),
    };
    (met > 0 || resembles).then(|| NearMiss { requirement: missed.clone(), got, resembles })
}

/// Whether this value and no other is asked for.
fn is_only(operator: &LabelOperator, value: &str) -> bool {
    matches!(operator, LabelOperator::In(values) if matches!(values.as_slice(), [Some(it)] if it == value))
}

fn resembles(operator: &LabelOperator, got: &str) -> bool {
    let LabelOperator::In(values) = operator else { return false };
    values.iter().flatten().any(|it| strsim::normalized_levenshtein(it, got) >= 0.6)
}
