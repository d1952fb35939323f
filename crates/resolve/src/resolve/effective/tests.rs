//! What real charts make of their values.

use crate::{
    knowledge::{
        self,
        component::{Component, Pod},
        packaging::Packaging,
    },
    resolve::{
        effective::{
            EffectivePod, agreed_setting, configuration::Configuration, effective, tolerated,
        },
        pod::toleration::Effect,
        samples::{disrupted, read, taint},
    },
    source::{FileId, Span},
    value::Value,
    version::constraint::Constraint,
};

const SPAN: Span = Span { file: FileId(0), start: 0, end: 1 };

fn configuration(
    pod: &'static Pod,
    surface: &'static Packaging,
    allowed: Option<Constraint>,
    values: Value,
    wrapped: bool,
) -> Configuration {
    Configuration {
        pod,
        surface,
        values,
        allowed,
        release: None,
        wrapped,
        is_renamed: wrapped,
        report_span: SPAN,
    }
}

/// The pods of the first kind that a chart runs.
fn pods_of(chart: &str, version: &str, values: &str, wrapped: bool) -> Vec<EffectivePod> {
    let component = knowledge::component::of_chart(chart, None);
    let pod = component.and_then(|it| it.pods.first());
    let known = pod.and_then(|it| Some((it, it.chart.as_ref()?)));
    let Some((pod, surface)) = known else { unreachable!("{chart} is known") };
    let allowed = Constraint::parse(version);
    effective(&configuration(pod, surface, allowed, read(values), wrapped), &[])
}

const NODE_OFF: &str = "node: {tolerateAllTaints: false}";
const NODE_LIST: &str =
    "node: {tolerateAllTaints: false, tolerations: [{key: a, operator: Exists}]}";
const EBS: &str = "aws-ebs-csi-driver";
const SECRETS: &str = "external-secrets";

/// Chart, workload, versions allowed, values, taint, whether it is tolerated.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str, Option<bool>);

#[rustfmt::skip]
const CASES: &[Case] = &[
    (EBS, "node", "2.10.1", "{}", "disrupted", Some(false)),
    (EBS, "node", "2.11.0", "{}", "disrupted", Some(true)),
    (EBS, "node", "2.35.1", NODE_OFF, "disrupted", Some(false)),
    (EBS, "node", "2.36.0", NODE_OFF, "disrupted", Some(true)),
    (EBS, "node", "2.36.0", NODE_LIST, "disrupted", Some(true)),
    (EBS, "node", "", "{}", "disrupted", None),
    (EBS, "node", ">= 2.11", "{}", "disrupted", Some(true)),
    (EBS, "node", "~> 2.30", NODE_OFF, "disrupted", None),
    (EBS, "node", "", "node: {tolerateAllTaints: true}", "disrupted", Some(true)),
    (EBS, "controller", "", "{}", "controller", Some(false)),
    (EBS, "controller", "", "{}", "critical", Some(true)),
    (EBS, "controller", "2.30.0", "controller: {tolerations: []}", "critical", Some(false)),
    (EBS, "controller", "2.30.0", "controller: {tolerations: null}", "critical", Some(false)),
    ("cilium", "agent", "", "{}", "disrupted", Some(true)),
    ("cilium", "agent", "", "tolerations: [{key: a, operator: Exists}]", "disrupted", Some(false)),
    ("cilium", "agent", "1.8.0", "{}", "disrupted", None),
    ("cilium", "operator", "1.17.0", "{}", "disrupted", Some(true)),
    ("cilium", "operator", "1.18.0", "{}", "disrupted", Some(false)),
    ("cilium", "operator", "1.18.0", "operator: {tolerations: [{operator: Exists}]}", "disrupted", Some(true)),
    ("karpenter", "controller", "1.5.0", "{}", "critical", Some(true)),
    ("karpenter", "controller", "", "{}", "critical", Some(true)),
    ("karpenter", "controller", "1.5.0", "{}", "controller", Some(false)),
    ("karpenter", "controller", "1.5.0", "tolerations: [null]", "critical", Some(false)),
    (SECRETS, "webhook", "", "global: {tolerations: [{operator: Exists}]}", "critical", Some(true)),
    (SECRETS, "webhook", "", "webhook: {tolerations: []}", "critical", Some(false)),
    ("aws-efs-csi-driver", "node", "1.2.0", "{}", "disrupted", Some(true)),
    ("aws-efs-csi-driver", "node", "", "{}", "disrupted", Some(true)),
    ("aws-fsx-csi-driver", "node", "1.17.0", NODE_OFF, "disrupted", Some(false)),
    ("aws-mountpoint-s3-csi-driver", "node", "1.15.0", "{}", "disrupted", Some(false)),
    ("aws-vpc-cni", "aws-node", "1.2.8", "{}", "disrupted", Some(true)),
    ("aws-vpc-cni", "aws-node", "", "{}", "disrupted", Some(true)),
    ("aws-vpc-cni", "aws-node", "1.18.0", "tolerations: [{key: a, operator: Exists}]", "disrupted", Some(false)),
    ("node-local-dns", "node-local-dns", "", "{}", "disrupted", Some(true)),
    ("node-local-dns", "node-local-dns", "2.1.0", "tolerations: []", "disrupted", Some(true)),
    ("node-local-dns", "node-local-dns", "2.1.3", "tolerations: []", "disrupted", Some(false)),
    ("metrics-server", "metrics-server", "", "{}", "controller", Some(false)),
    ("snapshot-controller", "controller-before-2", "1.8.0", "tolerations: [{key: CriticalAddonsOnly, operator: Exists}]", "critical", Some(true)),
    ("snapshot-controller", "controller", "3.0.0", "tolerations: [{key: CriticalAddonsOnly, operator: Exists}]", "critical", Some(false)),
    (SECRETS, "webhook", "0.10.4", "global: {tolerations: [{operator: Exists}]}", "controller", Some(true)),
];

