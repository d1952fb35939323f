//! The variables of a script, and what its words mean with them.

use std::{cell::Cell, collections::HashMap, ops::Range, sync::Arc};

use crate::{
    resolve::release::script::own_folder::{self, Source},
    source::{FileId, Span},
    syntax::shell::{
        self,
        word::{Command, Dialect, Part, Word},
    },
    value::{
        HOLE_END, HOLE_START, Kind, Symbol, Text, TextPiece, TextSource, Value, step::StepKind,
    },
};

/// The words of a command that give no value to the variables they name.
const DECLARATIONS: &[&str] = &["export", "local", "declare", "readonly", "typeset"];
/// Commands that give the variables they name a value that is not known.
const READERS: &[&str] = &["read", "for", "mapfile", "readarray"];

/// More words than these are not evaluated in one script: of variables made of variables, a few lines may ask for 2ⁿ.
const MOST_WORDS: usize = 200_000;

/// Commands that run together, and the variables they share.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// The folder of its file.
    pub folder: Arc<str>,
    /// Its texts, in their order.
    pub snippets: Vec<Snippet>,
    /// The folder that the step whose texts are added names to run in.
    pub within: Option<Arc<str>>,
    /// The folder of the file whose text is added, where that is another one than the script's.
    pub sourced_folder: Option<Arc<str>>,
    /// What each variable is given, everywhere; `None` is not known.
    assigned: HashMap<String, Vec<Option<(usize, Word)>>>,
    /// How many words were evaluated.
    evaluated: Cell<usize>,
    /// Whether what a variable is by default is taken for unknown: who runs the script may give it another value.
    without_defaults: Cell<bool>,
}

/// A text of commands.
#[derive(Debug)]
pub(super) struct Snippet {
    /// The text.
    pub text: Text,
    /// Where it is.
    pub place: Span,
    /// The commands in it.
    pub commands: Vec<Command>,
    /// The folder that its step names to run in.
    pub within: Option<Arc<str>>,
    /// The folder of its file, where that is another one than the script's.
    pub folder: Option<Arc<str>>,
    /// Whether it is a file that a command fills in with the variables.
    pub is_template: bool,
}

/// The commands without those that never run, because they follow `if false`.
fn that_run(commands: Vec<Command>, text: &str) -> Vec<Command> {
    // For each `if` around a command, whether what follows it never runs.
    let mut around: Vec<bool> = Vec::new();
    let runs = |it: &Command| {
        let mut words = it.words.iter().map(|it| it.plain(text));
        let first = words.next().flatten();
        let was_off = around.contains(&true);
        match first.as_deref() {
            Some("if") => {
                let never = words.next().flatten().as_deref() == Some("false");
                around.push(never && words.next().is_none());
            }
            Some("else" | "elif") => around.last_mut().into_iter().for_each(|it| *it = false),
            Some("fi") => drop(around.pop()),
            _ => {}
        }
        !(was_off && around.contains(&true))
    };
    commands.into_iter().filter(runs).collect()
}

