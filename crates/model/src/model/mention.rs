//! A search of all files, also those that are not evaluated, for what they may create: a script that creates
//! a role, a template that tags subnets.
//!
//! The files are searched only when a finding depends on it, and then once for all findings.

mod selector;
mod taint;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::atomic::{AtomicU32, Ordering},
};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::{
    findings::mention::Claim,
    model::{
        class_name::{self, ClassNames},
        command_files, crds,
        discovery::scripts,
        identity,
    },
    source::{FileId, Files, SourceFile, Span, aside},
};

/// No file.
const NONE: u32 = u32::MAX;

/// The files that may install something: manifests, modules, templates, scripts.
const INSTALLERS: &[&str] = &[
    "yaml",
    "yml",
    "json",
    "tf",
    "tofu",
    "hcl",
    "tfvars",
    "tpl",
    "tftpl",
    "sh",
    "bash",
    "Makefile",
    "Jenkinsfile",
    "mk",
    "justfile",
    "Taskfile",
    "py",
    "ts",
    "gotmpl",
];

/// The chart that drains nodes before EC2 takes them back.
const TERMINATION_HANDLER: &str = "aws-node-termination-handler";
/// What follows its name in the taints it gives nodes: alerts and tolerations name these without installing it.
const TERMINATION_TAINTS: &[&str] = &[
    "/spot-itn",
    "/scheduled-maintenance",
    "/asg-lifecycle-termination",
    "/rebalance-recommendation",
];
/// What Terraform modules call the input that installs it, or part of that.
const TERMINATION_HANDLER_INPUT: &str = "aws_node_termination_handler";

/// What `kubectl` calls the configurations of admission webhooks, both that validate and that mutate.
const WEBHOOKS: &str = "webhookconfiguration";

/// How people call Argo CD, in small letters.
const ARGO_CD: &[&str] = &["argocd", "argo cd", "argo-cd"];

/// The command that applies a helmfile.
const HELMFILE: &str = "helmfile";

/// What gives nodes a label beside what made them: a command, an argument of the kubelet.
const LABELLING: &[&str] = &["label node", "label no ", "node-labels", "nodeLabels"];

/// Whether the words at the place of a mention name Argo CD.
#[must_use]
pub fn names_argo_cd(words: &str) -> bool {
    ARGO_CD.iter().any(|it| words.eq_ignore_ascii_case(it))
}

/// Words without which no file mentions a subject, in small letters or large ones.
fn words(missing: &Claim) -> Vec<&str> {
    match missing {
        Claim::Crds | Claim::CrdsInWords => crds::WORDS.to_vec(),
        Claim::CrdsOrArgoCd => crds::WORDS.iter().chain(ARGO_CD).copied().collect(),
        Claim::CrdConversion => crds::WORDS.iter().copied().chain([crds::CONVERSION]).collect(),
        Claim::CrdAdoption => vec![crds::ADOPTION],
        Claim::Associations => identity::ASSOCIATION_WORDS.to_vec(),
        Claim::RolePolicies => identity::ROLE_POLICY_WORDS.to_vec(),
        Claim::TerminationHandler => vec![TERMINATION_HANDLER, TERMINATION_HANDLER_INPUT],
        Claim::HelmfileSelector => vec![HELMFILE],
        Claim::WebhooksRemoved => vec![WEBHOOKS],
        Claim::Role(name) => identity::role_words(name).collect(),
        Claim::Class(_) => class_name::text::WORDS.to_vec(),
        Claim::Tag(key) => scripts::WORDS.iter().copied().chain([key.as_str()]).collect(),
        Claim::Toleration { key, .. } | Claim::NodeLabel(key) => vec![key],
        Claim::NodeSelector(_) => selector::WORDS.to_vec(),
    }
}

