//! What names mean in an evaluation.

use smallvec::SmallVec;

use crate::{
    cel::{
        bindings::Bindings,
        data::{Data, Entries, MapData, Operand, Outcome},
        fault::Fault,
        tree::{Expr, ExprKind},
        types::Type,
    },
    value::{Kind, Map},
};

/// The variables, and the elements that macros have named.
pub(crate) struct Scope<'a> {
    bindings: &'a Bindings,
    /// Few macros are in one another.
    locals: SmallVec<[(&'a str, Outcome); 2]>,
}

impl<'a> Scope<'a> {
    /// The variables alone.
    #[must_use]
    pub(crate) fn new(bindings: &'a Bindings) -> Self {
        Self { bindings, locals: SmallVec::new() }
    }

    /// Names an element; what to leave to afterwards.
    pub(crate) fn bind(&mut self, name: &'a str, value: Outcome) -> usize {
        self.locals.push((name, value));
        self.locals.len() - 1
    }

    /// Forgets the elements named since.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.locals.truncate(depth);
    }

    /// The value of a name.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn name(&self, name: &str) -> Outcome {
        if let Some((_, found)) = self.locals.iter().rev().find(|(it, _)| *it == name) {
            return found.clone();
        }
        let found = self.bindings.get(name).or_else(|| type_name(name));
        found.unwrap_or_else(|| Err(Fault::error(format!("`{name}` is not a variable here"))))
    }

    /// The mapping of a file that a chain of names leads to, and what that costs; `None` where that is not all there is
    /// to say.
    #[must_use]
    pub(crate) fn map(&self, chain: &Expr) -> Option<(&Map, u64)> {
        match &chain.kind {
            ExprKind::Name(name) => match &self.known(name)?.data {
                Data::Map(MapData { entries: Entries::Written(map), .. }) => Some((map, 1)),
                _ => None,
            },
            ExprKind::Select(select) if !self.bindings.have_dotted(select.root.as_ref()?) => {
                let (map, cost) = self.map(&select.operand)?;
                match &map.entry(&select.field)?.value.kind {
                    Kind::Map(inner) => Some((inner, cost + 1)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value of a variable or an element.
    fn known(&self, name: &str) -> Option<&Operand> {
        let local = self.locals.iter().rev().find(|(it, _)| *it == name);
        local.map_or_else(|| self.bindings.plain(name), |it| Some(&it.1))?.as_ref().ok()
    }

    /// The value of a dotted name as a whole, if it has one.
    #[must_use]
    pub(crate) fn qualified(&self, expression: &Expr) -> Option<Outcome> {
        let ExprKind::Select(select) = &expression.kind else { return None };
        let first = select.root.as_ref()?;
        let may_be_type = matches!(&**first, "google" | "net" | "kubernetes");
        if !may_be_type && !self.bindings.have_dotted(first) {
            return None;
        }
        if self.locals.iter().any(|(it, _)| *it == &**first) {
            return None;
        }
        let path = expression.path()?;
        self.bindings.get(&path).or_else(|| type_name(&path))
    }
}

/// A type, as a value.
fn type_name(name: &str) -> Option<Outcome> {
    let name = name.trim_start_matches('.');
    Type::of_name(name).map(|_| Ok(Data::Type(name.into()).into()))
}
