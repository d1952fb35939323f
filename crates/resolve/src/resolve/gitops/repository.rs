//! Looking things up in the repository: value files, local charts, folders.

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeSet,
    mem,
    sync::Arc,
};

use globset::{GlobBuilder, GlobSet};

use crate::{
    findings::Severity,
    glob,
    hash::HashMap,
    resolve::{
        gitops::{
            doubt::{agreed, cast},
            unknown::unknown,
        },
        helm,
    },
    source::{FileId, Files, Span, join, parent},
    syntax::{ParseError, json, yaml},
    value::{Entry, Field, HOLE_END, HOLE_START, Kind, Map, Symbol, Text, Value, cause::Cause},
};

/// More files than this for one path are as good as unknown.
const MAX_POSSIBLE: usize = 64;

/// The first document of a file.
#[derive(Debug, Default)]
pub struct FirstDocument {
    /// Its content; unknown when it could not be read, nothing when it is empty.
    pub value: Option<Value>,
    /// What could not be read.
    pub parse_errors: Vec<ParseError>,
}

/// The repository's files, each read once.
#[derive(Debug)]
pub struct Repository<'a> {
    /// All files.
    pub files: &'a Files,
    read: RefCell<HashMap<(FileId, bool), Arc<FirstDocument>>>,
    folders: OnceCell<BTreeSet<String>>,
    at_github: OnceCell<HashMap<String, NamedAtGithub>>,
}

/// What the files here name of a repository at GitHub.
#[derive(Debug, Default)]
pub(super) struct NamedAtGithub {
    /// The paths of its files.
    pub paths: BTreeSet<String>,
    /// Whether a document applies a folder of it that is here.
    pub applies_folder: bool,
    /// Whether a file of it is not here.
    pub lacks_file: bool,
}

impl<'a> Repository<'a> {
    /// A repository of which nothing was read yet.
    #[must_use]
    pub fn new(files: &'a Files) -> Self {
        Self {
            files,
            read: RefCell::default(),
            folders: OnceCell::new(),
            at_github: OnceCell::new(),
        }
    }

    /// What is named of a repository at GitHub, by its owner and name. All are collected at the first question.
    pub(super) fn named_at_github(
        &self,
        name: &str,
        collect: impl FnOnce() -> HashMap<String, NamedAtGithub>,
    ) -> Option<&NamedAtGithub> {
        self.at_github.get_or_init(collect).get(name)
    }

    /// The first document of a file. A file that is rendered before it is used is a template.
    #[must_use]
    pub fn document(&self, id: FileId, template: bool) -> Arc<FirstDocument> {
        if let Some(known) = self.read.borrow().get(&(id, template)) {
            return Arc::clone(known);
        }
        let read = Arc::new(self.read(id, template));
        self.read.borrow_mut().insert((id, template), Arc::clone(&read));
        read
    }

    fn read(&self, id: FileId, template: bool) -> FirstDocument {
        let file = self.files.get(id);
        let whole = Span::new(id, 0, file.text().len());
        let text = Text::verbatim(file.shared_text(), whole);
        let read = if extension(file.path()) == "json" {
            json::parse(&text, whole)
        } else if template {
            yaml::parse(&text, whole)
        } else {
            yaml::parse_literal(&text, whole)
        };
        let broken = read.parse_errors.iter().any(|it| it.severity == Severity::Error);
        let lost = template && !read.parse_errors.is_empty();
        let value = if broken || lost {
            Some(unknown_file(id, whole))
        } else {
            read.values.into_iter().next()
        };
        FirstDocument { value, parse_errors: if template { Vec::new() } else { read.parse_errors } }
    }

    /// The file at a path relative to a folder.
    #[must_use]
    pub fn file(&self, folder: &str, path: &str) -> Option<FileId> {
        self.files.find(&join(folder, path)?)
    }

    /// All that a file holds, as one text.
    #[must_use]
    pub(crate) fn text_of(&self, file: FileId) -> Value {
        let text = self.files.get(file).text();
        let span = Span::new(file, 0, text.len());
        Value::new(Kind::String(Text::verbatim(text, span)), span)
    }

    /// The files that a path with unknown parts, relative to the root, may mean; `None` when they are
    /// too many.
    #[must_use]
    pub fn possible_files(&self, path: &Text) -> Option<Vec<FileId>> {
        let mut pattern = String::new();
        let mut rest = &*path.text;
        while let Some((before, after)) = rest.split_once(HOLE_START) {
            pattern.push_str(&globset::escape(before));
            pattern.push('*');
            rest = after.split_once(HOLE_END)?.1;
        }
        pattern.push_str(&globset::escape(rest));
        let matcher = glob::matcher(&GlobBuilder::new(pattern.trim_start_matches('/')))?;
        let found = self.files.iter().filter(|(_, it)| matcher.is_match(it.path()));
        let found: Vec<FileId> = found.map(|(id, _)| id).take(MAX_POSSIBLE + 1).collect();
        (found.len() <= MAX_POSSIBLE).then_some(found)
    }