/// Whether a file may mention a subject, as far as the file's name tells.
fn may_be_in(missing: &Claim, file: &SourceFile) -> bool {
    match missing {
        Claim::Crds | Claim::CrdConversion | Claim::CrdAdoption | Claim::Role(_) => {
            may_install(file)
        }
        Claim::CrdsOrArgoCd => may_install(file) || file.ending() == "md",
        Claim::Associations => {
            may_install(file) && !matches!(file.ending(), "tf" | "tofu" | "tfvars")
        }
        Claim::HelmfileSelector | Claim::WebhooksRemoved | Claim::NodeSelector(_) => {
            INSTALLERS.contains(&file.ending())
        }
        Claim::TerminationHandler => file.is_loaded(),
        Claim::Class(_) => class_name::text::is_read(file.ending()),
        Claim::Tag(_) => scripts::is_read(file.ending()),
        Claim::CrdsInWords
        | Claim::RolePolicies
        | Claim::Toleration { .. }
        | Claim::NodeLabel(_) => true,
    }
}

/// Whether the text of such a file mentions a subject.
fn is_in(
    missing: &Claim,
    (id, file): (FileId, &SourceFile),
    text: &str,
    classes: &ClassNames,
) -> bool {
    match missing {
        Claim::Crds => crds::are_installed_by((id, file), text),
        Claim::CrdsInWords => crds::are_named_in(text),
        Claim::CrdsOrArgoCd => {
            let small = text.to_ascii_lowercase();
            ARGO_CD.iter().any(|it| small.contains(it))
                || may_install(file) && crds::are_installed_by((id, file), text)
        }
        Claim::CrdConversion => {
            crds::are_installed_by((id, file), text) || crds::is_conversion_set_in(text)
        }
        Claim::CrdAdoption => crds::are_adopted_in(text),
        Claim::Associations => identity::ASSOCIATION_WORDS.iter().any(|it| text.contains(it)),
        Claim::RolePolicies => identity::ROLE_POLICY_WORDS.iter().any(|it| text.contains(it)),
        Claim::Role(name) => identity::is_role_named_in(text, name),
        Claim::HelmfileSelector => text.lines().any(selects_releases),
        Claim::WebhooksRemoved => removes_webhooks(text),
        Claim::TerminationHandler => installs_termination_handler(text),
        Claim::Class(name) => classes.are_joined_by(name, (id, file), text),
        Claim::Tag(key) => scripts::may_tag(file.ending(), text, key),
        Claim::Toleration { key, value } => taint::place(text, key, value).is_some(),
        Claim::NodeSelector(keys) => keys.iter().any(|it| selector::place(text, it).is_some()),
        Claim::NodeLabel(key) => text.contains(key) && LABELLING.iter().any(|it| text.contains(it)),
    }
}

/// The subjects that some file mentions, each with the place in the first such file. Without subjects no file is opened. What
/// is in the blocks that are switched `off` mentions nothing.
#[must_use]
pub fn find(
    files: &Files,
    subjects: impl IntoIterator<Item = Claim>,
    classes: &ClassNames,
    off: &[Span],
) -> HashMap<Claim, Span> {
    let asked: HashMap<Claim, AtomicU32> =
        subjects.into_iter().map(|it| (it, AtomicU32::new(NONE))).collect();
    if asked.is_empty() {
        return HashMap::new();
    }
    let words = asked.keys().flat_map(words);
    let words = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    let Ok(words) = words else { return HashMap::new() };
    let is_open = |(id, file): (FileId, &SourceFile), (subject, found): (&Claim, &AtomicU32)| {
        id.0 < found.load(Ordering::Relaxed) && may_be_in(subject, file)
    };
    let open = |place| asked.iter().any(|it| is_open(place, it));
    let look = |place: (FileId, &SourceFile), text: &str| {
        let text = without(text, place.0, off);
        for it in asked.iter().filter(|it| is_open(place, *it)) {
            if is_in(it.0, place, &text, classes) {
                it.1.fetch_min(place.0.0, Ordering::Relaxed);
            }
        }
    };
    // What allows a finding about a name, or judges by it, makes nothing of that name.
    let is_own = |it: &SourceFile| it.name().starts_with(".karplint.");
    let in_use = |it: &(FileId, &SourceFile)| aside::of(it.1.path()).is_none() && !is_own(it.1);
    let all: Vec<(FileId, &SourceFile)> =
        files.iter().filter(in_use).filter(|it| open(*it)).collect();
    all.into_par_iter().filter(|it| open(*it)).for_each(|(id, file)| {
        file.skim(|text| {
            if words.is_match(text) {
                look((id, file), text);
            }
        });
    });
    let found = asked.into_iter().map(|(subject, found)| (subject, found.into_inner()));
    let found = found.filter(|it| it.1 != NONE);
    let placed = |(subject, id)| {
        let place = place_in(files, FileId(id), &subject, off);
        (subject, place)
    };
    found.map(placed).collect()
}

