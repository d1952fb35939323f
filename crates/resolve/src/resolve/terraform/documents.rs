//! What the kubectl provider computes of files: the documents of `kubectl_file_documents` and
//! `kubectl_path_documents`, the names of `kubectl_filename_list`.

use std::sync::Arc;

use globset::GlobBuilder;

use crate::{
    glob,
    resolve::terraform::{evaluate::Evaluator, functions::string, scope::LexicalScope},
    source::{FileId, Span, file_name, join},
    syntax::{
        hcl::{Block, Expr, TemplatePart},
        yaml,
    },
    value::{Entry, Kind, List, Map, Symbol, Text, Value},
};

/// The attributes that a data source computes of files, or of its text.
pub(super) fn computed_attributes(kind: &str) -> &'static [&'static str] {
    match kind {
        "template_file" => &["rendered"],
        "kubectl_file_documents" | "kubectl_path_documents" => &["documents", "manifests"],
        "kubectl_filename_list" => &["matches", "basenames"],
        _ => &[],
    }
}

impl<'a> Evaluator<'a> {
    /// One of these attributes; `None` if it is not known at all.
    pub(super) fn computed_attribute(
        &self,
        scope: LexicalScope<'_, 'a>,
        (kind, block): (&str, &Block),
        name: &str,
    ) -> Option<Value> {
        if kind == "template_file" {
            return self.rendered(scope, block);
        }
        let documents = if kind == "kubectl_file_documents" {
            let content = self.value(scope, &block.body.attribute("content")?.value);
            documents_of(&content)?
        } else {
            let files = self.files_of(scope, &block.body.attribute("pattern")?.value)?;
            if kind == "kubectl_filename_list" {
                return Some(self.names_of(&files, name, block.header));
            }
            let read = |it: &FileId| self.documents_of_file(scope, block, *it);
            files.iter().flat_map(read).collect()
        };
        let unknown = documents.iter().find(|it| it.is_unknown());
        let rest = unknown
            .map(|_| Symbol::new(Arc::clone(&scope.instance.scope), format!("#{}", self.fresh())));
        let known: Vec<Value> = documents.iter().filter(|it| !it.is_unknown()).cloned().collect();
        Some(if name == "manifests" {
            keyed(known, rest, block.header)
        } else {
            let list = List { items: known, rest, is_set: false };
            Value::new(Kind::List(Arc::new(list)), block.header)
        })
    }

    /// The files that a pattern means, which starts in the folder where Terraform runs: in general that of
    /// the root. `None` if there are none in the project.
    fn files_of(&self, scope: LexicalScope<'_, 'a>, pattern: &Expr) -> Option<Vec<FileId>> {
        let pattern = self.value(scope, pattern);
        let pattern = pattern.as_str()?;
        let found = |folder: &str| {
            let pattern = join(folder, pattern)?;
            let glob = glob::matcher(GlobBuilder::new(&pattern).literal_separator(true))?;
            let matching = self.files.iter().filter(|(_, it)| glob.is_match(it.path()));
            let mut files: Vec<FileId> = matching.map(|it| it.0).collect();
            files.sort_by_key(|it| self.files.get(*it).path());
            (!files.is_empty()).then_some(files)
        };
        [&*self.folder, &*scope.instance.module.folder, ""].into_iter().find_map(found)
    }

    fn names_of(&self, files: &[FileId], attribute: &str, at: Span) -> Value {
        let name = |it: &FileId| {
            let path = self.files.get(*it).path();
            let own = path.strip_prefix(&*self.folder).map(|it| it.trim_start_matches('/'));
            let name = file_name(path);
            let text = if attribute == "basenames" { name } else { own.unwrap_or(path) };
            Value::computed(text, at)
        };
        Value::list(files.iter().map(name).collect(), at)
    }

    /// The documents of a file, which is a template unless that is switched off.
    fn documents_of_file(
        &self,
        scope: LexicalScope<'_, 'a>,
        block: &Block,
        file: FileId,
    ) -> Vec<Value> {
        let text = self.files.get(file).text();
        let whole = Span::new(file, 0, text.len());
        let written =
            |name: &str| block.body.attribute(name).map(|it| self.value(scope, &it.value));
        let plain = written("disable_template").is_some_and(|it| it.as_bool() == Some(true));
        let parts = self.template(file).filter(|_| !plain);
        let parts = parts.filter(|it| !it.iter().all(|it| matches!(it, TemplatePart::Literal(_))));
        let value = match (parts, block.body.attribute("pattern")) {
            (Some(parts), Some(pattern)) => {
                let nothing = || Value::map(Vec::new(), block.header);
                let variables = written("vars").unwrap_or_else(nothing);
                let value = self.with_variables(scope, &variables, &pattern.value, &|scope| {
                    self.template_value(scope, &parts, whole)
                });
                value.ok().filter(|it| !it.is_unknown())
            }
            _ => None,
        };
        let written = || Value::new(Kind::String(Text::verbatim(text, whole)), whole);
        documents_of(&value.unwrap_or_else(written)).unwrap_or_default()
    }
}

/// The documents of a text, each with its places; `None` if it is not known.
fn documents_of(value: &Value) -> Option<Vec<Value>> {
    let Kind::String(whole) = &value.kind else { return None };
    let text = &whole.text;
    let mut starts = vec![0];
    let mut ends = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            ends.push(at);
            starts.push(at + line.len());
        }
        at += line.len();
    }
    ends.push(text.len());
    let has_content =
        |it: &str| it.lines().any(|it| !it.trim().is_empty() && !it.trim_start().starts_with('#'));
    let ranges = starts.into_iter().zip(ends);
    let ranges = ranges.filter(|(start, end)| text.get(*start..*end).is_some_and(has_content));
    Some(ranges.map(|(start, end)| string::cut(value, whole, start, end)).collect())
}

/// Documents by the paths under which the API server has their objects.
fn keyed(documents: Vec<Value>, mut rest: Option<Symbol>, at: Span) -> Value {
    let mut entries = Vec::new();
    for document in documents {
        match path(&document) {
            Some(key) => {
                entries.push(Entry { key: key.into(), key_span: document.span, value: document });
            }
            None => {
                rest = rest
                    .or_else(|| Some(Symbol::new("file", format!("document {}", entries.len()))));
            }
        }
    }
    Value::new(Kind::Map(Arc::new(Map { entries, rest })), at)
}

fn path(document: &Value) -> Option<String> {
    let Kind::String(text) = &document.kind else { return None };
    let object = yaml::parse(text, document.span).values.into_iter().next()?;
    let known = |path: &str| object.at(path).present().and_then(Value::as_str).map(str::to_owned);
    let (api, kind, name) =
        (known("apiVersion")?, known("kind")?.to_lowercase(), known("metadata.name")?);
    let group = if api.contains('/') { "apis" } else { "api" };
    let namespace =
        known("metadata.namespace").map_or_else(String::new, |it| format!("/namespaces/{it}"));
    let plural = match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    };
    Some(format!("/{group}/{api}{namespace}/{plural}/{name}"))
}
