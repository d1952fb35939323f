//! Where the pods of releases of the controller may run.

use std::sync::Arc;

use crate::{
    checks::controller_nodes::{AffinityFault, expects_fargate, opening_of, stays_off_own_nodes},
    model::controller::ControllerPods,
    resolve::{
        release::{
            Means, Release,
            chart_version::{ChartVersion, Pin},
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
    },
    source::{FileId, Span},
    syntax::yaml,
    value::Value,
};

const SPAN: Span = Span { file: FileId(0), start: 0, end: 1 };

fn release(surface: Surface, version: Option<&str>, values: &str) -> Release {
    let mut documents = yaml::parse_file(FileId(0), values).values;
    let version = version.map(|it| Value::computed(it, SPAN));
    let unit = Unit::new(surface, Value::map(Vec::new(), SPAN));
    let means = Means::Tool(Arc::new(unit));
    Release {
        chart: "karpenter".into(),
        values_key: (surface == Surface::ChartDependency).then(|| "karpenter".into()),
        version: ChartVersion::new(version.as_ref(), Pin::Elsewhere, SPAN),
        values: documents.pop().unwrap_or_else(|| Value::map(Vec::new(), SPAN)),
        ..Release::new(means, Scope::new(None, &"".into()), SPAN)
    }
}

fn argo(version: Option<&str>, values: &str) -> Release {
    release(Surface::ArgoCd, version, values)
}

fn pods(release: &Release) -> ControllerPods<'_> {
    ControllerPods::of(release).unwrap_or_else(|| unreachable!("it is the controller"))
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

#[test]
fn the_node_affinity_follows_from_values_and_version() {
    let terms = |key: &str| {
        let expression = format!("{{key: {key}, operator: DoesNotExist}}");
        format!(
            "affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]}}}}}}"
        )
    };
    let old = terms("karpenter.sh/provisioner-name");
    let new = terms("karpenter.sh/nodepool");
    for (version, values, wanted) in [
        (Some("1.8.1"), "{}", Some(true)),
        (Some("v0.32.1"), "{}", Some(true)),
        (Some("v0.16.0"), "{}", Some(true)),
        // The data begins at 0.6.2.
        (Some("v0.5.0"), "{}", None),
        (None, "{}", Some(true)),
        (Some(">= 0.33"), "{}", Some(true)),
        (Some("1.8.1"), "affinity: {}", Some(true)),
        (Some("1.8.1"), "affinity: {podAntiAffinity: {}}", Some(true)),
        (
            Some("1.8.1"),
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}",
            Some(true),
        ),
        (Some("1.8.1"), "affinity: null", Some(false)),
        (Some("1.8.1"), "affinity: {nodeAffinity: ~}", Some(false)),
        (None, "affinity: {nodeAffinity: ~}", Some(false)),
        (
            Some("1.8.1"),
            "{affinity: ~, nodeSelector: {karpenter.sh/controller: 'true'}}",
            Some(true),
        ),
        (Some("1.8.1"), "{affinity: ~, nodeSelector: {kubernetes.io/os: linux}}", Some(false)),
        (Some("1.8.1"), &old, Some(false)),
        (Some("~> 1.8.0"), &old, Some(false)),
        (Some("v0.31.0"), &old, Some(true)),
        (Some("v0.32.0"), &old, None),
        (None, &old, None),
        (Some("1.8.1"), &new, Some(true)),
    ] {
        let answer = stays_off_own_nodes(&pods(&argo(version, values)));
        assert_eq!(answer, wanted, "{version:?} {values}");
    }
}

#[test]
fn a_null_through_another_chart_is_not_relied_on() {
    let values = "affinity: {nodeAffinity: ~}";
    let release = release(Surface::ChartDependency, Some("1.8.1"), values);
    let pods = pods(&release);
    assert_eq!(stays_off_own_nodes(&pods), None);
    assert_eq!(opening_of(&pods), None);
}

