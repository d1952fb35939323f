//! The patterns of texts, with what they mean in words.

use std::sync::{LazyLock, OnceLock};

use regex_automata::{meta::Regex, util::syntax};
use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The patterns of the data.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Patterns {
    /// The patterns.
    #[serde(rename = "patterns")]
    pub list: Vec<Pattern>,
    /// Where they are written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A pattern that is searched for in a text, as the API server does: in RE2's syntax, over ASCII.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Its name in the data: `label-value`.
    pub name: String,
    /// What it lets in: "a quantity such as `500m`, `10` or `16Gi`".
    pub meaning: String,
    /// The expression.
    #[serde(rename = "pattern")]
    pub expression: String,
    /// What Karpenter can read of the texts that have it, where that is less: no object of the kind is known to it
    /// while one of them cannot be read.
    #[serde(default)]
    pub readable: Option<String>,
    #[serde(skip)]
    regex: OnceLock<Option<Regex>>,
    #[serde(skip)]
    readable_regex: OnceLock<Option<Regex>>,
}

/// The patterns.
#[must_use]
pub fn all() -> &'static Patterns {
    &READ.data
}

/// What could not be read.
pub(super) fn problems() -> &'static Vec<String> {
    &READ.problems
}

static READ: LazyLock<Read<Patterns>> =
    LazyLock::new(|| document("schema/patterns.yaml", include_str!("patterns.yaml")));

/// The pattern of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Pattern> {
    all().list.iter().find(|it| it.name == name)
}

impl Pattern {
    /// A pattern that is compiled when it is first searched for.
    #[must_use]
    pub fn new(name: String, expression: String, meaning: String) -> Self {
        let (regex, readable_regex) = (OnceLock::new(), OnceLock::new());
        Self { name, meaning, expression, readable: None, regex, readable_regex }
    }

    /// Whether the text has it and can be read; a pattern that cannot be compiled is in every text.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let is_readable = || self.readable_regex().is_none_or(|it| it.is_match(text));
        self.is_taken(text) && is_readable()
    }

    /// Whether the API server takes the text, though Karpenter may not read it.
    #[must_use]
    pub fn is_taken(&self, text: &str) -> bool {
        self.regex().is_none_or(|it| it.is_match(text))
    }

    /// Whether it can be compiled; a test holds that each can.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.regex().is_some() && self.readable.is_some() == self.readable_regex().is_some()
    }

    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| compiled(&self.expression)).as_ref()
    }

    fn readable_regex(&self) -> Option<&Regex> {
        let compile = || self.readable.as_ref().and_then(|it| compiled(it));
        self.readable_regex.get_or_init(compile).as_ref()
    }
}

fn compiled(expression: &str) -> Option<Regex> {
    let ascii = syntax::Config::new().unicode(false).utf8(false);
    let config = Regex::config().utf8_empty(false);
    Regex::builder().syntax(ascii).configure(config).build(expression).ok()
}