/// Where a file names what a subject is about.
fn place_in(files: &Files, id: FileId, subject: &Claim, off: &[Span]) -> Span {
    files.get(id).skim(|text| {
        let text = without(text, id, off);
        if let Claim::Toleration { key, value } = subject {
            let start = taint::place(&text, key, value).unwrap_or_default();
            return Span::new(id, start, start + key.len());
        }
        // Files are found by these words in small letters or large ones.
        let small = text.to_ascii_lowercase();
        let at = |word: &str| text.find(word).or_else(|| small.find(&word.to_ascii_lowercase()));
        let first = words(subject).into_iter().filter_map(|it| Some((at(it)?, it.len())));
        let (start, length) = first.min().unwrap_or_default();
        Span::new(id, start, start + length)
    })
}

/// The text of a file with blanks in place of the blocks that are switched off.
fn without<'t>(text: &'t str, file: FileId, off: &[Span]) -> Cow<'t, str> {
    let mut rest = Cow::Borrowed(text);
    for span in off.iter().filter(|it| it.file == file) {
        if let Some(block) = rest.get(span.range()) {
            let blank = " ".repeat(block.len());
            rest.to_mut().replace_range(span.range(), &blank);
        }
    }
    rest
}

/// Whether a file may install something and names Karpenter, or may: a manifest that is not loaded was looked
/// through before, and does not even name it. Templates of charts were not.
fn may_install(file: &SourceFile) -> bool {
    let manifest = matches!(file.ending(), "yaml" | "yml" | "json");
    let seen = manifest && !file.is_loaded() && !file.path().contains("templates/");
    INSTALLERS.contains(&file.ending()) && !seen
}

/// Whether a text names the chart, or turns an input on that installs it.
fn installs_termination_handler(text: &str) -> bool {
    let is_on =
        |line: &str| line.contains(TERMINATION_HANDLER_INPUT) && line.trim_end().ends_with("true");
    let is_taint = |rest: &str| TERMINATION_TAINTS.iter().any(|it| rest.starts_with(it));
    text.split(TERMINATION_HANDLER).skip(1).any(|it| !is_taint(it)) || text.lines().any(is_on)
}

/// Whether a line is a command of helmfile for the releases with certain labels.
fn selects_releases(line: &str) -> bool {
    let is_option = |it: &str| it == "-l" || it == "--selector" || it.starts_with("--selector=");
    let (before, after) = line.split_once(HELMFILE).unwrap_or_default();
    !before.trim_start().starts_with('#') && after.split_whitespace().any(is_option)
}

/// Whether a command deletes a configuration of Karpenter's admission webhooks.
fn removes_webhooks(text: &str) -> bool {
    let commands = command_files::commands(text).into_iter();
    let mut commands = commands.filter_map(|it| text.get(it)).map(str::to_ascii_lowercase);
    commands.any(|it| [WEBHOOKS, "delete", "karpenter"].iter().all(|word| it.contains(word)))
}
