//! Trees of charts and what their templates see.

use super::{files, offline, rendered, template, values};
use crate::helm::{chart::Chart, cluster::Assumptions, render::Rendering};

/// What a rendering prints, files headed by their names.
fn shown(rendering: &Rendering) -> String {
    let text = |it: &crate::helm::render::RenderedFile| match &it.text {
        Ok(text) => format!("{}: {}", it.name, text.text.trim()),
        Err(error) => format!("{}: error: {}", it.name, error.message),
    };
    let mut shown: Vec<String> = rendering.files.iter().map(text).collect();
    shown.sort();
    shown.join("\n")
}

const PARENT: &str = "apiVersion: v2
name: shop
version: 1.2.3
appVersion: 4.5
dependencies:
  - {name: db, version: 1.x, alias: orders, condition: orders.enabled, import-values: [data]}
  - {name: db, version: 1.x, condition: db.enabled, tags: [stores]}
  - {name: absent, version: 1.x}
";
const DB: &str = "apiVersion: v2\nname: db\nversion: 1.0.0\n";

#[test]
fn subcharts_have_their_values() {
    let chart = [
        ("Chart.yaml", PARENT),
        ("values.yaml", "global: {region: eu}\norders: {size: 3, drop: null}\nown: 1\nport: 9\n"),
        (
            "templates/a.yaml",
            "{{ .Values.own }} {{ .Values.port }} {{ .Values.host }} {{ .Chart.AppVersion }}",
        ),
        ("charts/db/Chart.yaml", DB),
        (
            "charts/db/values.yaml",
            "size: 1\ndrop: x\nkeep: z\nexports: {data: {port: 1, host: h}}\n",
        ),
        (
            "charts/db/templates/b.yaml",
            "{{ .Chart.Name }} {{ .Values.size }} {{ .Values.drop }} {{ .Values.keep }} {{ .Values.global.region }}",
        ),
    ];
    let loaded = Chart::load(files(&chart)).unwrap();
    let missing: Vec<&str> = loaded.missing().iter().map(|it| &*it.name).collect();
    assert_eq!(missing, ["absent"]);
    let found = rendered(&chart, &values("tags: {stores: false}"), &offline());
    assert_eq!(
        shown(&found),
        "shop/charts/orders/templates/b.yaml: orders 3  z eu\nshop/templates/a.yaml: 1 9 h 4.5"
    );
    let found =
        rendered(&chart, &values("orders: {enabled: false}\ndb: {enabled: true}"), &offline());
    assert!(shown(&found).starts_with("shop/charts/db/templates/b.yaml: db 1 x z eu\n"));
}

/// As Go reads JSON.
#[test]
fn keys_of_a_description_may_begin_with_capitals() {
    let chart = [
        (
            "Chart.yaml",
            "apiVersion: v2\nName: shop\nVersion: 1.2.3\nAppVersion: x\ndependencies: [{Name: db, Version: 1.x}]\n",
        ),
        ("templates/a.yaml", "{{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.AppVersion }}"),
        ("charts/db/Chart.yaml", DB),
    ];
    let loaded = Chart::load(files(&chart)).unwrap();
    assert!(loaded.missing().is_empty());
    let found = rendered(&chart, &values(""), &offline());
    assert_eq!(shown(&found), "shop/templates/a.yaml: shop 1.2.3 x");
}

/// Seen with Helm 3.17 and 4.3.
#[test]
fn helm_4_takes_away_what_is_null_by_default() {
    let chart = [
        ("Chart.yaml", "name: shop\nversion: 1.0.0\ndependencies: [{name: db, version: 1.x}]\n"),
        ("values.yaml", "own: {none: null}\ndb: {size: null}\n"),
        ("templates/a.yaml", "{{ .Values.own | toJson }}"),
        ("charts/db/Chart.yaml", "name: db\nversion: 1.0.0\n"),
        ("charts/db/values.yaml", "size: 1\nown: {none: null}\n"),
        ("charts/db/templates/a.yaml", "{{ omit .Values \"global\" | toJson }}"),
    ];
    for (is_helm_4, wanted) in [
        (
            false,
            "shop/charts/db/templates/a.yaml: {\"own\":{}}\nshop/templates/a.yaml: {\"none\":null}",
        ),
        (
            true,
            "shop/charts/db/templates/a.yaml: {\"own\":{},\"size\":1}\nshop/templates/a.yaml: {}",
        ),
    ] {
        let assumptions = Assumptions { is_helm_4, ..offline() };
        assert_eq!(shown(&rendered(&chart, &values(""), &assumptions)), wanted);
    }
}

#[test]
fn tags_are_those_of_the_chart_that_is_installed() {
    let leaf = |mid: &str, given: &str| {
        let chart = [
            ("Chart.yaml", "name: shop\nversion: 1.0.0\ndependencies: [{name: mid, version: 1.x}]"),
            (
                "charts/mid/Chart.yaml",
                "name: mid\nversion: 1.0.0\ndependencies: [{name: leaf, version: 1.x, tags: [x]}]",
            ),
            ("charts/mid/values.yaml", mid),
            ("charts/mid/charts/leaf/Chart.yaml", "name: leaf\nversion: 1.0.0"),
            ("charts/mid/charts/leaf/templates/a.yaml", "kind: Leaf"),
        ];
        !rendered(&chart, &values(given), &offline()).files.is_empty()
    };
    for (mid, given, wanted) in [
        ("", "{}", true),
        ("", "tags: {x: false}", false),
        ("", "mid: {tags: {x: false}}", true),
        ("", "{tags: {x: false}, mid: {tags: {x: true}}}", false),
        ("tags: {x: false}", "{}", false),
        ("tags: {x: false}", "tags: {x: true}", true),
        ("tags: {x: false}", "mid: {tags: {x: true}}", false),
    ] {
        assert_eq!(leaf(mid, given), wanted, "{mid} {given}");
    }
}

