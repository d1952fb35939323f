//! Folders whose objects a `GitOps` tool patches on the way to the cluster.

use std::collections::HashSet;

use crate::{
    resolve::kubernetes::Located,
    source::{join, parent},
    value::{Field, Value},
};

/// Fields of a Flux Kustomization that change the objects of its path.
const FLUX: &[&str] = &["patches", "patchesStrategicMerge", "patchesJson6902", "components"];
/// The same of an Argo CD source's `kustomize`.
const ARGO: &[&str] = &["patches", "components", "commonAnnotations", "commonLabels"];

/// The folders, relative to the project's root, for which some Flux Kustomization or Argo CD Application
/// holds patches of its own. What the objects there look like in the cluster is not known.
#[derive(Debug, Default)]
pub struct Patched {
    folders: HashSet<String>,
}

impl Patched {
    /// Finds them among the objects of tools.
    #[must_use]
    pub fn of(objects: &[Located]) -> Self {
        let folders = objects.iter().flat_map(|it| patched(&it.object.value, &it.object.kind));
        Self { folders: folders.collect() }
    }

    /// Whether a folder is one of them or lies below one.
    #[must_use]
    pub fn hold(&self, folder: &str) -> bool {
        let mut above =
            std::iter::successors(Some(folder), |it| (!it.is_empty()).then(|| parent(it)));
        !self.folders.is_empty() && above.any(|it| self.folders.contains(it))
    }
}

fn patched(object: &Value, kind: &str) -> Vec<String> {
    let written =
        |value: Field<'_>, keys: &[&str]| keys.iter().any(|it| !value.get(it).is_missing());
    let spec = object.get("spec");
    match kind {
        "Kustomization" if written(spec, FLUX) => path(spec).into_iter().collect(),
        "Application" => {
            sources(spec).filter(|it| written(it.get("kustomize"), ARGO)).filter_map(path).collect()
        }
        "ApplicationSet" => {
            let spec = spec.get("template").get("spec");
            sources(spec).filter(|it| written(it.get("kustomize"), ARGO)).filter_map(path).collect()
        }
        _ => Vec::new(),
    }
}

/// The sources of an Application.
fn sources(spec: Field<'_>) -> impl Iterator<Item = Field<'_>> {
    let several = spec.get("sources").present().map_or(&[][..], Value::items);
    several.iter().map(Field::Present).chain([spec.get("source")])
}

/// The folder a path names; the part before a placeholder, if it has one.
fn path(of: Field<'_>) -> Option<String> {
    let path = of.get("path").present()?.as_str()?;
    join("", path)
}

#[cfg(test)]
mod tests {
    use super::patched;
    use crate::{
        source::{FileId, Span},
        syntax::yaml,
        value::Text,
    };

    #[test]
    fn only_what_patches_is_named() {
        let cases = [
            ("Kustomization", "spec: {path: ./apps/dev, patches: [{patch: x}]}", vec!["apps/dev"]),
            ("Kustomization", "spec: {path: ./apps/dev}", vec![]),
            (
                "Application",
                "spec: {source: {path: a, kustomize: {commonAnnotations: {b: c}}}}",
                vec!["a"],
            ),
            ("Application", "spec: {sources: [{path: a, kustomize: {images: [b]}}]}", vec![]),
            (
                "ApplicationSet",
                "spec: {template: {spec: {source: {path: a, kustomize: {patches: []}}}}}",
                vec!["a"],
            ),
        ];
        for (kind, text, folders) in cases {
            let span = Span::new(FileId(0), 0, text.len());
            let values = yaml::parse(&Text::verbatim(text, span), span).values;
            assert_eq!(patched(&values[0], kind), folders, "{text}");
        }
    }
}
