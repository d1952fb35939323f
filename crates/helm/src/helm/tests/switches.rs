//! Switches that a chart's own values leave off.

use super::{files, offline, release};
use crate::helm::{chart::Chart, switches::switched_on, templates::Templates};

/// What a template prints with its switches on; `None` where it has none.
fn shown(values: &str, template: &str) -> Option<String> {
    let chart = [("values.yaml", values), ("templates/a.yaml", template)];
    let chart = Chart::load(files(&chart)).unwrap();
    let on = switched_on(&Templates::default(), &chart, &release(), &offline())?;
    let text = on.files.first()?.text.as_ref().unwrap();
    let lines: Vec<&str> = text.text.lines().filter(|it| !it.trim().is_empty()).collect();
    Some(lines.join("\n"))
}

#[test]
fn conditions_around_objects_are_switches() {
    let cases = [
        ("a: {run: false}", "{{ if .Values.a.run }}\nkind: X\n{{ end }}", Some("kind: X")),
        ("a: {run: true}", "{{ if .Values.a.run }}\nkind: X\n{{ end }}", None),
        ("a: false", "{{ if $.Values.a }}\nkind: X\n{{ end }}", Some("kind: X")),
        ("a: {}", "{{ if .Values.a.enabled }}\nkind: X\n{{ end }}", Some("kind: X")),
        ("{}", "{{ if .Values.createPool }}\nkind: X\n{{ end }}", Some("kind: X")),
        ("{}", "{{ if .Values.created }}\nkind: X\n{{ end }}", None),
        ("{}", "{{ if .Values.secret }}\nkind: X\n{{ end }}", None),
        ("a: ''", "{{ if .Values.a }}\nkind: X\n{{ end }}", None),
        ("a: []", "{{ if .Values.a }}\nkind: X\n{{ end }}", None),
        ("a: true", "{{ if not .Values.a }}\nkind: X\n{{ end }}", Some("kind: X")),
        ("a: false", "{{ if .Values.a | default false }}\nkind: X\n{{ end }}", Some("kind: X")),
        ("a: false", "{{ if default false .Values.a }}\nkind: X\n{{ end }}", Some("kind: X")),
        (
            "a-b: {run: false}",
            "{{ if index .Values \"a-b\" \"run\" }}\nkind: X\n{{ end }}",
            Some("kind: X"),
        ),
        ("a-b: {run: true}", "{{ if (index .Values \"a-b\").run }}\nkind: X\n{{ end }}", None),
        ("a-b: false", "{{ if (index .Values .x) }}\nkind: X\n{{ end }}", None),
        (
            "a-b: {run: false, c.d: false}",
            "{{ if and (index .Values \"a-b\" \"run\") (index .Values \"a-b\" \"c.d\") }}\nkind: X\n{{ end }}",
            Some("kind: X"),
        ),
        (
            "{a: false, b: false}",
            "{{ if and .Values.a .Values.b }}\nkind: X\n{{ end }}",
            Some("kind: X"),
        ),
        ("b: false", "{{ if and .Values.secret .Values.b }}\nkind: X\n{{ end }}", None),
        ("a: {}", "{{ if or (not .Values.x) (.Values.a.enabled) }}\nkind: X\n{{ end }}", None),
        (
            "a: {b: 1}",
            "{{ if or (not .Values.a) (.Values.a.enabled) }}\nkind: X\n{{ end }}",
            Some("kind: X"),
        ),
        (
            "{}",
            "{{ if eq .Values.cloud \"aws\" }}\nkind: {{ .Values.cloud }}\n{{ end }}",
            Some("kind: aws"),
        ),
        ("cloud: gcp", "{{ if ne \"gcp\" .Values.cloud }}\nkind: X\n{{ end }}", None),
        (
            "{a: false, b: false}",
            "{{ if .Values.a }}{{ if .Values.b }}\nkind: X\n{{ end }}{{ end }}",
            Some("kind: X"),
        ),
        ("a: false", "{{ if .Values.a }}{{ print \"b: 1\" }}{{ end }}", Some("b: 1")),
        ("a: false", "c: 2\n{{ if .Values.a }}{{ print \"b: 1\" }}{{ end }}", None),
        ("a: false", "c: 2\n{{ if .Values.a }}b: 1\n  kind: 1{{ end }}", None),
        ("{}", "{{ if .Capabilities.APIVersions.Has \"a\" }}\nkind: X\n{{ end }}", None),
    ];
    for (values, template, expected) in cases {
        assert_eq!(shown(values, template).as_deref(), expected, "{values} {template}");
    }
}

