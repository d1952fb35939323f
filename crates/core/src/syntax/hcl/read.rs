//! From a file's text to our tree, by way of hcl-edit.

use std::{cell::RefCell, str::FromStr};

use hcl_edit::template::Template;

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::{
        ParseError,
        hcl::{
            HclFile, Part,
            expression::Source,
            message::explain,
            recover,
            template::{Quoting, parts},
        },
    },
};

/// Larger files are not read: hcl-edit's objects take quadratic time.
const LARGEST: usize = 4 * 1024 * 1024;

/// Reads a file.
pub fn parse(file: FileId, text: &str) -> HclFile {
    if let Some(parse_errors) = too_large(file, text) {
        return HclFile { parse_errors: vec![parse_errors], ..HclFile::default() };
    }
    let (text, offset) = without_mark(text);
    recover::read(file, text, offset)
}

/// Reads a template file.
pub fn parse_template(file: FileId, text: &str) -> Result<Vec<Part>, ParseError> {
    if let Some(parse_errors) = too_large(file, text) {
        return Err(parse_errors);
    }
    let (text, offset) = without_mark(text);
    match Template::from_str(text) {
        Ok(parsed) => {
            let notes = RefCell::default();
            let source = Source { file, text, offset, notes: &notes };
            Ok(parts(source, &parsed, Quoting::Bare))
        }
        Err(error) => {
            let at = error.location().offset();
            let span = Span::new(file, offset + at, offset + at + 1);
            Err(ParseError::new(span, explain(error.message(), text, at), Severity::Error))
        }
    }
}

/// The text without its byte order mark, and the offset at which it begins.
fn without_mark(text: &str) -> (&str, usize) {
    text.strip_prefix('\u{feff}').map_or((text, 0), |rest| (rest, text.len() - rest.len()))
}

fn too_large(file: FileId, text: &str) -> Option<ParseError> {
    let message = "the file is larger than 4 MB and was not read";
    (text.len() > LARGEST).then(|| ParseError::new(Span::new(file, 0, 0), message, Severity::Error))
}
