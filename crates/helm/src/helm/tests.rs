//! Charts of texts, rendered.

mod archives;
mod charts;
mod functions;
mod generated;
mod golden;
mod hostile;
mod places;
mod switches;
mod unknown;

use std::sync::Arc;

use crate::{
    helm::{
        chart::{Chart, ChartFile, Content, Place},
        cluster::Assumptions,
        fault::RenderError,
        release::Release,
        render::{Rendering, render},
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.2.3\n";

/// The files of a chart called `shop`; the place of each is its number.
fn files(given: &[(&str, &str)]) -> Vec<ChartFile> {
    let described = given.iter().any(|(path, _)| *path == "Chart.yaml");
    let chart = (!described).then_some(("Chart.yaml", CHART));
    let numbered = given.iter().copied().chain(chart).zip(1..);
    numbered
        .map(|((path, text), number)| ChartFile {
            path: path.to_owned(),
            content: Content::Text(Arc::from(text)),
            place: Place::File(FileId(number)),
        })
        .collect()
}

fn whole() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// What `helm template` knows.
fn offline() -> Assumptions {
    Assumptions {
        renderings: 1,
        kubernetes: Some("1.32".to_owned()),
        without_cluster: true,
        ..Assumptions::default()
    }
}

fn release() -> Release {
    let name = Value::computed("release-name", whole());
    Release { name, namespace: Value::computed("default", whole()) }
}

/// Values given in YAML.
fn values(text: &str) -> Value {
    let whole = Span::new(FileId(99), 0, text.len());
    let mut read = yaml::parse_literal(&Text::verbatim(text, whole), whole);
    if read.values.is_empty() { Value::map(Vec::new(), whole) } else { read.values.remove(0) }
}

fn rendered(given: &[(&str, &str)], values: &Value, assumptions: &Assumptions) -> Rendering {
    render(&Chart::load(files(given)).unwrap(), values, &release(), assumptions)
}

/// What a template prints with values.
fn template(text: &str, given: &str) -> Result<String, RenderError> {
    let chart = [("templates/a.yaml", text)];
    let mut rendering = rendered(&chart, &values(given), &offline());
    rendering.files.remove(0).text.map(|it| it.text.to_string())
}
