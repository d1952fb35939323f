//! Reading `.karplint.yaml`. Every mistake is reported with its place and what is allowed.

use clap::ValueEnum;

use crate::{
    config::{
        Allowed, CONFIG_FILE, Globs, Layer, Override, RuleLevel, RuleName,
        allow::is_reason,
        date::Date,
        did_you_mean,
        file::{Claim, Claimed, ConfigFile, ConfigMistake, ConfigSpan},
    },
    policies::TOPIC,
    source::{SourceFile, Span, column::ColumnUnit, join, parent},
    syntax::yaml,
    value::{Entry, Kind, Value},
    version::Version,
};

/// The keys that count for the whole project, wherever else a config is.
const PROJECT_KEYS: [&str; 7] = [
    "karpenter_version",
    "kubernetes_version",
    "terraform",
    "policies",
    "fail-on",
    "baseline",
    "format",
];
/// The keys that decide about files.
const FILE_KEYS: [&str; 5] = ["extends", "rules", "exclude", "paths", "allow"];
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

/// Reads a config. `known` are the rules there are.
///
/// # Errors
/// Its mistakes, in their order.
pub fn read(
    text: &str,
    place: ConfigPath,
    known: &[RuleName],
) -> Result<ConfigFile, Vec<ConfigMistake>> {
    let file = SourceFile::new(place.path, text);
    let documents = yaml::parse_file(CONFIG_FILE, text);
    let mut reader =
        ConfigReader { file: &file, place, known, mistakes: Vec::new(), claims: Vec::new() };
    for parse_errors in &documents.parse_errors {
        reader.mistake(parse_errors.span, &parse_errors.message);
    }
    let layer = Layer { path: place.path.to_owned(), ..Layer::default() };
    let mut config = ConfigFile { layer, ..ConfigFile::default() };
    for (index, document) in documents.values.iter().enumerate() {
        if index > 0 {
            reader.mistake(document.span, "a config is one document");
        } else if !document.is_null() {
            reader.top(document, &mut config);
        }
    }
    config.claims = reader.claims;
    let mut mistakes = reader.mistakes;
    mistakes.sort_by(|a, b| (a.at.range.start, &a.message).cmp(&(b.at.range.start, &b.message)));
    if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }
}

struct ConfigReader<'a> {
    file: &'a SourceFile,
    place: ConfigPath<'a>,
    known: &'a [RuleName<'a>],
    mistakes: Vec<ConfigMistake>,
    claims: Vec<Claim>,
}

impl<'a> ConfigReader<'a> {
    fn at(&self, span: Span) -> ConfigSpan {
        ConfigSpan {
            path: self.place.path.to_owned(),
            range: span.range(),
            shown: self.place.shown.to_owned(),
            position: self.file.position(span.start as usize, ColumnUnit::Characters),
        }
    }

    fn mistake(&mut self, span: Span, message: &str) {
        self.mistakes.push(ConfigMistake { at: self.at(span), message: message.to_owned() });
    }

    fn claim(&mut self, span: Span, what: Claimed) {
        self.claims.push(Claim { at: self.at(span), what });
    }

    fn top(&mut self, document: &'a Value, config: &mut ConfigFile) {
        let keys = [&FILE_KEYS[..], &PROJECT_KEYS].concat();
        let ConfigFile { layer, settings, extends, .. } = config;
        for entry in self.mapping(document, "a config", &keys) {
            let value = &entry.value;
            if let Some(key) = PROJECT_KEYS.into_iter().find(|it| *it == &*entry.key) {
                self.claim(entry.key_span, Claimed::WholeProject(key));
            }
            match &*entry.key {
                "extends" => *extends = self.text(value).map(|it| (it, self.at(value.span))),
                "rules" => layer.rules = self.levels(value),
                "exclude" => layer.exclude = self.globs(value, Some(Claimed::Exclude)),
                "paths" => layer.overrides = self.overrides(value),
                "allow" => layer.allowed = self.allowed(value),
                "karpenter_version" => {
                    settings.karpenter_version = self.version(value, Claimed::Karpenter);
                }
                "kubernetes_version" => {
                    settings.kubernetes_version = self.version(value, Claimed::Kubernetes);
                }
                "terraform" => {
                    for entry in self.mapping(value, "`terraform`", &["var_files", "variants"]) {
                        match &*entry.key {
                            "var_files" => settings.var_files = self.var_files(&entry.value),
                            _ => settings.variants = self.variants(&entry.value),
                        }
                    }
                }
                "policies" => settings.policies = Some(self.globs(value, Some(Claimed::Policies))),
                "fail-on" => settings.fail_on = self.word(value),
                "format" => settings.format = self.word(value),
                "baseline" => settings.baseline = self.baseline(value),
                _ => {}
            }
        }
    }

    /// One text.
    fn text(&mut self, value: &'a Value) -> Option<String> {
        let text = value.as_str().filter(|it| !it.is_empty());
        if text.is_none() && !value.is_null() {
            self.mistake(value.span, "this must be one text");
        }
        text.map(str::to_owned)
    }

