//! helmfile: releases listed in a file that is a template itself, and is rendered for each of its environments.

mod alike;
mod environment;
mod inherit;
mod release;
mod state;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    resolve::{
        gitops::{
            helmfile::{
                alike::{InEnvironment, of_all},
                environment::{Environment, names},
                state::State,
            },
            repository::{Repository, anything, extension, glob},
        },
        release::Release,
    },
    source::{FileId, Span, join},
    syntax::{ParseError, yaml},
    value::{Field, Text, Value},
};

/// More environments than this are taken for one that is unknown.
const MOST: usize = 24;
/// How deep helmfiles name each other.
const DEPTH: usize = 6;
/// How many files are read for a helmfile in one environment, or for it with its bases. Each may name itself.
const MOST_FILES: usize = 600;

/// Reads the helmfiles of a repository. They are known by their names: `helmfile.yaml`, with `.gotmpl`
/// or not, and what lies in a folder `helmfile.d`.
pub(super) fn read(
    repository: &Repository<'_>,
    releases: &mut Vec<Release>,
    parse_errors: &mut Vec<ParseError>,
) {
    let named = repository.files.iter().filter(|(_, file)| is_helmfile(file.path()));
    let named: Vec<FileId> = named.map(|(id, _)| id).collect();
    let mut reader = Reader { repository, seen: BTreeSet::new(), numbers: BTreeMap::new() };
    let declaring: Vec<FileId> = named
        .iter()
        .copied()
        .filter(|it| reader.declared(*it, &mut { MOST_FILES }).is_some())
        .collect();
    let inner: BTreeSet<FileId> = declaring.iter().flat_map(|it| reader.named_by(*it)).collect();
    let (roots, others): (Vec<FileId>, Vec<FileId>) =
        declaring.into_iter().partition(|it| !inner.contains(it));
    let mut open: Vec<FileId> = roots.into_iter().chain(others).chain(named).rev().collect();
    while let Some(file) = open.pop() {
        if reader.seen.insert(file) {
            parse_errors.extend(reader.parse_errors(file));
            match reader.declared(file, &mut { MOST_FILES }) {
                Some(environments) => {
                    releases.extend(reader.of_environments(file, &environments));
                }
                None => open.extend(reader.of_any(file, releases)),
            }
        }
    }
}

fn is_helmfile(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let name = name.strip_suffix(".gotmpl").unwrap_or(name);
    let yaml = matches!(extension(name), "yaml" | "yml");
    yaml && (name.starts_with("helmfile") || parts.next() == Some("helmfile.d"))
}

/// Reads helmfiles.
struct Reader<'a> {
    repository: &'a Repository<'a>,
    /// Those that were read.
    seen: BTreeSet<FileId>,
    /// The environments of all helmfiles, numbered: one of a name goes to one cluster.
    numbers: BTreeMap<String, u32>,
}

