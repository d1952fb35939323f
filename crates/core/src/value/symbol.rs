//! Names of what is not known.

use std::{fmt, ops::Deref, sync::Arc};

use crate::value::{cases::Cases, cause::Cause};

/// The name of something unknown. Equal symbols are equal values. Each value and each collection has room for one, so
/// it is only a pointer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Symbol(Arc<Naming>);

/// What is known of a [`Symbol`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Naming {
    /// Whose expression it is (a module instance, a file); part of the identity, not shown.
    pub scope: Arc<str>,
    /// The expression in Terraform's notation, without layout.
    pub text: Arc<str>,
    /// Whose expressions those of others are that stand in it (`count.index` of a resource); part of the identity, not
    /// shown.
    pub parts_of: Option<Arc<str>>,
    /// Why it is unknown.
    pub cause: Cause,
    /// Of which few values it is one.
    pub(super) cases: Cases,
}

impl Deref for Symbol {
    type Target = Naming;

    fn deref(&self) -> &Naming {
        &self.0
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Symbol {
    /// The symbol of an expression in a scope.
    #[must_use]
    pub fn new(scope: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(Naming {
            scope: scope.into(),
            text: text.into(),
            parts_of: None,
            cause: Cause::Value,
            cases: Cases::default(),
        }))
    }

    /// The same of something that is one of a few values.
    pub(super) fn one_of(mut self, cases: Cases) -> Self {
        Arc::make_mut(&mut self.0).cases = cases;
        self
    }

    /// The same with expressions of others in it.
    #[must_use]
    pub fn with_parts_of(mut self, scopes: impl Into<Arc<str>>) -> Self {
        Arc::make_mut(&mut self.0).parts_of = Some(scopes.into());
        self
    }

    /// What only the installation of a chart knows, or whoever installs it gives.
    #[must_use]
    pub fn of_installation(text: impl Into<Arc<str>>) -> Self {
        Self::new("helm", text).because(Cause::Installation)
    }

    /// The same, unknown for that reason.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        Arc::make_mut(&mut self.0).cause = cause;
        self
    }

    /// The same under another name.
    #[must_use]
    pub fn called(&self, text: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(Naming { text: text.into(), ..Naming::clone(self) }))
    }

    /// The expression, if it is one that an author wrote, and not a name made to tell unknowns apart.
    #[must_use]
    pub fn expression(&self) -> Option<&str> {
        let made = matches!(&*self.scope, "place" | "file" | "values" | "plan");
        (!made && !self.text.starts_with('#')).then_some(&*self.text)
    }
}
