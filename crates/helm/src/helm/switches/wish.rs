//! The values that make a condition come out as wanted.

use std::rc::Rc;

use crate::{
    helm::template::tree::{Command, Pipe, Word, WordKind},
    source::Span,
    value::{Kind, Value},
};

/// A value that a condition wants.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// Where below `.Values`.
    pub path: Vec<Rc<str>>,
    /// What should be there.
    pub wanted: Wanted,
    /// What is there now, or the values that lack it.
    pub place: Span,
    /// Whether something is there now.
    pub is_written: bool,
    /// Whether the chart's own values have nothing there, and that is not as good as a switch that is off.
    pub is_without_default: bool,
}

/// What should be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A switch.
    Flag(bool),
    /// One of several names.
    Text(Rc<str>),
}

impl Wish {
    /// What to write: `karpenter.enabled: true`.
    pub(super) fn words(&self) -> String {
        let path = self.path.join(".");
        match &self.wanted {
            Wanted::Flag(flag) => format!("{path}: {flag}"),
            Wanted::Text(text) => format!("{path}: {text}"),
        }
    }
}

/// Conditions over the values of a chart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions<'a> {
    /// The chart's own values.
    pub values: &'a Value,
}

impl<'a> Conditions<'a> {
    /// What makes a condition come out so; nothing where it does so already, `None` where no switch is known to do it.
    pub(super) fn wishes(self, pipe: &Pipe, truth: bool) -> Option<Vec<Wish>> {
        match &*pipe.commands {
            [only] => self.of_command(only, truth),
            // `.Values.x | default false`
            [first, second] if is_default(second) => self.of_command(first, truth),
            _ => None,
        }
    }

    fn of_command(self, command: &Command, truth: bool) -> Option<Vec<Wish>> {
        let (first, rest) = command.words.split_first()?;
        let WordKind::Function(name) = &first.kind else {
            return if rest.is_empty() { self.of_word(first, truth) } else { None };
        };
        match (&**name, rest) {
            ("index", _) => self.of_path(&indexed(rest)?, truth),
            ("not" | "empty", [word]) => self.of_word(word, !truth),
            ("default", [_, word]) => self.of_word(word, truth),
            ("and", words) if truth => self.all(words, truth),
            ("or", words) if !truth => self.all(words, truth),
            ("and" | "or", words) => words.iter().find_map(|it| self.of_word(it, truth)),
            ("eq", [one, other]) => self.of_comparison(one, other, truth),
            ("ne", [one, other]) => self.of_comparison(one, other, !truth),
            _ => None,
        }
    }

    fn all(self, words: &[Word], truth: bool) -> Option<Vec<Wish>> {
        let all: Option<Vec<Vec<Wish>>> = words.iter().map(|it| self.of_word(it, truth)).collect();
        all.map(|it| it.into_iter().flatten().collect())
    }

    fn of_word(self, word: &Word, truth: bool) -> Option<Vec<Wish>> {
        if let WordKind::Pipe(pipe) = &word.kind {
            return self.wishes(pipe, truth);
        }
        self.of_path(&below_values(word)?, truth)
    }

    /// A value that is tested for truth.
    fn of_path(self, path: &[Rc<str>], truth: bool) -> Option<Vec<Wish>> {
        let (found, place) = self.at(path);
        if found.is_some_and(Value::is_unknown) {
            return None;
        }
        let is_true = found.is_some_and(|it| match &it.kind {
            Kind::Bool(flag) => *flag,
            Kind::Number(number) => *number != 0.0,
            Kind::String(text) => !text.text.is_empty(),
            _ => !it.is_empty() && !it.is_null(),
        });
        if is_true == truth {
            return Some(Vec::new());
        }
        let is_flag = found.is_some_and(|it| matches!(it.kind, Kind::Bool(_)));
        let is_open =
            found.is_none_or(Value::is_null) && path.last().is_some_and(|it| is_switch(it));
        (is_flag || is_open).then(|| vec![wish(path, Wanted::Flag(truth), found, place)])
    }