#[test]
fn the_opening_is_a_place_in_the_values() {
    let term =
        |key: &str| format!("{{matchExpressions: [{{key: {key}, operator: DoesNotExist}}]}}");
    let affinity = |terms: &str| {
        format!("affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{terms}]}}}}}}")
    };
    let retired = affinity(&term("karpenter.sh/provisioner-name"));
    let second = affinity(&format!(
        "{}, {}",
        term("karpenter.sh/nodepool"),
        term("eks.amazonaws.com/nodegroup")
    ));
    for (values, at, way) in [
        (retired.as_str(), "{key: karpenter.sh/prov", AffinityFault::Retired),
        (
            &affinity(&term("eks.amazonaws.com/nodegroup")),
            "nodeSelectorTerms",
            AffinityFault::Replaced,
        ),
        (&second, "{matchExpressions: [{key: eks", AffinityFault::Replaced),
        ("affinity: ~", "affinity", AffinityFault::Removed),
        ("affinity: {nodeAffinity: ~}", "nodeAffinity", AffinityFault::Removed),
    ] {
        let opening = opening_of(&pods(&argo(Some("1.8.1"), values)));
        let opening = opening.unwrap_or_else(|| unreachable!("{values} lets pods in"));
        assert_eq!(opening.way, way, "{values}");
        assert_eq!(opening.label, "karpenter.sh/nodepool");
        assert!(values[opening.span.start as usize..].starts_with(at), "{values}");
    }
}

#[test]
fn pods_want_nodes_apart_since_the_chart_says_so() {
    let anti = |term: &str| format!("affinity: {{podAntiAffinity: {{{REQUIRED}: [{term}]}}}}");
    for (version, values, wanted) in [
        (Some("1.8.1"), "{}", Some(true)),
        (Some("v0.27.0"), "{}", Some(true)),
        (Some("v0.26.1"), "{}", Some(false)),
        (None, "{}", None),
        (Some("1.8.1"), "affinity: {podAntiAffinity: ~}", Some(false)),
        (Some("1.8.1"), "affinity: {podAntiAffinity: {}}", Some(true)),
        (Some("1.8.1"), &format!("affinity: {{podAntiAffinity: {{{REQUIRED}: ~}}}}"), Some(false)),
        (Some("1.8.1"), &anti("{topologyKey: kubernetes.io/hostname}"), Some(true)),
        (Some("1.8.1"), &anti("{topologyKey: topology.kubernetes.io/zone}"), None),
        (
            Some("1.8.1"),
            &anti(
                "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app.kubernetes.io/name: karpenter}}}",
            ),
            Some(true),
        ),
        (
            Some("1.8.1"),
            &anti(
                "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: coredns}}}",
            ),
            None,
        ),
        (
            Some("1.8.1"),
            &anti(
                "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app.kubernetes.io/subject: x}}}",
            ),
            None,
        ),
    ] {
        let answer = pods(&argo(version, values)).wants_nodes_apart();
        assert_eq!(answer, wanted, "{version:?} {values}");
    }
}

#[test]
fn replicas_have_a_default_by_version() {
    for (version, values, wanted) in [
        (Some("1.8.1"), "{}", Some(2.0)),
        (Some("v0.15.0"), "{}", Some(1.0)),
        (None, "{}", None),
        (None, "replicas: 3", Some(3.0)),
        (Some("1.8.1"), "replicas: '1'", Some(1.0)),
        (Some("1.8.1"), "replicas: ~", None),
    ] {
        let answer = pods(&argo(version, values)).replicas().known().copied();
        assert_eq!(answer, wanted, "{version:?} {values}");
    }
}

#[test]
fn a_toleration_shows_that_fargate_is_meant() {
    for (values, wanted) in [
        ("{}", false),
        ("tolerations: [{key: CriticalAddonsOnly, operator: Exists}]", false),
        ("tolerations: [{key: eks.amazonaws.com/compute-type, value: fargate}]", true),
    ] {
        assert_eq!(expects_fargate(&pods(&argo(None, values))), wanted, "{values}");
    }
}
