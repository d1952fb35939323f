//! Kubernetes objects of every surface.

use std::{collections::HashSet, sync::Arc};

use crate::{
    findings::subject::Subject as About,
    inventory::objects::BuiltObject,
    model::Model,
    policies::subjects::{defaults::completed, subject::Subject},
    resolve::{kubernetes::Object, scope::Scope},
    source::Span,
    value::{Entry, Kind, Map, Symbol, Value, cause::Cause},
};

/// The objects that are built, and those of Karpenter that values of releases list.
#[must_use]
pub(super) fn all(model: &Model, built: &[BuiltObject<'_>]) -> Vec<Subject> {
    let known: HashSet<Span> = built.iter().map(|it| it.object.report_span()).collect();
    let mut found: Vec<Subject> = built
        .iter()
        .map(|it| subject(model, &it.object, &it.scope, Some(it.subject.clone())))
        .collect();
    for it in model.karpenter_objects.iter().filter(|it| !known.contains(&it.report_span)) {
        found.push(subject(model, &it.object, &it.scope, it.subject.clone()));
    }
    found
}

fn subject(model: &Model, object: &Object, scope: &Scope, about: Option<About>) -> Subject {
    let value = applied(model, object, scope);
    Subject {
        value: value.clone(),
        object: Some(value),
        report_span: object.report_span(),
        about,
        scope: scope.clone(),
        kind: Some((object.api_version.to_string(), object.kind.to_string())),
    }
}

/// An object as it is applied. What a Secret keeps is not known to policies, whose messages are printed.
#[must_use]
pub(crate) fn applied(model: &Model, object: &Object, scope: &Scope) -> Value {
    if &*object.kind == "Secret" && object.group().is_empty() {
        return secret(&object.value);
    }
    let (release, _) = if object.group().contains("karpenter") {
        model.karpenter_near(scope)
    } else {
        (None, None)
    };
    completed(object, release.as_ref())
}

/// A Secret without what it keeps: the keys alone.
fn secret(value: &Value) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    let entry = |it: &Entry| match &*it.key {
        "data" | "stringData" => Entry { value: hidden(&it.value), ..it.clone() },
        _ => it.clone(),
    };
    let entries = map.entries.iter().map(entry).collect();
    Value { kind: Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })), ..value.clone() }
}

fn hidden(value: &Value) -> Value {
    let Kind::Map(map) = &value.kind else { return unseen(value) };
    let entry = |it: &Entry| Entry { value: unseen(&it.value), ..it.clone() };
    let entries = map.entries.iter().map(entry).collect();
    Value { kind: Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })), ..value.clone() }
}

fn unseen(value: &Value) -> Value {
    let symbol = Symbol::new("view", "what a Secret keeps").because(Cause::Secret);
    Value { kind: Kind::Unknown(symbol), ..value.clone() }
}
