//! Builds a kustomization: what it lists, what it generates, its components, then its changes in the
//! order kustomize makes them.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::Severity,
    resolve::{
        kubernetes,
        kustomize::{
            accumulated::Accumulated,
            generate,
            layout::{COPY, EntryTarget, Kustomization, KustomizeProject},
            patch, plugin, replace,
            resource::Resource,
            substitution, transform,
        },
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{self, Kind, Value},
};

/// How deep kustomizations may nest.
const MAX_DEPTH: usize = 64;
/// Builds kustomizations, each at most once.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    /// The files.
    pub layout: KustomizeProject<'a>,
    built: HashMap<Arc<str>, Arc<Accumulated>>,
    open: Vec<Arc<str>>,
}

impl<'a> Builder<'a> {
    /// A builder over a project.
    #[must_use]
    pub(super) fn new(layout: KustomizeProject<'a>) -> Self {
        Self { layout, built: HashMap::new(), open: Vec::new() }
    }

    /// What a folder's kustomization makes.
    pub(super) fn build(&mut self, folder: &Arc<str>) -> Arc<Accumulated> {
        if let Some(built) = self.built.get(folder) {
            return built.clone();
        }
        let start = Accumulated::default();
        let mut built = self.kustomization(folder, start);
        built.resources.forget_names();
        let built = Arc::new(built);
        self.built.insert(folder.clone(), built.clone());
        built
    }

    /// The same of a folder that no other uses, which is not kept.
    pub(super) fn build_alone(&mut self, folder: &Arc<str>) -> Accumulated {
        self.kustomization(folder, Accumulated::default())
    }

    fn kustomization(&mut self, folder: &Arc<str>, mut made: Accumulated) -> Accumulated {
        let Some(it) = self.layout.kustomizations.get(folder).cloned() else { return made };
        if self.open.contains(folder) {
            made.refuse(it.value.span, "this kustomization contains itself");
            return made;
        }
        let outer = self.layout.current.replace(it.file);
        if self.open.len() >= MAX_DEPTH || !self.layout.may(made.resources.len() + 1) {
            made.open = true;
            self.layout.current = outer;
            return made;
        }
        self.open.push(folder.clone());
        made.open |= !it.whole;
        check(&it, &mut made);
        self.resources(&it, &mut made);
        for missing in made.config.read(&it, &mut self.layout) {
            made.missing(&mut self.layout, missing, "no such file in this repository");
        }
        generate::generate(&it, &mut self.layout, &mut made);
        plugin::charts(&it, &mut self.layout, &mut made);
        let generators = self.plugins(&it, "generators", &mut made);
        plugin::generate(&it, &generators, &mut made);
        self.components(&it, &mut made);
        self.change(&it, &mut made);
        substitution::collect(&it, &mut made);
        self.layout.current = outer;
        self.open.pop();
        made
    }

    fn change(&mut self, it: &Kustomization, made: &mut Accumulated) {
        let layout = &mut self.layout;
        patch::strategic(it, layout, made);
        patch::patches(it, layout, made);
        transform::names_and_labels(it, made);
        patch::json(it, layout, made);
        transform::replicas_and_images(it, layout, made);
        replace::replacements(it, layout, made);
        let transformers = self.plugins(it, "transformers", made);
        plugin::transform(it, &transformers, &mut self.layout, made);
        // Validators change nothing.
        self.plugins(it, "validators", made);
    }

    /// The configurations of plugins that a field lists: each a file, a folder's build, or the text itself.
    fn plugins(&mut self, it: &Kustomization, field: &str, made: &mut Accumulated) -> Vec<Value> {
        let entries = it.list(field).iter();
        entries.flat_map(|entry| self.plugin(it, entry, made)).collect()
    }

    fn plugin(&mut self, it: &Kustomization, entry: &Value, made: &mut Accumulated) -> Vec<Value> {
        if let Kind::String(text) = &entry.kind
            && text.text.contains('\n')
        {
            return yaml::parse(text, entry.span).values;
        }
        match self.layout.entry(&it.folder, entry) {
            EntryTarget::File(file) => self.layout.documents(file).values.clone(),
            EntryTarget::Folder(folder) => {
                let built = self.build(&folder);
                built.resources.iter().map(|it| it.value.clone()).collect()
            }
            EntryTarget::Remote => {
                made.open = true;
                Vec::new()
            }
            EntryTarget::Missing(message) => {
                made.missing(&mut self.layout, entry.span, message);
                Vec::new()
            }
        }
    }

