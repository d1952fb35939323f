//! Recipes of Makefiles and justfiles.

use std::{ops::Range, sync::Arc};

use crate::{
    resolve::release::script::variables::Script,
    source::{FileId, Span},
    syntax::shell::{
        self,
        word::{self, Command, Dialect},
    },
    value::Text,
};

/// How a file of recipes is written.
pub(super) struct RecipeForm {
    dialect: Dialect,
    /// What sets a variable, the longest first; those that do so with what is written come with `true`.
    operators: &'static [(&'static str, bool)],
}

/// A Makefile.
pub(super) const MAKE: RecipeForm = RecipeForm {
    dialect: Dialect::Make,
    operators: &[
        ("::=", true),
        (":=", true),
        ("?=", true),
        ("+=", false),
        ("!=", false),
        ("=", true),
    ],
};
/// A justfile.
pub(super) const JUST: RecipeForm =
    RecipeForm { dialect: Dialect::Shell, operators: &[(":=", true)] };

/// Adds the recipes of a Makefile or justfile, and its variables.
pub(super) fn add(script: &mut Script, file: FileId, content: Text, form: &RecipeForm) {
    let text = Arc::clone(&content.text);
    let index = script.snippets.len();
    let mut commands: Vec<Command> = Vec::new();
    let mut assigned = Vec::new();
    for line in logical_lines(&text) {
        let written = &text[line.clone()];
        if written.starts_with(['\t', ' ']) {
            let start = line.end - written.trim_start_matches(['\t', ' ', '@', '-', '+']).len();
            commands.extend(shell::commands(&text, start..line.end, form.dialect));
        } else if let Some((name, value)) = assignment(written, form) {
            let value = value.map(|it| line.start + it.start..line.start + it.end);
            assigned.push((name, value.map(|it| shell::word(&text, it, form.dialect))));
        }
    }
    let place = Span::new(file, 0, text.len());
    script.add(content, place, commands);
    for (name, word) in assigned {
        script.assign_word(&name, word.map(|it| (index, it)));
    }
}

/// The name and the value's bytes of a line that sets a variable; the value is `None` when it is computed.
fn assignment(line: &str, form: &RecipeForm) -> Option<(String, Option<Range<usize>>)> {
    let begins = ["export ", "override "].iter().find_map(|it| line.strip_prefix(it));
    let body = begins.unwrap_or(line);
    let operator = |&(it, _): &&(&str, bool)| body.split_once(it).is_some_and(|it| is_left(it.0));
    let (operator, is_plain) = form.operators.iter().find(operator)?;
    let (name, value) = body.split_once(operator)?;
    let value = value.split(" #").next().unwrap_or(value).trim_end();
    let start = line.len() - body.len() + name.len() + operator.len();
    let blank = value.len() - value.trim_start().len();
    let computed = form.dialect == Dialect::Shell && !value.trim_start().starts_with(['"', '\'']);
    let range = start + blank..start + value.len();
    Some((name.trim().to_owned(), (*is_plain && !computed).then_some(range)))
}

fn is_left(name: &str) -> bool {
    word::is_name(name.trim())
}

/// The variables that a Makefile sets, each by the name and the bytes of what it is set to.
pub(super) fn variables(text: &str) -> Vec<(String, Option<Range<usize>>)> {
    let lines = logical_lines(text).into_iter();
    let set = lines.filter_map(|line| {
        let (name, value) = assignment(text.get(line.clone())?, &MAKE)?;
        Some((name, value.map(|it| line.start + it.start..line.start + it.end)))
    });
    set.collect()
}

/// The lines of a text, those that end in a backslash with the next.
fn logical_lines(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut continues) = (0, false);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match found.last_mut().filter(|_| continues) {
            Some(last) => last.end = end,
            None => found.push(at..end),
        }
        continues = line.trim_end_matches(['\n', '\r']).ends_with('\\');
        at = end;
    }
    found
}
