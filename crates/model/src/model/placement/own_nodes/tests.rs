//! Placements against a table, and against nodes as Karpenter labels them.

use proptest::prelude::{Just, Strategy, prop_oneof, proptest};

use crate::{
    model::placement::own_nodes::{Gap, gap, keeps_off},
    resolve::pod::{
        placement::Placement,
        selector::{Labels, Selector, matches},
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{Field, Value},
};

const NODEPOOL: &[&str] = &["karpenter.sh/nodepool"];

fn read(text: &str) -> Value {
    let whole = Span::new(FileId(0), 0, text.len());
    let mut values = yaml::parse_file(FileId(0), text).values;
    values.pop().unwrap_or_else(|| Value::map(Vec::new(), whole))
}

fn affinity(terms: &str) -> Value {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    read(&format!("{{nodeAffinity: {{{required}: {{nodeSelectorTerms: {terms}}}}}}}"))
}

fn of_terms(terms: &str) -> Placement {
    Placement::read(Field::Missing, Field::Present(&affinity(terms)))
}

fn of_expressions(expressions: &str) -> Placement {
    of_terms(&format!("[{{matchExpressions: [{expressions}]}}]"))
}

#[test]
fn one_expression_keeps_pods_off_or_not() {
    for (expression, wanted) in [
        ("{key: karpenter.sh/nodepool, operator: DoesNotExist}", Some(true)),
        ("{key: eks.amazonaws.com/nodegroup, operator: In, values: [a]}", Some(true)),
        ("{key: eks.amazonaws.com/nodegroup, operator: Exists}", Some(true)),
        ("{key: karpenter.sh/controller, operator: Exists}", Some(true)),
        ("{key: eks.amazonaws.com/compute-type, operator: In, values: [auto]}", Some(true)),
        ("{key: kubernetes.io/os, operator: In, values: [linux]}", Some(false)),
        ("{key: kubernetes.io/os, operator: NotIn, values: [windows]}", Some(false)),
        ("{key: topology.kubernetes.io/zone, operator: In, values: [a, b]}", Some(false)),
        ("{key: node.kubernetes.io/instance-type, operator: Exists}", Some(false)),
        ("{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}", Some(false)),
        ("{key: karpenter.sh/capacity-type, operator: NotIn, values: [spot]}", Some(false)),
        ("{key: karpenter.sh/provisioner-name, operator: DoesNotExist}", Some(false)),
        ("{key: eks.amazonaws.com/compute-type, operator: NotIn, values: [fargate]}", Some(false)),
        // Each of these may or may not be what Karpenter's nodes have.
        ("{key: karpenter.sh/capacity-type, operator: NotIn, values: [spot, on-demand]}", None),
        ("{key: karpenter.sh/capacity-type, operator: DoesNotExist}", None),
        ("{key: karpenter.sh/nodepool, operator: In, values: [system]}", None),
        ("{key: karpenter.sh/nodepool, operator: NotIn, values: [default]}", None),
        ("{key: karpenter.sh/registered, operator: DoesNotExist}", None),
        ("{key: node-role.kubernetes.io/system, operator: Exists}", None),
        ("{key: role, operator: In, values: [system]}", None),
        ("{key: provisioned-by, operator: DoesNotExist}", None),
        ("{key: kubernetes.io/hostname, operator: In, values: [a]}", None),
        ("{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ['4']}", None),
    ] {
        assert_eq!(keeps_off(&of_expressions(expression), NODEPOOL), wanted, "{expression}");
    }
}

#[test]
fn expressions_are_joined_and_terms_are_alternatives() {
    let pool = "{key: karpenter.sh/nodepool, operator: DoesNotExist}";
    let arch = "{key: kubernetes.io/arch, operator: Exists}";
    let role = "{key: role, operator: Exists}";
    let term = |expressions: &[&str]| format!("{{matchExpressions: [{}]}}", expressions.join(","));
    for (terms, wanted) in [
        (vec![term(&[pool, arch])], Some(true)),
        (vec![term(&[arch, pool, role])], Some(true)),
        (vec![term(&[arch, role])], None),
        (vec![term(&[pool]), term(&[pool, arch])], Some(true)),
        (vec![term(&[pool]), term(&[arch])], Some(false)),
        (vec![term(&[pool]), term(&[role])], None),
        (vec![term(&[role]), term(&[arch])], Some(false)),
        (vec![term(&[])], None),
        (vec!["{matchFields: [{key: metadata.name, operator: In, values: [a]}]}".into()], None),
        (vec![], None),
    ] {
        let terms = format!("[{}]", terms.join(","));
        assert_eq!(keeps_off(&of_terms(&terms), NODEPOOL), wanted, "{terms}");
    }
}

#[test]
fn while_nodes_had_one_of_two_labels_both_have_to_be_absent() {
    let both = &["karpenter.sh/provisioner-name", "karpenter.sh/nodepool"];
    let old = "{key: karpenter.sh/provisioner-name, operator: DoesNotExist}";
    let new = "{key: karpenter.sh/nodepool, operator: DoesNotExist}";
    assert_eq!(keeps_off(&of_expressions(&format!("{old}, {new}")), both), Some(true));
    assert_eq!(keeps_off(&of_expressions(old), both), None);
    assert_eq!(keeps_off(&of_expressions(new), both), None);
    assert_eq!(keeps_off(&of_expressions(old), &both[..1]), Some(true));
    assert_eq!(keeps_off(&of_expressions(old), NODEPOOL), Some(false));
}

#[test]
fn the_node_selector_counts_as_well() {
    let arch = "{key: kubernetes.io/arch, operator: Exists}";
    let arch = affinity(&format!("[{{matchExpressions: [{arch}]}}]"));
    for (selector, affinity, wanted) in [
        ("{kubernetes.io/os: linux}", Field::Present(&arch), Some(false)),
        ("{karpenter.sh/controller: 'true'}", Field::Present(&arch), Some(true)),
        ("{role: system}", Field::Present(&arch), None),
        ("null", Field::Present(&arch), Some(false)),
        ("{eks.amazonaws.com/nodegroup: a}", Field::Missing, Some(true)),
        ("{cloud.google.com/gke-nodepool: a}", Field::Missing, Some(true)),
        ("{eks.amazonaws.com/nodegroup: a}", Field::Unknown, Some(true)),
        ("{kubernetes.io/os: linux}", Field::Missing, Some(false)),
        ("{kubernetes.io/os: linux}", Field::Unknown, None),
    ] {
        let values = read(selector);
        let placement = Placement::read(Field::Present(&values), affinity);
        assert_eq!(keeps_off(&placement, NODEPOOL), wanted, "{selector}");
    }
}

#[test]
fn what_is_no_affinity_at_all_is_not_known() {
    for (text, wanted) in [
        ("{}", Some(false)),
        ("{nodeAffinity: null}", Some(false)),
        ("{nodeAffinity: {}}", Some(false)),
        ("{nodeAffinity: text}", None),
        ("text", None),
        ("{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: []}}", None),
        ("{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}", None),
    ] {
        let placement = Placement::read(Field::Missing, Field::Present(&read(text)));
        assert_eq!(keeps_off(&placement, NODEPOOL), wanted, "{text}");
    }
}

#[test]
fn the_gap_is_where_one_would_edit() {
    let retired = "{key: karpenter.sh/provisioner-name, operator: DoesNotExist}";
    let pool = "{key: karpenter.sh/nodepool, operator: DoesNotExist}";
    let os = "{key: kubernetes.io/os, operator: Exists}";
    let gap_of = |text: &str| gap(&of_terms(text), NODEPOOL);
    assert!(matches!(
        gap_of(&format!("[{{matchExpressions: [{os}, {retired}]}}]")),
        Some(Gap::Retired(_))
    ));
    assert_eq!(gap_of(&format!("[{{matchExpressions: [{os}]}}]")), Some(Gap::Whole));
    let several = format!("[{{matchExpressions: [{pool}]}}, {{matchExpressions: [{os}]}}]");
    assert!(matches!(gap_of(&several), Some(Gap::Term(_))));
    assert_eq!(gap_of(&format!("[{{matchExpressions: [{pool}]}}]")), None);
}

/// Expressions over the labels that matter, also some that contradict each other.
fn expression() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just("karpenter.sh/nodepool"),
        Just("karpenter.sh/provisioner-name"),
        Just("karpenter.sh/capacity-type"),
        Just("karpenter.sh/controller"),
        Just("eks.amazonaws.com/nodegroup"),
        Just("kubernetes.io/arch"),
        Just("role"),
    ];
    let operator = prop_oneof![
        Just("operator: DoesNotExist"),
        Just("operator: Exists"),
        Just("operator: In, values: [spot, arm64, system]"),
        Just("operator: NotIn, values: [spot]"),
    ];
    (key, operator).prop_map(|(key, operator)| format!("{{key: {key}, {operator}}}"))
}

