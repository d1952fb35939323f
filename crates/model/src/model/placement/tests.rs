//! Which pods may run on which pools.

use crate::{
    model::{
        cluster::{
            NodeGroup, Taints,
            shape::{GroupKind, GroupShape},
        },
        node_pool::NodePool,
        placement::demands::Demands,
        workload::{self, Workload},
    },
    resolve::{
        kubernetes::{Object, objects},
        pod::selector::Labels,
        scope::Scope,
        setting::Setting,
    },
    source::{FileId, Span},
    syntax::yaml,
};

fn object(text: &str) -> Object {
    let values = yaml::parse_file(FileId(0), text).values;
    objects(&values[0]).remove(0)
}

fn pool(labels: &str, rest: &str) -> NodePool {
    let text = format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: apps}}\nspec:\n  template:\n    \
         metadata: {{labels: {{{labels}}}}}\n    spec: {{nodeClassRef: {{name: a}}, {rest}}}\n"
    );
    let pool = NodePool::read(&object(&text), &Scope::new(None, &"".into()), None);
    pool.unwrap_or_else(|| unreachable!("{text}"))
}

/// A static group of which these labels and taints are known.
pub(super) fn group(labels: Labels, taints: Taints) -> NodeGroup {
    let place = Span::new(FileId(0), 0, 0);
    NodeGroup {
        report_span: place,
        taints,
        labels,
        may_label_otherwise: false,
        may_start_otherwise: false,
        max_size: Setting::unknown(place),
        is_off: false,
        absent_by: std::collections::BTreeSet::new(),
        shape: GroupShape {
            kind: GroupKind::Managed,
            name: None,
            labels: None,
            taints: None,
            min: None,
            max: None,
            instance_types: None,
        },
    }
}

fn pods(spec: &str) -> Workload {
    let text = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{}}\n  template:\n    \
         spec: {{containers: [{{image: a}}], {spec}}}\n"
    );
    let found = workload::workload(&object(&text), &Scope::new(None, &"".into()));
    found.unwrap_or_else(|| unreachable!("{text}"))
}

/// `(labels of the pool, the rest of its template, specification of the pods, may they run there)`
type Case = (&'static str, &'static str, &'static str, Option<bool>);

#[track_caller]
fn compare(cases: &[Case]) {
    for (labels, rest, spec, wanted) in cases {
        let answer = pool(labels, rest).may_run(&Demands::of(&pods(spec)));
        assert_eq!(answer, *wanted, "{spec} on {{{labels}}} {rest}");
    }
}

#[test]
fn pods_run_where_taints_let_them() {
    compare(&[
        ("", "", "", Some(true)),
        ("", "taints: [{key: a, value: b, effect: NoSchedule}]", "", Some(false)),
        ("", "taints: [{key: a, effect: PreferNoSchedule}]", "", Some(true)),
        (
            "",
            "taints: [{key: a, value: b, effect: NoSchedule}]",
            "tolerations: [{key: a, operator: Exists}]",
            Some(true),
        ),
        (
            "",
            "taints: [{key: a, value: b, effect: NoSchedule}]",
            "tolerations: [{key: a}]",
            Some(false),
        ),
        ("", "startupTaints: [{key: a, effect: NoExecute}]", "", Some(true)),
        ("", "taints: \"${x}\"", "", None),
        ("", "taints: [{key: a, effect: NoSchedule}]", "tolerations: \"{{ x }}\"", None),
    ]);
}

#[test]
fn pods_run_where_labels_are_those_they_ask_for() {
    compare(&[
        ("", "", "nodeSelector: {karpenter.sh/nodepool: apps}", Some(true)),
        ("", "", "nodeSelector: {karpenter.sh/nodepool: other}", Some(false)),
        ("tier: data", "", "nodeSelector: {tier: data}", Some(true)),
        ("tier: data", "", "nodeSelector: {tier: web}", Some(false)),
        ("", "", "nodeSelector: {tier: data}", Some(false)),
        ("", "", "nodeSelector: {kubernetes.io/os: linux}", Some(true)),
        ("", "", "nodeSelector: {karpenter.k8s.aws/instance-family: m5}", Some(true)),
        ("", "", "nodeSelector: {eks.amazonaws.com/nodegroup: system}", Some(false)),
        ("", "", "nodeSelector: {karpenter.sh/controller: \"true\"}", Some(false)),
        ("", "", "nodeSelector: {kubernetes.io/hostname: a}", None),
        ("", "", "nodeSelector: {tier: \"{{ x }}\"}", None),
        ("tier: \"${x}\"", "", "nodeSelector: {tier: data}", None),
    ]);
}

#[test]
fn pods_run_where_requirements_leave_room() {
    let arm = "requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]";
    let big =
        "requirements: [{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: [\"8\"]}]";
    let team = "requirements: [{key: team, operator: Exists}]";
    let not_a = "requirements: [{key: team, operator: NotIn, values: [a]}]";
    compare(&[
        ("", arm, "nodeSelector: {kubernetes.io/arch: arm64}", Some(true)),
        ("", arm, "nodeSelector: {beta.kubernetes.io/arch: arm64}", Some(true)),
        ("", arm, "nodeSelector: {kubernetes.io/arch: amd64}", Some(false)),
        ("", big, "nodeSelector: {karpenter.k8s.aws/instance-cpu: \"16\"}", Some(true)),
        ("", big, "nodeSelector: {karpenter.k8s.aws/instance-cpu: \"4\"}", Some(false)),
        ("", team, "nodeSelector: {team: a}", Some(true)),
        ("", not_a, "nodeSelector: {team: a}", Some(false)),
        ("", "requirements: \"${x}\"", "nodeSelector: {team: a}", None),
        ("", "requirements: [{key: \"${x}\", operator: Exists}]", "nodeSelector: {team: a}", None),
        ("", arm, "nodeSelector: {team: a}", Some(false)),
    ]);
}

/// The required affinity with these terms, each a list of expressions.
fn affinity(terms: &str) -> String {
    format!(
        "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
         {{nodeSelectorTerms: [{terms}]}}}}}}"
    )
}

