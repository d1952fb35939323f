//! `set` of a Helm release: one value at a path.

use std::sync::Arc;

use crate::{
    resolve::helm::merge::merge,
    source::Span,
    syntax::yaml,
    value::{Entry, HOLE_START, Kind, List, Map, Symbol, Text, Value},
};

/// Helm refuses deeper paths.
const MAX_DEPTH: usize = 30;
/// Helm takes indices up to 65536 and fills the list up with nulls, which is never intended.
const MAX_INDEX: usize = 1024;

/// How a set's value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// As `--set` does: true, false, null and whole numbers are what they look like, `{a,b}` is a list.
    Auto,
    /// As `--set-string` does: always text.
    Text,
    /// The name is one key at the top, the value is YAML.
    Literal,
    /// `set_list`: the value is a list already.
    List,
}

impl SetKind {
    /// The kind that a `type` argument names; without one it is [`SetKind::Auto`].
    #[must_use]
    pub fn of_type(name: Option<&str>) -> Self {
        match name {
            Some("string") => Self::Text,
            Some("literal") => Self::Literal,
            _ => Self::Auto,
        }
    }
}

/// One value to set.
#[derive(Clone, Debug)]
pub struct Set {
    /// The path: `controller.tolerations[0].key`.
    pub name: Value,
    /// The value.
    pub value: Value,
    /// How it is read.
    pub kind: SetKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathSegment {
    Key(String),
    Index(usize),
}

/// The values after the set. A path that Helm would refuse changes nothing; one that is not wholly
/// known leaves open what lies below its known part.
#[must_use]
pub(crate) fn apply(values: Value, set: &Set) -> Value {
    let name = match &set.name.kind {
        Kind::String(text) => text,
        Kind::Unknown(symbol) => return hidden(values, &[], symbol, set.name.span),
        _ => return values,
    };
    let path = match (set.kind, name.known()) {
        (SetKind::Literal, Some(key)) => Some(vec![PathSegment::Key(key.to_owned())]),
        (_, Some(path)) => parse(path),
        (_, None) => {
            let Some(symbol) = name.holes.first() else { return values };
            let before = name.text.split(HOLE_START).next().unwrap_or_default();
            let prefix = before.rsplit_once('.').map_or(Some(Vec::new()), |(it, _)| parse(it));
            return hidden(values, &prefix.unwrap_or_default(), symbol, set.name.span);
        }
    };
    let Some(path) = path.filter(|it| !it.is_empty()) else { return values };
    place(values, &path, typed(&set.value, set.kind), set.name.span)
}

/// The segments of a path in Helm's syntax; `None` if Helm would refuse it.
fn parse(path: &str) -> Option<Vec<PathSegment>> {
    let mut segments = Vec::new();
    let mut key = String::new();
    let mut letters = path.chars();
    let mut after_index = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => key.push(letters.next()?),
            '.' if after_index => after_index = false,
            '.' => segments.push(PathSegment::Key(take(&mut key)?)),
            '[' => {
                if !after_index {
                    segments.push(PathSegment::Key(take(&mut key)?));
                }
                let digits: String = letters.by_ref().take_while(|it| *it != ']').collect();
                let index = digits.trim().parse().ok().filter(|it| *it <= MAX_INDEX)?;
                segments.push(PathSegment::Index(index));
                after_index = true;
            }
            '=' | ',' => return None,
            _ if after_index => return None,
            letter => key.push(letter),
        }
    }
    if !after_index {
        segments.push(PathSegment::Key(take(&mut key)?));
    }
    (segments.len() <= MAX_DEPTH).then_some(segments)
}

fn take(key: &mut String) -> Option<String> {
    (!key.is_empty()).then(|| std::mem::take(key))
}

/// Puts the leaf at the path, making what is missing on the way.
fn place(value: Value, path: &[PathSegment], leaf: Value, name: Span) -> Value {
    let Some((segment, rest)) = path.split_first() else { return leaf.named(name) };
    match segment {
        PathSegment::Key(key) => {
            let mut map = match value.kind {
                Kind::Map(map) => Arc::unwrap_or_clone(map),
                Kind::Unknown(symbol) => Map { entries: Vec::new(), rest: Some(symbol) },
                _ => Map::default(),
            };
            if let Some(entry) = map.entries.iter_mut().find(|it| *it.key == **key) {
                let earlier = std::mem::replace(&mut entry.value, Value::new(Kind::Null, name));
                entry.value = place(earlier, rest, leaf, name);
                if rest.is_empty() {
                    entry.key_span = name;
                }
            } else {
                let made = place(missing(map.rest.as_ref(), name), rest, leaf, name);
                let key = Arc::from(key.as_str());
                map.entries.push(Entry { key, key_span: name, value: made });
            }
            Value::new(Kind::Map(Arc::new(map)), value.span).named(value.name)
        }
        PathSegment::Index(index) => {
            let mut list = match value.kind {
                Kind::List(list) => Arc::unwrap_or_clone(list),
                Kind::Unknown(symbol) => List { rest: Some(symbol), ..List::default() },
                // What leaves a mapping open may have put a list in its place.
                Kind::Map(map) => List { rest: map.rest.clone(), ..List::default() },
                _ => List::default(),
            };
            while list.items.len() <= *index {
                list.items.push(missing(list.rest.as_ref(), name));
            }
            if let Some(item) = list.items.get_mut(*index) {
                let earlier = std::mem::replace(item, Value::new(Kind::Null, name));
                *item = place(earlier, rest, leaf, name);
            }
            Value::new(Kind::List(Arc::new(list)), value.span).named(value.name)
        }
    }
}

