//! Decisions as Karpenter's own code made them.

use crate::{
    model::{
        cluster::{NodeGroup, Taints},
        node_label::{today, undeclared},
        node_pool::NodePool,
        placement::{
            daemons::Daemons,
            demands::Demands,
            group,
            room::{PoolSite, Room},
            tests::group as group_of,
        },
        requirement::{
            Agreement, Requirements,
            value_set::{Operator, ValueSet},
        },
        workload,
    },
    resolve::{
        kubernetes::{Object, objects},
        pod::selector::Labels,
        scope::Scope,
    },
    source::FileId,
    syntax::yaml,
    value::Field,
};

const RECORDED: &str = include_str!("recorded.txt");

/// The questions of a kind: the line, its parts, and the answer.
fn questions(kind: &str) -> impl Iterator<Item = (&str, Vec<&str>, &str)> {
    RECORDED.lines().filter_map(move |line| {
        let mut parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let answer = parts.pop()?;
        (parts.first() == Some(&kind)).then(|| (line, parts.split_off(1), answer))
    })
}

/// "team In a,b", and "team In a,b 2" with `minValues`; "-" stands for no values.
fn requirement(text: &str) -> (&str, &str, Vec<&str>) {
    let mut words = text.split(' ');
    let (key, operator) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let values = words.next().filter(|it| *it != "-");
    (key, operator, values.map_or_else(Vec::new, |it| it.split(',').collect()))
}

fn set(text: &str) -> (&str, ValueSet) {
    let (key, operator, values) = requirement(text);
    let bound = || values.first().and_then(|it| it.parse().ok()).unwrap_or_default();
    let set = match operator {
        "In" => ValueSet::one_of(values.iter().map(|it| Some(*it))),
        "NotIn" => ValueSet::none_of(values.iter().map(|it| Some(*it))),
        "Exists" => ValueSet::any(),
        "DoesNotExist" => ValueSet::nothing(),
        "Gt" => ValueSet::above(bound()),
        "Lt" => ValueSet::below(bound()),
        "Gte" => ValueSet::at_least(bound()),
        _ => ValueSet::at_most(bound()),
    };
    (today(key), set)
}

fn list(text: &str) -> Requirements {
    let all = text.split("; ").filter(|it| !it.is_empty()).map(set);
    all.map(|(key, set)| (key.to_owned(), set)).collect()
}

#[test]
fn two_requirements_meet_where_they_meet_for_karpenter() {
    let mut count = 0;
    for (line, parts, answer) in questions("two") {
        let (one, other) = (set(parts[0]).1, set(parts[1]).1);
        let both = one.and(&other);
        let operator = match both.operator() {
            Operator::In => "In",
            Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            Operator::DoesNotExist => "DoesNotExist",
        };
        let bound = |it: Option<i64>| it.map_or_else(|| "-".to_owned(), |it| it.to_string());
        let (least, most) = both.bounds();
        let named: Vec<&str> = both.named().collect();
        let meets = if one.meets(&other) { "yes" } else { "no" };
        let own =
            format!("{meets} {operator} {} {} {}", named.join(","), bound(least), bound(most));
        assert_eq!(own, answer, "{line}");
        count += 1;
    }
    assert_eq!(count, 900);
}

#[test]
fn lists_of_requirements_agree_where_they_do_for_karpenter() {
    let mut count = 0;
    for (line, parts, answer) in questions("lists") {
        let asked = list(parts[1]);
        let agreement = list(parts[0]).agree_with(&asked, |key| undeclared(key, None));
        assert_eq!(agreement == Agreement::Yes, answer == "yes", "{line}: {agreement:?}");
        assert!(!matches!(agreement, Agreement::Unknown(_)), "{line}");
        count += 1;
    }
    assert_eq!(count, 900);
}

/// A requirement as YAML.
fn written(text: &str) -> String {
    let (key, operator, values) = requirement(text);
    let values: Vec<String> = values.iter().map(|it| format!("\"{it}\"")).collect();
    let least = text.split(' ').nth(3).map_or_else(String::new, |it| format!(", minValues: {it}"));
    format!("{{key: \"{key}\", operator: {operator}, values: [{}]{least}}}", values.join(", "))
}

fn all_written(text: &str) -> String {
    let all = text.split("; ").filter(|it| !it.is_empty()).map(written);
    all.collect::<Vec<_>>().join(", ")
}

/// "team In a" as a label.
fn labels(text: &str) -> String {
    let all = text.split("; ").filter(|it| !it.is_empty()).map(requirement);
    all.map(|it| format!("\"{}\": \"{}\"", it.0, it.2.join(","))).collect::<Vec<_>>().join(", ")
}

