//! What was not decided, in words a user can act on.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    findings::silence::{Reason, Unreported},
    report::{Report, named, plural, wrap::wrapped},
    value::cause::Cause,
    visible::visible,
};

/// What was missing, as far as it differs in what helps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Want {
    /// A module that was not fetched.
    Module,
    /// A variable.
    Variable,
    /// What only an apply knows.
    Apply,
    /// What a script or another tool fills in.
    Placeholder,
    /// The version of a chart or an add-on that is not Karpenter's.
    ComponentVersion,
    Other(Cause),
}

impl Want {
    fn of(cause: Cause, reason: &Reason) -> Self {
        match (cause, &reason.missing) {
            // Terraform fetches none that is named by its path.
            _ if reason.module.as_ref().is_some_and(|it| it.starts_with('.')) => {
                Self::Other(Cause::MissingFile)
            }
            _ if reason.module.is_some() => Self::Module,
            (Cause::Value, Some(name)) if name.starts_with(['$', '{', '<']) => Self::Placeholder,
            (Cause::Value, Some(name)) if name.contains("var.") => Self::Variable,
            (Cause::Value, Some(_)) => Self::Apply,
            (Cause::Version, Some(_)) => Self::ComponentVersion,
            _ => Self::Other(cause),
        }
    }
}

/// The questions that want the same.
#[derive(Default)]
struct Questions<'a> {
    count: usize,
    /// What is missing by name, and how often.
    names: BTreeMap<&'a str, usize>,
    /// The rules that ask without a name.
    rules: BTreeMap<&'a str, usize>,
    /// The reasons without a name, and how often each rule gives it.
    reasons: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
}

/// More different reasons are counted.
const MOST_REASONS: usize = 2;

/// The reasons that are given most often, each with the rules that give it, and how many others there are.
fn reasons(questions: &Questions<'_>) -> String {
    let mut all: Vec<_> = questions.reasons.iter().collect();
    all.sort_by_key(|(_, rules)| Reverse(rules.values().sum::<usize>()));
    let shown = |(words, rules): &(&&str, &BTreeMap<&str, usize>)| {
        format!("{} ({})", visible(words), quoted(&by_count(rules)))
    };
    let mut parts: Vec<String> = all.iter().take(MOST_REASONS).map(shown).collect();
    match all.len() - parts.len() {
        0 => {}
        1 => parts.push("and one other reason".to_owned()),
        more => parts.push(format!("and {more} other reasons")),
    }
    parts.join("; ")
}

/// Those first that are met most often.
fn by_count(names: &BTreeMap<&str, usize>) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> =
        names.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    names.sort_by_key(|(_, count)| Reverse(*count));
    names
}

/// How a reason begins that says what a script may do.
const MENTIONED: &str = "a script or template mentions what would settle it: ";

/// "3 questions not decided: 2 for want of variables: `var.a`"; where there are several causes, a line for each
/// after the first. The hint says where they are listed.
#[must_use]
pub(crate) fn summary(report: &Report, hint: &str) -> Vec<String> {
    let mut wants: BTreeMap<Want, Questions> = BTreeMap::new();
    for it in report.undecided() {
        let Some(cause) = it.silence.cause() else { continue };
        let reason = it.silence.reason();
        let questions = wants.entry(Want::of(cause, reason)).or_default();
        questions.count += 1;
        if let Some(name) = reason.module.as_deref().or(reason.missing.as_deref()) {
            *questions.names.entry(name).or_default() += 1;
        } else {
            *questions.rules.entry(it.rule).or_default() += 1;
            let words = reason.words.strip_prefix(MENTIONED).unwrap_or(&reason.words);
            let of_words = questions.reasons.entry(words).or_default();
            *of_words.entry(it.rule).or_default() += 1;
        }
    }
    let mut wants: Vec<(Want, Questions)> = wants.into_iter().collect();
    wants.sort_by_key(|(_, it)| Reverse(it.count));
    let questions = plural(report.undecided().count(), "question");
    let head = format!("{questions} not decided{hint}");
    match wants.as_slice() {
        [] => Vec::new(),
        [(want, of_it)] => vec![format!("{head}: {}", part(*want, of_it))],
        several => {
            let line = |(want, it): &(Want, Questions)| format!("{} {}", it.count, part(*want, it));
            [head + ":"].into_iter().chain(several.iter().map(line)).collect()
        }
    }
}

