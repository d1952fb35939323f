//! Which releases the knowledge covers, as a section of the index.

use std::{collections::BTreeSet, fmt::Write};

use karplint::{
    knowledge::{self, Facts, karpenter, operator, schema},
    version::{Range, Version},
};

/// The section.
pub fn section() -> String {
    let known = schema::known();
    let mut text = format!(
        "\n## What is known\n\nThe schemas were compared with the CRDs of each release of Karpenter from \
         {} to {}; a newer one counts as the newest.\n\n| kind | API | releases | fields |\n|---|---|---|---|\n",
        known.oldest, known.newest
    );
    for schema in schema::kinds().flat_map(|it| &it.schemas) {
        let releases: Vec<String> = schema.served.iter().map(words).collect();
        let (kind, api, count) = (&schema.kind, schema.api_version(), schema.fields.len());
        let _ = writeln!(text, "| {kind} | {api} | {} | {count} |", releases.join(", "));
    }
    for kind in schema::retired_kinds() {
        let (name, api) = (&kind.kind, format!("{}/{}", kind.group, kind.api));
        let _ = writeln!(text, "| {name} | {api} | {} | by name |", words(&kind.range));
    }
    text.push_str("\n| asked of releases | the answer changes in |\n|---|---|\n");
    for (question, facts) in karpenter::facts() {
        let changes: Vec<String> = changes(facts).iter().map(Version::to_string).collect();
        let changes = if changes.is_empty() { "nothing".to_owned() } else { changes.join(", ") };
        let _ = writeln!(text, "| {} | {changes} |", question.replace('_', " "));
    }
    let components = knowledge::components();
    let pods: usize = components.iter().map(|it| it.pods.len()).sum();
    let operators = operator::operators().len();
    let _ = writeln!(
        text,
        "\nBesides: {} charts and add-ons with {pods} workloads, and {operators} operators.",
        components.len()
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

/// The versions in which an answer changes, the oldest first.
fn changes(facts: &Facts) -> BTreeSet<Version> {
    let ends = facts.list().iter().flat_map(|it| it.range.since.iter().chain(&it.range.until));
    ends.cloned().collect()
}
