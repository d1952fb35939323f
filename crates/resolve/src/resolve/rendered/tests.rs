//! Small charts, and where their rendered objects are placed.

use super::{PrintedChart, documents, printed, source};
use crate::source::{FileId, Files, SourceFile};

fn files(list: &[(&str, &str)]) -> Files {
    let file = |(path, text): &(&str, &str)| SourceFile::new(format!("charts/shop/{path}"), *text);
    Files::new(list.iter().map(file).collect())
}

/// What objects are found, each as its name, its file and the text at its place.
fn places(files: &Files, text: &str, read: &[FileId]) -> Vec<String> {
    let chart = PrintedChart {
        folder: "charts/shop",
        name: "shop",
        is_read: &|it| read.contains(&it),
        part: &|_| None,
    };
    let place = |(object, _): &super::Printed| {
        let place = object.report_span();
        let file = files.get(place.file).path().trim_start_matches("charts/shop/");
        let name = object.anchor_text().unwrap_or_default();
        format!("{name} {file}: {}", files.text(place))
    };
    printed(files, chart, text).iter().map(place).collect()
}

fn object(source: &str, kind: &str, name: &str) -> String {
    format!(
        "---\n# Source: {source}\napiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n\
         spec:\n  list: [a, {{b: c}}]\n"
    )
}

#[test]
fn an_object_has_a_place_that_is_certainly_its_own() {
    let templates: &[(&str, &str, &str)] = &[
        ("only one", "{{ if x }}\nkind: StatefulSet # one\n{{ end }}", "kind: StatefulSet # one"),
        ("quoted", "{{ x }}\nkind: \"StatefulSet\"", "kind: \"StatefulSet\""),
        (
            "perhaps of something inside",
            "kind: {{ x }}\nref:\n  kind: StatefulSet",
            "kind: {{ x }}",
        ),
        (
            "not what others refer to",
            "{{ x }}\nkind: StatefulSet\n---\nref:\n  kind: StatefulSet",
            "kind: StatefulSet",
        ),
        (
            "not in comments",
            "{{- /* x\nkind: StatefulSet\n*/ -}}\n# kind: StatefulSet\nkind: StatefulSet",
            "kind: StatefulSet",
        ),
        (
            "two of a kind with names",
            "{{ x }}\nkind: StatefulSet\nmetadata:\n  labels:\n    name: db\n  name: db\nspec:\n  \
             name: db\n---\nkind: StatefulSet\nmetadata:\n  {{ y }}\n  name: cache\n",
            "name: db",
        ),
        (
            "two of a kind, computed names",
            "\n# Ours.\n{{ x }}\nkind: StatefulSet\n---\nkind: StatefulSet\nmetadata:\n  name: {{ y }}",
            "{{ x }}",
        ),
        ("a computed kind", "kind: {{ x }}", "kind: {{ x }}"),
        ("nothing", "", ""),
    ];
    for (what, template, expected) in templates {
        let files = files(&[("templates/a.yaml", template)]);
        let text = object("shop/templates/a.yaml", "StatefulSet", "db");
        let expected = format!("db templates/a.yaml: {expected}");
        assert_eq!(places(&files, &text, &[]), [expected], "{what}");
    }
}

#[test]
fn items_of_a_list_may_be_indented() {
    let template = "{{ x }}\nkind: List\nitems:\n  - kind: Pod\n---\nkind: Pod\n";
    let files = files(&[("templates/a.yaml", template)]);
    let list = "---\n# Source: shop/templates/a.yaml\nkind: List\nitems:\n\
                - {kind: Pod, metadata: {name: in}}\n";
    let text = format!("{list}{}", object("shop/templates/a.yaml", "Pod", "out"));
    let found = places(&files, &text, &[]);
    assert_eq!(found, ["in templates/a.yaml: {{ x }}", "out templates/a.yaml: kind: Pod"]);
}

#[test]
fn only_templates_of_the_repository_count() {
    let files = files(&[
        ("charts/db/templates/a.yaml", "kind: {{ x }}"),
        ("crds/c.yaml", "kind: A\n---\nkind: A"),
        ("templates/literal.yaml", "kind: Pod"),
    ]);
    let read = [files.find("charts/shop/templates/literal.yaml").unwrap()];
    let text = [
        object("shop/charts/db/templates/a.yaml", "Pod", "db"),
        object("shop/charts/packed/templates/a.yaml", "Pod", "packed"),
        object("shop/templates/literal.yaml", "Pod", "literal"),
        object("shop/../../out.yaml", "Pod", "out"),
        object("shop/crds/c.yaml", "A", "first"),
        // Its file was itself made by Helm.
        object("other/charts/db/templates/a.yaml", "A", "second"),
    ]
    .concat();
    let found = places(&files, &text, &read);
    let expected = [
        "db charts/db/templates/a.yaml: kind: {{ x }}",
        "first crds/c.yaml: kind: A",
        "second crds/c.yaml: kind: A",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_only_tests_apply_is_left_out() {
    let files = files(&[("templates/a.yaml", "{{ x }}")]);
    let pod = |hook: &str| {
        format!(
            "---\n# Source: shop/templates/a.yaml\nkind: Pod\nmetadata:\n  name: a\n  \
             annotations: {{helm.sh/hook: \"{hook}\"}}\n"
        )
    };
    for (hook, expected) in [("test", 0), ("pre-install, test-success", 0), ("pre-install", 1)] {
        assert_eq!(places(&files, &pod(hook), &[]).len(), expected, "{hook}");
    }
}

#[test]
fn objects_of_tools_need_a_place_of_their_own() {
    let files = files(&[("templates/a.yaml", "{{ x }}"), ("templates/b.yaml", "{{ x }}")]);
    let application = |file: &str, name: &str| {
        format!(
            "---\n# Source: shop/templates/{file}\napiVersion: argoproj.io/v1alpha1\n\
             kind: Application\nmetadata:\n  name: {name}\n"
        )
    };
    let text = [application("a.yaml", "a"), application("a.yaml", "b"), application("b.yaml", "c")];
    assert_eq!(places(&files, &text.concat(), &[]), ["c templates/b.yaml: {{ x }}"]);
}

#[test]
fn streams_are_cut_at_their_marks() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[""]),
        ("a\n---\nb", &["a\n", "---\nb"]),
        ("---\na\n----\nb\n---", &["---\na\n----\nb\n", "---"]),
    ];
    for (text, expected) in cases {
        assert_eq!(documents(text).collect::<Vec<_>>(), *expected, "{text:?}");
    }
}

#[test]
fn sources_are_those_of_the_chart() {
    let cases = [
        ("---\n# Source: shop/templates/a.yaml\na: b", Some("templates/a.yaml")),
        ("---\r\n# Source: shop/templates/a.yaml\r\na: b", Some("templates/a.yaml")),
        ("# Source: shop/crds/a.yaml", Some("crds/a.yaml")),
        ("---\n# Source: shopping/templates/a.yaml", None),
        ("---\na: b\n# Source: shop/templates/a.yaml", None),
        ("", None),
    ];
    for (document, expected) in cases {
        assert_eq!(source(document, "shop"), expected, "{document:?}");
    }
}
