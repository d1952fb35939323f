//! What rules say several times of one place: for each instance of a block, for each root that calls a
//! module. It is one finding about all of them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry},
    hash::Hash,
};

use crate::{
    findings::{
        Finding,
        subject::{ObjectRef, Subject, Switch},
    },
    project::Project,
    resolve::terraform::{Terraform, object::Mode, root::Root},
    source::{Span, parent},
};

/// More names than this are counted, not listed.
const MOST_NAMES: usize = 8;

/// What tells findings apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FindingId {
    rule: &'static str,
    span: Span,
    message: String,
}

impl FindingId {
    /// That of a finding.
    pub(super) fn of(finding: &Finding) -> Self {
        Self { rule: finding.rule, span: finding.span, message: finding.message.clone() }
    }
}

/// A finding, and how often it was reported.
#[derive(Debug)]
pub(super) struct Repeated {
    /// The first of them, about the subjects of all.
    pub finding: Finding,
    /// How often.
    pub times: usize,
}

/// Each finding once, in the order of the first reports. What a chart makes several times has the names that its
/// releases give it: it is one finding that names them.
pub(super) fn merge(findings: impl Iterator<Item = Finding>) -> Vec<Repeated> {
    let mut places: HashMap<FindingId, usize> = HashMap::new();
    let mut merged: Vec<Repeated> = Vec::new();
    for finding in findings {
        let mut id = FindingId::of(&finding);
        if finding.subjects.iter().any(|it| it.rendered.is_some()) {
            id.message = without_names(&id.message);
        }
        match places.entry(id) {
            Entry::Vacant(place) => {
                place.insert(merged.len());
                merged.push(Repeated { finding, times: 1 });
            }
            Entry::Occupied(place) => {
                if let Some(first) = merged.get_mut(*place.get()) {
                    first.add(finding);
                }
            }
        }
    }
    alike(merged)
}

