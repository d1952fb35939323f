//! The kustomizations of a project: where they are, what they list, and each file they list read once.

use std::sync::Arc;

use crate::{
    findings::Severity,
    hash::{HashMap, HashSet},
    resolve::{
        kubernetes::template::is_template,
        kustomize::edit::{self, list_mut, map_mut},
    },
    source::{FileId, Files, Span, account::Limit, join, parent},
    syntax::{
        Documents, ParseError, json,
        yaml::{self, Omission},
    },
    value::{self, Kind, Text, Value},
};

/// The names kustomize looks for.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The steps that may be taken for each kustomization a project has, besides those for any.
const MORE_STEPS: usize = 100;
/// The steps that copying an object takes.
pub(super) const COPY: usize = 20;

/// A kustomization file.
#[derive(Clone, Debug)]
pub struct Kustomization {
    /// Its folder.
    pub folder: Arc<str>,
    /// The file.
    pub file: FileId,
    /// Its content; an empty mapping when it cannot be read.
    pub value: Value,
    /// Whether all of it could be read.
    pub whole: bool,
}

impl Kustomization {
    /// The items of a field.
    #[must_use]
    pub fn list(&self, key: &str) -> &[Value] {
        self.value.get(key).present().map_or(&[], Value::items)
    }

    /// A field that is not empty.
    #[must_use]
    pub fn filled(&self, key: &str) -> Option<&Value> {
        let value = self.value.get(key).present()?;
        let empty = edit::text(value).is_some_and(|it| it.is_empty());
        (!empty).then_some(value)
    }

    /// Whether it is a component, which is nothing by itself.
    #[must_use]
    pub fn is_component(&self) -> bool {
        self.value.get("kind").present().and_then(Value::as_str) == Some("Component")
    }
}

/// What an entry of a kustomization means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EntryTarget {
    /// A file of this repository.
    File(FileId),
    /// A folder with a kustomization.
    Folder(Arc<str>),
    /// Something elsewhere.
    Remote,
    /// Nothing that can be found; what to report.
    Missing(&'static str),
}

/// The project as kustomize sees it.
#[derive(Debug)]
pub(super) struct KustomizeProject<'a> {
    files: &'a Files,
    /// The kustomizations by their folders.
    pub kustomizations: HashMap<Arc<str>, Arc<Kustomization>>,
    folders: HashSet<&'a str>,
    documents: HashMap<FileId, Arc<Documents>>,
    /// Every file a kustomization names.
    pub listed: HashSet<FileId>,
    /// Entries that lead nowhere, and texts inside kustomizations that could not be read.
    pub parse_errors: Vec<ParseError>,
    /// What kustomize cannot read of the kustomizations and of the files they name.
    pub unreadable: Vec<ParseError>,
    /// The files among them that some other tool fills in first.
    pub templates: Vec<FileId>,
    steps: usize,
    /// The kustomization that is being built.
    pub current: Option<FileId>,
    omission: Option<&'static Omission>,
    /// Whether something other than the documents that what is left out stands in names it.
    pub names_omitted: bool,
}

impl<'a> KustomizeProject<'a> {
    /// Finds and reads the kustomizations of a project. What is left out of files concerns no text inside others.
    #[must_use]
    pub(super) fn new(files: &'a Files, omission: Option<&'static Omission>) -> Self {
        let mut layout = Self {
            files,
            kustomizations: HashMap::default(),
            folders: HashSet::default(),
            documents: HashMap::default(),
            listed: HashSet::default(),
            parse_errors: Vec::new(),
            unreadable: Vec::new(),
            templates: Vec::new(),
            steps: 0,
            current: None,
            omission,
            names_omitted: false,
        };
        for (id, file) in files.iter() {
            let mut folder = file.folder();
            while layout.folders.insert(folder) && !folder.is_empty() {
                folder = parent(folder);
            }
            let name = file.name();
            if NAMES.contains(&name) {
                layout.read(id);
            }
        }
        layout
    }

