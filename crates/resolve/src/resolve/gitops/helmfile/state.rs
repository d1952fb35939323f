//! What a helmfile sets for all of its releases.

use std::collections::HashMap;

use crate::{
    resolve::{
        gitops::{
            helmfile::environment::{Environment, skips_missing},
            repository::{Repository, written},
        },
        helm::merge::merge,
    },
    source::{FileId, Span},
    value::{Field, Value},
};

/// What a helmfile has set so far.
#[derive(Debug)]
pub(super) struct State<'a> {
    /// The repository.
    pub repository: &'a Repository<'a>,
    /// The helmfile.
    pub file: FileId,
    /// Its folder.
    pub folder: &'a str,
    /// The environment it is read for; `None` where it has none.
    pub environment: Option<&'a Environment>,
    /// The addresses of repositories by the names they have here, each with its entry.
    pub repositories: HashMap<String, (Value, Value)>,
    /// What holds for all releases.
    pub defaults: Value,
    /// What releases may inherit, by name.
    pub templates: Value,
    /// The namespace of releases that name none.
    pub namespace: Option<Value>,
    /// Whether value files that are not there are passed over.
    pub skips_missing: bool,
}

impl<'a> State<'a> {
    /// Nothing is set yet.
    pub(super) fn new(
        repository: &'a Repository<'a>,
        file: FileId,
        environment: Option<&'a Environment>,
    ) -> Self {
        let nothing = Value::map(Vec::new(), Span::new(file, 0, 0));
        Self {
            repository,
            file,
            folder: repository.files.get(file).folder(),
            environment,
            repositories: HashMap::new(),
            defaults: nothing.clone(),
            templates: nothing,
            namespace: None,
            skips_missing: false,
        }
    }

    /// Takes in what holds for the releases of this document and those after it.
    pub(super) fn document(&mut self, document: &Value) {
        self.skips_missing |= skips_missing(document);
        for entry in document.get("repositories").present().map_or(&[][..], Value::items) {
            let name = entry.get("name").present().and_then(Value::as_str);
            if let (Some(name), Field::Present(url)) = (name, entry.get("url")) {
                self.repositories.insert(name.to_owned(), (url.clone(), entry.clone()));
            }
        }
        for (key, into) in
            [("helmDefaults", &mut self.defaults), ("templates", &mut self.templates)]
        {
            if let Some(value) = written(document.get(key), document.span) {
                *into = merge(into.clone(), &value);
            }
        }
        self.namespace =
            written(document.get("namespace"), document.span).or(self.namespace.take());
    }
}
