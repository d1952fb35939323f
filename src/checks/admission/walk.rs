//! The walk beside the schema: defaults, unknown names, nulls, shapes.

use std::sync::Arc;

use crate::{
    checks::admission::{
        checks::{self, culprit::Culprit},
        fault::{Fault, FaultKind},
        metadata,
        path::{Path, PathStep},
        text,
    },
    knowledge::schema::{
        checks::{Check, CheckAt},
        fields::{FieldBounds, FieldType, Unique},
        tree::{SchemaNode, SchemaTree},
    },
    source::Span,
    value::{Entry, Field, Kind, List, Map, Symbol, Value},
};

/// A walk through one resource.
pub(super) struct Walk {
    tree: &'static SchemaTree,
    /// What was found.
    pub(super) faults: Vec<Fault>,
}

impl Walk {
    pub(super) fn new(tree: &'static SchemaTree) -> Self {
        Self { tree, faults: Vec::new() }
    }

    /// Holds a value against its place in the schema. The answer is what the checks see: with defaults,
    /// without nulls and unknown names, and with something unknown for what is missing or so wrong that
    /// the API server makes no checks.
    pub(super) fn value(&mut self, value: &Value, node: &'static SchemaNode, path: &Path) -> Value {
        if value.is_unknown() || node.shape.holds == FieldType::Any {
            return value.clone();
        }
        let kind = match &value.kind {
            _ if !fits(value, node.shape.holds) => {
                self.refuse(FaultKind::Type(node.shape.holds), value.span, path, Some(value));
                None
            }
            Kind::Map(_) if node.path == "metadata" => {
                for it in metadata::refused(value, path) {
                    self.refuse(it.kind, it.span, &it.path, it.value.as_ref());
                }
                Some(value.kind.clone())
            }
            Kind::Map(map) => self.map(value, map, node, path),
            Kind::List(list) => self.list(value, list, node, path),
            Kind::String(_) => text::fault(value, node.shape)
                .is_none_or(|fault| self.refuse(fault, value.span, path, Some(value)))
                .then(|| value.kind.clone()),
            Kind::Number(number) => {
                if let Some(fault) = out_of_bounds(*number, &node.shape.number) {
                    self.refuse(fault, value.span, path, Some(value));
                }
                Some(value.kind.clone())
            }
            _ => Some(value.kind.clone()),
        };
        kind.map_or_else(|| nobody_knows(value), |kind| Value { kind, ..value.clone() })
    }

    /// Files a fault; whether the API server makes its checks all the same.
    pub(super) fn refuse(
        &mut self,
        kind: FaultKind,
        span: Span,
        path: &Path,
        value: Option<&Value>,
    ) -> bool {
        let goes_on = !matches!(
            kind,
            FaultKind::Missing { .. }
                | FaultKind::Enum(_)
                | FaultKind::Type(_)
                | FaultKind::Format(_)
                | FaultKind::TooLong(_)
                | FaultKind::TooMany(_)
        );
        let field = field_at(&self.tree.root, path);
        let (path, value) = (path.clone(), value.cloned());
        self.faults.push(Fault { kind, span, path, field, value, by_webhook: false });
        goes_on
    }

    fn map(
        &mut self,
        value: &Value,
        map: &Map,
        node: &'static SchemaNode,
        path: &Path,
    ) -> Option<Kind> {
        let mut seen = Map { entries: Vec::new(), rest: map.rest.clone() };
        for entry in &map.entries {
            let path = path.name(&entry.key);
            let Some(inside) = node.under(&entry.key) else {
                let known = node.fields.iter().map(|(name, _)| *name).collect();
                let kind = FaultKind::Unknown { name: entry.key.clone(), known };
                self.refuse(kind, entry.key_span, &path, Some(&entry.value));
                continue;
            };
            if inside.path == "status" {
                self.status(&entry.value, inside, &path);
            } else if !entry.value.is_null() {
                let value = self.value(&entry.value, inside, &path);
                seen.entries.push(Entry { value, ..entry.clone() });
            }
        }
        if seen.rest.is_none() && node.shape.holds == FieldType::Object {
            self.complete(&mut seen, value, node, path);
        }
        let most = node.shape.most_entries.filter(|it| seen.entries.len() > *it);
        let goes_on = most
            .is_none_or(|it| self.refuse(FaultKind::TooMany(it), value.name, path, Some(value)));
        goes_on.then(|| Kind::Map(Arc::new(seen)))
    }