    /// Counts steps: objects copied and patches tried. False when they are too many.
    pub(super) fn may(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        let more = self.kustomizations.len().saturating_mul(MORE_STEPS);
        let may = self.steps <= Limit::KustomizeSteps.most().saturating_add(more);
        if let Some(current) = self.current.filter(|_| !may) {
            self.files.account().reach(Limit::KustomizeSteps, Span::new(current, 0, 0));
        }
        may
    }

    fn read(&mut self, file: FileId) {
        let source = self.files.get(file);
        let text = source.text();
        self.names_omitted |= self.omission.is_some_and(|it| text.contains(it.key));
        let documents = yaml::parse_file(file, text);
        let whole = documents.parse_errors.iter().all(|it| it.severity != Severity::Error);
        let place = Span::new(file, 0, 0);
        let value = documents.values.first().cloned();
        let api = value.as_ref().and_then(|it| it.get("apiVersion").present()).and_then(edit::text);
        if api.is_some_and(|it| !it.starts_with("kustomize.config.k8s.io/")) {
            return;
        }
        let readable = value.filter(|it| it.as_map().is_some());
        let whole = whole && (readable.is_some() || documents.values.is_empty());
        self.parse_errors.extend(documents.parse_errors.iter().cloned());
        self.note_unreadable(file, &documents);
        let folder: Arc<str> = source.folder().into();
        let value = readable.unwrap_or_else(|| Value::map(Vec::new(), place));
        let read = Kustomization { folder: folder.clone(), file, value, whole };
        let earlier = self.kustomizations.insert(folder, Arc::new(read));
        if let Some(earlier) = earlier {
            let span = Span::new(file, 0, 0);
            self.complain(span, "a second kustomization in this folder, which kustomize refuses");
            let both = Kustomization { whole: false, ..Arc::unwrap_or_clone(earlier) };
            self.kustomizations.insert(both.folder.clone(), Arc::new(both));
        }
    }

    /// The documents of a text inside a kustomization.
    #[must_use]
    pub(super) fn inline(&self, text: &Text, whole: Span) -> Documents {
        let mut documents = yaml::parse(text, whole);
        as_kustomize_reads(&mut documents, |span| self.files.text(span));
        documents
    }

    /// The documents of a file, read when they are first asked for.
    pub(super) fn documents(&mut self, file: FileId) -> Arc<Documents> {
        let (files, omission) = (self.files, self.omission);
        let read = || {
            let source = files.get(file);
            let text = source.text();
            let whole = Span::new(file, 0, text.len());
            let written = Text::verbatim(source.shared_text(), whole);
            let mut documents = if ending(source.path()) == "json" {
                json::parse(&written, whole)
            } else {
                yaml::parse_some(&written, whole, |_| true, omission, None)
            };
            as_kustomize_reads(&mut documents, |span| files.text(span));
            Arc::new(documents)
        };
        if let Some(known) = self.documents.get(&file) {
            return Arc::clone(known);
        }
        let documents = read();
        let names = |it: &Omission| it.is_named_elsewhere(files.get(file).text());
        self.names_omitted |= omission.is_some_and(names);
        self.note_unreadable(file, &documents);
        self.documents.insert(file, Arc::clone(&documents));
        documents
    }

    /// Remembers what kustomize cannot read of a file, which its build fails of.
    fn note_unreadable(&mut self, file: FileId, documents: &Documents) {
        let text = self.files.get(file).text();
        if is_template(text, &documents.parse_errors) {
            self.templates.push(file);
        } else {
            let errors = documents.parse_errors.iter().cloned();
            self.unreadable.extend(errors.map(ParseError::for_kustomize));
        }
    }

