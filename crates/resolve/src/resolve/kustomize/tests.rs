//! Where built fields are written, what is left open, and hostile input.

use crate::{
    resolve::kustomize::{Build, Kustomize, build, build_without_schemas},
    source::{Files, SourceFile, Span},
    value::Value,
};
use std::time::{Duration, Instant};

fn files(list: &[(&str, &str)]) -> Files {
    Files::new(list.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect())
}

/// File and text of a place.
fn shown(files: &Files, span: Span) -> (&str, &str) {
    (files.get(span.file).path(), files.text(span))
}

fn object<'a>(build: &'a Build, kind: &str) -> &'a Value {
    &build.objects.iter().find(|it| &*it.object.kind == kind).unwrap().object.value
}

const SHOP: &[(&str, &str)] = &[
    ("base/kustomization.yaml", "resources: [db.yaml]\n"),
    (
        "base/db.yaml",
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: db\nspec:\n  replicas: 3\n  \
         template:\n    spec:\n      terminationGracePeriodSeconds: 30\n      containers:\n      - \
         {name: db, image: db:1, args: [a]}\n",
    ),
    (
        "prod/kustomization.yaml",
        "namespace: shop\nnamePrefix: eu-\nresources: [../base]\nlabels: [{pairs: {team: a}}]\n\
         patches:\n- path: patch.yaml\n- target: {kind: StatefulSet}\n  patch: |-\n    - op: add\n      \
         path: /spec/template/metadata\n      value: {annotations: {frozen: \"true\"}}\n\
         replicas: [{name: db, count: 7}]\nimages: [{name: db, newTag: \"2\"}]\n",
    ),
    (
        "prod/patch.yaml",
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  template:\n    spec:\n      \
         terminationGracePeriodSeconds: 60\n      containers: [{name: db, args: [b]}]\n",
    ),
];

#[test]
fn every_field_has_the_place_where_it_is_written() {
    let files = files(SHOP);
    let built = build(&files);
    assert_eq!((built.builds.len(), built.builds[0].complete), (1, true));
    let db = object(&built.builds[0], "StatefulSet");
    let cases = [
        ("kind", "base/db.yaml", "StatefulSet"),
        ("metadata.name", "base/db.yaml", "db"),
        ("metadata.namespace", "prod/kustomization.yaml", "shop"),
        ("metadata.labels.team", "prod/kustomization.yaml", "a"),
        ("spec.replicas", "prod/kustomization.yaml", "7"),
        ("spec.template.spec.terminationGracePeriodSeconds", "prod/patch.yaml", "60"),
        ("spec.template.metadata.annotations.frozen", "prod/kustomization.yaml", "\"true\""),
    ];
    for (path, file, text) in cases {
        let value = db.at(path).present().unwrap();
        assert_eq!(shown(&files, value.span), (file, text), "{path}");
    }
    let spec = db.at("spec.template.spec").present().unwrap();
    assert_eq!(shown(&files, spec.name), ("base/db.yaml", "spec"));
    let container = &spec.get("containers").present().unwrap().items()[0];
    let image = container.get("image").present().unwrap();
    assert_eq!(image.as_str(), Some("db:2"));
    assert_eq!(shown(&files, image.span), ("prod/kustomization.yaml", "\"2\""));
    assert_eq!(image.steps().next().map(|it| shown(&files, it.span).0), Some("base/db.yaml"));
    let args = container.get("args").present().unwrap();
    assert_eq!(shown(&files, args.items()[0].span), ("prod/patch.yaml", "b"));
    assert_eq!(db.at("metadata.name").present().and_then(Value::as_str), Some("eu-db"));
    let sources: Vec<&str> =
        built.builds[0].objects[0].source.iter().map(|it| files.get(*it).path()).collect();
    assert_eq!(sources, ["base/db.yaml", "prod/patch.yaml", "prod/kustomization.yaml"]);
}

#[test]
fn what_is_not_touched_is_shared() {
    let files = files(&[
        ("kustomization.yaml", "resources: [a.yaml]\nnamespace: x\n"),
        ("a.yaml", "kind: A\nmetadata: {name: a}\nspec: {deep: {er: 1}}\n"),
        ("b.yaml", "kind: B\n"),
    ]);
    let built = build(&files);
    let listed: Vec<&str> = built.listed.iter().map(|it| files.get(*it).path()).collect();
    assert_eq!(listed, ["a.yaml"]);
}

#[test]
fn what_cannot_be_known_is_reported() {
    let cases: [(&str, bool, &[&str]); 11] = [
        ("resources: [https://example.test/x.yaml]", false, &[]),
        ("resources: ['github.com/o/r//base?ref=v1']", false, &[]),
        ("resources: [../../outside]", false, &[]),
        ("resources: ['{{ x }}']", false, &[]),
        ("resources: [gone.yaml]", false, &["no such file in this repository"]),
        ("resources: [folder]", false, &["this folder has no kustomization"]),
        ("patches: [{path: gone.yaml}]", false, &["no such file in this repository"]),
        ("helmCharts: [{name: karpenter, version: 1.2.0}]", false, &[]),
        ("generators: [plugin.yaml]", false, &["no such file in this repository"]),
        ("namespace: a", true, &[]),
        ("namespace: [", false, &["the sequence is not closed"]),
    ];
    for (kustomization, complete, messages) in cases {
        let files = files(&[("k/kustomization.yaml", kustomization), ("k/folder/x.yaml", "a: b")]);
        let built = build(&files);
        assert_eq!(built.builds[0].complete, complete, "{kustomization}");
        if messages.is_empty() || kustomization.ends_with('[') {
            assert_eq!(built.parse_errors.is_empty(), messages.is_empty(), "{kustomization}");
        } else {
            let found: Vec<&str> =
                built.parse_errors.iter().map(|it| it.message.as_str()).collect();
            assert_eq!(found, messages, "{kustomization}");
        }
    }
}

