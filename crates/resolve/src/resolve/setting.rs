//! A setting: written, default, or unknown.

use crate::{
    findings::{note::Note, silence::Silence},
    source::Span,
    value::{Field, Kind, Symbol, Text, Value, cause::Cause, step::Step},
};

/// Something the author could have set. There is no way to read it without deciding about unknown.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    answer: SettingValue<T>,
    span: Span,
    value: Option<Value>,
}

#[derive(Clone, Debug)]
enum SettingValue<T> {
    Written(T),
    Default(T),
    Unknown(Cause),
}

impl<T> Setting<T> {
    /// A setting that is not written and has this default; `span` is what it is missing from.
    pub fn default(value: T, span: Span) -> Self {
        Self { answer: SettingValue::Default(value), span, value: None }
    }

    /// A setting nothing is known about.
    #[must_use]
    pub fn unknown(span: Span) -> Self {
        Self::unknown_because(Cause::Value, span)
    }

    /// A setting nothing is known about, for that reason.
    #[must_use]
    pub fn unknown_because(cause: Cause, span: Span) -> Self {
        Self { answer: SettingValue::Unknown(cause), span, value: None }
    }

    /// A written value, understood by `read`; unknown when that fails.
    pub fn written(value: &Value, read: impl FnOnce(&Value) -> Option<T>) -> Self {
        let answer = read(value).map_or(SettingValue::Unknown(Cause::Value), SettingValue::Written);
        Self { answer, span: value.span, value: Some(value.clone()) }
    }

    /// The same, where what is written is not known to be what counts.
    #[must_use]
    pub fn doubted(self, cause: Cause) -> Self {
        Self { answer: SettingValue::Unknown(cause), ..self }
    }

    /// The same setting with another value at its place; `text` is how that would be written.
    #[must_use]
    pub fn supposed(self, value: T, text: &str) -> Self {
        let answer = match self.answer {
            SettingValue::Default(_) => SettingValue::Default(value),
            SettingValue::Written(_) | SettingValue::Unknown(_) => SettingValue::Written(value),
        };
        let written = |it: Value| Value { kind: Kind::String(Text::computed(text)), ..it };
        Self { answer, value: self.value.map(written), span: self.span }
    }

