//! Values under the name their chart reads.

use std::sync::Arc;

use crate::{
    checks::chart_value::{KarpenterChart, below, is_written_alone},
    findings::change::Change,
    model::Model,
    value::{Entry, Value},
};

/// What renames an entry of a mapping, or puts what is inside it in its place; `None` where that is not all
/// there is to do.
#[must_use]
pub(super) fn change(
    model: &Model,
    chart: &KarpenterChart<'_>,
    (map, entry): (&Value, &Entry),
    path: &str,
) -> Option<Change> {
    let new_name = |path: &str| {
        let name = chart.values.name_in(path, &chart.versions)?;
        chart.release.values.at(&name).is_missing().then_some(name)
    };
    let is_alone = is_written_alone(model, entry);
    match new_name(path) {
        Some(name) if !is_alone => Some(Change::reword(entry.key_span, path, &name)),
        Some(name) if parent(path) == parent(&name) => {
            Some(Change::reword(entry.key_span, &entry.key, last(&name)))
        }
        Some(_) => None,
        None => {
            let renamed = |it: &Entry| {
                let name = new_name(&below(path, &it.key))?;
                (parent(&name) == parent(path)).then(|| Arc::from(last(&name)))
            };
            let names = entry.value.entries().iter().map(renamed).collect::<Option<Vec<_>>>()?;
            let (mapping, key) = (map.clone(), entry.key.clone());
            is_alone.then_some(Change::Unwrap { mapping, key, names })
        }
    }
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
    let is_gone = |path: &str| chart.values.name_in(path, &chart.versions).is_none();
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
