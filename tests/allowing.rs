//! Every finding can be suppressed: what the editor offers to allow it, and an entry of the config, take it away
//! and nothing else.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use std::collections::{BTreeMap, BTreeSet};

use karplint::{
    config::{self, Config, layers::Layers, read},
    findings::Finding,
    lint::{
        self, LintResult,
        suppression_site::{self, Home, SuppressionSite},
    },
    project::Project,
    rules,
};
use rayon::prelude::*;

use crate::{
    fixtures::folder::{self, Texts},
    pages::examples::examples,
};

/// A small repository and its name.
struct Case {
    name: String,
    files: Texts,
}

fn fixtures() -> impl Iterator<Item = Case> {
    // Where nothing is found nothing can be allowed.
    let fixtures = folder::all().iter().filter(|it| !it.linted().outcome.findings.is_empty());
    fixtures.map(|it| Case { name: it.name.clone(), files: it.files.clone() })
}

fn bad_examples() -> Vec<Case> {
    let of_page = |page: &'static karplint::page::Page| {
        examples(&page.body, "Bad")
            .into_iter()
            .map(|it| Case { name: format!("{}/{}", page.name, it.title), files: it.files() })
    };
    rules::pages().flat_map(of_page).collect()
}

/// A repository with an empty config, and what is found in it.
struct Linted {
    project: Project,
    config: Config,
    outcome: LintResult,
}

impl Linted {
    fn new(files: &Texts, text: &str) -> Self {
        let mut files = files.clone();
        files.push((config::FILE_NAME.to_owned(), text.to_owned()));
        let known: Vec<_> =
            rules::pages().map(|it| config::RuleName { rule: it.name, topic: it.topic }).collect();
        let place = read::ConfigPath { shown: config::FILE_NAME, path: config::FILE_NAME };
        let mut file = read::read(text, place, &known).unwrap();
        file.layer.folder = Some(String::new());
        let config = Config { layers: Layers::new(vec![file.layer]), ..Config::default() };
        let project = Project::from_memory(files);
        let outcome = lint::run(&project, &config);
        Self { project, config, outcome }
    }

    fn path(&self, finding: &Finding) -> &str {
        self.project.files.get(finding.span.file).path()
    }

    fn line(&self, finding: &Finding) -> usize {
        self.project.files.get(finding.span.file).line_of(finding.span.start as usize)
    }

    /// What is said where, without lines, which allowances move.
    fn said(&self, keep: impl Fn(&Finding) -> bool) -> Vec<String> {
        let kept = self.outcome.findings.iter().filter(|it| keep(it));
        let text = |it: &Finding| format!("{}: {}: {}", self.path(it), it.rule, it.message);
        let mut said: Vec<String> = kept.map(text).collect();
        said.sort();
        said
    }
}

/// The files after some of the allowances.
fn with<'a>(files: &Texts, allowances: impl Iterator<Item = &'a SuppressionSite>) -> Texts {
    let mut files = files.clone();
    let mut changes: Vec<&SuppressionSite> = allowances.collect();
    changes.sort_by_key(|it| std::cmp::Reverse(it.insertion.range.start));
    for it in changes {
        let (_, text) = files.iter_mut().find(|(path, _)| *path == it.path).unwrap();
        text.replace_range(it.insertion.range.clone(), &it.text("of \"a\": reason"));
    }
    files
}

/// The lines that differ, as `+` and `-`.
fn difference(wanted: &[String], got: &[String]) -> String {
    let mut count: BTreeMap<&str, i32> = BTreeMap::new();
    let signed = got.iter().map(|it| (it, 1)).chain(wanted.iter().map(|it| (it, -1)));
    for (line, sign) in signed {
        *count.entry(line).or_default() += sign;
    }
    let lines = count.iter().filter(|(_, count)| **count != 0);
    let lines: Vec<String> = lines.map(|(it, count)| format!("\n    {count:+} {it}")).collect();
    lines.concat()
}

/// What goes wrong when findings are allowed where they are. Every second allowance is written at once:
/// so each is tried, and shown to touch no other finding.
fn where_they_stand(case: &Case, linted: &Linted) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut comments: BTreeMap<(String, usize, &str), SuppressionSite> = BTreeMap::new();
    for finding in &linted.outcome.findings {
        let Linted { project, config, .. } = linted;
        let offered = suppression_site::allowances(project, config, finding);
        if offered.is_empty() && finding.rule != "unused-allowance" {
            wrong.push(format!("{}: {:?} has no suppression site", case.name, finding.message));
        }
        for allowance in offered {
            match &allowance.home {
                Home::Comment => {
                    let line = linted.line(finding);
                    comments.insert((allowance.path.clone(), line, finding.rule), allowance);
                }
                Home::Annotation(object) => {
                    wrong.extend(on_the_object(case, linted, finding, (&allowance, object)));
                }
                Home::Config => {}
            }
        }
    }
    for parity in [0, 1] {
        let chosen = || comments.iter().skip(parity).step_by(2);
        if chosen().count() == 0 {
            continue;
        }
        let places: BTreeSet<_> = chosen().map(|(key, _)| key).collect();
        let is_chosen =
            |it: &Finding| places.contains(&(linted.path(it).to_owned(), linted.line(it), it.rule));
        let after = Linted::new(&with(&case.files, chosen().map(|it| it.1)), "");
        let (left, found) = (linted.said(|it| !is_chosen(it)), after.said(|_| true));
        if left != found {
            wrong.push(format!("{} with comments:{}", case.name, difference(&left, &found)));
        }
    }
    wrong
}

