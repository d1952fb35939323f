//! Which objects a patch or a replacement is meant for.

use std::sync::Arc;

use regex_automata::{meta::Regex, util::syntax};

use crate::{
    resolve::{
        kubernetes::Object,
        kustomize::{edit::text, resource::Resource},
    },
    value::Value,
};

/// A `target` or `select`: every part that is written has to match.
#[derive(Debug, Default)]
pub(in crate::resolve) struct ObjectSelector {
    group: Option<TextPattern>,
    version: Option<TextPattern>,
    kind: Option<TextPattern>,
    name: Option<TextPattern>,
    namespace: Option<TextPattern>,
    labels: Vec<SelectorTerm>,
    annotations: Vec<SelectorTerm>,
}

/// A pattern that has to match the whole text.
#[derive(Debug)]
pub(super) enum TextPattern {
    /// No sign of a pattern in it.
    Plain(Arc<str>),
    /// A regular expression.
    Regex(Box<Regex>),
}

impl TextPattern {
    /// Reads a pattern; `None` when it is not one.
    #[must_use]
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '/');
        if pattern.chars().all(plain) {
            return Some(Self::Plain(pattern.into()));
        }
        let config = syntax::Config::new().unicode(false).utf8(false);
        // A pattern of a hostile repository may ask for gigabytes.
        let limits = Regex::config().nfa_size_limit(Some(1 << 20)).utf8_empty(false);
        let regex = Regex::builder()
            .syntax(config)
            .configure(limits)
            .build(&format!("^(?:{pattern})$"))
            .ok()?;
        Some(Self::Regex(Box::new(regex)))
    }

    /// Whether it matches the whole text.
    #[must_use]
    pub(super) fn matches(&self, text: &str) -> bool {
        match self {
            Self::Plain(it) => **it == *text,
            Self::Regex(it) => it.is_match(text),
        }
    }
}

#[derive(Debug)]
enum SelectorTerm {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Absent(String),
    Above(String, i64),
    Below(String, i64),
}

impl ObjectSelector {
    /// Reads a selector; `None` when kustomize would refuse it, or when part of it is not known.
    #[must_use]
    pub(in crate::resolve) fn read(target: &Value) -> Option<Self> {
        let pattern = |key: &str| match target.get(key).present() {
            None => Some(None),
            Some(value) if value.is_unknown() => None,
            Some(value) => match text(value)? {
                it if it.is_empty() => Some(None),
                it => TextPattern::new(&it).map(Some),
            },
        };
        let requirements = |key: &str| match target.get(key).present() {
            None => Some(Vec::new()),
            Some(value) => requirements(&text(value)?),
        };
        target.as_map()?;
        Some(Self {
            group: pattern("group")?,
            version: pattern("version")?,
            kind: pattern("kind")?,
            name: pattern("name")?,
            namespace: pattern("namespace")?,
            labels: requirements("labelSelector")?,
            annotations: requirements("annotationSelector")?,
        })
    }

    /// The selector of the object that a strategic merge patch is a part of; `None` when it does not say
    /// which.
    #[must_use]
    pub(in crate::resolve) fn of_part(part: &Value) -> Option<Self> {
        let exact = |path: &str| {
            let value = part.at(path).present().filter(|it| !it.is_unknown())?;
            Some(TextPattern::Plain(text(value)?))
        };
        let (kind, name) = (exact("kind")?, exact("metadata.name")?);
        Some(Self { kind: Some(kind), name: Some(name), ..Self::default() })
    }

    /// Whether it may mean an object, as far as its kind and its name say.
    #[must_use]
    pub(in crate::resolve) fn may_mean(&self, object: &Object) -> bool {
        let fits = |pattern: &Option<TextPattern>, text: Option<&str>| {
            pattern.as_ref().zip(text).is_none_or(|(pattern, text)| pattern.matches(text))
        };
        let version = object.api_version.rsplit('/').next();
        fits(&self.kind, Some(&object.kind))
            && fits(&self.group, Some(object.group()))
            && fits(&self.version, version)
            && fits(&self.name, object.anchor_text())
    }

