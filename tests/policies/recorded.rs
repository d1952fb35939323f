//! What Kubernetes' own code decides about admission.

use std::collections::{BTreeMap, BTreeSet};

use karplint::{
    config::Config,
    lint::{self, LintResult},
    project::Project,
};

const DECISIONS: &str = include_str!("recorded/decisions.txt");
const POLICIES: &str = include_str!("recorded/policies.yaml");
const OBJECTS: &str = include_str!("recorded/objects.yaml");

/// What is said of each object by each policy: nothing of one that is let in.
type Decisions<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a str>>;

/// The parts of a file, each below a line with its name.
fn parts(text: &'static str, folder: &str) -> Vec<(String, String)> {
    let part = |it: &str| {
        let (name, text) = it.split_once('\n').expect("a name");
        (format!("{folder}/{name}.yaml"), text.to_owned())
    };
    text.split("--- # ").skip(1).map(part).collect()
}

/// The name of a part, by its path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().and_then(|it| it.strip_suffix(".yaml")).unwrap_or(path)
}

fn recorded() -> (Decisions<'static>, BTreeSet<&'static str>) {
    let (mut decisions, mut invalid) = (Decisions::new(), BTreeSet::new());
    let mut policy = "";
    for line in DECISIONS.lines().filter(|it| !it.starts_with('#')) {
        match line.strip_prefix("= ").ok_or_else(|| line.split_once(' ')) {
            Ok(found) => policy = found,
            Err(None) => _ = invalid.insert(policy),
            Err(Some((object, said))) => {
                let all = decisions.entry((policy, object)).or_default();
                all.extend(Some(said).filter(|it| *it != "lets in"));
            }
        }
    }
    (decisions, invalid)
}

/// What is found, in the form of what is recorded.
fn found<'a>(project: &'a Project, outcome: &'a LintResult) -> Decisions<'a> {
    let path = |it: karplint::source::Span| name(project.files.get(it.file).path());
    let mut found = Decisions::new();
    for it in outcome.unreported.iter().filter(|it| it.rule == "denied-by-policy") {
        let words = &it.silence.reason().words;
        let policy = words.split('`').nth(1).expect("the policy's name");
        let said = it.silence.cause().map(|_| &**words);
        found.entry((policy, path(it.span))).or_default().extend(said);
    }
    for it in outcome.findings.iter().filter(|it| it.rule == "denied-by-policy") {
        let (policy, message) =
            it.message.split_once("` refuses this object: ").expect("a refusal");
        found.entry((&policy[1..], path(it.span))).or_default().push(message);
    }
    found.retain(|(_, object), _| *object != "definition");
    found
}

/// What a plugin may still set, such as the default class of an Ingress, the recorded code did not know of.
const OF_PLUGINS: &str = "what the API server fills in is not known";

/// Whether messages are the recorded ones. Those of an error are our own.
fn agree(wanted: &[&str], found: &[&str]) -> bool {
    let says = |it: &&str| it.strip_prefix("says ").map(str::to_owned);
    let line = |it: &&str| it.split_whitespace().collect::<Vec<_>>().join(" ");
    if found.iter().any(|it| it.ends_with(OF_PLUGINS)) {
        return true;
    }
    let found: BTreeSet<String> = found.iter().map(line).collect();
    // What two expressions say alike of one place is one finding.
    let (errors, said): (Vec<&str>, Vec<&str>) = wanted.iter().partition(|it| **it == "error");
    let said: BTreeSet<&str> = said.into_iter().collect();
    errors.len() + said.len() == found.len()
        && wanted.iter().filter_map(says).all(|it| found.contains(&it))
}

#[test]
fn kubernetes_decides_the_same() {
    let files = parts(POLICIES, "policies").into_iter().chain(parts(OBJECTS, "objects"));
    let project = Project::from_memory(files.collect());
    let config = Config { explains: true, ..Config::default() };
    let outcome = lint::run(&project, &config);
    let (wanted, invalid) = recorded();
    let found = found(&project, &outcome);
    let refused = outcome.findings.iter().filter(|it| it.rule == "unreadable");
    let refused: BTreeSet<&str> =
        refused.map(|it| name(project.files.get(it.span.file).path())).collect();
    assert_eq!(refused, invalid);
    let pairs: BTreeSet<_> = wanted.keys().chain(found.keys()).collect();
    let mut wrong = Vec::new();
    for pair in &pairs {
        let (wanted, found) = (wanted.get(*pair), found.get(*pair));
        if !agree(wanted.map_or(&[], Vec::as_slice), found.map_or(&[], Vec::as_slice)) {
            wrong.push(format!("{pair:?}\n  wanted {wanted:?}\n  found  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), pairs.len(), wrong.join("\n"));
    assert!(wanted.len() > 3500, "{}", wanted.len());
}
