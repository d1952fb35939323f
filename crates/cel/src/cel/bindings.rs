//! The values of variables.

use std::{collections::HashMap, sync::Arc};

use crate::cel::data::Outcome;

/// The values of an expression's variables. A fault is raised when its variable is used.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    values: HashMap<Arc<str>, Outcome>,
    container: Arc<str>,
    has_dots: bool,
}

impl Bindings {
    /// No variables, with a namespace in which names are looked up first: `a.b`.
    #[must_use]
    pub fn within(container: &str) -> Self {
        Self { container: container.into(), ..Self::default() }
    }

    /// Gives a variable its value.
    pub fn set(&mut self, name: impl Into<Arc<str>>, value: Outcome) {
        let name = name.into();
        self.has_dots |= name.contains('.');
        self.values.insert(name, value);
    }

    /// Whether a variable has a dot in its name.
    #[must_use]
    pub(crate) fn has_dots(&self) -> bool {
        self.has_dots
    }

    /// The value of a name, the innermost namespace first; a leading dot asks for the outermost only.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<Outcome> {
        let found = candidates(&self.container, name);
        found.into_iter().find_map(|it| self.values.get(&*it).cloned())
    }
}

/// The names that a name may stand for in a namespace, the innermost first.
#[must_use]
pub(crate) fn candidates(container: &str, name: &str) -> Vec<String> {
    if let Some(name) = name.strip_prefix('.') {
        return vec![name.to_owned()];
    }
    let mut found = Vec::new();
    let mut around = container;
    while !around.is_empty() {
        found.push(format!("{around}.{name}"));
        around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
    }
    found.push(name.to_owned());
    found
}