    /// The one name that it asks for.
    #[must_use]
    pub(super) fn plain_name(&self) -> Option<&str> {
        match &self.name {
            Some(TextPattern::Plain(name)) => Some(name),
            _ => None,
        }
    }

    /// The same where no other name is taken for it.
    #[must_use]
    pub(super) fn only_name(&self) -> Option<&str> {
        let takes_any = self.namespace.as_ref().is_some_and(|it| it.matches(""));
        self.plain_name().filter(|_| !takes_any)
    }

    /// Whether it asks about names and kinds at all.
    #[must_use]
    pub(super) fn names_something(&self) -> bool {
        let parts = [&self.group, &self.version, &self.kind, &self.name, &self.namespace];
        parts.iter().any(|it| it.is_some())
    }

    /// Whether it asks about labels or annotations.
    #[must_use]
    pub(super) fn asks_metadata(&self) -> bool {
        !self.labels.is_empty() || !self.annotations.is_empty()
    }

    /// Whether it means this object, by its present or its first name.
    #[must_use]
    pub(super) fn matches(&self, resource: &Resource) -> bool {
        let fits = |pattern: &Option<TextPattern>, text: &str| {
            pattern.as_ref().is_none_or(|it| it.matches(text))
        };
        let now = resource.id();
        if !fits(&self.kind, &now.kind)
            || !fits(&self.group, &now.group)
            || !fits(&self.version, &now.version)
        {
            return false;
        }
        let first = resource.previous.first().unwrap_or(&now);
        let space = |it: &Option<Arc<str>>| it.clone().unwrap_or_else(|| NOWHERE.into());
        (fits(&self.name, &first.name) || fits(&self.name, &now.name))
            && (fits(&self.namespace, &space(&first.namespace))
                || fits(&self.namespace, &space(&now.namespace)))
            && self.matches_metadata(resource)
    }

    /// Whether every name of the object that is asked about fits one and the same of its names.
    #[must_use]
    pub(super) fn matches_any_name(&self, resource: &Resource) -> bool {
        let fits = |pattern: &Option<TextPattern>, text: &str| {
            pattern.as_ref().is_none_or(|it| it.matches(text))
        };
        resource.ids().iter().any(|id| {
            fits(&self.kind, &id.kind)
                && fits(&self.group, &id.group)
                && fits(&self.version, &id.version)
                && fits(&self.name, &id.name)
                && fits(&self.namespace, id.namespace.as_deref().unwrap_or_default())
        }) || self.matches_written_namespace(resource)
    }

    /// An object without a written namespace is asked for by an empty one, too.
    fn matches_written_namespace(&self, resource: &Resource) -> bool {
        let Some(pattern) = &self.namespace else { return false };
        resource.written_namespace().is_none() && pattern.matches("")
    }

    /// Whether the object's labels and annotations are those asked for.
    #[must_use]
    pub(super) fn matches_metadata(&self, resource: &Resource) -> bool {
        let fits = |requirements: &[SelectorTerm], path: &str| {
            let Some(map) = resource.value.at(path).present() else {
                return requirements.iter().all(|it| it.holds(None));
            };
            requirements.iter().all(|it| it.holds(map.get(it.key()).present().and_then(text)))
        };
        fits(&self.labels, "metadata.labels") && fits(&self.annotations, "metadata.annotations")
    }
}

/// What kustomize takes for the namespace of what has none.
const NOWHERE: &str = "_non_namespaceable_";

impl SelectorTerm {
    fn key(&self) -> &str {
        match self {
            Self::In(key, _) | Self::NotIn(key, _) | Self::Above(key, _) | Self::Below(key, _) => {
                key
            }
            Self::Exists(key) | Self::Absent(key) => key,
        }
    }

