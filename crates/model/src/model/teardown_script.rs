//! Scripts that remove Karpenter's nodes, or single resources, before `terraform destroy` removes the rest.

pub mod early_stop;
mod folder;
mod functions;
mod releases;
mod section;
mod step;
#[cfg(test)]
mod tests;

use std::{ops::Range, sync::Arc};

use memchr::memmem;

use crate::{
    model::{
        command_files, first_target,
        teardown_script::{
            early_stop::{AfterStop, EarlyStop},
            folder::{FolderDestroy, chdir},
            step::{FORGETS, Step, step},
        },
    },
    source::{FileId, Files, SourceFile, Span, aside, file_name, is_below},
};

/// What the commands of a file remove in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeardownScript {
    /// The folder whose root modules the commands are for, with those below.
    folder: Arc<str>,
    /// The names of the folders in which it destroys; none where that is not known.
    destroyed_in: Vec<String>,
    /// The destroys, each in a folder that may be known, in their order.
    destroys: Vec<FolderDestroy>,
    /// Whether it is a document, which nobody may follow.
    pub is_document: bool,
    /// The command after which the nodes of Karpenter are gone, before Terraform destroys what is left.
    pub nodes: Option<Span>,
    /// The command that deletes the node classes with them.
    pub classes: Option<Span>,
    /// The command that uninstalls the controller, or leaves it without pods.
    pub controller: Option<Span>,
    /// The command of a script that terminates the instances of Karpenter, whether the controller is there or not.
    pub terminates: Option<Span>,
    /// The destroys of single addresses that another destroy follows.
    pub targeted: Vec<TargetedDestroy>,
    /// What Terraform is told to forget, and so does not destroy.
    pub forgotten: Vec<Forgotten>,
    /// The command that uninstalls the controller too early.
    pub early_stop: Option<EarlyStop>,
}

/// That a command keeps an order on destroy that the code does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptOrder {
    /// The command.
    pub span: Span,
    /// Whether only a document says it, which nobody may follow.
    pub is_documented: bool,
}

/// What a command takes out of Terraform's state: `terraform state rm module.pools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// The folder that `-chdir` names; empty where it names none.
    chdir: String,
    /// The addresses without keys of instances; all where there are none.
    addresses: Vec<String>,
    /// The command.
    pub span: Span,
}

impl Forgotten {
    /// Whether it is the block of that address, without keys, in a root module in that folder.
    #[must_use]
    pub fn holds(&self, root: &str, address: &str) -> bool {
        let is_there = self.chdir.is_empty()
            || root == self.chdir
            || root.ends_with(&format!("/{}", self.chdir));
        let is_all = self.addresses.is_empty();
        is_there && (is_all || self.addresses.iter().any(|it| first_target::holds(it, address)))
    }
}

/// A destroy of single addresses: `terraform destroy -target=module.pools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetedDestroy {
    /// The addresses without keys of instances.
    pub addresses: Vec<String>,
    /// The command.
    pub span: Span,
    /// Whether something waits after it, before the rest is destroyed.
    pub awaited: bool,
}

impl TargetedDestroy {
    /// Whether it destroys what has that address, without keys of instances.
    #[must_use]
    pub fn holds(&self, address: &str) -> bool {
        self.addresses.iter().any(|it| first_target::holds(it, address))
    }
}

/// What the name of a script that destroys has in it.
const NAMES: &[&str] =
    &["destroy", "teardown", "tear-down", "tear_down", "cleanup", "clean-up", "clean_up"];

impl TeardownScript {
    /// That one of its commands keeps an order on destroy.
    #[must_use]
    pub fn keeps(&self, span: Span) -> KeptOrder {
        KeptOrder { span, is_documented: self.is_document }
    }

    /// The same where a document enters folders that are not here: that of a clone, `<your folder>`.
    fn without_unseen_folders(mut self, files: &Files) -> Self {
        let is_in = |path: &str, name: &String| path.split('/').any(|it| it == name);
        let is_here = |name: &String| files.iter().any(|(_, it)| is_in(it.folder(), name));
        if self.is_document && !self.destroyed_in.iter().all(is_here) {
            self.destroyed_in.clear();
        }
        self
    }

