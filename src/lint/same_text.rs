//! Findings in files of one text: what is wrong in a file is wrong in each copy of it.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet, hash_map::RandomState},
    hash::{BuildHasher, Hash, Hasher},
};

use crate::{
    findings::{Finding, Severity},
    lint::{copies::bare_lines, filled_copies::is_applied},
    model::{Model, environment::are_of_two_clusters},
    project::Project,
    source::{FileId, Files},
};

/// What the code of Terraform ends with: two folders of the same are applied with values of their own.
const OF_TERRAFORM: [&str; 3] = ["tf", "tofu", "hcl"];
/// More places would bury the finding.
const SHOWN: usize = 8;
/// A copy of which there are more is no accident: which of them is applied matters little.
const MOST_WEIGHED: usize = 64;

/// The findings without those at the same place of another file of the same text that is for the same cluster: they
/// become places of the one that is asked for and applied, or in most places, or else of the first. What fails, or can be
/// fixed, is reported wherever that is.
pub(super) fn fold(
    (project, model): (&Project, &Model),
    mut findings: Vec<Finding>,
) -> Vec<Finding> {
    let files = &project.files;
    let file = |it: &Finding| files.get(it.span.file);
    let is_alone = |it: &Finding| {
        it.severity == Severity::Error
            || it.fix.is_some()
            || it.subjects.is_empty()
            || it.subjects.iter().any(|it| it.root.is_some())
            || OF_TERRAFORM.contains(&file(it).ending())
    };
    let mut alike: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, it) in findings.iter().enumerate().filter(|it| !is_alone(it.1)) {
        // A comment that allows a finding moves all that is below it.
        let place = (it.rule, files.text(it.span), it.message.as_str());
        alike.entry(place).or_default().push(at);
    }
    let alike = by_text(files, &findings, alike.into_values().filter(|it| it.len() > 1));
    let pools = pool_files(files, model);
    let mut copies: Vec<(usize, usize)> = Vec::new();
    for mut places in alike.into_values().filter(|it| it.len() > 1) {
        let is_weighed = places.len() <= MOST_WEIGHED;
        places.sort_by_cached_key(|at| {
            let it = &findings[*at];
            let path = file(it).path();
            let is_applied = is_weighed && is_applied(files, model, file(it));
            let is_asked = project.is_asked_for(path);
            (Reverse((is_asked, it.severity, is_applied, it.subjects.len())), path)
        });
        let mut sources: Vec<usize> = Vec::new();
        for at in places {
            let place = |at: usize| files.get(findings[at].span.file).path();
            let is_copy = |it: &&usize| is_copy(&pools, place(**it), place(at));
            match sources.iter().take(SHOWN).find(is_copy) {
                Some(source) => copies.push((at, *source)),
                None => sources.push(at),
            }
        }
    }
    copies.sort_unstable();
    let mut shown: HashMap<usize, usize> = HashMap::new();
    for (at, source) in &copies {
        let shown = shown.entry(*source).or_default();
        *shown += 1;
        if *shown <= SHOWN {
            let copy = findings[*at].span;
            findings[*source].note(copy, "in a file of the same text, too");
        }
    }
    let copies: HashSet<usize> = copies.into_iter().map(|it| it.0).collect();
    let mut at = 0..;
    findings.retain(|_| at.next().is_none_or(|it| !copies.contains(&it)));
    findings
}

/// Parts of lists of findings, each of those in files of one text. No text is kept for it.
fn by_text(
    files: &Files,
    findings: &[Finding],
    alike: impl Iterator<Item = Vec<usize>>,
) -> HashMap<(usize, u64), Vec<usize>> {
    let state = RandomState::default();
    let hash = |file: FileId| {
        files.get(file).skim(|text| {
            let mut hasher = state.build_hasher();
            for line in bare_lines(text) {
                line.hash(&mut hasher);
            }
            hasher.finish()
        })
    };
    let mut hashes: HashMap<FileId, u64> = HashMap::new();
    let mut found: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    for (number, places) in alike.enumerate() {
        for at in places {
            let file = findings[at].span.file;
            let text = *hashes.entry(file).or_insert_with(|| hash(file));
            found.entry((number, text)).or_default().push(at);
        }
    }
    found
}

/// The files with pools, each once, in the order of their paths.
fn pool_files<'a>(files: &'a Files, model: &Model) -> Vec<&'a str> {
    let all = model.node_pools.iter().map(|it| files.get(it.report_span.file).path());
    let all: BTreeSet<&str> = all.collect();
    all.into_iter().collect()
}

/// Whether one file is a copy of another for the same cluster.
fn is_copy(pools: &[&str], one: &str, other: &str) -> bool {
    let has_pools = |folder: &str| {
        let first = pools.partition_point(|it| *it < folder);
        let mut own = pools[first..].iter().take_while(|it| it.starts_with(folder)).take(3);
        own.any(|it| ![one, other].contains(it))
    };
    let have_pools = || branches(one, other).is_some_and(|it| it.into_iter().all(has_pools));
    one != other && !are_of_two_clusters(one, other) && !have_pools()
}

/// The outermost folders of two paths that are not the same, with the slash behind them.
fn branches<'a>(one: &'a str, other: &'a str) -> Option<[&'a str; 2]> {
    let common = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b);
    let common: usize = common.map(|it| it.0.len() + 1).sum();
    let branch = |it: &'a str| it.get(..=common + it.get(common..)?.find('/')?);
    Some([branch(one)?, branch(other)?])
}
