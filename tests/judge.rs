//! What a fix must do, judged without the code that proves fixes: its finding goes, and each value that it does not
//! speak of stays as it was.
//!
//! The tests of fixtures and the fuzz target share it.

use std::collections::BTreeMap;

use karplint::{
    findings::{Finding, edit::Edit},
    project::Project,
    resolve::terraform::{self, options::TerraformOptions},
    source::{FileId, Files, SourceFile, Span},
    syntax::{json, yaml},
    value::{Kind, Text, Value},
};

/// What a finding says, without its place.
pub(crate) type Said = (String, String);

/// What a finding of a project says: where, and what.
pub(crate) fn said(project: &Project, finding: &Finding) -> Said {
    let path = project.files.get(finding.span.file).path();
    (path.to_owned(), format!("{}: {}", finding.rule, finding.message))
}

/// How often something is said.
pub(crate) fn count<'a>(
    project: &Project,
    found: impl IntoIterator<Item = &'a Finding>,
    what: &Said,
) -> usize {
    found.into_iter().filter(|it| said(project, it) == *what).count()
}

/// A value that holds no other, and all the text that says where and what it is.
struct Leaf {
    /// By the keys that lead to it.
    path: String,
    text: String,
    spans: Vec<Span>,
}

/// What changed although no edit touches it.
pub(crate) fn unwanted(
    before: &[(String, String)],
    after: &[(String, String)],
    project: &Project,
    edits: &[Edit],
) -> Vec<String> {
    let mut wrong = Vec::new();
    for ((path, old), (_, new)) in before.iter().zip(after).filter(|(a, b)| a != b) {
        let mut edits: Vec<&Edit> =
            edits.iter().filter(|it| project.files.get(it.span.file).path() == path).collect();
        edits.sort_by_key(|it| (it.span.start, it.span.end));
        // Two fixes may share one, which is made once.
        edits.dedup();
        let cut: Vec<(usize, usize)> =
            edits.iter().map(|it| (it.span.start as usize, it.span.end as usize)).collect();
        let (mut added, mut removed) = (0, 0);
        let mut written = Vec::new();
        for edit in &edits {
            let start = edit.span.start as usize + added - removed;
            written.push((start, start + edit.text.len()));
            added += edit.text.len();
            removed += edit.span.range().len();
        }
        let (old, new) = (leaves(path, old), leaves(path, new));
        for (from, into, touched, verb) in
            [(&old, &new, &cut, "loses"), (&new, &old, &written, "brings")]
        {
            for (key, leaf) in from {
                let same = into.get(key).is_some_and(|it| it.text == leaf.text);
                let inside = |span: &Span| {
                    let (start, end) = (span.start as usize, span.end as usize);
                    touched.iter().any(|it| it.0 < end.max(start + 1) && start < it.1.max(it.0 + 1))
                };
                if !same && !leaf.spans.iter().any(inside) {
                    wrong.push(format!("{verb} {} = {}", leaf.path, leaf.text));
                }
            }
        }
    }
    wrong
}

/// The leaves of a file by their paths.
fn leaves(path: &str, text: &str) -> BTreeMap<String, Leaf> {
    let file = SourceFile::new(path, text);
    let files = Files::new(vec![file]);
    let whole = Span::new(FileId(0), 0, text.len());
    let written = Text::verbatim(text, whole);
    let mut found = Vec::new();
    match path.rsplit('.').next() {
        Some("yaml" | "yml") => {
            for (index, value) in yaml::parse(&written, whole).values.iter().enumerate() {
                flatten(value, &format!("{index}"), &[], &mut found);
            }
        }
        Some("json") if !path.ends_with(".tf.json") => {
            for value in &json::parse(&written, whole).values {
                flatten(value, "", &[], &mut found);
            }
        }
        _ => {
            let terraform = terraform::resolve(&files, &TerraformOptions::default());
            for object in terraform.roots.iter().flat_map(|it| &it.objects) {
                flatten(&object.body, &object.address, &[], &mut found);
            }
        }
    }
    found.into_iter().map(|it| (it.path.clone(), it)).collect()
}

fn flatten(value: &Value, path: &str, outer: &[Span], found: &mut Vec<Leaf>) {
    let spans: Vec<Span> = outer.iter().copied().chain([value.span]).collect();
    let leaf = |text: String| Leaf { path: path.to_owned(), text, spans: spans.clone() };
    match &value.kind {
        Kind::Map(map) if !map.entries.is_empty() => {
            for entry in &map.entries {
                let outer: Vec<Span> = outer.iter().copied().chain([entry.key_span]).collect();
                flatten(&entry.value, &format!("{path}.{}", entry.key), &outer, found);
            }
        }
        Kind::List(list) if !list.items.is_empty() => {
            for (index, item) in list.items.iter().enumerate() {
                flatten(item, &format!("{path}[{index}]"), outer, found);
            }
        }
        // A document inside a text.
        Kind::String(text) if text.text.contains(['\n', '{']) => match &text.encodes {
            Some(value) => flatten(value, path, outer, found),
            None => {
                for (index, inner) in yaml::parse(text, value.span).values.iter().enumerate() {
                    match &inner.kind {
                        Kind::Map(_) => flatten(inner, &format!("{path}<{index}>"), outer, found),
                        _ => found.push(leaf(text.text.to_string())),
                    }
                }
            }
        },
        Kind::String(text) => found.push(leaf(text.text.to_string())),
        Kind::Null => {}
        kind => found.push(leaf(format!("{kind:?}"))),
    }
}
