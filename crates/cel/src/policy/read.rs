//! A file of policies.

use std::sync::Arc;

use crate::{
    findings::Severity,
    policy::{
        Policy, Subject, SubjectKind, Test, Validation,
        expression::Expression,
        reader::{Reader, did_you_mean},
    },
    source::{FileId, Span},
    syntax::{ParseError, yaml},
    value::{Kind, Value},
};

/// What a policy's `apiVersion` is.
pub const API_VERSION: &str = "karplint/v1";

const TOP: &[&str] = &["apiVersion", "kind", "metadata", "spec", "tests"];
const SPEC: &[&str] = &[
    "title",
    "severity",
    "why",
    "help",
    "subject",
    "kinds",
    "types",
    "where",
    "variables",
    "validations",
];
const VALIDATION: &[&str] = &["expression", "message", "messageExpression", "at"];

/// The policies of a file, and what is wrong with it. A policy with a mistake is left out.
#[derive(Clone, Debug, Default)]
pub struct PolicyFile {
    /// The policies that can be run.
    pub policies: Vec<Policy>,
    /// The names of the others, as far as they can be read, and where they are written.
    pub broken: Vec<(Arc<str>, Span)>,
    /// What is wrong, each at its character.
    pub errors: Vec<ParseError>,
}

/// Reads a file of policies, one a document.
#[must_use]
pub fn read(file: FileId, text: &str) -> PolicyFile {
    let documents = yaml::parse_file(file, text);
    let mut found = PolicyFile { errors: documents.parse_errors, ..PolicyFile::default() };
    for document in &documents.values {
        let mut reader = Reader::default();
        let policy = policy(&mut reader, document);
        match policy.filter(|_| reader.errors.is_empty()) {
            Some(policy) => found.policies.push(policy),
            None => found.broken.extend(name_of(document)),
        }
        found.errors.extend(reader.errors);
    }
    found
}

fn policy(reader: &mut Reader, document: &Value) -> Option<Policy> {
    reader.entries(document, TOP);
    for (key, wanted) in [("apiVersion", API_VERSION), ("kind", "Policy")] {
        let (text, span) = reader.required(document, key)?;
        if *text.text != *wanted {
            reader.wrong(span, format!("`{key}` of a policy is `{wanted}`"));
            return None;
        }
    }
    let metadata = document.get("metadata").present();
    let (name, name_span) = if let Some(metadata) = metadata {
        reader.entries(metadata, &["name"]);
        reader.required(metadata, "name")?
    } else {
        reader.wrong(document.name, "`metadata.name` is missing");
        return None;
    };
    if !is_kebab_case(&name.text) {
        reader.wrong(name_span, "a policy's name is in kebab-case, such as `pools-expire`");
    }
    let Some(spec) = document.get("spec").present() else {
        reader.wrong(document.name, "`spec` is missing");
        return None;
    };
    reader.entries(spec, SPEC);
    let subject = subject(reader, spec);
    let title = reader.required(spec, "title").map(|(text, _)| text.text.trim().into());
    let validations = validations(reader, spec);
    Some(Policy {
        name: name.text,
        name_span,
        title: title?,
        severity: severity(reader, spec),
        why: reader.words(spec, "why").unwrap_or_default(),
        help: reader.words(spec, "help"),
        condition: expression(reader, spec, "where"),
        variables: variables(reader, spec),
        tests: tests(reader, document),
        subject: subject?,
        validations,
    })
}

/// What the policy of a document is asked of, whatever else is wrong with it.
#[must_use]
pub fn subject_of(document: &Value) -> Option<Subject> {
    subject(&mut Reader::default(), document.get("spec").present()?)
}

/// The name of a policy that cannot be run.
fn name_of(document: &Value) -> Option<(Arc<str>, Span)> {
    let name = document.at("metadata.name").present()?;
    let text = name.as_str().filter(|it| is_kebab_case(it))?;
    Some((text.into(), name.span))
}

fn is_kebab_case(name: &str) -> bool {
    let inside = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    name.split('-').all(|it| !it.is_empty() && it.chars().all(inside))
}

fn severity(reader: &mut Reader, spec: &Value) -> Severity {
    let Some((word, span)) = reader.text(spec, "severity") else { return Severity::Warning };
    Severity::from_word(&word.text).unwrap_or_else(|| {
        reader.wrong(span, "a severity is `error`, `warning` or `note`");
        Severity::Warning
    })
}

