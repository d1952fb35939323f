//! Functions over files and paths. Only files of the project exist; anything else is unknown.

use std::sync::Arc;

use globset::{GlobBuilder, GlobSet};

use crate::{
    glob,
    resolve::terraform::functions::{
        argument, base64,
        call::{Call, CallResult, EvaluationError, MOST_ITEMS},
    },
    source::{FileId, Files, Span, join},
    value::{HOLE_END, HOLE_START, Kind, List, Text, Value, cause::Cause, step::StepKind},
};

/// The functions that read files or list them, the path first.
pub(crate) const READERS: [&str; 4] = ["file", "fileexists", "fileset", "filebase64"];

/// Makes a path below the folder where Terraform runs one below the root's, which it is in general:
/// `${path.cwd}/templates/a.yaml`.
pub(crate) fn below_root(path: &mut Value) {
    let Kind::String(text) = &path.kind else { return };
    let [only] = &*text.holes else { return };
    let rest = text.text.strip_prefix(HOLE_START).and_then(|it| it.split_once(HOLE_END));
    if let Some((_, rest)) = rest.filter(|it| it.1.starts_with('/') && &*only.text == "path.cwd") {
        *path = Value { kind: Kind::String(Text::computed(format!(".{rest}"))), ..path.clone() };
    }
}

/// The path of a file relative to the project's root, where Terraform runs in `folder`; `None` when it
/// leads out of the project.
#[must_use]
pub(crate) fn locate(folder: &str, path: &str) -> Option<String> {
    let outside = path.starts_with(['/', '~']) || path.contains('\\');
    if outside { None } else { join(folder, path) }
}

/// The file at a path, if the project has it and could read it.
#[must_use]
pub(crate) fn find(files: &Files, folder: &str, path: &str) -> Option<FileId> {
    let at = locate(folder, path).and_then(|it| files.behind(&it));
    let found = at.or_else(|| from_callers(files, folder, path))?;
    (!files.get(found).is_lost()).then_some(found)
}

/// The file of a module that is written as its callers see it, from the folder in which another repository runs
/// Terraform: `../../modules/aws/karpenter/pool.yaml` in `aws/karpenter`.
fn from_callers(files: &Files, folder: &str, path: &str) -> Option<FileId> {
    let mut rest = path.strip_prefix("../").filter(|_| !folder.is_empty())?;
    while let Some((_, inner)) = rest.split_once('/') {
        let own = rest.strip_prefix(folder).is_some_and(|it| it.starts_with('/'));
        if own {
            return files.behind(rest);
        }
        rest = inner;
    }
    None
}

/// The file an argument names, if the project has it.
fn named(call: &Call<'_>, arguments: &[Value]) -> Result<Option<FileId>, EvaluationError> {
    let found = find(call.files, call.folder, &argument::text(call, arguments, 0)?);
    call.read.borrow_mut().extend(found);
    Ok(found)
}

/// `file`: the text points into the file.
///
/// # Errors
/// When the argument is no text.
pub(crate) fn file(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(id) = named(call, arguments)? else { return Ok(unknown_file(call, arguments)) };
    let text = call.files.get(id).text();
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let span = Span::new(id, text.len() - content.len(), text.len());
    let kind = Kind::String(Text::verbatim(content, span));
    let place = argument::at(call, arguments, 0)?.span;
    let step = StepKind::File(Arc::clone(&call.symbol.text));
    Ok(Value::new(kind, span).named(place).through(call.span, step))
}

/// The text of a file that the project does not have: it is missing if the project would read one of its kind.
fn unknown_file(call: &Call<'_>, arguments: &[Value]) -> Value {
    let path = arguments.first().and_then(Value::as_str).unwrap_or_default();
    if !is_missing(call.files, call.folder, path) {
        return call.unknown();
    }
    Value::unknown(call.symbol.clone().because(Cause::MissingFile), call.span)
}

