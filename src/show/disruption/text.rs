//! What events do with pods, for a terminal.

use std::fmt::Write;

use crate::{
    model::disruption::{Event, Fate, Outcome},
    project::Project,
    report::{plural, text::Look, wrap::hanging},
    show::{
        disruption::{OUTCOMES, words},
        ink::Ink,
        landing::{Landing, PodsView, alike},
        placement::text::head,
    },
};

/// Counts by event, and then the pods of which the same is to be said.
#[must_use]
pub(crate) fn text(
    clusters: &[Landing<'_>],
    look: Look,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    let clusters: Vec<&Landing<'_>> = clusters.iter().filter(|it| !it.pods.is_empty()).collect();
    if clusters.is_empty() {
        return "No pods of a cluster are here.\n".to_owned();
    }
    let ink = Ink { colors: look.color };
    let pages = clusters.into_iter().map(|cluster| {
        let title = ink.bold(&cluster.title(shown));
        let mut text = format!("{title}\n  {}\n\n", plural(cluster.pods.len(), "workload"));
        counts(&mut text, &cluster.pods, ink);
        for group in alike(&cluster.pods, |it| key(it)) {
            text.push('\n');
            head(&mut text, cluster, &group, (look, ink), shown);
            if let Some(first) = group.first() {
                events(&mut text, cluster, first, group.len() == 1, (look, ink), shown);
            }
        }
        text
    });
    pages.collect::<Vec<_>>().join("\n")
}

/// What has to be the same of pods that are shown together: for what stands alone its place counts, too.
pub(crate) fn key<'a>(pods: &'a PodsView) -> Vec<(Outcome, Option<&'a str>, &'a str)> {
    let reason = |it: &'a Fate| it.because.first().map_or("", |it| &*it.message);
    pods.fates.0.iter().map(|it| (it.outcome, it.after.as_deref(), reason(it))).collect()
}

const COLUMN: usize = 10;

fn counts(text: &mut String, pods: &[PodsView], ink: Ink) {
    let used: Vec<Outcome> = OUTCOMES
        .into_iter()
        .filter(|outcome| pods.iter().any(|it| it.fates.0.iter().any(|it| it.outcome == *outcome)))
        .collect();
    let short = |it: &Outcome| match it {
        Outcome::OneByOne => "by one",
        Outcome::ForcedAfter => "forced",
        Outcome::NotOnKarpenter => "elsewhere",
        Outcome::Unknown => "?",
        other => other.word(),
    };
    let heads = used.iter().map(|it| format!("{:>COLUMN$}", short(it)));
    let heads: Vec<String> = heads.collect();
    let _ = writeln!(text, "  {}", ink.dim(&format!("{:14}{}", "", heads.concat())));
    for event in Event::ALL {
        let mut line = format!("  {:14}", event.title());
        for outcome in &used {
            let count = pods.iter().filter(|it| it.fates.of(event).outcome == *outcome).count();
            let word = if count == 0 { ".".to_owned() } else { count.to_string() };
            let cell = format!("{word:>COLUMN$}");
            line += &if count == 0 { ink.dim(&cell) } else { ink.outcome(*outcome, &cell) };
        }
        let _ = writeln!(text, "{line}");
    }
}

/// The events that do the same for the same reason, on one line each.
fn events(
    text: &mut String,
    cluster: &Landing<'_>,
    pods: &PodsView,
    is_alone: bool,
    (look, ink): (Look, Ink),
    shown: &dyn Fn(&Project, &str) -> String,
) {
    let mut lines: Vec<(&Fate, Vec<&str>)> = Vec::new();
    for event in Event::ALL {
        let fate = pods.fates.of(event);
        match lines.iter_mut().find(|it| is_same(it.0, fate)) {
            Some(line) => line.1.push(event.title()),
            None => lines.push((fate, vec![event.title()])),
        }
    }
    let widest = lines.iter().map(|it| words(it.0).chars().count()).max().unwrap_or_default();
    for (fate, events) in lines {
        let word = format!("{:widest$}", words(fate));
        let reasons = fate.because.iter().map(|it| {
            // What is said of several speaks of other places for each.
            let is_own = is_alone || it.span != pods.item.span;
            let place = if is_own { cluster.place(it.span, shown) } else { String::new() };
            match (is_alone, &*place) {
                (true, place) if !place.is_empty() => format!("{}, {place}", it.message),
                _ => it.message.clone(),
            }
        });
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        let events =
            if events.len() == Event::ALL.len() { "all".to_owned() } else { events.join(", ") };
        let indent = " ".repeat(widest + 6);
        let line = format!("{events}: {reasons}");
        let line = hanging(&line, look.width.saturating_sub(2), &indent);
        let _ = writeln!(text, "    {}  {}", ink.outcome(fate.outcome, &word), ink.marked(&line));
    }
}

/// Whether the same is to be said of two events, but for the pool on which it is so.
fn is_same(one: &Fate, other: &Fate) -> bool {
    let of = |it: &Fate| (it.outcome, it.after.clone(), it.because.first().cloned());
    of(one) == of(other)
}
