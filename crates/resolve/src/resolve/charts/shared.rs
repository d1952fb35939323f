//! Templates that make the pods of several workloads, and which values they make each of them of.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    findings::subject::SharedTemplate,
    resolve::{
        charts::{folders::ChartFolder, named::rename, uses::Use},
        kubernetes::Located,
    },
    source::Span,
    value::Value,
};

/// How deep values are looked through.
const DEPTH: usize = 8;

/// Has workloads whose template makes others, too, pointed at where the values are that only they are made of, given
/// where the name of each is from.
pub(super) fn find(
    objects: &mut [Located],
    origins: &HashMap<usize, Span>,
    (chart, usage): (&ChartFolder, &Use),
) {
    let is_own = |it: &Located| {
        let place = it.part.as_ref().and_then(|it| it.place);
        it.object.template_path().is_some() && place.is_none()
    };
    let mut names: HashMap<Span, BTreeSet<&str>> = HashMap::new();
    for it in objects.iter().filter(|it| is_own(it)) {
        names.entry(it.header).or_default().extend(it.object.anchor_text());
    }
    names.retain(|_, it| it.len() > 1);
    if names.is_empty() {
        return;
    }
    let shared: BTreeSet<Span> = names.into_keys().collect();
    let mut keys = HashMap::new();
    collect(&chart.chart.values, "", DEPTH, &mut keys);
    collect(&usage.values, "", DEPTH, &mut keys);
    let all = objects.iter_mut().enumerate();
    for (index, it) in all.filter(|(_, it)| is_own(it) && shared.contains(&it.header)) {
        let own = origins.get(&index).and_then(|it| Some((*it, keys.get(it)?)));
        if let Some((place, _)) = own {
            rename(&mut it.object, place);
        }
        let keys = own.map(|(_, keys)| Arc::from(keys.as_str()));
        it.holder.shared = Some(SharedTemplate { span: it.header, keys });
    }
}

/// The maps below a value by where their key, or a name inside an item of a list, is written.
fn collect(value: &Value, path: &str, depth: usize, found: &mut HashMap<Span, String>) {
    if depth == 0 {
        return;
    }
    for entry in value.entries() {
        let inner =
            if path.is_empty() { entry.key.to_string() } else { format!("{path}.{}", entry.key) };
        if entry.value.as_map().is_some() {
            found.insert(entry.key_span, inner.clone());
        }
        for name in entry.value.items().iter().filter_map(|it| it.get("name").present()) {
            found.insert(name.span, inner.clone());
        }
        collect(&entry.value, &inner, depth - 1, found);
    }
}