    /// The status belongs to the controller: only its names are looked at.
    fn status(&mut self, value: &Value, node: &'static SchemaNode, path: &Path) {
        let before = self.faults.len();
        self.value(value, node, path);
        let of_status = self.faults.split_off(before).into_iter();
        self.faults.extend(of_status.filter(|it| matches!(it.kind, FaultKind::Unknown { .. })));
    }

    /// Fills in what is not written and has a default, and refuses what has none and is needed.
    fn complete(&mut self, seen: &mut Map, value: &Value, node: &'static SchemaNode, path: &Path) {
        for (name, inside) in &node.fields {
            if seen.entry(name).is_some() {
                continue;
            }
            let path = path.name(name);
            let absent = match &inside.shape.default {
                Some(default) => self.value(&written_at(default, value.name), inside, &path),
                None if inside.shape.required => {
                    self.refuse(FaultKind::Missing { name }, value.name, &path, None);
                    nobody_knows(value)
                }
                None => continue,
            };
            seen.entries.push(Entry { key: (*name).into(), key_span: value.name, value: absent });
        }
    }

    fn list(
        &mut self,
        value: &Value,
        list: &List,
        node: &'static SchemaNode,
        path: &Path,
    ) -> Option<Kind> {
        let count = list.items.len();
        let bounds = node.shape.items;
        let too_many = bounds.most.filter(|it| count > *it).map(FaultKind::TooMany);
        let too_few = bounds.least.filter(|it| count < *it && list.rest.is_none());
        let fault = too_many.or(too_few.map(FaultKind::TooFew));
        let goes_on = fault.is_none_or(|it| self.refuse(it, value.name, path, Some(value)));
        let twins = node.shape.unique.as_ref().map(|it| twins(&list.items, it));
        for (first, second) in twins.unwrap_or_default() {
            if let (Some(first), Some(again)) = (list.items.get(first), list.items.get(second)) {
                let kind = FaultKind::Duplicate { first: first.span };
                self.refuse(kind, again.span, &path.item(second), Some(again));
            }
        }
        let item = |(at, item): (usize, &Value)| match node.each.as_deref() {
            Some(each) => self.value(item, each, &path.item(at)),
            None => item.clone(),
        };
        let items = list.items.iter().enumerate().map(item).collect();
        goes_on.then(|| Kind::List(Arc::new(List { items, ..(*list).clone() })))
    }

    /// Makes the checks, in what the walk has left.
    pub(super) fn check(&mut self, value: &Value, node: &'static SchemaNode, path: &Path) {
        for check in &node.checks {
            for culprit in checks::culprits(&check.check, value, &self.tree.allowed_keys) {
                self.accuse(check, path, culprit);
            }
        }
        for entry in value.entries() {
            if let Some(inside) = node.under(&entry.key) {
                self.check(&entry.value, inside, &path.name(&entry.key));
            }
        }
        if let Some(each) = node.each.as_deref() {
            for (at, item) in value.items().iter().enumerate() {
                self.check(item, each, &path.item(at));
            }
        }
    }

