//! What is not known never turns a verdict into its opposite.

use std::sync::Arc;

use karplint_core::{
    source::{FileId, Span},
    value::{Entry, HOLE_END, HOLE_START, Kind, List, Map, Symbol, Text, Value},
};
use proptest::{prelude::*, sample};

use crate::{evaluate, shown, value};

/// Expressions about an object of [`object`].
const EXPRESSIONS: &[&str] = &[
    "object.a == 1",
    "object.a < object.b",
    "object.a == object.b || object.c == 'x'",
    "object.a > 0 && object.b > 0 && object.c != ''",
    "has(object.a) ? object.a > 1 : true",
    "object.a > 1 ? object.b > 1 : object.c == 'x'",
    "object.list.all(it, it > 0)",
    "object.list.exists(it, it == 2)",
    "object.list.exists_one(it, it == 1)",
    "object.list.filter(it, it > 1).size() == 1",
    "object.list.map(it, it + 1) == [1, 2, 3]",
    "!object.list.exists(it, it > 2)",
    "object.list.sum() > 3",
    "object.list[1] == 1",
    "object.list.size() == 2",
    "2 in object.list",
    "object.map.all(key, it, it != 'x')",
    "'p' in object.map",
    "object.map.?p.orValue('x') == 'x'",
    "object.map.q == 'y'",
    "object.map == {'p': 'x'}",
    "object.c.startsWith('x')",
    "object.c.contains('y')",
    "object.c + object.c == 'xx'",
    "object.c in ['x', 'y']",
    "1 / object.a == 1 || object.b == 1",
    "object.a / object.b > 0 && object.c == 'x'",
    "sets.contains(object.list, [1])",
    "sets.intersects(object.list, [object.a])",
    "[object.a, object.b].isSorted()",
    "dyn(object.list) == dyn(object.map)",
    "object.list.transformList(at, it, at == it).exists(it, it)",
    "selects({'p': 'x'}, object.map)",
    "tolerates([{'key': object.c, 'operator': 'Exists'}], {'key': 'x'})",
    "object.list.first().orValue(9) == 1",
    "object.list.sortBy(it, -it)[0] == 2",
];

fn object() -> impl Strategy<Value = String> {
    let number = || 0..3_i32;
    let word = || sample::select(vec!["x", "y", "xy", ""]);
    let list = proptest::collection::vec(number(), 0..4);
    (number(), number(), word(), list, word(), proptest::bool::ANY).prop_map(
        |(a, b, c, list, p, has_q)| {
            let q = if has_q { ", q: y" } else { "" };
            format!("{{a: {a}, b: {b}, c: '{c}', list: {list:?}, map: {{p: '{p}'{q}}}}}")
        },
    )
}

fn symbol() -> Symbol {
    Symbol::new("root", "var.x")
}

/// The value with the leaf of that number, or the end of the list or map there, unknown.
fn with_unknown(value: &Value, left: &mut usize, way: usize) -> Value {
    let here = *left == 0;
    *left = left.wrapping_sub(1);
    let span = Span::new(FileId(0), 0, 0);
    let kind = match &value.kind {
        Kind::List(list) if here && way == 1 => {
            let keep = list.items.len() / 2;
            let items = list.items[..keep].to_vec();
            Kind::List(Arc::new(List { items, rest: Some(symbol()), is_set: false }))
        }
        Kind::Map(map) if here && way == 1 => {
            let entries = map.entries[..map.entries.len() / 2].to_vec();
            Kind::Map(Arc::new(Map { entries, rest: Some(symbol()) }))
        }
        Kind::String(text) if here && way == 1 => {
            // All but the first letter is a hole.
            let first: String = text.text.chars().take(1).collect();
            let text = Text::computed(format!("{first}{HOLE_START}0{HOLE_END}"));
            Kind::String(Text { holes: [symbol()].into(), ..text })
        }
        _ if here => return Value::unknown(symbol(), span),
        Kind::List(list) => {
            let items = list.items.iter().map(|it| with_unknown(it, left, way)).collect();
            Kind::List(Arc::new(List { items, ..List::default() }))
        }
        Kind::Map(map) => {
            let entry =
                |it: &Entry| Entry { value: with_unknown(&it.value, left, way), ..it.clone() };
            let entries = map.entries.iter().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: None }))
        }
        other => other.clone(),
    };
    Value { kind, ..value.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn an_unknown_leaf_never_turns_a_verdict(
        text in object(),
        expression in sample::select(EXPRESSIONS.to_vec()),
        leaf in 0_usize..14,
        way in 0_usize..2,
    ) {
        let known = value(&text);
        let before = shown(&evaluate(expression, &known).outcome);
        let unknown = with_unknown(&known, &mut leaf.clone(), way);
        let after = shown(&evaluate(expression, &unknown).outcome);
        let is_error = |it: &str| it.starts_with("error");
        let same = before == after || (is_error(&before) && is_error(&after));
        prop_assert!(same || after.starts_with("unknown"), "{expression} of {text}, leaf {leaf}: {before} became {after}");
    }
}

#[test]
fn what_decides_in_spite_of_unknowns_is_decided() {
    let known = value("{a: 1, list: [1, 2], image: ''}");
    let Kind::Map(map) = &known.kind else { panic!("a map") };
    let mut entries = map.entries.clone();
    entries[0].value = Value::unknown(symbol(), known.span);
    let text = Text::computed(format!("shop/app:{HOLE_START}0{HOLE_END}-slim"));
    entries[2].value.kind = Kind::String(Text { holes: [symbol()].into(), ..text });
    let object = Value { kind: Kind::Map(Arc::new(Map { entries, rest: None })), ..known };
    for (expression, wanted) in [
        ("object.a > 1", "unknown: var.x"),
        ("object.a > 1 && false", "false"),
        ("object.a > 1 || true", "true"),
        ("object.a > 1 && 1 / 0 > 1", "unknown: var.x"),
        ("has(object.a)", "true"),
        ("[object.a].size() == 1", "unknown: var.x"),
        ("object.image.startsWith('shop/')", "true"),
        ("object.image.startsWith('other/')", "false"),
        ("object.image.startsWith('shop/app:1')", "unknown: var.x"),
        ("object.image.endsWith('-slim')", "true"),
        ("object.image.contains('app')", "true"),
        ("object.image.contains('lib')", "unknown: var.x"),
        ("object.image == 'shop/web:1'", "false"),
        ("object.image == 'shop/app:1-slim'", "unknown: var.x"),
        ("object.image != ''", "true"),
    ] {
        assert_eq!(shown(&evaluate(expression, &object).outcome), wanted, "{expression}");
    }
}
