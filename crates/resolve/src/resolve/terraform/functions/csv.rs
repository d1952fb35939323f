//! `csvdecode`.

use std::sync::Arc;

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, MOST_ITEMS},
    },
    value::{Entry, Value},
};

/// `csvdecode`: a list of objects, named by the first line.
///
/// # Errors
/// When the text is no CSV, lines differ in length, or a name appears twice.
pub(super) fn decode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?.replace("\r\n", "\n");
    let Some(rows) = rows(&text) else { return call.fault("needs CSV") };
    let mut rows = rows.into_iter();
    let Some(names) = rows.next() else { return call.fault("needs a header line") };
    let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
    let distinct: std::collections::HashSet<_> = names.iter().collect();
    if distinct.len() != names.len() {
        return call.fault("has a column twice");
    }
    if names.len().saturating_mul(rows.len()) > MOST_ITEMS {
        return Ok(call.unknown());
    }
    let mut items = Vec::new();
    for row in rows {
        if row.len() != names.len() {
            return call.fault("has lines of different lengths");
        }
        let entries = names.iter().zip(row).map(|(name, field)| Entry {
            key: name.clone(),
            key_span: call.span,
            value: call.text(field),
        });
        items.push(Value::map(entries.collect(), call.span));
    }
    Ok(Value::list(items, call.span))
}

/// The fields of each line; empty lines are skipped. `None` for a misplaced quote.
fn rows(text: &str) -> Option<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\n') {
            rest = after;
            continue;
        }
        let mut row = Vec::new();
        loop {
            let (field, after) = field(rest)?;
            row.push(field);
            let Some(next) = after.strip_prefix(',') else {
                rest = after.strip_prefix('\n').unwrap_or(after);
                break;
            };
            rest = next;
        }
        rows.push(row);
    }
    Some(rows)
}

/// The next field and what follows it: a comma, a line break or nothing.
fn field(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\n']).unwrap_or(text.len());
        let (field, rest) = text.split_at(end);
        return (!field.contains('"')).then(|| (field.to_owned(), rest));
    };
    let mut field = String::new();
    loop {
        let quote = rest.find('"')?;
        field.push_str(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            None => {
                return (rest.is_empty() || rest.starts_with([',', '\n'])).then_some((field, rest));
            }
        }
    }
}
