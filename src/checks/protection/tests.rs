//! The candidates give the answers that comparing all would give, and are few.

use std::fmt::Write;

use proptest::{collection::vec, prelude::*, sample::select};

use crate::{
    checks::{
        pdb::near_miss,
        protection::{HINTS, is_for_others, unprotected},
    },
    findings::{note::Note, silence::Silence},
    model::{Assumed, Model, Resolved, pdb::selections::selects, workload::Workload},
    resolve::{gitops, kubernetes::manifests},
    source::{FileId, Files, SourceFile},
};

fn model(text: &str) -> Model {
    let files = Files::new(vec![SourceFile::new("a.yaml", text)]);
    let manifests = manifests::read(&files, &[FileId(0)], gitops::TOOLS);
    let resolved = Resolved { manifests, ..Resolved::default() };
    Model::new(&files, resolved, Assumed::default())
}

#[derive(Debug, PartialEq)]
enum Protection {
    Present,
    Unknown,
    Nothing { near: Vec<Note> },
}

fn protection(model: &Model, workload: &Workload) -> Protection {
    match unprotected(model, workload) {
        Ok(near) => Protection::Nothing { near },
        Err(Silence::Sound(_)) => Protection::Present,
        Err(Silence::Undecided(..)) => Protection::Unknown,
    }
}

/// What `protection` would return if it compared every workload with every PDB.
fn by_comparing_all(model: &Model, workload: &Workload) -> Protection {
    let all = || model.pdbs.iter();
    if all().any(|it| selects(it, workload) == Some(true)) {
        return Protection::Present;
    }
    if all().any(|it| selects(it, workload).is_none()) {
        return Protection::Unknown;
    }
    let unused = all().enumerate().filter(|(at, _)| !is_for_others(model, *at));
    let near = unused.filter_map(|(_, it)| near_miss::of(it, workload)).take(HINTS).collect();
    Protection::Nothing { near }
}

fn head(api: &str, kind: &str, name: &str, namespace: &str) -> String {
    format!(
        "---\napiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n  namespace: {namespace}\n"
    )
}

/// `labels` are entries of a flow mapping.
fn stateful_set(name: &str, namespace: &str, labels: &str) -> String {
    head("apps/v1", "StatefulSet", name, namespace)
        + "spec:\n  selector: {}\n  template:\n    metadata:\n"
        + &format!("      labels: {{{labels}}}\n    spec:\n      containers: [{{image: a}}]\n")
}

fn pdb(name: &str, namespace: &str, selector: &str) -> String {
    head("policy/v1", "PodDisruptionBudget", name, namespace)
        + &format!("spec:\n  selector: {{{selector}}}\n")
}

fn rabbit(name: &str, namespace: &str) -> String {
    head("rabbitmq.com/v1beta1", "RabbitmqCluster", name, namespace)
}

fn namespaces() -> impl Strategy<Value = &'static str> {
    select(&["", "one", "two", "\"{{ x }}\""][..])
}

fn labels() -> impl Strategy<Value = String> {
    let entry = select(
        &[
            "app: web",
            "app: wep",
            "app: database",
            "app: \"{{ y }}\"",
            "tier: front",
            "tier: back",
            "part: shop",
            "app.kubernetes.io/name: web",
        ][..],
    );
    vec(entry, 0..4).prop_map(|it| {
        let keys = it.iter().filter_map(|it| it.split(':').next());
        let first = |(at, key): (usize, &str)| {
            it[..at].iter().all(|it| it.split(':').next() != Some(key)).then(|| it[at])
        };
        keys.enumerate().filter_map(first).collect::<Vec<_>>().join(", ")
    })
}

fn expressions() -> impl Strategy<Value = String> {
    let one = select(
        &[
            "{key: app, operator: In, values: [web, database]}",
            "{key: app, operator: In, values: []}",
            "{key: app, operator: In, values: [\"{{ z }}\", web]}",
            "{key: tier, operator: NotIn, values: [back]}",
            "{key: tier, operator: Exists}",
            "{key: part, operator: DoesNotExist}",
            "{key: part, operator: \"{{ x }}\"}",
        ][..],
    );
    vec(one, 0..3).prop_map(|it| it.join(", "))
}

fn objects() -> impl Strategy<Value = String> {
    let set = (namespaces(), labels()).prop_map(|(at, it)| stateful_set("s", at, &it));
    let selector =
        (labels(), expressions()).prop_map(|(labels, expressions)| match &*expressions {
            "" => format!("matchLabels: {{{labels}}}"),
            some => format!("matchLabels: {{{labels}}}, matchExpressions: [{some}]"),
        });
    let pdb = (namespaces(), selector).prop_map(|(at, it)| pdb("b", at, &it));
    let rabbit = (select(&["web", "wep"][..]), namespaces()).prop_map(|(it, at)| rabbit(it, at));
    vec(prop_oneof![3 => set, 5 => pdb, 1 => rabbit], 2..14).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..Default::default() })]

    #[test]
    fn candidates_lead_to_the_same_answer(text in objects()) {
        let model = model(&text);
        for workload in &model.workloads {
            let expected = by_comparing_all(&model, workload);
            prop_assert_eq!(protection(&model, workload), expected, "{}", text);
        }
    }
}

/// How many PDBs are compared to protect that many workloads of one application.
fn comparisons(number: usize) -> usize {
    let mut text = String::new();
    for index in 0..number {
        let labels = format!("part: shop, tier: back, app: app-{index}");
        let namespace = format!("team-{}", index % 3);
        text += &stateful_set("s", &namespace, &labels);
        let _ = write!(text, "{}", rabbit(&format!("queue-{index}"), &namespace));
        text += &pdb("b", &namespace, &format!("matchLabels: {{{labels}}}"));
    }
    let model = model(&text);
    assert_eq!((model.workloads.len(), model.pdbs.len()), (2 * number, number));
    let looked_at = |it: &Workload| {
        let doubtful = model.pdb_candidates.doubtful(it);
        let doubts = doubtful.take_while(|at| selects(&model.pdbs[*at], it) == Some(false));
        model.pdb_candidates.certain(it).count() + doubts.count()
    };
    model.workloads.iter().map(looked_at).sum()
}

#[test]
fn twice_the_workloads_and_pdbs_are_twice_the_work() {
    let few = comparisons(100);
    assert!(few >= 100, "{few}");
    assert_eq!(comparisons(200), 2 * few);
}
