//! Samples inside of an unpacked release of others, `istio-1.21.1/samples`: they show how to use it, and nobody applies
//! them unless the repository says so.

use std::collections::{BTreeMap, HashSet};

use crate::{
    model::{
        applied::AppliedObject,
        left_out::mention::{NamedPath, named},
    },
    source::{FileId, Files, distribution},
};

/// Why nothing of them is judged.
pub(super) const SAMPLE: &str = "a sample of an unpacked release";

/// What their folders are called.
const FOLDERS: &[&str] = &["sample", "samples", "example", "examples"];

/// The files of such samples, where nothing applies their objects and no other file names their folder to do so.
pub(super) fn samples(files: &Files, objects: &[AppliedObject]) -> HashSet<FileId> {
    let mut found: BTreeMap<&str, HashSet<FileId>> = BTreeMap::new();
    let loose = objects.iter().filter(|it| it.located.root.is_none() && it.build.is_none());
    for file in loose.map(|it| it.located.object.value.span.file) {
        if let Some(folder) = folder_of(files.get(file).path()) {
            found.entry(folder).or_default().insert(file);
        }
    }
    let paths: Vec<NamedPath<'_>> = found.keys().map(|it| NamedPath::sample(it)).collect();
    let named = named(files, &paths);
    let shown = found.into_values().enumerate().filter(|(at, _)| !named.contains(at));
    shown.flat_map(|(_, it)| it).collect()
}

/// The folder of samples of an unpacked release around a file.
fn folder_of(path: &str) -> Option<&str> {
    let release = distribution(path)?;
    let ends = path.match_indices('/').map(|(end, _)| end).filter(|it| *it > release.len());
    let mut inside = ends.filter_map(|end| path.get(..end));
    inside.find(|it| it.rsplit('/').next().is_some_and(|name| FOLDERS.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::folder_of;

    #[test]
    fn the_samples_of_a_release_are_below_it() {
        for (path, folder) in [
            ("istio-1.21.1/samples/addons/loki.yaml", Some("istio-1.21.1/samples")),
            (
                "a/velero-v1.16.0-linux-amd64/examples/web/pod.yaml",
                Some("a/velero-v1.16.0-linux-amd64/examples"),
            ),
            ("istio-1.21.1/manifests/istiod.yaml", None),
            ("samples/istio-1.21.1/istiod.yaml", None),
            ("istio/samples/addons/loki.yaml", None),
        ] {
            assert_eq!(folder_of(path), folder, "{path}");
        }
    }
}
