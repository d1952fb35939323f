//! What stays known when arguments are not: bare names in these expressions are unknown.

use super::{apply, evaluate_text, fault, project};
use crate::{
    resolve::terraform::functions::json,
    source::{FileId, Span},
    value::{Kind, List, Map, Symbol, Text, Value},
};

/// The value as JSON with `<name>` for holes, `…` behind it when the collection is open.
fn shown(value: &Value) -> String {
    let text = match &value.kind {
        Kind::String(text) => text.clone(),
        _ => json::encode(value),
    };
    holes(&text)
}

fn holes(text: &Text) -> String {
    let mut shown = text.text.to_string();
    for (index, symbol) in text.holes.iter().enumerate() {
        shown = shown.replace(&format!("\u{e000}{index}\u{e001}"), &format!("<{}>", symbol.text));
    }
    shown
}

/// Expressions with unknown names, and what stays known of their values.
const SURE: &[(&str, &str)] = &[
    ("merge({a = 1, b = 2}, x, {b = 3})", "{\"a\":<merge(…)[\"a\"]>,\"b\":3<merge(…)>}"),
    ("merge({a = x}, {b = 1})", "{\"a\":<x>,\"b\":1}"),
    ("concat([1], [x], [2])", "[1,<x>,2]"),
    ("concat([1], x)", "[1<concat(…)>]"),
    ("concat([1], x, [2])", "[1,<x>,2<concat(…)>]"),
    ("element(concat([1], x), 0)", "1"),
    ("element(concat([1], x), 1)", "<element(…)>"),
    ("element(concat(x, [1]), 1)", "<element(…)>"),
    ("element([x, 2], 1)", "2"),
    ("lookup({a = 1}, \"a\", x)", "1"),
    ("lookup({a = 1}, \"b\", x)", "<x>"),
    ("lookup(merge(x, {a = 1}), \"a\", 2)", "1"),
    ("lookup(merge(x, {a = 1}), \"b\", 2)", "<lookup(…)>"),
    ("lookup({a = 1}, x, 2)", "<lookup(…)>"),
    ("keys({a = x})", "[\"a\"]"),
    ("keys(merge(x, {a = 1}))", "[<merge(…)>,\"a\"<merge(…)>]"),
    ("values({a = x, b = 2})", "[<x>,2]"),
    ("length([x, y])", "2"),
    ("length(concat([1], x))", "<length(…)>"),
    ("length(toset([x, y]))", "<length(…)>"),
    ("length(toset([x]))", "1"),
    ("length(\"a${x}\")", "<length(…)>"),
    ("contains([x, \"a\"], \"a\")", "true"),
    ("contains([x, \"a\"], \"b\")", "<contains(…)>"),
    ("contains([x], x)", "true"),
    ("coalesce(null, \"a\", x)", "a"),
    ("coalesce(x, \"a\")", "<coalesce(…)>"),
    ("coalesce(\"a-${x}\", \"b\")", "a-<x>"),
    ("coalesce(\"${x}\", \"b\")", "<coalesce(…)>"),
    ("coalescelist([], [x])", "[<x>]"),
    ("coalescelist(x, [1])", "<coalescelist(…)>"),
    ("flatten([[1, x], [2]])", "[1,<x>,2<flatten(…)>]"),
    ("flatten([[1], [{a = x}]])", "[1,{\"a\":<x>}]"),
    ("distinct([\"a\", \"a\", x])", "[\"a\",<x><distinct(…)>]"),
    ("compact([\"\", \"a\", x])", "[\"a\",<x><compact(…)>]"),
    ("toset([\"b\", x, \"a\"])", "[\"a\",\"b\",<x><toset(…)>]"),
    ("tolist([x, 1, \"a\"])", "[<x>,\"1\",\"a\"]"),
    ("tomap({a = x, b = 1})", "{\"a\":<x>,\"b\":1}"),
    ("zipmap([\"a\", \"b\"], [1, x])", "{\"a\":1,\"b\":<x>}"),
    ("zipmap([x], [1])", "<zipmap(…)>"),
    ("format(\"%s-%s.%d\", \"a\", x, 1)", "a-<x>.1"),
    ("format(\"%q=%v\", x, [y])", "\"<x>\"=[<y>]"),
    ("format(\"%5s\", x)", "<format(…)>"),
    ("format(\"%s-%s\", \"a${x}b\", y)", "a<x>b-<y>"),
    ("formatlist(\"%s-%s\", \"a\", [x, \"b\"])", "[\"a-<x>\",\"a-b\"]"),
    ("formatlist(\"%s\", x)", "<formatlist(…)>"),
    ("join(\",\", [\"a\", x, 1])", "a,<x>,1"),
    ("join(\",\", x)", "<join(…)>"),
    ("trimspace(\" a ${x}\\n\")", "a <x>"),
    ("chomp(\"${x}\\n\\n\")", "<x>"),
    ("indent(2, \"a\\n${x}\\nb\")", "a\n  <x>\n  b"),
    ("jsonencode({b = x, a = \"<${y}\"})", "{\"a\":\"\\u003c<y>\",\"b\":<x>}"),
    ("yamlencode({b = x, a = [\"p${y}q\"]})", "\"a\":\n- \"p<y>q\"\n\"b\": <x>\n"),
    ("jsondecode(jsonencode({a = x}))", "{\"a\":<x>}"),
    ("yamldecode(yamlencode({a = x, b = [1]}))", "{\"a\":<x>,\"b\":[1]}"),
    ("yamldecode(\"a: ${x}\\nb: 1\\n\")", "{\"a\":<x>,\"b\":1}"),
    ("one([x])", "<x>"),
    ("reverse([1, x])", "[<x>,1]"),
    ("slice([1, x, 3], 1, 3)", "[<x>,3]"),
    ("setproduct([1], [x])", "[[1,<x>]]"),
    ("alltrue([x, false])", "false"),
    ("alltrue([x, true])", "<alltrue(…)>"),
    ("anytrue([x, true])", "true"),
    ("upper(x)", "<upper(…)>"),
    ("tostring(x)", "<x>"),
    ("provider::aws::arn_parse(1)", "<provider::aws::arn_parse(…)>"),
    ("timestamp()", "<timestamp(…)>"),
    ("nosuchfunction(1)", "<nosuchfunction(…)>"),
];

