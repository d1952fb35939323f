//! Objects that a `GitOps` tool patches on the way to the cluster.

use crate::{
    hash::HashMap,
    resolve::{
        kubernetes::{Located, Object},
        kustomize::select::ObjectSelector,
    },
    source::{join, outward},
    syntax::yaml,
    value::{Field, Kind, Value},
};

/// Fields of a Flux Kustomization with patches for some objects of its path.
const PATCHES: &[&str] = &["patches", "patchesStrategicMerge", "patchesJson6902"];
/// Fields of a Flux Kustomization or of an Argo CD source's `kustomize` that may change all of them.
const OF_EVERYTHING: &[&str] = &["components", "commonAnnotations", "commonLabels"];

/// The folders, relative to the project's root, for which some Flux Kustomization or Argo CD Application
/// holds patches of its own, with what these are for. What those objects look like in the cluster is not
/// known.
#[derive(Debug, Default)]
pub struct Patched {
    folders: HashMap<String, Vec<PatchTarget>>,
}

/// The objects that a patch is for.
#[derive(Debug)]
enum PatchTarget {
    /// Any.
    Anything,
    /// Those of a `target`, or the one that a partial object names.
    Selected(Box<ObjectSelector>),
}

impl PatchTarget {
    fn may_mean(&self, object: &Object) -> bool {
        match self {
            Self::Anything => true,
            Self::Selected(selector) => selector.may_mean(object),
        }
    }
}

impl Patched {
    /// Finds them among the objects of tools.
    #[must_use]
    pub fn of(objects: &[Located]) -> Self {
        let mut found = Self::default();
        for (folder, targets) in
            objects.iter().flat_map(|it| patched(&it.object.value, &it.object.kind))
        {
            found.folders.entry(folder).or_default().extend(targets);
        }
        found
    }

    /// Whether a patch for a folder, or for one above it, may change an object that is built there.
    #[must_use]
    pub fn may_change(&self, folder: &str, object: &Object) -> bool {
        let above = outward(folder);
        let mut targets = above.filter_map(|it| self.folders.get(it)).flatten();
        targets.any(|it| it.may_mean(object))
    }
}

/// The folders that a tool's object applies with patches.
fn patched(object: &Value, kind: &str) -> Vec<(String, Vec<PatchTarget>)> {
    let spec = object.get("spec");
    let sources: Vec<(Field<'_>, Field<'_>)> = match kind {
        "Kustomization" => vec![(spec, spec)],
        "Application" => sources(spec).map(|it| (it, it.get("kustomize"))).collect(),
        "ApplicationSet" => {
            let spec = spec.get("template").get("spec");
            sources(spec).map(|it| (it, it.get("kustomize"))).collect()
        }
        _ => Vec::new(),
    };
    let of_source = |(source, build): (Field<'_>, Field<'_>)| {
        let targets = targets(build);
        (!targets.is_empty()).then(|| Some((path(source)?, targets)))?
    };
    sources.into_iter().filter_map(of_source).collect()
}

/// What the patches of a Kustomization are for.
fn targets(build: Field<'_>) -> Vec<PatchTarget> {
    let mut found = Vec::new();
    if OF_EVERYTHING.iter().any(|it| !build.get(it).is_missing()) {
        found.push(PatchTarget::Anything);
    }
    for field in PATCHES.iter().map(|it| build.get(it)) {
        match field {
            Field::Missing => {}
            Field::Present(Value { kind: Kind::List(list), .. }) if list.rest.is_none() => {
                found.extend(list.items.iter().flat_map(of_patch));
            }
            Field::Present(_) | Field::Unknown => found.push(PatchTarget::Anything),
        }
    }
    found
}

/// What an entry is for: its `target`; without one the object it is a part of.
fn of_patch(entry: &Value) -> Vec<PatchTarget> {
    let selected = |target: Option<ObjectSelector>| {
        target.map_or(PatchTarget::Anything, |it| PatchTarget::Selected(Box::new(it)))
    };
    match entry.get("target") {
        Field::Present(target) => return vec![selected(ObjectSelector::read(target))],
        Field::Unknown => return vec![PatchTarget::Anything],
        Field::Missing => {}
    }
    let part = entry.get("patch").present().unwrap_or(entry);
    let parts = match &part.kind {
        Kind::String(text) if text.holes.is_empty() => yaml::parse(text, part.span).values,
        Kind::Map(_) => vec![part.clone()],
        _ => Vec::new(),
    };
    if parts.is_empty() {
        return vec![PatchTarget::Anything];
    }
    parts.iter().map(|it| selected(ObjectSelector::of_part(it))).collect()
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
    use super::{PatchTarget, patched};
    use crate::resolve::{kubernetes::objects, samples::read};

    #[test]
    fn only_what_is_patched_is_named() {
        let flux =
            |patches: &str| format!("kind: Kustomization\nspec: {{path: ./apps/dev, {patches}}}");
        let argo = |build: &str| {
            format!("kind: Application\nspec: {{source: {{path: apps/dev, kustomize: {build}}}}}")
        };
        let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: main}\n";
        let pool = &objects(&read(pool))[0];
        for (text, changes) in [
            (flux("interval: 1m"), false),
            (flux("patches: [{patch: x}]"), true),
            (flux("patches: [{patch: x, target: {kind: ClusterIssuer, name: issuer}}]"), false),
            (flux("patches: [{patch: x, target: {kind: NodePool}}]"), true),
            (flux("patches: [{patch: x, target: {kind: NodePool, name: other}}]"), false),
            (flux("patches: [{patch: x, target: {kind: Node.*, name: ma.n}}]"), true),
            (flux("patches: [{patch: x, target: {group: apps}}]"), false),
            (flux("patches: [{patch: x, target: {labelSelector: a=b}}]"), true),
            (flux("patches: [{patch: '{kind: HelmRelease, metadata: {name: main}}'}]"), false),
            (flux("patches: [{patch: '{kind: NodePool, metadata: {name: main}}'}]"), true),
            (flux("patchesStrategicMerge: [{kind: Deployment, metadata: {name: main}}]"), false),
            (flux("patchesStrategicMerge: [{kind: NodePool, metadata: {name: main}}]"), true),
            (flux("components: [../extra]"), true),
            (argo("{commonAnnotations: {a: b}}"), true),
            (argo("{images: [a]}"), false),
            (argo("{patches: [{target: {kind: Service}, patch: x}]}"), false),
        ] {
            let value = read(&text);
            let kind = text.split(['\n', ' ']).nth(1).unwrap_or_default();
            let found = patched(&value, kind);
            let means = |(folder, targets): &(String, Vec<PatchTarget>)| {
                folder == "apps/dev" && targets.iter().any(|it| it.may_mean(pool))
            };
            assert_eq!(found.iter().any(means), changes, "{text}");
        }
    }
}