    /// A value beside a text.
    fn of_comparison(self, one: &Word, other: &Word, truth: bool) -> Option<Vec<Wish>> {
        let (path, text) = match (below_values(one), &other.kind) {
            (Some(path), WordKind::Text { text, .. }) => (path, text),
            _ => match (below_values(other), &one.kind) {
                (Some(path), WordKind::Text { text, .. }) => (path, text),
                _ => return None,
            },
        };
        let (found, place) = self.at(&path);
        let written = found.and_then(Value::as_str);
        if (written == Some(text)) == truth {
            return Some(Vec::new());
        }
        let may_be_text = found.is_none_or(Value::is_null) || written.is_some();
        let wanted = Wanted::Text(text.clone());
        (truth && may_be_text).then(|| vec![wish(&path, wanted, found, place)])
    }

    /// What the chart's own values have at a path, and where that is, or would be.
    fn at(self, path: &[Rc<str>]) -> (Option<&'a Value>, Span) {
        let step = |it: &'a Value, key: &Rc<str>| it.get(key).present();
        match path.iter().try_fold(self.values, step) {
            Some(value) => (Some(value), value.span),
            None => (None, self.values.span),
        }
    }
}

fn wish(path: &[Rc<str>], wanted: Wanted, found: Option<&Value>, place: Span) -> Wish {
    let is_text = matches!(wanted, Wanted::Text(_));
    let is_without_default = is_text && found.is_none_or(Value::is_null);
    let is_written = found.is_some();
    Wish { path: path.to_vec(), wanted, place, is_written, is_without_default }
}

fn is_default(command: &Command) -> bool {
    let name = command.words.first().map(|it| &it.kind);
    matches!(name, Some(WordKind::Function(name)) if &**name == "default")
}

/// The path of `.Values.a.b`, also of `$.Values.a.b` and `(index .Values "a" "b")`.
fn below_values(word: &Word) -> Option<Vec<Rc<str>>> {
    let path = match &word.kind {
        WordKind::Pipe(pipe) => match &*pipe.commands {
            [only] => match only.words.split_first()? {
                (first, rest) if is_index(first) => indexed(rest)?,
                _ => return None,
            },
            _ => return None,
        },
        WordKind::Chain(inner, fields) => [&*below_values(inner)?, fields].concat(),
        _ => inside_values(word)?.to_vec(),
    };
    (!path.is_empty()).then_some(path)
}

/// The path that `index` goes from its first word on: `.Values "a" "b"`.
fn indexed(words: &[Word]) -> Option<Vec<Rc<str>>> {
    let (first, keys) = words.split_first()?;
    let key = |it: &Word| match &it.kind {
        WordKind::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    let keys: Option<Vec<Rc<str>>> = keys.iter().map(key).collect();
    let path = [inside_values(first)?, &keys?].concat();
    (!path.is_empty()).then_some(path)
}

fn is_index(word: &Word) -> bool {
    matches!(&word.kind, WordKind::Function(name) if &**name == "index")
}

/// The path below `.Values`, empty for `.Values` itself.
fn inside_values(word: &Word) -> Option<&[Rc<str>]> {
    let fields = match &word.kind {
        WordKind::Field(fields) => fields,
        WordKind::Variable(name, fields) if &**name == "$" => fields,
        _ => return None,
    };
    let (first, path) = fields.split_first()?;
    (&**first == "Values").then_some(path)
}

/// Whether a key that has no value is named as a switch: `enabled`, `createPool`, `installCRDs`.
fn is_switch(key: &str) -> bool {
    const WORDS: [&str; 6] = ["enable", "create", "install", "deploy", "use", "on"];
    let begins = |word: &&str| {
        let rest = key.strip_prefix(*word);
        rest.is_some_and(|it| !it.starts_with(char::is_lowercase))
    };
    key.to_ascii_lowercase().ends_with("enabled") || WORDS.iter().any(begins)
}

/// All paths below `.Values` that a condition reads.
pub(super) fn paths(pipe: &Pipe, found: &mut Vec<Vec<Rc<str>>>) {
    for command in &*pipe.commands {
        let words = command.words.split_first().filter(|it| is_index(it.0));
        if let Some((_, rest)) = words {
            found.extend(indexed(rest));
        }
    }
    for word in pipe.commands.iter().flat_map(|it| &it.words) {
        match (&word.kind, below_values(word)) {
            (_, Some(path)) => found.push(path),
            (WordKind::Pipe(inner), None) => paths(inner, found),
            _ => {}
        }
    }
}