impl Reader<'_> {
    /// The environments of a helmfile, if it declares them and they are not too many.
    fn declared(&self, file: FileId, left: &mut usize) -> Option<Vec<Value>> {
        names(&self.documents(file, None, left)).filter(|it| it.len() <= MOST)
    }

    fn named_by(&self, file: FileId) -> Vec<FileId> {
        let documents = self.documents(file, None, &mut { MOST_FILES });
        documents.iter().flat_map(|it| self.others(file, it)).map(|it| it.0).collect()
    }

    /// What could not be read of a helmfile that is no template.
    fn parse_errors(&self, file: FileId) -> Vec<ParseError> {
        let text = self.repository.files.get(file).text();
        let whole = Span::new(file, 0, text.len());
        let documents = yaml::parse(&Text::verbatim(text, whole), whole);
        let lists = documents.values.iter().any(|it| !it.get("releases").is_missing());
        if lists && !text.contains("{{") { documents.parse_errors } else { Vec::new() }
    }

    /// The documents of a helmfile, each after its bases; as templates that are not rendered where it has no
    /// environment, or cannot be rendered for it.
    fn documents(
        &self,
        file: FileId,
        environment: Option<&Environment>,
        left: &mut usize,
    ) -> Vec<Value> {
        let mut found = Vec::new();
        if *left > 0 {
            self.add_documents(file, environment, (0, left), &mut found);
        }
        found
    }

    fn add_documents(
        &self,
        file: FileId,
        environment: Option<&Environment>,
        (depth, left): (usize, &mut usize),
        found: &mut Vec<Value>,
    ) {
        *left -= 1;
        let rendered = environment.and_then(|it| it.documents(self.repository, file, None));
        let documents = rendered.unwrap_or_else(|| {
            let text = self.repository.files.get(file).text();
            let whole = Span::new(file, 0, text.len());
            yaml::parse(&Text::verbatim(text, whole), whole).values
        });
        let folder = self.repository.files.get(file).folder();
        for document in documents {
            let bases = document.get("bases").present().map_or(&[][..], Value::items);
            for base in bases.iter().filter(|_| depth < DEPTH) {
                match base.as_str().and_then(|it| self.repository.file(folder, it)) {
                    Some(base) if *left > 0 => {
                        self.add_documents(base, environment, (depth + 1, left), found);
                    }
                    _ => found.push(anything(base.span)),
                }
            }
            found.push(document);
        }
    }

    /// The helmfiles that a document names, each with the values it gives them.
    fn others<'v>(&self, file: FileId, document: &'v Value) -> Vec<(FileId, Field<'v>)> {
        let folder = self.repository.files.get(file).folder();
        let mut found = Vec::new();
        for item in document.get("helmfiles").present().map_or(&[][..], Value::items) {
            let path = item.as_str().or_else(|| item.get("path").present()?.as_str());
            let Some(path) = path.and_then(|it| join(folder, it)) else { continue };
            let Some(pattern) = glob(&path) else { continue };
            let named = self.repository.files.iter().filter(|(_, file)| {
                pattern.is_match(file.path())
                    || file.folder() == path && extension(file.path()) != "md"
            });
            found.extend(named.map(|(id, _)| (id, item.get("values"))));
        }
        found
    }

    /// The releases of a helmfile without environments, and the helmfiles that it names.
    fn of_any(&self, file: FileId, releases: &mut Vec<Release>) -> Vec<FileId> {
        let mut state = State::new(self.repository, file, None);
        let mut others = Vec::new();
        for document in self.documents(file, None, &mut { MOST_FILES }) {
            state.document(&document);
            releases.extend(state.releases(&document));
            others.extend(self.others(file, &document).into_iter().map(|it| it.0));
        }
        others
    }

    /// The releases of a helmfile in each of its environments; one that is alike in all only once.
    fn of_environments(&mut self, file: FileId, names: &[Value]) -> Vec<Release> {
        let mut found = Vec::new();
        for name in names {
            let title = name.as_str().unwrap_or_default();
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            let number = *self.numbers.entry(title.to_owned()).or_insert(next);
            let mut releases = Vec::new();
            let mut left = MOST_FILES;
            let environment = self.declared_in(file, &Environment::named(name), &mut left);
            if let Some(environment) = environment {
                self.walk(file, &environment, (0, &mut left), &mut releases);
            }
            found.push(InEnvironment { name: title.into(), number, releases });
        }
        of_all(found)
    }

    /// An environment as a helmfile declares it; `None` where it declares others only.
    fn declared_in(
        &self,
        file: FileId,
        around: &Environment,
        left: &mut usize,
    ) -> Option<Environment> {
        let declared = self.declared(file, left);
        if declared.is_none() {
            return Some(around.clone());
        }
        if declared.iter().flatten().all(|it| !around.has_name(it)) {
            return None;
        }
        let folder = self.repository.files.get(file).folder();
        let documents = self.documents(file, Some(&Environment::named(&around.name)), left);
        Some(around.with_values_of(self.repository, folder, &documents))
    }

    /// Adds the releases of a helmfile in an environment, and of those that it names.
    fn walk(
        &mut self,
        file: FileId,
        environment: &Environment,
        (depth, left): (usize, &mut usize),
        found: &mut Vec<Release>,
    ) {
        self.seen.insert(file);
        let repository = self.repository;
        let folder = repository.files.get(file).folder();
        let documents = self.documents(file, Some(environment), left);
        let mut state = State::new(repository, file, Some(environment));
        for document in &documents {
            state.document(document);
            found.extend(state.releases(document));
            for (other, values) in self.others(file, document) {
                if depth >= DEPTH || *left == 0 {
                    break;
                }
                if let Some(inner) = self.declared_in(other, environment, left) {
                    let inner = inner.over(repository, folder, values, false);
                    self.walk(other, &inner, (depth + 1, left), found);
                }
            }
        }
    }
}