fn subject(reader: &mut Reader, spec: &Value) -> Option<Subject> {
    let (word, span) = reader.required(spec, "subject")?;
    let found = SubjectKind::ALL.iter().find(|(it, _)| **it == *word.text);
    let Some((_, kind)) = found.copied() else {
        let words: Vec<&str> = SubjectKind::ALL.iter().map(|(it, _)| *it).collect();
        let hint = did_you_mean(&word.text, &words);
        reader.wrong(span, format!("`{}` is no subject{hint}", word.text));
        return None;
    };
    let (key, other) = match kind {
        SubjectKind::Object => ("kinds", "types"),
        SubjectKind::Resource => ("types", "kinds"),
        _ => ("", ""),
    };
    for unused in ["kinds", "types"].into_iter().filter(|it| *it != key) {
        if let Some(value) = spec.get(unused).present() {
            let of = if unused == "kinds" { "object" } else { "resource" };
            reader.wrong(value.name, format!("`{unused}` belongs to the subject `{of}`"));
        }
    }
    let items = if key.is_empty() || key == other { &[] } else { reader.items(spec, key) };
    if items.is_empty() && !key.is_empty() {
        reader.wrong(span, format!("the subject `{}` needs `{key}`", word.text));
    }
    let kinds: Vec<Arc<str>> = items.iter().filter_map(|it| text_of(reader, it)).collect();
    for (kind, item) in kinds.iter().zip(items).filter(|_| key == "kinds") {
        let parts = kind.split('/').collect::<Vec<_>>();
        if !(2..=3).contains(&parts.len()) || parts.iter().any(|it| it.is_empty()) {
            let message =
                format!("a kind is written as `apps/v1/Deployment` or `v1/Pod`, and not `{kind}`");
            reader.wrong(item.span, message);
        }
    }
    Some(Subject { kind, span, kinds })
}

/// An item of a list of words.
fn text_of(reader: &mut Reader, value: &Value) -> Option<Arc<str>> {
    if let Kind::String(text) = &value.kind {
        Some(text.text.clone())
    } else {
        reader.wrong(value.span, "a text is expected here");
        None
    }
}

/// The expression of a field, if it is there.
fn expression(reader: &mut Reader, value: &Value, key: &str) -> Option<Expression> {
    let (text, span) = reader.text(value, key)?;
    match Expression::parse(&text, span) {
        Ok(expression) => Some(expression),
        Err(error) => {
            reader.errors.push(error);
            None
        }
    }
}

fn variables(reader: &mut Reader, spec: &Value) -> Vec<(Arc<str>, Expression)> {
    let mut found: Vec<(Arc<str>, Expression)> = Vec::new();
    for item in reader.items(spec, "variables") {
        reader.entries(item, &["name", "expression"]);
        let name = reader.required(item, "name");
        reader.required(item, "expression");
        let (Some((name, span)), Some(expression)) = (name, expression(reader, item, "expression"))
        else {
            continue;
        };
        let inside = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let is_name = name.text.chars().all(inside)
            && name.text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        let is_taken = ["object", "subject", "cluster", "variables"].contains(&&*name.text)
            || found.iter().any(|(it, _)| *it == name.text);
        if !is_name || is_taken {
            let why = if is_name { "is taken" } else { "is no name of a variable" };
            reader.wrong(span, format!("`{}` {why}", name.text));
        }
        found.push((name.text, expression));
    }
    found
}

fn validations(reader: &mut Reader, spec: &Value) -> Vec<Validation> {
    let mut found = Vec::new();
    let items = reader.items(spec, "validations");
    if items.is_empty() {
        reader.wrong(spec.name, "a policy needs `validations`");
    }
    for item in items {
        reader.entries(item, VALIDATION);
        reader.required(item, "expression");
        let Some(asked) = expression(reader, item, "expression") else { continue };
        found.push(Validation {
            expression: asked,
            message: reader.words(item, "message"),
            message_expression: expression(reader, item, "messageExpression"),
            at: expression(reader, item, "at"),
        });
    }
    found
}

fn tests(reader: &mut Reader, document: &Value) -> Vec<Test> {
    let mut found = Vec::new();
    for item in reader.items(document, "tests") {
        reader.entries(item, &["name", "files", "expect"]);
        let Some((name, name_span)) = reader.required(item, "name") else { continue };
        let mut files = Vec::new();
        for entry in item.get("files").present().map(Value::entries).unwrap_or_default() {
            match &entry.value.kind {
                Kind::String(text) => files.push((entry.key.clone(), text.clone())),
                _ => reader.wrong(entry.value.span, "the text of a file is expected here"),
            }
        }
        let items = reader.items(item, "expect");
        let expected = items.iter().filter_map(|it| expected(reader, it)).collect();
        found.push(Test { name: name.text, name_span, files, expected });
    }
    found
}

/// `pool.yaml:14`
fn expected(reader: &mut Reader, value: &Value) -> Option<(Arc<str>, u32)> {
    let text = text_of(reader, value)?;
    let place =
        text.rsplit_once(':').and_then(|(file, line)| Some((file.into(), line.parse().ok()?)));
    if place.is_none() {
        let span: Span = value.span;
        reader.wrong(span, "a file and a line are expected here, such as `pool.yaml:14`");
    }
    place
}