    /// The text of a file a generator reads; `None` when it could not be read as it is on disk.
    #[must_use]
    pub(super) fn text(&self, file: FileId) -> Option<&'a str> {
        let source = self.files.get(file);
        (!source.is_transcoded()).then(|| source.text())
    }

    /// The file at a path relative to a folder, which counts as listed from now on.
    pub(super) fn file(&mut self, folder: &str, relative: &str) -> Option<FileId> {
        let id = self.files.find(&join(folder, relative)?)?;
        self.listed.insert(id);
        Some(id)
    }

    /// What an entry of `resources`, `bases` or `components` means.
    pub(super) fn entry(&mut self, folder: &str, entry: &Value) -> EntryTarget {
        let Some(path) = entry.as_str() else { return EntryTarget::Remote };
        if let Some(file) = self.file(folder, path) {
            return EntryTarget::File(file);
        }
        let target = if path.starts_with('/') { None } else { join(folder, path) };
        if let Some((key, _)) =
            target.as_deref().and_then(|it| self.kustomizations.get_key_value(it))
        {
            return EntryTarget::Folder(key.clone());
        }
        let is_folder = target.as_deref().is_some_and(|it| self.folders.contains(it));
        if is_folder {
            EntryTarget::Missing("this folder has no kustomization")
        } else if target.is_none() || is_remote(path) {
            EntryTarget::Remote
        } else {
            EntryTarget::Missing("no such file in this repository")
        }
    }

    /// Reports an entry that cannot be read.
    pub(super) fn complain(&mut self, span: Span, message: impl Into<String>) {
        let parse_errors = ParseError::new(span, message, Severity::Error);
        if !self.parse_errors.contains(&parse_errors) {
            self.parse_errors.push(parse_errors);
        }
    }
}

/// In objects and their patches kustomize takes `yes`, `on` and their like for text, unlike kubectl.
fn as_kustomize_reads<'a>(documents: &mut Documents, written: impl Fn(Span) -> &'a str) {
    let word = |value: &Value| {
        matches!(value.kind, Kind::Bool(_))
            && !written(value.span).starts_with(['t', 'T', 'f', 'F', '!', '*'])
    };
    let key = |entry: &value::Entry| {
        matches!(&*entry.key, "true" | "false")
            && written(entry.key_span).starts_with(['y', 'Y', 'n', 'N', 'o', 'O'])
    };
    if !documents.has_other_booleans {
        return;
    }
    for document in documents.values.iter_mut().filter(|it| it.as_list().is_none()) {
        if any(document, &word, &key) {
            as_text(document, &word, &key, &written);
        }
    }
}

type Is<'a, T> = &'a dyn Fn(&T) -> bool;

fn any(value: &Value, word: Is<Value>, key: Is<value::Entry>) -> bool {
    word(value)
        || value.items().iter().any(|it| any(it, word, key))
        || value.entries().iter().any(|it| key(it) || any(&it.value, word, key))
}

fn as_text<'a>(
    value: &mut Value,
    word: Is<Value>,
    key: Is<value::Entry>,
    written: &dyn Fn(Span) -> &'a str,
) {
    if word(value) {
        value.kind = Kind::String(Text::verbatim(written(value.span), value.span));
    } else if let Some(list) = list_mut(value) {
        list.items.iter_mut().for_each(|it| as_text(it, word, key, written));
    } else if let Some(map) = map_mut(value) {
        for entry in &mut map.entries {
            if key(entry) {
                entry.key = written(entry.key_span).into();
            }
            as_text(&mut entry.value, word, key, written);
        }
    }
}

/// Whether a path is the address of something elsewhere, as kustomize and git write them.
fn is_remote(path: &str) -> bool {
    let host = path.split('/').next().unwrap_or_default();
    path.contains("://")
        || path.contains("?ref=")
        || path.starts_with("git@")
        || path.starts_with("git::")
        || path.contains(".git")
        || matches!(ending(host), "com" | "org" | "io")
}

/// What follows the last dot of a name.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, it)| it)
}
