//! The chart that an object comes from, where its templates are not the repository's own.

use std::sync::Arc;

use crate::{source::Span, value::Value};

/// A chart of others inside a chart of the repository, or a copy of one.
#[derive(Clone, Debug)]
pub struct Part {
    /// The chart's name.
    pub chart: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// Where it is from, if that is written.
    pub repository: Option<Arc<str>>,
    /// The keys of its values in those of the chart that is installed, joined by dots; empty for that chart.
    pub keys: String,
    /// What is written for it outside of its own defaults.
    pub values: Value,
    /// Its own defaults.
    pub defaults: Value,
    /// The text of the template that prints the object; empty where it is not known.
    pub template: Arc<str>,
    /// Where its values are written, else where the dependency is; `None` where its templates are to be edited
    /// as well.
    pub place: Option<Span>,
}

/// What gives an object of a chart an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemSource {
    /// Values that are written for the chart.
    Written,
    /// The default of a value, with the keys that lead to it from the values of the chart that is installed.
    Default(String),
    /// The template, which reads no value for the list.
    Template,
    /// The chart, by a value or not.
    Chart,
}

impl Part {
    /// What gives an object an item of the list under a key. Values count whose own key ends with that one.
    #[must_use]
    pub fn source_of(&self, key: &str, item: &Value) -> ItemSource {
        if !lists_with((key, item), &self.values, "").is_empty() {
            return ItemSource::Written;
        }
        let is_read = |it: &String| self.template.contains(&format!("Values.{it}"));
        let mut read = lists_with((key, item), &self.defaults, "").into_iter().filter(is_read);
        if let (Some(path), None) = (read.next(), read.next()) {
            let keys = if self.keys.is_empty() { String::new() } else { format!("{}.", self.keys) };
            return ItemSource::Default(format!("{keys}{path}"));
        }
        if self.is_literal(key) { ItemSource::Template } else { ItemSource::Chart }
    }

    /// Whether the template writes out the lists under a key, and names the key in no action.
    fn is_literal(&self, key: &str) -> bool {
        let mut lines = self.template.lines().map(str::trim).filter(|it| !it.is_empty()).peekable();
        let mut is_there = false;
        while let Some(line) = lines.next() {
            let is_list = line.trim_start_matches("- ").strip_prefix(key) == Some(":");
            let has_action = |it: &str| it.contains("{{");
            if ends_with(line, key) && has_action(line) {
                return false;
            }
            if is_list && lines.peek().is_none_or(|it| has_action(it) || !it.starts_with('-')) {
                return false;
            }
            is_there |= is_list;
        }
        is_there
    }
}

/// Whether a text has a key, or a longer one that ends with it.
fn ends_with(text: &str, key: &str) -> bool {
    text.to_lowercase().contains(&key.to_lowercase())
}

/// The paths of the lists, under such a key, that may have an item.
fn lists_with((key, item): (&str, &Value), values: &Value, above: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in values.entries() {
        let path =
            if above.is_empty() { entry.key.to_string() } else { format!("{above}.{}", entry.key) };
        let has_it = || entry.value.items().iter().any(|it| it.same_as(item) != Some(false));
        if ends_with(&entry.key, key) && has_it() {
            found.push(path);
        } else {
            found.extend(lists_with((key, item), &entry.value, &path));
        }
    }
    found
}
