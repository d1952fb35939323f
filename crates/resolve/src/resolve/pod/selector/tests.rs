//! Selectors against a table and against a naive oracle.

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::{Just, Strategy, prop_oneof, proptest};

use crate::{
    resolve::{
        pod::selector::{Labels, Selector, matches, near_miss::near_miss},
        samples::read,
    },
    source::{FileId, Span},
    value::{Entry, Field, Kind, List, Map, Symbol, Value},
};

const SPAN: Span = Span { file: FileId(0), start: 0, end: 1 };

fn unknown() -> Value {
    Value::unknown(Symbol::new("", "var.x"), SPAN)
}

fn selector(text: &str, api_version: &str) -> Selector {
    Selector::read(Field::Present(&read(text)), api_version)
}

#[test]
fn selectors_match_as_kubernetes_does() {
    let web = Labels::known([("app", "web"), ("tier", "front")]);
    let none = Labels::default();
    for (text, on_web, on_none) in [
        ("{}", true, true),
        ("{matchLabels: {}}", true, true),
        ("{matchLabels: {app: web}}", true, false),
        ("{matchLabels: {app: web, tier: back}}", false, false),
        ("{matchExpressions: [{key: app, operator: In, values: [api, web]}]}", true, false),
        ("{matchExpressions: [{key: app, operator: NotIn, values: [api]}]}", true, true),
        ("{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}", false, true),
        ("{matchExpressions: [{key: app, operator: Exists}]}", true, false),
        ("{matchExpressions: [{key: app, operator: DoesNotExist}]}", false, true),
        ("{matchLabels: {app: web}, matchExpressions: [{key: x, operator: Exists}]}", false, false),
    ] {
        let read = selector(text, "policy/v1");
        assert_eq!(matches(&read, &web), Some(on_web), "{text}");
        assert_eq!(matches(&read, &none), Some(on_none), "{text}");
    }
}

#[test]
fn an_empty_selector_depends_on_the_api() {
    let web = Labels::known([("app", "web")]);
    for (api, wanted) in [("policy/v1", true), ("policy/v1beta1", false), ("apps/v1", true)] {
        assert_eq!(matches(&selector("{}", api), &web), Some(wanted), "{api}");
        assert_eq!(selector("{}", api).is_nothing(), !wanted, "{api}");
        let absent = Selector::read(Field::Missing, api);
        assert_eq!(matches(&absent, &web), Some(false), "{api}");
        let null = Value::new(Kind::Null, SPAN);
        assert!(Selector::read(Field::Present(&null), api).is_nothing(), "{api}");
    }
    let labels = selector("{matchLabels: {app: web}}", "policy/v1beta1");
    assert_eq!(matches(&labels, &web), Some(true));
}

#[test]
fn what_is_unknown_leaves_the_answer_open() {
    let entry = |key: &str, value| Entry { key: key.into(), key_span: SPAN, value };
    let open = Value::new(
        Kind::Map(Arc::new(Map {
            entries: vec![entry("app", Value::computed("web", SPAN))],
            rest: Some(Symbol::new("", "local.labels")),
        })),
        SPAN,
    );
    let open = Labels::read(Field::Present(&open));
    let half = Value::map(vec![entry("app", unknown())], SPAN);
    let half = Labels::read(Field::Present(&half));
    for (text, on_open, on_half) in [
        ("{matchLabels: {app: web}}", Some(true), None),
        ("{matchLabels: {app: api}}", Some(false), None),
        ("{matchLabels: {x: y}}", None, Some(false)),
        ("{matchLabels: {app: api, x: y}}", Some(false), Some(false)),
        ("{matchExpressions: [{key: app, operator: Exists}]}", Some(true), Some(true)),
        ("{matchExpressions: [{key: x, operator: DoesNotExist}]}", None, Some(true)),
        ("{matchExpressions: [{key: x, operator: NotIn, values: [y]}]}", None, Some(true)),
    ] {
        let read = selector(text, "policy/v1");
        assert_eq!(matches(&read, &open), on_open, "{text}");
        assert_eq!(matches(&read, &half), on_half, "{text}");
    }
    let dark = Selector::read(Field::Present(&unknown()), "policy/v1");
    assert_eq!(matches(&dark, &Labels::default()), None);
    assert!(!dark.is_known() && !dark.is_everything() && !dark.is_nothing());
}

