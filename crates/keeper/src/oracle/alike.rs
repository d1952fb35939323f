//! How what is printed here compares with what Helm prints.

use std::collections::{BTreeMap, BTreeSet};

use karplint_core::{
    source::{FileId, Span},
    syntax::yaml,
    value::{HOLE_END, HOLE_START, Text},
};
use karplint_helm::helm::manifests;

use super::Outcome;

/// Documents by the template that prints them.
pub(super) type Printed = BTreeMap<String, Vec<String>>;

/// How many templates print something, the same text, and what says the same.
#[derive(Default)]
pub(super) struct Files {
    /// All of them.
    pub all: usize,
    /// Those that print the same text.
    pub texts: usize,
    /// Those that print what says the same.
    pub values: usize,
}

/// The documents of a text, in some order. Those of comments alone are none, and Helm drops what was for Helm 2.
pub(super) fn documents(text: &str) -> Vec<String> {
    let says =
        |it: &&str| it.lines().any(|it| !it.trim().is_empty() && !it.trim().starts_with('#'));
    let is_kept = |it: &&str| !it.contains("crd-install");
    let parts = manifests::documents(text).into_iter();
    // Of several `---` one after the other, Helm leaves the last in the document.
    let parts = parts.map(|it| text.get(it).unwrap_or_default());
    let parts = parts.map(|it| it.trim_start_matches("---\n").trim_start_matches('\n'));
    let parts = parts.filter(|it| *it != "---");
    let mut found: Vec<String> = parts.filter(says).filter(is_kept).map(str::to_owned).collect();
    found.sort();
    found
}

/// How the documents of one template compare.
enum Verdict {
    Same,
    SameButUnknown,
    SameValues(String),
    Different(String),
}

/// How the templates of a chart compare, each of which prints something here or there.
pub(super) fn alike(
    mut ours: Printed,
    mut theirs: Printed,
    unknown: BTreeSet<String>,
) -> (Outcome, Files) {
    let names: BTreeSet<String> = ours.keys().chain(theirs.keys()).cloned().collect();
    let mut files = Files { all: names.len(), ..Files::default() };
    let (mut is_unknown, mut other_words, mut different) = (false, None, None);
    for name in names {
        let of = |it: &mut Printed| it.remove(&name).unwrap_or_default();
        let verdict = verdict(of(&mut ours), of(&mut theirs));
        files.texts += usize::from(matches!(verdict, Verdict::Same | Verdict::SameButUnknown));
        files.values += usize::from(!matches!(verdict, Verdict::Different(_)));
        match verdict {
            Verdict::Same => {}
            Verdict::SameButUnknown => is_unknown = true,
            Verdict::SameValues(why) => _ = other_words.get_or_insert(format!("{name}: {why}")),
            Verdict::Different(why) => _ = different.get_or_insert(format!("{name}: {why}")),
        }
    }
    let outcome = match (different, other_words) {
        (Some(why), _) => Outcome::Different(why),
        (None, Some(why)) => Outcome::SameValues(why),
        (None, None) if is_unknown => Outcome::SameButUnknown(unknown),
        (None, None) => Outcome::Same,
    };
    (outcome, files)
}

fn verdict(mut ours: Vec<String>, mut theirs: Vec<String>) -> Verdict {
    ours.retain(|it| !taken(&mut theirs, |other| other == it));
    let before = ours.len();
    ours.retain(|it| !taken(&mut theirs, |other| fits(it, other)));
    let is_unknown = ours.len() < before;
    let first = difference(&ours, &theirs);
    let before = ours.len();
    ours.retain(|it| !taken(&mut theirs, |other| says_the_same(it, other)));
    if !ours.is_empty() || !theirs.is_empty() {
        return Verdict::Different(difference(&ours, &theirs));
    }
    match (ours.len() < before, is_unknown) {
        (true, _) => Verdict::SameValues(first),
        (false, true) => Verdict::SameButUnknown,
        (false, false) => Verdict::Same,
    }
}

/// Takes the first that is wanted out of a list.
fn taken(list: &mut Vec<String>, is_wanted: impl Fn(&str) -> bool) -> bool {
    let at = list.iter().position(|it| is_wanted(it));
    at.map(|it| list.remove(it)).is_some()
}

/// Whether a text with parts that are not known may be the other.
fn fits(text: &str, other: &str) -> bool {
    if !text.contains(HOLE_START) {
        return false;
    }
    let mut rest = other;
    for (at, part) in text.split(HOLE_START).enumerate() {
        let part = if at == 0 { part } else { part.split_once(HOLE_END).map_or("", |it| it.1) };
        match rest.find(part) {
            Some(found) if at > 0 || found == 0 => {
                rest = rest.get(found + part.len()..).unwrap_or_default();
            }
            _ => return false,
        }
    }
    rest.is_empty() || text.ends_with(HOLE_END)
}

fn says_the_same(a: &str, b: &str) -> bool {
    let whole = |text: &str| Span::new(FileId(u32::MAX), 0, text.len());
    let read = |text: &str| yaml::parse_literal(&Text::verbatim(text, whole(text)), whole(text));
    let (a, b) = (read(a), read(b));
    a.values.len() == b.values.len()
        && a.values.iter().zip(&b.values).all(|(a, b)| a.same_as(b) == Some(true))
}

/// The first lines that differ.
fn difference(ours: &[String], theirs: &[String]) -> String {
    let (ours, theirs) = (ours.join("\n"), theirs.join("\n"));
    let mut theirs_lines = theirs.lines();
    for line in ours.lines() {
        let other = theirs_lines.next();
        if other != Some(line) {
            return format!("here {line:?}, Helm {:?}", other.unwrap_or_default());
        }
    }
    format!("Helm goes on with {:?}", theirs_lines.next().unwrap_or_default())
}
