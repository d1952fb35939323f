//! What is not known flows, and stops nothing.

use super::{offline, rendered, values};
use crate::{
    helm::cluster::Assumptions,
    value::{HOLE_END, HOLE_START, Kind, Symbol, Value},
};

/// What a template prints where `unknown` is not known, holes as `<symbol>`.
fn shown(text: &str) -> String {
    shown_with(text, &Assumptions::default())
}

fn shown_with(text: &str, assumptions: &Assumptions) -> String {
    let mut given = values("known: k\nunknown: x\nopen: {a: 1}\n");
    let Kind::Map(map) = &mut given.kind else { return String::new() };
    let map = std::sync::Arc::make_mut(map);
    for entry in &mut map.entries {
        let symbol = Symbol::new("test", "var.x");
        match &*entry.key {
            "unknown" => entry.value = Value::unknown(symbol, entry.value.span),
            "open" => {
                if let Kind::Map(map) = &mut entry.value.kind {
                    std::sync::Arc::make_mut(map).rest = Some(symbol);
                }
            }
            _ => {}
        }
    }
    let mut rendering = rendered(&[("templates/a.yaml", text)], &given, assumptions);
    let text = match rendering.files.remove(0).text {
        Ok(text) => text,
        Err(error) => return format!("error: {}", error.message),
    };
    let mut shown = text.text.to_string();
    for (at, hole) in text.holes.iter().enumerate() {
        shown = shown.replace(&format!("{HOLE_START}{at}{HOLE_END}"), &format!("<{}>", hole.text));
    }
    shown
}