#[test]
fn a_near_miss_names_the_one_requirement() {
    let labels = Labels::known([("app", "web"), ("tier", "front")]);
    for (text, wanted) in [
        ("{matchLabels: {app: web, tier: back}}", Some(("tier", Some("front")))),
        ("{matchLabels: {app: web, zone: a}}", Some(("zone", None))),
        ("{matchLabels: {app: webs}}", Some(("app", Some("web")))),
        ("{matchLabels: {app: api}}", None),
        ("{matchLabels: {app: web}}", None),
        ("{matchLabels: {app: api, tier: back}}", None),
        (
            "{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [a, b]}]}",
            Some(("tier", Some("front"))),
        ),
    ] {
        let miss = near_miss(&selector(text, "policy/v1"), &labels);
        let miss = miss.map(|it| (it.requirement.key, it.got));
        let wanted = wanted.map(|(key, got)| (key.to_owned(), got.map(str::to_owned)));
        assert_eq!(miss, wanted, "{text}");
    }
}

/// A requirement as the oracle sees it.
#[derive(Clone, Debug)]
struct Plain {
    key: &'static str,
    operator: &'static str,
    values: Vec<&'static str>,
}

impl Plain {
    fn holds(&self, labels: &BTreeMap<&str, &str>) -> bool {
        let value = labels.get(self.key);
        match self.operator {
            "In" => value.is_some_and(|it| self.values.contains(it)),
            "NotIn" => !value.is_some_and(|it| self.values.contains(it)),
            "Exists" => value.is_some(),
            _ => value.is_none(),
        }
    }

    fn value(&self) -> Value {
        let entry = |key: &str, value| Entry { key: key.into(), key_span: SPAN, value };
        let values = self.values.iter().map(|it| Value::computed(*it, SPAN)).collect();
        let text = |it: &str| Value::computed(it, SPAN);
        Value::map(
            vec![
                entry("key", text(self.key)),
                entry("operator", text(self.operator)),
                entry("values", Value::list(values, SPAN)),
            ],
            SPAN,
        )
    }
}

fn plain() -> impl Strategy<Value = Plain> {
    let key = prop_oneof![Just("a"), Just("b"), Just("c")];
    let operator = prop_oneof![Just("In"), Just("NotIn"), Just("Exists"), Just("DoesNotExist")];
    let value = prop_oneof![Just("x"), Just("y"), Just("")];
    (key, operator, proptest::collection::vec(value, 1..3))
        .prop_map(|(key, operator, values)| Plain { key, operator, values })
}

proptest! {
    #[test]
    fn matching_agrees_with_the_oracle(
        requirements in proptest::collection::vec(plain(), 0..4),
        labels in proptest::collection::btree_map(
            prop_oneof![Just("a"), Just("b"), Just("c")],
            prop_oneof![Just("x"), Just("y"), Just("")],
            0..4,
        ),
        hidden in proptest::option::of(prop_oneof![Just("a"), Just("b"), Just("c")]),
    ) {
        let expressions = List {
            items: requirements.iter().map(Plain::value).collect(),
            ..List::default()
        };
        let expressions = Value::new(Kind::List(Arc::new(expressions)), SPAN);
        let entry = Entry { key: "matchExpressions".into(), key_span: SPAN, value: expressions };
        let value = Value::map(vec![entry], SPAN);
        let selector = Selector::read(Field::Present(&value), "policy/v1");
        let truth = requirements.iter().all(|it| it.holds(&labels));
        let known = Labels::known(labels.iter().map(|(key, value)| (*key, *value)));
        assert_eq!(matches(&selector, &known), Some(truth));
        // With one label hidden the answer is the same or open.
        let mut open = known.clone();
        open.open = hidden.is_some();
        open.list = open.list.iter().filter(|it| Some(&*it.0) != hidden).cloned().collect();
        assert!(matches(&selector, &open).is_none_or(|it| it == truth));
    }
}