#[test]
fn definitions_are_shared_and_the_parents_win() {
    let chart = [
        ("templates/_a.tpl", "{{ define \"name\" }}parent{{ end }}"),
        ("templates/a.yaml", "{{ include \"name\" . }} {{ include \"lib\" . }}"),
        ("charts/lib/Chart.yaml", "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n"),
        (
            "charts/lib/templates/_b.tpl",
            "{{ define \"name\" }}child{{ end }}{{ define \"lib\" }}lib{{ end }}",
        ),
        ("charts/lib/templates/c.yaml", "never"),
    ];
    let found = rendered(&chart, &values(""), &offline());
    assert_eq!(shown(&found), "shop/templates/a.yaml: parent lib");
}

#[test]
fn files_are_read_without_those_that_are_ignored() {
    let chart = [
        (".helmignore", "*.bak\n"),
        ("conf/a.ini", "x=1\ny=2\n"),
        ("conf/b.bak", "no"),
        (
            "templates/a.yaml",
            "{{ .Files.Get \"conf/a.ini\" | quote }} {{ .Files.Get \"conf/b.bak\" }}
{{ (.Files.Glob \"conf/*\").AsConfig }}
{{ range .Files.Lines \"conf/a.ini\" }}[{{ . }}]{{ end }}",
        ),
    ];
    let found = rendered(&chart, &values(""), &offline());
    let expected = "shop/templates/a.yaml: \"x=1\\ny=2\\n\" \na.ini: |\n  x=1\n  y=2\n[x=1][y=2]";
    assert_eq!(shown(&found), expected);
}

#[test]
fn maps_are_shared_and_change() {
    let text = "{{ $_ := set .Values.a \"x\" 2 }}{{ .Values.a.x }}{{ $m := dict }}{{ range until 3 }}\
                {{ $_ := set $m (toString .) . }}{{ end }}{{ len $m }}{{ $x := 1 }}{{ if true }}{{ $x = 5 }}\
                {{ $x := 9 }}{{ end }}{{ $x }}";
    assert_eq!(template(text, "a: {}").unwrap(), "235");
}

#[test]
fn control_flow_is_that_of_go() {
    let cases = [
        (
            "{{ range $i, $e := .Values.l }}{{ if eq $e \"b\" }}{{ continue }}{{ end }}{{ $i }}{{ $e }}{{ end }}",
            "0a2c",
        ),
        (
            "{{ range .Values.l }}{{ if eq . \"b\" }}{{ break }}{{ end }}{{ . }}{{ else }}none{{ end }}",
            "a",
        ),
        ("{{ range .Values.none }}x{{ else }}none{{ end }}", "none"),
        ("{{ with .Values.none }}x{{ else with .Values.s }}{{ . }}{{ end }}", "text"),
        ("{{ if .Values.none }}a{{ else if .Values.s }}b{{ else }}c{{ end }}", "b"),
        ("a  {{- /* comment */ -}}  b", "ab"),
        ("{{ block \"x\" .Values }}{{ .s }}{{ end }}", "text"),
        ("{{ (.Values.none).deep }}{{ .Values.none }}", ""),
        ("{{ .Values.num }} {{ .Values.num | int }} {{ .Values.f }}", "1e+06 1000000 1.5"),
        ("{{ $.Release.Name }}-{{ .Template.BasePath }}", "release-name-shop/templates"),
        ("{{ range $k, $v := .Values.m }}{{ $k }}={{ $v }},{{ end }}", "a=1,b=2,"),
        ("{{ tpl .Values.t . }}", "text!"),
        ("{{ dig \"m\" \"a\" 0 .Values.AsMap }}", "1"),
    ];
    let given =
        "l: [a, b, c]\ns: text\nnum: 1000000\nf: 1.50\nm: {b: 2, a: 1}\nt: \"{{ .Values.s }}!\"\n";
    for (text, expected) in cases {
        assert_eq!(template(text, given).unwrap(), expected, "{text}");
    }
}

#[test]
fn errors_are_at_the_call() {
    let cases = [
        ("a {{ fail \"no\" }}", "no", "fail \"no\""),
        ("{{ required \"want x\" .Values.x }}", "want x", "required \"want x\" .Values.x"),
        ("{{ .Values.a.b }}", "nil pointer evaluating interface {}.b", ".Values.a.b"),
        ("{{ if }}", "missing value for if", "}"),
        ("{{ quot .Values.a }}", "function \"quot\" not defined", "q"),
        ("{{ if false }}{{ env \"HOME\" }}{{ end }}", "function \"env\" not defined", "e"),
        (
            "{{ tpl \"{{ quot 1 }}\" . }}",
            "cannot parse template: function \"quot\" not defined",
            "tpl \"{{ quot 1 }}\" .",
        ),
        (
            "{{ regexFind \"[\" \"a\" }}",
            "error calling regexFind: error parsing regexp: `[`",
            "regexFind \"[\" \"a\"",
        ),
        (
            "{{ include \"none\" . }}",
            "template: no template \"none\" associated with template",
            "include \"none\" .",
        ),
    ];
    for (text, message, at) in cases {
        let error = template(text, "").unwrap_err();
        assert_eq!(error.message, message, "{text}");
        let span = error.span.unwrap();
        assert_eq!(text.get(span.range()), Some(at), "{text}");
    }
}
