//! Who installs a chart, under which name and with which values.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    engine,
    findings::subject::{InstanceKey, Rendered},
    resolve::{
        charts::{folders::ChartFolder, shown::is_shown},
        release::{Release, surface::Surface},
        scope::Scope,
    },
    source::Span,
    value::{Symbol, Value, cause::Cause},
};

/// One use of a chart.
#[derive(Clone, Debug)]
pub(super) struct Use {
    /// The release, as an index; `None` where nobody installs the chart.
    pub index: Option<usize>,
    /// The name and the namespace.
    pub release: engine::release::Release,
    /// The values that go before the chart's own.
    pub values: Value,
    /// Where its objects belong.
    pub scope: Scope,
    /// Where the release is written.
    pub place: Span,
    /// Which of several uses of the chart it is.
    pub instance: Option<InstanceKey>,
    /// For whom. A chart without templates of its own only holds the values of others, and so is installed
    /// from here, whether that is seen or not.
    pub rendered: Rendered,
    /// Whether it is there only when variables have other values than those known.
    pub is_off: bool,
}

/// The releases that install a chart; where there is none, the chart by itself, or with each of the files of values that
/// it needs one of. A chart that only others use
/// is installed by nobody.
pub(super) fn uses(chart: &ChartFolder, releases: &[Release]) -> Vec<Use> {
    let is_library = chart.chart.metadata.is_library;
    let own = |it: &Release| it.local_chart.as_deref() == Some(&*chart.folder) && !is_shown(it);
    let indexed = releases.iter().enumerate().filter(|(_, it)| own(it));
    let (parts, wholes): (Vec<_>, Vec<_>) =
        indexed.partition(|(_, it)| it.is_wrapped() || it.surface() == Surface::ChartDependency);
    if is_library && wholes.is_empty() {
        return Vec::new();
    }
    if wholes.is_empty() && parts.is_empty() {
        let of = chart.values.len();
        let given = |(name, values): &(String, Value)| {
            let instance = InstanceKey { address: name.as_str().into(), of };
            let instance = Some(instance).filter(|_| of > 1);
            // Such a chart is installed with one of them, wherever that is.
            let rendered = Rendered::Passed;
            Use { values: values.clone(), instance, rendered, ..alone(chart, name) }
        };
        return match of {
            0 => vec![alone(chart, "")],
            _ => chart.values.iter().map(given).collect(),
        };
    }
    // Two tools may be written to install one and the same release.
    let titles: BTreeSet<String> = wholes.iter().map(|(_, it)| title(it)).collect();
    let all: BTreeSet<_> = wholes.iter().map(|(_, it)| (title(it), environment(it))).collect();
    let of = all.len();
    let instance = |it: &Release| {
        let address = match (title(it), environment(it)) {
            (_, Some(environment)) if titles.len() == 1 => environment.into(),
            (title, Some(environment)) => format!("{title} of {environment}").into(),
            (title, None) => title.into(),
        };
        (of > 1).then_some(InstanceKey { address, of })
    };
    let uses = wholes.iter();
    uses.map(|(index, it)| Use { instance: instance(it), ..of_release(*index, it) }).collect()
}

/// How a use is named where there are others.
fn title(release: &Release) -> String {
    let name = release.name.as_deref().unwrap_or_else(|| release.title());
    match release.namespace.known().map(String::as_str) {
        Some(namespace) if name.is_empty() => namespace.to_owned(),
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

fn environment(release: &Release) -> Option<&str> {
    release.unit()?.environment.as_deref()
}

fn of_release(index: usize, release: &Release) -> Use {
    let place = release.report_span;
    let unknown = |what: &str| {
        let symbol = Symbol::new("place", format!("{what} {} {}", place.file.0, place.start));
        Value::unknown(symbol, place)
    };
    let name = release.name.as_ref().map(|it| Value::computed(Arc::clone(it), place));
    let namespace = release.namespace.known().map(|it| Value::computed(it.as_str(), place));
    Use {
        index: Some(index),
        release: engine::release::Release {
            name: name.unwrap_or_else(|| unknown("name")),
            namespace: namespace.unwrap_or_else(|| unknown("namespace")),
        },
        values: release.values.clone(),
        scope: release.scope.clone(),
        place,
        instance: None,
        rendered: match &release.subject {
            _ if release.has_external_values || release.reusable => Rendered::Anybody,
            Some(maker) if maker.is_reusable() => Rendered::Passed,
            // `helm upgrade` without values keeps those of the command before.
            _ if release.surface() == Surface::Script && release.values.is_empty() => {
                Rendered::Passed
            }
            _ => Rendered::Here,
        },
        is_off: release.is_optional,
    }
}

/// The use by whoever may install a chart, with that file of values.
fn alone(chart: &ChartFolder, file: &str) -> Use {
    let place = Span::new(chart.description, 0, 0);
    let symbol = |what: &str| {
        let symbol = Symbol::new("place", format!("{what} {}{file}", chart.folder));
        symbol.because(Cause::Installation)
    };
    Use {
        index: None,
        release: engine::release::Release {
            name: Value::computed(chart.chart.metadata.name.as_str(), place),
            namespace: Value::unknown(symbol("namespace"), place),
        },
        values: Value::map(Vec::new(), place),
        scope: Scope::new(None, &Arc::from(&*chart.folder)),
        place,
        instance: None,
        is_off: false,
        rendered: if chart.chart.templates.is_empty() { Rendered::Here } else { Rendered::Anybody },
    }
}
