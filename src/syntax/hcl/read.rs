//! From a file's text to our tree, by way of hcl-edit.

use std::str::FromStr;

use hcl_edit::{parser, template::Template};

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::{
        Unread,
        hcl::{
            HclFile, Part,
            expression::{Source, body},
            template::{Quoting, parts},
        },
    },
};

/// Larger files are not read: hcl-edit's objects take quadratic time.
const LARGEST: usize = 4 * 1024 * 1024;

/// Reads a file.
pub fn parse(file: FileId, text: &str) -> HclFile {
    let offset = byte_order_mark(text);
    let text = &text[offset..];
    let mut result = HclFile::default();
    if text.len() > LARGEST {
        result.unread.push(Unread {
            span: Span::new(file, 0, 0),
            message: "the file is larger than 4 MB and was not read".to_owned(),
            severity: Severity::Error,
        });
        return result;
    }
    match parser::parse_body(text) {
        Ok(parsed) => result.body = body(Source { file, text, offset }, &parsed),
        Err(error) => {
            let at = offset + error.location().offset();
            result.unread.push(Unread {
                span: Span::new(file, at, at + 1),
                message: error.message().to_owned(),
                severity: Severity::Error,
            });
        }
    }
    result
}

/// Reads a template file.
pub fn parse_template(file: FileId, text: &str) -> Result<Vec<Part>, Unread> {
    let offset = byte_order_mark(text);
    let text = &text[offset..];
    match Template::from_str(text) {
        Ok(parsed) => Ok(parts(Source { file, text, offset }, &parsed, Quoting::Bare)),
        Err(error) => {
            let at = offset + error.location().offset();
            Err(Unread {
                span: Span::new(file, at, at + 1),
                message: error.message().to_owned(),
                severity: Severity::Error,
            })
        }
    }
}

fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}
