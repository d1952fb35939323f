//! Where pods can run, for a terminal.

use std::fmt::Write;

use crate::{
    model::placement::taker::TakerKind,
    project::Project,
    report::{plural, text::Look, wrap::hanging},
    show::{
        ink::Ink,
        landing::{Answer, Landing, PodsView, TakerView, alike, kind_words},
        placement::named,
    },
};

/// What takes the pods, by pods of which the same is to be said.
#[must_use]
pub(crate) fn text(
    clusters: &[Landing<'_>],
    look: Look,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    if clusters.is_empty() {
        return "No pods and nothing that could take them are here.\n".to_owned();
    }
    let pages: Vec<String> = clusters.iter().map(|it| page(it, look, shown)).collect();
    pages.join("\n")
}

fn page(cluster: &Landing<'_>, look: Look, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let ink = Ink { colors: look.color };
    let dot = if look.unicode { " · " } else { " - " };
    let pods = plural(cluster.pods.len(), "workload");
    let kinds = [TakerKind::NodePool, TakerKind::NodeGroup, TakerKind::Fargate];
    let of = |kind: TakerKind| cluster.takers.iter().filter(|it| it.kind == kind).count();
    let takers = kinds.into_iter().filter(|it| of(*it) > 0);
    let takers = takers.map(|it| plural(of(it), kind_words(it)));
    let counts = [pods].into_iter().chain(takers).collect::<Vec<_>>().join(dot);
    let mut text = format!("{}\n  {}\n", ink.bold(&cluster.title(shown)), ink.dim(&counts));
    for group in alike(&cluster.pods, |it| &it.answers) {
        let Some(first) = group.first() else { continue };
        text.push('\n');
        head(&mut text, cluster, &group, (look, ink), shown);
        let mut line = |mark: &str, words: &str| {
            let words = hanging(words, look.width.saturating_sub(6), "        ");
            let _ = writeln!(text, "    {mark} {}", ink.marked(&words));
        };
        let marks = if look.unicode { ["✓", "✗", "?"] } else { ["+", "x", "?"] };
        if !first.answers.contains(&Answer::Takes) && !cluster.takers.is_empty() {
            let decided = !first.answers.iter().any(|it| matches!(it, Answer::Undecided(_)));
            let words =
                if decided { "nothing takes them" } else { "nothing is known to take them" };
            line(&ink.bad(marks[1]), &if decided { ink.bad(words) } else { words.to_owned() });
        }
        let all = || cluster.takers.iter().zip(first.answers.iter());
        let name = |it: &TakerView| format!("{} ({})", it.title(), kind_words(it.kind));
        for (taker, _) in all().filter(|it| *it.1 == Answer::Takes) {
            line(&ink.good(marks[0]), &name(taker));
        }
        for (taker, answer) in all() {
            if let Answer::Undecided(note) = answer {
                let place = cluster.place(note.span, shown);
                line(
                    &ink.doubtful(marks[2]),
                    &format!("{}: {}, {place}", name(taker), note.message),
                );
            }
        }
        for (taker, answer) in all() {
            if let Answer::Refuses(note) = answer {
                let place = cluster.place(note.span, shown);
                line(&ink.bad(marks[1]), &format!("{}: {}, {place}", name(taker), note.message));
            }
        }
    }
    text
}

/// Whose pods they are.
pub(crate) fn head(
    text: &mut String,
    cluster: &Landing<'_>,
    group: &[&PodsView],
    (look, ink): (Look, Ink),
    shown: &dyn Fn(&Project, &str) -> String,
) {
    if let [only] = group {
        let place = cluster.place(only.item.span, shown);
        let _ = writeln!(
            text,
            "  {}  {}  {}",
            ink.bold(&ink.marked(&only.title())),
            only.kind(),
            ink.dim(&place)
        );
        return;
    }
    let names: Vec<String> = group.iter().map(|it| it.title()).collect();
    let count = plural(group.len(), "workload");
    let names = hanging(&named(&names), look.width.saturating_sub(4 + count.len()), "    ");
    let _ = writeln!(text, "  {}  {}", ink.bold(&count), ink.marked(&names));
}