/// The same for EKS add-ons.
#[rustfmt::skip]
const ADDON_CASES: &[Case] = &[
    (EBS, "node", "", "{}", "disrupted", Some(true)),
    (EBS, "node", "v1.11.2-eksbuild.1", "{}", "disrupted", Some(true)),
    (EBS, "node", "v1.10.0-eksbuild.1", "{}", "disrupted", None),
    (EBS, "node", "", NODE_OFF, "disrupted", None),
    (EBS, "node", "v1.30.0-eksbuild.1", NODE_OFF, "disrupted", Some(false)),
    (EBS, "node", "v1.37.0-eksbuild.1", NODE_OFF, "disrupted", Some(true)),
    (EBS, "controller", "", "{}", "critical", Some(true)),
    (EBS, "controller", "", "{}", "controller", Some(false)),
    ("coredns", "coredns", "", "{}", "critical", Some(true)),
    ("coredns", "coredns", "v1.11.1-eksbuild.4", "{}", "controller", Some(false)),
    ("coredns", "coredns", "", "tolerations: [{key: karpenter.sh/controller, value: 'true'}]", "controller", Some(true)),
    ("coredns", "coredns", "", "tolerations: [{key: karpenter.sh/controller, value: 'true'}]", "critical", Some(false)),
    ("aws-efs-csi-driver", "node", "", "{}", "disrupted", None),
    ("aws-efs-csi-driver", "node", "", "node: {tolerations: []}", "disrupted", Some(false)),
    ("aws-mountpoint-s3-csi-driver", "controller", "v2.0.0-eksbuild.1", "{}", "critical", Some(false)),
    ("aws-mountpoint-s3-csi-driver", "node", "v2.0.0-eksbuild.1", NODE_OFF, "disrupted", Some(false)),
    ("aws-fsx-csi-driver", "node", "v1.5.0-eksbuild.1", NODE_OFF, "disrupted", Some(false)),
    ("aws-fsx-csi-driver", "node", "v1.5.0-eksbuild.1", "{}", "disrupted", Some(true)),
    ("snapshot-controller", "controller", "", "{}", "critical", None),
    ("metrics-server", "metrics-server", "", "{}", "critical", None),
    ("vpc-cni", "aws-node", "v1.19.0-eksbuild.1", "{}", "disrupted", Some(true)),
];

#[test]
fn workloads_tolerate_what_their_release_gives_them() {
    for case in CASES {
        let component = knowledge::component::of_chart(case.0, None);
        check(case, component, |it| it.chart.as_ref());
    }
    for case in ADDON_CASES {
        let component = knowledge::component::of_addon(case.0);
        check(case, component, |it| it.addon.as_ref());
    }
}

