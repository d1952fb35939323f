//! From a file's text to our tree, through hcl-edit.

use std::{cell::RefCell, str::FromStr};

use hcl_edit::template::Template;

use crate::{
    findings::Severity,
    source::{FileId, Span, account::Limit},
    syntax::{
        ParseError,
        hcl::{
            HclFile, TemplatePart, direct,
            expression::expression,
            message::explain,
            recover,
            snippet::Snippet,
            template::{Quoting, parts},
        },
    },
};

/// Reads native HCL syntax (`.tf`, `.tofu`, `.tfvars`, `.hcl`).
///
/// A syntax error costs the top-level block it is in, not the file: the rest is still read.
#[must_use]
pub fn parse(file: FileId, text: &str) -> HclFile {
    if let Some(error) = too_large(file, text) {
        return HclFile { parse_errors: vec![error], ..HclFile::default() };
    }
    let (text, offset) = without_mark(text);
    match direct::read(file, text, offset) {
        Some(body) => HclFile { body, ..HclFile::default() },
        None => recover::read(file, text, offset),
    }
}

/// Reads the text of a template file (`templatefile`, `templatestring`): no quotes, no escapes except
/// `$${` and `%%{`.
///
/// # Errors
/// The place and reason of the first thing that is not a template.
pub fn parse_template(file: FileId, text: &str) -> Result<Vec<TemplatePart>, ParseError> {
    if let Some(error) = too_large(file, text) {
        return Err(error);
    }
    let (text, offset) = without_mark(text);
    match Template::from_str(text) {
        Ok(parsed) => {
            let notes = RefCell::default();
            let snippet = Snippet { file, text, offset, escapes: &[], notes: &notes };
            Ok(parts(snippet, &parsed, Quoting::Bare, expression))
        }
        Err(error) => {
            let at = text.floor_char_boundary(error.location().offset());
            let end = text.ceil_char_boundary(at + 1);
            let span = Span::new(file, offset + at, offset + end);
            Err(ParseError::new(span, explain(error.message(), text, at), Severity::Error))
        }
    }
}

/// The text without its byte order mark, and the offset at which it begins.
fn without_mark(text: &str) -> (&str, usize) {
    text.strip_prefix('\u{feff}').map_or((text, 0), |rest| (rest, text.len() - rest.len()))
}

fn too_large(file: FileId, text: &str) -> Option<ParseError> {
    let (at, limit) = if text.len() >> 20 >= Limit::FileMegabytes.most() {
        (0, Limit::FileMegabytes)
    } else {
        (large_object(text)?, Limit::ObjectEntries)
    };
    Some(ParseError::new(Span::new(file, at, at), limit.message(), Severity::Error))
}

/// Where the first pair of braces begins that surely has too many entries: hcl-edit compares each key with all before
/// it. Signs in texts and comments count, too:
/// no file that people write has so many of them.
fn large_object(text: &str) -> Option<usize> {
    let most = Limit::ObjectEntries.most();
    if text.len() / 4 < most {
        return None;
    }
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open.push((at, 0)),
            b'}' => drop(open.pop()),
            b'=' | b':' => {
                let Some((start, entries)) = open.last_mut() else { continue };
                *entries += 1;
                if *entries > most {
                    return Some(*start);
                }
            }
            _ => {}
        }
    }
    None
}
