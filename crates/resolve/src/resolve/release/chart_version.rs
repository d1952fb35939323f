//! The version of a release's chart, and what fixes it.

use std::ops::Deref;

use crate::{
    resolve::setting::Setting,
    source::Span,
    value::{Kind, Text, TextSource, Value, cause::Cause},
    version::{Version, constraint::Constraint},
};

/// The version of a chart as it is written, with what fixes it. It reads as the setting.
#[derive(Clone, Debug)]
pub struct ChartVersion {
    setting: Setting<String>,
    /// Its text between the quotes, if it is one literal that decides.
    pub literal: Option<Span>,
    /// What fixes it.
    pub pin: Pin,
    /// Whether the literal may serve something else, too.
    pub shared: bool,
    /// The few texts of which it is one that is not known.
    cases: Vec<Value>,
    /// The null by which it is left to its default.
    null: Option<Value>,
}

/// What fixes the version of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Nothing does: the newest is taken.
    Newest,
    /// What is written, where one version is taken for the name of the chart in its repository.
    Written,
    /// What is written, to which the names in the repository are compared.
    Matching,
    /// A lock file.
    Lock,
    /// The name of the archive of the chart.
    Archive,
    /// Something that is not seen.
    Elsewhere,
}

impl ChartVersion {
    /// A version, if one is written; `place` is what it is missing from.
    #[must_use]
    pub fn new(written: Option<&Value>, pin: Pin, place: Span) -> Self {
        let setting = Setting::text(written, place);
        let cases = written.and_then(Value::cases).unwrap_or_default();
        let is_text = cases.iter().all(|it| it.as_str().is_some());
        let cases = if is_text { cases } else { Vec::new() };
        Self { setting, literal: written.and_then(literal), pin, shared: false, cases, null: None }
    }

    /// A version that is written, or else the newest.
    #[must_use]
    pub fn or_newest(written: Option<&Value>, place: Span) -> Self {
        let pin = if written.is_some() { Pin::Written } else { Pin::Newest };
        Self::new(written, pin, place)
    }

    /// The version, if it is known and exact.
    #[must_use]
    pub fn exact(&self) -> Option<Version> {
        Constraint::parse(self.known()?)?.is_exact()
    }

    /// The versions that may be taken: those that what is written allows, or any of the few texts that it may be.
    #[must_use]
    pub fn allowed(&self) -> Option<Constraint> {
        let texts = self.texts();
        let constraints: Option<Vec<_>> = texts.iter().map(|it| Constraint::parse(it)).collect();
        constraints?.into_iter().reduce(Constraint::or)
    }

    /// What it is, or each of the few texts that it may be; nothing where it is not known.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        match self.known() {
            Some(known) => vec![known],
            None => self.cases.iter().filter_map(Value::as_str).collect(),
        }
    }

    /// The one version that it is, or each of the few that it may be; `None` where it is not known.
    #[must_use]
    pub fn each(&self) -> Option<Vec<Version>> {
        let exact = |it: &str| Constraint::parse(it)?.is_exact();
        let versions: Option<Vec<Version>> = self.texts().into_iter().map(exact).collect();
        versions.filter(|it| !it.is_empty())
    }

    /// The same in words, each in backticks; `None` where it is not known.
    #[must_use]
    pub fn named(&self) -> Option<String> {
        let texts = self.texts();
        let (last, others) = texts.split_last()?;
        let last = format!("`{last}`");
        if others.is_empty() {
            return Some(last);
        }
        let others: Vec<String> = others.iter().map(|it| format!("`{it}`")).collect();
        Some(format!("{} or {last}", others.join(", ")))
    }

    /// The same without backticks.
    #[must_use]
    pub fn plainly(&self) -> Option<String> {
        self.named().map(|it| it.replace('`', ""))
    }

    /// Where what it is, or may be, is written.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        std::iter::once(self.span()).chain(self.cases.iter().map(|it| it.span))
    }

    /// The same where it is not known: then it is what the user says of the whole repository.
    #[must_use]
    pub fn or_assumed(self, version: &str) -> Self {
        if self.setting.known().is_some() {
            return self;
        }
        let setting = Setting::default(version.to_owned(), self.setting.span());
        Self { setting, cases: Vec::new(), ..self }
    }

    /// The same where nothing is written, or an empty text, and this is the newest that there is.
    #[must_use]
    pub fn or_newest_of(self, newest: &str) -> Self {
        let setting = Setting::default(newest.to_owned(), self.setting.span());
        Self { setting, cases: Vec::new(), ..self }
    }

    /// The same where a null leaves it to its default.
    #[must_use]
    pub fn with_null(self, null: Option<&Value>) -> Self {
        Self { null: null.filter(|it| it.is_null()).cloned(), ..self }
    }

    /// Whether one null, by way of a variable say, leaves both to the default.
    #[must_use]
    pub fn shares_null(&self, other: &Self) -> bool {
        let place = |it: &Self| it.null.as_ref().map(|it| it.span);
        place(self).is_some_and(|it| place(other) == Some(it))
    }

    /// Whether two versions are certainly the same or certainly different, as two settings are. Those that one null
    /// leaves to the default are the same.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> Option<bool> {
        if self.shares_null(other) { Some(true) } else { self.setting.same_as(&other.setting) }
    }

    /// The same where what is written is only a default, which callers of its module replace.
    #[must_use]
    pub fn of_callers(self) -> Self {
        let setting = self.setting.doubted(Cause::Version);
        Self { setting, literal: None, cases: Vec::new(), ..self }
    }

    /// The same with another version at its place.
    #[must_use]
    pub fn supposed(self, version: &str) -> Self {
        let setting = self.setting.supposed(version.to_owned(), version);
        Self { setting, cases: Vec::new(), ..self }
    }

    /// The version that a module takes by default, if it is known.
    #[must_use]
    pub fn of_module(default: Option<String>, place: Span) -> Self {
        let setting = default
            .map_or_else(|| Setting::unknown(place), |version| Setting::default(version, place));
        Self {
            setting,
            literal: None,
            pin: Pin::Elsewhere,
            shared: false,
            cases: Vec::new(),
            null: None,
        }
    }

    /// The version of a chart of this repository, as it is written there: to change it alone changes nothing.
    #[must_use]
    pub fn of_copy(written: &Value) -> Self {
        Self { literal: None, ..Self::new(Some(written), Pin::Elsewhere, written.span) }
    }

    /// The version in the name of an archive: to write another one there leads nowhere.
    #[must_use]
    pub fn of_archive(path: &Value, version: &str) -> Self {
        let named = Value { kind: Kind::String(Text::computed(version)), ..path.clone() };
        Self { literal: None, ..Self::new(Some(&named), Pin::Archive, path.span) }
    }

    /// The version of what a chart depends on: without one in its list there is none to take, and what a
    /// lock holds does not change with the literal.
    #[must_use]
    pub fn of_dependency(written: Option<&Value>, locked: Option<&Value>, place: Span) -> Self {
        match (written, locked) {
            (_, Some(_)) => Self { literal: None, ..Self::new(locked, Pin::Lock, place) },
            (Some(_), None) => Self::new(written, Pin::Written, place),
            (None, None) => Self::new(None, Pin::Elsewhere, place),
        }
    }
}

impl Deref for ChartVersion {
    type Target = Setting<String>;

    fn deref(&self) -> &Setting<String> {
        &self.setting
    }
}

/// The text between the quotes of a string that is written as it is used.
fn literal(value: &Value) -> Option<Span> {
    match &value.kind {
        Kind::String(Text { layout: TextSource::Verbatim(span), .. }) => Some(*span),
        _ => None,
    }
}
