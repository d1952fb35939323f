//! Whether pods stay off the nodes that Karpenter makes.

use crate::{
    model::node_label::{PROVISIONER, is_common, is_never_there, is_of_another_cloud},
    resolve::{
        answers::{all, any},
        pod::{
            placement::{Affinity, Placement, Term},
            selector::{LabelOperator, Requirement, Selector},
        },
    },
    source::Span,
};

/// Whether the pods stay off all nodes that carry one of these labels, as Karpenter's do.
#[must_use]
pub fn keeps_off(placement: &Placement, labels: &[&str]) -> Option<bool> {
    let selector = verdict(placement.selector(), labels);
    let affinity = match placement.affinity() {
        Affinity::Anywhere => Some(false),
        Affinity::Unknown => None,
        Affinity::OneOf(terms) => all(terms.iter().map(|it| term_keeps_off(it, labels))),
    };
    any([selector, affinity])
}

/// What to point at where the affinity lets the pods onto nodes with one of these labels: a label that
/// Karpenter's nodes no longer have, or the one term among several.
#[must_use]
pub fn gap(placement: &Placement, labels: &[&str]) -> Option<Gap> {
    let Affinity::OneOf(terms) = placement.affinity() else { return None };
    let open = terms.iter().find(|it| term_keeps_off(it, labels) == Some(false))?;
    let retired = |it: &&Requirement| it.key == PROVISIONER && !labels.contains(&PROVISIONER);
    match open.expressions.requirements().iter().find(retired) {
        Some(requirement) => Some(Gap::Retired(requirement.span)),
        None if terms.len() > 1 => Some(Gap::Term(open.span)),
        None => Some(Gap::Whole),
    }
}

/// Why the affinity lets pods onto Karpenter's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// It asks for a label that Karpenter's nodes do not have any more.
    Retired(Span),
    /// One of its terms does not keep them off.
    Term(Span),
    /// Its only term does not.
    Whole,
}

fn term_keeps_off(term: &Term, labels: &[&str]) -> Option<bool> {
    let asked = term.expressions.requirements();
    let absent = |label: &&str| {
        asked
            .iter()
            .any(|it| it.key == **label && matches!(it.operator, LabelOperator::DoesNotExist))
    };
    if labels.iter().all(absent) {
        return Some(true);
    }
    // A term that asks for nothing matches no node at all.
    let narrower = term.has_fields || asked.is_empty();
    verdict(&term.expressions, labels).filter(|off| *off || !narrower)
}

/// Whether nodes with one of these labels are ruled out by one of the requirements, or meet all of them.
fn verdict(asked: &Selector, labels: &[&str]) -> Option<bool> {
    let unseen = (!asked.is_known()).then_some(None);
    any(asked.requirements().iter().map(|it| rules_out(it, labels)).chain(unseen))
}

/// Whether no node of Karpenter meets the requirement, or any may; `None` for labels that a `NodePool`
/// may or may not give to its nodes.
fn rules_out(asked: &Requirement, labels: &[&str]) -> Option<bool> {
    let key = asked.key.as_str();
    let never = is_never_there(key)
        || is_of_another_cloud(key)
        || (key == PROVISIONER && !labels.contains(&key));
    match &asked.operator {
        LabelOperator::In(_) | LabelOperator::Exists if never => Some(true),
        LabelOperator::NotIn(_) | LabelOperator::DoesNotExist if never => Some(false),
        LabelOperator::In(_) | LabelOperator::Exists if is_common(key) => Some(false),
        // Two values may be all there are: `spot` and `on-demand`.
        LabelOperator::NotIn(values) if is_common(key) && values.len() == 1 => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
