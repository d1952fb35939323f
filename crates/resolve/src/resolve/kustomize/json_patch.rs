//! JSON patches (RFC 6902) over values with places.

use crate::{
    resolve::kustomize::edit::{fits, list_mut, map_mut, text},
    source::Span,
    value::{Entry, Kind, List, Value},
};

/// Why a patch cannot be applied, and at which of its places.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatchError {
    /// The operation's path, or the operation.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

/// More operations than is realistic.
const MAX_OPERATIONS: usize = 10_000;
/// Copies of copies grow fast.
const MAX_COPIES: usize = 200;

/// The document after all operations.
///
/// # Errors
/// When one of them does not fit the document; then none counts.
pub(super) fn apply(document: &Value, operations: &[Value]) -> Result<Value, PatchError> {
    let copies = operations.iter().filter(|it| !it.get("from").is_missing()).count();
    if let Some(first) = operations.first()
        && (operations.len() > MAX_OPERATIONS || copies > MAX_COPIES)
    {
        return Err(PatchError { span: first.span, message: "too many operations".to_owned() });
    }
    let mut result = document.clone();
    for operation in operations {
        step(&mut result, operation)?;
    }
    Ok(result)
}

fn step(document: &mut Value, operation: &Value) -> Result<(), PatchError> {
    let refuse = |span: Span, message: &str| Err(PatchError { span, message: message.to_owned() });
    let Some(path) = operation.get("path").present() else {
        return refuse(operation.span, "the operation has no `path`");
    };
    let Some(pointer) = text(path).and_then(|it| parse(&it)) else {
        return refuse(path.span, "the path does not start with `/`");
    };
    let missing =
        || PatchError { span: path.span, message: "there is nothing at this path".into() };
    let written = operation.as_map().and_then(|it| it.entry("value")).map(|it| it.value.clone());
    let from = || -> Result<(Vec<String>, Value), PatchError> {
        let from = operation.get("from").present().and_then(text).and_then(|it| parse(&it));
        let from = from.ok_or_else(missing)?;
        let value = get(document, &from).cloned().ok_or_else(missing)?;
        Ok((from, value))
    };
    let or_null = || written.clone().unwrap_or_else(|| Value::new(Kind::Null, operation.span));
    match operation.get("op").present().and_then(Value::as_str) {
        Some("add") => put(document, &pointer, or_null(), path.span, insert).ok_or_else(missing),
        Some("replace") => {
            put(document, &pointer, or_null(), path.span, exchange).ok_or_else(missing)
        }
        Some("remove") => take(document, &pointer).map(drop).ok_or_else(missing),
        Some("copy") => {
            let (_, value) = from()?;
            put(document, &pointer, value, path.span, insert).ok_or_else(missing)
        }
        Some("move") => {
            let (source, value) = from()?;
            take(document, &source).ok_or_else(missing)?;
            put(document, &pointer, value, path.span, insert).ok_or_else(missing)
        }
        Some("test") => {
            let found = get(document, &pointer);
            let same = match (found, &written) {
                (Some(found), Some(written)) => found.same_as(written) != Some(false),
                (found, _) => found.is_none_or(Value::is_null),
            };
            if same { Ok(()) } else { refuse(path.span, "the test of this path fails") }
        }
        _ => refuse(operation.span, "the operation is none of JSON patch"),
    }
}

/// The steps of a pointer; `None` if it is not one.
fn parse(pointer: &str) -> Option<Vec<String>> {
    let unescape = |it: &str| it.replace("~1", "/").replace("~0", "~");
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    Some(pointer.strip_prefix('/')?.split('/').map(unescape).collect())
}

fn get<'a>(document: &'a Value, pointer: &[String]) -> Option<&'a Value> {
    pointer.iter().try_fold(document, |value, step| match &value.kind {
        Kind::Map(map) => map.entry(step).map(|it| &it.value),
        Kind::List(list) => list.items.get(index(step, list.items.len())?),
        _ => None,
    })
}

fn get_mut<'a>(document: &'a mut Value, pointer: &[String]) -> Option<&'a mut Value> {
    let mut value = document;
    for step in pointer {
        value = if value.as_map().is_some() {
            let map = map_mut(value)?;
            &mut map.entries.iter_mut().find(|it| *it.key == **step)?.value
        } else {
            let list = list_mut(value)?;
            let at = index(step, list.items.len())?;
            list.items.get_mut(at)?
        };
    }
    Some(value)
}

/// A position in a list; a negative one counts from the end.
fn index(step: &str, len: usize) -> Option<usize> {
    match step.strip_prefix('-') {
        Some(back) => len.checked_sub(back.parse::<usize>().ok()?),
        None => step.parse().ok(),
    }
}

