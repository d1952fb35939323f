//! Kubernetes objects of charts that were rendered, placed at the templates they come from.
//!
//! Where a rendered line was written is not known, so a whole object has one place: the line in
//! its template that is certainly its own, else the template's beginning.

use std::{collections::HashMap, sync::Arc};

use memchr::memmem;

use crate::{
    resolve::{
        gitops,
        kubernetes::{self, Object, part::Part},
    },
    source::{FileId, Files, SourceFile, Span, join},
    syntax::yaml,
    value::{Entry, Kind, List, Map, Text, TextSource, Value},
};

/// A printed object and, of a dependency, the chart that it is from.
pub(in crate::resolve) type Printed = (Object, Option<Arc<Part>>);

/// A chart that was rendered.
#[derive(Clone, Copy)]
pub(in crate::resolve) struct PrintedChart<'a> {
    /// The chart's folder.
    pub folder: &'a str,
    /// Its name, which opens each source that Helm names.
    pub name: &'a str,
    /// Whether a file is read as it is, which gives better places.
    pub is_read: &'a dyn Fn(FileId) -> bool,
    /// From which dependency a template is, by the name that Helm gives it.
    pub part: &'a dyn Fn(&str) -> Option<Part>,
}

/// The objects of a rendered chart. Left out are those of files that are read as they are, and of files that are
/// neither in the repository nor in an archive of it.
#[must_use]
pub(in crate::resolve) fn printed(files: &Files, chart: PrintedChart, text: &str) -> Vec<Printed> {
    let mut templates = Templates { files, chart, landmarks: HashMap::new() };
    let (of_tools, mut plain): (Vec<Printed>, Vec<Printed>) =
        templates.objects(text).into_iter().partition(|it| gitops::is_of_interest(&it.0));
    plain.extend(apart(of_tools));
    plain
}

/// The objects that have a place of their own: objects of one place count as installed together.
fn apart(objects: Vec<Printed>) -> Vec<Printed> {
    let mut times: HashMap<Span, usize> = HashMap::new();
    for (object, _) in &objects {
        *times.entry(object.report_span()).or_default() += 1;
    }
    objects.into_iter().filter(|it| times.get(&it.0.report_span()) == Some(&1)).collect()
}

struct Templates<'a> {
    files: &'a Files,
    chart: PrintedChart<'a>,
    landmarks: HashMap<FileId, Landmarks<'a>>,
}

impl<'a> Templates<'a> {
    fn objects(&mut self, text: &str) -> Vec<Printed> {
        let chart = self.chart;
        let mut found = Vec::new();
        let (mut file, mut part) = (None, None);
        for document in documents(text) {
            // A file of CRDs is printed as it is: only its first document is headed by its source.
            if let Some(source) = source(document, chart.name) {
                file = join(chart.folder, source).and_then(|it| self.files.find(&it));
                let name = format!("{}/{source}", chart.name);
                part = (chart.part)(&name).map(Arc::new);
            }
            if file.is_some_and(chart.is_read) {
                continue;
            }
            // What is fetched is not edited here: its values are.
            let elsewhere = part.as_ref().and_then(|it| it.place);
            let Some(start) = elsewhere.or(file.map(|it| Span::new(it, 0, 0))) else { continue };
            for value in yaml::parse_literal(&Text::computed(document), start).values {
                let outer = value.get("kind").present().and_then(Value::as_str);
                let objects = kubernetes::objects(&value).into_iter().filter(|it| !is_test(it));
                for object in objects {
                    let place = elsewhere.unwrap_or_else(|| {
                        self.place(start.file, &object, outer == Some(&*object.kind))
                    });
                    let value = placed(&object.value, place);
                    found.push((Object { value, ..object }, part.clone()));
                }
            }
        }
        found
    }

    fn place(&mut self, id: FileId, object: &Object, alone: bool) -> Span {
        let file: &'a SourceFile = self.files.get(id);
        let landmarks = self.landmarks.entry(id).or_insert_with(|| Landmarks::of(file, id));
        landmarks.place(object, alone)
    }
}

/// The documents of a stream, each from its `---` line to the next.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let is_break = move |at: &usize| {
        let after = text.as_bytes().get(at + 3);
        after.is_none_or(u8::is_ascii_whitespace)
    };
    let breaks = memmem::find_iter(text.as_bytes(), "\n---").map(|at| at + 1).filter(is_break);
    let ends = breaks.chain(std::iter::once(text.len()));
    ends.scan(0, |start, end| text.get(std::mem::replace(start, end)..end))
}

/// The file inside the chart that a document comes from, as Helm heads it.
fn source<'a>(document: &'a str, chart: &str) -> Option<&'a str> {
    let mut lines = document.lines().skip_while(|it| it.trim_end() == "---" || it.is_empty());
    let path = lines.next()?.strip_prefix("# Source: ")?;
    path.trim_end().strip_prefix(chart)?.strip_prefix('/')
}