/// The same with one finding about each object at a place where the same is to be done, whatever is wrong with it in one
/// overlay and in another: the worst says what else is.
fn alike(all: Vec<Repeated>) -> Vec<Repeated> {
    let mut places: HashMap<(&'static str, Span, ObjectRef, String), usize> = HashMap::new();
    let mut found: Vec<Repeated> = Vec::new();
    for mut it in all {
        let about = it.finding.object().cloned().zip(it.finding.help.clone());
        let Some((object, help)) = about else {
            found.push(it);
            continue;
        };
        match places.entry((it.finding.rule, it.finding.span, object, help)) {
            Entry::Vacant(place) => {
                place.insert(found.len());
                found.push(it);
            }
            Entry::Occupied(place) => {
                let Some(first) = found.get_mut(*place.get()) else { continue };
                if it.finding.severity > first.finding.severity {
                    std::mem::swap(first, &mut it);
                }
                first.finding.note(it.finding.span, format!("also: {}", it.finding.message));
                first.finding.subjects.extend(it.finding.subjects);
                first.times += it.times;
            }
        }
    }
    found
}

impl Repeated {
    /// Adds a report of the same. Of several messages the first by letter is kept, whatever order they come in.
    fn add(&mut self, mut again: Finding) {
        if again.message < self.finding.message {
            std::mem::swap(&mut again, &mut self.finding);
        }
        // What is worth a note in one of them may do harm in another. Where Terraform applies the text, it decides.
        let of_code = [is_of_terraform(&self.finding), is_of_terraform(&again)];
        self.finding.severity = match of_code {
            [true, false] => self.finding.severity,
            [false, true] => again.severity,
            _ => self.finding.severity.max(again.severity),
        };
        self.times += 1;
        self.finding.subjects.extend(again.subjects);
    }
}

fn is_of_terraform(finding: &Finding) -> bool {
    finding.subjects.iter().any(|it| it.root.is_some())
}

/// A message without what it quotes.
fn without_names(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Names what else a chart makes of the same text with the same fault.
pub(super) fn name_objects(finding: &mut Finding) {
    let rendered = finding.subjects.iter().filter(|it| it.rendered.is_some());
    let objects = rendered.filter_map(|it| it.object.as_ref());
    let is_told = |name: &str| finding.message.contains(&format!("`{name}`"));
    let names: BTreeSet<&str> = objects.map(|it| &*it.name).collect();
    if names.len() > 1 && names.iter().any(|it| is_told(it)) {
        let others = names.into_iter().filter(|it| !is_told(it)).collect();
        let note = format!("the same in {}", listed(&others));
        finding.note(finding.span, note);
    }
}

/// Names the instances that have a fault, where there are others.
pub(super) fn name_instances(finding: &mut Finding) {
    let instances = || finding.subjects.iter().filter_map(|it| it.instance.as_ref());
    let Some(of) = instances().map(|it| it.of).next() else { return };
    // A chart's own values have it as well as its examples.
    if finding.subjects.iter().any(|it| it.rendered.is_some() && it.instance.is_none()) {
        return;
    }
    let names: BTreeSet<&str> = instances().map(|it| &*it.address).collect();
    if names.len() < of {
        let note = only_in(&names);
        finding.note(finding.span, note);
    }
}

/// Names what decides whether the thing is there that has a fault, where that is not known.
pub(super) fn name_conditions(finding: &mut Finding) {
    let mut conditions = finding.subjects.iter().map(|it| it.conditions.first());
    let Some(Some(first)) = conditions.next() else { return };
    if conditions.all(|it| it.is_some()) {
        let (place, words) = (first.span.unwrap_or(finding.span), first.words());
        finding.note(place, words);
    }
}

/// Names the values without which what has a fault is not there.
pub(super) fn name_switches(finding: &mut Finding) {
    let is_off = |it: &Subject| !it.switches.is_empty();
    if !finding.subjects.iter().all(is_off) {
        return;
    }
    let first = finding.subjects.first().map(|it| it.switches.clone());
    for Switch { written, span } in first.unwrap_or_default() {
        finding.note(span, format!("with `{written}`"));
    }
}

/// The root modules that share a module.
#[derive(Debug, Default)]
pub(super) struct SharedModules {
    /// The roots, as indices, by the module's folder.
    callers: BTreeMap<String, BTreeSet<usize>>,
    /// The folders of all roots.
    roots: Vec<String>,
}

impl SharedModules {
    /// Those of all roots.
    pub(super) fn of(terraform: &Terraform) -> Self {
        let mut callers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (index, root) in terraform.roots.iter().enumerate() {
            for folder in root.folders() {
                callers.entry(folder.to_owned()).or_default().insert(index);
            }
        }
        callers.retain(|_, roots| roots.len() > 1);
        let name = |folder: &str| if folder.is_empty() { "." } else { folder }.to_owned();
        let roots = terraform.roots.iter().map(|it| name(&it.folder)).collect();
        Self { callers, roots }
    }

    /// Names the callers of a module for which a finding inside it holds, where there are others.
    pub(super) fn name_callers(
        &self,
        terraform: &Terraform,
        project: &Project,
        finding: &mut Finding,
    ) {
        let folder = parent(project.files.get(finding.span.file).path());
        let Some(callers) = self.callers.get(folder) else { return };
        let roots = finding.subjects.iter().filter_map(|it| it.root);
        let own: BTreeSet<usize> = roots.filter(|it| callers.contains(it)).collect();
        if !own.is_empty() && own.len() < callers.len() {
            let names = own.iter().filter_map(|it| self.roots.get(*it).map(String::as_str));
            let note = only_in(&names.collect());
            let call = own.first().and_then(|it| call_of(terraform.roots.get(*it)?, folder));
            finding.note(call.unwrap_or(finding.span), note);
        }
    }
}

/// The call in the files of a root that leads to the module in a folder.
fn call_of(root: &Root, folder: &str) -> Option<Span> {
    let inner = root.objects.iter().find(|it| *it.folder == *folder)?;
    let mut calls = root.of(Mode::Module, "module").filter(|it| it.folder == root.folder);
    let leads = |call: &str| inner.address.strip_prefix(call).is_some_and(|it| it.starts_with('.'));
    calls.find(|it| leads(&it.address)).map(|it| it.header)
}

pub(super) fn only_in(names: &BTreeSet<&str>) -> String {
    format!("only in {}", listed(names))
}

fn listed(names: &BTreeSet<&str>) -> String {
    let listed: Vec<String> = names.iter().take(MOST_NAMES).map(|it| format!("`{it}`")).collect();
    let more = names.len() - listed.len();
    let listed = listed.join(", ");
    if more == 0 { listed } else { format!("{listed} and {more} more") }
}
