//! Commands that print the folder of the script itself: `$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)`.
//!
//! What they print is taken as a path from the root of the repository that begins with `./`.

use std::ops::Range;

use crate::{
    source::{join, parent},
    syntax::shell::{
        self,
        word::{Command, Dialect, Part, Word},
    },
};

/// What a shell calls the script that it runs.
const SELF: [&str; 7] = [
    "$0",
    "${0}",
    "${0:a}",
    "$BASH_SOURCE",
    "${BASH_SOURCE}",
    "${BASH_SOURCE[0]}",
    "${BASH_SOURCE[-1]}",
];
/// The same without the last part of its path.
const OWN_FOLDER: [&str; 4] = ["${0%/*}", "${BASH_SOURCE%/*}", "${BASH_SOURCE[0]%/*}", "${0:a:h}"];
/// Longer commands print no folder.
const LONGEST: usize = 300;
/// A name for the script in its folder, which is not looked at.
const FILE: &str = "script";

/// A text with commands.
pub(super) struct Source<'a> {
    /// The text.
    pub text: &'a str,
    /// The folder of its file.
    pub folder: &'a str,
    /// What a word of it means, where that is known.
    pub evaluate: &'a mut dyn FnMut(&Word) -> Option<String>,
}

/// The path that a part of a text prints, where that is the folder of its file or one that is named from there.
pub(super) fn printed(source: &mut Source<'_>, range: &Range<usize>) -> Option<String> {
    let path = path_printed(source, range)?;
    Some(if path.is_empty() { ".".to_owned() } else { format!("./{path}") })
}

fn path_printed(source: &mut Source<'_>, range: &Range<usize>) -> Option<String> {
    let text = source.text;
    let written = text.get(range.clone()).filter(|it| it.len() <= LONGEST)?;
    if OWN_FOLDER.contains(&written) {
        return Some(source.folder.to_owned());
    }
    let inner = written.strip_prefix("$(")?.strip_suffix(')')?;
    let inner = range.start + 2..range.start + 2 + inner.len();
    let commands = shell::commands(text, inner, Dialect::Shell);
    let (first, others) = commands.split_first()?;
    let verb = first.words.first()?.plain(text)?;
    let path = |source: &mut Source<'_>| path_of(source, operand(text, first)?);
    match (&*verb, others) {
        ("dirname", []) => Some(parent(&path(source)?).to_owned()),
        ("realpath" | "readlink", []) => path(source),
        ("cd" | "pushd", [.., last]) if is_pwd(text, last) => path(source),
        _ => None,
    }
}

fn is_pwd(text: &str, command: &Command) -> bool {
    command.words.first().and_then(|it| it.plain(text)).as_deref() == Some("pwd")
}

/// The one word of a command that is no flag.
fn operand<'a>(text: &str, command: &'a Command) -> Option<&'a Word> {
    let is_flag = |it: &&Word| it.plain(text).is_some_and(|it| it.starts_with('-'));
    let mut words = command.words.iter().skip(1).skip_while(is_flag);
    let only = words.next()?;
    words.next().is_none().then_some(only)
}

/// The path in the repository that a word means: of the file itself, or from one of its folders.
fn path_of(source: &mut Source<'_>, word: &Word) -> Option<String> {
    if let [Part::Opaque(range) | Part::Variable { range, .. }] = &word.parts[..]
        && SELF.contains(&source.text.get(range.clone())?)
    {
        return join(source.folder, FILE);
    }
    let path = (source.evaluate)(word)?;
    if path == "." { Some(String::new()) } else { join("", path.strip_prefix("./")?) }
}
