//! What is said of a fault: what the API server refuses, and what it takes instead.

mod advice;
pub(crate) mod case;
mod check;
mod unknown;

use crate::{
    checks::admission::{
        fault::{Fault, FaultKind},
        words::case::{FaultContext, FaultWording, closest, list, sentence},
    },
    knowledge::schema::{self, Schema, fields::FieldType},
    value::{Kind, Value},
    version::Version,
};

/// What is said of a fault of a resource of that kind and `apiVersion` with that release of Karpenter.
#[must_use]
pub(crate) fn words(
    fault: &Fault,
    kind: &str,
    api: &str,
    release: Option<&Version>,
) -> FaultWording {
    let case = FaultContext { fault, kind, api, release };
    let mut words = case.words();
    words.help = words.help.or_else(|| case.advice());
    words.message = sentence(&words.message);
    if words.message.chars().count() > LONGEST {
        words.message = format!("The API server refuses {}", case.name());
    }
    words
}

/// Letters a message may have.
const LONGEST: usize = 79;

impl FaultContext<'_> {
    fn words(&self) -> FaultWording {
        let name = self.name();
        match &self.fault.kind {
            FaultKind::Unserved => self.unserved(),
            FaultKind::Unknown { name, known } => unknown::words(self, name, known),
            FaultKind::Missing { name } => {
                FaultWording::say(format!("{} needs `{name}`", self.holder()))
            }
            FaultKind::Type(wanted) => self.of_type(*wanted),
            FaultKind::Enum(allowed) => self.of_enum(allowed),
            FaultKind::Pattern(pattern) | FaultKind::Unparsed(pattern) => {
                FaultWording::say(format!("{name} cannot be {}", self.text()))
                    .help(format!("It takes {}", pattern.meaning))
            }
            FaultKind::Format(_) => FaultWording::say(format!("{name} cannot be {}", self.text()))
                .help("It takes a date and a time such as `2026-01-31T12:00:00Z`"),
            FaultKind::Minimum(least) => {
                FaultWording::say(format!("{name} cannot be {}", self.text()))
                    .help(format!("It is at least {least}"))
            }
            FaultKind::Maximum(most) => {
                FaultWording::say(format!("{name} cannot be {}", self.text()))
                    .help(format!("It is at most {most}"))
            }
            FaultKind::TooLong(most) => {
                FaultWording::say(format!("{name} has more letters than the {most} it may have"))
            }
            FaultKind::TooShort(1) | FaultKind::TooFew(1) => {
                FaultWording::say(format!("{name} is empty"))
            }
            FaultKind::TooShort(least) => {
                FaultWording::say(format!("{name} has fewer letters than the {least} it needs"))
            }
            FaultKind::TooMany(most) => {
                let what = if self.is_map() { "entries" } else { "items" };
                FaultWording::say(format!("{name} has more {what} than the {most} it may have"))
            }
            FaultKind::TooFew(least) => {
                FaultWording::say(format!("{name} has fewer items than the {least} it needs"))
            }
            FaultKind::Duplicate { .. } => {
                FaultWording::say(format!("{} is written a second time", self.text()))
            }
            FaultKind::Check { check, text, .. } => check::words(self, check, text.as_deref()),
        }
    }

    /// Whether the resource is of the API's version 1, as later releases have it.
    fn is_v1(&self) -> bool {
        self.api.ends_with("/v1") && self.schema().is_some()
    }

    fn unserved(&self) -> FaultWording {
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
            [] if self.is_v1() => {
                format!(
                    "`{}` needs Karpenter 1.0 or later: install it, or leave this out",
                    self.api
                )
            }
            [] => match known.and_then(|it| it.schemas.first()?.since()) {
                Some(since) => format!(
                    "{} came with Karpenter {since}: install that or a newer one, or leave this out",
                    self.kind
                ),
                None => format!("Leave it out: no release has {} in this group", self.kind),
            },
            // Which of the two is out of date is not seen here.
            some if self.is_v1() => {
                format!("It serves {}; for `v1` install Karpenter 1.0 or later", list(some, "and"))
            }
            some => format!("It serves {}", list(some, "and")),
        };
        match (self.schema(), self.release) {
            (Some(_), Some(release)) => {
                let (major, minor) = release.line();
                FaultWording::say(format!(
                    "Karpenter {major}.{minor} does not serve `{}`",
                    self.api
                ))
                .help(help)
            }
            _ => FaultWording::say(format!("Karpenter has no {} of `{}`", self.kind, self.api))
                .help(help),
        }
    }

    fn of_type(&self, wanted: FieldType) -> FaultWording {
        let name = self.name();
        let value = self.fault.value.as_ref();
        let plain = value.and_then(|it| match &it.kind {
            Kind::Bool(it) => Some(it.to_string()),
            Kind::Number(it) => Some(it.to_string()),
            _ => None,
        });
        let is_text = matches!(wanted, FieldType::Text | FieldType::IntegerOrText);
        if is_text && plain.is_some_and(|it| self.takes_text(&it)) {
            return FaultWording::say(format!("{name} takes text: {} needs quotes", self.text()));
        }
        if self.fault.field == "spec.limits{}" && self.last() == "resources" {
            return FaultWording::say(
                "`limits` has no `resources`: `cpu` and `memory` are its own keys",
            );
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
            FieldType::Object | FieldType::Map => "a mapping",
            FieldType::List => "a list",
            FieldType::Text => "text",
            FieldType::Boolean => "`true` or `false` without quotes",
            FieldType::Integer if got == "a number" => "a whole number",
            FieldType::Integer => "a number without quotes",
            FieldType::IntegerOrText => "text or a whole number",
            FieldType::Any => "anything",
        };
        match got {
            "a number" if wanted == FieldType::Integer => {
                FaultWording::say(format!("{name} takes {takes}"))
            }
            _ => FaultWording::say(format!("{name} takes {takes}, not {got}")),
        }
    }

    fn of_enum(&self, allowed: &[String]) -> FaultWording {
        let written = self.fault.value.as_ref().and_then(Value::as_str).unwrap_or_default();
        let name = self.name();
        let help = format!("It is {}", list(allowed, "or"));
        let renamed = schema::renamed_value(self.kind, &self.fault.field, written);
        if let Some(renamed) = renamed.filter(|it| allowed.contains(&it.to)) {
            let to = &renamed.to;
            let version = self.api.rsplit('/').next().unwrap_or(self.api);
            return FaultWording::say(format!("{} is called `{to}` in `{version}`", self.text()))
                .help(help)
                .meant(to);
        }
        if let Some(since) = self.value_since(written) {
            return FaultWording::say(format!("`{written}` came with Karpenter {since}"))
                .help(help);
        }
        let words = FaultWording::say(format!("{name} cannot be {}", self.text())).help(help);
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
