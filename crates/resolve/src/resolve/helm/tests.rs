//! Merging and setting, as tables of documents.

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::{Just, Strategy, prop_oneof};

use crate::{
    resolve::{
        helm::{
            merge::merge,
            set::{Set, SetKind, apply},
            values,
        },
        samples::read,
    },
    source::{FileId, Span},
    value::{Entry, Kind, Map, Symbol, Text, Value},
};

const PLACE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn document(text: &str) -> Value {
    let span = Span::new(FileId(7), 100, 100 + text.len());
    Value::new(Kind::String(Text::verbatim(text, span)), span)
}

fn unknown(name: &str) -> Value {
    Value::unknown(Symbol::new("root", name), PLACE)
}

/// The value in the shortest form, keys in order, `?` for what is unknown.
fn show(value: &Value) -> String {
    match &value.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(it) => it.to_string(),
        Kind::Number(it) => it.to_string(),
        Kind::String(text) => text.known().map_or("?".to_owned(), |it| format!("'{it}'")),
        Kind::List(list) => {
            let rest = list.rest.as_ref().map(|_| "..".to_owned());
            let items: Vec<String> = list.items.iter().map(show).chain(rest).collect();
            format!("[{}]", items.join(" "))
        }
        Kind::Map(map) => {
            let mut items: Vec<String> =
                map.entries.iter().map(|it| format!("{}:{}", it.key, show(&it.value))).collect();
            items.sort();
            items.extend(map.rest.as_ref().map(|_| "..".to_owned()));
            format!("{{{}}}", items.join(" "))
        }
        Kind::Unknown(_) => "?".to_owned(),
    }
}

#[test]
fn maps_merge_and_all_else_replaces() {
    for (base, over, wanted) in [
        ("{a: 1}", "{b: 2}", "{a:1 b:2}"),
        ("{a: 1}", "{a: 2}", "{a:2}"),
        ("{a: {b: 1, c: 2}}", "{a: {b: 3}}", "{a:{b:3 c:2}}"),
        ("{a: [1, 2]}", "{a: [3]}", "{a:[3]}"),
        ("{a: {b: 1}}", "{a: null}", "{a:null}"),
        ("{a: {b: 1}}", "{a: 1}", "{a:1}"),
        ("{a: 1}", "{a: {b: 1}}", "{a:{b:1}}"),
        ("{a: null}", "{a: {b: 1}}", "{a:{b:1}}"),
    ] {
        assert_eq!(show(&merge(read(base), &read(over))), wanted, "{base} + {over}");
    }
}

#[test]
fn the_later_writing_gives_the_place() {
    let base = document("a: {b: 1, c: 2}\n");
    let over = document("x: 1\na: {b: 3}\n");
    let merged = values(&[base, over], &[], PLACE).value;
    let at = |path: &str| merged.at(path).present().map(|it| it.span.range());
    assert_eq!(at("a.b"), Some(112..113));
    assert_eq!(at("a.c"), Some(113..114));
    let a = merged.get("a").present().map(|it| it.name.range());
    assert_eq!(a, Some(105..106), "the key in the later document");
}

#[test]
fn an_unknown_document_hides_what_came_before() {
    let before = document("a: 1\nc: {d: 1}\n");
    let after = document("b: 2\nc: {e: 2}\n");
    let merged = values(&[before, unknown("local.values"), after], &[], PLACE).value;
    assert_eq!(show(&merged), "{a:? b:2 c:{d:? e:2 ..} ..}");
    let merged = values(&[unknown("x"), document("a: 1\n")], &[], PLACE).value;
    assert_eq!(show(&merged), "{a:1 ..}");
    let merged = values(&[document("[1]"), Value::new(Kind::Null, PLACE)], &[], PLACE).value;
    assert_eq!(show(&merged), "{..}");
    let merged = values(&[document("a: 1\nb: {c: \"\n")], &[], PLACE);
    assert!(!merged.parse_errors.is_empty());
    assert!(merged.value.get("z").is_unknown(), "{}", show(&merged.value));
    let merged = values(&[document(""), document("# nothing\n")], &[], PLACE).value;
    assert_eq!(show(&merged), "{}");
}

#[test]
fn encoded_documents_are_taken_as_they_are() {
    let mut text = Text::computed("{\"a\":1}");
    text.encodes = Some(Arc::new(read("{a: 1}")));
    let encoded = Value::new(Kind::String(text), PLACE);
    assert_eq!(show(&values(&[encoded], &[], PLACE).value), "{a:1}");
}