#[test]
fn what_is_sure_stays_known() {
    for (expression, expected) in SURE {
        let value = evaluate_text(expression).expect(expression);
        assert_eq!(shown(&value), *expected, "{expression}");
    }
}

#[test]
fn faults_say_what_is_wrong() {
    assert_eq!(fault("tonumber(\"abc\")").message, "`tonumber` cannot read `abc` as a number");
    assert_eq!(fault("lookup({a = 1}, \"b\")").message, "`lookup` finds no key `b`");
    assert_eq!(fault("lower()").message, "`lower` needs at least 1 arguments");
}

/// A list of twice the same list, to a depth.
fn doubled(depth: usize) -> Value {
    let span = Span::new(FileId(0), 0, 1);
    let pair = |it: Value, _| Value::list(vec![it.clone(), it], span);
    (0..depth).fold(Value::list(Vec::new(), span), pair)
}

#[test]
fn hostile_sizes_end_in_unknown() {
    let span = Span::new(FileId(0), 0, 1);
    let number = |number| Value::new(Kind::Number(number), span);
    let text = |text: String| Value::computed(text, span);
    let list = |count| Value::list(vec![number(1.0); count], span);
    let files = project();
    let cases = [
        ("setproduct", vec![list(1000), list(1000), list(1000)]),
        ("concat", vec![list(9000), list(9000)]),
        ("join", vec![text("x".repeat(1000)), list(5000)]),
        ("indent", vec![number(1e6), text("\n".repeat(1000))]),
        ("replace", vec![text("x".repeat(10_000)), text(String::new()), text("y".repeat(10_000))]),
        ("format", vec![text("%999999999d".into()), number(1.0)]),
        ("pow", vec![number(10.0), number(400.0)]),
        ("format", vec![text("%9999d".repeat(200)), number(1.0)]),
        ("jsonencode", vec![doubled(40)]),
        ("flatten", vec![doubled(40)]),
        ("toset", vec![doubled(40)]),
    ];
    for (name, arguments) in cases {
        let answer = apply(name, &arguments, span, &files);
        assert!(answer.is_err() || answer.is_ok_and(|it| it.is_unknown()), "{name}");
    }
}

#[test]
fn open_collections_stay_open() {
    let span = Span::new(FileId(0), 0, 1);
    let rest = Some(Symbol::new("root", "rest"));
    let files = project();
    let list = List { items: vec![Value::computed("a", span)], rest: rest.clone(), is_set: false };
    let list = Value::new(Kind::List(list.into()), span);
    let map = Value::new(Kind::Map(Map { entries: Vec::new(), rest }.into()), span);
    for (name, value) in [("tolist", &list), ("toset", &list), ("distinct", &list), ("tomap", &map)]
    {
        let answer = apply(name, std::slice::from_ref(value), span, &files).expect(name);
        assert!(!answer.is_wholly_known() && !answer.is_unknown(), "{name}");
    }
    let joined = apply("join", &[Value::computed(",", span), list], span, &files).expect("join");
    assert_eq!(shown(&joined), "a<rest>");
}
