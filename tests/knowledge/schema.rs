//! The schemas: their facts have sources and dates, hang together, and say what upstream's CRDs say.

use std::collections::BTreeSet;

use karplint::{
    knowledge::schema::{
        self, Schema, allowed_keys,
        checks::{self, Check},
        patterns, retired,
        tree::{SchemaNode, SchemaTree},
    },
    version::{Range, Version},
};

use super::{is_date, version};

fn schema(api: &str, kind: &str) -> &'static Schema {
    schema::of(api, kind).unwrap_or_else(|| unreachable!("{api} {kind} is known"))
}

fn schemas() -> impl Iterator<Item = &'static Schema> {
    schema::kinds().chain(schema::former_kinds()).flat_map(|it| &it.schemas)
}

#[test]
fn everything_has_a_source_and_a_date() {
    let (checks, keys) = (checks::meanings(), allowed_keys::all());
    let (patterns, known) = (patterns::all(), schema::known());
    let mut sources = vec![
        ("checks", &checks.source, &checks.checked),
        ("keys", &keys.source, &keys.checked),
        ("patterns", &patterns.source, &patterns.checked),
        ("releases", &known.source, &known.checked),
    ];
    let kinds = schema::kinds().chain(schema::former_kinds());
    sources.extend(kinds.map(|it| (it.name.as_str(), &it.source, &it.checked)));
    sources.extend(retired::kinds().iter().map(|it| (it.kind.as_str(), &it.source, &it.checked)));
    let moved = retired::moved();
    sources.extend(moved.moves.iter().map(|it| (it.from.as_str(), &it.source, &it.checked)));
    sources.extend(moved.values.iter().map(|it| (it.from.as_str(), &it.source, &it.checked)));
    assert!(sources.len() > 40, "{} sources", sources.len());
    for (name, source, checked) in sources {
        assert!(!source.is_empty() && is_date(checked), "{name}: {source:?}, {checked:?}");
    }
}

fn assert_in_order<'a>(name: &str, ranges: impl Iterator<Item = &'a Range>) {
    let ranges: Vec<&Range> = ranges.collect();
    for range in &ranges {
        if let (Some(since), Some(until)) = (&range.since, &range.until) {
            assert!(since < until, "{name}: {since} to {until}");
        }
    }
    for pair in ranges.windows(2) {
        let [a, b] = pair else { continue };
        assert!(!a.overlaps(b) && a.until <= b.since, "{name}: {a:?} before {b:?}");
    }
}

#[test]
fn ranges_of_a_field_are_in_order_and_apart() {
    let mut count = 0;
    for schema in schemas() {
        let name = format!("{} {}", schema.api_version(), schema.kind);
        assert_in_order(&name, schema.served.iter());
        for field in schema.fields() {
            let name = format!("{name} {}", field.path);
            assert_in_order(&name, field.facts.iter().map(|it| &it.range));
            for fact in &field.facts {
                let is_served = schema.served.iter().any(|it| it.overlaps(&fact.range));
                assert!(is_served, "{name}: {:?}", fact.range);
                count += 1;
            }
        }
        let trees: Vec<&SchemaTree> = schema.trees().collect();
        assert_in_order(&name, trees.iter().map(|it| &it.range));
    }
    assert!(count > 500, "{count} facts about fields");
}

fn paths(node: &'static SchemaNode, into: &mut BTreeSet<&'static str>) {
    into.insert(node.path);
    for (_, field) in &node.fields {
        paths(field, into);
    }
    if let Some(each) = &node.each {
        paths(each, into);
    }
}

#[test]
fn every_field_hangs_in_the_tree_of_its_releases() {
    for schema in schemas() {
        for tree in schema.trees() {
            let mut reached = BTreeSet::new();
            paths(&tree.root, &mut reached);
            let Some(release) = &tree.range.since else { unreachable!("a range has a start") };
            let name = format!("{} {release}", schema.kind);
            let there = schema.fields().iter().filter(|it| it.at(release).is_some());
            for field in there {
                assert!(reached.contains(field.path.as_str()), "{name}: {}", field.path);
            }
            for check in schema.api().checks(release) {
                for path in &check.paths {
                    assert!(reached.contains(path.as_str()), "{name}: {} at {path}", check.name);
                }
            }
        }
    }
}

#[test]
fn every_check_has_a_meaning() {
    let used: BTreeSet<&str> = checks::all().map(|it| it.name.as_str()).collect();
    let known: BTreeSet<&str> = checks::meanings().meanings.keys().map(String::as_str).collect();
    assert_eq!(used, known);
}

