//! Values of Karpenter's chart that the chart around it sets beside its key, where nothing reads them.

use std::collections::HashSet;

use crate::{
    checks::chart_value::{KarpenterChart, below, dead_value::DeadValue, is_nothing},
    knowledge::chart_values::Reading,
    model::Model,
    source::Span,
    value::{Entry, Kind, Value},
};

/// A value that is set beside the key of the chart it is for.
pub(super) struct Misplaced<'a> {
    /// The value with its key.
    pub(super) entry: &'a Entry,
    /// Where Karpenter's chart reads what is in it, with the key of the chart; at least one.
    pub(super) instead: Vec<String>,
}

/// What `helm create` writes into every values file: nobody means anything by it.
const SKELETON: &[(&str, &str)] = &[
    ("service.port", "80"),
    ("service.type", "ClusterIP"),
    ("serviceAccount.automount", "true"),
    ("serviceAccount.create", "true"),
];

/// The values beside the key of a chart of Karpenter's that are for it, and that nothing reads.
pub(super) fn misplaced<'a>(model: &Model, chart: &KarpenterChart<'a>) -> Vec<Misplaced<'a>> {
    let release = chart.release;
    let (Some(key), Some(folder)) = (&release.values_key, &release.part_of) else {
        return Vec::new();
    };
    let whole = format!("{folder}.Values");
    let is_for_others =
        model.template_references.contains(&whole) || read_by_another(model, chart).is_some();
    if !release.is_controller() || is_for_others {
        return Vec::new();
    }
    let is_used = |it: &Entry| {
        let reference = format!("{whole}.{}", it.key);
        model.template_references.iter().any(|it| it.starts_with(&reference))
    };
    let beside = beside(chart).filter(|it| !is_used(it));
    let found = beside.filter_map(|entry| {
        let mut read = Vec::new();
        collect(chart, (&entry.key, &entry.key), &entry.value, &mut read);
        let in_place = read.iter().all(|it| matches!(it, Target::Same(_)));
        let targets = read.iter().filter_map(|it| match it {
            Target::Same(_) if in_place => Some(entry.key.to_string()),
            Target::Same(path) | Target::Other(path) => Some(path.clone()),
            Target::Nowhere => None,
        });
        let mut instead: Vec<String> = Vec::new();
        for target in targets.map(|it| format!("{key}.{it}")) {
            if !instead.contains(&target) {
                instead.push(target);
            }
        }
        (!instead.is_empty()).then_some(Misplaced { entry, instead })
    });
    found.collect()
}

/// Whether all that is set beside the key of a chart is right but for that: it only has to go below the key.
pub(super) fn are_in_place(chart: &KarpenterChart<'_>, all: &[Misplaced<'_>]) -> bool {
    let Some(key) = chart.release.values_key.as_ref() else { return false };
    all.iter().all(|it| *it.instead == [format!("{key}.{}", it.entry.key)])
}

/// The values that the chart around Karpenter's sets beside its key.
pub(super) fn beside_key(chart: &KarpenterChart<'_>, all: &[Misplaced<'_>]) -> Option<DeadValue> {
    let (first, others) = all.split_first()?;
    let key = chart.release.values_key.as_ref()?;
    let to_indent = !others.is_empty() && are_in_place(chart, all);
    let instead = all.iter().flat_map(|it| it.instead.iter().cloned()).collect();
    let path = first.entry.key.to_string();
    Some(DeadValue {
        others: others.iter().map(|it| (it.entry.key_span, it.entry.key.to_string())).collect(),
        indent_below: to_indent.then(|| key.to_string()),
        ..DeadValue::misplaced(first.entry.key_span, path, instead, chart.release)
    })
}

/// What is set beside the key of a chart, of what that chart would read below it.
pub(super) fn beside<'a, 'c: 'a>(
    chart: &'a KarpenterChart<'c>,
) -> impl Iterator<Item = &'c Entry> + use<'a, 'c> {
    let reads = |it: &&Entry| {
        chart.versions.iter().any(|at| chart.values.reading(&it.key, at) != Reading::Nothing)
    };
    chart.release.set_beside.iter().filter(reads)
}

/// The first such value that another release of Karpenter's chart reads where it is: the file is for that one.
pub(super) fn read_by_another(model: &Model, chart: &KarpenterChart<'_>) -> Option<Span> {
    let mut beside = beside(chart).peekable();
    beside.peek()?;
    let all = model.releases.iter().chain(&model.values_files);
    let others = all.filter(|it| it.is_controller() && it.values_key.is_none());
    let read: HashSet<Span> =
        others.flat_map(|it| it.values.entries()).map(|it| it.key_span).collect();
    beside.map(|it| it.key_span).find(|it| read.contains(it))
}

/// Where the chart reads a value.
enum Target {
    /// At the same path.
    Same(String),
    /// At this path.
    Other(String),
    /// Nowhere that is known.
    Nowhere,
}

/// Where the chart reads each value that says something.
fn collect(
    chart: &KarpenterChart<'_>,
    (path, key): (&str, &str),
    value: &Value,
    found: &mut Vec<Target>,
) {
    if is_nothing(value) || is_of_skeleton(path, value) {
        return;
    }
    let all = |path: &str, is: &dyn Fn(Reading) -> bool| {
        chart.versions.iter().all(|at| is(chart.values.reading(path, at)))
    };
    let is_read = |path: &str| all(path, &|it| it == Reading::Whole);
    if is_read(path) {
        found.push(Target::Same(path.to_owned()));
        return;
    }
    let former = chart.values.name_in(path, &chart.versions).filter(|it| is_read(it));
    let elsewhere = || {
        let lost = path != key && all(path, &|it| it == Reading::Nothing);
        let places = [format!("settings.{key}"), key.to_owned()];
        places.into_iter().find(|it| lost && all(it, &|it| it != Reading::Nothing))
    };
    if let Some(name) = former.or_else(elsewhere) {
        found.push(Target::Other(name));
    } else if value.entries().is_empty() {
        found.push(Target::Nowhere);
    } else {
        for entry in value.entries() {
            collect(chart, (&below(path, &entry.key), &entry.key), &entry.value, found);
        }
    }
}

fn is_of_skeleton(path: &str, value: &Value) -> bool {
    let text = match &value.kind {
        Kind::String(text) => text.text.to_string(),
        Kind::Bool(it) => it.to_string(),
        Kind::Number(it) => it.to_string(),
        _ => return false,
    };
    SKELETON.contains(&(path, text.as_str()))
}