#[test]
fn open_maps_hide_only_what_they_may_replace() {
    let mut over = read("{a: {x: 1}}");
    if let Kind::Map(map) = &mut over.kind {
        Arc::make_mut(map).rest = Some(Symbol::new("root", "merge(...)"));
    }
    let merged = merge(read("{a: {z: 2}, b: 3}"), &over);
    assert_eq!(show(&merged), "{a:{x:1 z:2} b:? ..}");
    let base = Map { entries: Vec::new(), rest: Some(Symbol::new("root", "v")) };
    let base = Value::new(Kind::Map(Arc::new(base)), PLACE);
    assert_eq!(show(&merge(base, &read("{a: {b: {c: 1}}}"))), "{a:{b:{c:1 ..} ..} ..}");
}

#[test]
fn sets_follow_helms_paths() {
    let at = Span::new(FileId(3), 10, 20);
    let set = |base: &str, name: &str, value: &str, kind: SetKind| {
        let name = Value::computed(name, Span::new(FileId(3), 1, 9));
        let value = Value::computed(value, at);
        show(&apply(read(base), &Set { name, value, kind }))
    };
    for (base, name, value, wanted) in [
        ("{}", "a", "1", "{a:1}"),
        ("{a: {b: 1}}", "a.c", "x", "{a:{b:1 c:'x'}}"),
        ("{a: 1}", "a.b", "true", "{a:{b:true}}"),
        ("{}", "a[0].b", "x", "{a:[{b:'x'}]}"),
        ("{a: [{b: 1}]}", "a[0].c", "x", "{a:[{b:1 c:'x'}]}"),
        ("{a: [1]}", "a[2]", "x", "{a:[1 null 'x']}"),
        ("{}", "a[0][1]", "x", "{a:[[null 'x']]}"),
        ("{}", r"a.eks\.amazonaws\.com/role-arn", "x", "{a:{eks.amazonaws.com/role-arn:'x'}}"),
        ("{a: 1}", "a", "null", "{a:null}"),
        ("{}", "a", "{x,1,true}", "{a:['x' 1 true]}"),
        ("{}", "a", "{}", "{a:[]}"),
        ("{}", "a", r"{x\,y,z}", "{a:['x,y' 'z']}"),
        ("{}", "a", r"x\,y", "{a:'x,y'}"),
        ("{}", "a", "007", "{a:'007'}"),
        ("{}", "a", "0", "{a:0}"),
        ("{}", "a", "-5", "{a:-5}"),
        ("{}", "a", "1.5", "{a:'1.5'}"),
        ("{}", "a", "", "{a:''}"),
        ("{}", "a..b", "x", "{}"),
        ("{}", "", "x", "{}"),
        ("{}", "a[x]", "x", "{}"),
        ("{}", "a[0]b", "x", "{}"),
        ("{}", "a[99999]", "x", "{}"),
    ] {
        assert_eq!(set(base, name, value, SetKind::Auto), wanted, "{base} {name}={value}");
    }
    assert_eq!(set("{}", "a", "true", SetKind::Text), "{a:'true'}");
    assert_eq!(set("{}", "a.b", "{c: [1]}", SetKind::Literal), "{a.b:{c:[1]}}");
    let deep = vec!["a"; 40].join(".");
    assert_eq!(set("{}", &deep, "x", SetKind::Auto), "{}");
}

#[test]
fn sets_keep_their_places() {
    let name = Span::new(FileId(3), 1, 9);
    let at = Span::new(FileId(3), 10, 20);
    let set = Set {
        name: Value::computed("a.b[0]", name),
        value: Value::computed("x", at),
        kind: SetKind::Auto,
    };
    let values = apply(read("{a: {c: 1}}"), &set);
    let item = values.at("a.b").present().and_then(|it| it.items().first());
    assert_eq!(item.map(|it| (it.span, it.name)), Some((at, name)));
    assert_eq!(values.at("a").present().map(|it| it.span.file), Some(FileId(0)));
    assert_eq!(values.at("a.b").present().map(|it| it.name), Some(name));
}

#[test]
fn sets_that_are_unknown_hide_what_they_may_change() {
    let holes = [Symbol::new("root", "var.key")].into();
    let name = Text { holes, ..Text::computed("a.\u{e000}0\u{e001}") };
    let name = Value::new(Kind::String(name), PLACE);
    let set = |name: Value, value: Value| Set { name, value, kind: SetKind::Auto };
    let base = || read("{a: {b: 1}, c: 2}");
    assert_eq!(show(&apply(base(), &set(name, unknown("v")))), "{a:{b:? ..} c:2}");
    assert_eq!(show(&apply(base(), &set(unknown("n"), unknown("v")))), "{a:{b:? ..} c:? ..}");
    let value = set(Value::computed("a.b", PLACE), unknown("v"));
    assert_eq!(show(&apply(base(), &value)), "{a:{b:?} c:2}");
    let item = set(Value::computed("t[0].key", PLACE), Value::computed("x", PLACE));
    let open = values(&[unknown("d")], std::slice::from_ref(&item), PLACE).value;
    assert_eq!(show(&open), "{t:[{key:'x' ..} ..] ..}");
    let replaced = values(&[read("{t: {}}"), unknown("d")], &[item], PLACE).value;
    assert_eq!(show(&replaced), "{t:[{key:'x' ..} ..] ..}");
}

