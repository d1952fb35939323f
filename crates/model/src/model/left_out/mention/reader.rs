//! The lines of a file that may name paths, so that it may apply what lies there.

use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;

use crate::{
    model::left_out::mention::line::{PATH_FLAGS, has_any, is_command, tokens},
    source::SourceFile,
};

/// What commands do to apply them.
const VERBS: &[&str] = &["apply", "build", "create", "install", "replace", "upgrade"];
/// What commands have that apply nothing.
const NOT_APPLIED: &[&str] = &["kubectl delete", "--dry-run"];
/// What searches, changes or removes a file, or only names it.
const EDITS: &[&str] = &["grep ", "rm ", "sed -i", "yq -i", "echo ", " -delete"];
/// What writes the file of its last word.
const COPIES: &[&str] = &["cp ", "mv "];
/// What a command has that removes objects.
const REMOVES: &str = "kubectl delete";

/// A file that may apply what others hold.
pub(super) struct Reader<'t> {
    /// The file.
    pub file: &'t SourceFile,
    /// Whether it is a document.
    pub is_prose: bool,
    /// Whether one of its lines applies something.
    pub applies: bool,
    /// Whether one of its lines removes something.
    pub removes: bool,
    /// The lines that have a word that was looked for, or the folder of the file.
    lines: Vec<Line<'t>>,
    /// The indexes of the lines, by the word.
    by_word: BTreeMap<usize, Vec<usize>>,
    /// The indexes of those with the folder of the file: `kubectl apply -f .`.
    of_its_folder: Vec<usize>,
}

/// What is read of a line.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// Its part that may name what is applied, without comments.
    pub text: &'t str,
    /// Whether it only tries something out, or removes it.
    pub applies_nothing: bool,
    /// Whether it removes something.
    pub removes: bool,
}

impl<'t> Reader<'t> {
    /// Reads the lines of a file with words.
    pub(super) fn of(file: &'t SourceFile, text: &'t str, words: &AhoCorasick) -> Self {
        let mut reader = Self {
            file,
            is_prose: file.ending() == "md",
            applies: false,
            removes: false,
            lines: Vec::new(),
            by_word: BTreeMap::new(),
            of_its_folder: Vec::new(),
        };
        let is_shell = matches!(file.ending(), "sh" | "bash");
        let mut comment = BlockComment::in_code_of(file.ending());
        for line in text.lines() {
            reader.applies |= is_command(line) && has_any(line, VERBS);
            let removes = line.contains(REMOVES);
            reader.removes |= removes;
            if comment.holds(line) {
                continue;
            }
            let read = if reader.is_prose { line } else { without_comment(line) };
            let text = if is_shell { what_is_read(read) } else { read };
            let applies_nothing = has_any(line, NOT_APPLIED);
            reader.add(Line { text, applies_nothing, removes }, words);
        }
        reader
    }

    fn add(&mut self, line: Line<'t>, words: &AhoCorasick) {
        let index = self.lines.len();
        let mut found: Vec<usize> =
            words.find_overlapping_iter(line.text).map(|it| it.pattern().as_usize()).collect();
        found.sort_unstable();
        found.dedup();
        let is_of_folder = names_its_folder(line.text);
        if found.is_empty() && !is_of_folder {
            return;
        }
        self.lines.push(line);
        self.of_its_folder.extend(is_of_folder.then_some(index));
        for word in found {
            self.by_word.entry(word).or_default().push(index);
        }
    }

    /// The words that its lines have.
    pub(super) fn words(&self) -> impl Iterator<Item = usize> {
        self.by_word.keys().copied()
    }

    /// The lines with one of some words, and, if asked for, with the folder of the file.
    pub(super) fn lines_with(
        &self,
        words: &[usize],
        or_folder: bool,
    ) -> impl Iterator<Item = Line<'t>> {
        let with = words.iter().filter_map(|it| self.by_word.get(it)).flatten();
        let here = self.of_its_folder.iter().filter(move |_| or_folder);
        with.chain(here).filter_map(|it| self.lines.get(*it)).copied()
    }

    /// Whether objects are written in it.
    pub(super) fn is_yaml(&self) -> bool {
        is_yaml(self.file)
    }
}

/// Whether a line has the folder that it is run in as a path: `kubectl apply -f .`.
fn names_its_folder(line: &str) -> bool {
    has_any(line, PATH_FLAGS) && {
        let mut before = "";
        tokens(line).any(|it| PATH_FLAGS.contains(&std::mem::replace(&mut before, it)) && it == ".")
    }
}

/// Whether it is a file of YAML by its name.
pub(crate) fn is_yaml(file: &SourceFile) -> bool {
    matches!(file.ending(), "yaml" | "yml")
}

/// Which lines of Terraform are a comment that begins with `//`, or in one of several lines: from one that begins with
/// `/*`, as paths have that inside.
struct BlockComment {
    is_known: bool,
    is_open: bool,
}

impl BlockComment {
    fn in_code_of(ending: &str) -> Self {
        Self { is_known: matches!(ending, "tf" | "tofu" | "hcl"), is_open: false }
    }

    fn holds(&mut self, line: &str) -> bool {
        let is_inside = self.is_known && (self.is_open || line.trim_start().starts_with("/*"));
        self.is_open = is_inside && !line.trim_end().ends_with("*/");
        is_inside || self.is_known && line.trim_start().starts_with("//")
    }
}

/// What a line says outside of a comment.
fn without_comment(line: &str) -> &str {
    let line = line.split(" #").next().unwrap_or_default();
    if line.trim_start().starts_with('#') { "" } else { line }
}

/// The part of a line of a shell script that may name what is applied later: not what is changed in place, searched or
/// written.
fn what_is_read(line: &str) -> &str {
    let (command, _) = line.split_once('>').unwrap_or((line, ""));
    if is_command(line) {
        line
    } else if has_any(command, EDITS) {
        ""
    } else if has_any(command, COPIES) {
        command.trim_end().rsplit_once(' ').map_or("", |it| it.0)
    } else {
        command
    }
}