/// Longer expressions are not shown, in characters.
const LONGEST: usize = 48;

/// "for want of variables (`var_files` or a plan gives them): `var.a`, `var.b`".
fn part(want: Want, questions: &Questions) -> String {
    let mut names = by_count(&questions.names);
    // A long expression says less than the list of `-v`.
    let is_whole = matches!(want, Want::Module | Want::Other(Cause::MissingFile));
    names.retain(|(name, _)| is_whole || name.chars().count() <= LONGEST);
    let rules = by_count(&questions.rules);
    // Beside what is missing, the rules that ask for it would hide it.
    match (names.as_slice(), rules.as_slice()) {
        ([], []) => words(want).to_owned(),
        // That a version is not known is said already, whatever it is needed for.
        ([], rules) if want == Want::Other(Cause::Version) || questions.reasons.is_empty() => {
            format!("{}, asked by {}", words(want), quoted(rules))
        }
        ([], _) => format!("{}: {}", words(want), reasons(questions)),
        (names, _) => format!("{}: {}", words(want), quoted(names)),
    }
}

fn quoted(names: &[(String, usize)]) -> String {
    let quoted: Vec<String> =
        names.iter().map(|(name, _)| format!("`{}`", visible(name))).collect();
    named(&quoted.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the questions want, and what would give it.
fn words(want: Want) -> &'static str {
    match want {
        Want::Module => {
            "for want of modules that Terraform fetches (`terraform init` brings them here)"
        }
        Want::Variable => {
            "for want of variables (a file under `var_files` in .karplint.yaml sets them, a plan shows them)"
        }
        Want::Placeholder => "for want of what fills in placeholders",
        Want::Apply => "for want of values that an apply gives (a plan may show them)",
        Want::ComponentVersion => "for want of the version of a chart or an add-on",
        Want::Other(Cause::Value) => "for want of something that is not seen",
        Want::Other(Cause::Installation) => {
            "for want of what only whoever installs a chart gives, or its installation knows"
        }
        Want::Other(Cause::MissingFile) => "for want of files that are not in the repository",
        Want::Other(Cause::Version) => {
            "for want of a version (`karpenter_version` in the config states one where no release does)"
        }
        Want::Other(Cause::Chart) => "because it is not known what a chart reads or runs",
        Want::Other(Cause::NotRendered) => {
            "because of charts that are not rendered (`helm dependency build` fetches what they lack)"
        }
        Want::Other(Cause::Secret) => "because a Secret or an encrypted file keeps the value",
        Want::Other(Cause::Unreadable) => "because of files that cannot be read",
        Want::Other(Cause::Ambiguous) => "because more than one answer is possible",
        Want::Other(Cause::Mentioned) => "because a script or template may put it right",
    }
}

/// A reason, and of a variable what would give it.
#[must_use]
pub(crate) fn in_words(reason: &Reason) -> Cow<'_, str> {
    let variable = reason.missing.as_deref().filter(|it| {
        let name = it.strip_prefix("var.").unwrap_or_default();
        !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-'))
    });
    variable.map_or(Cow::Borrowed(&*reason.words), |it| {
        let words = &reason.words;
        Cow::Owned(format!("{words}: set `{it}` in a file under `var_files` in .karplint.yaml"))
    })
}

/// What is before a reason: it is read as part of the place above.
const INDENT: &str = "      ";

/// The questions by rule, each with its place and the reason, in lines of that width.
#[must_use]
pub(crate) fn list(report: &Report, width: usize) -> String {
    let rules: BTreeSet<&str> = report.undecided().map(|it| it.rule).collect();
    let of_rule = |rule: &str| -> String {
        let questions = report.undecided().filter(|it| it.rule == rule);
        let questions = questions.map(|it| question(report, it, width));
        [format!("not decided: {rule}\n")].into_iter().chain(questions).collect()
    };
    rules.into_iter().map(of_rule).collect()
}

fn question(report: &Report, it: &Unreported, width: usize) -> String {
    let words = in_words(it.silence.reason());
    let (place, reason) = (report.shown_place(it.span), visible(&words));
    let line = format!("  {place}: {reason}");
    if line.chars().count() <= width {
        return line + "\n";
    }
    let wrapped = wrapped(&reason, width.saturating_sub(INDENT.len()));
    let lines = wrapped.lines().map(|it| format!("{INDENT}{it}\n"));
    format!("  {place}\n{}", lines.collect::<String>())
}
