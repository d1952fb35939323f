//! What an event on nodes of one pool does with pods. Facts: kubernetes-sigs/karpenter v1.14.1
//! `pkg/controllers/state/statenode.go`, `pkg/controllers/node/termination/terminator/terminator.go` and
//! `pkg/utils/pod/scheduling.go`, and the last of these at v0.37.7.

use crate::{
    model::{
        annotation::effect::{AnnotationEffect, on_pods},
        disruption::{
            Event, Outcome,
            nodes::{Coming, Limit, Nodes},
            pods::{Guard, Pods},
        },
    },
    time::duration,
};

/// What becomes of the pods, and what decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What becomes of them.
    pub outcome: Outcome,
    /// What decides it.
    pub(super) why: Why,
    /// Whether the pool's limit for drains decides it, too.
    pub(super) by_limit: bool,
}

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// There are no pods.
    Absent,
    /// Whether the event comes.
    Coming,
    /// The annotation of the pods.
    Annotation,
    /// The PDB.
    Pdb,
    /// The toleration of the drain's taint.
    Toleration,
    /// The time the pods take to stop.
    Grace,
    /// The limit for drains is not known.
    Limit,
    /// Nothing keeps them.
    Nothing,
    /// A repair drains no node.
    Repair,
    /// The version of Karpenter is not known.
    Version,
}

/// What keeps pods from being evicted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keeper {
    /// Nothing.
    Nothing,
    /// For that many seconds after their start.
    For(f64),
    /// For ever.
    Always(Why),
    /// Not known.
    Unknown(Why),
}

/// The seconds between the notice of a spot interruption and the end of the instance.
const NOTICE: f64 = 120.0;

fn verdict(outcome: Outcome, why: Why) -> Verdict {
    Verdict { outcome, why, by_limit: false }
}