impl Script {
    /// A script without commands.
    pub(super) fn new(folder: &str) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }

    /// What tells it from other scripts: where it starts.
    pub(super) fn place(&self) -> Span {
        let first = self.snippets.first().map(|it| it.place);
        first.map_or(Span::new(FileId(0), 0, 0), |it| Span { end: it.start, ..it })
    }

    /// Adds a text that a shell reads.
    pub(super) fn add_shell(&mut self, text: Text, place: Span) {
        let commands = shell::commands(&text.text, 0..text.text.len(), Dialect::Shell);
        self.add(text, place, commands);
    }

    /// Adds a text that `PowerShell` reads.
    pub(super) fn add_powershell(&mut self, text: Text, place: Span) {
        let commands = shell::commands(&text.text, 0..text.text.len(), Dialect::PowerShell);
        let index = self.snippets.len();
        for command in &commands {
            // `$name = value`; what is computed, or added to, is not known.
            let [target, sign, given @ ..] = &command.words[..] else { continue };
            let [Part::Variable { name, .. }] = &target.parts[..] else { continue };
            let sign = sign.plain(&text.text).unwrap_or_default();
            if sign.ends_with('=') {
                let value = match given {
                    [only] if sign == "=" && !command.is_piped => Some((index, only.clone())),
                    _ => None,
                };
                self.assign_word(name, value);
            }
        }
        self.push(text, place, commands);
    }

    /// Adds a text with its commands, and takes in what they assign.
    pub(super) fn add(&mut self, text: Text, place: Span, commands: Vec<Command>) {
        let index = self.snippets.len();
        let commands = that_run(commands, &text.text);
        for command in &commands {
            self.take_assignments(index, &text.text, command);
        }
        self.push(text, place, commands);
    }

    fn push(&mut self, text: Text, place: Span, commands: Vec<Command>) {
        let (within, folder) = (self.within.clone(), self.sourced_folder.clone());
        self.snippets.push(Snippet { text, place, commands, within, folder, is_template: false });
    }

    /// The folder of the file that holds a snippet.
    pub(super) fn folder_of(&self, snippet: usize) -> &str {
        self.snippets.get(snippet).and_then(|it| it.folder.as_deref()).unwrap_or(&self.folder)
    }

    /// A file with what the script gives its variables, where it was added as one to fill in.
    pub(super) fn filled(&self, file: FileId) -> Option<Value> {
        let index = self.snippets.iter().position(|it| it.is_template && it.place.file == file)?;
        let text = &*self.snippets[index].text.text;
        Some(self.value(index, &shell::document(text, 0..text.len())))
    }

    /// Adds a text to fill in.
    pub(super) fn add_template(&mut self, text: Text, place: Span) {
        self.push(text, place, Vec::new());
        self.snippets.iter_mut().next_back().into_iter().for_each(|it| it.is_template = true);
    }

    /// Gives a variable a value that is written outside of commands.
    pub(super) fn assign(&mut self, name: &str, text: Text, place: Span) {
        let word = shell::word(&text.text, 0..text.text.len(), Dialect::Shell);
        self.assign_word(name, Some((self.snippets.len(), word)));
        let (within, folder) = (None, None);
        let commands = Vec::new();
        self.snippets.push(Snippet { text, place, commands, within, folder, is_template: false });
    }

    /// Gives a variable a word of a snippet, or what is not known.
    pub(super) fn assign_word(&mut self, name: &str, word: Option<(usize, Word)>) {
        self.assigned.entry(name.to_owned()).or_default().push(word);
    }

    fn take_assignments(&mut self, index: usize, text: &str, command: &Command) {
        let first = command.words.first().and_then(|it| it.plain(text)).unwrap_or_default();
        if READERS.contains(&&*first) {
            for name in command.words.iter().filter_map(|it| it.plain(text)) {
                self.assign_word(&name, None);
            }
        }
        for word in command.words.iter().skip_while(|it| declares(text, it)) {
            let Some((name, value)) = word.assignment(text) else { break };
            self.assign_word(&name, Some((index, value)));
        }
    }

    /// Whether a command does nothing but assign variables.
    pub(super) fn only_assigns(text: &str, command: &Command) -> bool {
        let mut words = command.words.iter().skip_while(|it| declares(text, it));
        words.all(|it| it.assignment(text).is_some())
    }

    /// Whether it gives a variable a value of its own.
    pub(super) fn assigns(&self, name: &str) -> bool {
        self.assigned.contains_key(name)
    }

    /// The value it gives a variable, if that is known.
    pub(super) fn given(&self, name: &str) -> Option<Value> {
        self.variable(name, None, &mut Vec::new())
    }

    /// What is read of the script with variables unknown that are what they are by default.
    pub(super) fn without_defaults<T>(&self, read: impl FnOnce() -> T) -> T {
        self.without_defaults.set(true);
        let found = read();
        self.without_defaults.set(false);
        found
    }

    /// What a word of a snippet means.
    pub(super) fn value(&self, snippet: usize, word: &Word) -> Value {
        self.evaluate(snippet, word, &mut Vec::new())
    }

    /// The same, inside of the variables that are open.
    fn evaluate(&self, snippet: usize, word: &Word, open: &mut Vec<String>) -> Value {
        let Snippet { text, place, .. } = &self.snippets[snippet];
        let locate = |range: &Range<usize>| text.locate(range.start, range.end, *place);
        let span = locate(&word.range);
        let mut built = Builder::default();
        for part in &word.parts {
            let found = match part {
                Part::Plain(range) => {
                    built.add_plain(text, range, &locate);
                    continue;
                }
                Part::Variable { name, default, range } => {
                    let default = default.as_ref().map(|it| (snippet, it.clone()));
                    let mark = text.text.get(range.clone()).unwrap_or_default();
                    self.variable(name, default, open)
                        .map(|it| it.through(locate(range), StepKind::Placeholder(mark.into())))
                        // Each spelling of it is the same: `$NAME`, `${NAME}`.
                        .ok_or_else(|| self.named_symbol(snippet, format!("${name}")))
                }
                Part::Opaque(range) => match self.folder_printed(snippet, range, open) {
                    Some(path) => Ok(Value::new(Kind::String(Text::computed(path)), locate(range))),
                    None => Err(self.symbol(text, snippet, range)),
                },
            };
            match found {
                Ok(value) if word.parts.len() == 1 => return value,
                Ok(value) => built.add_value(&value, locate(part.range())),
                Err(symbol) if word.parts.len() == 1 => return Value::unknown(symbol, span),
                Err(symbol) => built.add_hole(symbol, locate(part.range())),
            }
        }
        Value::new(Kind::String(built.text()), span)
    }

    fn folder_printed(
        &self,
        snippet: usize,
        range: &Range<usize>,
        open: &mut Vec<String>,
    ) -> Option<String> {
        let mut evaluate =
            |word: &Word| self.evaluate(snippet, word, open).as_str().map(str::to_owned);
        let text = &*self.snippets[snippet].text.text;
        let folder = self.folder_of(snippet);
        own_folder::printed(&mut Source { text, folder, evaluate: &mut evaluate }, range)
    }

    /// The value of a variable, if it is known: what all its assignments agree on, or its default.
    fn variable(
        &self,
        name: &str,
        default: Option<(usize, Range<usize>)>,
        open: &mut Vec<String>,
    ) -> Option<Value> {
        self.evaluated.set(self.evaluated.get() + 1);
        if self.evaluated.get() > MOST_WORDS {
            return None;
        }
        let given = self.assigned.get(name).filter(|_| !open.iter().any(|it| it == name));
        open.push(name.to_owned());
        let value = match (given, default) {
            (Some(given), _) => {
                let mut values = given.iter().map(|it| {
                    let (snippet, word) = it.as_ref()?;
                    let value = self.evaluate(*snippet, word, open);
                    value.as_str().is_some().then_some(value)
                });
                let first = values.next().flatten();
                let same = |it: &Option<Value>| {
                    it.as_ref().and_then(Value::as_str) == first.as_ref().and_then(Value::as_str)
                };
                if values.all(|it| same(&it)) { first } else { None }
            }
            (None, Some(_)) if self.without_defaults.get() => None,
            (None, Some((snippet, range))) => {
                let word = shell::word(&self.snippets[snippet].text.text, range, Dialect::Shell);
                Some(self.evaluate(snippet, &word, open)).filter(|it| it.as_str().is_some())
            }
            (None, None) => None,
        };
        open.pop();
        value
    }

    /// The name of what is not known: the hole of a text, or what is written in the script.
    fn symbol(&self, text: &Text, snippet: usize, range: &Range<usize>) -> Symbol {
        let written = text.text.get(range.clone()).unwrap_or_default();
        let hole = written.strip_prefix(HOLE_START).and_then(|it| {
            let number: usize = it.trim_end_matches(HOLE_END).parse().ok()?;
            text.holes.get(number)
        });
        hole.cloned().unwrap_or_else(|| self.named_symbol(snippet, written))
    }

    fn named_symbol(&self, snippet: usize, text: impl Into<Arc<str>>) -> Symbol {
        Symbol::new(format!("script {}", self.snippets[snippet].place.file.0), text)
    }
}

