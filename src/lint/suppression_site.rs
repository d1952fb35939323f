//! Where a finding can be allowed, and the text that does it.
//!
//! A comment above its line is the best home. Where a line more would be content, as in JSON, an object's
//! annotation or an entry of the config is one.

use crate::{
    config::{
        self, Config,
        entry::{self, Insertion, NewEntry},
    },
    edits,
    findings::{
        Finding,
        change::{Change, NewValue},
    },
    lint::allowing,
    project::{
        Project,
        kind::{FileKind, is_jenkinsfile},
    },
    resolve::kubernetes::{self, Object},
    source::{FileId, Files, SourceFile, Span, parent},
    syntax::{groovy, hcl, json, yaml},
    value::{self, Field, Text, Value},
};

/// The annotation of objects.
const ANNOTATION: &str = "karplint/allow";

/// What makes a finding allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressionSite {
    /// What it is.
    pub home: Home,
    /// The file it is written into, relative to the root; a config may not be there yet.
    pub path: String,
    /// The text, with a gap for the reason.
    pub insertion: Insertion,
}

/// What an allowance is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// A comment above the finding's line.
    Comment,
    /// An annotation of the object of that name; it has no place for a reason.
    Annotation(String),
    /// An entry of the config.
    Config,
}

impl SuppressionSite {
    /// The text with a reason in it.
    #[must_use]
    pub fn text(&self, reason: &str) -> String {
        let Insertion { before, after, .. } = &self.insertion;
        match self.home {
            Home::Comment => [before, reason, after].concat(),
            Home::Annotation(_) => [before.as_str(), after].concat(),
            Home::Config => [before, entry::escaped(reason).as_str(), after].concat(),
        }
    }
}

/// The ways to allow a finding: a comment, or where none can be the object's annotation and an entry
/// of the config. None for what is said of allowances.
#[must_use]
pub fn allowances(project: &Project, config: &Config, finding: &Finding) -> Vec<SuppressionSite> {
    if finding.rule == allowing::RULE {
        return Vec::new();
    }
    if let Some(comment) = comment(project, finding) {
        return vec![comment];
    }
    let annotation = annotation(project, finding);
    annotation.into_iter().chain(in_config(project, config, finding)).collect()
}

fn comment(project: &Project, finding: &Finding) -> Option<SuppressionSite> {
    let (files, id) = (&project.files, finding.span.file);
    let file = files.get(id);
    let line = file.line_of(finding.span.start as usize);
    let start = file.line_range(line).start;
    let text = file.line_text(line);
    // The mark of the byte order stays the first of all.
    let code = text.strip_prefix('\u{feff}').unwrap_or(text);
    let at = start + text.len() - code.len();
    let indent = &code[..code.len() - code.trim_start().len()];
    let line_break = if file.text().contains("\r\n") { "\r\n" } else { "\n" };
    // In a template a comment of YAML would be a part of what it makes, also of a text.
    let in_template = project.lies_in_chart_templates(file.path());
    let (open, close) = if in_template {
        ("{{- /*", " */}}")
    } else if is_groovy(file, id, at) {
        ("//", "")
    } else {
        ("#", "")
    };
    let before = format!("{indent}{open} karplint: allow {} because ", finding.rule);
    let after = format!("{close}{line_break}");
    let takes =
        !file.is_transcoded() && (!close.is_empty() || takes_comment(files, id, (at, &before)));
    let insertion = Insertion { range: at..at, before, after };
    takes.then(|| SuppressionSite { home: Home::Comment, path: file.path().to_owned(), insertion })
}

/// Whether a line is code of a `Jenkinsfile`, and not of a shell in its quotes.
fn is_groovy(file: &SourceFile, id: FileId, at: usize) -> bool {
    let holds = |it: &Span| (it.start as usize) < at && at <= it.end as usize;
    let pieces = || groovy::pieces(id, file.text()).into_iter();
    is_jenkinsfile(file.name()) && !pieces().any(|it| it.text.is_some_and(|(_, it)| holds(&it)))
}

/// Whether a comment on a line of its own, put in at `at` above a line, is no content.
fn takes_comment(files: &Files, id: FileId, (at, comment): (usize, &str)) -> bool {
    let file = files.get(id);
    let with = |text: &str, at: usize| {
        let (head, tail) = text.split_at_checked(at).unwrap_or((text, ""));
        format!("{head}{comment}\n{tail}")
    };
    match FileKind::of(file.path()) {
        _ if file.ending() == "json" => false,
        Some(FileKind::Json) => false,
        // A comment would end a command that goes on in the next line.
        Some(FileKind::Script) => {
            let mark = if file.ending() == "ps1" { '`' } else { '\\' };
            !file.text()[..at].trim_end().ends_with(mark)
        }
        Some(FileKind::Yaml | FileKind::Policy) => {
            means_the_same(file.text(), &with(file.text(), at))
        }
        None => document_means_the_same(file.text(), &with(file.text(), at)),
        Some(FileKind::Terraform | FileKind::Variables | FileKind::Terragrunt) => {
            let mut old = hcl::read::parse(id, file.text());
            let Some(heredoc) = hcl::heredoc::lines_around(file, &mut old.body, at) else {
                let new = hcl::read::parse(id, &with(file.text(), at));
                return old.parse_errors.len() == new.parse_errors.len();
            };
            let text = file.slice(heredoc.clone());
            document_means_the_same(text, &with(text, at - heredoc.start))
        }
    }
}