/// Whether an object is applied only by `helm test`.
fn is_test(object: &Object) -> bool {
    let annotations = object.value.get("metadata").get("annotations");
    let hooks = annotations.get("helm.sh/hook").present().and_then(Value::as_str);
    hooks.is_some_and(|it| it.split(',').any(|it| it.trim().starts_with("test")))
}

/// The same value with everything at one place.
fn placed(value: &Value, place: Span) -> Value {
    let kind = match &value.kind {
        Kind::String(text) => Kind::String(Text { layout: TextSource::Nowhere, ..text.clone() }),
        Kind::List(list) => {
            let items = list.items.iter().map(|it| placed(it, place)).collect();
            Kind::List(Arc::new(List { items, rest: list.rest.clone(), is_set: false }))
        }
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry {
                key: it.key.clone(),
                key_span: place,
                value: placed(&it.value, place),
            };
            let entries = map.entries.iter().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        other => other.clone(),
    };
    Value::new(kind, place)
}

/// A line that certainly belongs to one object, unless another is equal.
#[derive(Clone, Copy, Debug)]
struct Landmark {
    span: Span,
    times: usize,
}

/// The lines of a template by which objects are distinguished.
#[derive(Debug)]
struct Landmarks<'a> {
    /// `kind: X` anywhere.
    kinds: HashMap<&'a str, Landmark>,
    /// `kind: X` at the beginning of a line: the kind of an object, not of what it refers to.
    outer_kinds: HashMap<&'a str, Landmark>,
    /// `name: x` in an object's `metadata`.
    names: HashMap<&'a str, Landmark>,
    /// The first line that is not blank or a comment.
    start: Span,
}

impl<'a> Landmarks<'a> {
    fn of(file: &'a SourceFile, id: FileId) -> Self {
        let text = file.text();
        let mut found = Self {
            kinds: HashMap::new(),
            outer_kinds: HashMap::new(),
            names: HashMap::new(),
            start: Span::new(id, 0, text.len()),
        };
        let mut begun = false;
        let mut metadata = Metadata::Outside;
        let mut in_comment = false;
        for number in 0..file.line_count() {
            let range = file.line_range(number);
            let line = file.text().get(range.clone()).unwrap_or_default();
            let content = line.trim().trim_start_matches('\u{feff}');
            let comment = in_comment || opens_comment(content);
            in_comment = comment && !content.contains("*/");
            if content.is_empty() || content.starts_with('#') || comment {
                continue;
            }
            let at = range.start + line.find(content).unwrap_or_default();
            let span = Span::new(id, at, at + content.len());
            if !begun {
                found.start = span;
                begun = true;
            }
            let indent = line.len() - line.trim_start().len();
            if let Some(kind) = literal(content, "kind:") {
                count(&mut found.kinds, kind, span);
                if indent == 0 {
                    count(&mut found.outer_kinds, kind, span);
                }
            }
            metadata = metadata.after(content, indent);
            if let Some(name) =
                literal(content, "name:").filter(|_| metadata == Metadata::At(indent))
            {
                count(&mut found.names, name, span);
            }
        }
        found
    }

    /// The most exact place that is certainly the object's. What is `alone` in its document is not
    /// indented; the items of a list are.
    fn place(&self, object: &Object, alone: bool) -> Span {
        let kinds = if alone { &self.outer_kinds } else { &self.kinds };
        let only = |it: &&Landmark| it.times == 1;
        let kind = kinds.get(&*object.kind).filter(only);
        let name = object.anchor_text().and_then(|it| self.names.get(it)).filter(only);
        kind.or(name).map_or(self.start, |it| it.span)
    }
}

fn count<'a>(landmarks: &mut HashMap<&'a str, Landmark>, word: &'a str, span: Span) {
    landmarks.entry(word).and_modify(|it| it.times += 1).or_insert(Landmark { span, times: 1 });
}

/// Whether a line begins a comment of Helm's template language.
fn opens_comment(line: &str) -> bool {
    let Some(inside) = line.strip_prefix("{{") else { return false };
    inside.strip_prefix('-').unwrap_or(inside).trim_start().starts_with("/*")
}

/// What a line gives a key, if it is literal.
fn literal<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let value = line.strip_prefix("- ").unwrap_or(line).trim_start().strip_prefix(key)?;
    let value = value.starts_with(' ').then_some(value)?;
    let value = value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']);
    (!value.is_empty() && !value.contains("{{")).then_some(value)
}

/// Where a line is relative to the `metadata` of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Metadata {
    Outside,
    /// Just opened, at that indentation.
    Open(usize),
    /// Inside, on the level with that indentation.
    At(usize),
}

impl Metadata {
    fn after(self, line: &str, indent: usize) -> Self {
        match self {
            _ if line.starts_with("{{") => self,
            _ if line == "metadata:" && indent == 0 => Self::Open(indent),
            Self::Open(outer) if indent > outer => Self::At(indent),
            Self::At(_) if indent > 0 => self,
            _ => Self::Outside,
        }
    }
}

#[cfg(test)]
mod tests;
