//! Which texts are not worth parsing, though they have the words of what is.

use memchr::memmem;

use crate::resolve::{cloudformation, pulumi};

const API_VERSION: &str = "\"apiVersion\"";

/// Whether a text in JSON may hold an object, a template of `CloudFormation` or an annotation of Karpenter's. The
/// schema of an API has all the words of objects, and no `apiVersion` that is a text.
pub(super) fn may_hold_objects(text: &str) -> bool {
    let is_text = |at: usize| {
        let after = text.get(at + API_VERSION.len()..).unwrap_or_default();
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        value.is_some_and(|it| it.starts_with('"'))
    };
    memmem::find_iter(text.as_bytes(), API_VERSION).any(is_text)
        || memmem::find(text.as_bytes(), b"karpenter").is_some()
        || cloudformation::WORDS.iter().any(|it| text.contains(it))
        || text.contains(pulumi::WORDS[0])
}

/// Whether a document defines resources that are not Karpenter's: its descriptions quote the names of
/// everything, and it is the largest kind of document.
pub(super) fn is_foreign(document: &str) -> bool {
    let has = |text: &str| memmem::find(document.as_bytes(), text.as_bytes()).is_some();
    has("\nkind: CustomResourceDefinition") && !has("karpenter")
}
