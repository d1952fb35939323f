//! Names of what is not known.

use std::sync::Arc;

use crate::value::{cases::Cases, cause::Cause};

/// The name of something unknown. Equal symbols are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// Whose expression it is (a module instance, a file); part of the identity, not shown.
    pub scope: Arc<str>,
    /// The expression in Terraform's notation, without layout.
    pub text: Arc<str>,
    /// Why it is unknown.
    pub cause: Cause,
    /// Of which few values it is one.
    pub(super) cases: Cases,
}

impl Symbol {
    /// The symbol of an expression in a scope.
    #[must_use]
    pub fn new(scope: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self {
            scope: scope.into(),
            text: text.into(),
            cause: Cause::Value,
            cases: Cases::default(),
        }
    }

    /// What only the installation of a chart knows, or whoever installs it gives.
    #[must_use]
    pub fn of_installation(text: impl Into<Arc<str>>) -> Self {
        Self::new("helm", text).because(Cause::Installation)
    }

    /// The same, unknown for that reason.
    #[must_use]
    pub fn because(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }

    /// The expression, if it is one that an author wrote, and not a name made to tell unknowns apart.
    #[must_use]
    pub fn expression(&self) -> Option<&str> {
        let made = matches!(&*self.scope, "place" | "file" | "values" | "plan");
        (!made && !self.text.starts_with('#')).then_some(&*self.text)
    }
}
