//! The dependencies that charts keep beside them: Helm reads `charts/` whatever git ignores, and many ignore it.

use std::collections::BTreeSet;

use crate::{
    gate::{Entry, Gate, Kind},
    source::{file_name, parent},
};

/// Longer files about a chart are none that people write, in bytes.
const LONGEST: u64 = 1 << 20;
/// Further files are left out.
const MOST: usize = 4_000;
/// Folders are looked into this deep below a chart.
const DEEPEST: usize = 8;

/// What lies in the `charts/` of the charts among `paths` and is a dependency by the file about the chart, without
/// what `exclude` is true for. Links are not followed.
pub(super) fn files(gate: &Gate, paths: &[String], exclude: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut search = Search { gate, exclude, found: BTreeSet::new() };
    for path in paths.iter().filter(|it| file_name(it) == "Chart.yaml") {
        search.chart(parent(path));
    }
    search.found.into_iter().collect()
}

struct Search<'a> {
    gate: &'a Gate,
    exclude: &'a dyn Fn(&str) -> bool,
    found: BTreeSet<String>,
}

impl Search<'_> {
    /// The dependencies of the chart in a folder.
    fn chart(&mut self, folder: &str) {
        let is_charts = |it: &Entry| it.kind == Kind::Folder && it.name.as_deref() == Ok("charts");
        if !self.gate.list(folder).unwrap_or_default().iter().any(is_charts) {
            return;
        }
        // Charts of the first API version list them in a file of their own.
        let about = ["Chart.yaml", "requirements.yaml"].map(|it| below(folder, it));
        let texts = about.iter().filter_map(|it| self.gate.text(it, LONGEST).ok());
        let names: BTreeSet<String> = texts.flat_map(|it| dependencies(&it)).collect();
        let charts = below(folder, "charts");
        for (path, kind) in self.entries(&charts) {
            let name = file_name(&path);
            match kind {
                Kind::File if names.iter().any(|it| is_archive_of(name, it)) => {
                    self.found.insert(path);
                }
                Kind::Folder if names.contains(name) => self.all(&path, 0),
                _ => {}
            }
        }
    }

    /// All files in a folder and below, besides those that are hidden.
    fn all(&mut self, folder: &str, depth: usize) {
        for (path, kind) in self.entries(folder) {
            let is_hidden = file_name(&path).starts_with('.') && file_name(&path) != ".helmignore";
            match kind {
                _ if is_hidden => {}
                Kind::Folder if depth < DEEPEST => self.all(&path, depth + 1),
                Kind::File if self.found.len() < MOST => {
                    self.found.insert(path);
                }
                _ => {}
            }
        }
    }

    fn entries(&self, folder: &str) -> Vec<(String, Kind)> {
        let entries = self.gate.list(folder).unwrap_or_default().into_iter();
        let named = entries.filter_map(|it| Some((below(folder, &it.name.ok()?), it.kind)));
        named.filter(|(path, _)| !(self.exclude)(path)).collect()
    }
}

/// Whether `helm dependency build` names the archive of a chart like that: `redis-19.5.0.tgz`.
fn is_archive_of(file: &str, chart: &str) -> bool {
    let version =
        file.strip_suffix(".tgz").and_then(|it| it.strip_prefix(chart)?.strip_prefix('-'));
    version.is_some_and(|it| it.trim_start_matches('v').starts_with(|it: char| it.is_ascii_digit()))
}

/// The names in the list of dependencies of a `Chart.yaml` or `requirements.yaml`.
fn dependencies(text: &str) -> Vec<String> {
    let list = text.split_once("dependencies:").map_or("", |it| it.1);
    let name = |it: &str| {
        let word = it.trim_start().trim_start_matches(['"', '\'']);
        let end = word.find(|it: char| it.is_whitespace() || "\"',}#".contains(it));
        word.get(..end.unwrap_or(word.len())).unwrap_or_default().to_owned()
    };
    list.split("name:").skip(1).map(name).collect()
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::{dependencies, is_archive_of};

    #[test]
    fn names_of_dependencies_are_found() {
        let text = "name: shop\ndependencies:\n  - name: \"orders\" # ours\n    version: 1.x\n  \
                    - {name: redis, version: 19.5.0}\n  - version: 1.0.0\n    name: 'ledger'\n";
        assert_eq!(dependencies(text), ["orders", "redis", "ledger"]);
        assert!(dependencies("name: shop\n").is_empty());
    }

    #[test]
    fn archives_are_named_after_chart_and_version() {
        for (file, wanted) in [
            ("redis-19.5.0.tgz", true),
            ("redis-v1.0.0.tgz", true),
            ("redis-ha-4.0.0.tgz", false),
            ("redis.tgz", false),
            ("redis-19.5.0.zip", false),
        ] {
            assert_eq!(is_archive_of(file, "redis"), wanted, "{file}");
        }
    }
}
