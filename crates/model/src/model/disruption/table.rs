//! What becomes of a workload whose pods several pools may take: the worst of it.

use crate::{
    findings::note::Note,
    model::disruption::{
        Event, Fate, Fates, Outcome,
        judge::{Verdict, judge},
        nodes::Nodes,
        pods::Pods,
        words::fate,
    },
};

/// Nodes of a pool that take pods, or may.
#[derive(Clone, Copy)]
pub struct PossibleNodes<'n, 'm> {
    /// The nodes.
    pub nodes: &'n Nodes<'m>,
    /// Why that is not known, if it is not.
    pub doubt: Option<&'n Note>,
}

impl Fates {
    /// That no event of Karpenter's comes to the pods, because of this.
    #[must_use]
    pub fn elsewhere(because: &Note) -> Self {
        let fate =
            Fate { outcome: Outcome::NotOnKarpenter, after: None, because: vec![because.clone()] };
        Self(Event::ALL.map(|_| fate.clone()))
    }

    /// What events do with pods on nodes that take them, or may: the worst that is certain. What may be worse
    /// on nodes that perhaps take them is not known.
    #[must_use]
    pub fn on(pods: &Pods<'_>, takers: &[PossibleNodes<'_, '_>]) -> Self {
        Self(Event::ALL.map(|event| worst(event, pods, takers)))
    }
}

fn worst(event: Event, pods: &Pods<'_>, takers: &[PossibleNodes<'_, '_>]) -> Fate {
    let judged: Vec<(Verdict, &PossibleNodes<'_, '_>)> =
        takers.iter().map(|it| (judge(event, pods, it.nodes), it)).collect();
    let rank = |it: &&(Verdict, &PossibleNodes<'_, '_>)| it.0.outcome;
    let known = |it: &&(Verdict, &PossibleNodes<'_, '_>)| it.0.outcome != Outcome::Unknown;
    let certain = || judged.iter().filter(|it| it.1.doubt.is_none());
    let killed = certain().find(|it| it.0.outcome == Outcome::Killed);
    let open = certain().find(|it| !known(it));
    let sure = certain().filter(known).rev().max_by_key(rank);
    let possible = judged.iter().filter(|it| it.1.doubt.is_some());
    // On the first of equals.
    let found = killed.or(open).or(sure);
    let worse = possible
        .rev()
        .max_by_key(rank)
        .filter(|it| found.is_none_or(|found| it.0.outcome > found.0.outcome));
    match (found, worse) {
        (Some(found), None) => named(event, *found, pods, judged.iter()),
        (found, Some(worse)) if agree(&judged, found, worse) => {
            named(event, *worse, pods, judged.iter())
        }
        (_, Some((verdict, taker))) => {
            let mut fate = fate(event, *verdict, pods, taker.nodes);
            if verdict.outcome != Outcome::Unknown {
                fate.because.insert(0, perhaps(verdict.outcome, taker));
            }
            Fate { outcome: Outcome::Unknown, after: None, ..fate }
        }
        (None, None) => {
            let message = "no NodePool is known that may take its pods".to_owned();
            let because = vec![Note { span: pods.workload.report_span, message }];
            Fate { outcome: Outcome::Unknown, after: None, because }
        }
    }
}

/// Whether it is all one which of the nodes take the pods.
fn agree(
    judged: &[(Verdict, &PossibleNodes<'_, '_>)],
    found: Option<&(Verdict, &PossibleNodes<'_, '_>)>,
    worse: &(Verdict, &PossibleNodes<'_, '_>),
) -> bool {
    found.is_none() && judged.iter().all(|it| it.0.outcome == worse.0.outcome)
}

/// A fate with the pool it comes from, where others differ.
fn named<'j, 'n: 'j, 'm: 'n>(
    event: Event,
    (verdict, taker): (Verdict, &PossibleNodes<'n, 'm>),
    pods: &Pods<'_>,
    mut judged: impl Iterator<Item = &'j (Verdict, &'j PossibleNodes<'n, 'm>)>,
) -> Fate {
    let mut fate = fate(event, verdict, pods, taker.nodes);
    if let Some(pool) = taker.nodes.pool
        && judged.any(|it| it.0.outcome != verdict.outcome)
    {
        let message = format!("on nodes of the NodePool `{}`", pool.title);
        fate.because.push(Note { span: pool.report_span, message });
    }
    fate
}

/// That pods may be on nodes where they end so.
fn perhaps(outcome: Outcome, taker: &PossibleNodes<'_, '_>) -> Note {
    let because = taker.doubt.map_or("", |it| &*it.message);
    let pool = taker.nodes.pool.map_or("", |it| &*it.title);
    let message = format!("{} if NodePool `{pool}` takes its pods: {because}", outcome.word());
    let span = taker.doubt.map(|it| it.span);
    let span = span.or(taker.nodes.pool.map(|it| it.report_span));
    Note { span: span.unwrap_or(taker.nodes.span()), message }
}
