//! Types with parts that are still to be found.

use std::{collections::HashMap, sync::Arc};

use crate::cel::{declarations::Overload, types::Type};

/// What is known of the types that are still to be found.
#[derive(Clone, Debug, Default)]
pub(super) struct Unifier {
    found: Vec<Option<Type>>,
}

impl Unifier {
    /// A new type that is still to be found.
    pub(super) fn variable(&mut self) -> Type {
        self.found.push(None);
        Type::Variable(self.found.len() - 1)
    }

    /// The types of an overload, with a new type for each of its parameters.
    pub(super) fn instance(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        let mut names = HashMap::new();
        let parameters =
            overload.parameters.iter().map(|it| self.renamed(it, &mut names)).collect();
        (parameters, self.renamed(&overload.result, &mut names))
    }

    fn renamed(&mut self, of: &Type, names: &mut HashMap<Arc<str>, Type>) -> Type {
        match of {
            Type::Parameter(name) => {
                if let Some(known) = names.get(name) {
                    known.clone()
                } else {
                    let fresh = self.variable();
                    names.insert(name.clone(), fresh.clone());
                    fresh
                }
            }
            other => map_parts(other, &mut |it| self.renamed(it, names)),
        }
    }

    /// The type as far as it is found.
    #[must_use]
    pub(super) fn resolve(&self, of: &Type) -> Type {
        match of {
            Type::Variable(index) => match self.found.get(*index) {
                Some(Some(found)) => self.resolve(found),
                _ => of.clone(),
            },
            other => other.clone(),
        }
    }

    /// The type with everything found in it; what was not found may be anything.
    #[must_use]
    pub(super) fn finished(&self, of: &Type) -> Type {
        match self.resolve(of) {
            Type::Variable(_) => Type::Dyn,
            other => map_parts(&other, &mut |it| self.finished(it)),
        }
    }

    /// Whether values of one type can be used as another; what has to be so for that is found with it.
    pub(super) fn assign(&mut self, to: &Type, from: &Type) -> bool {
        let before = self.found.clone();
        let fits = self.fits(to, from);
        if !fits {
            self.found = before;
        }
        fits
    }

    /// The same for several at once.
    pub(super) fn assign_all(&mut self, to: &[Type], from: &[Type]) -> bool {
        let before = self.found.clone();
        let fits = to.iter().zip(from).all(|(to, from)| self.fits(to, from));
        if !fits {
            self.found = before;
        }
        fits
    }

    fn fits(&mut self, to: &Type, from: &Type) -> bool {
        if let Type::Variable(index) = *to {
            return self.fits_variable(index, from);
        }
        if let Type::Variable(index) = *from {
            return self.fits_variable(index, to);
        }
        match (to, from) {
            (Type::Dyn, _) | (_, Type::Dyn) | (Type::Type(_), Type::Type(_)) => true,
            (Type::Null, other) | (other, Type::Null) => matches!(
                other,
                Type::Null
                    | Type::Object(_)
                    | Type::Opaque(_)
                    | Type::Optional(_)
                    | Type::Duration
                    | Type::Timestamp
            ),
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
                self.fits(a, b)
            }
            (Type::Map(a), Type::Map(b)) => self.fits(&a.0, &b.0) && self.fits(&a.1, &b.1),
            (a, b) => a == b,
        }
    }

    fn fits_variable(&mut self, index: usize, other: &Type) -> bool {
        let other = self.resolve(other);
        if other == Type::Variable(index) {
            return true;
        }
        match self.found.get(index).cloned().flatten() {
            Some(found) => {
                if !self.fits(&found, &other) {
                    return false;
                }
                let general = self.more_general(found, &other);
                if !self.mentions(&general, index) {
                    self.found[index] = Some(general);
                }
                true
            }
            None if self.mentions(&other, index) => false,
            None => {
                self.found[index] = Some(other);
                true
            }
        }
    }

    /// Whether a type is found in terms of another.
    fn mentions(&self, of: &Type, index: usize) -> bool {
        match self.resolve(of) {
            Type::Variable(it) => it == index,
            Type::List(inner) | Type::Optional(inner) | Type::Type(inner) => {
                self.mentions(&inner, index)
            }
            Type::Map(pair) => self.mentions(&pair.0, index) || self.mentions(&pair.1, index),
            _ => false,
        }
    }

    /// Of two types that fit, the one that says less.
    #[must_use]
    pub(super) fn more_general(&self, a: Type, b: &Type) -> Type {
        if self.is_at_least_as_general(&a, b) { a } else { b.clone() }
    }

    fn is_at_least_as_general(&self, a: &Type, b: &Type) -> bool {
        match (self.resolve(a), self.resolve(b)) {
            (Type::Dyn | Type::Variable(_), _) => true,
            (_, Type::Dyn | Type::Variable(_)) => false,
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
                self.is_at_least_as_general(&a, &b)
            }
            (Type::Map(a), Type::Map(b)) => {
                self.is_at_least_as_general(&a.0, &b.0) && self.is_at_least_as_general(&a.1, &b.1)
            }
            (Type::Null, b) => b == Type::Null,
            _ => true,
        }
    }
}

/// A type with each of its parts replaced.
fn map_parts(of: &Type, map: &mut dyn FnMut(&Type) -> Type) -> Type {
    match of {
        Type::List(inner) => Type::list(map(inner)),
        Type::Optional(inner) => Type::optional(map(inner)),
        Type::Type(inner) => Type::Type(Arc::new(map(inner))),
        Type::Map(pair) => {
            let key = map(&pair.0);
            Type::map(key, map(&pair.1))
        }
        other => other.clone(),
    }
}
