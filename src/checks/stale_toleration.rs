//! Tolerations that name a taint by which Karpenter drains and do not match the one that is set.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::change::Change,
    model::{
        Model,
        toleration::{
            drain_taint::DrainTaint,
            drain_toleration_list::{DrainTolerationList, MadeBy, karpenter_key},
            match_taint::match_taint,
        },
    },
    resolve::{
        pod::toleration::{Taint, Toleration},
        release::Release,
    },
    source::Span,
};

/// A toleration that names a taint of Karpenter's and has no effect.
#[derive(Clone, Debug)]
pub(crate) struct StaleToleration<'a> {
    /// The list that holds it.
    pub list: &'a DrainTolerationList,
    /// The part that does not match.
    pub report_span: Span,
    /// Why it does not match.
    pub fault: TolerationFault,
    /// The taint of a node that is drained.
    pub drain: DrainTaint,
    /// The release whose version sets that taint.
    pub release: Option<&'a Release>,
    /// What makes it match; `None` for pods that should be drained.
    pub changes: Option<Vec<Change>>,
}

/// Why a toleration does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TolerationFault {
    /// It has the key of another version.
    Key,
    /// It asks for a value the taint does not have, or for none where the taint has one.
    Value,
    /// It tolerates another effect.
    Effect,
    /// Its effect is spelled as on an EKS node group.
    Spelling,
    /// Its operator is not valid, or compares numbers.
    Operator,
    /// This version of Karpenter has no taint of its own.
    NoOwnTaint,
}

impl StaleToleration<'_> {
    /// Whether its pods should be drained, so that matching the taint would be worse.
    #[must_use]
    pub(crate) fn is_better_removed(&self) -> bool {
        self.list.pods.made_by == MadeBy::Replicas || self.fault == TolerationFault::NoOwnTaint
    }
}

/// A list with the toleration of it that does not match.
struct StaleCandidate<'a> {
    list: &'a DrainTolerationList,
    toleration: &'a Toleration,
    fault: TolerationFault,
    drain: DrainTaint,
    release: Option<&'a Release>,
}

/// The tolerations that have no effect, one of each list.
#[must_use]
pub(crate) fn stale_tolerations(model: &Model) -> Vec<StaleToleration<'_>> {
    let lists = &model.drain_toleration_lists;
    let judged: Vec<StaleCandidate<'_>> = lists.iter().filter_map(|it| judge(model, it)).collect();
    let wishes = wishes(lists, &judged);
    let stale = judged.into_iter().filter_map(|it| {
        let StaleCandidate { list, toleration, fault, drain, release } = it;
        let agreed = || wishes.get(&key_span(toleration)?)?.as_ref();
        let changes = agreed().and_then(|it| match_taint(toleration.written.as_ref()?, it));
        let report_span = report_span(toleration, fault)?;
        Some(StaleToleration { list, report_span, fault, drain, release, changes })
    });
    stale.collect()
}

fn judge<'a>(model: &'a Model, list: &'a DrainTolerationList) -> Option<StaleCandidate<'a>> {
    let (drain, release) = model.drain_taints.only(&list.scope)?;
    // The pods of a DaemonSet tolerate the common taint by themselves.
    if !drain.own && list.pods.made_by != MadeBy::Replicas {
        return None;
    }
    if list.tolerations.tolerate(&drain.taint) != Some(false) {
        return None;
    }
    let all = &list.tolerations.list;
    let same_key = all.iter().find(|it| karpenter_key(it) == Some(&drain.taint.key));
    let toleration = same_key.or_else(|| all.iter().find(|it| karpenter_key(it).is_some()))?;
    let fault = fault(toleration, &drain);
    let release = release.and_then(|it| model.releases.get(it));
    Some(StaleCandidate { list, toleration, fault, drain, release })
}

fn fault(toleration: &Toleration, drain: &DrainTaint) -> TolerationFault {
    let is = |part: Option<&str>, wanted: &[&str]| part.is_some_and(|it| wanted.contains(&it));
    if !drain.own {
        TolerationFault::NoOwnTaint
    } else if karpenter_key(toleration) != Some(&drain.taint.key) {
        TolerationFault::Key
    } else if toleration.eks_spelling() {
        TolerationFault::Spelling
    } else if !is(toleration.effect.known(), &["", drain.taint.effect.word()]) {
        TolerationFault::Effect
    } else if !is(toleration.operator.known(), &["", "Equal", "Exists"]) {
        TolerationFault::Operator
    } else {
        TolerationFault::Value
    }
}

/// The part that does not match, else the key.
fn report_span(toleration: &Toleration, fault: TolerationFault) -> Option<Span> {
    let written = toleration.written.as_ref()?;
    let part = match fault {
        TolerationFault::Key | TolerationFault::NoOwnTaint => "key",
        TolerationFault::Value => "value",
        TolerationFault::Effect | TolerationFault::Spelling => "effect",
        TolerationFault::Operator => "operator",
    };
    let at = |key: &str| written.get(key).present().map(|it| it.span);
    at(part).or_else(|| at("key"))
}

/// The place of a toleration's key: the same for all lists that are made from one literal.
fn key_span(toleration: &Toleration) -> Option<Span> {
    toleration.written.as_ref()?.get("key").present().map(|it| it.span)
}

/// The taint that each literal has to match for all lists made from it, by the place of its key; `None` where
/// one of the lists does not want it changed.
fn wishes(
    lists: &[DrainTolerationList],
    judged: &[StaleCandidate<'_>],
) -> HashMap<Span, Option<Taint>> {
    let mut wanted: HashMap<Span, Option<Taint>> = HashMap::new();
    for it in judged {
        let Some(key) = key_span(it.toleration) else { continue };
        let keeps = it.list.pods.made_by == MadeBy::Replicas || !it.drain.own;
        let wish = (!keeps).then(|| it.drain.taint.clone());
        let first = wanted.entry(key).or_insert_with(|| wish.clone());
        if *first != wish {
            *first = None;
        }
    }
    let faulty: HashSet<*const DrainTolerationList> =
        judged.iter().map(|it| std::ptr::from_ref(it.list)).collect();
    let is_fine = |it: &&DrainTolerationList| !faulty.contains(&std::ptr::from_ref(*it));
    for list in lists.iter().filter(is_fine) {
        for key in list.tolerations.list.iter().filter_map(key_span) {
            wanted.entry(key).and_modify(|it| *it = None);
        }
    }
    wanted
}
