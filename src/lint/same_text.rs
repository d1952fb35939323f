//! Findings in files of one text: what is wrong in a file is wrong in each copy of it.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use crate::{
    findings::{Finding, Severity},
    lint::{copies::without_allowances, filled_copies::is_applied},
    model::{Model, environment::are_of_two_clusters},
    project::Project,
    source::{FileId, Files, is_below},
};

/// What the code of Terraform ends with: two folders of the same are applied with values of their own.
const OF_TERRAFORM: [&str; 3] = ["tf", "tofu", "hcl"];

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
    let mut texts: HashMap<Vec<&str>, FileId> = HashMap::new();
    let mut firsts: HashMap<FileId, FileId> = HashMap::new();
    let mut alike: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, it) in findings.iter().enumerate().filter(|it| !is_alone(it.1)) {
        let own = it.span.file;
        let first = *firsts.entry(own).or_insert_with(|| {
            *texts.entry(without_allowances(files, own).collect()).or_insert(own)
        });
        // A comment that allows a finding moves all that is below it.
        let place = (it.rule, first, files.text(it.span), it.message.as_str());
        alike.entry(place).or_default().push(at);
    }
    let mut copies: Vec<(usize, usize)> = Vec::new();
    for mut places in alike.into_values().filter(|it| it.len() > 1) {
        places.sort_by_cached_key(|at| {
            let it = &findings[*at];
            let path = file(it).path();
            let is_applied = is_applied(files, model, file(it));
            let is_asked = project.is_asked_for(path);
            (Reverse((is_asked, it.severity, is_applied, it.subjects.len())), path)
        });
        let mut sources: Vec<usize> = Vec::new();
        for at in places {
            let place = |at: usize| findings[at].span.file;
            let is_copy = |it: &&usize| is_copy((files, model), place(**it), place(at));
            match sources.iter().find(is_copy) {
                Some(source) => copies.push((at, *source)),
                None => sources.push(at),
            }
        }
    }
    copies.sort_unstable();
    for (at, source) in &copies {
        let copy = findings[*at].span;
        findings[*source].note(copy, "in a file of the same text, too");
    }
    let copies: HashSet<usize> = copies.into_iter().map(|it| it.0).collect();
    let mut at = 0..;
    findings.retain(|_| at.next().is_none_or(|it| !copies.contains(&it)));
    findings
}

/// Whether one file is a copy of another for the same cluster.
fn is_copy((files, model): (&Files, &Model), source: FileId, copy: FileId) -> bool {
    let [one, other] = [source, copy].map(|it| files.get(it).path());
    let has_pools = |folder: &str| {
        let own = model.node_pools.iter().map(|it| it.report_span.file);
        let mut others = own.filter(|it| ![source, copy].contains(it));
        others.any(|it| is_below(files.get(it).path(), folder))
    };
    let have_pools = || branches(one, other).is_some_and(|it| it.into_iter().all(has_pools));
    source != copy && !are_of_two_clusters(one, other) && !have_pools()
}

/// The outermost folders of two paths that are not the same.
fn branches<'a>(one: &'a str, other: &'a str) -> Option<[&'a str; 2]> {
    let common = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b);
    let common: usize = common.map(|it| it.0.len() + 1).sum();
    let branch = |it: &'a str| it.get(..common + it.get(common..)?.find('/')?);
    Some([branch(one)?, branch(other)?])
}
