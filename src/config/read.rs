//! Reading `.karplint.yaml`. Every mistake is reported with its place and what is allowed.

use std::ops::Range;

use crate::{
    config::{
        Allowed, CONFIG_FILE, Config, Globs, Override, RuleLevel, allow::is_reason, date::Date,
        did_you_mean,
    },
    source::{SourceFile, Span, column::ColumnUnit, join, parent},
    syntax::yaml,
    value::{Entry, Kind, Value},
};

const KEYS: [&str; 7] =
    ["rules", "exclude", "paths", "allow", "karpenter_version", "kubernetes_version", "terraform"];
/// The keys of an item of `allow`.
const ALLOW: [&str; 5] = ["rule", "paths", "object", "reason", "until"];

/// Where a config lies and how it is called in messages.
#[derive(Clone, Copy, Debug)]
pub struct ConfigPath<'a> {
    /// As the user knows it.
    pub shown: &'a str,
    /// Relative to the project's root; its folder is where patterns start. Empty when outside.
    pub path: &'a str,
}

/// Something wrong with a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMistake {
    /// Where, in bytes.
    pub at: Range<usize>,
    /// What is wrong and what is allowed.
    pub message: String,
    /// Both in one line: `path:line:column: message`.
    pub line: String,
}

/// Reads a config. `known` are the names of the rules there are.
///
/// # Errors
/// Its mistakes, in their order.
pub fn read(text: &str, place: ConfigPath, known: &[&str]) -> Result<Config, Vec<ConfigMistake>> {
    let file = SourceFile::new(place.path, text);
    let documents = yaml::parse_file(CONFIG_FILE, text);
    let mut reader = ConfigReader { file: &file, place, known, mistakes: Vec::new() };
    for parse_errors in &documents.parse_errors {
        reader.mistake(parse_errors.span, &parse_errors.message);
    }
    let mut config = Config { path: place.path.to_owned(), ..Config::default() };
    for (index, document) in documents.values.iter().enumerate() {
        if index > 0 {
            reader.mistake(document.span, "a config is one document");
        } else if !document.is_null() {
            reader.top(document, &mut config);
        }
    }
    let mut mistakes = reader.mistakes;
    mistakes.sort_by(|a, b| (a.at.start, &a.line).cmp(&(b.at.start, &b.line)));
    if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }
}

struct ConfigReader<'a> {
    file: &'a SourceFile,
    place: ConfigPath<'a>,
    known: &'a [&'a str],
    mistakes: Vec<ConfigMistake>,
}

impl<'a> ConfigReader<'a> {
    fn mistake(&mut self, span: Span, message: &str) {
        let at = self.file.position(span.start as usize, ColumnUnit::Characters);
        let line = format!("{}:{}:{}: {message}", self.place.shown, at.line, at.column);
        self.mistakes.push(ConfigMistake { at: span.range(), message: message.to_owned(), line });
    }

