//! Values under the name their chart reads.

use std::sync::Arc;

use crate::{
    checks::chart_value::{
        KarpenterChart, below, dead_value::RenameRisk, is_written_alone, loss::is_off,
    },
    findings::change::Change,
    model::Model,
    value::{Entry, Kind, Value},
};

/// What renames an entry of a mapping, puts what is inside it in its place or moves it elsewhere; `None` where that
/// is not all there is to do.
#[must_use]
pub(super) fn change(
    model: &Model,
    chart: &KarpenterChart<'_>,
    (map, entry): (&Value, &Entry),
    path: &str,
) -> Option<Change> {
    let new_name = |path: &str| free_name(chart, path);
    let is_alone = is_written_alone(model, entry);
    match new_name(path) {
        Some(name) if !is_alone => Some(Change::reword(entry.key_span, path, &name)),
        Some(name) if parent(path) == parent(&name) => {
            Some(Change::reword(entry.key_span, &entry.key, last(&name)))
        }
        Some(_) => moved(chart, entry, path),
        None => {
            let renamed = |it: &Entry| {
                let name = new_name(&below(path, &it.key))?;
                (parent(&name) == parent(path)).then(|| Arc::from(last(&name)))
            };
            let names = entry.value.entries().iter().map(renamed).collect::<Option<Vec<_>>>();
            let (mapping, key) = (map.clone(), entry.key.clone());
            match names.filter(|it| !it.is_empty()) {
                _ if !is_alone => None,
                Some(names) => Some(Change::Unwrap { mapping, key, names }),
                None => moved(chart, entry, path),
            }
        }
    }
}

/// The name by which the chart reads what is written at a path, where nothing is written by that name.
fn free_name(chart: &KarpenterChart<'_>, path: &str) -> Option<String> {
    // A key with dots stands for keys in each other, and has the form of none of them.
    let name = chart.values.name_in(path, &chart.versions).filter(|_| !path.contains('\\'))?;
    let values = &chart.release.values;
    (values.at(&name).is_missing() && !is_off(chart, path)).then_some(name)
}

/// What moves an entry, or all that is inside it, to where the chart reads it.
fn moved(chart: &KarpenterChart<'_>, entry: &Entry, path: &str) -> Option<Change> {
    let values = &chart.release.values;
    let mut moves: Vec<(String, String, &Value)> = Vec::new();
    moves_of(chart, entry, path, &mut moves)?;
    moves.iter().all(|(_, to, value)| may_be_at(value, to)).then_some(())?;
    let keys: Vec<&str> = path.split('.').collect();
    let mut changes = vec![Change::remove(values, &keys)];
    for (index, (from, to, value)) in moves.iter().enumerate() {
        let others = moves.get(..index).unwrap_or_default();
        match others.iter().find(|it| it.1 == *to) {
            None => changes.push(Change::copy(values, from, to)),
            // Two names of one setting that say the same.
            Some((_, _, other)) => (other.same_as(value) == Some(true)).then_some(())?,
        }
    }
    (!moves.is_empty()).then_some(Change::FirstOf(vec![changes]))
}

/// What the resources of a container may have.
const RESOURCES: [&str; 3] = ["claims", "limits", "requests"];

/// Whether a value may be where the chart prints it into the pod as it is.
fn may_be_at(value: &Value, path: &str) -> bool {
    let is_one = |it: &Entry| RESOURCES.contains(&&*it.key);
    last(path) != "resources" || value.entries().iter().all(is_one)
}

/// What the chart prints into the pod as it is, besides resources.
const PRINTED: [&str; 15] = [
    "additionalLabels",
    "affinity",
    "dnsConfig",
    "env",
    "envFrom",
    "extraVolumeMounts",
    "extraVolumes",
    "imagePullSecrets",
    "nodeSelector",
    "podAnnotations",
    "podLabels",
    "securityContext",
    "strategy",
    "tolerations",
    "topologySpreadConstraints",
];

/// Whether what has no effect where it is may be refused by the API server where the chart reads it.
#[must_use]
pub(super) fn may_be_refused(chart: &KarpenterChart<'_>, entry: &Entry, path: &str) -> bool {
    let mut moves = Vec::new();
    let all = moves_of(chart, entry, path, &mut moves);
    all.is_some() && !moves.iter().all(|(_, to, value)| is_valid_at(value, to))
}

