//! A new entry of `allow` in the text of a config.

use std::ops::Range;

use crate::{
    config::CONFIG_FILE,
    source::Span,
    syntax::yaml,
    value::{Kind, Value},
};

/// The first lines of a config that is created for its first entry.
const HEADER: &str = "# Decisions of karplint for everything below this folder: https://github.com/karplint/karplint\n";

/// What is to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewEntry {
    /// The rule.
    pub rule: String,
    /// The file of the findings, relative to the config's folder.
    pub path: String,
    /// What they are about, if it has a name.
    pub object: Option<String>,
}

/// A change of a text with a gap for the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// The bytes that are replaced; empty where nothing is.
    pub range: Range<usize>,
    /// What is written in front of the reason.
    pub before: String,
    /// What follows the reason.
    pub after: String,
}

impl NewEntry {
    /// Where and how the entry is written into a config; the reason is between double quotes. `None`
    /// where the config cannot be read, or is one mapping in braces.
    #[must_use]
    pub(crate) fn insertion(&self, text: &str) -> Option<Insertion> {
        let documents = yaml::parse_file(CONFIG_FILE, text);
        if !documents.parse_errors.is_empty() || documents.values.len() > 1 {
            return None;
        }
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let top = documents.values.first().filter(|it| !it.is_null());
        let Some(top) = top else { return Some(self.at_end(text, end)) };
        if top.as_map().is_none() || text.get(top.span.range())?.starts_with('{') {
            return None;
        }
        match top.entries().iter().find(|it| &*it.key == "allow") {
            None => Some(self.at_end(text, end)),
            Some(entry) => self.in_list(text, entry.key_span, &entry.value, end),
        }
    }

    /// As the first item of a list behind all that is written.
    fn at_end(&self, text: &str, end: &str) -> Insertion {
        let mut before = String::new();
        if text.is_empty() {
            before.push_str(HEADER);
        } else if !text.ends_with('\n') {
            before.push_str(end);
        }
        before.push_str(&[end, "allow:", &self.item("  ", end)].concat());
        Insertion { range: text.len()..text.len(), before, after: format!("\"{end}") }
    }

    fn in_list(&self, text: &str, key: Span, list: &Value, end: &str) -> Option<Insertion> {
        let after = "\"".to_owned();
        let written = text.get(list.span.range())?;
        if list.is_null() || list.is_empty() {
            let colon = key.end as usize + text.get(key.end as usize..)?.find(':')? + 1;
            let stop = if written.trim().is_empty() { colon } else { list.span.end as usize };
            return Some(Insertion { range: colon..stop, before: self.item("  ", end), after });
        }
        let Kind::List(items) = &list.kind else { return None };
        let (head, tail) = (items.items.first()?, items.items.last()?);
        if written.starts_with('[') {
            let at = tail.span.end as usize;
            let before = format!(", {{ {}, reason: \"", self.fields().join(", "));
            return Some(Insertion { range: at..at, before, after: "\" }".to_owned() });
        }
        let line = text.get(..head.span.start as usize)?.rsplit('\n').next()?;
        let indent = line.split('-').next()?;
        let stop = text.get(..tail.span.end as usize)?.trim_end().len();
        let rest = text.get(stop..)?.split(['\r', '\n']).next()?;
        let at = stop + rest.len();
        Some(Insertion { range: at..at, before: self.item(indent, end), after })
    }

    /// The item with a line for each of its fields, up to the reason's opening quote.
    fn item(&self, indent: &str, end: &str) -> String {
        let fields = self.fields().join(&[end, indent, "  "].concat());
        [end, indent, "- ", &fields, end, indent, "  reason: \""].concat()
    }

    fn fields(&self) -> Vec<String> {
        // Without a slash a pattern would match in every folder.
        let slash = if self.path.contains('/') { "" } else { "/" };
        let path = format!("{slash}{}", globset::escape(&self.path));
        let fields =
            [("rule", Some(&self.rule)), ("paths", Some(&path)), ("object", self.object.as_ref())];
        let field = |(key, text): (&str, Option<&String>)| {
            let text = text?;
            let plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
            let is_plain = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '/')
                && text.chars().all(plain);
            Some(if is_plain {
                format!("{key}: {text}")
            } else {
                format!("{key}: \"{}\"", escaped(text))
            })
        };
        fields.into_iter().filter_map(field).collect()
    }
}

/// Text for between double quotes.
#[must_use]
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::{NewEntry, escaped};
    use crate::config::{
        RuleName,
        read::{ConfigPath, read},
    };

    #[test]
    fn an_entry_fits_into_every_config() {
        let new = NewEntry {
            rule: "a".into(),
            path: "x[1].tf".into(),
            object: Some("b.c[\"d\"]".into()),
        };
        let cases = [
            "",
            "# only a comment\n",
            "rules: {}",
            "rules: {}\r\nallow: []\r\n# more\r\n",
            "allow:\nrules: {}\n",
            "allow: # nothing\nrules: {}\n",
            "allow: ~\n",
            "allow:\n- rule: b\n  reason: c # d\nrules: {}\n",
            "rules: {}\nallow:\n    - rule: b\n      reason: >-\n        c\n\n# more",
            "allow: [{ rule: b, reason: c }]\n",
        ];
        for text in cases {
            let insertion = new.insertion(text).unwrap();
            let reason = escaped("it is \"so\": \\ # so");
            let mut after = text.to_owned();
            after.replace_range(
                insertion.range.clone(),
                &[&insertion.before, reason.as_str(), &insertion.after].concat(),
            );
            let known = ["a", "b"].map(|rule| RuleName { rule, topic: "both" });
            let config = read(&after, ConfigPath { shown: "c", path: "c" }, &known);
            let config = config.unwrap_or_else(|mistakes| unreachable!("{after}\n{mistakes:?}"));
            let last = config.layer.allowed.last().unwrap();
            assert_eq!(last.rule, "a", "{after}");
            assert_eq!(last.object.as_deref(), Some("b.c[\"d\"]"), "{after}");
            assert!(last.paths.as_ref().is_some_and(|it| it.matches("x[1].tf")), "{after}");
            assert!(!last.paths.as_ref().is_some_and(|it| it.matches("y/x[1].tf")), "{after}");
            assert_eq!(config.layer.allowed.len(), 1 + text.matches("rule: b").count(), "{after}");
        }
        for text in ["{ rules: {} }\n", "allow: [\n", "a: 1\n---\nb: 1\n"] {
            assert_eq!(new.insertion(text), None, "{text}");
        }
    }
}
