//! Label selectors and labels, with unknown parts.

pub mod near_miss;

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    resolve::answers::all,
    source::Span,
    value::{Field, Kind, Value},
};

/// A label and its value.
type Label = (Arc<str>, Option<Arc<str>>);

/// The labels of a pod.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// The labels in the order of their keys; `None` where the value is unknown.
    list: Box<[Label]>,
    /// Whether there may be others.
    open: bool,
}

/// What a label selector asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
    scope: SelectorReach,
}

/// What a whole selector selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SelectorReach {
    /// It matches nothing, whatever it is compared with.
    Nothing,
    /// It matches what meets the requirements.
    Known,
    /// There may be more requirements than those read.
    Open,
}

/// One thing a selector asks of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// What is asked of it.
    pub operator: LabelOperator,
    /// Where that is written.
    pub span: Span,
}

/// What is asked of one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelOperator {
    /// The value is one of these; `None` is an unknown one.
    In(Vec<Option<String>>),
    /// There is no such label or its value is none of these.
    NotIn(Vec<Option<String>>),
    /// There is such a label.
    Exists,
    /// There is no such label.
    DoesNotExist,
    /// The value is a greater number; only a node affinity may ask that.
    Above(i64),
    /// The value is a smaller number; only a node affinity may ask that.
    Below(i64),
}

impl Labels {
    /// Reads labels; what is not written is empty.
    #[must_use]
    pub fn read(field: Field<'_>) -> Self {
        match field {
            Field::Missing => Self::default(),
            Field::Present(Value { kind: Kind::Map(map), .. }) => {
                let pairs = map.entries.iter().map(|it| (Arc::clone(&it.key), shared(&it.value)));
                Self { open: map.rest.is_some(), ..Self::of(pairs) }
            }
            Field::Present(_) | Field::Unknown => Self::default().and_others(),
        }
    }

    /// Labels of which each counts as it is given last.
    fn of(pairs: impl Iterator<Item = Label>) -> Self {
        let list: BTreeMap<_, _> = pairs.collect();
        Self { list: list.into_iter().collect(), open: false }
    }

    /// Labels that are all known.
    #[must_use]
    pub fn known<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let own = |(key, value): (&str, &str)| (key.into(), Some(value.into()));
        Self::of(pairs.into_iter().map(own))
    }

    /// The same, when there may be others.
    #[must_use]
    pub fn and_others(self) -> Self {
        Self { open: true, ..self }
    }

    /// Whether there are certainly none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.open
    }

    /// The value of a label, if it is there and known.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.find(key)?.as_deref()
    }

    /// The labels whose value is known.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().filter_map(|(key, value)| Some((key, value?)))
    }

    /// The labels, each with its value if that is known.
    pub fn all(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.list.iter().map(|(key, value)| (&**key, value.as_deref()))
    }

    /// Whether there may be others.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether there may be such a label without its value being known.
    #[must_use]
    pub fn is_in_doubt(&self, key: &str) -> bool {
        self.find(key).map_or(self.open, Option::is_none)
    }

    fn find(&self, key: &str) -> Option<&Option<Arc<str>>> {
        let found = self.list.binary_search_by(|it| (*it.0).cmp(key)).ok()?;
        self.list.get(found).map(|it| &it.1)
    }
}

/// The text of a label's value, as it is kept by the value.
fn shared(value: &Value) -> Option<Arc<str>> {
    match &value.kind {
        Kind::String(text) if text.known().is_some() => Some(Arc::clone(&text.text)),
        _ => text(value).map(Arc::from),
    }
}

/// The text of a label's value. Null is empty; anything else than text would be refused.
fn text(value: &Value) -> Option<String> {
    match &value.kind {
        Kind::Null => Some(String::new()),
        Kind::Bool(value) => Some(value.to_string()),
        Kind::Number(value) => Some(value.to_string()),
        _ => value.as_str().map(str::to_owned),
    }
}

impl Selector {
    /// Reads a selector. One that is not written, or null, matches nothing; an empty one matches
    /// everything, except in `policy/v1beta1`, where it matches nothing.
    #[must_use]
    pub fn read(field: Field<'_>, api_version: &str) -> Self {
        let nothing = Self { requirements: Vec::new(), scope: SelectorReach::Nothing };
        match field {
            Field::Missing => nothing,
            Field::Present(value) => match &value.kind {
                Kind::Null => nothing,
                Kind::Map(map) => {
                    let mut selector =
                        Self { requirements: Vec::new(), scope: SelectorReach::Known };
                    if map.rest.is_some() {
                        selector.scope = SelectorReach::Open;
                    }
                    selector.add_labels(value.get("matchLabels"));
                    selector.add_expressions(value.get("matchExpressions"));
                    let empty =
                        selector.requirements.is_empty() && selector.scope == SelectorReach::Known;
                    if empty && api_version == "policy/v1beta1" { nothing } else { selector }
                }
                _ => Self { scope: SelectorReach::Open, ..nothing },
            },
            Field::Unknown => Self { scope: SelectorReach::Open, ..nothing },
        }
    }

    /// Reads a plain mapping of labels that must all be there, as in a Service or a Fargate profile.
    #[must_use]
    pub fn of_labels(field: Field<'_>) -> Self {
        let mut selector = Self { requirements: Vec::new(), scope: SelectorReach::Known };
        selector.add_labels(field);
        selector
    }

