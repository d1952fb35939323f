//! What the editor offers to do about a finding.

use std::collections::HashMap;

use gen_lsp_types::{CodeAction, CodeActionKind, Range, TextEdit, Uri, WorkspaceEdit};

use crate::{
    findings::{Edit, Finding, Safety},
    lsp::check::Folder,
    project::Kind,
    source::{FileId, SourceFile, Span},
};

/// How the server tells the editor where something is.
pub type Place<'a> = &'a dyn Fn(&Folder, Span) -> (Uri, Range);

/// The fixes of the findings at a place, and an allowance for each.
pub fn actions(folder: &Folder, findings: &[&Finding], place: Place<'_>) -> Vec<CodeAction> {
    let fixes = findings.iter().filter_map(|it| fix(folder, it, place));
    let allowances = findings.iter().filter_map(|it| allowance(folder, it, place));
    fixes.chain(allowances).collect()
}

fn fix(folder: &Folder, finding: &Finding, place: Place<'_>) -> Option<CodeAction> {
    let fix = finding.fix.as_ref()?;
    let safe = fix.safety == Safety::Safe;
    let remark = if safe { "" } else { " (look at what it does)" };
    let mut action = action(folder, format!("{}{remark}", fix.title), &fix.edits, place)?;
    action.is_preferred = Some(safe);
    Some(action)
}

/// The comment that allows the finding once somebody has written the reason behind it.
fn allowance(folder: &Folder, finding: &Finding, place: Place<'_>) -> Option<CodeAction> {
    let file = folder.project.files.get(finding.span.file);
    let line = file.line_of(finding.span.start as usize);
    let start = file.line_range(line).start;
    let text = file.line_text(line);
    let indent = &text[..text.len() - text.trim_start().len()];
    let opener = opener(file, text.trim_start())?;
    let break_ = if text.ends_with("\r\n") { "\r\n" } else { "\n" };
    let comment = format!("{indent}{opener} karplint: allow {} because {break_}", finding.rule);
    let edit = Edit { span: at(finding.span.file, start), text: comment };
    let title = format!("Allow `{}` here because …", finding.rule);
    action(folder, title, &[edit], place)
}

fn at(file: FileId, offset: usize) -> Span {
    Span::new(file, offset, offset)
}

/// How a comment opens there; `None` where a line more would be content, as in JSON inside HCL.
fn opener(file: &SourceFile, line: &str) -> Option<&'static str> {
    let json = line.starts_with(['"', '}', ']']);
    match Kind::of(file.path())? {
        Kind::Json => Some("//"),
        Kind::Terraform if file.ending() == "json" => Some("//"),
        Kind::Terraform | Kind::Variables if json => None,
        _ => Some("#"),
    }
}

fn action(folder: &Folder, title: String, edits: &[Edit], place: Place<'_>) -> Option<CodeAction> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for edit in edits {
        if folder.project.files.get(edit.span.file).is_transcoded() {
            return None;
        }
        let (uri, range) = place(folder, edit.span);
        changes.entry(uri).or_default().push(TextEdit { range, new_text: edit.text.clone() });
    }
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QuickFix),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    })
}
