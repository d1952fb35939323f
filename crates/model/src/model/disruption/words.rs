//! What decided, as places with words.

use crate::{
    findings::note::Note,
    model::disruption::{
        Event, Fate, Outcome,
        judge::{Verdict, Why},
        nodes::{Coming, Limit, Nodes},
        pods::{Guard, Pods},
    },
    time::duration,
};

/// A verdict with its reasons.
#[must_use]
pub(super) fn fate(event: Event, verdict: Verdict, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Fate {
    let mut because = vec![reason(event, verdict, pods, nodes)];
    let mut after = None;
    if let Limit::After(_, text, note) = &nodes.limit
        && verdict.by_limit
    {
        after = Some(text.clone());
        because.push(note.clone());
    } else if verdict.outcome == Outcome::ForcedAfter {
        after = pods.annotation.as_ref().and_then(|it| it.as_ref().ok()).map(|it| it.0.to_owned());
    }
    if let (Why::Grace, Outcome::Killed) = (verdict.why, verdict.outcome)
        && let Some(pool) = nodes.pool
    {
        let message = "spot instances leave two minutes".to_owned();
        because.push(Note { span: pool.report_span, message });
    }
    let moves = [Outcome::OneByOne, Outcome::Drained, Outcome::ForcedAfter];
    if event == Event::Consolidation && moves.contains(&verdict.outcome) {
        because.extend(nodes.replacement.iter().cloned());
    }
    Fate { outcome: verdict.outcome, after, because }
}

fn reason(event: Event, verdict: Verdict, pods: &Pods<'_>, nodes: &Nodes<'_>) -> Note {
    let pods_at = |message: String| Note { span: pods.workload.report_span, message };
    match verdict.why {
        Why::Absent => pods.absent.clone().unwrap_or_else(|| pods_at("it has no pods".to_owned())),
        Why::Coming => match nodes.comes(event) {
            Coming::ToEmpty(it)
            | Coming::Never(it)
            | Coming::Held(it)
            | Coming::Unheard(it)
            | Coming::Unknown(it) => it.clone(),
            Coming::Yes => pods_at("the event comes".to_owned()),
        },
        Why::Annotation => annotation(pods),
        Why::Pdb => match &pods.pdb {
            Guard::Paces(it) | Guard::Blocks(it) | Guard::Unknown(it) => it.clone(),
            Guard::Nothing => pods_at("no PDB selects its pods".to_owned()),
        },
        Why::Toleration => pods.toleration.clone(),
        Why::Grace => {
            let seconds = duration::words(pods.grace.unwrap_or_default());
            let message = format!("its pods take up to {seconds} to stop");
            Note { span: pods.workload.grace.span(), message }
        }
        Why::Limit => match &nodes.limit {
            Limit::After(_, _, it) | Limit::Unknown(it) => it.clone(),
            Limit::Endless => pods_at("the drain has no limit".to_owned()),
        },
        Why::Nothing => pods_at(match pods.workload.replicas.count() {
            Some(1) if !pods.are_agents() => {
                "nothing holds its only pod: it stops before another one runs".to_owned()
            }
            _ => "no PDB and no annotation holds its pods".to_owned(),
        }),
        Why::Repair => {
            let message = "a repair ends the node without a drain".to_owned();
            let span = nodes.pool.map_or(pods.workload.report_span, |it| it.report_span);
            Note { span, message }
        }
        Why::Version => {
            let message = "this hangs on the version of Karpenter, which is not known".to_owned();
            let span = nodes.pool.map_or(pods.workload.report_span, |it| it.report_span);
            Note { span, message }
        }
    }
}

fn annotation(pods: &Pods<'_>) -> Note {
    let key = pods.annotation_key;
    let (span, message) = match &pods.annotation {
        Some(Ok(("true", span))) => (*span, format!("`{key}: \"true\"` keeps its pods")),
        Some(Ok((text, span))) => (*span, format!("`{key}: {text}` keeps its pods for {text}")),
        Some(Err(note)) => return note.clone(),
        None => (pods.workload.report_span, "an annotation keeps its pods".to_owned()),
    };
    Note { span, message }
}
