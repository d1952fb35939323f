//! What was not decided, in words a user can act on.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    findings::silence::Unreported,
    report::{Report, named, plural},
    value::cause::Cause,
};

/// What was missing, as far as it differs in what helps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Want {
    /// A module that was not fetched.
    Module,
    Other(Cause),
}

/// The questions that want the same.
#[derive(Default)]
struct Questions<'a> {
    count: usize,
    /// What is missing by name, and how often.
    names: BTreeMap<&'a str, usize>,
}

/// "3 questions not decided: 2 want `var.a` and 1 a module that is not here".
#[must_use]
pub(crate) fn summary(report: &Report) -> Option<String> {
    let mut wants: BTreeMap<Want, Questions> = BTreeMap::new();
    for it in report.undecided() {
        let Some(cause) = it.silence.cause() else { continue };
        let reason = it.silence.reason();
        let (want, name) = match &reason.module {
            Some(module) => (Want::Module, Some(module)),
            None => (Want::Other(cause), reason.missing.as_ref()),
        };
        let questions = wants.entry(want).or_default();
        questions.count += 1;
        if let Some(name) = name {
            *questions.names.entry(name).or_default() += 1;
        }
    }
    let mut wants: Vec<(Want, Questions)> = wants.into_iter().collect();
    wants.sort_by_key(|(_, it)| Reverse(it.count));
    let parts: Vec<String> = wants.iter().map(|(want, it)| part(*want, it)).collect();
    (!parts.is_empty()).then(|| {
        let questions = plural(report.undecided().count(), "question");
        format!("{questions} not decided (`-v` lists them): {}", parts.join("; "))
    })
}

/// "2 for want of values that only an apply or a file elsewhere knows: `var.a`, `var.b`".
fn part(want: Want, questions: &Questions) -> String {
    let mut names: Vec<(&str, usize)> = questions.names.iter().map(|(a, b)| (*a, *b)).collect();
    names.sort_by_key(|(_, count)| Reverse(*count));
    let quoted: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
    let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
    let names = if quoted.is_empty() { String::new() } else { format!(": {}", named(&quoted)) };
    format!("{} {}{names}", questions.count, words(want))
}

/// What the questions want, and what would give it.
fn words(want: Want) -> &'static str {
    match want {
        Want::Module => "for want of modules that are not here (`terraform init` fetches them)",
        Want::Other(Cause::Value) => {
            "for want of values that are not known (`var_files` or a plan gives them)"
        }
        Want::Other(Cause::Version) => {
            "for want of a version (`karpenter_version` in the config states one)"
        }
        Want::Other(Cause::Chart) => "because of charts that karplint does not know",
        Want::Other(Cause::NotRendered) => {
            "because of charts that are not rendered (`--helm PATH` renders them)"
        }
        Want::Other(Cause::Secret) => "because a Secret or an encrypted file keeps the value",
        Want::Other(Cause::Unreadable) => "because of files that cannot be read",
        Want::Other(Cause::Ambiguous) => "because several candidates disagree",
        Want::Other(Cause::Mentioned) => "because a script or template may do it",
    }
}

/// One line for each: "undecided: PLACE: RULE: REASON".
#[must_use]
pub(crate) fn lines(report: &Report) -> String {
    let line = |it: &Unreported| {
        let reason = &it.silence.reason().words;
        format!("undecided: {}: {}: {reason}\n", report.shown_place(it.span), it.rule)
    };
    report.undecided().map(line).collect()
}
