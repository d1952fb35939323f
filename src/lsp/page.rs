//! What becomes of the workloads of a folder: as a page, and in words where the pointer rests on one.

use std::fmt::Write;

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};
use serde_json::{Value, json};

use crate::{
    lsp::{check::CheckedFolder, place::uri_of, view::View},
    model::disruption::Event,
    project::Project,
    report::markup::{markdown, place},
    show::{
        self, Understood,
        disruption::words,
        landing::{Answer, Landing, PodsView, kind_words},
    },
    source::{FileId, Span},
};

/// The page of a folder, and where its paths start.
pub(super) fn page(folder: &CheckedFolder) -> Value {
    let understood: Understood<'_> = (&folder.project, folder.understood());
    let shown = |_: &Project, path: &str| path.to_owned();
    let html = show::page(&[understood], None, "map", &shown).unwrap_or_default();
    json!({ "html": html, "root": uri_of(&folder.path_for_editor("")).0 })
}

/// What can take the pods whose workload is at a place, and what each event does with them.
pub(super) fn hover(view: View<'_>, file: FileId, offset: usize) -> Option<Hover> {
    let folder = view.folder;
    let is_here = |it: Span| {
        let range = it.start as usize..=it.end as usize;
        it.file == file && range.contains(&offset)
    };
    if !folder.outcome.model.workloads.iter().any(|it| is_here(it.report_span))
        && !may_be_name(folder, file, offset)
    {
        return None;
    }
    let clusters = show::landing(&[(&folder.project, folder.understood())], None).ok()?;
    let mut texts = clusters.iter().flat_map(|cluster| {
        let here = cluster.pods.iter().filter(|it| is_here(it.item.span));
        here.map(move |it| (it.item.span, described(cluster, it)))
    });
    let (span, value) = texts.next()?;
    Some(Hover {
        contents: Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(view.place(span).1),
    })
}

/// Whether the line may name an object: what no rule asks about is read only then.
fn may_be_name(folder: &CheckedFolder, file: FileId, offset: usize) -> bool {
    let file = folder.project.files.get(file);
    file.is_loaded() && file.line_text(file.line_of(offset)).contains("name:")
}

fn described(cluster: &Landing<'_>, pods: &PodsView) -> String {
    let mut text = format!("**{}** {}\n\n", markdown(&pods.title()), markdown(&pods.kind()));
    let mut line = |words: &str, names: &[String]| {
        if !names.is_empty() {
            let _ = writeln!(text, "{words} {}\n", markdown(&names.join(", ")));
        }
    };
    let all = || cluster.takers.iter().zip(pods.answers.iter());
    let of = |wanted: fn(&Answer) -> bool| -> Vec<String> {
        let own = all().filter(|it| wanted(it.1));
        own.map(|(it, _)| format!("{} ({})", it.title(), kind_words(it.kind))).collect()
    };
    let takers = of(|it| *it == Answer::Takes);
    line("Can run on", &takers);
    line("May run on", &of(|it| matches!(it, Answer::Undecided(_))));
    let refused = all().filter_map(|(it, answer)| match answer {
        Answer::Refuses(note) => Some(format!("{} ({})", it.title(), note.message)),
        _ => None,
    });
    line("Cannot run on", &refused.collect::<Vec<_>>());
    text.push_str("| event | pods are | because |\n|---|---|---|\n");
    let shown = |_: &Project, path: &str| path.to_owned();
    for event in Event::ALL {
        let fate = pods.fates.of(event);
        let because = fate.because.first().map_or_else(String::new, |it| {
            let path = cluster.place(it.span, &shown);
            let (path, row) = path.rsplit_once(':').unwrap_or((&path, "1"));
            let row = row.parse().unwrap_or(1);
            format!("{}, {}", markdown(&it.message).replace('|', "\\|"), place(path, row))
        });
        let _ = writeln!(text, "| {} | {} | {because} |", event.title(), words(fate));
    }
    text
}