    /// A word of the command line.
    fn word<T: ValueEnum>(&mut self, value: &'a Value) -> Option<T> {
        let word = self.text(value)?;
        let found = T::from_str(&word, false).ok();
        if found.is_none() {
            let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let known: Vec<String> = known.map(|it| it.get_name().to_owned()).collect();
            let hint = did_you_mean(&word, known.iter().map(String::as_str));
            let message =
                format!("`{word}` is not known here{hint}; allowed: {}", known.join(", "));
            self.mistake(value.span, &message);
        }
        found
    }

    fn baseline(&mut self, value: &'a Value) -> Option<String> {
        let text = self.text(value)?;
        let path = self.path(&text, value.span)?;
        self.claim(value.span, Claimed::Baseline(path.clone()));
        Some(path)
    }

    /// A path of the config as one of the project.
    fn path(&mut self, text: &str, span: Span) -> Option<String> {
        let path = join(parent(self.place.path), text).filter(|_| !text.starts_with('/'));
        if path.is_none() {
            self.mistake(span, "this file lies outside the repository");
        }
        path
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

    /// The rule of a name, else the rules of a topic. Policies are not known yet.
    fn rules(&mut self, name: &str, place: Span) -> Vec<String> {
        let is_rule = self.known.iter().any(|it| it.rule == name);
        let named = |it: &&RuleName| it.rule == name || !is_rule && it.topic == name;
        let found = self.known.iter().filter(named).map(|it| it.rule.to_owned());
        // It stands for the policies that are still to be read, too.
        let own = (name == TOPIC).then(|| TOPIC.to_owned());
        let found: Vec<String> = found.chain(own).collect();
        if !found.is_empty() {
            return found;
        }
        self.claim(place, Claimed::Rule(name.to_owned()));
        vec![name.to_owned()]
    }

    fn levels(&mut self, value: &'a Value) -> Vec<(String, RuleLevel)> {
        if !value.is_null() && value.as_map().is_none() {
            self.mistake(value.span, "`rules` is a mapping from a rule or a topic to its level");
        }
        let (mut by_topic, mut by_rule) = (Vec::new(), Vec::new());
        for entry in value.entries() {
            let key = &*entry.key;
            let is_topic = self.known.iter().any(|it| it.topic == key && it.rule != key);
            let rules = self.rules(key, entry.key_span);
            // YAML 1.1 reads a bare `off` as false, so the source decides.
            let word = self.file.slice(entry.value.span.range()).trim_matches(['"', '\'']);
            if let Some(level) = RuleLevel::from_word(word) {
                let levels = if is_topic { &mut by_topic } else { &mut by_rule };
                levels.extend(rules.into_iter().map(|it| (it, level)));
            } else {
                let allowed = RuleLevel::WORDS.join(", ");
                let message = format!("`{word}` is no level; allowed: {allowed}");
                self.mistake(entry.value.span, &message);
            }
        }
        // The last one counts: what is said of a rule itself, whatever its topic has.
        by_topic.extend(by_rule);
        by_topic
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
                    let paths = self.globs(paths, Some(Claimed::Paths));
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
        let rules = self.rules(rule, of("rule").map_or(item.span, |it| it.span));
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
            rules,
            paths: of("paths").map(|it| self.globs(it, None)),
            object: of("object").and_then(Value::as_str).map(str::to_owned),
            until,
            place: of("rule").map_or(item.span, |it| it.span).range(),
        })
    }

    /// Patterns; what is claimed of each is held against the project.
    fn globs(&mut self, value: &'a Value, claimed: Option<fn(Globs) -> Claimed>) -> Globs {
        let patterns = self.strings(value);
        let folder = parent(self.place.path);
        for (pattern, span) in &patterns {
            match (Globs::new(folder, &[pattern]), claimed) {
                (Err((_, why)), _) => {
                    self.mistake(*span, &format!("this pattern cannot be read: {why}"));
                }
                (Ok(globs), Some(claimed)) => self.claim(*span, claimed(globs)),
                (Ok(_), None) => {}
            }
        }
        let texts: Vec<_> = patterns.iter().map(|(text, _)| *text).collect();
        Globs::new(folder, &texts).unwrap_or_default()
    }

    fn var_files(&mut self, value: &'a Value) -> Vec<String> {
        let mut files = Vec::new();
        for (text, span) in self.strings(value) {
            if let Some(path) = self.path(text, span) {
                self.claim(span, Claimed::VarFile(path.clone()));
                files.push(path);
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
    fn version(&mut self, value: &'a Value, claimed: fn(Version) -> Claimed) -> Option<String> {
        let written = match &value.kind {
            Kind::Number(_) => self.file.slice(value.span.range()),
            _ => value.as_str().unwrap_or_default(),
        };
        let digits = written.strip_prefix('v').unwrap_or(written);
        if digits.starts_with(|it: char| it.is_ascii_digit()) {
            if let Some(version) = Version::parse(digits) {
                self.claim(value.span, claimed(version));
            }
            return Some(digits.to_owned());
        }
        if !value.is_null() {
            self.mistake(value.span, "this must be a version such as \"1.8.2\"");
        }
        None
    }
}