/// What an event does with pods on nodes.
#[must_use]
pub fn judge(event: Event, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Verdict {
    if pods.absent.is_some() {
        return verdict(Outcome::Never, Why::Absent);
    }
    match nodes.comes(event) {
        Coming::Never(_) => return verdict(Outcome::Never, Why::Coming),
        Coming::ToEmpty(_) if !pods.are_agents() => return verdict(Outcome::Never, Why::Coming),
        Coming::Held(_) => return verdict(Outcome::Blocked, Why::Coming),
        Coming::Unheard(_) if nodes.may_be_spot => return verdict(Outcome::Killed, Why::Coming),
        // Scheduled maintenance is polled since 1.12, and else comes without notice, too.
        Coming::Unheard(_) if nodes.is_since((1, 12)) != Some(true) => {
            return verdict(Outcome::Killed, Why::Coming);
        }
        Coming::Unknown(_) => return unless_known_anyhow(event, pods, nodes),
        Coming::Yes | Coming::ToEmpty(_) | Coming::Unheard(_) => {}
    }
    let is_graceful = match event {
        Event::Consolidation | Event::Drift => Some(true),
        Event::Expiration => nodes.is_since((1, 0)).map(|it| !it),
        Event::Health => return verdict(Outcome::Killed, Why::Repair),
        Event::Interruption | Event::Deletion | Event::PoolRemoval => Some(false),
    };
    match is_graceful {
        Some(true) => graceful(event, pods, nodes),
        Some(false) => drain(event, pods, nodes),
        None => {
            let (one, other) = (graceful(event, pods, nodes), drain(event, pods, nodes));
            if one == other { one } else { verdict(Outcome::Unknown, Why::Version) }
        }
    }
}

/// Pods that nothing evicts end with their nodes, whatever else is not known of an interruption.
fn unless_known_anyhow(event: Event, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Verdict {
    if event == Event::Interruption {
        let drained = drain(event, pods, nodes);
        if drained.outcome == Outcome::Killed {
            return drained;
        }
    }
    verdict(Outcome::Unknown, Why::Coming)
}

/// A disruption that begins only where no pod is kept; with a limit for drains drift begins all the same.
fn graceful(event: Event, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Verdict {
    let ends = event == Event::Drift && nodes.is_since((1, 0)) != Some(false);
    let keeper = keeper(pods, nodes, true);
    match (&keeper, &nodes.limit) {
        (Keeper::Nothing, _) => drain(event, pods, nodes),
        (_, Limit::After(..)) if ends => drain(event, pods, nodes),
        (Keeper::Unknown(why), _) => verdict(Outcome::Unknown, *why),
        (_, Limit::Unknown(_)) if ends => verdict(Outcome::Unknown, Why::Limit),
        (Keeper::Always(why), _) => verdict(Outcome::Blocked, *why),
        (Keeper::For(_), _) => verdict(Outcome::ForcedAfter, Why::Annotation),
    }
}

/// A drain that has begun.
fn drain(event: Event, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Verdict {
    match pods.tolerates {
        Some(true) => return verdict(Outcome::Killed, Why::Toleration),
        Some(false) => {}
        None => return verdict(Outcome::Unknown, Why::Toleration),
    }
    let keeper = keeper(pods, nodes, false);
    if event == Event::Interruption {
        return interrupted(keeper, pods, nodes);
    }
    match (keeper, &nodes.limit) {
        (Keeper::Nothing, Limit::After(..)) if are_cut_short(pods, nodes) => {
            verdict(Outcome::ForcedAfter, Why::Grace).with_limit()
        }
        (Keeper::Nothing, _) => paced(pods),
        (Keeper::For(time), Limit::After(limit, ..)) if *limit < time => {
            verdict(Outcome::ForcedAfter, Why::Annotation).with_limit()
        }
        (Keeper::For(_), _) => verdict(Outcome::ForcedAfter, Why::Annotation),
        (Keeper::Unknown(why), _) => verdict(Outcome::Unknown, why),
        (Keeper::Always(why), Limit::After(..)) => verdict(Outcome::ForcedAfter, why).with_limit(),
        (Keeper::Always(why), Limit::Endless) => verdict(Outcome::Blocked, why),
        (Keeper::Always(_), Limit::Unknown(_)) => verdict(Outcome::Unknown, Why::Limit),
    }
}

/// Whether a drain of the nodes ends before the pods have stopped.
#[must_use]
pub fn are_cut_short(pods: &Pods<'_>, nodes: &Nodes<'_>) -> bool {
    let longer = |limit: f64| pods.grace.is_some_and(|it| it > limit);
    matches!(nodes.limit, Limit::After(limit, ..) if longer(limit))
}

impl Verdict {
    fn with_limit(self) -> Self {
        Self { by_limit: true, ..self }
    }
}

/// The instance ends when its time is over, whoever is left.
fn interrupted(keeper: Keeper, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Verdict {
    match keeper {
        Keeper::Always(why) => verdict(Outcome::Killed, why),
        Keeper::For(_) => verdict(Outcome::Killed, Why::Annotation),
        Keeper::Unknown(why) => verdict(Outcome::Unknown, why),
        Keeper::Nothing if nodes.may_be_spot && pods.grace.is_some_and(|it| it > NOTICE) => {
            verdict(Outcome::Killed, Why::Grace)
        }
        Keeper::Nothing => paced(pods),
    }
}

fn paced(pods: &Pods<'_>) -> Verdict {
    match pods.pdb {
        Guard::Paces(_) => verdict(Outcome::OneByOne, Why::Pdb),
        _ => verdict(Outcome::Drained, Why::Nothing),
    }
}

/// What keeps pods: from the begin of a disruption, or from an eviction once a drain has begun.
fn keeper(pods: &Pods<'_>, nodes: &Nodes<'_>, before: bool) -> Keeper {
    let by_annotation = annotation(pods, nodes, before);
    let by_pdb = match pods.pdb {
        // What tolerates the taint is not evicted, and no PDB is asked.
        _ if pods.tolerates == Some(true) => Keeper::Nothing,
        Guard::Blocks(_) => Keeper::Always(Why::Pdb),
        Guard::Unknown(_) => Keeper::Unknown(Why::Pdb),
        Guard::Nothing | Guard::Paces(_) => Keeper::Nothing,
    };
    match (by_annotation, by_pdb) {
        // What always keeps them counts before what is not known.
        (Keeper::Always(why), _) | (_, Keeper::Always(why)) => Keeper::Always(why),
        (Keeper::Unknown(why), _) | (_, Keeper::Unknown(why)) => Keeper::Unknown(why),
        (it @ Keeper::For(_), _) | (Keeper::Nothing, it) => it,
    }
}

/// Since 1.0 the annotation also keeps pods in a drain that has begun; that of agents counts since 0.34.
fn annotation(pods: &Pods<'_>, nodes: &Nodes<'_>, before: bool) -> Keeper {
    let counts = match (before, pods.are_agents()) {
        (true, true) => nodes.is_since((0, 34)),
        (true, false) => Some(true),
        (false, _) => nodes.is_since((1, 0)),
    };
    let effect = match (&pods.annotation, counts) {
        (None, _) | (_, Some(false)) => return Keeper::Nothing,
        (Some(Err(_)), _) => return Keeper::Unknown(Why::Annotation),
        (Some(Ok((text, _))), _) => on_pods(text, nodes.version()),
    };
    let text = pods.annotation.as_ref().and_then(|it| it.as_ref().ok()).map_or("", |it| it.0);
    match (effect, counts) {
        (AnnotationEffect::Active | AnnotationEffect::Timed, None) => Keeper::Unknown(Why::Version),
        (AnnotationEffect::Active, _) => Keeper::Always(Why::Annotation),
        (AnnotationEffect::Timed, _) => Keeper::For(duration::seconds(text).unwrap_or_default()),
        _ => Keeper::Nothing,
    }
}
