//! Objects whose annotation allows findings.

use std::sync::Arc;

use crate::{resolve::kubernetes::Object, source::Span, value::Entry};

/// The annotation that karplint reads.
pub const ALLOW: &str = "karplint/allow";

/// An annotation of karplint: names of rules, and `because` and a reason.
#[derive(Clone, Debug)]
pub struct ObjectAllowance {
    /// The annotation's key: [`ALLOW`], or another that begins as it does and allows nothing.
    pub key: Arc<str>,
    /// Where the key is written.
    pub key_span: Span,
    /// The rules it names; none where the key is another.
    pub rules: Vec<String>,
    /// Whether it gives a reason.
    pub has_reason: bool,
    /// The annotation's value.
    pub span: Span,
    /// The object.
    pub object: Span,
}

impl ObjectAllowance {
    /// Those of an object.
    pub fn of(object: &Object) -> impl Iterator<Item = Self> {
        let annotations = object.value.at("metadata.annotations").present();
        let entries = annotations.map_or(&[][..], |it| it.entries());
        let whole = object.value.span;
        entries
            .iter()
            .filter(|it| it.key.starts_with("karplint/"))
            .filter_map(move |it| Self::read(it, whole))
    }

    fn read(entry: &Entry, object: Span) -> Option<Self> {
        let text = entry.value.as_str()?;
        let (names, reason) = text.split_once(" because").unwrap_or((text, ""));
        let names = names.split(',').map(str::trim).filter(|it| !it.is_empty());
        let reads = &*entry.key == ALLOW;
        Some(Self {
            key: Arc::clone(&entry.key),
            key_span: entry.key_span,
            rules: names.filter(|_| reads).map(str::to_owned).collect(),
            has_reason: !matches!(reason.trim(), "" | "…" | "..."),
            span: entry.value.span,
            object,
        })
    }
}