    /// Whether it matches everything there is.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty() && self.scope == SelectorReach::Known
    }

    /// Whether it certainly matches nothing, whatever the labels.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.scope == SelectorReach::Nothing
    }

    /// Whether all it asks for is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        let whole = |it: &Requirement| match &it.operator {
            LabelOperator::In(values) | LabelOperator::NotIn(values) => {
                values.iter().all(Option::is_some)
            }
            _ => true,
        };
        self.scope != SelectorReach::Open && self.requirements.iter().all(whole)
    }

    /// The things it asks for, as far as they are known.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The same, asking for nothing else than this label.
    #[must_use]
    pub fn only(&self, key: &str) -> Self {
        let about = self.requirements.iter().filter(|it| it.key == key).cloned();
        let scope = if self.scope == SelectorReach::Nothing {
            SelectorReach::Nothing
        } else {
            SelectorReach::Known
        };
        Self { requirements: about.collect(), scope }
    }

    /// The same, asking nothing of some labels.
    #[must_use]
    pub fn without(&self, label: impl Fn(&str) -> bool) -> Self {
        let others = self.requirements.iter().filter(|it| !label(&it.key)).cloned();
        Self { requirements: others.collect(), scope: self.scope }
    }

    /// Whether it may ask for more than is read.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.scope == SelectorReach::Open
    }

    /// How many things it asks for.
    #[must_use]
    pub fn requirement_count(&self) -> usize {
        self.requirements.len()
    }

    /// The labels it asks for, each with the values it accepts, where all of them are known.
    pub fn choices(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.requirements.iter().filter_map(|it| match &it.operator {
            LabelOperator::In(values) if !values.is_empty() => {
                let known: Option<Vec<&str>> = values.iter().map(Option::as_deref).collect();
                Some((it.key.as_str(), known?))
            }
            _ => None,
        })
    }

    fn add_labels(&mut self, field: Field<'_>) {
        let map = match field {
            Field::Missing => return,
            Field::Present(Value { kind: Kind::Map(map), .. }) => map,
            Field::Present(_) | Field::Unknown => {
                self.scope = SelectorReach::Open;
                return;
            }
        };
        if map.rest.is_some() {
            self.scope = SelectorReach::Open;
        }
        self.requirements.extend(map.entries.iter().map(|it| Requirement {
            key: it.key.to_string(),
            operator: LabelOperator::In(vec![text(&it.value)]),
            span: it.key_span.to(it.value.span),
        }));
    }

    fn add_expressions(&mut self, field: Field<'_>) {
        let list = match field {
            Field::Missing => return,
            Field::Present(Value { kind: Kind::List(list), .. }) => list,
            Field::Present(_) | Field::Unknown => {
                self.scope = SelectorReach::Open;
                return;
            }
        };
        if list.rest.is_some() {
            self.scope = SelectorReach::Open;
        }
        for item in &list.items {
            match Requirement::read(item) {
                Some(requirement) => self.requirements.push(requirement),
                None => self.scope = SelectorReach::Open,
            }
        }
    }
}

impl Requirement {
    fn read(value: &Value) -> Option<Self> {
        let known = |key: &str| value.get(key).present().and_then(Value::as_str);
        let operator = match known("operator")? {
            "In" => LabelOperator::In(values(value.get("values"))),
            "NotIn" => LabelOperator::NotIn(values(value.get("values"))),
            "Exists" => LabelOperator::Exists,
            "DoesNotExist" => LabelOperator::DoesNotExist,
            "Gt" => LabelOperator::Above(bound(value)?),
            "Lt" => LabelOperator::Below(bound(value)?),
            _ => return None,
        };
        Some(Self { key: known("key")?.to_owned(), operator, span: value.span })
    }

    pub(crate) fn met_by(&self, labels: &Labels) -> Option<bool> {
        let absent = if labels.open { None } else { Some(false) };
        let found = labels.find(&self.key);
        match (&self.operator, found) {
            (LabelOperator::Exists, Some(_)) => Some(true),
            (LabelOperator::DoesNotExist, Some(_)) => Some(false),
            (LabelOperator::DoesNotExist | LabelOperator::NotIn(_), None) => absent.map(|it| !it),
            (LabelOperator::In(values), Some(value)) => one_of(values, value.as_deref()),
            (LabelOperator::Above(bound), Some(value)) => {
                Some(number(value.as_deref()?).is_some_and(|it| it > *bound))
            }
            (LabelOperator::Below(bound), Some(value)) => {
                Some(number(value.as_deref()?).is_some_and(|it| it < *bound))
            }
            (_, None) => absent,
            (LabelOperator::NotIn(values), Some(value)) => {
                one_of(values, value.as_deref()).map(|it| !it)
            }
        }
    }
}

/// The one number of an expression that compares.
fn bound(value: &Value) -> Option<i64> {
    match value.get("values").present()?.items() {
        [only] => number(&text(only)?),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// The values of an expression; one unknown value is an unknown rest of the list.
fn values(field: Field<'_>) -> Vec<Option<String>> {
    match field {
        Field::Missing => Vec::new(),
        Field::Present(Value { kind: Kind::List(list), .. }) => {
            let rest = list.rest.as_ref().map(|_| None);
            list.items.iter().map(text).chain(rest).collect()
        }
        Field::Present(_) | Field::Unknown => vec![None],
    }
}

fn one_of(values: &[Option<String>], value: Option<&str>) -> Option<bool> {
    if values.is_empty() {
        return Some(false);
    }
    let value = value?;
    if values.iter().any(|it| it.as_deref() == Some(value)) {
        return Some(true);
    }
    if values.iter().any(Option::is_none) { None } else { Some(false) }
}

/// Whether the selector matches the labels; `None` if that depends on something unknown.
#[must_use]
pub fn matches(selector: &Selector, labels: &Labels) -> Option<bool> {
    if selector.scope == SelectorReach::Nothing {
        return Some(false);
    }
    let unseen = selector.is_open().then_some(None);
    all(selector.requirements.iter().map(|it| it.met_by(labels)).chain(unseen))
}

#[cfg(test)]
mod tests;