    /// Whether the script may destroy a root module in that folder.
    #[must_use]
    pub fn is_for(&self, root: &str) -> bool {
        let is_named = |it: &String| root.rsplit('/').next() == Some(&**it);
        let is_its = self.destroyed_in.is_empty() || self.destroyed_in.iter().any(is_named);
        is_its && self.is_near(root)
    }

    /// Whether a folder is that of the script, or below it.
    pub(super) fn is_around(&self, folder: &str) -> bool {
        is_below(folder, &self.folder)
    }

    /// Whether another script is in the same folder, or one of the two is above the other.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.is_near(&other.folder)
    }

    fn is_near(&self, folder: &str) -> bool {
        is_below(folder, &self.folder) || is_below(&self.folder, folder)
    }

    /// The command that destroys the root module in one folder before that in another one.
    #[must_use]
    pub fn destroys_first(&self, first: &str, other: &str) -> Option<Span> {
        let (own, others) = (file_name(first), file_name(other));
        let is_in = |it: &FolderDestroy, name: &str| it.name.as_deref() == Some(name);
        let at = self.destroys.iter().position(|it| is_in(it, own))?;
        let (before, after) = self.destroys.split_at(at);
        let is_before = !before.iter().any(|it| is_in(it, others));
        let follows = after.iter().any(|it| is_in(it, others) || it.name.is_none());
        (own != others && self.is_near(first) && is_before && follows).then(|| after[0].span)
    }
}

/// What the files of commands remove before the rest, each file that does so.
pub(super) fn all(files: &Files) -> Vec<TeardownScript> {
    let of_file = |id: FileId, file: &SourceFile, text: &str| {
        let may_be = text.contains("destroy") || text.contains(FORGETS) || is_teardown(file);
        let in_use = may_be && aside::of(file.path()).is_none();
        in_use.then(|| of_text(id, file, text).without_unseen_folders(files))
    };
    let words = ["destroy", "delete", FORGETS];
    let found = command_files::found_in(files, &words, command_files::is_of_commands, of_file);
    let orders = |it: &TeardownScript| {
        let removes = it.nodes.is_some() || it.controller.is_some();
        let by_folder = it.destroys.iter().any(|it| it.name.is_some());
        let in_part = !it.targeted.is_empty() || !it.forgotten.is_empty();
        removes || it.terminates.is_some() || by_folder || in_part || it.early_stop.is_some()
    };
    let prepared = |mut script: TeardownScript| {
        let is_open = script.early_stop.filter(|it| matches!(it.then, AfterStop::Removal(_)));
        if is_open.is_some() && early_stop::is_prepared_by_document(files, &script.folder) {
            script.early_stop = None;
        }
        script
    };
    found.into_iter().flatten().map(prepared).filter(orders).collect()
}

/// Whether a file is a script that destroys, by its name.
fn is_teardown(file: &SourceFile) -> bool {
    let name = file.name().to_ascii_lowercase();
    matches!(file.ending(), "sh" | "bash" | "ps1") && NAMES.iter().any(|it| name.contains(it))
}