/// Mappings from names to texts that the chart takes whole.
pub(super) const TEXTS: &[&str] = &[
    "additionalAnnotations",
    "additionalLabels",
    "nodeSelector",
    "podAnnotations",
    "podLabels",
    "serviceAccount.annotations",
];

/// What makes a text of a value which the chart reads, by another name, where only a text may be; `None` where it is one,
/// or may be anything.
#[must_use]
pub(super) fn text_wanted(
    (model, chart): (&Model, &KarpenterChart<'_>),
    entry: &Entry,
    instead: &[String],
) -> Option<RenameRisk> {
    let [name] = instead else { return None };
    let is_inside = |it: &&str| name.strip_prefix(*it).is_some_and(|it| it.starts_with('.'));
    let is_none = matches!(entry.value.kind, Kind::Bool(_) | Kind::Number(_));
    (is_none && TEXTS.iter().any(is_inside)).then_some(())?;
    Some(RenameRisk::NoText(match () {
        () if is_written_alone(model, entry) => "in quotes",
        () if chart.release.code().is_some() => "with `type = \"string\"`",
        () => "as a text (`--set-string`, in Argo CD `forceString: true`)",
    }))
}

/// Whether the API server surely accepts a value that the chart prints at a path.
fn is_valid_at(value: &Value, path: &str) -> bool {
    let is_text = |it: &Value| matches!(it.kind, Kind::String(_));
    match last(path) {
        it if !PRINTED.contains(&it) => true,
        "env" => {
            value.as_list().is_some_and(|it| it.rest.is_none() && it.items.iter().all(is_variable))
        }
        "additionalLabels" | "nodeSelector" | "podAnnotations" | "podLabels" => value
            .as_map()
            .is_some_and(|it| it.rest.is_none() && it.entries.iter().all(|it| is_text(&it.value))),
        _ => false,
    }
}

/// Whether an entry of a container's environment has a name and a text.
fn is_variable(entry: &Value) -> bool {
    let is_text = |it: &Value| matches!(it.kind, Kind::String(_));
    let fits = |it: &Entry| matches!(&*it.key, "name" | "value") && is_text(&it.value);
    entry.get("name").present().is_some() && entry.entries().iter().all(fits)
}

/// Adds where everything goes that is written in an entry; `None` where a part has no other place.
fn moves_of<'a>(
    chart: &KarpenterChart<'_>,
    entry: &'a Entry,
    path: &str,
    moves: &mut Vec<(String, String, &'a Value)>,
) -> Option<()> {
    if let Some(name) = free_name(chart, path) {
        moves.push((path.to_owned(), name, &entry.value));
        return Some(());
    }
    let inner = entry.value.entries();
    (!inner.is_empty()).then_some(())?;
    inner.iter().try_for_each(|it| moves_of(chart, it, &below(path, &it.key), moves))
}

/// What takes away what has no successor: of an entry that is dead as a whole all of it, else what is inside it
/// and keeps the rest from being renamed.
#[must_use]
pub(super) fn removal(
    model: &Model,
    chart: &KarpenterChart<'_>,
    (map, entry): (&Value, &Entry),
    path: &str,
) -> Vec<Change> {
    let is_written = |it: String| !chart.release.values.at(&it).is_missing();
    let is_gone = |path: &str| {
        is_off(chart, path) || chart.values.name_in(path, &chart.versions).is_none_or(is_written)
    };
    let inner = entry.value.entries();
    let is_inner_gone = |it: &&Entry| is_gone(&below(path, &it.key));
    if !is_written_alone(model, entry) || !is_gone(path) {
        return Vec::new();
    }
    let remove = |keys: &[&str]| {
        // From the top, so that no mapping is left empty.
        let outer = path.split('.').rev().skip(1).collect::<Vec<_>>().into_iter().rev();
        let whole: Vec<&str> = outer.chain(keys.iter().copied()).collect();
        let ways = [(&chart.release.values, whole.as_slice()), (map, keys)];
        let ways = ways.map(|(from, keys)| vec![Change::remove(from, keys)]);
        Change::FirstOf(ways.into())
    };
    if inner.iter().all(|it| is_inner_gone(&it)) {
        return vec![remove(&[&entry.key])];
    }
    inner.iter().filter(is_inner_gone).map(|it| remove(&[&entry.key, &it.key])).collect()
}

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |it| it.0)
}

fn last(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |it| it.1)
}
