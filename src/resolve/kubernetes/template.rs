//! Texts that are no YAML before some other tool fills them in.

use memchr::memmem;

use crate::{findings::Severity, syntax::Unread};

/// Whether a text cannot be read because it is meant to be filled in before it is YAML: Go templates,
/// Jinja, ERB, Terraform's directives, or an interpolation in the very line that makes no sense.
pub fn is_template(text: &str, unread: &Unread) -> bool {
    const MARKS: &[&str] = &["{{", "{%", "%{", "<%"];
    let before = text.get(..unread.span.start as usize).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..).and_then(|it| it.lines().next()).unwrap_or_default();
    let marked = || MARKS.iter().any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some());
    match unread.severity {
        Severity::Note => true,
        Severity::Warning => false,
        Severity::Error => line.contains("${") || marked(),
    }
}
