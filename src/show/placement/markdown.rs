//! Where pods can run, for a pull request.

use std::fmt::Write;

use crate::{
    project::Project,
    report::markup::{cell as escaped, markdown},
    show::{
        landing::{Answer, Landing, alike, kind_words},
        placement::named,
    },
};

/// A table for each cluster.
#[must_use]
pub(crate) fn text(clusters: &[Landing<'_>], shown: &dyn Fn(&Project, &str) -> String) -> String {
    if clusters.is_empty() {
        return "No pods and nothing that could take them are here.\n".to_owned();
    }
    let pages: Vec<String> = clusters.iter().map(|it| page(it, shown)).collect();
    pages.join("\n")
}

fn page(cluster: &Landing<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let mut text = format!("## {}\n\n", markdown(&cluster.title(shown)));
    text.push_str("| pods | can run on | not known | cannot run on |\n|---|---|---|---|\n");
    for group in alike(&cluster.pods, |it| &it.answers) {
        let Some(first) = group.first() else { continue };
        let names: Vec<String> = group.iter().map(|it| it.title()).collect();
        let mut cells = [Vec::new(), Vec::new(), Vec::new()];
        for (taker, answer) in cluster.takers.iter().zip(first.answers.iter()) {
            let name = format!("{} ({})", taker.title(), kind_words(taker.kind));
            match answer {
                Answer::Takes => cells[0].push(name),
                Answer::Undecided(note) => cells[1].push(format!("{name}: {}", note.message)),
                Answer::Refuses(note) => cells[2].push(format!("{name}: {}", note.message)),
                Answer::Apart => {}
            }
        }
        if cells[0].is_empty() && cells[1].is_empty() {
            cells[0].push("nothing".to_owned());
        }
        let cells = cells.map(|it| escaped(&it.join("; ")));
        let _ = writeln!(text, "| {} | {} |", escaped(&named(&names)), cells.join(" | "));
    }
    text
}
