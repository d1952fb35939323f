//! kustomize: what each kustomization of a project builds, as `kubectl kustomize` builds it, with every
//! field at the place where it was really written - base, patch or kustomization.

mod accumulated;
mod builder;
pub(crate) mod chart;
mod config;
mod defaults;
pub mod edit;
mod field;
mod generate;
mod hash;
mod image;
mod json_patch;
mod layout;
mod merge;
mod names;
mod patch;
mod plugin;
mod references;
mod replace;
mod resource;
mod resources;
mod schema;
pub(super) mod select;
mod substitution;
mod transform;
mod variable;

use std::{
    collections::{BTreeMap, BTreeSet},
    mem::take,
    sync::Arc,
};

use crate::{
    hash::HashSet,
    resolve::{
        kubernetes::{Object, SCHEMAS},
        kustomize::{
            accumulated::Accumulated,
            builder::Builder,
            chart::ChartEntry,
            edit::text_at,
            layout::{EntryTarget, KustomizeProject},
            resource::Resource,
        },
    },
    source::{FileId, Files, join},
    syntax::ParseError,
    value::Value,
};

/// All kustomizations of a project, built.
#[derive(Clone, Debug, Default)]
pub struct Kustomize {
    /// What the roots build, in the order of their folders.
    pub builds: Vec<Build>,
    /// The folders that hold a kustomization, root or not.
    pub folders: BTreeSet<Arc<str>>,
    /// What each of them lists, and who uses it, by its folder.
    pub listings: BTreeMap<Arc<str>, Listing>,
    /// Files that some kustomization names as a resource, a patch or the input of a generator.
    pub listed: HashSet<FileId>,
    /// Entries that lead nowhere, and what of the kustomizations could not be read.
    pub parse_errors: Vec<ParseError>,
    /// What kustomize cannot read of the kustomizations and of the files they name, so that their builds fail.
    pub unreadable: Vec<ParseError>,
    /// The files among them that some other tool fills in first.
    pub templates: Vec<FileId>,
}

/// What a root builds: a kustomization that no other uses as a resource, base or component.
#[derive(Clone, Debug)]
pub struct Build {
    /// The kustomization's folder.
    pub folder: Arc<str>,
    /// The kustomization.
    pub file: FileId,
    /// The objects, in no particular order.
    pub objects: Vec<BuiltObject>,
    /// Whether these are all objects and all that happens to them: false when something remote, a Helm
    /// chart or a plugin may add or change some, and when part of it could not be read or applied.
    pub complete: bool,
    /// Whether this is all that happens to the objects, although there may be others.
    pub unchanged: bool,
    /// Whether a PDB for them may be among the objects that are not seen.
    pub unseen_pdb: bool,
    /// The Helm charts that are rendered.
    pub charts: Vec<ChartEntry>,
    /// What kustomize itself would refuse, so that nothing of this is applied.
    pub refused: Vec<ParseError>,
}

/// What a kustomization lists, and who uses it.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The kustomization.
    pub file: FileId,
    /// What it lists of this repository, as paths from its root.
    pub entries: Vec<String>,
    /// The folders of the kustomizations that list it.
    pub users: Vec<Arc<str>>,
}

/// An object of a build.
#[derive(Clone, Debug)]
pub struct BuiltObject {
    /// The object.
    pub object: Object,
    /// The file it was read from, then those whose patches changed it.
    pub source: Vec<FileId>,
    /// Whether a patch that is not known, or cannot be applied, may change it.
    pub in_doubt: bool,
}

/// Builds every root of a project.
#[must_use]
pub fn build(files: &Files) -> Kustomize {
    build_all(&mut Builder::new(KustomizeProject::new(files, None)))
}

/// Like [`build`], without the schemas of resource definitions, unless something may change them.
#[must_use]
pub fn build_without_schemas(files: &Files) -> Kustomize {
    let mut builder = Builder::new(KustomizeProject::new(files, Some(&SCHEMAS)));
    let built = build_all(&mut builder);
    if builder.layout.names_omitted { build(files) } else { built }
}

