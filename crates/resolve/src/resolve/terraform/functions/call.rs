//! A call of a function: what it is given, how it fails, and the limits of what is computed.

use std::{
    cell::{LazyCell, RefCell},
    collections::BTreeSet,
    sync::Arc,
};

use crate::{
    source::{FileId, Files, Span},
    value::{Kind, Symbol, Value},
};

/// A call and where it is written.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The function's name as written.
    pub name: &'a str,
    /// The whole call.
    pub span: Span,
    /// What the result is called when it is not known. Most are, and so it is seldom written out.
    pub symbol: LazyCell<Symbol, &'a dyn Fn() -> Symbol>,
    /// The project, for `file` and its kin.
    pub files: &'a Files,
    /// The files whose texts were asked for.
    pub read: &'a RefCell<BTreeSet<FileId>>,
    /// The folder of the module, relative to the project's root.
    pub folder: &'a str,
}

/// An evaluation error; `try` and `can` see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvaluationError {
    /// What it is about.
    pub span: Span,
    /// What is wrong: "`tonumber` needs a number".
    pub message: String,
}

/// What a function answers.
pub(crate) type CallResult = Result<Value, EvaluationError>;

/// More items than this are not computed.
pub(crate) const MOST_ITEMS: usize = 10_000;

/// Values of more parts than this, all levels together, are not looked at.
pub(crate) const MOST_PARTS: usize = 100_000;

/// Longer texts than this are not computed, bytes.
pub(crate) const MOST_BYTES: usize = 1_000_000;

impl Call<'_> {
    /// The result when it is not known.
    #[must_use]
    pub(crate) fn unknown(&self) -> Value {
        Value::unknown(self.symbol.clone(), self.span)
    }

    /// An unknown part of the result: `merge(a, b)["key"]`.
    #[must_use]
    pub(crate) fn part(&self, key: &str) -> Symbol {
        Symbol::new(self.symbol.scope.clone(), format!("{}[\"{key}\"]", self.symbol.text))
    }

    /// A new value, with this call as its origin.
    #[must_use]
    pub(crate) fn value(&self, kind: Kind) -> Value {
        Value::new(kind, self.span)
    }

    /// A new text, unknown when it is longer than is sensible.
    #[must_use]
    pub(crate) fn text(&self, text: impl Into<Arc<str>>) -> Value {
        let text: Arc<str> = text.into();
        if text.len() > MOST_BYTES { self.unknown() } else { Value::computed(text, self.span) }
    }

    /// A new list of texts.
    #[must_use]
    pub(crate) fn texts<T: Into<Arc<str>>>(&self, texts: impl IntoIterator<Item = T>) -> Value {
        Value::list(texts.into_iter().map(|it| self.text(it)).collect(), self.span)
    }

    /// A failure of this call.
    ///
    /// # Errors
    /// Always: it is the error.
    pub(crate) fn fault<T>(&self, message: impl std::fmt::Display) -> Result<T, EvaluationError> {
        Err(EvaluationError { span: self.span, message: format!("`{}` {message}", self.name) })
    }
}

/// Whether the values can be walked: shared parts count each time they are met, so that a few lines of
/// lists of lists cannot stand for billions of items.
#[must_use]
pub(crate) fn is_sensible(values: &[Value]) -> bool {
    let has_parts = |it: &Value| matches!(it.kind, Kind::List(_) | Kind::Map(_));
    if !values.iter().any(has_parts) {
        return true;
    }
    let mut waiting: Vec<&Value> = values.iter().collect();
    let mut met = 0;
    while let Some(value) = waiting.pop() {
        met += 1;
        if met + waiting.len() > MOST_PARTS {
            return false;
        }
        match &value.kind {
            Kind::List(list) => waiting.extend(&list.items),
            Kind::Map(map) => waiting.extend(map.entries.iter().map(|it| &it.value)),
            _ => {}
        }
    }
    true
}
