//! YAML read as Kubernetes does, with the place of every value.

use super::{parse, parse_literal, parse_rendered};
use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::Documents,
    value::{Kind, Symbol, Text, TextPiece, TextSource, Value},
};
use std::time::Instant;

fn whole(source: &str) -> Span {
    Span::new(FileId(0), 0, source.len())
}

fn read(source: &str) -> Documents {
    parse(&Text::verbatim(source, whole(source)), whole(source))
}

fn only(source: &str) -> Value {
    let documents = read(source);
    assert_eq!(documents.parse_errors, [], "{source:?}");
    assert_eq!(documents.values.len(), 1, "{source:?}");
    documents.values.into_iter().next().unwrap()
}

/// A value in the words of JSON; unknowns as `<symbol>`.
fn show(value: &Value) -> String {
    let rest = |rest: &Option<Symbol>| rest.as_ref().map_or("", |_| "…").to_owned();
    match &value.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(value) => value.to_string(),
        Kind::String(text) => format!("{:?}", text.text),
        Kind::Unknown(symbol) => format!("<{}>", symbol.text),
        Kind::List(list) => {
            let items: Vec<_> = list.items.iter().map(show).collect();
            format!("[{}{}]", items.join(","), rest(&list.rest))
        }
        Kind::Map(map) => {
            let entries: Vec<_> =
                map.entries.iter().map(|it| format!("{}:{}", it.key, show(&it.value))).collect();
            format!("{{{}{}}}", entries.join(","), rest(&map.rest))
        }
    }
}

fn under(source: &str, span: Span) -> &str {
    &source[span.range()]
}

#[test]
fn the_problem_behind_text_without_indentation_is_the_one_reported() {
    let source = "a:\n  - b: 'one\ntwo'\n    c: \"three\nfour\"\n    d: \"\"five\"\n";
    let documents = read(source);
    let places: Vec<&str> =
        documents.parse_errors.iter().map(|it| under(source, it.span)).collect();
    assert_eq!(places, ["five\""]);
}

#[test]
fn scalars_have_the_types_of_kubernetes() {
    let cases = [
        ("a: on", "{a:true}"),
        ("a: y", "{a:true}"),
        ("y: 1", "{true:1}"),
        ("'y': 1", "{y:1}"),
        ("0777: 0777", "{511:511}"),
        ("1.5: x", "{1.5:\"x\"}"),
        ("a: 'on'", "{a:\"on\"}"),
        ("a: !!str 5", "{a:\"5\"}"),
        ("a: ! 5", "{a:\"5\"}"),
        ("a: !Ref x", "{a:\"x\"}"),
        ("a: !!int '5'", "{a:5}"),
        ("a:", "{a:null}"),
        ("a: ~\nb: Null", "{a:null,b:null}"),
        ("a: 2001-01-01", "{a:\"2001-01-01\"}"),
        ("a:\t1", "{a:1}"),
        ("a: |\n  x\n  y\n", "{a:\"x\\ny\\n\"}"),
        ("a: >-\n  x\n  y\n", "{a:\"x y\"}"),
        ("a: x\n  y", "{a:\"x y\"}"),
        ("a:\n  b: 'x\n  y\n\n  z'\n  c: \"1\n2\"\nd: e", "{a:{b:\"x y\\nz\",c:\"1 2\"},d:\"e\"}"),
        ("[a: 1, {b}]", "[{a:1},{b:null}]"),
        ("- - 1\n  - 2\n- 3", "[[1,2],3]"),
        ("? a\n: b", "{a:\"b\"}"),
        ("\u{feff}a: 1", "{a:1}"),
        ("a: 1\r\nb: 'x'\r\n", "{a:1,b:\"x\"}"),
    ];
    for (source, expected) in cases {
        assert_eq!(show(&only(source)), expected, "{source:?}");
    }
}

