//! What is said of a fault: what the API server refuses, and what it takes instead.

pub mod case;
mod check;
mod unknown;

use crate::{
    checks::admission::{
        fault::{Fault, FaultKind},
        words::case::{Case, Words, closest, list, sentence},
    },
    knowledge::schema::{self, Schema, fields::Type},
    value::{Kind, Value},
    version::Version,
};

/// What is said of a fault of a resource of that kind and `apiVersion` with that release of Karpenter.
#[must_use]
pub fn words(fault: &Fault, kind: &str, api: &str, release: Option<&Version>) -> Words {
    let case = Case { fault, kind, api, release };
    let mut words = case.words();
    words.message = sentence(&words.message);
    if words.message.chars().count() > LONGEST {
        words.message = format!("The API server refuses {}", case.name());
    }
    words
}

/// Letters a message may have.
const LONGEST: usize = 79;

impl Case<'_> {
    fn words(&self) -> Words {
        let name = self.name();
        match &self.fault.kind {
            FaultKind::Unserved => self.unserved(),
            FaultKind::Unknown { name, known } => unknown::words(self, name, known),
            FaultKind::Missing { name } => Words::say(format!("{} needs `{name}`", self.holder())),
            FaultKind::Type(wanted) => self.of_type(*wanted),
            FaultKind::Enum(allowed) => self.of_enum(allowed),
            FaultKind::Pattern(pattern) => Words::say(format!("{name} cannot be {}", self.text()))
                .help(format!("It takes {}", pattern.meaning)),
            FaultKind::Format(_) => Words::say(format!("{name} cannot be {}", self.text()))
                .help("It takes a date and a time such as `2026-01-31T12:00:00Z`"),
            FaultKind::Minimum(least) => Words::say(format!("{name} cannot be {}", self.text()))
                .help(format!("It is at least {least}")),
            FaultKind::Maximum(most) => Words::say(format!("{name} cannot be {}", self.text()))
                .help(format!("It is at most {most}")),
            FaultKind::TooLong(most) => {
                Words::say(format!("{name} has more letters than the {most} it may have"))
            }
            FaultKind::TooShort(1) | FaultKind::TooFew(1) => Words::say(format!("{name} is empty")),
            FaultKind::TooShort(least) => {
                Words::say(format!("{name} has fewer letters than the {least} it needs"))
            }
            FaultKind::TooMany(most) => {
                let what = if self.is_map() { "entries" } else { "items" };
                Words::say(format!("{name} has more {what} than the {most} it may have"))
            }
            FaultKind::TooFew(least) => {
                Words::say(format!("{name} has fewer items than the {least} it needs"))
            }
            FaultKind::Duplicate { .. } => {
                Words::say(format!("{} stands here a second time", self.text()))
            }
            FaultKind::Check { check, text, .. } => check::words(self, check, text.as_deref()),
        }
    }

    fn unserved(&self) -> Words {
        let group = self.api.split('/').next().unwrap_or(self.api);
        let known = schema::kind(group, self.kind);
        let versions: Vec<String> = match (known, self.release) {
            (Some(kind), Some(release)) => {
                kind.served_by(release).map(Schema::api_version).collect()
            }
            (Some(kind), None) => kind.schemas.iter().map(Schema::api_version).collect(),
            (None, _) => Vec::new(),
        };
        let help = match versions.as_slice() {
            [] => format!("It has no {} at all", self.kind),
            some => format!("It serves {}", list(some, "and")),
        };
        match (self.schema(), self.release) {
            (Some(_), Some(release)) => {
                let (major, minor) = release.line();
                Words::say(format!("Karpenter {major}.{minor} does not serve `{}`", self.api))
                    .help(help)
            }
            _ => Words::say(format!("Karpenter has no {} of `{}`", self.kind, self.api)).help(help),
        }
    }

    fn of_type(&self, wanted: Type) -> Words {
        let name = self.name();
        let value = self.fault.value.as_ref();
        let plain = value.filter(|it| matches!(it.kind, Kind::Bool(_) | Kind::Number(_)));
        if let (Some(_), Type::Text | Type::IntegerOrText) = (plain, wanted) {
            return Words::say(format!("{name} takes text: {} needs quotes", self.text()));
        }
        if self.fault.field == "spec.limits{}" && self.last() == "resources" {
            return Words::say("`limits` has no `resources`: `cpu` and `memory` stand in it");
        }
        let got = value.map_or("something else", |it| match it.kind {
            Kind::Map(_) => "a mapping",
            Kind::List(_) => "a list",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::Null => "null",
            _ => "text",
        });
        let takes = match wanted {
            Type::Object | Type::Map => "a mapping",
            Type::List => "a list",
            Type::Text => "text",
            Type::Boolean => "`true` or `false` without quotes",
            Type::Integer if got == "a number" => "a whole number",
            Type::Integer => "a number without quotes",
            Type::IntegerOrText => "text or a whole number",
        };
        match got {
            "a number" if wanted == Type::Integer => Words::say(format!("{name} takes {takes}")),
            _ => Words::say(format!("{name} takes {takes}, not {got}")),
        }
    }

    fn of_enum(&self, allowed: &[String]) -> Words {
        let written = self.fault.value.as_ref().and_then(Value::as_str).unwrap_or_default();
        let name = self.name();
        let help = format!("It is {}", list(allowed, "or"));
        let renamed = schema::renamed_value(self.kind, &self.fault.field, written);
        if let Some(renamed) = renamed.filter(|it| allowed.contains(&it.to)) {
            let to = &renamed.to;
            let version = self.api.rsplit('/').next().unwrap_or(self.api);
            return Words::say(format!("{} is called `{to}` in `{version}`", self.text()))
                .help(help)
                .meant(to);
        }
        if let Some(since) = self.value_since(written) {
            return Words::say(format!("`{written}` came with Karpenter {since}")).help(help);
        }
        let words = Words::say(format!("{name} cannot be {}", self.text())).help(help);
        match closest(written, allowed.iter().map(String::as_str)) {
            Some(meant) => words.meant(meant),
            None => words,
        }
    }

    /// The release with which a text became one of those a field takes, if that is later.
    fn value_since(&self, text: &str) -> Option<&'static Version> {
        let facts = &self.schema()?.field(&self.fault.field)?.facts;
        let fact = facts.iter().find(|it| it.shape.values.iter().any(|it| it == text))?;
        fact.range.since.as_ref().filter(|since| self.release.is_some_and(|it| it < *since))
    }
}

#[cfg(test)]
mod tests;
