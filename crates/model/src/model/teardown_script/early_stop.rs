//! Scripts that uninstall the controller while its nodes are there: only it removes them.

use std::ops::Range;

use crate::{
    model::{
        command_files,
        teardown_script::{
            functions,
            step::{Step, deletes_load},
        },
    },
    source::{FileId, Files, SourceFile, Span, aside, is_below},
};

/// A command that uninstalls the controller too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyStop {
    /// The command.
    pub span: Span,
    /// What follows.
    pub then: AfterStop,
}

/// What follows the end of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterStop {
    /// The pools are deleted, or the nodes.
    Deletion(Span),
    /// The cluster, or what Karpenter needs of AWS; nothing deletes pools, nodes or what they are there for.
    Removal(Span),
}

/// What removes the cluster, or what Karpenter needs of AWS.
const REMOVALS: [&str; 4] = [
    "eksctl delete cluster",
    "aws eks delete-cluster",
    "aws cloudformation delete-stack",
    "terraform destroy",
];
/// After what other commands need not follow.
const BRANCHES: [&str; 5] = ["else", "elif ", "case ", "fi", "exit"];
/// By what nodes go otherwise.
const OTHERWISE: [&str; 7] = [
    "terminate-instances",
    "kubectl drain",
    "kubectl scale",
    "--replicas",
    "delete namespace",
    "delete ns",
    "delete all",
];

/// The command of a shell script by which the controller ends before its pools do.
pub(super) fn of_text(
    id: FileId,
    file: &SourceFile,
    text: &str,
    steps: &[(Step, Span)],
) -> Option<EarlyStop> {
    if !matches!(file.ending(), "sh" | "bash") {
        return None;
    }
    let uninstalls = |it: &(Step, Span)| {
        let command = text.get(it.1.range()).unwrap_or_default();
        let is_plain = !command.contains("dry-run") && command.contains("karpenter");
        it.0 == Step::StopsController && command.contains("helm ") && is_plain
    };
    let at = steps.iter().position(uninstalls)?;
    let span = steps[at].1;
    // In which order functions run, and whether, is not sure.
    if !functions::of(text).is_empty() {
        return None;
    }
    let deletes = |it: &&(Step, Span)| {
        matches!(
            it.0,
            Step::DeletesNodes | Step::DeletesPools | Step::DeletesClaims | Step::DeletesClasses
        )
    };
    if steps[..at].iter().any(|it| deletes(&it))
        || ends_need_otherwise(text, 0..span.start as usize)
    {
        return None;
    }
    if let Some((_, deletion)) = steps[at..].iter().find(deletes) {
        let between = text.get(span.end as usize..deletion.start as usize)?;
        let branches = |it: &str| BRANCHES.iter().any(|word| it.trim_start().starts_with(word));
        let is_straight = !between.lines().any(branches);
        return is_straight.then_some(EarlyStop { span, then: AfterStop::Deletion(*deletion) });
    }
    if ends_need_otherwise(text, 0..text.len()) {
        return None;
    }
    let mut later =
        command_files::commands(text).into_iter().filter(|it| it.start > span.start as usize);
    let removal = later.find(|it| {
        let command = text.get(it.clone()).unwrap_or_default();
        REMOVALS.iter().any(|it| command.starts_with(it))
    })?;
    let removal = Span::new(id, removal.start, removal.end);
    Some(EarlyStop { span, then: AfterStop::Removal(removal) })
}

/// Whether commands in a part of a text take away the nodes, or what these are there for.
fn ends_need_otherwise(text: &str, part: Range<usize>) -> bool {
    let commands = command_files::commands(text).into_iter().filter(|it| part.contains(&it.start));
    commands.filter_map(|it| text.get(it)).any(ends_need)
}

fn ends_need(command: &str) -> bool {
    let is_deletion = command.contains("kubectl") && command.contains(" delete");
    let of_kubectl = is_deletion && (deletes_load(command) || command.contains("node"));
    // Its own namespace holds none of them.
    let is_own = command.contains("karpenter") && !command.contains("node");
    of_kubectl || !is_own && OTHERWISE.iter().any(|it| command.contains(it))
}

/// Whether a document near a script, or above it, tells to take away first what the nodes are there for.
pub(super) fn is_prepared_by_document(files: &Files, folder: &str) -> bool {
    let is_near = |it: &SourceFile| {
        command_files::is_document(it)
            && aside::of(it.path()).is_none()
            && is_below(folder, it.folder())
    };
    let tells = |text: &str| text.lines().any(ends_need);
    files.iter().filter(|(_, it)| is_near(it)).any(|(_, it)| it.skim(tells))
}
