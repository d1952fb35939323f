//! How the values of Karpenter's charts are written, and what the charts around them read.

use std::collections::{HashMap, HashSet};

use memchr::memmem;

use crate::{
    knowledge::chart_values,
    resolve::release::Release,
    source::{Files, Span, is_below, outward},
    value::Entry,
};

/// The keys of these releases' values that are written as part of a path: `settings.clusterName` in a `set`.
#[must_use]
pub(super) fn path_keys(files: &Files, releases: &[Release]) -> HashSet<Span> {
    let mut found = HashSet::new();
    for release in of_karpenter(releases) {
        let names = set_names(release);
        let entries = release.values.entries().iter();
        entries.for_each(|it| add_path_keys((files, &names), it, &mut found));
    }
    found
}

fn add_path_keys((files, names): (&Files, &[Span]), entry: &Entry, found: &mut HashSet<Span>) {
    // A path of one key looks like any key.
    let is_name = names.iter().any(|it| it.contains(entry.key_span));
    if is_name || files.text(entry.key_span).trim_matches(['"', '\'']) != &*entry.key {
        found.insert(entry.key_span);
    }
    entry.value.entries().iter().for_each(|it| add_path_keys((files, names), it, found));
}

/// The names of the `set` blocks of a release in Terraform.
fn set_names(release: &Release) -> Vec<Span> {
    let Some(code) = release.code() else { return Vec::new() };
    let blocks = ["set", "set_sensitive"].into_iter();
    let blocks = blocks.filter_map(|it| code.object.body.get(it).present());
    // One block is a mapping by itself.
    let items = blocks.flat_map(|it| match it.items() {
        [] => std::slice::from_ref(it),
        items => items,
    });
    items.filter_map(|it| Some(it.get("name").present()?.span)).collect()
}

/// What the templates of charts refer to below the values of a chart of Karpenter's that they depend on:
/// `.karpenter.settings.clusterName`; and all of the templates of copies of it and of charts that set something beside
/// it, after the chart's folder: `charts/karpenter.Values.settings.clusterName`. A chart that uses its values as a
/// whole has `charts/karpenter.Values`.
#[must_use]
pub(super) fn template_references(files: &Files, releases: &[Release]) -> HashSet<String> {
    let keys = of_karpenter(releases).filter_map(|it| it.values_key.as_deref());
    let prefixes: HashSet<String> = keys.map(|it| format!(".{it}.")).collect();
    let around = |it: &Release| {
        it.part_of.clone().filter(|_| it.copy().is_none() && !it.set_beside.is_empty())
    };
    let own = of_karpenter(releases).filter_map(|it| it.copy().map(str::to_owned).or(around(it)));
    let copies: HashSet<String> = own.collect();
    let mut found = HashSet::new();
    if prefixes.is_empty() && copies.is_empty() {
        return found;
    }
    for (_, file) in files.iter().filter(|(_, it)| it.path().contains("templates/")) {
        for prefix in &prefixes {
            found.extend(references(file.text(), prefix).map(str::to_owned));
        }
        for copy in copies.iter().filter(|it| is_below(file.folder(), it)) {
            found.extend(references(file.text(), ".Values.").map(|it| format!("{copy}{it}")));
            let whole = [".Values ", ".Values)", ".Values}"];
            if whole.iter().any(|it| file.text().contains(it)) {
                found.insert(format!("{copy}.Values"));
            }
        }
    }
    found
}

/// The keys of values given to a chart of Karpenter's that lie in the folder of another chart, whose templates read them:
/// one file is for both charts.
#[must_use]
pub(super) fn keys_of_local_charts(files: &Files, releases: &[Release]) -> HashSet<Span> {
    let is_plain = |it: &&Release| it.values_key.is_none() && it.copy().is_none();
    let entries = of_karpenter(releases).filter(is_plain).flat_map(|it| it.values.entries());
    let mut by_folder: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for entry in entries {
        let folder = files.get(entry.key_span.file).folder();
        by_folder.entry(folder).or_default().push(entry);
    }
    let has_chart = |it: &&str| files.find(&format!("{it}/Chart.yaml")).is_some();
    let charts: HashSet<&str> = by_folder.keys().copied().filter(has_chart).collect();
    let read = read_in_charts(files, &charts);
    let mut found = HashSet::new();
    for (folder, entries) in by_folder {
        let own = entries.iter().filter(|it| read.contains(&(folder, &it.key)));
        own.for_each(|it| add_keys(it, &mut found));
    }
    found
}

/// The topmost keys of their values that the templates of charts read, each with the folder of its chart.
fn read_in_charts<'a>(files: &'a Files, charts: &HashSet<&'a str>) -> HashSet<(&'a str, &'a str)> {
    let mut read = HashSet::new();
    if charts.is_empty() {
        return read;
    }
    for (_, file) in files.iter() {
        let is_own = |it: &&str| is_below(file.folder(), &format!("{it}/templates"));
        for chart in outward(file.folder()).filter_map(|it| charts.get(it).copied()).filter(is_own)
        {
            let keys = references(file.text(), ".Values.").filter_map(|it| it.split('.').nth(2));
            read.extend(keys.map(|it| (chart, it)));
        }
    }
    read
}

fn add_keys(entry: &Entry, found: &mut HashSet<Span>) {
    found.insert(entry.key_span);
    entry.value.entries().iter().for_each(|it| add_keys(it, found));
}

fn references<'a>(text: &'a str, prefix: &str) -> impl Iterator<Item = &'a str> {
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '-');
    memmem::find_iter(text.as_bytes(), prefix.as_bytes())
        .filter_map(move |at| {
            let rest = text.get(at..)?;
            rest.get(..rest.find(|it| !is_part(it)).unwrap_or(rest.len()))
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// The releases of Karpenter's own charts.
fn of_karpenter(releases: &[Release]) -> impl Iterator<Item = &Release> {
    releases.iter().filter(|it| chart_values::of_chart(&it.chart).is_some())
}

#[cfg(test)]
mod tests {
    use super::references;

    #[test]
    fn references_end_where_no_name_goes_on() {
        for (text, wanted) in [
            ("{{ .Values.karpenter.a.b-c }}", vec![".karpenter.a.b-c"]),
            (
                "{{.Values.karpenter.a}}{{.Values.karpenter.b | quote}}",
                vec![".karpenter.a", ".karpenter.b"],
            ),
            ("{{ .Values.karpenter }}", vec![]),
            ("{{ .Values.other.a }}", vec![]),
        ] {
            assert_eq!(references(text, ".karpenter.").collect::<Vec<_>>(), wanted, "{text}");
        }
    }
}