fn check(
    case: &Case,
    component: Option<&'static Component>,
    surface: impl Fn(&'static Pod) -> Option<&'static Packaging>,
) {
    let (_, pod, version, values, taint_name, wanted) = case;
    let taint = match *taint_name {
        "disrupted" => disrupted(),
        "critical" => taint("CriticalAddonsOnly", "true", Effect::NoSchedule),
        _ => taint("karpenter.sh/controller", "true", Effect::NoSchedule),
    };
    let pod = component.and_then(|it| it.pods.iter().find(|it| it.name == *pod));
    let known = pod.and_then(|it| Some((it, surface(it)?)));
    let Some((pod, surface)) = known else { unreachable!("{case:?} is known") };
    let values = read(values);
    let allowed = Constraint::parse(version);
    let pods = effective(&configuration(pod, surface, allowed, values, false), &[]);
    let answer = tolerated(&pods, |it| it.tolerate(&taint));
    assert_eq!(answer, *wanted, "{case:?}");
}

#[test]
fn a_null_takes_the_default_at_its_key_away() {
    // The chart's own selector is `kubernetes.io/os: linux`.
    for (values, wanted) in [
        ("{}", vec!["kubernetes.io/os"]),
        ("nodeSelector: {team: a}", vec!["kubernetes.io/os", "team"]),
        ("nodeSelector: {}", vec!["kubernetes.io/os"]),
        ("nodeSelector: ~", vec![]),
        ("nodeSelector: {kubernetes.io/os: ~}", vec![]),
        ("nodeSelector: {kubernetes.io/os: ~, team: a}", vec!["team"]),
        // Without a default there is nothing to take away: Kubernetes reads it as empty.
        ("nodeSelector: {team: ~}", vec!["kubernetes.io/os", "team"]),
    ] {
        let pods = pods_of("karpenter", "1.8.1", values, false);
        let [EffectivePod { placement: Some(placement), .. }] = pods.as_slice() else {
            unreachable!("one version makes one kind of pods")
        };
        let keys: Vec<&str> =
            placement.selector().requirements().iter().map(|it| it.key.as_str()).collect();
        assert_eq!(keys, wanted, "{values}");
        assert!(!placement.selector().is_open(), "{values}");
    }
}

#[test]
fn a_null_through_another_chart_is_not_relied_on() {
    for values in ["nodeSelector: ~", "nodeSelector: {kubernetes.io/os: ~}"] {
        let pods = pods_of("karpenter", "1.8.1", values, true);
        let open =
            |it: &EffectivePod| it.placement.as_ref().is_some_and(|it| it.selector().is_open());
        assert!(pods.iter().all(open), "{values}");
    }
    let pods = pods_of("karpenter", "1.8.1", "tolerations: ~", true);
    assert_eq!(tolerated(&pods, |it| it.tolerate(&disrupted())), None);
    let pods = pods_of("karpenter", "1.8.1", "tolerations: ~", false);
    assert_eq!(tolerated(&pods, |it| it.tolerate(&disrupted())), Some(false));
}

#[test]
fn an_unknown_selector_asks_for_nothing_that_is_known() {
    let mut values = read("replicas: 2");
    let crate::value::Kind::Map(map) = &mut values.kind else { unreachable!("a mapping") };
    std::sync::Arc::make_mut(map).rest = Some(crate::value::Symbol::new("", "values"));
    let component = knowledge::component::of_chart("karpenter", None);
    let pod = component.and_then(|it| it.pods.first());
    let Some((pod, surface)) = pod.and_then(|it| Some((it, it.chart.as_ref()?))) else {
        unreachable!("karpenter is known")
    };
    let pods = effective(&configuration(pod, surface, None, values, false), &[]);
    let placements = pods.iter().filter_map(|it| it.placement.as_ref());
    for placement in placements {
        assert!(placement.selector().requirements().is_empty());
        assert!(placement.selector().is_open());
    }
}

#[test]
fn replicas_are_known_where_the_versions_agree() {
    for (version, values, wanted) in [
        ("1.8.1", "{}", Some(2.0)),
        ("v0.15.0", "{}", Some(1.0)),
        (">= 0.16", "{}", Some(2.0)),
        ("", "{}", None),
        ("", "replicas: 3", Some(3.0)),
        ("", "replicas: '1'", Some(1.0)),
        // What a template makes of nothing is its own business.
        ("1.8.1", "replicas: ~", None),
    ] {
        let pods = pods_of("karpenter", version, values, false);
        let all: Vec<_> = pods.iter().map(|it| &it.replicas).collect();
        let answer = agreed_setting(&all).and_then(|it| it.known().copied());
        assert_eq!(answer, wanted, "{version:?} {values}");
    }
}

#[test]
fn a_label_with_the_name_is_another_where_the_name_is_another() {
    for (values, wrapped, wanted) in [
        ("{}", false, Some("karpenter")),
        ("{nameOverride: kp}", false, None),
        ("{}", true, None),
        ("{podLabels: {app.kubernetes.io/name: own}}", false, Some("own")),
    ] {
        for pod in pods_of("karpenter", "1.6.0", values, wrapped) {
            let in_doubt = |key: &str| pod.labels.is_in_doubt(key);
            assert_eq!(pod.labels.value("app.kubernetes.io/name"), wanted, "{values}");
            assert_eq!(in_doubt("app.kubernetes.io/name"), wanted.is_none(), "{values}");
            // The release's name is not known here; the chart makes no other labels.
            assert!(in_doubt("app.kubernetes.io/instance") && !in_doubt("team"), "{values}");
        }
    }
}
