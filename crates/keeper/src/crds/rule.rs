//! The CEL rules of the CRDs, known by a hash of their text.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::OnceLock,
};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::tree::document;

/// A check by name, with what it compares to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedRule {
    /// `one-needed`.
    pub check: String,
    /// The fields it asks for.
    pub fields: Vec<String>,
    /// The texts it compares to.
    pub literals: BTreeSet<String>,
}

impl fmt::Display for NamedRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let literals = self.literals.iter().cloned();
        let of: Vec<String> = self.fields.iter().cloned().chain(literals).collect();
        let of = if of.is_empty() { String::new() } else { format!(" of {}", of.join(", ")) };
        write!(out, "{}{of}", self.check)
    }
}

/// A reserved domain, with the keys that are let in by name.
pub(super) type LetIn = (String, BTreeSet<String>);

/// The check a rule makes, with the keys it lets in, if it is about a reserved domain.
pub(super) fn read(rule: &str) -> Option<(NamedRule, Option<LetIn>)> {
    let text = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((check, fields)) = table().get(&digest(&text)) {
        return Some((named(check, fields, Vec::new()), None));
    }
    let (stripped, literals) = strip(&text);
    let (check, fields) = table().get(&digest(&stripped))?;
    if check != "reserved-domain" {
        let noise = ["^[^@]+", "@", "latest", "Custom"];
        let literals = literals.into_iter().filter(|it| !noise.contains(&it.as_str()));
        return Some((named(check, fields, literals.collect()), None));
    }
    let domain = literals.last()?.clone();
    // What is let in by its beginning or its domain comes after the list of keys.
    let list = text.split(']').next().filter(|_| text.contains("] ||")).unwrap_or_default();
    let (_, keys) = strip(list);
    let is_other = |it: &String| !keys.contains(it) && !it.contains('^');
    let others: Vec<String> = literals.into_iter().filter(is_other).collect();
    let ends: Vec<&str> =
        others.iter().filter(|it| **it != domain).map(|it| it.trim_end_matches('/')).collect();
    let passes_anyway = |key: &str| {
        let own = key.split('/').next().unwrap_or(key);
        ends.iter().any(|it| own.ends_with(it))
    };
    let keys = keys.into_iter().filter(|it| !passes_anyway(it)).collect();
    Some((named(check, fields, others), Some((domain, keys))))
}

fn named(check: &str, fields: &[String], literals: Vec<String>) -> NamedRule {
    NamedRule {
        check: check.to_owned(),
        fields: fields.to_vec(),
        literals: literals.into_iter().collect(),
    }
}

/// The text with each literal, or list of literals, as `""`; and the literals.
fn strip(text: &str) -> (String, Vec<String>) {
    let mut stripped = String::new();
    let mut literals = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '\'']) {
        let (before, from) = rest.split_at(open);
        let quote = if from.starts_with('"') { '"' } else { '\'' };
        let Some((literal, after)) = from.get(1..).and_then(|it| it.split_once(quote)) else {
            break;
        };
        stripped.push_str(before);
        stripped.push_str("\"\"");
        literals.push(literal.to_owned());
        rest = after;
    }
    stripped.push_str(rest);
    while stripped.contains("\"\", \"\"") || stripped.contains("\"\",\"\"") {
        stripped = stripped.replace("\"\", \"\"", "\"\"").replace("\"\",\"\"", "\"\"");
    }
    (stripped, literals)
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(8).fold(String::new(), |text, it| format!("{text}{it:02x}"))
}

/// The hashes of a rule as it is and without its literals, as `rules.yaml` has one of them.
pub(super) fn digests(rule: &str) -> String {
    let text = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{} or, without literals, {}", digest(&text), digest(&strip(&text).0))
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    rules: Vec<RuleRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleRecord {
    /// The hash of its text.
    #[serde(rename = "rule")]
    digest: String,
    check: String,
    #[serde(default)]
    fields: Vec<String>,
}

/// The checks by the hashes of their rules.
fn table() -> &'static HashMap<String, (String, Vec<String>)> {
    static TABLE: OnceLock<HashMap<String, (String, Vec<String>)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let document = document(include_str!("rules.yaml"));
        let rules = document.and_then(|it| RuleFile::deserialize(&it).ok());
        let rules = rules.map_or_else(Vec::new, |it| it.rules).into_iter();
        rules.map(|it| (it.digest, (it.check, it.fields))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{strip, table};

    #[test]
    fn literals_are_taken_out() {
        for (text, stripped, literals) in [
            ("self != ''", "self != \"\"", &[""][..]),
            ("x in [\"a\", 'b',\"c\"] || y", "x in [\"\"] || y", &["a", "b", "c"]),
            ("x.find(\"^([^/]+)\")", "x.find(\"\")", &["^([^/]+)"]),
        ] {
            let (found, taken) = strip(text);
            assert_eq!(
                (found.as_str(), taken),
                (stripped, literals.iter().map(|it| (*it).to_owned()).collect())
            );
        }
        assert!(table().len() > 60, "{} rules", table().len());
    }
}