fn object(text: &str) -> Object {
    let values = yaml::parse_file(FileId(0), text).values;
    objects(&values[0]).remove(0)
}

/// "team=a:NoSchedule" as YAML.
fn taints(text: &str) -> String {
    let taint = |it: &str| {
        let (key, rest) = it.split_once('=').unwrap_or_default();
        let (value, effect) = rest.split_once(':').unwrap_or_default();
        format!("{{key: {key}, value: \"{value}\", effect: {effect}}}")
    };
    text.split(' ').filter(|it| !it.is_empty()).map(taint).collect::<Vec<_>>().join(", ")
}

/// A node of a static group that has these labels and taints, and no others.
fn node(labels: &str, written: &str) -> NodeGroup {
    let labels = labels.split("; ").filter(|it| !it.is_empty()).map(requirement);
    let taints = format!("[{}]", taints(written));
    let taints = yaml::parse_file(FileId(0), &taints).values;
    let labels = Labels::known(labels.map(|it| (it.0, it.2[0])));
    group_of(labels, Taints::read(Field::Present(&taints[0])))
}

fn pool(parts: &[&str]) -> NodePool {
    let text = format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: apps}}\nspec:\n  template:\n    \
         metadata: {{labels: {{{}}}}}\n    spec: {{nodeClassRef: {{group: karpenter.k8s.aws, name: a}}, \
         requirements: [{}], taints: [{}]}}\n",
        labels(parts[0]),
        all_written(parts[1]),
        taints(parts[2])
    );
    let pool = NodePool::read(&object(&text), &Scope::new(None, &"".into()), None);
    pool.unwrap_or_else(|| unreachable!("{text}"))
}

/// A list of that many words.
fn words(text: &str, by: &str) -> Vec<String> {
    text.split(by).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// What pods ask for: node selector, terms, tolerations, and requests for CPU and memory.
fn pods(selector: &str, terms: &str, tolerations: &str, requests: &str) -> Demands {
    let toleration = |it: &String| {
        let words: Vec<&str> = it.split('/').collect();
        format!(
            "{{key: \"{}\", operator: \"{}\", value: \"{}\", effect: \"{}\"}}",
            words[0], words[1], words[2], words[3]
        )
    };
    let terms: Vec<String> = words(terms, " or ")
        .iter()
        .map(|it| format!("{{matchExpressions: [{}]}}", all_written(it)))
        .collect();
    let affinity = if terms.is_empty() {
        String::new()
    } else {
        format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
             {{nodeSelectorTerms: [{}]}}}}}}, ",
            terms.join(", ")
        )
    };
    let tolerations: Vec<String> = words(tolerations, " ").iter().map(toleration).collect();
    let (cpu, memory) = requests.split_once(' ').unwrap_or_default();
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec: {{{affinity}nodeSelector: {{{}}}, \
         tolerations: [{}], containers: [{{image: a, resources: {{requests: {{cpu: {cpu}m, \
         memory: {memory}Mi}}}}}}]}}\n",
        labels(selector),
        tolerations.join(", ")
    );
    let found = workload::workload(&object(&text), &Scope::new(None, &"".into()));
    Demands::of(&found.unwrap_or_else(|| unreachable!("{text}")))
}

#[test]
fn pools_take_pods_where_karpenter_does() {
    let (mut count, mut undecided) = (0, 0);
    for (line, parts, answer) in questions("pods") {
        let pool = pool(&parts);
        let daemons = match parts[7] {
            "0 0" => Daemons::default(),
            asked => Daemons::of_requests(pods("", "", "", asked).requests),
        };
        let site = PoolSite { class: None, daemons, is_strict: Some(true) };
        let room = Room::of_pool(&pool, site);
        let demands = pods(parts[3], parts[4], parts[5], parts[6]);
        let decision = pool.decide_with(None, room.as_ref(), &demands);
        match decision.known() {
            Some(takes) => assert_eq!(takes, answer == "yes", "{line}: {decision:?}"),
            None => undecided += 1,
        }
        count += 1;
    }
    assert_eq!(count, 1200);
    // How much the hypervisor takes is known only when there is a node.
    assert!(undecided < 120, "{undecided}");
}

#[test]
fn nodes_take_pods_where_the_scheduler_says_so() {
    let mut count = 0;
    for (line, parts, answer) in questions("nodes") {
        let node = node(parts[0], parts[1]);
        let demands = pods(parts[2], parts[3], parts[4], "0 0");
        let decision = group::takes(&node, &group::labels(&node), None, &demands);
        assert_eq!(decision.known(), Some(answer == "yes"), "{line}: {decision:?}");
        count += 1;
    }
    assert_eq!(count, 1000);
}