    fn top(&mut self, document: &'a Value, config: &mut Config) {
        for entry in self.mapping(document, "a config", &KEYS) {
            let value = &entry.value;
            match &*entry.key {
                "rules" => config.rules = self.levels(value),
                "exclude" => config.exclude = self.globs(value),
                "paths" => config.overrides = self.overrides(value),
                "allow" => config.allowed = self.allowed(value),
                "karpenter_version" => config.karpenter_version = self.version(value),
                "kubernetes_version" => config.kubernetes_version = self.version(value),
                "terraform" => {
                    for entry in self.mapping(value, "`terraform`", &["var_files", "variants"]) {
                        match &*entry.key {
                            "var_files" => config.var_files = self.var_files(&entry.value),
                            _ => config.variants = self.variants(&entry.value),
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The entries of a mapping; keys that are not allowed are mistakes and left out. Nothing written
    /// is an empty mapping.
    fn mapping(&mut self, value: &'a Value, what: &str, allowed: &[&str]) -> Vec<&'a Entry> {
        if !value.is_null() && value.as_map().is_none() {
            let keys = allowed.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
            self.mistake(value.span, &format!("{what} is a mapping with the keys {keys}"));
        }
        let mut good = Vec::new();
        for entry in value.entries() {
            if allowed.contains(&&*entry.key) {
                good.push(entry);
                continue;
            }
            let hint = did_you_mean(&entry.key, allowed.iter().copied());
            let keys = allowed.join(", ");
            let message = format!("`{}` is no key of {what}{hint}; allowed: {keys}", entry.key);
            self.mistake(entry.key_span, &message);
        }
        good
    }

    fn levels(&mut self, value: &'a Value) -> Vec<(String, RuleLevel)> {
        if !value.is_null() && value.as_map().is_none() {
            self.mistake(value.span, "`rules` is a mapping from a rule's name to its level");
        }
        let mut levels = Vec::new();
        for entry in value.entries() {
            if !self.known.contains(&&*entry.key) {
                let hint = did_you_mean(&entry.key, self.known.iter().copied());
                let message =
                    format!("`{}` is not a rule{hint}; `karplint rules` lists them", entry.key);
                self.mistake(entry.key_span, &message);
                continue;
            }
            // YAML 1.1 reads a bare `off` as false, so the source decides.
            let word = self.file.slice(entry.value.span.range()).trim_matches(['"', '\'']);
            if let Some(level) = RuleLevel::from_word(word) {
                levels.push((entry.key.to_string(), level));
            } else {
                let allowed = RuleLevel::WORDS.join(", ");
                let message = format!("`{word}` is no level; allowed: {allowed}");
                self.mistake(entry.value.span, &message);
            }
        }
        levels
    }

    fn overrides(&mut self, value: &'a Value) -> Vec<Override> {
        if !value.is_null() && value.as_list().is_none() {
            self.mistake(
                value.span,
                "`paths` is a list of mappings with the keys `paths` and `rules`",
            );
        }
        let mut overrides = Vec::new();
        for item in value.items() {
            let entries = self.mapping(item, "an item of `paths`", &["paths", "rules"]);
            let of = |key: &str| entries.iter().find(|it| &*it.key == key).map(|it| &it.value);
            match (of("paths"), of("rules")) {
                (Some(paths), Some(rules)) => {
                    let paths = self.globs(paths);
                    overrides.push(Override { paths, rules: self.levels(rules) });
                }
                _ => self.mistake(item.span, "an item of `paths` needs both `paths` and `rules`"),
            }
        }
        overrides
    }

    fn allowed(&mut self, value: &'a Value) -> Vec<Allowed> {
        if !value.is_null() && value.as_list().is_none() {
            let keys = ALLOW.map(|it| format!("`{it}`")).join(", ");
            let message = format!("`allow` is a list of mappings with the keys {keys}");
            self.mistake(value.span, &message);
        }
        value.items().iter().filter_map(|it| self.allow(it)).collect()
    }

    /// An item of `allow`; without a reason it allows nothing, as in comments.
    fn allow(&mut self, item: &'a Value) -> Option<Allowed> {
        let entries = self.mapping(item, "an item of `allow`", &ALLOW);
        let of = |key: &str| entries.iter().find(|it| &*it.key == key).map(|it| &it.value);
        let rule = of("rule").and_then(Value::as_str);
        let reason = of("reason").and_then(Value::as_str).filter(|it| is_reason(it));
        let (Some(rule), Some(_)) = (rule, reason) else {
            self.mistake(item.span, "an item of `allow` needs a `rule` and a `reason`");
            return None;
        };
        if !self.known.contains(&rule) {
            let hint = did_you_mean(rule, self.known.iter().copied());
            let message = format!("`{rule}` is not a rule{hint}; `karplint rules` lists them");
            self.mistake(of("rule").map_or(item.span, |it| it.span), &message);
        }
        let until = of("until").map(|it| (it, self.file.slice(it.span.range())));
        let until = until.and_then(|(value, written)| {
            let date = Date::parse(written.trim_matches(['"', '\'']));
            if date.is_none() {
                self.mistake(value.span, "this must be a date such as 2027-05-31");
            }
            date
        });
        Some(Allowed {
            rule: rule.to_owned(),
            paths: of("paths").map(|it| self.globs(it)),
            object: of("object").and_then(Value::as_str).map(str::to_owned),
            until,
            place: of("rule").map_or(item.span, |it| it.span).range(),
        })
    }

    fn globs(&mut self, value: &'a Value) -> Globs {
        let patterns = self.strings(value);
        let texts: Vec<_> = patterns.iter().map(|(text, _)| *text).collect();
        Globs::new(parent(self.place.path), &texts).unwrap_or_else(|(index, why)| {
            let span = patterns.get(index).map_or(value.span, |(_, span)| *span);
            self.mistake(span, &format!("this pattern cannot be read: {why}"));
            Globs::default()
        })
    }

    fn var_files(&mut self, value: &'a Value) -> Vec<String> {
        let mut files = Vec::new();
        for (text, span) in self.strings(value) {
            match join(parent(self.place.path), text) {
                Some(path) => files.push(path),
                None => self.mistake(span, "this file lies outside the repository"),
            }
        }
        files
    }

    fn variants(&mut self, value: &'a Value) -> Vec<(String, Vec<String>)> {
        if !value.is_null() && value.as_map().is_none() {
            let message = "`variants` is a mapping from a name to variable files";
            self.mistake(value.span, message);
        }
        let named = value.entries().iter();
        named.map(|it| (it.key.to_string(), self.var_files(&it.value))).collect()
    }

    /// A list of texts; one text counts as a list of one.
    fn strings(&mut self, value: &'a Value) -> Vec<(&'a str, Span)> {
        let items = match &value.kind {
            Kind::List(list) => list.items.as_slice(),
            Kind::Null => &[],
            _ => std::slice::from_ref(value),
        };
        let mut strings = Vec::new();
        for item in items {
            match item.as_str() {
                Some(text) => strings.push((text, item.span)),
                None => self.mistake(item.span, "this must be text, or a list of texts"),
            }
        }
        strings
    }

    /// A version; `1.10` without quotes is a number to YAML, so the source decides.
    fn version(&mut self, value: &'a Value) -> Option<String> {
        let written = match &value.kind {
            Kind::Number(_) => self.file.slice(value.span.range()),
            _ => value.as_str().unwrap_or_default(),
        };
        let digits = written.strip_prefix('v').unwrap_or(written);
        if digits.starts_with(|it: char| it.is_ascii_digit()) {
            return Some(digits.to_owned());
        }
        if !value.is_null() {
            self.mistake(value.span, "this must be a version such as \"1.8.2\"");
        }
        None
    }
}