fn of_text(id: FileId, file: &SourceFile, text: &str) -> TeardownScript {
    let mut steps = steps_of(id, file, text);
    let early_stop = early_stop::of_text(id, file, text, &steps);
    let is_document = command_files::is_document(file);
    let terminates = termination(text, &steps).filter(|_| !is_document);
    let last = last_destroy(&steps);
    let uses = |it: &Span| is_recipe(file) && is_prerequisite(text, it.start as usize);
    let lists_all = text.contains("state list");
    let forgets_all =
        |it: &Step| lists_all && matches!(it, Step::Forgets(named) if named.is_empty());
    let is_by_name = is_teardown(file) && (last.is_some() || !applies(text));
    let is_whole = is_by_name || steps.iter().any(|it| forgets_all(&it.0));
    let end = if is_whole { steps.len() } else { last.unwrap_or(0) };
    let late = steps.split_off(end).into_iter().filter(|it| uses(&it.1) && !it.0.is_destroy());
    steps.extend(late.collect::<Vec<_>>());
    let last_wait = steps.iter().rposition(|it| it.0 == Step::Waits);
    let waits_after = |at: usize| last_wait.is_some_and(|it| it >= at);
    let first = steps.iter().position(|it| it.0.is_destroy()).or(last);
    let is_just_before = |at: usize| is_document && first == Some(at + 1);
    let is_without_need = |at: usize| is_just_before(at) || ends_need(&steps[..at], is_document);
    let destroys = folder::destroys(id, text, &command_files::commands(text));
    let mut found = TeardownScript {
        folder: command_files::meant(file.folder()).into(),
        destroyed_in: folder::written(&destroys),
        destroys,
        is_document,
        terminates,
        early_stop,
        ..Default::default()
    };
    // What an earlier loop went through is not told again.
    let mut told = 0;
    for (at, (step, span)) in steps.iter().enumerate() {
        match step {
            Step::DeletesNodes => found.nodes = found.nodes.or(Some(*span)),
            Step::DeletesClaims if is_without_need(at) => {
                found.nodes = found.nodes.or(Some(*span));
            }
            Step::DeletesPools if waits_after(at) => found.nodes = found.nodes.or(Some(*span)),
            Step::DeletesClasses => {
                found.nodes = found.nodes.or(Some(*span));
                found.classes = found.classes.or(Some(*span));
            }
            Step::StopsController => found.controller = found.controller.or(Some(*span)),
            Step::Forgets(named) if !named.is_empty() || lists_all => {
                let command = text.get(span.range()).unwrap_or_default();
                let (chdir, addresses) = (chdir(command).to_owned(), named.clone());
                found.forgotten.push(Forgotten { chdir, addresses, span: *span });
            }
            Step::Targets(named) if Some(at) < last => {
                let end = if named.is_empty() { told.max(span.start as usize) } else { told };
                let before = std::mem::replace(&mut told, end)..end;
                let listed = text.get(before).unwrap_or_default();
                found.targeted.extend(targeted(named, listed, (*span, waits_after(at))));
            }
            _ => {}
        }
    }
    if found.is_document && found.nodes.is_none() {
        found.nodes = section::that_waits(text).map(|it| Span::new(id, it.start, it.end));
    }
    found
}

/// The destroys by a command of the addresses that it names, of all of them at once, or of those of a list, one by one.
fn targeted(
    named: &[String],
    listed: &str,
    (span, awaited): (Span, bool),
) -> impl Iterator<Item = TargetedDestroy> {
    let single = first_target::listed(listed).map(|it| vec![it]);
    let together = (!named.is_empty()).then(|| named.to_vec());
    let commands = together.into_iter().chain(single);
    commands.map(move |addresses| TargetedDestroy { addresses, span, awaited })
}

/// The command that terminates instances, in a text that looks for those of Karpenter by their tag.
fn termination(text: &str, steps: &[(Step, Span)]) -> Option<Span> {
    const TAGS: [&str; 2] = ["tag:karpenter.sh/nodepool", "tag:karpenter.sh/provisioner-name"];
    const COMMAND: &str = "aws ec2 terminate-instances";
    let is_it = |it: &Span| text.get(it.range()).is_some_and(|it| it.contains(COMMAND));
    let mut commands = steps.iter().filter(|it| it.0 == Step::Waits).map(|it| it.1);
    TAGS.iter().any(|it| text.contains(it)).then(|| commands.find(is_it)).flatten()
}

/// Where the last destroy is, or what is behind it: a loop destroys its addresses one after the other, whatever follows.
fn last_destroy(steps: &[(Step, Span)]) -> Option<usize> {
    let at = steps.iter().rposition(|it| it.0.is_destroy())?;
    let is_loop = matches!(&steps[at].0, Step::Targets(named) if named.is_empty());
    Some(if is_loop { at + 1 } else { at })
}

/// Whether the steps before a deletion of nodes take away what other nodes would be made for. A document is for one who
/// knows which pods there are; in a script others may get nodes anew.
fn ends_need(before: &[(Step, Span)], is_document: bool) -> bool {
    let ends = |it: &Step| match it {
        Step::DeletesPools => true,
        Step::DeletesLoad => is_document,
        _ => false,
    };
    before.iter().any(|it| ends(&it.0))
}