/// Whether the project would have the file at a path if there were one, and has none.
#[must_use]
pub(crate) fn is_missing(files: &Files, folder: &str, path: &str) -> bool {
    let is_read = READ.iter().any(|ending| path.ends_with(ending));
    is_read && locate(folder, path).is_some_and(|it| files.behind(&it).is_none())
}

/// The endings of files that the project holds all of.
const READ: [&str; 3] = [".yaml", ".yml", ".tf"];

/// `fileexists`: whether a file outside of the project exists is not known.
///
/// # Errors
/// When the argument is no text.
pub(crate) fn file_exists(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let path = argument::text(call, arguments, 0)?;
    let found = locate(call.folder, &path).and_then(|it| call.files.behind(&it));
    Ok(match found {
        Some(_) => call.value(Kind::Bool(true)),
        None => call.unknown(),
    })
}

/// `filebase64`
///
/// # Errors
/// When the argument is no text.
pub(crate) fn file_base64(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let bytes = bytes(call, arguments)?;
    Ok(bytes.map_or_else(|| call.unknown(), |it| call.text(base64::encode_bytes(it))))
}

/// The bytes of the file an argument names, if they are known.
///
/// # Errors
/// When the argument is no text.
pub(crate) fn bytes<'a>(
    call: &Call<'a>,
    arguments: &[Value],
) -> Result<Option<&'a [u8]>, EvaluationError> {
    let file = named(call, arguments)?.map(|it| call.files.get(it));
    Ok(file.filter(|it| !it.is_transcoded()).map(|it| it.text().as_bytes()))
}

/// `fileset`: the project's files below a folder that match a pattern. Files the project leaves out
/// (ignored, or of a kind that is not read) may match too, hence the list stays open.
///
/// # Errors
/// When an argument is no text.
pub(crate) fn file_set(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let folder = argument::text(call, arguments, 0)?;
    let pattern = argument::text(call, arguments, 1)?;
    let (Some(folder), Some(matcher)) = (locate(call.folder, &folder), matcher(&pattern)) else {
        return Ok(call.unknown());
    };
    let mut items = Vec::new();
    for (id, file) in call.files.iter() {
        let rest = match folder.as_str() {
            "" => Some(file.path()),
            folder => file.path().strip_prefix(folder).and_then(|it| it.strip_prefix('/')),
        };
        if let Some(path) = rest.filter(|it| matcher.is_match(it)) {
            items.push(Value::computed(path, Span::new(id, 0, 0)));
        }
        if items.len() > MOST_ITEMS {
            return Ok(call.unknown());
        }
    }
    if items.is_empty() {
        return Ok(call.unknown());
    }
    // Of these kinds the project holds every file.
    let complete = READ.iter().any(|it| pattern.ends_with(it));
    let rest = (!complete).then(|| call.symbol.clone());
    Ok(call.value(Kind::List(Arc::new(List { items, rest, is_set: true }))))
}

fn matcher(pattern: &str) -> Option<GlobSet> {
    glob::matcher(GlobBuilder::new(pattern).literal_separator(true))
}

/// `basename`
///
/// # Errors
/// When the argument is no text.
pub(crate) fn base_name(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let path = argument::text(call, arguments, 0)?;
    let trimmed = path.trim_end_matches('/');
    Ok(call.text(match (trimmed, &*path) {
        ("", "") => ".",
        ("", _) => "/",
        (trimmed, _) => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }))
}

/// `dirname`
///
/// # Errors
/// When the argument is no text.
pub(crate) fn folder_name(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let path = argument::text(call, arguments, 0)?;
    Ok(call.text(clean(path.rfind('/').map_or("", |at| &path[..=at]))))
}

/// `pathexpand`: the home folder is not known.
///
/// # Errors
/// When the argument is no text.
pub(crate) fn path_expand(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let path = argument::text(call, arguments, 0)?;
    Ok(if path.starts_with('~') { call.unknown() } else { call.text(path) })
}

/// The shortest path of the same meaning, as Go's `filepath.Clean` makes it.
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
