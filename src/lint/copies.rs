//! Findings in committed renderings: what is wrong in a source is wrong in each text that a tool made of it.

use std::{
    cell::LazyCell,
    collections::{BTreeSet, HashMap, HashSet},
};

use memchr::memmem;

use crate::{
    findings::{Finding, Severity, subject::ObjectRef},
    source::{FileId, Files, SourceFile, aside, outward, parent},
};

/// The names of folders that hold what tools have made.
const RENDERED: &[&str] = &["rendered", "generated", "hydrated", "rendered-manifests"];
/// What describes a chart.
const CHART: &str = "Chart.yaml";
/// Of more copies of a chart the first are compared with each.
const MOST_COPIES: usize = 8;
/// Lines at the top of a file that may say who wrote it.
const HEAD: usize = 5;

/// The findings without those in a committed rendering, in a copy of the repository inside of itself or in another copy
/// of a chart, whose source has the same: they become places of that one.
pub(super) fn fold(files: &Files, findings: Vec<Finding>) -> Vec<Finding> {
    let findings = fold_nested(files, findings);
    let mut known: HashMap<FileId, bool> = HashMap::new();
    let charts = LazyCell::new(|| chart_names(files));
    let is_made = |it: FileId| is_rendering(files, it) || names_one_of(files.get(it), || &charts);
    let mut rendered = |it: &Finding| {
        let file = it.span.file;
        it.object().is_some() && *known.entry(file).or_insert_with(|| is_made(file))
    };
    let (copies, mut kept): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|it| rendered(it));
    for copy in copies {
        match kept.iter_mut().find(|it| is_copy(files, it, &copy)) {
            Some(source) => {
                // What is rendered for a cluster is there, whoever else may install the chart.
                source.severity = source.severity.max(copy.severity);
                source.note(copy.span, "in the committed rendering, too");
            }
            None => kept.push(copy),
        }
    }
    fold_aside(files, kept)
}

/// The findings without the notes in folders that are put aside and repeat, in the text of a line, what is found in one
/// that is in use.
fn fold_aside(files: &Files, findings: Vec<Finding>) -> Vec<Finding> {
    let path = |it: &Finding| files.get(it.span.file).path();
    let is_aside = |it: &Finding| it.severity == Severity::Note && aside::of(path(it)).is_some();
    let (copies, mut kept): (Vec<Finding>, Vec<Finding>) = findings.into_iter().partition(is_aside);
    let line = |it: &Finding| {
        let file = files.get(it.span.file);
        file.line_text(file.line_of(it.span.start as usize)).trim()
    };
    let mut in_use: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    if !copies.is_empty() {
        for (at, it) in kept.iter().enumerate().filter(|(_, it)| aside::of(path(it)).is_none()) {
            in_use.entry((it.rule, it.message.clone())).or_default().push(at);
        }
    }
    for copy in copies {
        let is_same_line = |it: &Finding| {
            line(it) == line(&copy)
                && match (it.object(), copy.object()) {
                    (Some(own), Some(other)) => is_same(own, other),
                    (own, other) => own.is_none() && other.is_none(),
                }
        };
        let alike = in_use.get(&(copy.rule, copy.message.clone())).into_iter().flatten().copied();
        match alike.into_iter().find(|it| is_same_line(&kept[*it])) {
            Some(source) => {
                kept[source].note(copy.span, "in a folder put aside, too");
            }
            None => kept.push(copy),
        }
    }
    kept
}

/// The findings without those in files of which the same text is at the end of their own path:
/// `shop/pools/arm.yaml` beside `pools/arm.yaml`.
fn fold_nested(files: &Files, findings: Vec<Finding>) -> Vec<Finding> {
    let mut originals: HashMap<FileId, Option<FileId>> = HashMap::new();
    let charts = LazyCell::new(|| ChartCopies::find(files));
    let of = |it: FileId| original_of(files, it).or_else(|| charts.original(files, it));
    let mut original = |it: FileId| *originals.entry(it).or_insert_with(|| of(it));
    let (copies, mut kept): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|it| original(it.span.file).is_some());
    let text = |it: &Finding| files.text(it.span);
    for copy in copies {
        let source = original(copy.span.file);
        let same = |it: &&mut Finding| {
            Some(it.span.file) == source
                && it.rule == copy.rule
                && it.message == copy.message
                && text(it) == text(&copy)
                && it.object() == copy.object()
        };
        match kept.iter_mut().find(same) {
            Some(source) => {
                source.note(copy.span, "in a copy of this file, too");
            }
            None => kept.push(copy),
        }
    }
    kept
}

/// The file of the same text that lies nearer to the root of the project, under the last folders of a path.
fn original_of(files: &Files, copy: FileId) -> Option<FileId> {
    let file = files.get(copy);
    let mut rest = file.path();
    while let Some((_, inner)) = rest.split_once('/') {
        rest = inner;
        // A name alone is no sign: many folders have a `values.yaml`.
        let found = rest.contains('/').then(|| files.find(rest)).flatten();
        let is_same =
            |it: &FileId| without_allowances(files, *it).eq(without_allowances(files, copy));
        if let Some(found) = found.filter(is_same) {
            return Some(found);
        }
    }
    None
}

/// The charts of which there are several copies.
#[derive(Default)]
struct ChartCopies<'f> {
    /// The line that names a chart, by its folder.
    names: HashMap<&'f str, &'f str>,
    /// The folders of the copies, in the order of their paths.
    folders: HashMap<&'f str, BTreeSet<&'f str>>,
}