#[test]
fn one_term_of_the_affinity_has_to_fit() {
    let here = "{matchExpressions: [{key: tier, operator: In, values: [data, web]}]}";
    let there = "{matchExpressions: [{key: tier, operator: NotIn, values: [data]}]}";
    let has = "{matchExpressions: [{key: tier, operator: Exists}]}";
    let lacks = "{matchExpressions: [{key: tier, operator: DoesNotExist}]}";
    let static_only = "{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}";
    let node = "{matchFields: [{key: metadata.name, operator: In, values: [a]}]}";
    let many = "{matchExpressions: [{key: tier, operator: Gt, values: [\"1\"]}]}";
    for (labels, terms, wanted) in [
        ("tier: data", here, Some(true)),
        ("tier: data", there, Some(false)),
        ("tier: cache", here, Some(false)),
        ("tier: cache", there, Some(true)),
        ("", there, Some(true)),
        ("tier: data", has, Some(true)),
        ("", has, Some(false)),
        ("tier: data", lacks, Some(false)),
        ("", lacks, Some(true)),
        ("", static_only, Some(false)),
        ("tier: data", &format!("{there}, {here}"), Some(true)),
        ("tier: data", &format!("{there}, {lacks}"), Some(false)),
        ("tier: data", "{}", Some(false)),
        ("tier: data", node, None),
        ("tier: data", &format!("{node}, {here}"), Some(true)),
        ("tier: data", many, Some(false)),
        ("tier: \"2\"", many, Some(true)),
    ] {
        let answer = pool(labels, "").may_run(&Demands::of(&pods(&affinity(terms))));
        assert_eq!(answer, wanted, "{terms} on {{{labels}}}");
    }
}

#[test]
fn windows_nodes_are_for_pods_that_ask_for_them() {
    let windows = "requirements: [{key: kubernetes.io/os, operator: In, values: [windows]}]";
    compare(&[
        ("", windows, "", None),
        ("", windows, "nodeSelector: {kubernetes.io/os: windows}", Some(true)),
        ("", windows, "nodeSelector: {kubernetes.io/os: linux}", Some(false)),
    ]);
}

#[test]
fn a_label_is_unmet_when_no_node_has_it() {
    let key = "karpenter.sh/controller";
    let with = Labels::known([(key, "true"), ("role", "system")]);
    let other = Labels::known([(key, "yes")]);
    let without = Labels::known([("role", "system")]);
    let doubtful = without.clone().and_others();
    let term = |values: &str| {
        format!("{{matchExpressions: [{{key: {key}, operator: In, values: [{values}]}}]}}")
    };
    let role = "{matchExpressions: [{key: role, operator: Exists}]}";
    for (selector, terms, nodes, unmet) in [
        ("{karpenter.sh/controller: 'true'}", String::new(), vec![&without], true),
        ("{karpenter.sh/controller: 'true'}", String::new(), vec![&other, &without], true),
        ("{karpenter.sh/controller: 'true'}", String::new(), vec![&without, &with], false),
        ("{karpenter.sh/controller: 'true'}", String::new(), vec![&doubtful], false),
        ("{role: batch}", String::new(), vec![&without], false),
        ("{}", term("'true'"), vec![&without], true),
        ("{}", term("'true', 'yes'"), vec![&other], false),
        ("{}", format!("{}, {}", term("'true'"), term("on")), vec![&other], true),
        // Another term leads elsewhere.
        ("{}", format!("{}, {role}", term("'true'")), vec![&without], false),
    ] {
        let affinity = if terms.is_empty() { String::new() } else { affinity(&terms) };
        let pods = Demands::of(&pods(&format!("nodeSelector: {selector}, {affinity}"))).only(key);
        let refuses = |labels: &&Labels| {
            group((*labels).clone(), Taints::default()).labels_fit(&pods).known() == Some(false)
        };
        assert_eq!(nodes.iter().all(refuses), unmet, "{selector} {terms}");
    }
}