    fn holds(&self, value: Option<Arc<str>>) -> bool {
        let number = || value.as_ref().and_then(|it| it.parse::<i64>().ok());
        match self {
            Self::In(_, values) => value.is_some_and(|it| values.iter().any(|one| **one == *it)),
            Self::NotIn(_, values) => value.is_none_or(|it| values.iter().all(|one| **one != *it)),
            Self::Exists(_) => value.is_some(),
            Self::Absent(_) => value.is_none(),
            Self::Above(_, limit) => number().is_some_and(|it| it > *limit),
            Self::Below(_, limit) => number().is_some_and(|it| it < *limit),
        }
    }
}

/// Reads a label selector as people write it for kubectl: `app=web,tier in (a, b),!legacy`.
fn requirements(selector: &str) -> Option<Vec<SelectorTerm>> {
    let mut found = Vec::new();
    let mut rest = selector.trim();
    while !rest.is_empty() {
        // A comma inside parentheses separates values.
        let mut open = false;
        let end = rest.find(|it: char| {
            open = (open || it == '(') && it != ')';
            it == ',' && !open
        });
        let (one, later) = end.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
        found.push(requirement(one.trim())?);
        rest = later.trim();
    }
    Some(found)
}

fn requirement(text: &str) -> Option<SelectorTerm> {
    let key = |it: &str| {
        let it = it.trim();
        (!it.is_empty() && !it.contains(char::is_whitespace)).then(|| it.to_owned())
    };
    let one = |it: &str| vec![it.trim().to_owned()];
    if let Some(absent) = text.strip_prefix('!') {
        return Some(SelectorTerm::Absent(key(absent)?));
    }
    if let Some((name, values)) = text.split_once('(') {
        let values = values.trim_end().strip_suffix(')')?;
        let values = values.split(',').map(|it| it.trim().to_owned()).collect();
        let (name, operator) = name.trim_end().rsplit_once(char::is_whitespace)?;
        return match operator {
            "in" => Some(SelectorTerm::In(key(name)?, values)),
            "notin" => Some(SelectorTerm::NotIn(key(name)?, values)),
            _ => None,
        };
    }
    if let Some((name, value)) = text.split_once("!=") {
        return Some(SelectorTerm::NotIn(key(name)?, one(value)));
    }
    if let Some((name, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Some(SelectorTerm::In(key(name)?, one(value)));
    }
    if let Some((name, limit)) = text.split_once('>') {
        return Some(SelectorTerm::Above(key(name)?, limit.trim().parse().ok()?));
    }
    if let Some((name, limit)) = text.split_once('<') {
        return Some(SelectorTerm::Below(key(name)?, limit.trim().parse().ok()?));
    }
    Some(SelectorTerm::Exists(key(text)?))
}

#[cfg(test)]
mod tests {
    use super::{TextPattern, requirements};
    use std::sync::Arc;

    #[test]
    fn patterns_match_the_whole_name() {
        let cases = [
            ("web", "web", true),
            ("web", "web-1", false),
            ("web.*", "web-1", true),
            ("a|b", "ab", false),
            ("a|b", "b", true),
            ("(?i)WEB", "web", true),
            ("\\d+", "12", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(
                TextPattern::new(pattern).unwrap().matches(text),
                expected,
                "{pattern} {text}"
            );
        }
        assert!(TextPattern::new("(").is_none());
        assert!(TextPattern::new("(((a{1000}){1000}){1000})").is_none());
    }

    #[test]
    fn label_selectors_are_those_of_kubectl() {
        let cases = [
            ("app=web", Some("web"), true),
            ("app == web", Some("web"), true),
            ("app=web", None, false),
            ("app!=web", None, true),
            ("app in (web, db)", Some("db"), true),
            ("app notin (web,db)", Some("db"), false),
            ("app", Some(""), true),
            ("!app", Some(""), false),
            ("app in (a,b),app!=a", Some("b"), true),
            ("app > 3", Some("4"), true),
            ("app<3", Some("4"), false),
        ];
        for (selector, value, expected) in cases {
            let value: Option<Arc<str>> = value.map(Into::into);
            let all = requirements(selector).unwrap();
            assert_eq!(all.iter().all(|it| it.holds(value.clone())), expected, "{selector}");
        }
        assert!(requirements("a in b").is_none() && requirements("=x").is_none());
    }
}
