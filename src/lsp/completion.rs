//! What the editor proposes while a policy is written.

use gen_lsp_types::{CompletionItem, CompletionItemKind};

use crate::{lsp::check::CheckedFolder, policies::completion::completions, source::FileId};
use karplint_cel::cel::complete::{Completion, CompletionKind};

/// What may be written at a byte of a file: nothing in one that is no file of policies.
pub(super) fn items(folder: &CheckedFolder, file: FileId, offset: usize) -> Vec<CompletionItem> {
    let source = folder.project.files.get(file);
    if !folder.config.is_policy(source) {
        return Vec::new();
    }
    let item = |it: Completion| CompletionItem {
        label: it.name.to_string(),
        kind: Some(match it.kind {
            CompletionKind::Field => CompletionItemKind::Field,
            CompletionKind::Variable => CompletionItemKind::Variable,
            CompletionKind::Function => CompletionItemKind::Function,
        }),
        detail: Some(it.of.to_string()),
        ..CompletionItem::default()
    };
    completions(file, source.text(), offset).into_iter().map(item).collect()
}