#[test]
fn switches_that_exclude_each_other_are_not_both_on() {
    let chart = [
        ("values.yaml", "mode: plain"),
        ("templates/a.yaml", "{{ if eq .Values.mode \"ha\" }}\nkind: A\n{{ end }}"),
        ("templates/b.yaml", "{{ if eq .Values.mode \"karpenter\" }}\nkind: B\n{{ end }}"),
    ];
    let chart = Chart::load(files(&chart)).unwrap();
    let on = switched_on(&Templates::default(), &chart, &release(), &offline()).unwrap();
    let names: Vec<&str> = on.files.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["shop/templates/b.yaml"]);
    assert!(on.without_default.is_empty());
}

#[test]
fn what_is_turned_on_is_told_as_it_would_be_written() {
    let chart = [
        ("values.yaml", "{a: {run: false, mode: plain}, b: false}"),
        (
            "templates/a.yaml",
            "{{ if and .Values.a.run (eq .Values.a.mode \"ha\") .Values.c.enabled }}\nkind: A\n{{ end }}\n\
             {{ if .Values.b }}\nkind: B\n{{ end }}",
        ),
    ];
    let chart = Chart::load(files(&chart)).unwrap();
    let on = switched_on(&Templates::default(), &chart, &release(), &offline()).unwrap();
    let told = on.turned_on.iter().map(|it| it.values.iter().map(|it| &*it.0).collect());
    let told: Vec<Vec<&str>> = told.collect();
    assert_eq!(told, [vec!["a.run: true", "a.mode: ha"], vec!["b: true"]]);
}

#[test]
fn a_switch_is_no_map_of_switches() {
    let chart = [
        ("values.yaml", "a: false"),
        ("templates/a.yaml", "{{ if .Values.a }}\nkind: A\n{{ end }}"),
        ("templates/b.yaml", "{{ if eq .Values.a.mode \"x\" }}\nkind: B\n{{ end }}"),
        ("templates/c.yaml", "{{ if .Values.ab }}\nkind: C\n{{ end }}"),
        ("templates/d.yaml", "{{ if not .Values.a }}\nkind: D\n{{ end }}"),
    ];
    let chart = Chart::load(files(&chart)).unwrap();
    let on = switched_on(&Templates::default(), &chart, &release(), &offline()).unwrap();
    let names: Vec<&str> = on.files.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["shop/templates/a.yaml"]);
}

#[test]
fn what_hangs_on_a_value_without_default_is_told() {
    let chart = [
        ("templates/a.yaml", "{{ if ne .Values.cloud \"aws\" }}\nkind: A\n{{ end }}"),
        ("templates/b.yaml", "{{ if eq .Values.cloud \"aws\" }}\nkind: B\n{{ end }}"),
    ];
    let chart = Chart::load(files(&chart)).unwrap();
    let on = switched_on(&Templates::default(), &chart, &release(), &offline()).unwrap();
    let told: Vec<(&str, &str)> =
        on.without_default.iter().map(|(file, value)| (&**file, &**value)).collect();
    assert_eq!(
        told,
        [("shop/templates/a.yaml", ".Values.cloud"), ("shop/templates/b.yaml", ".Values.cloud")]
    );
}
