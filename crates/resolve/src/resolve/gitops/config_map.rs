//! The `ConfigMaps` that releases take values from: manifests, and what kustomize generates.

use std::collections::HashSet;

use memchr::memmem;

use crate::{
    resolve::{gitops::repository::Repository, kubernetes},
    source::{FileId, SourceFile, Span, is_below, join, parent, words::Words},
    syntax::yaml,
    value::{Text, Value},
};

/// What a key of a `ConfigMap` holds.
#[derive(Clone, Debug)]
pub(super) enum KeyContent {
    /// Text in a manifest.
    Text(Value),
    /// A file.
    File(FileId),
}

/// The `ConfigMaps` that are looked up.
#[derive(Debug, Default)]
pub(super) struct ConfigMaps {
    all: Vec<ConfigMap>,
    /// Names in files that are no manifests.
    named_elsewhere: HashSet<String>,
}

#[derive(Debug)]
struct ConfigMap {
    name: String,
    folder: String,
    content: Vec<(String, KeyContent)>,
    /// Whether all keys and their content are known.
    whole: bool,
}

impl ConfigMaps {
    /// Finds the `ConfigMaps` of some names among files.
    #[must_use]
    pub(super) fn find(repository: &Repository<'_>, files: &[FileId], names: &[&str]) -> Self {
        let mut maps = Self::default();
        let names: Vec<&str> = names.iter().flat_map(|it| [*it, without_hash(it)]).collect();
        let wanted = Words::new(&names);
        if names.is_empty() {
            return maps;
        }
        for id in files {
            let has =
                |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
            let worth = |text: &str| {
                (has(text, "ConfigMap") || has(text, "configMapGenerator")) && wanted.any_in(text)
            };
            let file = repository.files.get(*id);
            let Some(text) = file.text_if(worth) else { continue };
            let whole = Span::new(*id, 0, text.len());
            let documents = yaml::parse(&Text::verbatim(text, whole), whole);
            for document in &documents.values {
                let objects = kubernetes::objects(document);
                let manifests = objects.iter().filter(|it| &*it.kind == "ConfigMap");
                maps.all.extend(manifests.filter_map(|it| manifest(&it.value, file.folder())));
                let generators = document.get("configMapGenerator").present();
                for generator in generators.map_or(&[][..], Value::items) {
                    maps.all.extend(generated(repository, generator, file.folder()));
                }
            }
        }
        maps.all.retain(|it| names.contains(&&*it.name));
        maps
    }

    /// What a key of the `ConfigMap` nearest to a folder holds; `None` when that is not clear.
    #[must_use]
    pub(super) fn content(&self, name: &str, key: &str, folder: &str) -> Option<&KeyContent> {
        let mut around = Some(folder);
        while let Some(folder) = around {
            let named = |it: &ConfigMap| it.name == name || it.name == without_hash(name);
            let below = |it: &&ConfigMap| named(it) && is_below(&it.folder, folder);
            let mut found = self.all.iter().filter(below);
            if let Some(only) = found.next() {
                let content = only.content.iter().find(|(it, _)| it == key).map(|(_, it)| it);
                return content.filter(|_| only.whole && found.next().is_none());
            }
            around = (!folder.is_empty()).then(|| parent(folder));
        }
        None
    }

    /// Notes which names files have that are no manifests: a script or Terraform may make those `ConfigMaps`.
    #[must_use]
    pub(super) fn and_others(mut self, repository: &Repository<'_>, names: &[&str]) -> Self {
        let mut open: Vec<&str> = names.iter().map(|it| without_hash(it)).collect();
        let is_code = |it: &&SourceFile| !matches!(it.ending(), "yaml" | "yml" | "md" | "txt");
        for file in repository.files.iter().map(|it| it.1).filter(is_code) {
            if open.is_empty() {
                break;
            }
            let has = |text: &str, it: &str| memmem::find(text.as_bytes(), it.as_bytes()).is_some();
            let found: Vec<&str> =
                file.skim(|text| open.extract_if(.., |it| has(text, it)).collect());
            self.named_elsewhere.extend(found.into_iter().map(str::to_owned));
        }
        self
    }

    /// Whether the repository may make a `ConfigMap` of that name.
    #[must_use]
    pub(super) fn may_hold(&self, name: &str) -> bool {
        let bare = without_hash(name);
        self.all.iter().any(|it| it.name == name || it.name == bare)
            || self.named_elsewhere.contains(bare)
    }
}

/// Whether values come from a `ConfigMap` that need not be there.
pub(super) fn is_optional(reference: &Value) -> bool {
    let optional = reference.get("optional").present().and_then(Value::as_bool);
    let kind = reference.get("kind").present().and_then(Value::as_str);
    optional == Some(true) && kind == Some("ConfigMap")
}

/// A name without the hash that kustomize puts behind the names of what it generates. A configuration of its
/// own makes it do so in the references of releases, too.
fn without_hash(name: &str) -> &str {
    let is_hash = |it: &str| {
        it.len() == 10 && it.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    name.rsplit_once('-').filter(|(_, it)| is_hash(it)).map_or(name, |(before, _)| before)
}

fn manifest(value: &Value, folder: &str) -> Option<ConfigMap> {
    let name = value.at("metadata.name").present()?.as_str()?;
    let data = value.get("data").present()?;
    let content = data.entries().iter();
    Some(ConfigMap {
        name: name.to_owned(),
        folder: folder.to_owned(),
        content: content
            .map(|it| (it.key.to_string(), KeyContent::Text(it.value.clone())))
            .collect(),
        whole: data.as_map().is_some_and(|it| it.rest.is_none()),
    })
}

/// What a generator of a kustomization makes of files and literals.
fn generated(repository: &Repository<'_>, generator: &Value, folder: &str) -> Option<ConfigMap> {
    let name = generator.get("name").present()?.as_str()?;
    let mut whole = generator.get("behavior").is_missing() && generator.get("envs").is_missing();
    let mut content = Vec::new();
    for item in generator.get("files").present().map_or(&[][..], Value::items) {
        let Some(text) = item.as_str() else {
            whole = false;
            continue;
        };
        let file_name = text.rsplit('/').next().unwrap_or(text);
        let (key, path) = text.split_once('=').unwrap_or((file_name, text));
        match join(folder, path).and_then(|it| repository.files.find(&it)) {
            Some(id) => content.push((key.to_owned(), KeyContent::File(id))),
            None => whole = false,
        }
    }
    for item in generator.get("literals").present().map_or(&[][..], Value::items) {
        match item.as_str().and_then(|it| it.split_once('=')) {
            Some((key, text)) => {
                let value = Value::computed(text, item.span);
                content.push((key.to_owned(), KeyContent::Text(value)));
            }
            None => whole = false,
        }
    }
    Some(ConfigMap { name: name.to_owned(), folder: folder.to_owned(), content, whole })
}
