//! What messages say of the resource and the field at fault: names, texts, lists.

use crate::{
    checks::admission::{
        fault::Fault,
        path::{Path, PathStep},
        text::are_alike,
    },
    knowledge::schema::{self, Schema},
    value::Kind,
    version::Version,
};

/// What is said of a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaultWording {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// What to write in place of the key or text at fault, if that is surely meant.
    pub meant: Option<String>,
    /// The known key that has the name of a reserved one.
    pub known_key: Option<&'static str>,
}

/// Whose fault it is.
#[derive(Clone, Copy)]
pub(super) struct FaultContext<'a> {
    pub(super) fault: &'a Fault,
    pub(super) kind: &'a str,
    pub(super) api: &'a str,
    pub(super) release: Option<&'a Version>,
}

impl FaultWording {
    pub(super) fn say(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(super) fn map_help(self, change: impl FnOnce(String) -> String) -> Self {
        Self { help: self.help.map(change), ..self }
    }

    pub(super) fn meant(self, text: impl Into<String>) -> Self {
        Self { meant: Some(text.into()), ..self }
    }
}

impl FaultContext<'_> {
    pub(super) fn schema(&self) -> Option<&'static Schema> {
        schema::of_any(self.api, self.kind)
    }

    /// The last name of a path, without quotes.
    pub(super) fn last(&self) -> &str {
        last_name(&self.fault.path).unwrap_or(self.kind)
    }

    /// What is at fault: "`weight`", "an item of `values`".
    pub(super) fn name(&self) -> String {
        called(self.kind, &self.fault.path)
    }

    /// What it is in, or should.
    pub(super) fn holder(&self) -> String {
        let parts = self.fault.path.parts();
        let outer = parts.get(..parts.len().saturating_sub(1)).unwrap_or_default();
        let outer = outer.iter().fold(Path::default(), |path, part| match part {
            PathStep::Name(name) => path.name(name),
            PathStep::Item(at) => path.item(*at),
        });
        sentence(&called(self.kind, &outer))
    }

    /// The value at fault.
    pub(super) fn text(&self) -> String {
        let shown = self.fault.value.as_ref().map(|it| match &it.kind {
            Kind::Bool(it) => it.to_string(),
            Kind::Number(it) => it.to_string(),
            Kind::String(it) => it.text.to_string(),
            Kind::List(_) => "this list".to_owned(),
            _ => "this".to_owned(),
        });
        match shown {
            None => "this".to_owned(),
            Some(text) if text.is_empty() => "empty".to_owned(),
            Some(text) => format!("`{}`", cut(&text)),
        }
    }

    pub(super) fn is_map(&self) -> bool {
        self.fault.value.as_ref().is_some_and(|it| it.as_map().is_some())
    }
}

/// The same with a capital at its beginning.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn last_name(path: &Path) -> Option<&str> {
    path.parts().iter().rev().find_map(|it| match it {
        PathStep::Name(name) => Some(&**name),
        PathStep::Item(_) => None,
    })
}

fn called(kind: &str, path: &Path) -> String {
    let name = last_name(path);
    match (path.parts().last(), name) {
        (Some(PathStep::Item(_)), Some(name)) => format!("an item of `{name}`"),
        // There are two of these in a pool.
        (_, Some(name @ ("spec" | "metadata"))) if path.parts().len() > 1 => {
            format!("`template.{name}`")
        }
        (_, Some(name)) => format!("`{}`", cut(name)),
        _ => format!("the {kind}"),
    }
}

/// Letters of a text that are shown.
const SHOWN: usize = 45;

/// A text that is not too long for a message.
pub(super) fn cut(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= SHOWN && line.len() == text.len() {
        return text.to_owned();
    }
    let head: String = line.chars().take(SHOWN - 1).collect();
    format!("{head}…")
}

/// "`a`, `b` or `c`".
pub(crate) fn list<T: AsRef<str>>(names: &[T], word: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{}`", it.as_ref())).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
    }
}

/// The one known word that a misspelt one surely means.
pub(crate) fn closest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.collect();
    if let Some(same) = known.iter().find(|it| are_alike(it, word)) {
        return Some(same);
    }
    let reach = if word.chars().count() < 6 { 1 } else { 2 };
    let near = |it: &&&str| strsim::osa_distance(&it.to_lowercase(), &word.to_lowercase()) <= reach;
    let mut near = known.iter().filter(near);
    let first = near.next().filter(|_| word.chars().count() > 3)?;
    near.next().is_none().then_some(first)
}