#[test]
fn patterns_and_moves_fit_the_fields() {
    let of_checks = checks::all().filter_map(|it| match &it.check {
        Check::AliasForm(pattern) => Some(pattern),
        _ => None,
    });
    for pattern in patterns::all().list.iter().chain(of_checks) {
        assert!(pattern.is_sound() && !pattern.meaning.is_empty(), "{}", pattern.name);
    }
    for moved in schema::moves() {
        if let Some(kind) = schema::kinds().find(|it| it.name == moved.kind) {
            let old = kind.schema(&moved.api).and_then(|it| it.field(&moved.from));
            assert!(old.is_some(), "{} has no {}", moved.kind, moved.from);
        }
        let Some(to) = &moved.to else { continue };
        let kind = schema::kinds().find(|it| it.name == to.kind);
        let new = kind.and_then(|it| it.schema(&to.api)).and_then(|it| it.field(&to.path));
        assert!(new.is_some(), "{} has no {}", to.kind, to.path);
    }
    for kind in schema::retired_kinds() {
        assert!(schema::kinds().any(|it| it.name == kind.successor), "{}", kind.kind);
        for field in &kind.fields {
            let is_said = schema::moves().iter().any(|it| {
                it.kind == kind.kind && it.from.split('.').nth(1) == Some(field.as_str())
            });
            assert!(is_said, "nothing says where {} of {} went", field, kind.kind);
        }
    }
    for value in &retired::moved().values {
        let takes = |api: &str, text: &str| {
            let kind = schema::kinds().find(|it| it.name == value.kind);
            let field = kind.and_then(|it| it.schema(api)).and_then(|it| it.field(&value.path));
            field.is_some_and(|it| {
                it.facts.iter().any(|it| it.shape.values.iter().any(|it| it == text))
            })
        };
        assert!(
            takes(&value.api, &value.from) && takes(&value.to_api, &value.to),
            "{}",
            value.from
        );
    }
}

#[test]
fn former_kinds_are_described_as_they_are_recognised() {
    for kind in schema::former_kinds() {
        let retired = schema::retired_kind(&kind.group, &kind.name);
        let [schema] = kind.schemas.as_slice() else { unreachable!("{} has one API", kind.name) };
        let Some(retired) = retired else { unreachable!("{} is retired", kind.name) };
        assert_eq!((&schema.version, schema.until()), (&retired.api, retired.range.until.as_ref()));
        let top = schema.fields().iter().filter_map(|it| it.path.strip_prefix("spec."));
        let names: Vec<&str> = top.filter(|it| !it.contains(['.', '[', '{'])).collect();
        assert_eq!(names, retired.fields, "{}", kind.name);
    }
}

#[test]
fn releases_serve_what_upstream_shipped() {
    let served = |kind: &str, release: &str| -> Vec<String> {
        let kind = schema::kinds().find(|it| it.name == kind);
        let release = version(release);
        kind.into_iter()
            .flat_map(|it| it.served_by(&release))
            .map(|it| it.version.clone())
            .collect()
    };
    for (kind, release, wanted) in [
        ("NodePool", "0.31.5", &[][..]),
        ("NodePool", "0.32.0", &["v1beta1"]),
        ("NodePool", "0.33.6", &["v1beta1", "v1"]),
        ("NodePool", "0.34.0", &["v1beta1"]),
        ("EC2NodeClass", "0.37.0", &["v1beta1"]),
        ("EC2NodeClass", "0.37.1", &["v1beta1", "v1"]),
        ("NodeClaim", "1.0.14", &["v1beta1", "v1"]),
        ("NodePool", "1.1.0", &["v1"]),
        ("NodePool", "1.99.0", &["v1"]),
        ("NodeOverlay", "1.6.8", &[]),
        ("NodeOverlay", "1.7.0", &["v1alpha1"]),
    ] {
        assert_eq!(served(kind, release), wanted, "{kind} {release}");
    }
}

#[test]
fn fields_came_and_went() {
    let pool = schema("karpenter.sh/v1", "NodePool");
    let since = |path: &str| {
        let since = pool.field(path).and_then(|it| it.since());
        since.map(Version::to_string)
    };
    assert_eq!(since("spec.replicas").as_deref(), Some("1.8.0"));
    assert_eq!(since("spec.weight"), None);
    assert!(pool.field("spec.template.spec.kubelet").is_none());
    let moved = |kind: &str, path: &str| {
        let to = schema::moved(kind, path)?.to.as_ref()?;
        Some(format!("{} {}", to.kind, to.path))
    };
    for (kind, path, wanted) in [
        ("NodePool", "spec.template.spec.kubelet", Some("EC2NodeClass spec.kubelet")),
        (
            "NodePool",
            "spec.disruption.expireAfter",
            Some("NodePool spec.template.spec.expireAfter"),
        ),
        (
            "NodePool",
            "spec.ttlSecondsAfterEmpty",
            Some("NodePool spec.disruption.consolidateAfter"),
        ),
        ("EC2NodeClass", "spec.subnetSelector", Some("EC2NodeClass spec.subnetSelectorTerms")),
        ("NodePool", "spec.weight", Some("NodePool spec.weight")),
        ("NodePool", "spec.template.spec.resources", None),
    ] {
        assert_eq!(moved(kind, path).as_deref(), wanted, "{kind} {path}");
    }
    let places = schema::kind("karpenter.sh", "NodePool").map(|it| it.places_of("expireAfter"));
    let places: Vec<String> = places
        .into_iter()
        .flatten()
        .map(|(it, field)| format!("{} {}", it.version, field.path))
        .collect();
    assert_eq!(
        places,
        ["v1beta1 spec.disruption.expireAfter", "v1 spec.template.spec.expireAfter"]
    );
    let key = |key: &str| pool.api().key_since(key).map(Version::to_string);
    assert_eq!(key("karpenter.k8s.aws/instance-tenancy").as_deref(), Some("1.9.0"));
    assert_eq!(key("kubernetes.io/arch"), None);
}
