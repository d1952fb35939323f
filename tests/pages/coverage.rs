//! Which releases the knowledge covers, as a section of the index.

use std::{collections::BTreeSet, fmt::Write};

use karplint::{
    knowledge::{
        self, chart_values, conversion, fact::Facts, identity, karpenter, kubernetes, operator,
        publication, schema,
    },
    version::{Range, Version},
};

/// The section.
pub(super) fn section() -> String {
    let known = schema::known();
    let mut text = format!(
        "\n## What is known\n\nThe schemas were compared with the CRDs of each release of Karpenter from \
         {} to {}; a newer one counts as the newest.\n\n| kind | API | releases | fields |\n|---|---|---|---|\n",
        known.verified.oldest, known.verified.newest
    );
    let kinds = schema::kinds().chain(schema::former_kinds());
    for schema in kinds.flat_map(|it| &it.schemas) {
        let releases: Vec<String> = schema.served.iter().map(words).collect();
        let (kind, api, count) = (&schema.kind, schema.api_version(), schema.fields().len());
        let _ = writeln!(text, "| {kind} | {api} | {} | {count} |", releases.join(", "));
    }
    let is_described = |group: &str, kind: &str| schema::any_kind(group, kind).is_some();
    for kind in schema::retired_kinds().iter().filter(|it| !is_described(&it.group, &it.kind)) {
        let (name, api) = (&kind.kind, format!("{}/{}", kind.group, kind.api));
        let _ = writeln!(text, "| {name} | {api} | {} | by name |", words(&kind.range));
    }
    text.push_str("\n| about | by versions of | questions | first change | last change |\n|---|---|---|---|---|\n");
    for (about, versions_of, facts) in topics() {
        let changes = changes(&facts);
        let end = |it: Option<&Version>| it.map_or_else(|| "none".to_owned(), Version::to_string);
        let (first, last) = (end(changes.first()), end(changes.last()));
        let _ = writeln!(text, "| {about} | {versions_of} | {} | {first} | {last} |", facts.len());
    }
    let components = knowledge::component::all().count();
    // What changes with a version is described once for each.
    let pods =
        knowledge::component::all().flat_map(|it| it.pods.iter().map(|pod| (&it.name, &pod.name)));
    let pods = pods.collect::<BTreeSet<_>>().len();
    let operators = operator::operators().len();
    let _ = writeln!(
        text,
        "\nBesides: {components} charts and add-ons with {pods} workloads, and {operators} operators."
    );
    text
}

fn words(range: &Range) -> String {
    match (&range.since, &range.until) {
        (Some(since), Some(until)) => format!("{since} until {until}"),
        (Some(since), None) => format!("since {since}"),
        (None, Some(until)) => format!("until {until}"),
        (None, None) => "all".to_owned(),
    }
}

/// What is known besides, with what the versions are of.
fn topics() -> Vec<(&'static str, &'static str, Vec<&'static Facts>)> {
    let named =
        |facts: &[(&'static str, &'static Facts)]| facts.iter().map(|(_, it)| *it).collect();
    let (modules, releases): (Vec<_>, Vec<_>) =
        karpenter::facts().into_iter().partition(|(name, _)| name.starts_with("eks_module"));
    vec![
        ("CRD chart, taints and labels", "Karpenter", named(&releases)),
        ("publication of the chart, bad releases", "Karpenter", named(&publication::facts())),
        ("conversion webhook", "Karpenter", named(&conversion::facts())),
        ("values of the charts", "Karpenter", chart_values::facts().map(|(_, it)| it).collect()),
        ("Kubernetes versions", "Karpenter", vec![kubernetes::facts()]),
        ("size of node groups", "the EKS module", named(&modules)),
        ("policies and roles", "the modules", identity::facts().map(|(_, it)| it).collect()),
    ]
}

/// The versions in which an answer changes, the oldest first.
fn changes(facts: &[&Facts]) -> BTreeSet<Version> {
    let facts = facts.iter().flat_map(|it| it.list());
    facts.flat_map(|it| it.range.since.iter().chain(&it.range.until)).cloned().collect()
}