impl<'f> ChartCopies<'f> {
    fn find(files: &'f Files) -> Self {
        let mut found = Self::default();
        for (_, file) in files.iter().filter(|(_, it)| it.name() == CHART && it.is_loaded()) {
            if let Some(name) = file.text().lines().find(|it| it.starts_with("name:")) {
                found.names.insert(file.folder(), name.trim_end());
                found.folders.entry(name.trim_end()).or_default().insert(file.folder());
            }
        }
        found
    }

    /// The file of the same text at the same place in an earlier copy of the chart around it.
    fn original(&self, files: &Files, copy: FileId) -> Option<FileId> {
        let path = files.get(copy).path();
        let own = outward(parent(path)).find(|it| self.names.contains_key(it))?;
        let inner = path.strip_prefix(own)?;
        let earlier = self.folders.get(self.names.get(own)?)?.range(..own).take(MOST_COPIES);
        let mut earlier = earlier.filter_map(|it| files.find(&format!("{it}{inner}")));
        earlier.find(|it| without_allowances(files, *it).eq(without_allowances(files, copy)))
    }
}

/// The lines of a file without the comments that allow findings there.
fn without_allowances(files: &Files, file: FileId) -> impl Iterator<Item = &str> {
    bare_lines(files.get(file).text())
}

/// The lines of a text without the comments that allow findings there, of YAML or of a template.
pub(super) fn bare_lines(text: &str) -> impl Iterator<Item = &str> {
    const MARKS: [&str; 3] = ["# karplint:", "{{- /* karplint:", "{{/* karplint:"];
    let bare = |line: &'_ str| {
        let ends = MARKS.iter().filter_map(|it| line.find(it));
        ends.min().unwrap_or(line.len())
    };
    let bare = text.lines().map(move |it| it.get(..bare(it)).unwrap_or(it).trim_end());
    bare.filter(|it| !it.is_empty())
}

/// Whether two findings are about the same text of the same object.
fn is_copy(files: &Files, source: &Finding, copy: &Finding) -> bool {
    let text = |it: &Finding| files.text(it.span).trim_matches(['"', '\'']);
    let same_object = || {
        let objects = source.object().zip(copy.object());
        objects.is_some_and(|(source, copy)| is_same(source, copy))
    };
    source.rule == copy.rule
        && source.span.file != copy.span.file
        && source.message == copy.message
        && text(source) == text(copy)
        && same_object()
}

/// Whether two objects are one. What a tool renders may get its namespace from the tool.
fn is_same(source: &ObjectRef, copy: &ObjectRef) -> bool {
    let namespaces = source.namespace.as_ref().zip(copy.namespace.as_ref());
    source.kind == copy.kind
        && source.name == copy.name
        && namespaces.is_none_or(|(source, copy)| source == copy)
}

/// Whether a line of a file is that by which Helm names a template.
fn names_source(file: &SourceFile) -> bool {
    const LINE: &str = "\n# Source: ";
    let begins_line = |text: &str| {
        text.starts_with(&LINE[1..]) || memmem::find(text.as_bytes(), LINE.as_bytes()).is_some()
    };
    file.names(&LINE[1..]) && begins_line(file.text())
}

/// Whether a tool made a file: `helm template` names its sources, others say so at the top.
fn is_rendering(files: &Files, file: FileId) -> bool {
    let file = files.get(file);
    let in_folder = || file.folder().split('/').any(|it| RENDERED.contains(&it));
    let head = || {
        let lines = (0..HEAD.min(file.line_count())).map(|it| file.line_text(it));
        lines.filter(|it| it.trim_start().starts_with('#')).any(|it| {
            let line = it.to_ascii_lowercase();
            line.contains("do not edit") || line.contains("generated by")
        })
    };
    in_folder() || head() || names_source(file) || has_template(files, file)
}

/// The names of the charts of the repository.
fn chart_names(files: &Files) -> HashSet<&str> {
    let charts = files.iter().filter(|(_, it)| it.name() == CHART && it.is_loaded());
    let line = |it| SourceFile::text(it).lines().find_map(|it| it.strip_prefix("name:"));
    charts.filter_map(|(_, it)| line(it).map(unquoted)).filter(|it| !it.is_empty()).collect()
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// Whether a label of a file names one of some charts in a version, as Helm renders it.
fn names_one_of<'c>(file: &SourceFile, charts: impl Fn() -> &'c HashSet<&'c str>) -> bool {
    const LABEL: &str = "helm.sh/chart: ";
    if !file.names(LABEL) {
        return false;
    }
    let mut labels = file.text().lines().filter_map(|it| it.trim_start().strip_prefix(LABEL));
    let Some(label) = labels.next().map(unquoted) else { return false };
    label.match_indices('-').any(|(at, _)| {
        let (name, version) = label.split_at(at);
        version[1..].starts_with(|it: char| it.is_ascii_digit()) && charts().contains(name)
    })
}

/// What the name of a template has before or after the ending of what is made of it: `pool.env.yaml`, `pool.yaml.tpl`.
const OF_TEMPLATES: [&str; 5] = ["env", "envsubst", "template", "tmpl", "tpl"];

/// Whether the template of a file lies beside it: one of its name with variables, of which the file has none.
fn has_template(files: &Files, file: &SourceFile) -> bool {
    let Some((stem, ending)) = file.path().rsplit_once('.') else { return false };
    let names = OF_TEMPLATES.iter().flat_map(|it| {
        [
            format!("{stem}.{it}.{ending}"),
            format!("{stem}.{ending}.{it}"),
            format!("{stem}-{it}.{ending}"),
        ]
    });
    let mut templates = names.filter_map(|it| files.find(&it));
    let has_variable = |it: FileId| files.get(it).skim(|text| text.contains('$'));
    templates.any(has_variable) && !file.text().contains('$')
}