    fn accuse(&mut self, made: &'static CheckAt, at: &Path, culprit: Culprit) {
        let path = at.join(&culprit.path);
        let Culprit { span, value, text, .. } = culprit;
        let number = value.as_ref().and_then(Value::as_number);
        // What a webhook checks of one field is the same to its author as what a CRD does.
        let kind = match (&made.check, number) {
            (Check::OneOf(texts), _) => FaultKind::Enum(texts),
            (Check::TextForm(pattern), _) => FaultKind::Pattern(pattern),
            (Check::NumberWithin(bounds), Some(number)) => {
                let Some(kind) = out_of_bounds(number, bounds) else { return };
                kind
            }
            (check, _) => FaultKind::Check { check, name: &made.name, at: at.clone(), text },
        };
        self.refuse(kind, span, &path, value.as_ref());
        if let Some(fault) = self.faults.last_mut() {
            fault.by_webhook = made.is_by_webhook();
        }
    }
}

/// Something not known, in place of a value.
fn nobody_knows(value: &Value) -> Value {
    Value::unknown(Symbol::new("", "refused"), value.span).named(value.name)
}

/// A default, as if it were written there.
fn written_at(default: &Value, span: Span) -> Value {
    let kind = match &default.kind {
        Kind::List(list) => {
            let items = list.items.iter().map(|it| written_at(it, span)).collect();
            Kind::List(Arc::new(List { items, ..List::default() }))
        }
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry {
                key: it.key.clone(),
                key_span: span,
                value: written_at(&it.value, span),
            };
            let entries = map.entries.iter().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: None }))
        }
        Kind::String(text) => return Value::computed(text.text.clone(), span),
        other => other.clone(),
    };
    Value::new(kind, span)
}

fn fits(value: &Value, wanted: FieldType) -> bool {
    let is_whole = |it: f64| it.fract() == 0.0;
    match (&value.kind, wanted) {
        (Kind::Map(_), FieldType::Object | FieldType::Map)
        | (Kind::List(_), FieldType::List)
        | (Kind::String(_), FieldType::Text | FieldType::IntegerOrText)
        | (Kind::Bool(_), FieldType::Boolean) => true,
        (Kind::Number(it), FieldType::Integer | FieldType::IntegerOrText) => is_whole(*it),
        _ => false,
    }
}

fn out_of_bounds(number: f64, bounds: &FieldBounds<f64>) -> Option<FaultKind> {
    let low = bounds.least.filter(|it| number < *it).map(FaultKind::Minimum);
    low.or(bounds.most.filter(|it| number > *it).map(FaultKind::Maximum))
}

/// The items that are certainly the same as an earlier one: the first of them, and the later.
fn twins(items: &[Value], unique: &Unique) -> Vec<(usize, usize)> {
    let is_same = |a: &Value, b: &Value| match unique {
        Unique::Item => a.same_as(b) == Some(true),
        Unique::Fields(names) => names.iter().all(|name| same_field(a.get(name), b.get(name))),
    };
    let twin = |(at, item): (usize, &Value)| {
        let before = items.get(..at)?.iter().position(|it| is_same(it, item))?;
        Some((before, at))
    };
    items.iter().enumerate().filter_map(twin).collect()
}

fn same_field(a: Field<'_>, b: Field<'_>) -> bool {
    match (a, b) {
        (Field::Present(a), Field::Present(b)) => a.same_as(b) == Some(true),
        (Field::Missing, Field::Missing) => true,
        _ => false,
    }
}

/// The path of a place as the data writes it.
fn field_at(root: &SchemaNode, path: &Path) -> String {
    let mut node = Some(root);
    let mut field = String::new();
    for part in path.parts() {
        let in_map = node.is_some_and(|it| it.shape.holds == FieldType::Map);
        match part {
            PathStep::Item(_) => field.push_str("[]"),
            PathStep::Name(_) if in_map => field.push_str("{}"),
            PathStep::Name(name) => {
                field.push_str(if field.is_empty() { "" } else { "." });
                field.push_str(name);
            }
        }
        node = node.and_then(|it| match part {
            PathStep::Item(_) => it.each.as_deref(),
            PathStep::Name(name) => it.under(name),
        });
    }
    field
}