    /// The folder of the only chart at a path with unknown parts, relative to the root, whose last part is known.
    #[must_use]
    pub fn only_chart(&self, path: &Text) -> Option<String> {
        let name = path.text.trim_end_matches('/').rsplit('/').next()?;
        if name.is_empty() || name.contains([HOLE_START, HOLE_END]) {
            return None;
        }
        let file = format!("{}/Chart.yaml", path.text.trim_end_matches('/'));
        let found = self.possible_files(&Text { text: file.into(), ..path.clone() })?;
        let [only] = found.as_slice() else { return None };
        Some(self.files.get(*only).folder().to_owned())
    }

    /// The folder of the chart at a path relative to a folder.
    #[must_use]
    pub fn chart(&self, folder: &str, path: &str) -> Option<String> {
        let chart = join(folder, path)?;
        self.file(&chart, "Chart.yaml").map(|_| chart)
    }

    /// The other value files of a chart: `values-prod.yaml`, `prod.values.yaml`, `values/prod.yaml`.
    #[must_use]
    pub fn value_files_beside(&self, folder: &str) -> Vec<FileId> {
        let beside = |path: &str| {
            let name = match folder {
                "" => path,
                folder => path.strip_prefix(folder)?.strip_prefix('/')?,
            };
            let yaml = matches!(extension(name), "yaml" | "yml");
            let inside = name.strip_prefix("values/").unwrap_or(name);
            let values = name.contains("values") && !inside.contains('/');
            (yaml && values && name != "values.yaml" && !is_copy(inside)).then_some(())
        };
        let found = self.files.iter().filter(|(_, it)| beside(it.path()).is_some());
        found.map(|(id, _)| id).collect()
    }

    /// Every folder that holds a file, directly or below.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.all_folders().iter().map(String::as_str)
    }

    /// Whether a folder holds a file, directly or below.
    #[must_use]
    pub fn holds_folder(&self, path: &str) -> bool {
        self.all_folders().contains(path)
    }

    fn all_folders(&self) -> &BTreeSet<String> {
        self.folders.get_or_init(|| {
            let mut found: BTreeSet<String> = BTreeSet::new();
            for (_, file) in self.files.iter() {
                let mut folder = file.folder();
                while !folder.is_empty() && !found.contains(folder) {
                    found.insert(folder.to_owned());
                    folder = parent(folder);
                }
            }
            found
        })
    }
}

/// Whether a file of values is called a copy of those of upstream, kept to look things up.
fn is_copy(name: &str) -> bool {
    const WORDS: [&str; 7] =
        ["default", "defaults", "upstream", "original", "reference", "example", "sample"];
    name.split(['-', '_', '.']).any(|it| WORDS.contains(&it))
}

/// What a file's name ends with, without the dot.
#[must_use]
pub(crate) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, it)| it)
}

/// The matcher of a path pattern; `*` does not match `/`.
#[must_use]
pub(crate) fn glob(pattern: &str) -> Option<GlobSet> {
    let pattern = pattern.trim_start_matches("./").trim_matches('/');
    glob::matcher(GlobBuilder::new(pattern).literal_separator(true))
}

fn unknown_file(id: FileId, whole: Span) -> Value {
    Value::unknown(Symbol::new("file", id.0.to_string()), whole)
}

/// Documents of values in the order they count.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The documents.
    pub documents: Vec<Value>,
    /// What could not be read of them.
    pub parse_errors: Vec<ParseError>,
}

impl Gathered {
    /// Adds a file of values.
    pub(crate) fn file(&mut self, repository: &Repository<'_>, id: FileId, template: bool) {
        let document = repository.document(id, template);
        self.parse_errors.extend(document.parse_errors.iter().cloned());
        self.documents.extend(document.value.clone());
    }

    /// Adds the document that a text holds.
    pub(crate) fn text(&mut self, text: &Value) {
        let Kind::String(content) = &text.kind else { return self.unknown(text.span) };
        let read = yaml::parse(content, text.span);
        self.parse_errors.extend(read.parse_errors);
        self.documents.extend(read.values.into_iter().next());
    }

    /// Adds what holds whichever of some files is used, if any is.
    pub(crate) fn one_of(&mut self, repository: &Repository<'_>, files: &[FileId]) {
        let Some(first) = files.first() else { return };
        let place = Span::new(*first, 0, 0);
        let merged = helm::values(&mem::take(&mut self.documents), &[], place);
        self.parse_errors.extend(merged.parse_errors);
        let mut value = merged.value;
        for id in files {
            if let Some(over) = &repository.document(*id, false).value {
                value = cast(value, over);
            }
        }
        self.documents.push(value);
    }

