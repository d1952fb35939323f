//! The labels of a pool's nodes: what its template and its requirements leave open.

pub mod overlap;

use std::collections::BTreeMap;

use crate::{
    model::{
        node_label::{NODE_POOL, today},
        requirement::{Requirements, value_set::ValueSet},
    },
    resolve::{
        pod::selector::{LabelOperator, Labels},
        setting::Setting,
    },
    source::Span,
    value::{Field, Kind, Value},
};

/// What a pool's nodes may be labelled with.
#[derive(Clone, Debug)]
pub struct Offerings {
    labels: Labels,
    /// The requirements as they are written, without the labels.
    written: Requirements,
    /// Those together with the labels of the template and the name of the pool.
    all: Requirements,
    /// Where each is written, the requirements first.
    places: BTreeMap<String, Vec<Place>>,
    /// The values of those with `In`, one by one.
    listed: Vec<(String, String, Span)>,
}

/// Where something is asked of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The whole requirement, or the label.
    pub span: Span,
    /// Its values.
    pub values: Span,
    /// Whether it is a label of the template.
    pub is_label: bool,
}

impl Offerings {
    /// Reads the template of a pool of that name.
    #[must_use]
    pub fn read(template: Field<'_>, name: &Setting<String>) -> Self {
        let labels = template.get("metadata").get("labels");
        Self::of(labels, template.get("spec").get("requirements"), name)
    }

    /// What labels and requirements say of the nodes of a pool of that name.
    #[must_use]
    pub fn of(labels: Field<'_>, requirements: Field<'_>, name: &Setting<String>) -> Self {
        let mut offerings = Self {
            labels: Labels::read(labels),
            written: Requirements::default(),
            all: Requirements::default(),
            places: BTreeMap::new(),
            listed: Vec::new(),
        };
        match requirements {
            Field::Missing => {}
            Field::Present(Value { kind: Kind::List(list), .. }) => {
                list.items.iter().for_each(|it| offerings.add(it));
                if list.rest.is_some() {
                    offerings.written.open();
                }
            }
            Field::Present(value) if value.is_null() => {}
            Field::Present(_) | Field::Unknown => offerings.written.open(),
        }
        offerings.all = offerings.written.and(&labels_of(labels));
        for entry in labels.present().map_or(&[][..], Value::entries) {
            let span = entry.key_span.to(entry.value.span);
            let place = Place { span, values: entry.value.span, is_label: true };
            offerings.places.entry(today(&entry.key).to_owned()).or_default().push(place);
        }
        offerings.all.add(NODE_POOL, ValueSet::one_of([name.known().map(String::as_str)]));
        offerings
    }

    /// Adds a label that Karpenter gives the nodes itself.
    pub(super) fn add_label(&mut self, key: &str, value: &Setting<String>) {
        self.all.add(key, ValueSet::one_of([value.known().map(String::as_str)]));
    }

    /// The same, where something that is not seen may change them.
    pub(super) fn in_doubt(&mut self) {
        self.written.open();
        self.all.open();
    }

    /// What is required of the labels of its nodes.
    #[must_use]
    pub fn requirements(&self) -> &Requirements {
        &self.all
    }

    /// The same, without the labels of the template.
    #[must_use]
    pub fn written(&self) -> &Requirements {
        &self.written
    }

    /// Where something is required of a label.
    #[must_use]
    pub fn places(&self, key: &str) -> &[Place] {
        self.places.get(key).map_or(&[], Vec::as_slice)
    }

    /// The values that a label is required to have one of, each where it is written.
    pub fn listed<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (&'a str, Span)> {
        let own = self.listed.iter().filter(move |it| it.0 == key);
        own.map(|(_, value, span)| (value.as_str(), *span))
    }

    /// Whether its nodes certainly run another system than Linux.
    #[must_use]
    pub fn is_windows(&self) -> bool {
        self.written.get("kubernetes.io/os").is_some_and(|it| it.admits("linux") == Some(false))
    }

