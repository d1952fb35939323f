//! What may be written next in an expression of a policy.

use crate::{
    policies::types::schema,
    source::{FileId, Span},
    syntax::yaml,
    value::{Kind, Text, Value},
};
use karplint_cel::{
    cel::{
        complete::{Completion, complete},
        program::Program,
        types::{Object, Schema, Type},
    },
    policy::read::subject_of,
};

/// What may be written at a byte of a file of policies: nothing outside of an expression.
#[must_use]
pub(crate) fn completions(file: FileId, text: &str, offset: usize) -> Vec<Completion> {
    let documents = yaml::parse_file(file, text).values;
    let before = |it: &&Value| it.span.start as usize <= offset;
    let Some(document) = documents.iter().rev().find(before) else { return Vec::new() };
    let Some(subject) = subject_of(document) else { return Vec::new() };
    let mut schema = schema(&subject);
    schema.objects.insert("variables".into(), Object::default());
    schema.variables.insert("variables".into(), Type::Object("variables".into()));
    let Some(spec) = document.get("spec").present() else { return Vec::new() };
    let items = |key: &str| spec.get(key).present().map_or(&[][..], Value::items).iter();
    for variable in items("variables") {
        if let Some(found) = completed(variable, &["expression"], (text, offset), &schema) {
            return found;
        }
        declare(&mut schema, variable);
    }
    let validation = &["expression", "messageExpression", "at"];
    let found = items("validations")
        .find_map(|it| completed(it, validation, (text, offset), &schema))
        .or_else(|| completed(spec, &["where"], (text, offset), &schema));
    found.unwrap_or_default()
}

/// Adds a variable of the policy.
fn declare(schema: &mut Schema, variable: &Value) {
    let text = |key: &str| variable.get(key).present().and_then(Value::as_str);
    let (Some(name), Some(expression)) = (text("name"), text("expression")) else { return };
    let program = Program::parse(expression);
    let of = program.map_or(Type::Dyn, |it| it.check(schema).0);
    schema.variables.insert(format!("variables.{name}").into(), of.clone());
    schema.variables.insert(name.into(), of.clone());
    let variables = schema.objects.entry("variables".into()).or_default();
    variables.fields.insert(name.into(), of);
}

/// What may be written in the field of a mapping that the byte is in, if it is in one of these.
fn completed(
    holder: &Value,
    keys: &[&str],
    (file, offset): (&str, usize),
    schema: &Schema,
) -> Option<Vec<Completion>> {
    let field = |key: &&str| holder.get(key).present();
    keys.iter().filter_map(field).find_map(|it| {
        let Kind::String(text) = &it.kind else { return None };
        let (start, end) = (it.span.start as usize, it.span.end as usize);
        // YAML leaves out the blanks at the end of a line.
        let is_blank = file.get(end..offset).is_some_and(|it| it.chars().all(|it| it == ' '));
        let is_inside = start <= offset && (offset <= end || is_blank);
        is_inside.then(|| complete(&text.text, decoded(text, it.span, offset), schema))
    })
}

/// How many bytes of a text are written before a byte of its file.
fn decoded(text: &Text, span: Span, offset: usize) -> usize {
    let ends_before = |at: &usize| {
        let end = text.text.ceil_char_boundary(at + 1);
        text.locate(*at, end, span).end as usize <= offset
    };
    let mut starts = text.text.char_indices().map(|it| it.0);
    starts.find(|it| !ends_before(it)).unwrap_or(text.text.len())
}