fn declares(text: &str, word: &Word) -> bool {
    word.plain(text).is_some_and(|it| DECLARATIONS.contains(&&*it))
}

/// A text put together of pieces.
#[derive(Default)]
struct Builder {
    text: String,
    pieces: Vec<TextPiece>,
    holes: Vec<Symbol>,
}

impl Builder {
    fn add(&mut self, text: &str, span: Span) {
        let length = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        self.pieces.push(TextPiece { at: length(self.text.len()), len: length(text.len()), span });
        self.text.push_str(text);
    }

    /// Adds what is written, with the holes in it. What put the lines together, such as a template, has a place for
    /// each.
    fn add_plain(
        &mut self,
        text: &Text,
        range: &Range<usize>,
        locate: &dyn Fn(&Range<usize>) -> Span,
    ) {
        let mut at = range.start;
        for line in text.text.get(range.clone()).unwrap_or_default().split_inclusive('\n') {
            let end = at + line.len();
            let mut rest = line;
            while let Some((before, (number, after))) = rest
                .split_once(HOLE_START)
                .and_then(|(before, it)| Some((before, it.split_once(HOLE_END)?)))
            {
                let start = at + before.len();
                self.add(before, locate(&(at..start)));
                at = end - after.len();
                if let Some(hole) = number.parse().ok().and_then(|it: usize| text.holes.get(it)) {
                    self.add_hole(hole.clone(), locate(&(start..at)));
                }
                rest = after;
            }
            self.add(rest, locate(&(at..end)));
            at = end;
        }
    }

    /// Adds the text of a value, which is not written at the place it is used at.
    fn add_value(&mut self, value: &Value, place: Span) {
        self.add(value.as_str().unwrap_or_default(), Span { end: place.start, ..place });
    }

    fn add_hole(&mut self, symbol: Symbol, place: Span) {
        let mark = format!("{HOLE_START}{}{}", self.holes.len(), HOLE_END);
        self.add(&mark, place);
        self.holes.push(symbol);
    }

    fn text(self) -> Text {
        let layout = match &*self.pieces {
            [] => TextSource::Nowhere,
            [only] if (only.span.end - only.span.start) == only.len => {
                TextSource::Verbatim(only.span)
            }
            _ => TextSource::Pieces(self.pieces.into()),
        };
        Text { layout, holes: self.holes.into(), ..Text::computed(self.text) }
    }
}
