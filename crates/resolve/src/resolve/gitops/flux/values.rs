//! The values of a `HelmRelease`: what it refers to, and what is written in it.

use crate::{
    resolve::{
        gitops::{
            config_map::{KeyContent, is_optional},
            flux::Flux,
            repository::{Gathered, written},
            unknown::unknown,
        },
        helm::{
            self, Values,
            set::{self, Set, SetKind},
        },
        kubernetes::Located,
    },
    source::Span,
    value::{Field, Value},
};

impl Flux<'_> {
    /// The values given by reference in their order, then those written in place.
    pub(super) fn values(&self, spec: &Value, at: &Located, report_span: Span) -> Values {
        let mut merged =
            Values { value: Value::map(Vec::new(), report_span), parse_errors: Vec::new() };
        let add = |merged: &mut Values, documents: Vec<Value>| {
            let all: Vec<Value> = [merged.value.clone()].into_iter().chain(documents).collect();
            let next = helm::values(&all, &[], report_span);
            merged.value = next.value;
            merged.parse_errors.extend(next.parse_errors);
        };
        let references = spec.get("valuesFrom");
        for reference in references.present().map_or(&[][..], Value::items) {
            if self.is_absent(reference) {
                continue;
            }
            let mut gathered = Gathered::default();
            self.referenced(reference, at, &mut gathered);
            merged.parse_errors.append(&mut gathered.parse_errors);
            match reference.get("targetPath") {
                Field::Missing => add(&mut merged, gathered.documents),
                path => {
                    let name = written(path, report_span).unwrap_or_else(|| unknown(report_span));
                    let value = gathered.documents.pop().unwrap_or_else(|| unknown(report_span));
                    let set = Set { name, value, kind: SetKind::Auto };
                    merged.value = set::apply(merged.value, &set);
                }
            }
        }
        let open =
            references.present().and_then(Value::as_list).is_some_and(|it| it.rest.is_some());
        if references.is_unknown() || open {
            add(&mut merged, vec![unknown(report_span)]);
        }
        if let Some(values) = written(spec.get("values"), report_span) {
            add(&mut merged, vec![values]);
        }
        merged
    }

    /// Whether it is an optional `ConfigMap` that nothing in the repository makes.
    fn is_absent(&self, reference: &Value) -> bool {
        let name = reference.get("name").present().and_then(Value::as_str);
        is_optional(reference) && name.is_some_and(|it| !self.maps.may_hold(it))
    }

    fn referenced(&self, reference: &Value, at: &Located, gathered: &mut Gathered) {
        let text = |key: &str| reference.get(key).present().and_then(Value::as_str);
        let key = match reference.get("valuesKey") {
            Field::Missing => Some("values.yaml"),
            _ => text("valuesKey"),
        };
        let map = text("name").filter(|_| text("kind") == Some("ConfigMap"));
        let found = map.zip(key).and_then(|(name, key)| self.maps.content(name, key, &at.folder));
        match found {
            Some(KeyContent::Text(value)) => gathered.documents.push(value.clone()),
            Some(KeyContent::File(id)) => gathered.file(self.repository, *id, true),
            None if text("kind") == Some("Secret") => gathered.secret(reference.span),
            None => gathered.unknown(reference.span),
        }
    }
}
