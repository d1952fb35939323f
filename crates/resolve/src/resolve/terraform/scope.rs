//! The names that an expression sees.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::instance::{ModuleInstance, Repetition},
    source::Span,
    value::{Entry, Kind, Map, Symbol, Value},
};

/// Where an expression is written: which names it sees.
#[derive(Clone, Copy)]
pub(super) struct LexicalScope<'s, 'a> {
    /// The module instance.
    pub instance: &'s Rc<ModuleInstance<'a>>,
    /// `each`, `count`, the variables of `for`, innermost first.
    pub frame: Option<&'s Binding<'s>>,
    /// Whether only the frames are seen (the text of a template file).
    pub closed: bool,
}

/// A name bound by a loop or a template.
pub(super) struct Binding<'s> {
    /// The name.
    pub name: &'s str,
    /// Its value.
    pub value: Value,
    /// The frame around.
    pub outer: Option<&'s Binding<'s>>,
}

impl<'s, 'a> LexicalScope<'s, 'a> {
    /// The scope of a module instance's top level.
    pub(super) fn top(instance: &'s Rc<ModuleInstance<'a>>) -> Self {
        Self { instance, frame: None, closed: false }
    }

    /// The value a frame binds to the name.
    pub(super) fn bound(&self, name: &str) -> Option<&'s Value> {
        let frames = std::iter::successors(self.frame, |it| it.outer);
        frames.into_iter().find(|it| it.name == name).map(|it| &it.value)
    }
}

/// Evaluates where `each` or `count` has the value of one repetition.
pub(super) fn in_repetition<'a, T>(
    instance: &Rc<ModuleInstance<'a>>,
    repetition: &Repetition,
    work: impl FnOnce(LexicalScope<'_, 'a>) -> T,
) -> T {
    let top = LexicalScope::top(instance);
    let (name, value) = match repetition {
        Repetition::Once => return work(top),
        Repetition::Count(value) => ("count", value),
        Repetition::Each(value) => ("each", value),
    };
    let frame = Binding { name, value: value.clone(), outer: None };
    work(LexicalScope { frame: Some(&frame), ..top })
}

/// A mapping of the given names, as `each`, `count` and iterators are.
pub(super) fn bound<const N: usize>(at: Span, entries: [(&str, Value); N]) -> Value {
    let entry = |(key, value): (&str, Value)| Entry { key: Arc::from(key), key_span: at, value };
    Value::map(entries.into_iter().map(entry).collect(), at)
}

/// A mapping that may have further entries.
pub(super) fn open_map(at: Span, entries: Vec<Entry>, rest: Symbol) -> Value {
    Value::new(Kind::Map(Arc::new(Map { entries, rest: Some(rest) })), at)
}