    /// What a look-up found: the written value, the default where it is certainly missing.
    pub fn of(
        field: Field<'_>,
        missing: Option<T>,
        span: Span,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Self {
        match (field, missing) {
            (Field::Present(value), _) => Self::written(value, read),
            (Field::Missing, Some(default)) => Self::default(default, span),
            // Defaults are known by version.
            (Field::Missing, None) => Self::unknown_because(Cause::Version, span),
            (Field::Unknown, _) => Self::unknown(span),
        }
    }

    /// The value, written or default, if it is known.
    pub fn known(&self) -> Option<&T> {
        match &self.answer {
            SettingValue::Written(value) | SettingValue::Default(value) => Some(value),
            SettingValue::Unknown(_) => None,
        }
    }

    /// The value, written or default; else why the question that needs it cannot be decided. `what` names
    /// the setting: "`skip_crds`".
    ///
    /// # Errors
    /// Undecided, with the expression that is not known.
    pub fn decided(&self, what: &str) -> Result<&T, Silence> {
        match &self.answer {
            SettingValue::Written(value) | SettingValue::Default(value) => Ok(value),
            SettingValue::Unknown(cause) => Err(undecided(what, *cause, self.value(), self.span)),
        }
    }

    /// Whether it is known to be this.
    pub fn known_to_be<U: ?Sized>(&self, other: &U) -> bool
    where
        T: PartialEq<U>,
    {
        self.known().is_some_and(|it| it == other)
    }

    /// The value, if it is written and known.
    pub fn written_value(&self) -> Option<&T> {
        match &self.answer {
            SettingValue::Written(value) => Some(value),
            SettingValue::Default(_) | SettingValue::Unknown(_) => None,
        }
    }

    /// Whether it is written, known or not.
    pub fn is_written(&self) -> bool {
        self.value.is_some()
    }

    /// What is written, known or not.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Where it is written, or what it is missing from.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The steps by which the value came here, as related places.
    pub fn steps(&self) -> Vec<Note> {
        self.value.as_ref().map_or_else(Vec::new, steps)
    }

    /// Whether two written settings are certainly the same or certainly different. Two unknowns that
    /// are the same expression are the same.
    pub fn same_as(&self, other: &Self) -> Option<bool> {
        self.value.as_ref()?.same_as(other.value.as_ref()?)
    }
}

/// Why a question cannot be decided that needs a setting: the first thing in its value that is not known.
fn undecided(what: &str, cause: Cause, value: Option<&Value>, span: Span) -> Silence {
    let Some(symbol) = value.and_then(unknown_in) else {
        let words = match cause {
            Cause::Version if value.is_some() => {
                format!("{what} is the default of a variable that callers of the module set")
            }
            Cause::Version => {
                format!("{what} is not set, and its default hangs on a version that is not known")
            }
            _ => format!("{what} is not known"),
        };
        return Silence::undecided(cause, words);
    };
    not_known(what, symbol).at(span, "not known")
}

/// That a question needs what is at a path of a value, which is not known. `what` names it.
#[must_use]
pub fn unknown_at(what: &str, value: &Value, path: &str) -> Silence {
    let unnamed = || Silence::undecided(Cause::Value, format!("{what} is not known"));
    value.unknown_at(path).map_or_else(unnamed, |it| not_known(what, it))
}

/// That a question needs what this symbol stands for.
#[must_use]
pub fn not_known(what: &str, symbol: &Symbol) -> Silence {
    let Some(expression) = symbol.expression() else {
        return Silence::undecided(symbol.cause, format!("{what} is not known"));
    };
    let words = match symbol.cause {
        Cause::MissingFile => {
            format!("{what} may be set by `{expression}`, which is not in the repository")
        }
        _ => format!("{what} is `{}`, which is not known", shortened(expression)),
    };
    Silence::undecided(symbol.cause, words).missing(expression)
}

/// Longer expressions are cut, in characters.
const LONGEST: usize = 60;

/// An expression on one line, as far as it tells what is missing.
fn shortened(expression: &str) -> String {
    let line = expression.lines().next().unwrap_or_default();
    if line.chars().count() <= LONGEST && line.len() == expression.len() {
        return line.to_owned();
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

/// The first unknown part of a value.
#[must_use]
pub fn unknown_in(value: &Value) -> Option<&Symbol> {
    match &value.kind {
        Kind::Unknown(symbol) => Some(symbol),
        Kind::String(text) => text.holes.first(),
        Kind::List(list) => list.rest.as_ref().or_else(|| list.items.iter().find_map(unknown_in)),
        Kind::Map(map) => {
            map.rest.as_ref().or_else(|| map.entries.iter().find_map(|it| unknown_in(&it.value)))
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => None,
    }
}

/// The steps by which a value came here, as related places.
#[must_use]
pub fn steps(value: &Value) -> Vec<Note> {
    let note = |step: &Step| Note { span: step.span, message: step.kind.to_string() };
    value.steps().map(note).collect()
}

impl Setting<String> {
    /// A text, if one is written; `place` is what it is missing from.
    #[must_use]
    pub fn text(written: Option<&Value>, place: Span) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        written.map_or_else(|| Self::unknown(place), |value| Self::written(value, text))
    }
}

impl Setting<f64> {
    /// The value as a count, if it is known and a whole number.
    #[must_use]
    pub fn count(&self) -> Option<u32> {
        self.known()?.to_string().parse().ok()
    }
}

impl Setting<bool> {
    /// The opposite, at the same place.
    #[must_use]
    pub fn turned(&self) -> Self {
        let answer = match self.answer {
            SettingValue::Written(on) => SettingValue::Written(!on),
            SettingValue::Default(on) => SettingValue::Default(!on),
            SettingValue::Unknown(cause) => SettingValue::Unknown(cause),
        };
        Self { answer, ..self.clone() }
    }
}