#[test]
fn unknown_values_are_holes() {
    let cases = [
        ("a: {{ .Values.unknown }}", "a: <var.x>"),
        ("a: {{ .Values.unknown.deep | quote }}", "a: \"<var.x.deep>\""),
        ("a: {{ .Values.unknown | default \"d\" }}", "a: <var.x>"),
        ("a: {{ printf \"%s-%s\" .Values.unknown .Values.known }}", "a: <var.x>-k"),
        ("a: {{ .Values.unknown | trunc 63 }}", "a: <trunc(var.x)>"),
        ("a: {{ required \"x\" .Values.unknown }}", "a: <var.x>"),
        ("{{ dict \"a\" .Values.unknown \"b\" 1 | toYaml }}", "a: <var.x>\nb: 1"),
        ("{{ toYaml .Values.open }}", "a: 1\n<var.x>"),
        ("a: {{ .Values.open.b }}{{ .Values.open.a }}", "a: <var.x.b>1"),
        ("a: {{ randAlphaNum 5 }}", "a: <randAlphaNum #0>"),
        ("a: {{ include (print .Values.unknown) . }}", "a: <var.x>"),
        ("a: {{ mustToToml 1 }}", "a: <mustToToml>"),
        ("{{ .Capabilities.KubeVersion.Minor }}", "<.Capabilities.KubeVersion.Minor>"),
        ("{{ .Capabilities.APIVersions.Has \"apps/v1\" }}", "true"),
        ("{{ has \"apps/v1\" .Capabilities.APIVersions }}", "true"),
        ("{{ has \"apps/v1beta1\" .Capabilities.APIVersions }}", "false"),
        (
            "{{ has \"x.io/v1\" .Capabilities.APIVersions }}",
            "<.Capabilities.APIVersions.Has \"x.io/v1\">",
        ),
        ("{{ range .Capabilities.APIVersions }}x{{ end }}", "<.Capabilities.APIVersions>"),
        ("a: {{ eq .Values.unknown .Values.unknown }}", "a: true"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn both_bodies_of_a_condition_are_perhaps() {
    let cases = [
        ("{{ if .Values.unknown }}same{{ else }}same{{ end }}", "same"),
        ("a: {{ if .Values.unknown }}x{{ else }}y{{ end }}\nb: 1", "a: <var.x>\nb: 1"),
        ("a: 1\n{{- if .Values.unknown }}\nb: 2\n{{- end }}\nc: 3", "a: 1\n<var.x>: <var.x>\nc: 3"),
        ("{{ if .Values.unknown }}{{ fail \"no\" }}{{ else }}other{{ end }}", "other"),
        (
            "{{ if .Values.unknown }}{{ fail \"no\" }}{{ else }}{{ fail \"never\" }}{{ end }}",
            "error: no",
        ),
        ("{{ $x := 1 }}{{ if .Values.unknown }}{{ $x = 2 }}{{ end }}{{ $x }}", "<var.x>"),
        (
            "{{ $m := dict \"a\" 1 }}{{ if .Values.unknown }}{{ $_ := set $m \"a\" 2 }}{{ end }}{{ $m.a }}",
            "<set a>",
        ),
        ("{{ range .Values.unknown }}x{{ end }}", "<var.x>"),
        ("{{ with .Values.unknown }}\n  a: {{ . }}\n{{ end }}", "\n  <var.x>: <var.x>\n"),
        ("{{ if and .Values.unknown false }}a{{ else }}b{{ end }}", "b"),
        ("a: 1\n{{ if .Values.unknown }}\n---\nkind: X\n{{ end }}", "a: 1\n\n---\n<var.x>\n"),
        ("{{ if .Values.unknown }}kind: X\n---\nkind: Y{{ end }}", "<var.x>\n---\n<var.x>"),
        ("{{ range $k, $v := .Values.open }}{{ $k }},{{ end }}", "a,<var.x>"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), expected, "{text}");
    }
}

/// Each file that a template prints where `unknown` is not known, with the conditions around it.
fn apart(text: &str) -> Vec<(String, String)> {
    let mut given = values("unknown: x\nother: y\n");
    if let Kind::Map(map) = &mut given.kind {
        for entry in &mut std::sync::Arc::make_mut(map).entries {
            let symbol = Symbol::new("test", format!("var.{}", entry.key));
            entry.value = Value::unknown(symbol, entry.value.span);
        }
    }
    let rendering = rendered(&[("templates/a.yaml", text)], &given, &Assumptions::default());
    let files = rendering.files.into_iter().map(|it| {
        let sign = |holds: bool| if holds { "" } else { "not " };
        let conditions = it.conditions.iter();
        let conditions: Vec<String> =
            conditions.map(|it| format!("{}{}", sign(it.holds), it.written)).collect();
        let text = it.text.map_or_else(|it| it.message, |it| it.text.trim().to_owned());
        (conditions.join(" and "), text)
    });
    files.collect()
}

#[test]
fn whole_objects_behind_a_condition_are_apart() {
    let object = |name: &str| format!("apiVersion: v1\nkind: X\nmetadata:\n  name: {name}");
    let (a, b) = (object("a"), object("b"));
    let pair = |condition: &str, text: &str| (condition.to_owned(), text.to_owned());
    let unknown = "{{- if .Values.unknown }}\n";
    let end = "\n{{- end }}\n";
    let cases = [
        (format!("{unknown}{a}{end}"), vec![pair("", "---"), pair(".Values.unknown", &a)]),
        (
            format!("{unknown}{a}\n{{{{- else }}}}\n{b}{end}"),
            vec![pair("", "---"), pair(".Values.unknown", &a), pair("not .Values.unknown", &b)],
        ),
        (
            format!("{b}\n{unknown}---\n{a}{end}---\nx: 1"),
            vec![
                pair("", &format!("{b}\n---\n\n---\nx: 1")),
                pair(".Values.unknown", &format!("---\n{a}")),
            ],
        ),
        (
            format!("{unknown}{{{{- with .Values.other }}}}\n{a}{end}{{{{- end }}}}"),
            vec![pair("", "---"), pair(".Values.unknown and .Values.other", &a)],
        ),
        (
            format!("{{{{ range .Values.unknown }}}}\n---\n{a}{end}"),
            vec![pair("", "---"), pair(".Values.unknown", &format!("---\n{a}"))],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(apart(&text), expected, "{text}");
    }
}

/// What goes on behind the condition, or begins before it, is no object of its own.
#[test]
fn parts_of_objects_behind_a_condition_are_not_apart() {
    let a = "apiVersion: v1\nkind: X\nmetadata:\n  name: a";
    for text in [
        format!("{{{{ if .Values.unknown }}}}\n{a}\n{{{{ end }}}}\nspec: 1"),
        format!("x: 1\n{{{{ if .Values.unknown }}}}\n{a}\n{{{{ end }}}}"),
        format!(
            "{{{{ define \"a\" }}}}{{{{ if .Values.unknown }}}}\n{a}\n{{{{ end }}}}{{{{ end }}}}{{{{ include \"a\" . }}}}"
        ),
        format!("{{{{ if .Values.unknown }}}}\n{a}\n{{{{ else }}}}\n{a}\nspec: 1\n{{{{ end }}}}"),
        format!("{{{{ if .Values.unknown }}}}\n{a}\n{{{{ else }}}}\n{a}\n{{{{ end }}}}"),
    ] {
        assert_eq!(apart(&text).len(), 1, "{text}");
    }
}

/// A chart that nobody here installs is installed by somebody who gives it what it lacks.
#[test]
fn what_others_may_give_is_unknown() {
    let open = Assumptions { others_give_values: true, ..Assumptions::default() };
    let cases = [
        ("a: {{ .Values.none.deep }}", "a: <.Values.none.deep>"),
        ("{{ if .Values.none.on }}a{{ else }}b{{ end }}", "<.Values.none.on>"),
        ("a: {{ index .Values \"none\" \"deep\" }}", "a: <deep>"),
        ("a: {{ required \"name it\" .Values.none }}", "a: <name it>"),
        ("a: {{ .Values.none | trimSuffix \"x\" }}", "a: <trimSuffix>"),
        ("a: {{ .Values.none }}", "a: "),
        ("{{ if .Values.none }}a{{ else }}b{{ end }}", "b"),
        ("a: {{ fail \"never\" }}", "error: never"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown_with(text, &open), expected, "{text}");
        let closed = shown(text);
        assert!(closed == expected || closed.starts_with("error"), "{text}: {closed}");
    }
}

#[test]
fn a_chart_is_perhaps_installed() {
    let chart = [
        (
            "Chart.yaml",
            "name: shop\nversion: 1.0.0\ndependencies: [{name: db, version: 1.x, condition: db.on}]",
        ),
        ("charts/db/Chart.yaml", "name: db\nversion: 1.0.0"),
        ("charts/db/templates/a.yaml", "kind: X"),
    ];
    let mut given = values("db: {on: x}");
    if let Kind::Map(map) = &mut given.kind {
        let span = given.span;
        let map = std::sync::Arc::make_mut(map);
        if let Some(entry) = map.entries.first_mut() {
            entry.value = Value::unknown(Symbol::new("test", "var.db"), span);
        }
    }
    let found = rendered(&chart, &given, &offline());
    assert!(found.files.first().is_some_and(|it| it.doubt.is_some()));
}
