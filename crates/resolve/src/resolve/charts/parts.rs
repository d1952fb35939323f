//! From which chart of a tree a template is, and what is written for that chart.

use std::sync::Arc;

use crate::{
    engine::chart::{Chart, ChartFile, Content, Place, metadata::Dependency},
    resolve::{helm::merge::merge, kubernetes::part::Part},
    source::Span,
    value::{Field, Value},
};

/// The chart that has a template, by the template's name as Helm writes it: `shop/charts/redis/templates/x.yaml`.
/// `None` for charts of the repository's own that another uses. The values are those that the outermost chart sees.
pub(super) fn part(root: &Chart, values: &Value, template: &str) -> Option<Part> {
    let (charts, file) = template.split_once("/templates/")?;
    let keys: Vec<&str> = charts.split("/charts/").skip(1).collect();
    let mut chart = root;
    let mut values = values.clone();
    let mut place = None;
    let mut repository = None;
    for key in &keys {
        let (inner, dependency) = below(chart, key)?;
        let written = match values.get(key) {
            Field::Present(value) => Some(value.clone()),
            Field::Missing | Field::Unknown => None,
        };
        let declared = dependency.map(|it| it.span);
        let is_foreign = place.is_some() || is_foreign(inner, dependency);
        if is_foreign {
            let key = written.as_ref().map(|it| it.name);
            place = key.or(place).or(declared).or_else(|| archive(inner));
            repository = dependency.map(|it| Arc::from(it.repository.to_lowercase()));
        }
        let written = written.unwrap_or_else(|| Value::map(Vec::new(), values.name));
        values = if is_foreign { written } else { merge(inner.values.clone(), &written) };
        chart = inner;
    }
    (place.is_some() || keys.is_empty()).then(|| Part {
        chart: name(chart).into(),
        version: chart.metadata.version.as_str().into(),
        repository,
        keys: keys.join("."),
        values,
        defaults: chart.values.clone(),
        template: text(chart, file),
        place,
    })
}

/// The text of a template, by its path below `templates/`.
fn text(chart: &Chart, file: &str) -> Arc<str> {
    let is_it = |it: &&ChartFile| it.path.strip_prefix("templates/") == Some(file);
    match chart.templates.iter().find(is_it).map(|it| &it.content) {
        Some(Content::Text(text)) => Arc::clone(text),
        Some(Content::Bytes(_)) | None => Arc::from(""),
    }
}

/// The chart of that name or alias inside another.
fn below<'a>(chart: &'a Chart, called: &str) -> Option<(&'a Chart, Option<&'a Dependency>)> {
    let dependency = chart.metadata.dependencies.iter().find(|it| it.called() == called);
    let fits = |it: &&Chart| match dependency {
        Some(dependency) => dependency.is_met_by(&it.metadata),
        None => it.metadata.name == called,
    };
    Some((chart.subcharts.iter().find(fits)?, dependency))
}

/// Whether a dependency is fetched, and so not edited here.
fn is_foreign(chart: &Chart, dependency: Option<&Dependency>) -> bool {
    let address = dependency.map_or("", |it| &*it.repository);
    let is_near = address.is_empty() || address.starts_with("file://");
    !is_near || archive(chart).is_some()
}

/// Where the archive of a chart is pointed at; `None` for a chart that is unpacked.
fn archive(chart: &Chart) -> Option<Span> {
    chart.templates.iter().find_map(|it| match it.place {
        Place::Archive(span) => Some(span),
        Place::File(_) => None,
    })
}

/// The name in a chart's own description.
fn name(chart: &Chart) -> &str {
    let written = chart.metadata.value.get("name").present();
    written.and_then(Value::as_str).unwrap_or(&chart.metadata.name)
}
