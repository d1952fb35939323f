//! Tolerations that name a taint by which Karpenter drains and do not match the one that is set.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{change::Change, silence::Silence},
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
    value::cause::Cause,
};

/// A toleration that names a taint of Karpenter's and has no effect.
#[derive(Clone, Debug)]
pub(crate) struct StaleToleration<'a> {
    /// The list that holds it.
    pub list: &'a DrainTolerationList,
    /// The part that does not match, if it is written.
    pub part: Option<Span>,
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

impl<'a> StaleCandidate<'a> {
    fn stale(self, wishes: &HashMap<Span, Option<Taint>>) -> StaleToleration<'a> {
        let Self { list, toleration, fault, drain, release } = self;
        let agreed = || wishes.get(&key_span(toleration)?)?.as_ref();
        let changes = agreed().and_then(|it| match_taint(toleration.written.as_ref()?, it));
        let part = part(toleration, fault);
        StaleToleration { list, part, fault, drain, release, changes }
    }
}

/// What is to say of each list that names one of Karpenter's taints, with the key that does.
#[must_use]
pub(crate) fn stale_tolerations(
    model: &Model,
) -> Vec<(Span, Result<StaleToleration<'_>, Silence>)> {
    let lists = &model.drain_toleration_lists;
    let judged: Vec<_> = lists.iter().filter_map(|it| judge(model, it)).collect();
    let faulty: Vec<&StaleCandidate<'_>> =
        judged.iter().filter_map(|(_, it)| it.as_ref().ok()).collect();
    let wishes = wishes(lists, &faulty);
    judged.into_iter().map(|(place, it)| (place, it.map(|it| it.stale(&wishes)))).collect()
}

/// The key in a list that names one of Karpenter's taints, and whether that toleration matches; `None` where
/// it is not written.
fn judge<'a>(
    model: &'a Model,
    list: &'a DrainTolerationList,
) -> Option<(Span, Result<StaleCandidate<'a>, Silence>)> {
    let mut named = list.tolerations.list.iter().filter(|it| karpenter_key(it).is_some());
    let first = named.next()?;
    Some((key_span(first)?, candidate(model, list, first)))
}

fn candidate<'a>(
    model: &'a Model,
    list: &'a DrainTolerationList,
    first: &'a Toleration,
) -> Result<StaleCandidate<'a>, Silence> {
    let (drain, release) = model.drain_taints.only(&list.scope).ok_or_else(|| {
        Silence::undecided(
            Cause::Ambiguous,
            "the version of Karpenter there is not clear, and what taint a drain sets depends on it",
        )
    })?;
    if !drain.own && list.pods.made_by != MadeBy::Replicas {
        return Err(Silence::sound(
            "the pods of a DaemonSet tolerate the taint of this Karpenter by themselves",
        ));
    }
    let key = &drain.taint.key;
    match list.tolerations.tolerate(&drain.taint) {
        Some(false) => {}
        Some(true) => return Err(Silence::sound(format!("the list tolerates `{key}`"))),
        None => {
            let why = "the tolerations are not wholly known";
            return Err(Silence::undecided(Cause::Value, why));
        }
    }
    let mut all = list.tolerations.list.iter();
    let toleration = all.find(|it| karpenter_key(it) == Some(key)).unwrap_or(first);
    let fault = fault(toleration, &drain);
    let release = release.and_then(|it| model.releases.get(it));
    Ok(StaleCandidate { list, toleration, fault, drain, release })
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
fn part(toleration: &Toleration, fault: TolerationFault) -> Option<Span> {
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
    judged: &[&StaleCandidate<'_>],
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
