//! What the editor shows when the pointer rests on a finding.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};

use crate::{
    findings::{Finding, note::Note},
    lsp::view::View,
    page::Page,
    report::markup::{markdown, place},
    rules,
    source::FileId,
};

/// A longer example is read on the page.
const LINES: usize = 16;

/// The findings at a place with the pages of their rules, if there are any.
pub(super) fn hover(view: View<'_>, file: FileId, offset: usize) -> Option<Hover> {
    let found = view.folder.findings_at(file, offset, offset);
    let first = found.first()?;
    let mut texts: Vec<String> = Vec::new();
    for (index, finding) in found.iter().enumerate() {
        let mut text = described(view, finding);
        // Two findings of a rule have one page.
        if !found.iter().skip(index + 1).any(|it| it.rule == finding.rule) {
            let page = view.folder.outcome.book.page(finding.rule);
            text += &page.map_or_else(String::new, explained);
        }
        texts.push(text);
    }
    let value = texts.join("\n---\n\n");
    Some(Hover {
        contents: Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(view.place(first.span).1),
    })
}

/// The message, the related places, the steps of the value, and the help.
fn described(view: View<'_>, finding: &Finding) -> String {
    let mut text = format!("**{}**\n\n", markdown(&finding.message));
    let model = &view.folder.outcome.model;
    let known = |it: &Note| finding.notes.iter().any(|note| note.span == it.span);
    let steps = model.steps_from(finding.span).into_iter().filter(|it| !known(it));
    for note in finding.notes.iter().cloned().chain(steps) {
        let (uri, range) = view.place(note.span);
        let line = range.start.line + 1;
        let path = view.folder.project.files.get(note.span.file).path();
        let place = place(path, line as usize);
        let message = markdown(&note.message);
        text +=
            &["- [", &place, "](", &uri.0, "#L", &line.to_string(), "): ", &message, "\n"].concat();
    }
    if let Some(help) = &finding.help {
        text += &["\n", &markdown(help), ".\n"].concat();
    }
    text
}

/// Why, how it looks when it is right, and where to read more.
fn explained(page: &Page) -> String {
    let example = page.good().filter(|it| it.lines().count() <= LINES + 2);
    let example = example.map_or_else(String::new, |it| format!("How it can look:\n\n{it}\n\n"));
    let links = match rules::page(page.name) {
        Some(_) => format!("[{}]({}) · [upstream]({})", page.name, page.url(), page.source),
        None => format!("{}, {}", page.name, page.source),
    };
    format!("\n{}\n\n{example}{links}\n", page.reason)
}