/// What goes wrong when an object's annotation allows a finding.
fn on_the_object(
    case: &Case,
    linted: &Linted,
    finding: &Finding,
    (allowance, object): (&SuppressionSite, &String),
) -> Option<String> {
    let after = Linted::new(&with(&case.files, [allowance].into_iter()), "");
    let is_allowed = |it: &Finding| {
        it.rule == finding.rule && it.span.file == finding.span.file && it.names().contains(object)
    };
    // The reason is left to the author.
    let asks_why = |it: &Finding| it.message == "This annotation gives no reason";
    let left = linted.said(|it| !is_allowed(it) && !asks_why(it));
    let found = after.said(|it| !asks_why(it));
    let lines = || difference(&left, &found);
    (left != found).then(|| format!("{} with {}:{}", case.name, allowance.text(""), lines()))
}

/// What goes wrong when findings are allowed in the config, every second at once.
fn in_the_config(case: &Case, linted: &mut Linted) -> Vec<String> {
    let mut wrong = Vec::new();
    let key = |linted: &Linted, it: &Finding| {
        let object = it.name();
        (it.rule, linted.path(it).to_owned(), object)
    };
    let findings: Vec<Finding> = linted
        .outcome
        .findings
        .iter()
        .filter(|it| it.rule != "unused-allowance")
        .cloned()
        .collect();
    let mut entries: BTreeMap<_, &Finding> = BTreeMap::new();
    entries.extend(findings.iter().map(|it| (key(linted, it), it)));
    let id = linted.project.files.find(config::FILE_NAME).unwrap();
    for parity in [0, 1] {
        let chosen: Vec<_> = entries.iter().skip(parity).step_by(2).collect();
        let mut text = String::new();
        for (_, finding) in &chosen {
            linted.project.files.replace(id, text.clone());
            let Linted { project, config, .. } = &*linted;
            let entry = suppression_site::in_config(project, config, finding).unwrap();
            text.replace_range(entry.insertion.range.clone(), &entry.text("of \"a\": reason"));
        }
        linted.project.files.replace(id, String::new());
        let is_chosen = |it: &Finding| {
            let names = it.names();
            chosen.iter().any(|((rule, path, object), _)| {
                let about = object.as_ref().is_none_or(|it| names.contains(it));
                it.rule == *rule && linted.path(it) == path && about
            })
        };
        let left = linted.said(|it| !is_chosen(it));
        let found = Linted::new(&case.files, &text).said(|_| true);
        if left != found {
            wrong.push(format!("{} with\n{text}{}", case.name, difference(&left, &found)));
        }
    }
    wrong
}

#[test]
fn every_finding_has_a_home() {
    let cases: Vec<Case> = fixtures().chain(bad_examples()).collect();
    let wrong_in = |case: &Case| {
        let mut linted = Linted::new(&case.files, "");
        let mut wrong = where_they_stand(case, &linted);
        wrong.extend(in_the_config(case, &mut linted));
        wrong
    };
    let wrong: Vec<String> = cases.par_iter().flat_map_iter(wrong_in).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A stateful set without protection on a pool that consolidates, so many times in one file.
fn stateful_sets(count: usize) -> String {
    let one = |number: usize| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: ledger-{number}\nspec:\n  selector: {{matchLabels: {{app: l-{number}}}}}\n  template:\n    metadata: {{labels: {{app: l-{number}}}}}\n    spec: {{containers: [{{name: db, image: mysql:8.4}}]}}\n---\n"
        )
    };
    (0..count).map(one).collect()
}

#[test]
fn entries_for_objects_cost_next_to_nothing() {
    let files = vec![("sets.yaml".to_owned(), stateful_sets(600))];
    let entries = |count: usize| -> String {
        let entry = |it: usize| {
            format!(
                "  - rule: stateful-pod-unprotected\n    object: StatefulSet/ledger-{it}\n    reason: of old\n"
            )
        };
        "allow:\n".to_owned() + &(0..count).map(entry).collect::<String>()
    };
    let timed = |config: &str| {
        let start = std::time::Instant::now();
        let linted = Linted::new(&files, config);
        (linted.outcome.findings.len(), start.elapsed())
    };
    let (all, without) = timed("");
    // A machine may stand still for a while.
    let tries = (0..3).map(|_| timed(&entries(3)));
    let (left, with) = tries.min_by_key(|it| it.1).expect("three tries");
    assert!(all >= 600, "{all}");
    assert_eq!(left, all - 3);
    // Parsing the file for each finding and entry took a hundred times as long.
    assert!(with < without * 20 + std::time::Duration::from_secs(10), "{with:?}, not {without:?}");
}
