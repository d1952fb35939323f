//! What the data says of a schema in a release.

use std::collections::{BTreeMap, BTreeSet};

use karplint_core::version::Version;
use karplint_knowledge::knowledge::schema::{
    Schema,
    checks::{Check, CheckAt, Exclusion, ReservedDomain},
    fields::{FieldShape, FieldType, Unique},
};

use crate::crds::{facts::ApiFacts, rule::NamedRule, upstream::json};

pub(super) fn facts(schema: &Schema, release: &Version) -> ApiFacts {
    let mut facts = ApiFacts::default();
    for field in schema.fields() {
        if let Some(shape) = field.at(release) {
            facts.fields.insert(field.path.clone(), shape_facts(shape));
        }
    }
    let allowed = schema.api().allowed_keys(Some(release));
    for check in schema.api().checks(release) {
        for path in &check.paths {
            if let Check::ReservedDomain(domain) = &check.check {
                let place = (path.clone(), domain.domain.clone());
                facts.keys.insert(place, let_in(domain, &allowed));
            }
            facts.checks.entry(path.clone()).or_default().insert(named(check).to_string());
        }
    }
    facts
}

/// The keys of a domain that are let in by name.
fn let_in(domain: &ReservedDomain, allowed: &[&str]) -> BTreeSet<String> {
    let own =
        |it: &&&str| it.split('/').next().is_some_and(|it| it.ends_with(domain.domain.as_str()));
    allowed.iter().filter(own).map(|it| (*it).to_owned()).collect()
}

fn named(check: &CheckAt) -> NamedRule {
    let fields = |it: &Exclusion| [&[it.field.clone()][..], &it.others].concat();
    let one = |it: &String| vec![it.clone()];
    let (fields, literals) = match &check.check {
        Check::ReservedDomain(domain) => {
            let others = domain.starts.iter().chain(&domain.domains).cloned();
            (Vec::new(), one(&domain.domain).into_iter().chain(others).collect())
        }
        Check::ForbiddenKey(keys) | Check::KnownKey(keys) => (Vec::new(), keys.clone()),
        Check::ForbiddenKeyStart(start) => (Vec::new(), one(start)),
        Check::ValuesNeeded(operator) => (Vec::new(), one(operator)),
        Check::OneNumberNeeded(operators) => (Vec::new(), operators.clone()),
        Check::AliasForm(pattern) => (Vec::new(), one(&pattern.expression)),
        Check::AliasFamily(families) | Check::AliasWithoutVersion(families) => {
            (Vec::new(), families.clone())
        }
        Check::AliasOfOtherFamily(it) => (Vec::new(), vec![it.alias.clone(), it.family.clone()]),
        Check::OneNeeded(fields) => (fields.clone(), Vec::new()),
        Check::Combined(it) | Check::CombinedEverywhere(it) => (fields(it), Vec::new()),
        _ => Default::default(),
    };
    NamedRule { check: check.name.clone(), fields, literals: literals.into_iter().collect() }
}

fn shape_facts(shape: &FieldShape) -> BTreeMap<String, String> {
    let holds = match shape.holds {
        FieldType::Object => "object",
        FieldType::Map => "map",
        FieldType::List => "list",
        FieldType::Text => "string",
        FieldType::Boolean => "boolean",
        FieldType::Integer => "integer",
        FieldType::IntegerOrText => "int-or-string",
        FieldType::Any => "any",
    };
    let number = |it: Option<f64>| it.map(|it| it.to_string());
    let count = |it: Option<usize>| it.map(|it| it.to_string());
    let patterns: Vec<&str> = shape.patterns.iter().map(|it| it.expression.as_str()).collect();
    let facts = [
        ("type", Some(holds.to_owned())),
        ("required", shape.required.then(|| "true".to_owned())),
        ("enum", (!shape.values.is_empty()).then(|| shape.values.join(", "))),
        ("pattern", (!patterns.is_empty()).then(|| patterns.join(" and "))),
        ("format", shape.format.clone()),
        ("minimum", number(shape.number.least)),
        ("maximum", number(shape.number.most)),
        ("minLength", count(shape.letters.least)),
        ("maxLength", count(shape.letters.most)),
        ("minItems", count(shape.items.least)),
        ("maxItems", count(shape.items.most)),
        ("maxProperties", count(shape.most_entries)),
        ("unique", shape.unique.as_ref().map(unique)),
        ("default", shape.default.as_ref().map(json)),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect()
}

fn unique(by: &Unique) -> String {
    match by {
        Unique::Item => "items".to_owned(),
        Unique::Fields(names) => names.join(", "),
    }
}
