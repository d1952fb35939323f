//! What events do with pods, for a pull request.

use std::fmt::Write;

use crate::{
    model::disruption::{Event, Outcome},
    project::Project,
    report::markup::{cell as escaped, markdown},
    show::{
        disruption::{text::key, words},
        landing::{Landing, PodsView, alike},
        placement::named,
    },
};

/// A table of pods and events for each cluster; the reasons are folded.
#[must_use]
pub(crate) fn text(clusters: &[Landing<'_>], shown: &dyn Fn(&Project, &str) -> String) -> String {
    let clusters: Vec<&Landing<'_>> = clusters.iter().filter(|it| !it.pods.is_empty()).collect();
    if clusters.is_empty() {
        return "No pods of a cluster are here.\n".to_owned();
    }
    let pages: Vec<String> = clusters.iter().map(|it| page(it, shown)).collect();
    pages.join("\n")
}

fn page(cluster: &Landing<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let groups = alike(&cluster.pods, key);
    let mut text = format!("## {}\n\n", markdown(&cluster.title(shown)));
    let heads: Vec<&str> = Event::ALL.iter().map(|it| it.title()).collect();
    let rule = "---|".repeat(heads.len() + 1);
    let _ = writeln!(text, "| pods | {} |\n|{rule}", heads.join(" | "));
    for group in &groups {
        let Some(first) = group.first() else { continue };
        let cells = Event::ALL.iter().map(|it| {
            let fate = first.fates.of(*it);
            let words = words(fate);
            match fate.outcome {
                Outcome::Killed | Outcome::Blocked => format!("**{words}**"),
                _ => words,
            }
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(text, "| {} | {} |", escaped(&names(group)), cells.join(" | "));
    }
    text.push_str(
        "\n<details><summary><b>Why</b></summary>\n\n| pods | event | because |\n|---|---|---|\n",
    );
    for group in &groups {
        let Some(first) = group.first() else { continue };
        for event in Event::ALL {
            let because = &first.fates.of(event).because;
            let words: Vec<&str> = because.iter().map(|it| &*it.message).collect();
            let (pods, words) = (escaped(&names(group)), escaped(&words.join("; ")));
            let _ = writeln!(text, "| {pods} | {} | {words} |", event.title());
        }
    }
    text.push_str("\n</details>\n");
    text
}

fn names(group: &[&PodsView]) -> String {
    named(&group.iter().map(|it| it.title()).collect::<Vec<_>>())
}
