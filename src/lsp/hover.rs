//! What the editor shows when the pointer rests on a finding.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};

use crate::{
    findings::Finding,
    lsp::{check::Folder, place::Encoding},
    report::markup::{markdown, place},
    rules,
    source::{ColumnUnit, FileId},
};

/// The findings at a place with the pages of their rules, if there are any.
pub fn hover(folder: &Folder, file: FileId, offset: usize, encoding: Encoding) -> Option<Hover> {
    let found = folder.findings_at(file, offset, offset);
    let first = found.first()?;
    let texts: Vec<String> = found.iter().map(|it| text(folder, it)).collect();
    let value = texts.join("\n---\n\n");
    Some(Hover {
        contents: Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(encoding.range(folder.project.files.get(file), first.span)),
    })
}

/// What is wrong, the places that make it up, what to do, and why.
fn text(folder: &Folder, finding: &Finding) -> String {
    let mut text = format!("**{}**\n\n", markdown(&finding.message));
    for note in &finding.notes {
        let file = folder.project.files.get(note.span.file);
        let line = file.position(note.span.start as usize, ColumnUnit::Characters).line;
        let place = place(file.path(), line);
        text += &["- ", &place, ": ", &markdown(&note.message), "\n"].concat();
    }
    if let Some(help) = &finding.help {
        text += &["\n", &markdown(help), ".\n"].concat();
    }
    if let Some(page) = rules::page(finding.rule) {
        text += &["\n", page.reason, "\n\n[", page.name, "](", &page.url(), ")\n"].concat();
    }
    text
}