/// Small mappings over few keys, so that documents meet each other.
fn any_document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::new(Kind::Null, PLACE)),
        (0..3u8).prop_map(|it| Value::new(Kind::Number(f64::from(it)), PLACE)),
        (0..2u8).prop_map(|it| Value::list(
            vec![Value::new(Kind::Number(f64::from(it)), PLACE)],
            PLACE
        )),
    ];
    let key = || prop_oneof![Just("a"), Just("b"), Just("c")];
    let map = |entries: BTreeMap<&'static str, Value>| {
        let entry = |(key, value): (&str, Value)| Entry { key: key.into(), key_span: PLACE, value };
        Value::map(entries.into_iter().map(entry).collect(), PLACE)
    };
    let inner = leaf.prop_recursive(3, 12, 3, move |inner| {
        proptest::collection::btree_map(key(), inner, 0..3).prop_map(map)
    });
    proptest::collection::btree_map(key(), inner, 0..4).prop_map(map)
}

/// What Helm does, as briefly as possible.
fn oracle(base: &Value, over: &Value) -> Value {
    let (Kind::Map(earlier), Kind::Map(later)) = (&base.kind, &over.kind) else {
        return over.clone();
    };
    let mut entries: BTreeMap<Arc<str>, Entry> = BTreeMap::new();
    for entry in &earlier.entries {
        entries.insert(entry.key.clone(), entry.clone());
    }
    for entry in &later.entries {
        let value = earlier.entry(&entry.key).map(|it| oracle(&it.value, &entry.value));
        let value = value.unwrap_or_else(|| entry.value.clone());
        entries.insert(entry.key.clone(), Entry { value, ..entry.clone() });
    }
    Value::map(entries.into_values().collect(), PLACE)
}

/// Whether nothing is said but which keys there are: an unknown document is taken to put no other thing in place of a
/// mapping.
fn is_open(value: &Value) -> bool {
    match &value.kind {
        Kind::Unknown(_) => true,
        Kind::Map(map) => map.rest.is_some() && map.entries.iter().all(|it| is_open(&it.value)),
        _ => false,
    }
}

/// Whether a result with unknown parts does not contradict the full one.
fn agrees(result: &Value, truth: &Value) -> bool {
    match (&result.kind, &truth.kind) {
        _ if is_open(result) => true,
        (Kind::Map(result), Kind::Map(truth)) => {
            let known = result.entries.iter().all(|it| match truth.entry(&it.key) {
                Some(entry) => agrees(&it.value, &entry.value),
                None => is_open(&it.value),
            });
            let complete = truth.entries.iter().all(|it| result.entry(&it.key).is_some());
            known && (complete || result.rest.is_some())
        }
        (Kind::List(result), Kind::List(truth)) => {
            let known = result.items.iter().zip(&truth.items).all(|(a, b)| agrees(a, b));
            let length = truth.items.len();
            let fits = result.items.len() == length
                || (result.rest.is_some() && result.items.len() <= length);
            known && fits
        }
        _ => show(result) == show(truth),
    }
}

proptest::proptest! {
    #[test]
    fn merging_agrees_with_the_oracle(a in any_document(), b in any_document()) {
        assert_eq!(show(&merge(a.clone(), &b)), show(&oracle(&a, &b)));
    }

    #[test]
    fn nothing_is_known_that_an_unknown_document_may_change(
        documents in proptest::collection::vec(any_document(), 1..4),
        hidden in 0..4usize,
        index in 0..2usize,
    ) {
        let name = Value::computed(["a.b", "c[1].a"][index], PLACE);
        let set = Set { name, value: Value::computed("x", PLACE), kind: SetKind::Auto };
        let truth = values(&documents, std::slice::from_ref(&set), PLACE).value;
        let mut partly = documents.clone();
        if let Some(document) = partly.get_mut(hidden) {
            *document = unknown("local.hidden");
        }
        let result = values(&partly, &[set], PLACE).value;
        assert!(agrees(&result, &truth), "{} against {}", show(&result), show(&truth));
    }

    #[test]
    fn no_path_makes_it_panic(name in r"[a.\[\]0-9\\={},\x{e000}\x{e001}]{0,20}", value in "[a{},\\\\0-9-]{0,10}") {
        for kind in [SetKind::Auto, SetKind::Text, SetKind::Literal] {
            let set = Set {
                name: Value::computed(name.as_str(), PLACE),
                value: Value::computed(value.as_str(), PLACE),
                kind,
            };
            let _ = show(&apply(read("{a: [1]}"), &set));
        }
    }
}