/// Puts a value at a pointer: in a mapping in place of what is there, in a list as `into_list` does. As in
/// kustomize, a key that is not there is added, whatever the operation.
fn put(
    document: &mut Value,
    pointer: &[String],
    value: Value,
    place: Span,
    into_list: fn(&mut List, &str, Value) -> Option<()>,
) -> Option<()> {
    let (key, parents) = pointer.split_last().filter(|_| fits(&value, pointer.len()))?;
    get(document, parents)?;
    let parent = get_mut(document, parents)?;
    let Some(map) = map_mut(parent) else { return into_list(list_mut(parent)?, key, value) };
    let value = value.named(place);
    match map.entries.iter_mut().find(|it| *it.key == **key) {
        Some(entry) => {
            entry.value = value;
            entry.key_span = place;
        }
        None => map.entries.push(Entry { key: key.as_str().into(), key_span: place, value }),
    }
    Some(())
}

/// Puts an item before the one at a position; `-` is the end.
fn insert(list: &mut List, key: &str, value: Value) -> Option<()> {
    let at = if key == "-" { list.items.len() } else { index(key, list.items.len())? };
    (at <= list.items.len()).then(|| list.items.insert(at, value))
}

/// Puts an item in the place of another.
fn exchange(list: &mut List, key: &str, value: Value) -> Option<()> {
    let at = index(key, list.items.len())?;
    *list.items.get_mut(at)? = value;
    Some(())
}

fn take(document: &mut Value, pointer: &[String]) -> Option<Value> {
    get(document, pointer)?;
    let (key, parents) = pointer.split_last()?;
    let parent = get_mut(document, parents)?;
    if let Some(map) = map_mut(parent) {
        let at = map.entries.iter().position(|it| *it.key == **key)?;
        return Some(map.entries.remove(at).value);
    }
    let list = list_mut(parent)?;
    let at = index(key, list.items.len())?;
    (at < list.items.len()).then(|| list.items.remove(at))
}

#[cfg(test)]
mod tests {
    use super::apply;
    use crate::{source::FileId, syntax::yaml, value::Value};

    fn read(source: &str) -> Value {
        yaml::parse_file(FileId(0), source).values.remove(0)
    }

    #[test]
    fn operations_follow_the_rfc() {
        let cases = [
            ("{a: 1}", "[{op: add, path: /b, value: 2}]", Some("{a: 1, b: 2}")),
            ("{a: [1, 3]}", "[{op: add, path: /a/1, value: 2}]", Some("{a: [1, 2, 3]}")),
            ("{a: [1]}", "[{op: add, path: /a/-, value: 2}]", Some("{a: [1, 2]}")),
            ("{a: [1]}", "[{op: add, path: /a/7, value: 2}]", None),
            ("{a: {}}", "[{op: add, path: /b/c, value: 2}]", None),
            ("{a: {x/y: 1}}", "[{op: replace, path: /a/x~1y, value: 2}]", Some("{a: {x/y: 2}}")),
            ("{a: {x~y: 1}}", "[{op: remove, path: /a/x~0y}]", Some("{a: {}}")),
            ("{a: 1}", "[{op: replace, path: /b, value: 2}]", Some("{a: 1, b: 2}")),
            ("{a: 1}", "[{op: replace, path: /b/c, value: 2}]", None),
            ("{a: 1}", "[{op: remove, path: /b}]", None),
            ("{a: 1}", "[{op: move, from: /a, path: /b}]", Some("{b: 1}")),
            ("{a: [1, 2]}", "[{op: copy, from: /a/1, path: /a/0}]", Some("{a: [2, 1, 2]}")),
            ("{a: 1}", "[{op: test, path: /a, value: 1}]", Some("{a: 1}")),
            ("{a: 1}", "[{op: test, path: /a, value: 2}]", None),
            ("{a: 1}", "[{op: test, path: /b, value: null}]", Some("{a: 1}")),
            ("{a: 1}", "[{op: drop, path: /a}]", None),
            ("{a: 1}", "[{op: add, path: '', value: {}}]", None),
            ("{a: 1}", "[{op: remove, path: a}]", None),
        ];
        for (document, patch, expected) in cases {
            let result = apply(&read(document), read(patch).items());
            let expected = expected.map(read);
            match (&result, &expected) {
                (Ok(result), Some(expected)) => {
                    assert_eq!(result.same_as(expected), Some(true), "{document} {patch}");
                }
                (Err(_), None) => {}
                _ => panic!("{document} {patch}: {result:?}"),
            }
        }
    }
}