/// The labels of a node as Karpenter makes it.
fn node() -> impl Strategy<Value = Labels> {
    let capacity = prop_oneof![Just("spot"), Just("on-demand")];
    let arch = prop_oneof![Just("arm64"), Just("amd64")];
    let role = prop_oneof![Just(None), Just(Some("system"))];
    (capacity, arch, role).prop_map(|(capacity, arch, role)| {
        let own = [
            ("karpenter.sh/nodepool", "default"),
            ("karpenter.sh/capacity-type", capacity),
            ("kubernetes.io/arch", arch),
        ];
        Labels::known(own.into_iter().chain(role.map(|it| ("role", it))))
    })
}

proptest! {
    #[test]
    fn what_keeps_off_matches_no_node_of_karpenter(
        terms in proptest::collection::vec(proptest::collection::vec(expression(), 1..4), 1..4),
        node in node(),
    ) {
        let terms: Vec<String> =
            terms.iter().map(|it| format!("{{matchExpressions: [{}]}}", it.join(", "))).collect();
        let lets_in = terms.iter().any(|it| {
            let selector = Selector::read(Field::Present(&read(it)), "");
            matches(&selector, &node) == Some(true)
        });
        let answer = keeps_off(&of_terms(&format!("[{}]", terms.join(", "))), NODEPOOL);
        assert!(!(lets_in && answer == Some(true)), "{terms:?} {node:?}");
    }
}
