//! What people call the thing a finding is about.

use crate::{
    findings::Finding,
    model::Model,
    project::{Project, kind::Kind},
    resolve::kubernetes::{self, Object},
    source::Span,
    syntax::{json, yaml},
    value::Text,
};

/// Its names: a Terraform address, or `StatefulSet/ledger` and `ledger`.
#[must_use]
pub fn names(project: &Project, model: &Model, finding: &Finding) -> Vec<String> {
    let Some(objects) = around(project, finding) else { return model.blocks_at(finding.span) };
    let names = |it: Object| {
        let name = it.anchor_text()?.to_owned();
        Some([format!("{}/{name}", it.kind), name])
    };
    objects.into_iter().filter_map(names).flatten().collect()
}

/// The name to write down: `StatefulSet/ledger`, or a Terraform address without modules and instances.
#[must_use]
pub fn name(project: &Project, model: &Model, finding: &Finding) -> Option<String> {
    let names = names(project, model, finding).into_iter();
    names.min_by_key(|it| (!it.contains('/'), it.len()))
}

/// The objects of a YAML or JSON file around a finding; `None` for other files.
#[must_use]
pub fn around(project: &Project, finding: &Finding) -> Option<Vec<Object>> {
    let file = project.files.get(finding.span.file);
    let whole = Span::new(finding.span.file, 0, file.text().len());
    let text = Text::verbatim(file.text(), whole);
    let documents = match Kind::of(file.path()) {
        Some(Kind::Yaml) => yaml::parse(&text, whole).values,
        Some(Kind::Json) => json::parse(&text, whole).values,
        _ => return None,
    };
    let objects = documents.iter().flat_map(kubernetes::objects);
    Some(objects.filter(|it| it.value.span.contains(finding.span)).collect())
}
