//! The values of variables.

use std::sync::Arc;

use crate::cel::data::Outcome;

/// The values of an expression's variables. A fault is raised when its variable is used.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// They are so few that a table would take longer.
    values: Vec<(Arc<str>, Outcome)>,
    container: Arc<str>,
    /// The first parts of the names with dots.
    roots: Vec<Arc<str>>,
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
        if let Some((root, _)) = name.split_once('.')
            && self.roots.iter().all(|it| **it != *root)
        {
            self.roots.push(root.into());
        }
        match self.values.iter_mut().find(|it| it.0 == name) {
            Some(entry) => entry.1 = value,
            None => self.values.push((name, value)),
        }
    }

    /// Whether a variable may have a name with dots that begins so.
    #[must_use]
    pub(crate) fn have_dotted(&self, root: &str) -> bool {
        if self.roots.is_empty() {
            return false;
        }
        let is_of_container = !self.container.is_empty() || root.starts_with('.');
        is_of_container || self.roots.iter().any(|it| **it == *root)
    }

    /// The value of a name, the innermost namespace first; a leading dot asks for the outermost only.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<Outcome> {
        if self.container.is_empty() && !name.starts_with('.') {
            return self.own(name);
        }
        candidates(&self.container, name).into_iter().find_map(|it| self.own(&it))
    }

    /// The value of a name, where names are looked up in no namespace.
    #[must_use]
    pub(crate) fn plain(&self, name: &str) -> Option<&Outcome> {
        let is_plain = self.container.is_empty() && !name.starts_with('.');
        self.values.iter().find(|it| is_plain && *it.0 == *name).map(|it| &it.1)
    }

    fn own(&self, name: &str) -> Option<Outcome> {
        self.values.iter().find(|it| *it.0 == *name).map(|it| it.1.clone())
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