    fn add(&mut self, written: &Value) {
        let Some((key, set)) = requirement(written) else { return self.written.open() };
        let key = today(key);
        self.written.add(key, set);
        if written.get("operator").present().and_then(Value::as_str) == Some("In") {
            let items = written.get("values").present().map_or(&[][..], Value::items);
            let texts = items.iter().filter_map(|it| Some((it.as_str()?.to_owned(), it.span)));
            self.listed.extend(texts.map(|(text, span)| (key.to_owned(), text, span)));
        }
        let values = written.get("values").present().map_or(written.span, |it| it.span);
        let place = Place { span: written.span, values, is_label: false };
        self.places.entry(key.to_owned()).or_default().push(place);
    }
}

/// Reads a requirement of a pool; `None` where its key or its operator is not known.
fn requirement(written: &Value) -> Option<(&str, ValueSet)> {
    let text = |key: &str| written.get(key).present().and_then(Value::as_str);
    let values = values(written.get("values"));
    let listed = || values.iter().map(Option::as_deref);
    let bound = |admits: fn(i64) -> ValueSet| {
        let bound = written.get("values").present()?.items().first()?;
        let known = bound.to_number().and_then(whole);
        Some(known.map_or_else(ValueSet::unknown, admits))
    };
    let set = match text("operator")? {
        // The API server refuses one without values: what was meant is not known.
        "In" if values.is_empty() => ValueSet::unknown(),
        "In" => ValueSet::one_of(listed()),
        "NotIn" => ValueSet::none_of(listed()),
        "Exists" => ValueSet::any(),
        "DoesNotExist" => ValueSet::nothing(),
        "Gt" => bound(ValueSet::above)?,
        "Lt" => bound(ValueSet::below)?,
        "Gte" => bound(ValueSet::at_least)?,
        "Lte" => bound(ValueSet::at_most)?,
        _ => return None,
    };
    let least = written.get("minValues").present().and_then(Value::to_number).and_then(whole);
    let least = least.and_then(|it| u32::try_from(it).ok());
    Some((text("key")?, set.with_min_values(least)))
}

/// A whole number.
fn whole(number: f64) -> Option<i64> {
    number.to_string().parse().ok()
}

/// What labels require.
fn labels_of(labels: Field<'_>) -> Requirements {
    let mut found = Requirements::default();
    match labels {
        Field::Missing => {}
        Field::Present(value) => match value.as_map() {
            Some(map) => {
                let read = Labels::read(labels);
                for entry in &map.entries {
                    found.add(today(&entry.key), ValueSet::one_of([read.value(&entry.key)]));
                }
                if map.rest.is_some() {
                    found.open();
                }
            }
            None if value.is_null() => {}
            None => found.open(),
        },
        Field::Unknown => found.open(),
    }
    found
}

/// What pods ask of one label.
#[must_use]
pub fn asked(operator: &LabelOperator) -> ValueSet {
    match operator {
        LabelOperator::In(values) => ValueSet::one_of(values.iter().map(Option::as_deref)),
        LabelOperator::NotIn(values) => ValueSet::none_of(values.iter().map(Option::as_deref)),
        LabelOperator::Exists => ValueSet::any(),
        LabelOperator::DoesNotExist => ValueSet::nothing(),
        LabelOperator::Above(bound) => ValueSet::above(*bound),
        LabelOperator::Below(bound) => ValueSet::below(*bound),
    }
}

/// The texts of a list; one unknown text stands for a remainder.
fn values(field: Field<'_>) -> Vec<Option<String>> {
    match field {
        Field::Missing => Vec::new(),
        Field::Present(Value { kind: Kind::List(list), .. }) => {
            let text = |it: &Value| it.as_str().map(str::to_owned);
            let rest = list.rest.as_ref().map(|_| None);
            list.items.iter().map(text).chain(rest).collect()
        }
        Field::Present(_) | Field::Unknown => vec![None],
    }
}
