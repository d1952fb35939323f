//! What the editor offers to do about a finding.

use gen_lsp_types::{CodeAction, CodeActionKind, Command};
use serde_json::json;

use crate::{
    findings::{Finding, Fix, Safety},
    fix,
    lint::suppression_site::{self, Home, SuppressionSite},
    lsp::{
        client::{ASK, Reasons},
        edit::{self, SuppressionEdit},
        view::View,
    },
    source::FileId,
};

/// The kind of the action that fixes a whole file.
pub(super) const FIX_ALL: &str = "source.fixAll.karplint";
/// The command that puts the cursor where the reason is to be written.
pub(super) const SELECT: &str = "karplint.select";
/// The command that makes a page of what becomes of the workloads of a folder, and answers with it.
pub(super) const PAGE: &str = "karplint.page";
/// The placeholder of a reason; a suppression with it counts as one without a reason.
const NO_REASON: &str = "…";
/// The placeholder of the reason in the argument of [`ASK`].
const GAP: &str = "\u{e000}reason\u{e001}";

/// Whether actions of a kind are asked for: without a list all are, except those on whole sources, which
/// editors run without review.
pub(super) fn wants(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    let Some(only) = only else { return !kind.starts_with("source") };
    only.iter().map(ToString::to_string).any(|it| {
        let rest = kind.strip_prefix(it.as_str());
        it.is_empty() || rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
    })
}

/// The fixes of the findings at a place that hold, and suppressions for each.
pub(super) fn quick_fixes(
    view: View<'_>,
    findings: &[&Finding],
    holds: &dyn Fn(&Finding) -> bool,
) -> Vec<CodeAction> {
    let offered = findings.iter().filter(|it| it.fix.is_some() && holds(it));
    let fixes = offered.filter_map(|it| fix_action(view, it));
    let mut rules: Vec<&str> = Vec::new();
    let mut whole = Vec::new();
    for finding in findings {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule);
            whole.extend(fix_rule(view, finding));
        }
    }
    let allowed = findings.iter().flat_map(|it| allow(view, it));
    let mut actions: Vec<CodeAction> = Vec::new();
    for action in fixes.chain(whole).chain(allowed) {
        // Two findings of a rule on one line are allowed by one comment.
        let same = |it: &CodeAction| it.title == action.title && it.edit == action.edit;
        if !actions.iter().any(|it| same(it) && it.command == action.command) {
            actions.push(action);
        }
    }
    actions
}

fn fix_action(view: View<'_>, finding: &Finding) -> Option<CodeAction> {
    let fix = finding.fix.as_ref()?;
    let safe = fix.safety == Safety::Safe;
    let remark = if safe { "" } else { " (look at what it does)" };
    Some(CodeAction {
        is_preferred: Some(safe),
        edit: Some(edit::fix(view, &fix.edits)?),
        ..action(view, finding, format!("{}{remark}", fix.title))
    })
}

/// Whether a fix is safe to make without review and edits one file only.
pub(super) fn is_inside(fix: &Fix, file: FileId) -> bool {
    fix.safety == Safety::Safe && fix.edits.iter().all(|it| it.span.file == file)
}

/// The safe fixes of all findings of a rule in a file, if there are several.
fn fix_rule(view: View<'_>, finding: &Finding) -> Option<CodeAction> {
    let folder = view.folder;
    let id = finding.span.file;
    let inside = |it: &&Finding| it.fix.as_ref().is_some_and(|it| is_inside(it, id));
    let same = |it: &&Finding| it.rule == finding.rule && it.span.file == id;
    let all: Vec<&Finding> = folder.findings().filter(same).filter(inside).collect();
    if all.len() < 2 || !inside(&finding) {
        return None;
    }
    let changed = fix::apply(&folder.project.files, all, Safety::Safe);
    let (_, text) = changed.into_iter().next()?;
    let edits = edit::between(id, folder.project.files.get(id), &text);
    Some(CodeAction {
        edit: Some(edit::fix(view, &edits)?),
        ..action(view, finding, format!("Fix all `{}` in this file", finding.rule))
    })
}

fn allow(view: View<'_>, finding: &Finding) -> Vec<CodeAction> {
    let folder = view.folder;
    let sites = suppression_site::allowances(&folder.project, &folder.config, finding);
    sites.iter().filter_map(|it| allowance(view, finding, it)).collect()
}

fn allowance(view: View<'_>, finding: &Finding, allowance: &SuppressionSite) -> Option<CodeAction> {
    let written = SuppressionEdit::new(view, allowance);
    if written.is_new && !view.client.creates_files {
        return None;
    }
    let rule = finding.rule;
    let title = match &allowance.home {
        Home::Comment => format!("Allow `{rule}` here because …"),
        Home::Annotation(object) => format!("Allow `{rule}` on {object}"),
        Home::Config => format!("Allow `{rule}` in {} because …", allowance.path),
    };
    let action = action(view, finding, title.clone());
    let command = |command: &str, arguments| {
        let arguments = Some(arguments);
        Some(Command { title, tooltip: None, command: command.to_owned(), arguments })
    };
    if matches!(allowance.home, Home::Annotation(_)) {
        return Some(CodeAction { edit: Some(written.with_reason("")), ..action });
    }
    Some(match view.client.reasons {
        Reasons::Asked => {
            let quoted = allowance.home == Home::Config;
            let asked = json!({ "edit": written.with_reason(GAP), "gap": GAP, "quoted": quoted });
            CodeAction { command: command(ASK, vec![asked]), ..action }
        }
        Reasons::FilledIn => CodeAction { edit: Some(written.with_gap()), ..action },
        Reasons::Selected => {
            let place = vec![json!(written.uri), json!(written.place_of(NO_REASON))];
            let edit = Some(written.with_reason(NO_REASON));
            CodeAction { edit, command: command(SELECT, place), ..action }
        }
        Reasons::Seen => CodeAction { edit: Some(written.with_reason(NO_REASON)), ..action },
    })
}

fn action(view: View<'_>, finding: &Finding, title: String) -> CodeAction {
    CodeAction {
        title,
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![view.diagnostic(finding)]),
        ..CodeAction::default()
    }
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::CodeActionKind;

    use super::{FIX_ALL, wants};

    #[test]
    fn kinds_are_asked_for_by_their_first_words() {
        let cases: [(Option<&[&str]>, &str, bool); 8] = [
            (None, "quickfix", true),
            (None, FIX_ALL, false),
            (Some(&["quickfix"]), "quickfix", true),
            (Some(&["source.fixAll"]), "quickfix", false),
            (Some(&["refactor", "source"]), FIX_ALL, true),
            (Some(&["source.fixAll.karplint"]), FIX_ALL, true),
            (Some(&["source.fix"]), FIX_ALL, false),
            (Some(&[""]), FIX_ALL, true),
        ];
        for (only, kind, wanted) in cases {
            let only = only.map(|it| {
                it.iter().map(|it| CodeActionKind::from((*it).to_owned())).collect::<Vec<_>>()
            });
            assert_eq!(wants(only.as_deref(), kind), wanted, "{only:?} {kind}");
        }
    }
}