#[test]
fn a_block_ends_as_its_text_does() {
    for (source, wanted) in [
        ("a: |\n  one", r#"{a:"one"}"#),
        ("a: |\n  one\n", r#"{a:"one\n"}"#),
        ("a: |+\n  one", r#"{a:"one"}"#),
        ("a: >\n  one\n  two", r#"{a:"one two"}"#),
        ("a: |\n  one\n  ", r#"{a:"one\n"}"#),
        ("a: |\n  one\nb: |\n  two", r#"{a:"one\n",b:"two"}"#),
        ("a: |\n  one\n# end", r#"{a:"one\n"}"#),
    ] {
        assert_eq!(show(&only(source)), wanted, "{source:?}");
    }
}

#[test]
fn documents_split_where_kubectl_splits() {
    let cases = [
        ("a: 1\n---\nb: 2\n", "{a:1} {b:2}", ""),
        ("---\n# only a comment\n---\n\n---\na: 1\n", "{a:1}", ""),
        ("", "", ""),
        ("\u{feff}", "", ""),
        ("null", "", ""),
        ("a: |\n  x\n  ---\n  y\n", "{a:\"x\\n---\\ny\\n\"}", ""),
        ("a: 1\n...\nb: 2\n", "{a:1}", "b: 2"),
        ("--- {a: 1}\n", "{a:1}", "{a: 1}"),
        ("%YAML 1.2\n---\na: 1", "{a:1}", "%YAML 1.2"),
        ("a: 1\n---\nb: [1\n---\nc: 3", "{a:1} {c:3}", "[1"),
        ("a: 1\nb\n---\nc: 3", "{c:3}", "b"),
        ("a: b: c\n---\nc: 3", "{c:3}", ": c"),
        ("a: x\u{1}y\n---\nc: 3", "{c:3}", "\u{1}y"),
        ("----\n\na: 1\n---\nb: 2\n", "{b:2}", "----"),
        ("a: 1\n-----\nb: 2\n---\nc: 3\n", "{c:3}", "-----"),
        ("----\n---\nb: 2\n", "\"----\" {b:2}", "----"),
    ];
    for (source, expected, complaint) in cases {
        let documents = read(source);
        let values: Vec<_> = documents.values.iter().map(show).collect();
        assert_eq!(values.join(" "), expected, "{source:?}");
        let places: Vec<_> =
            documents.parse_errors.iter().map(|it| under(source, it.span)).collect();
        assert_eq!(places.join(" "), complaint, "{source:?}");
    }
}

/// Every text and number re-reads to itself from its place.
fn check_places(source: &str, value: &Value) {
    match &value.kind {
        Kind::String(text) => {
            if let TextSource::Verbatim(span) = text.layout {
                assert_eq!(under(source, span), &*text.text);
            }
            if let TextSource::Pieces(pieces) = &text.layout {
                for piece in &**pieces {
                    let run = &text.text[piece.at as usize..(piece.at + piece.len) as usize];
                    assert_eq!(under(source, piece.span), run);
                }
            }
            assert!(!matches!(text.layout, TextSource::Nowhere), "{:?}", text.text);
        }
        Kind::List(list) => list.items.iter().for_each(|it| check_places(source, it)),
        Kind::Map(map) => {
            for entry in &map.entries {
                assert_eq!(under(source, entry.key_span).trim_matches('"'), &*entry.key);
                assert_eq!(entry.value.name, entry.key_span);
                check_places(source, &entry.value);
            }
        }
        Kind::Number(number) => {
            assert_eq!(
                under(source, value.span).parse::<f64>().unwrap().to_string(),
                number.to_string()
            );
        }
        _ => {}
    }
}

#[test]
fn places_are_exact() {
    let sources = [
        "a: 1\nb: \"two\"\nc: 'thr''ee'\n".replace("thr''ee", "three"),
        "# c\nlist:\n- x: 1\n  w: |-  # why\n    k: v\n\n    l: w\n  # end\n- {a: b, c: [1, d]}\n"
            .to_owned(),
        "a:\r\n  - |\r\n    x\r\n    y\r\n  - z\r\n".to_owned(),
        "\u{feff}é: ü\n\"日\": >2\n    x\n  y\n  z\n".to_owned(),
        "a: &x !!str\n  |\n  text\nb: - \n".replace("b: - ", "b: --"),
    ];
    for source in &sources {
        check_places(source, &only(source));
    }
}

#[test]
fn collections_and_blocks_have_tight_spans() {
    let source = "# c\nmap:\n  a: 1\n  b:   # c\n    - x\n    - w: |\n        t\n\n# c\nnext:\n- {z: [q] }\nlast: >-\n   w\n";
    let value = only(source);
    let cases = [
        ("map", "a: 1\n  b:   # c\n    - x\n    - w: |\n        t"),
        ("map.b", "- x\n    - w: |\n        t"),
        ("next", "- {z: [q] }"),
        ("last", ">-\n   w"),
    ];
    for (path, expected) in cases {
        assert_eq!(under(source, value.at(path).present().unwrap().span), expected, "{path}");
    }
    assert_eq!(under(source, value.name), "map");
    let text = &value.at("map.b").present().unwrap().items()[1];
    assert_eq!(under(source, text.span), "w: |\n        t");
    assert_eq!(under(source, text.name), "w: |\n        t");
    assert_eq!(under(source, text.get("w").present().unwrap().span), "|\n        t");
}

#[test]
fn yaml_in_yaml_in_yaml_keeps_its_places() {
    let source =
        "data:\n  app: |\n    helm:\n      values: |\n        replicas: 7\n\n        tag: 'x'\n";
    let first = only(source);
    let Kind::String(app) = &first.at("data.app").present().unwrap().kind else { panic!() };
    let second = parse(app, first.span).values.remove(0);
    let Kind::String(values) = &second.at("helm.values").present().unwrap().kind else { panic!() };
    let third = parse(values, first.span).values.remove(0);
    assert_eq!(under(source, third.get("replicas").present().unwrap().span), "7");
    assert_eq!(under(source, third.get("tag").present().unwrap().span), "'x'");
    check_places(source, &third);
}

#[test]
fn anchors_aliases_and_merges() {
    let cases = [
        ("a: &x 1\nb: *x", "{a:1,b:1}", ""),
        ("a: &x {k: 1, l: 2}\nb: {k: 3, <<: *x, l: 4}", "{a:{k:1,l:2},b:{k:1,l:4}}", ""),
        (
            "a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc: {<<: [*x, *y]}",
            "{a:{k:1},b:{k:2,m:3},c:{k:1,m:3}}",
            "",
        ),
        ("'<<': 1", "{<<:1}", ""),
        ("&k a: 1\n*k : 2", "{a:2}", "duplicate key `a`: the last one counts"),
        ("a: *x", "{a:<*x>}", "no anchor `&x` comes before this alias"),
        ("a: &x [*x]", "{a:[<*x>]}", "the alias is inside the value that it refers to"),
        ("<<: 5\na: 1", "{a:1}", "`<<` takes a mapping or a list of mappings"),
        ("a: 1\nb: 2\na: 3", "{a:3,b:2}", "duplicate key `a`: the last one counts"),
        ("~: 1\na: 2", "{a:2}", "Kubernetes accepts only text, numbers and booleans as keys"),
        ("{a: b}: 1\nc: 2", "{c:2}", "Kubernetes accepts only text, numbers and booleans as keys"),
        ("a: .nan", "{a:<.nan>}", "Kubernetes cannot store `.nan`; JSON has no such number"),
    ];
    for (source, expected, complaint) in cases {
        let documents = read(source);
        assert_eq!(show(&documents.values[0]), expected, "{source:?}");
        let messages: Vec<_> = documents.parse_errors.iter().map(|it| &*it.message).collect();
        assert_eq!(messages.join("; "), complaint, "{source:?}");
    }
    let source = "a: &x\n  k: 1\nb: *x\nc:\n  <<: *x\n";
    let value = only(source);
    let alias = value.at("b").present().unwrap();
    assert_eq!(under(source, alias.span), "k: 1");
    assert_eq!(under(source, alias.name), "b");
    assert_eq!(under(source, alias.origin.as_ref().unwrap().span), "*x");
    let merged = value.at("c.k").present().unwrap();
    assert_eq!(merged.origin.as_ref().unwrap().kind.to_string(), "through the merge of `*x`");
}

#[test]
fn duplicates_are_found_in_large_mappings() {
    let mut source = lines(40, |number| format!("key{number}: {number}"));
    source.push_str("\nkey3: x\nkey30: y\n");
    let documents = read(&source);
    let places: Vec<_> = documents.parse_errors.iter().map(|it| under(&source, it.span)).collect();
    assert_eq!(places, ["key3", "key30"]);
    assert!(documents.parse_errors.iter().all(|it| it.severity == Severity::Warning));
    assert_eq!(documents.values[0].entries().len(), 40);
}

fn with_hole(source: &str) -> Text {
    let text = source.replace('@', "\u{e000}0\u{e001}");
    Text { holes: [Symbol::new("m", "var.x")].into(), ..Text::computed(text) }
}

#[test]
fn holes_are_unknown_and_never_more() {
    let cases = [
        ("a: @", "{a:<var.x>}"),
        ("a: '@'", "{a:<var.x>}"),
        ("a: x-@", "{a:\"x-\\u{e000}0\\u{e001}\"}"),
        ("@: 1\nb: 2", "{b:2…}"),
        ("a:\n@b: 1\nc: 2", "{a:<var.x>,c:2…}"),
        ("a:\n  d:\n@b: 1\nc:", "{a:{d:<var.x>},c:null…}"),
        ("@", "<var.x>"),
        ("- @\n- 1", "[<var.x>,1]"),
        ("a: 1\n@\nb:\n  - 2", "{a:1,b:[2]…}"),
        ("a:\n  @\n  c: 1", "{a:{c:1…}…}"),
        ("a:\n  @\nb: 1\n@", "{a:<var.x>,b:1…}"),
        ("a: 1\n@\nb: |\n  x\n  @\n", "{a:1,b:<var.x>…}"),
        ("a: 1\nb: {{ x }}", "{a:1,b:<{{ x }}>}"),
        ("a: {{ x }}-y", "{a:\"\\u{e000}0\\u{e001}-y\"}"),
        ("{{ x }}: 1\nb: 2", "{b:2…}"),
        ("a: &a {@: 1, b: 2}\nc: {b: 3, d: 4, <<: *a, e: 5}", "{a:{b:2…},c:{b:2,e:5…}}"),
        ("{{- if x }}\na: 1\n{{- end }}\n", "{a:1}"),
        ("a:\n  {{- if x }}\n  b: 1\n  {{- end }}\n  c: {d: 1}\ne: [1]", "{a:{b:1,c:{d:1}},e:[1]}"),
        ("a:\n  {{- range x }}\n  - b: 1\n  {{- end }}\nc: 1", "{a:[{b:1…}…],c:1}"),
        (
            "a:\n  b: {c: 1}\n  d:\n    e: 1\n    {{- x | nindent 4 }}\nf: [1]",
            "{a:{b:{c:1},d:{e:1…}…},f:[1]…}",
        ),
        ("a: 1\n{{- end }}\nb: {c: 1}", "{a:1,b:{c:1}…}"),
        ("{{ if x }}\na: 1\n{{ else }}\na: 2\n{{ end }}\nb: 3", "{a:<{{ if x }}>,b:3}"),
        (
            "a: 1\n%{ if x ~}\nb: ${y}\n%{ endif ~}\nc: {{ z }}-w",
            "{a:1,b:<${y}>,c:\"\\u{e000}0\\u{e001}-w\"}",
        ),
        (
            "a: ${NAME}\nb: v${NAME:-1}\nc: ${9}",
            "{a:<${NAME}>,b:\"v\\u{e000}0\\u{e001}\",c:\"${9}\"}",
        ),
    ];
    for (source, expected) in cases {
        let text = with_hole(source);
        let text = if source.contains('@') { text } else { Text { holes: [].into(), ..text } };
        let documents = parse(&text, whole(source));
        assert_eq!(documents.parse_errors, [], "{source:?}");
        let values: Vec<_> = documents.values.iter().map(show).collect();
        assert_eq!(values.join(" "), expected, "{source:?}");
    }
}

#[test]
fn a_heredoc_with_holes_keeps_its_places() {
    let source = "x = <<-EOT\n  a: ${var.x}-y\n  b: z\n  EOT\n";
    let piece = |at: usize, text: &str, shown: &str| {
        let start = source.find(shown).unwrap();
        let span = Span::new(FileId(0), start, start + shown.len());
        TextPiece { at: u32::try_from(at).unwrap(), len: u32::try_from(text.len()).unwrap(), span }
    };
    let hole = "\u{e000}0\u{e001}";
    let pieces = vec![
        piece(0, "a: ", "a: "),
        piece(3, hole, "${var.x}"),
        piece(10, "-y\n", "-y\n"),
        piece(13, "b: z\n", "b: z\n"),
    ];
    let text = Text { layout: TextSource::Pieces(pieces.into()), ..with_hole("a: @-y\nb: z\n") };
    let value = parse(&text, whole(source)).values.remove(0);
    assert_eq!(under(source, value.span), "a: ${var.x}-y\n  b: z");
    assert_eq!(under(source, value.at("b").present().unwrap().span), "z");
    let joined = value.at("a").present().unwrap();
    assert_eq!(under(source, joined.span), "${var.x}-y");
    let Kind::String(text) = &joined.kind else { panic!() };
    assert_eq!(under(source, text.locate(0, hole.len(), joined.span)), "${var.x}");
    assert_eq!(under(source, text.locate(hole.len(), text.text.len(), joined.span)), "-y");
    check_places(source, value.at("b").present().unwrap());
}

#[test]
fn literal_text_keeps_the_marks_of_other_tools() {
    let source = "a: ${NAME}\nb: '{{ x }}'";
    let documents = parse_literal(&Text::verbatim(source, whole(source)), whole(source));
    assert_eq!(show(&documents.values[0]), "{a:\"${NAME}\",b:\"{{ x }}\"}");
}

/// Lines for every number below `count`.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn hostile_inputs_end_quickly() {
    let alias = |level: usize| format!("*a{}", level.wrapping_sub(1));
    let twice = |level| format!("a{level}: &a{level} [{0}, {0}]", alias(level));
    let chained = |level| format!("a{level}: &a{level} [{}]", alias(level));
    let keys = |level| format!("  k{level}: 1");
    let merged = |level| format!("- {{<<: *a, x: {level}}}");
    let cases = [
        ("brackets", "[".repeat(100_000), 1),
        ("braces", "{a: ".repeat(100_000), 1),
        ("dashes", "- ".repeat(20_000), 1),
        ("questions", "? ".repeat(20_000), 1),
        ("depth", lines(5000, |level| format!("{}a:", " ".repeat(level))), 1),
        ("laughs", lines(60, twice), 3),
        ("chain", lines(20_000, chained), 2),
        ("merges", format!("a: &a\n{}\nb:\n{}", lines(2000, keys), lines(2000, merged)), 1),
        ("templates", format!("a: '{}'", "{{".repeat(100_000)), 0),
        ("holes", "\u{e000}1".repeat(50_000), 0),
        ("keys", lines(100_000, keys), 0),
        ("quotes", format!("a: '{}", lines(10_000, |level| format!("b{level}:"))), 1),
        ("documents", "---\n".repeat(50_000), 0),
    ];
    for (name, source, complaints) in cases {
        let start = Instant::now();
        let documents = read(&source);
        assert_eq!(
            documents.parse_errors.len(),
            complaints,
            "{name}: {:?}",
            documents.parse_errors.first()
        );
        assert!(start.elapsed().as_secs() < 5, "{name} took {:?}", start.elapsed());
    }
}

#[test]
fn helm_takes_documents_apart_at_dashes_with_more_behind_them() {
    let source = "---a: 1\n---\nb: 2\n---c: 3\nd: |\n  ---x\n";
    let documents = parse_rendered(&Text::verbatim(source, whole(source)), whole(source));
    let shown: Vec<String> = documents.values.iter().map(show).collect();
    assert_eq!((shown.len(), documents.parse_errors.len()), (3, 0), "{shown:?}");
}
