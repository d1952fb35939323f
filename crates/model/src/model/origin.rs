//! How a value came from where it is written to where it is used.

use crate::{
    findings::note::Note,
    model::Model,
    resolve::{setting, terraform::object::BlockInstance},
    source::Span,
    value::{Kind, Text, TextSource, Value},
};

impl Model {
    /// What the blocks of Terraform make, in all roots.
    pub fn terraform_objects(&self) -> impl Iterator<Item = &BlockInstance> {
        self.terraform.roots.iter().flat_map(|it| &it.objects)
    }

    /// The steps of the value that is written at a place, or of the text or mapping around it, on the way
    /// to its use: the one nearest to the use first. Of several uses the first counts.
    #[must_use]
    pub fn steps_from(&self, span: Span) -> Vec<Note> {
        let releases = self.releases.iter();
        let settings = releases.clone().flat_map(|it| [&it.version, &it.namespace]);
        let values = self
            .terraform_objects()
            .map(|it| &it.body)
            .chain(settings.filter_map(|it| it.value()))
            .chain(releases.map(|it| &it.values))
            .chain(self.addons.iter().map(|it| &it.values))
            .chain(self.annotations.iter().map(|it| &it.value))
            .chain(self.node_pools.iter().map(|it| &it.object))
            .chain(self.node_classes.iter().map(|it| &it.object));
        let mut found = values.filter_map(|it| carried(it, span, None));
        found.next().map_or_else(Vec::new, setting::steps)
    }
}

/// The value at a place that came by steps; `by` is the nearest one around it that did.
fn carried<'v>(value: &'v Value, span: Span, by: Option<&'v Value>) -> Option<&'v Value> {
    let by = if value.origin.is_some() { Some(value) } else { by };
    let here = value.span == span || value.name == span;
    match &value.kind {
        _ if here && by.is_some() => by,
        Kind::List(list) => list.items.iter().find_map(|it| carried(it, span, by)),
        Kind::Map(map) => map.entries.iter().find_map(|it| carried(&it.value, span, by)),
        Kind::String(text) => match &text.encodes {
            Some(encoded) => carried(encoded, span, by),
            None => by.filter(|_| holds(text, span)),
        },
        _ => None,
    }
}

/// Whether a place lies in the source of a text.
fn holds(text: &Text, span: Span) -> bool {
    match &text.layout {
        TextSource::Nowhere => false,
        TextSource::Verbatim(whole) => whole.contains(span),
        TextSource::Pieces(pieces) => pieces.iter().any(|it| it.span.contains(span)),
    }
}