#[test]
fn charts_keep_what_is_written_about_them() {
    let files = files(&[
        (
            "kustomization.yaml",
            "namespace: kube-system\nhelmCharts:\n- name: karpenter\n  version: 1.5.0\n  includeCRDs: \
             true\n  valuesFile: values.yaml\n  valuesInline: {a: 1}\n",
        ),
        ("values.yaml", "a: 2\n"),
    ]);
    let built = build(&files);
    let chart = &built.builds[0].charts[0];
    let version = chart.get("version").present().unwrap();
    assert_eq!(shown(&files, version.span), ("kustomization.yaml", "1.5.0"));
    assert_eq!(chart.namespace.as_ref().and_then(Value::as_str), Some("kube-system"));
    assert_eq!(chart.get("includeCRDs").present().and_then(Value::as_bool), Some(true));
    assert!(built.listed.contains(&files.find("values.yaml").unwrap()));
}

/// Builds and measures how long it took.
fn timed(list: &[(String, String)]) -> (Kustomize, Duration) {
    let files = Files::new(list.iter().map(|(path, text)| SourceFile::new(path, text)).collect());
    let start = Instant::now();
    (build(&files), start.elapsed())
}

#[test]
fn hostile_kustomizations_end() {
    let file = |path: String, text: String| (path, text);
    // Each level uses the one below twice, under two names.
    let mut doubling = vec![
        file("l0/kustomization.yaml".into(), "resources: [a.yaml]".into()),
        file("l0/a.yaml".into(), "apiVersion: v1\nkind: A\nmetadata: {name: a}".into()),
    ];
    for level in 1..40 {
        for side in ["x", "y"] {
            let below = if level == 1 { "../l0".to_owned() } else { format!("../l{}", level - 1) };
            let text = format!("namePrefix: {side}\nresources: [{below}]\n");
            doubling.push(file(format!("l{level}{side}/kustomization.yaml"), text));
        }
        let text = format!("resources: [../l{level}x, ../l{level}y]");
        doubling.push(file(format!("l{level}/kustomization.yaml"), text));
    }
    let deep = (0..5000).map(|at| {
        let text = format!("resources: [../d{}]", at + 1);
        file(format!("d{at}/kustomization.yaml"), text)
    });
    let repeat = |count: usize, text: &dyn Fn(usize) -> String| {
        (0..count).map(text).collect::<Vec<String>>().concat()
    };
    let patches = repeat(4000, &|at| {
        let target = format!("- target: {{name: 'x.*{at}'}}\n");
        target + "  patch: '[{\"op\": \"remove\", \"path\": \"/x\"}]'\n"
    });
    let objects =
        repeat(4000, &|at| format!("---\napiVersion: v1\nkind: A\nmetadata: {{name: x{at}}}\n"));
    let many = vec![
        file("m/kustomization.yaml".into(), format!("resources: [a.yaml]\npatches:\n{patches}")),
        file("m/a.yaml".into(), objects),
    ];
    let copies = repeat(190, &|at| format!("    - {{op: copy, from: /spec, path: /spec/a{at}}}\n"));
    let copying = vec![
        file(
            "c/kustomization.yaml".into(),
            format!(
                "resources: [a.yaml]\nimages: [{{name: a, newTag: b}}]\npatches:\n- target: {{kind: A}}\n  patch: |\n{copies}"
            ),
        ),
        file(
            "c/a.yaml".into(),
            "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {x: 1}".into(),
        ),
    ];
    for list in [doubling, deep.collect(), many, copying] {
        let (built, time) = timed(&list);
        assert!(built.builds.iter().any(|it| !it.complete), "{}", list[0].0);
        assert!(time < Duration::from_secs(20), "{} took {time:?}", list[0].0);
    }
}

#[test]
fn schemas_are_left_out_unless_something_changes_them() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.example}\n\
                      spec:\n  group: b.example\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        \
                      properties:\n          a: {type: string}\n";
    let remove = "- {op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/a}\n";
    let cases = [
        ("resources: [crd.yaml]\nnamePrefix: x-\n", "", false),
        (
            "resources: [crd.yaml]\npatches: [{path: p.yaml, target: {kind: CustomResourceDefinition}}]\n",
            remove,
            true,
        ),
        (
            "resources: [crd.yaml]\npatches:\n- target: {kind: CustomResourceDefinition}\n  patch: |-\n    - op: remove\n      \
             path: /spec/versions/0/schema/openAPIV3Schema/properties/a\n",
            "",
            true,
        ),
    ];
    for (kustomization, patch, is_changed) in cases {
        let files = files(&[
            ("kustomization.yaml", kustomization),
            ("crd.yaml", definition),
            ("p.yaml", patch),
        ]);
        let built = build_without_schemas(&files);
        let found = object(&built.builds[0], "CustomResourceDefinition");
        let version = &found.at("spec.versions").present().unwrap().items()[0];
        let schema = version.at("schema.openAPIV3Schema");
        assert_eq!(schema.is_unknown(), !is_changed, "{kustomization}");
        assert!(built.builds[0].complete && built.builds[0].refused.is_empty(), "{kustomization}");
    }
}