    fn resources(&mut self, it: &Kustomization, made: &mut Accumulated) {
        let entries: Vec<Value> =
            it.list("resources").iter().chain(it.list("bases")).cloned().collect();
        let unclosed = ["resources", "bases"].iter().any(|key| !is_closed(&it.value, key));
        (made.unseen, made.unseen_pdb) = (made.unseen | unclosed, made.unseen_pdb | unclosed);
        for entry in &entries {
            match self.layout.entry(&it.folder, entry) {
                EntryTarget::File(file) => {
                    let resources = self.file(file, made);
                    append(made, resources, entry.span);
                }
                EntryTarget::Folder(folder) => {
                    let inner = self.build(&folder);
                    // An object that was renamed often is long to copy.
                    let costs = inner.resources.iter().map(|it| 1 + 4 * it.previous.len());
                    if !self.layout.may(COPY * costs.sum::<usize>()) {
                        made.open = true;
                        return;
                    }
                    let inner = Arc::unwrap_or_clone(inner);
                    made.lacks_like(&inner);
                    made.charts.extend(inner.charts);
                    made.variables.extend(inner.variables);
                    made.config.merge(inner.config);
                    append(made, inner.resources, entry.span);
                }
                EntryTarget::Remote => made.remote(entry),
                EntryTarget::Missing(message) => {
                    made.missing_resource(&mut self.layout, entry, message);
                }
            }
        }
    }

    fn components(&mut self, it: &Kustomization, made: &mut Accumulated) {
        made.open |= !is_closed(&it.value, "components");
        for entry in it.list("components") {
            match self.layout.entry(&it.folder, entry) {
                EntryTarget::Folder(folder) => {
                    let so_far = std::mem::take(made);
                    *made = self.kustomization(&folder, so_far);
                }
                EntryTarget::Remote => made.open = true,
                EntryTarget::File(_) => made.refuse(entry.span, "a component is a folder"),
                EntryTarget::Missing(message) => {
                    made.missing(&mut self.layout, entry.span, message);
                }
            }
        }
    }

    /// The objects of a file.
    fn file(&mut self, file: FileId, made: &mut Accumulated) -> Vec<Resource> {
        let documents = self.layout.documents(file);
        let broken = documents.parse_errors.iter().any(|it| it.severity == Severity::Error);
        (made.unseen, made.unseen_pdb) = (made.unseen | broken, made.unseen_pdb | broken);
        let mut found = Vec::new();
        for document in &documents.values {
            let objects = kubernetes::objects(document);
            if objects.is_empty() {
                made.open |= document.is_unknown();
                let list = document.get("kind").present().and_then(Value::as_str);
                if list.is_none_or(|it| !it.ends_with("List")) {
                    made.refuse(document.span, "this is no Kubernetes object");
                }
            }
            found.extend(objects.into_iter().map(|it| Resource::new(it.value, file)));
        }
        found
    }
}

/// The fields of a kustomization.
const FIELDS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "openapi",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "vars",
    "sortOptions",
    "resources",
    "components",
    "crds",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "helmGlobals",
    "helmCharts",
    "helmChartInflationGenerator",
    "generatorOptions",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "buildMetadata",
];

/// Notes what kustomize refuses of a kustomization itself.
fn check(it: &Kustomization, made: &mut Accumulated) {
    let entries = it.value.entries();
    let unknown = entries.iter().find(|it| !FIELDS.contains(&&*it.key));
    if let Some(entry) = unknown {
        made.refuse(entry.key_span, format!("kustomize knows no field `{}`", entry.key));
    }
    let has_content = |it: &value::Entry| !matches!(&*it.key, "apiVersion" | "kind" | "metadata");
    if it.whole && !entries.iter().any(has_content) {
        made.refuse(it.value.span, "this kustomization is empty");
    }
}

/// Whether all items of a list are written.
fn is_closed(value: &Value, key: &str) -> bool {
    match value.get(key).present() {
        Some(list) => list.as_list().is_some_and(|it| it.rest.is_none()),
        None => !value.get(key).is_unknown(),
    }
}

/// Adds objects; of two with the same name the first stays.
fn append(made: &mut Accumulated, resources: impl IntoIterator<Item = Resource>, place: Span) {
    for resource in resources {
        let id = resource.id();
        let mut named = made.resources.candidates(Some(&id.name)).into_iter();
        if named.any(|at| made.resources.get(at).is_some_and(|it| it.id() == id)) {
            let message = format!("{} `{}` is there already", id.kind, id.name);
            made.refuse(place, message);
        } else {
            made.resources.push(resource);
        }
    }
}