/// Whether two YAML texts say the same, those inside their block scalars too.
fn means_the_same(old: &str, new: &str) -> bool {
    let read = |text: &str| yaml::parse_file(FileId(0), text);
    let (old, new) = (read(old), read(new));
    old.parse_errors.len() == new.parse_errors.len()
        && old.values.len() == new.values.len()
        && old.values.iter().zip(&new.values).all(|(old, new)| is_the_same(old, new))
}

fn is_the_same(old: &Value, new: &Value) -> bool {
    match (&old.kind, &new.kind) {
        (value::Kind::String(old), value::Kind::String(new)) => {
            old.text == new.text || document_means_the_same(&old.text, &new.text)
        }
        (value::Kind::Map(a), value::Kind::Map(b)) => {
            let pairs = a.entries.iter().zip(&b.entries);
            let alike = |(a, b): (&value::Entry, &value::Entry)| {
                a.key == b.key && is_the_same(&a.value, &b.value)
            };
            a.entries.len() == b.entries.len() && pairs.into_iter().all(alike)
        }
        (value::Kind::List(_), value::Kind::List(_)) => {
            let (a, b) = (old.items(), new.items());
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_the_same(a, b))
        }
        _ => old.same_as(new) == Some(true),
    }
}

/// The same for a text inside another, which may be something else than YAML: JSON takes no comments, and
/// what is a mere word to YAML may be content to everybody else.
fn document_means_the_same(old: &str, new: &str) -> bool {
    let start = old.trim_start();
    let json = (start.starts_with('{') && !start.starts_with("{{"))
        || start.strip_prefix('[').is_some_and(|it| {
            it.trim_start().starts_with(['{', '[', '"', ']']) || it.starts_with('\n')
        });
    let structured = start.lines().any(|it| {
        let it = it.trim();
        it.starts_with("- ") || it.ends_with(':') || it.contains(": ") || it.contains(" = ")
    });
    !json && structured && means_the_same(old, new)
}

/// The annotation of the object around a finding, where it can be written.
fn annotation(project: &Project, finding: &Finding) -> Option<SuppressionSite> {
    let object = object_around(project, finding)?;
    let path = ["metadata", "annotations", ANNOTATION];
    let names = match object.value.get("metadata").get("annotations").get(ANNOTATION) {
        Field::Present(old) => match old.as_str()?.split_once(" because ") {
            Some((names, why)) => format!("{names}, {} because {why}", finding.rule),
            None => format!("{}, {}", old.as_str()?, finding.rule),
        },
        _ => finding.rule.to_owned(),
    };
    let files = &project.files;
    let change = Change::set_key(&object.value, &path, NewValue::text(names));
    let [edit] = edits::edits(files, &[change])?.try_into().ok()?;
    let name = format!("{}/{}", object.kind, object.anchor_text()?);
    let insertion = Insertion { range: edit.span.range(), before: edit.text, after: String::new() };
    let path = files.get(edit.span.file).path().to_owned();
    Some(SuppressionSite { home: Home::Annotation(name), path, insertion })
}

/// The object of a YAML or JSON file around a finding, as it is written: an annotation counts for what is
/// reported inside its object.
fn object_around(project: &Project, finding: &Finding) -> Option<Object> {
    let file = project.files.get(finding.span.file);
    let whole = Span::new(finding.span.file, 0, file.text().len());
    let text = Text::verbatim(file.shared_text(), whole);
    let documents = match FileKind::of(file.path()) {
        Some(FileKind::Yaml | FileKind::Policy) => yaml::parse(&text, whole).values,
        Some(FileKind::Json) => json::parse(&text, whole).values,
        _ => return None,
    };
    let objects = documents.iter().flat_map(kubernetes::objects);
    objects.filter(|it| it.value.span.contains(finding.span)).last()
}

/// The entry of the config in force, or of a new one at the root, that allows a finding and those of the
/// same rule on the same thing. `None` where the config cannot be added to.
#[must_use]
pub fn in_config(project: &Project, config: &Config, finding: &Finding) -> Option<SuppressionSite> {
    let own = project.files.get(finding.span.file).path();
    let layer = config.layers_of(own).next().map(|(_, it)| it.path.as_str());
    let path = layer.unwrap_or(config::FILE_NAME);
    let is_new = layer.is_none();
    let text = match project.files.find(path) {
        Some(id) => project.files.get(id).text(),
        None if is_new => "",
        None => return None,
    };
    let below = own.strip_prefix(parent(path))?;
    let new = NewEntry {
        rule: finding.rule.to_owned(),
        path: below.trim_start_matches('/').to_owned(),
        object: finding.name(),
    };
    let insertion = new.insertion(text)?;
    Some(SuppressionSite { home: Home::Config, path: path.to_owned(), insertion })
}

#[cfg(test)]
mod tests;
