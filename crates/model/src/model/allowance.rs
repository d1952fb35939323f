//! Objects whose annotation allows findings.

use crate::{resolve::kubernetes::Object, source::Span};

/// The annotation `karplint/allow` of an object: names of rules, and perhaps `because` and a reason.
#[derive(Clone, Debug)]
pub struct ObjectAllowance {
    /// The rules it names, with the place of the annotation's value.
    pub rules: Vec<String>,
    /// The annotation's value.
    pub span: Span,
    /// The object.
    pub object: Span,
}

impl ObjectAllowance {
    /// That of an object, if it has one.
    #[must_use]
    pub fn of(object: &Object) -> Option<Self> {
        let annotations = object.value.at("metadata.annotations");
        let value = annotations.get("karplint/allow").present()?;
        let text = value.as_str()?;
        let names = text.split_once(" because ").map_or(text, |(names, _)| names);
        let names = names.split(',').map(|it| it.trim().to_owned());
        Some(Self {
            rules: names.filter(|it| !it.is_empty()).collect(),
            span: value.span,
            object: object.value.span,
        })
    }
}