/// The value where nothing is written: null or unknown.
fn missing(rest: Option<&Symbol>, span: Span) -> Value {
    match rest {
        Some(symbol) => Value::unknown(symbol.clone(), span),
        None => Value::new(Kind::Null, span),
    }
}

/// Leaves open what lies at the path and below.
fn hidden(values: Value, path: &[PathSegment], symbol: &Symbol, span: Span) -> Value {
    let anything = Map { entries: Vec::new(), rest: Some(symbol.clone()) };
    let mut over = Value::new(Kind::Map(Arc::new(anything)), span);
    for segment in path.iter().rev() {
        over = match segment {
            PathSegment::Key(key) => {
                let entry = Entry { key: Arc::from(key.as_str()), key_span: span, value: over };
                Value::map(vec![entry], span)
            }
            // Which item it is does not matter any more: the list is open.
            PathSegment::Index(_) => Value::unknown(symbol.clone(), span),
        };
    }
    let kept = (values.span, values.name);
    let merged = merge(values, &over);
    Value { span: kept.0, name: kept.1, ..merged }
}

/// The value as Helm reads it.
fn typed(value: &Value, kind: SetKind) -> Value {
    match (kind, &value.kind) {
        (SetKind::Literal, Kind::String(text)) => {
            let documents = yaml::parse(text, value.span);
            documents.values.into_iter().next().unwrap_or_else(|| value.clone())
        }
        (SetKind::Auto, Kind::String(text)) => match text.known() {
            Some(known) => typed_text(known, value),
            None => value.clone(),
        },
        (SetKind::Text, Kind::String(text)) => match text.known() {
            Some(known) if known.contains('\\') => with(value, unescape(known)),
            _ => value.clone(),
        },
        (SetKind::Text, Kind::Bool(flag)) => with(value, flag.to_string()),
        (SetKind::Text, Kind::Number(number)) => with(value, number.to_string()),
        (SetKind::List, Kind::List(list)) => {
            let items = list.items.iter().map(|it| typed(it, SetKind::Auto)).collect();
            let list = List { items, rest: list.rest.clone(), is_set: false };
            Value { kind: Kind::List(Arc::new(list)), ..value.clone() }
        }
        _ => value.clone(),
    }
}

fn typed_text(text: &str, value: &Value) -> Value {
    let list = text.trim().strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    match list {
        Some("") => Value { kind: Kind::List(Arc::default()), ..value.clone() },
        Some(items) => {
            let items = split(items).iter().map(|it| scalar(it, value)).collect();
            let list = List { items, ..List::default() };
            Value { kind: Kind::List(Arc::new(list)), ..value.clone() }
        }
        None => scalar(text, value),
    }
}

/// The items of a list; a comma after a backslash belongs to an item.
fn split(items: &str) -> Vec<String> {
    let mut escaped = false;
    let parts = items.split(|letter| {
        let ends = letter == ',' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    parts.map(|it| it.trim_start().to_owned()).collect()
}

fn scalar(text: &str, value: &Value) -> Value {
    let kind = match text {
        "true" => Kind::Bool(true),
        "false" => Kind::Bool(false),
        "null" => Kind::Null,
        _ => match number(text) {
            Some(number) => Kind::Number(number),
            None if text.contains('\\') => return with(value, unescape(text)),
            None if value.as_str() == Some(text) => return value.clone(),
            None => return with(value, text.to_owned()),
        },
    };
    Value { kind, ..value.clone() }
}

/// Whole numbers without a leading zero; anything else stays text.
fn number(text: &str) -> Option<f64> {
    if text != "0" && text.starts_with('0') {
        return None;
    }
    let whole: i64 = text.parse().ok()?;
    whole.to_string().parse().ok()
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            letter => plain.push(letter),
        }
    }
    plain
}

fn with(value: &Value, text: String) -> Value {
    Value { kind: Kind::String(Text::computed(text)), ..value.clone() }
}