/// Whether a command makes Terraform apply: what a script without a destroy removes before is made anew.
fn applies(text: &str) -> bool {
    let is_apply = |it: &str| {
        let mut words = it.split_whitespace();
        matches!(words.next(), Some("terraform" | "tofu" | "terragrunt"))
            && words.find(|it| !it.starts_with('-')) == Some("apply")
    };
    commands_of(text).any(is_apply)
}

fn is_recipe(file: &SourceFile) -> bool {
    matches!(file.ending(), "mk" | "just")
        || matches!(
            file.name().to_ascii_lowercase().as_str(),
            "makefile" | "gnumakefile" | "justfile"
        )
}

/// Whether the recipe around a place of a Makefile is one that another one names.
fn is_prerequisite(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let header =
        before.lines().rev().find(|it| !it.starts_with(['\t', ' ', '#']) && it.contains(':'));
    let name = header.and_then(|it| it.split(':').next()).unwrap_or_default().trim();
    let names = |it: &str| it.split([' ', '\t', ':', ')']).any(|it| it == name);
    let mut others = text.lines().filter(|it| Some(*it) != header && !it.starts_with(".PHONY"));
    !name.is_empty() && others.any(names)
}

/// Words of which every step has one.
const WORDS: &[&str] =
    &["destroy", "kubectl", "sleep ", "until ", "while ", "helm ", "terminate-instances", FORGETS];

/// The commands of a text, one after the other.
fn commands_of(text: &str) -> impl Iterator<Item = &str> {
    command_files::commands(text).into_iter().filter_map(|it| text.get(it))
}

/// What some commands of a text do, one after the other. Most lines are no step: they are not looked at one by one.
fn steps(id: FileId, text: &str, commands: Vec<Range<usize>>) -> Vec<(Step, Span)> {
    let lower = text.to_ascii_lowercase();
    let of_word = |it: &&str| memmem::find_iter(lower.as_bytes(), it).collect::<Vec<_>>();
    let mut places: Vec<usize> = WORDS.iter().flat_map(of_word).collect();
    if places.is_empty() {
        return Vec::new();
    }
    places.sort_unstable();
    let uninstalled = releases::uninstalled(text, &commands);
    let step = |it: Range<usize>| {
        let next = places.get(places.partition_point(|place| *place < it.start))?;
        let commands = (text.get(it.clone())?, lower.get(it.clone())?);
        let own = (*next < it.end).then(|| step(commands)).flatten();
        let step = if uninstalled.contains(&it) { Step::StopsController } else { own? };
        Some((step, Span::new(id, it.start, it.end)))
    };
    commands.into_iter().filter_map(step).collect()
}

/// How many bytes a command of a document may have.
const LONGEST_IN_DOCUMENT: usize = 500;

/// What the commands of a file do, and in a document its words, one after the other.
fn steps_of(id: FileId, file: &SourceFile, text: &str) -> Vec<(Step, Span)> {
    let is_document = command_files::is_document(file);
    let in_order = if is_document { command_files::commands } else { functions::commands };
    let mut commands = in_order(text);
    // A line that goes on and on tells what happened once, whatever commands it names.
    commands.retain(|it| !is_document || it.len() <= LONGEST_IN_DOCUMENT);
    let mut steps = steps(id, text, commands);
    if is_document {
        let waits = |it: Range<usize>| (Step::Waits, Span::new(id, it.start, it.end));
        steps.extend(waiting_of_prose(text).map(waits));
        steps.sort_by_key(|it| it.1.start);
    }
    steps
}

/// The lines of a document, comments in its code too, that tell to wait until the nodes are gone.
fn waiting_of_prose(text: &str) -> impl Iterator<Item = Range<usize>> {
    let lines = text.split_inclusive('\n').scan(0, |at, line| {
        let start = std::mem::replace(at, *at + line.len());
        Some((start..start + line.trim_end().len(), line))
    });
    lines.filter(|(_, line)| section::tells_to_wait(line)).map(|it| it.0)
}