fn build_all(builder: &mut Builder<'_>) -> Kustomize {
    if builder.layout.kustomizations.is_empty() {
        return Kustomize {
            parse_errors: take(&mut builder.layout.parse_errors),
            unreadable: take(&mut builder.layout.unreadable),
            templates: take(&mut builder.layout.templates),
            ..Kustomize::default()
        };
    }
    let listings = listings(&mut builder.layout);
    let folders: BTreeSet<Arc<str>> = builder.layout.kustomizations.keys().cloned().collect();
    let mut builds = Vec::new();
    for folder in &folders {
        let Some(it) = builder.layout.kustomizations.get(folder).cloned() else { continue };
        let is_used = listings.get(folder).is_some_and(|it| !it.users.is_empty());
        if is_used || it.is_component() {
            // Also built when it is no root, so that what it lists is known.
            builder.build(folder);
        } else {
            builds.push(finish(builder.build_alone(folder), folder.clone(), it.file));
        }
    }
    Kustomize {
        builds,
        folders,
        listings,
        listed: take(&mut builder.layout.listed),
        parse_errors: take(&mut builder.layout.parse_errors),
        unreadable: take(&mut builder.layout.unreadable),
        templates: take(&mut builder.layout.templates),
    }
}

/// What each kustomization lists, and who uses it.
fn listings(layout: &mut KustomizeProject<'_>) -> BTreeMap<Arc<str>, Listing> {
    let all: Vec<_> = layout.kustomizations.values().cloned().collect();
    let empty = |file| Listing { file, entries: Vec::new(), users: Vec::new() };
    let mut listings: BTreeMap<Arc<str>, Listing> =
        all.iter().map(|it| (it.folder.clone(), empty(it.file))).collect();
    for it in &all {
        for key in ["resources", "bases", "components", "generators", "transformers", "validators"]
        {
            for entry in it.list(key) {
                if let EntryTarget::Folder(folder) = layout.entry(&it.folder, entry)
                    && let Some(used) = listings.get_mut(&folder)
                {
                    used.users.push(it.folder.clone());
                }
                let path = entry.as_str().and_then(|entry| join(&it.folder, entry));
                if let Some(own) = listings.get_mut(&it.folder) {
                    own.entries.extend(path);
                }
            }
        }
    }
    listings
}

/// What is done once at the end: hashes, references, variables.
fn finish(mut made: Accumulated, folder: Arc<str>, file: FileId) -> Build {
    hash::append(&mut made);
    names::follow(&mut made);
    substitution::resolve(&mut made);
    let in_doubt = made.resources.iter().any(|it| it.in_doubt);
    let kept = made.resources.into_iter().filter(|it| !is_local(it)).map(without_empty_annotations);
    Build {
        folder,
        file,
        objects: kept.map(built).collect(),
        complete: !made.open && !made.unseen && !in_doubt,
        unchanged: !made.open,
        unseen_pdb: made.unseen_pdb,
        charts: made.charts,
        refused: made.refused,
    }
}

/// Whether an object is meant for tools only and never applied.
fn is_local(resource: &Resource) -> bool {
    let annotations = resource.value.at("metadata.annotations");
    let local = annotations.get("config.kubernetes.io/local-config").present();
    local.and_then(edit::text).is_some_and(|it| &*it != "false")
}

/// kustomize drops annotations that are none.
fn without_empty_annotations(mut resource: Resource) -> Resource {
    let annotations = resource.value.at("metadata.annotations").present();
    let empty = annotations.and_then(Value::as_map);
    if empty.is_some_and(|it| it.entries.is_empty() && it.rest.is_none())
        && let Some(metadata) = edit::field_mut(&mut resource.value, "metadata")
    {
        edit::remove(metadata, "annotations");
    }
    resource
}

fn built(resource: Resource) -> BuiltObject {
    let api_version = text_at(&resource.value, "apiVersion").unwrap_or_default();
    let object = Object { api_version, kind: resource.kind(), value: resource.value };
    BuiltObject { object, source: resource.sources, in_doubt: resource.in_doubt }
}

#[cfg(test)]
mod tests;