    /// Adds what all of some files say of which one surely is used.
    pub(crate) fn surely_one_of(&mut self, repository: &Repository<'_>, files: &[FileId]) {
        let Some(first) = files.first() else { return };
        let merged = helm::values(&mem::take(&mut self.documents), &[], Span::new(*first, 0, 0));
        self.parse_errors.extend(merged.parse_errors);
        let over = |id: &FileId| match &repository.document(*id, false).value {
            Some(over) => helm::merge::merge(merged.value.clone(), over),
            None => merged.value.clone(),
        };
        let values: Vec<Value> = files.iter().map(over).collect();
        self.documents.extend(agreed(&values.iter().collect::<Vec<_>>()));
    }

    /// Adds a document of which nothing is known but the place that names it.
    pub(crate) fn unknown(&mut self, place: Span) {
        self.documents.push(unknown(place));
    }

    /// The same of a document that keeps secrets.
    pub(crate) fn secret(&mut self, place: Span) {
        let Value { kind, .. } = unknown(place);
        let secret = |symbol: Symbol| Kind::Unknown(symbol.because(Cause::Secret));
        let kind = if let Kind::Unknown(symbol) = kind { secret(symbol) } else { kind };
        self.documents.push(Value::new(kind, place));
    }

    /// Adds a file of values that is not in the repository: one with secrets, if its name says so.
    pub(crate) fn absent(&mut self, path: Option<&str>, place: Span) {
        match path {
            Some(path) if path.contains("secret") => self.secret(place),
            Some(path) if !path.contains("://") => self.documents.push(missing_file(path, place)),
            _ => self.unknown(place),
        }
    }
}

/// The content of a file that is named at a place and is not in the repository.
#[must_use]
pub(crate) fn missing_file(path: &str, place: Span) -> Value {
    let scope = format!("missing {}:{}", place.file.0, place.start);
    Value::unknown(Symbol::new(scope, path).because(Cause::MissingFile), place)
}

/// A mapping that may hold anything.
#[must_use]
pub(crate) fn anything(place: Span) -> Value {
    let rest = match unknown(place).kind {
        Kind::Unknown(symbol) => Some(symbol),
        _ => None,
    };
    Value::new(Kind::Map(Arc::new(Map { entries: Vec::new(), rest })), place)
}

/// What a field holds: nothing when it is not written, something unknown when that is not known.
#[must_use]
pub(crate) fn written(field: Field<'_>, place: Span) -> Option<Value> {
    match field {
        Field::Present(value) => Some(value.clone()),
        Field::Missing => None,
        Field::Unknown => Some(unknown(place)),
    }
}

/// A version as text: YAML takes an unquoted `1.10` for a number.
#[must_use]
pub(crate) fn version(files: &Files, field: Field<'_>, place: Span) -> Option<Value> {
    let value = written(field, place)?;
    match value.kind {
        Kind::Number(_) if value.origin.is_none() => {
            let text = Text::verbatim(files.text(value.span), value.span);
            Some(Value { kind: Kind::String(text), ..value })
        }
        _ => Some(value),
    }
}

/// The last part of a path or address, at its place: the chart's name.
#[must_use]
pub(crate) fn last_part(value: &Value) -> Value {
    let Kind::String(text) = &value.kind else { return value.clone() };
    let end = text.text.trim_end_matches('/').len();
    let whole = text.text.get(..end).unwrap_or(&text.text);
    // A tag may follow the name of an image-like address.
    let start = whole.rfind('/').map_or(0, |at| at + 1);
    // Which registry it is in may be unknown.
    if whole.get(start..).is_none_or(|it| it.contains([HOLE_START, HOLE_END])) {
        return value.clone();
    }
    part(value, text, start..end)
}

/// A part of a text as a value of its own.
#[must_use]
pub(crate) fn part(value: &Value, text: &Text, range: std::ops::Range<usize>) -> Value {
    let span = text.locate(range.start, range.end, value.span);
    let content = text.text.get(range.clone()).unwrap_or_default();
    let found = match text.layout {
        crate::value::TextSource::Verbatim(_) => Text::verbatim(content, span),
        _ => Text::computed(content),
    };
    let holes = if content.contains(HOLE_START) { text.holes.clone() } else { found.holes };
    let found = Text { holes, ..found };
    let kind = match found.only_hole() {
        Some(symbol) => Kind::Unknown(symbol.clone()),
        None => Kind::String(found),
    };
    Value { kind, span, name: value.name, origin: value.origin.clone() }
}

/// The entry of a mapping, if it is there.
#[must_use]
pub(crate) fn entry<'a>(value: &'a Value, key: &str) -> Option<&'a Entry> {
    value.as_map()?.entry(key)
}
