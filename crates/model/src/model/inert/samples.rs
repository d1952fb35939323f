//! Workloads that are only shown or tried out: in folders of samples, and in files that a README calls an example,
//! where nothing applies them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::{
    model::{
        Model,
        inert::superseded::is_plain,
        left_out::mention::{NamedPath, named},
        workload::Workload,
    },
    source::{FileId, Files, aside, file_name, is_below, outward, parent},
};

/// What the names of such files have before their ending.
const INFIXES: &[&str] = &[".sample", ".example"];
/// What a README says first of such a file.
const WORDS: &[&str] = &["example", "sample"];
/// What leads to an entry of a tree of files.
const BRANCH: &str = "── ";

/// The indexes of the workloads that are only samples.
pub(super) fn workloads(files: &Files, model: &Model) -> HashSet<usize> {
    let is_applied = |it: FileId| model.gitops.applies(files.get(it).path());
    let plain = model.workloads.iter().enumerate();
    let plain = plain.filter(|(_, it)| is_plain(it) && !is_applied(it.report_span.file));
    let plain: Vec<(usize, &Workload)> = plain.collect();
    let mut examples = Examples::default();
    let mut paths: BTreeMap<String, FileId> = BTreeMap::new();
    let of_path = |path: &str| sample_path(path).map(str::to_owned);
    let mut sample_of: Vec<(usize, String)> = Vec::new();
    for (index, it) in plain {
        let file = it.report_span.file;
        let path = files.get(file).path();
        let shown = of_path(path).or_else(|| examples.hold(files, path).then(|| path.to_owned()));
        if let Some(shown) = shown {
            paths.entry(shown.clone()).or_insert(file);
            sample_of.push((index, shown));
        }
    }
    let list: Vec<NamedPath<'_>> = paths.keys().map(|it| NamedPath::sample(it)).collect();
    let named = named(files, &list);
    let used: BTreeSet<&String> =
        paths.keys().enumerate().filter(|(at, _)| named.contains(at)).map(|(_, it)| it).collect();
    sample_of.iter().filter(|(_, it)| !used.contains(it)).map(|(index, _)| *index).collect()
}

/// The outermost folder of samples around a file, or the file if it is called one.
pub(super) fn sample_path(path: &str) -> Option<&str> {
    let folder = path.match_indices('/').find_map(|(end, _)| {
        let folder = path.get(..end)?;
        aside::is_named_for_samples(file_name(folder)).then_some(folder)
    });
    let stem = path.rsplit_once('.').map_or(path, |it| it.0);
    folder.or_else(|| INFIXES.iter().any(|it| stem.ends_with(it)).then_some(path))
}

/// What READMEs call examples, by the folders of the READMEs.
#[derive(Default)]
struct Examples {
    of: HashMap<String, HashSet<String>>,
}

impl Examples {
    /// Whether a README above a file calls the only file of its name an example.
    fn hold(&mut self, files: &Files, path: &str) -> bool {
        let name = file_name(path);
        let mut folders = outward(parent(path));
        let named = folders.find(|folder| {
            let read = || read(files, folder);
            self.of.entry((*folder).to_owned()).or_insert_with(read).contains(name)
        });
        named.is_some_and(|folder| {
            let below = files.iter().filter(|(_, it)| is_below(it.path(), folder));
            below.filter(|(_, it)| it.name() == name).count() == 1
        })
    }
}

/// The files that the README of a folder calls examples in a tree: `├── store.yaml  # Example application`.
fn read(files: &Files, folder: &str) -> HashSet<String> {
    let path =
        if folder.is_empty() { "README.md".to_owned() } else { format!("{folder}/README.md") };
    let Some(file) = files.find(&path) else { return HashSet::new() };
    files.get(file).skim(|text| text.lines().filter_map(example_of).map(str::to_owned).collect())
}

/// The file that a line of a tree calls an example.
fn example_of(line: &str) -> Option<&str> {
    let (_, entry) = line.split_once(BRANCH)?;
    let (name, said) = entry.split_once('#')?;
    let first = said.split(|it: char| !it.is_alphanumeric()).find(|it| !it.is_empty())?;
    WORDS.iter().any(|it| first.eq_ignore_ascii_case(it)).then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::{example_of, sample_path};

    #[test]
    fn samples_are_known_by_their_paths() {
        for (path, sample) in [
            ("plugin/ebs/sample/pod.yaml", Some("plugin/ebs/sample")),
            ("examples/a/examples/pod.yaml", Some("examples")),
            ("apps/pod.example.yaml", Some("apps/pod.example.yaml")),
            ("apps/sampler/pod.yaml", None),
            ("sample.yaml", None),
        ] {
            assert_eq!(sample_path(path), sample, "{path}");
        }
    }

    #[test]
    fn trees_of_files_name_examples() {
        for (line, name) in [
            ("│   └── store.yaml      # Example stateful application", Some("store.yaml")),
            ("├── store.yaml # sample: a store", Some("store.yaml")),
            ("├── store.yaml # The store, for example", None),
            ("- store.yaml # Example", None),
        ] {
            assert_eq!(example_of(line), name, "{line}");
        }
    }
}
