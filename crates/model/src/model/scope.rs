//! Which objects belong to one cluster: those of the nearest scope.

use std::{collections::HashMap, sync::Arc};

use crate::{
    resolve::{release::Release, scope::Scope},
    source::{is_below, parent},
};

/// Something with a scope.
pub trait Scoped {
    /// Where it belongs.
    fn scope(&self) -> &Scope;

    /// Whether it is seen from outside of its root.
    fn is_seen_outside(&self) -> bool {
        true
    }
}

impl Scoped for Release {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// An answer computed from the candidates of each scope. Built once, so that a lookup takes as many steps
/// as the scope is deep, however many candidates there are.
#[derive(Debug)]
pub struct ScopeIndex<A> {
    of_root: HashMap<usize, A>,
    of_build: HashMap<usize, A>,
    of_folder: HashMap<Arc<str>, A>,
    below: HashMap<Arc<str>, A>,
}

impl<A> Default for ScopeIndex<A> {
    fn default() -> Self {
        Self {
            of_root: HashMap::new(),
            of_build: HashMap::new(),
            of_folder: HashMap::new(),
            below: HashMap::new(),
        }
    }
}

impl<A> ScopeIndex<A> {
    /// Computes the answer of each scope from its candidates, given as indexes into `all`.
    pub fn new<T: Scoped>(
        all: &[T],
        candidate: impl Fn(&T) -> bool,
        answer: impl Fn(&[usize]) -> A,
    ) -> Self {
        Self::of(all.iter().enumerate().filter(|(_, it)| candidate(it)), answer)
    }

    /// The same of candidates that are already chosen.
    pub fn of<'a, T: Scoped + 'a>(
        candidates: impl Iterator<Item = (usize, &'a T)>,
        answer: impl Fn(&[usize]) -> A,
    ) -> Self {
        let mut members: HashMap<ScopeLevel<'_>, Vec<usize>> = HashMap::new();
        for (index, thing) in candidates {
            for level in levels_seeing(thing) {
                members.entry(level).or_default().push(index);
            }
        }
        let mut index = Self::default();
        for (level, list) in members {
            let answer = answer(&list);
            match level {
                ScopeLevel::Root(root) => index.of_root.insert(root, answer),
                ScopeLevel::Build(build) => index.of_build.insert(build, answer),
                ScopeLevel::Folder(folder) => index.of_folder.insert(folder.into(), answer),
                ScopeLevel::Below(folder) => index.below.insert(folder.into(), answer),
            };
        }
        index
    }

    /// The answer of the first level outward from a scope that has candidates.
    #[must_use]
    pub fn nearest(&self, scope: &Scope) -> Option<&A> {
        levels(scope).find_map(|it| match it {
            ScopeLevel::Root(root) => self.of_root.get(&root),
            ScopeLevel::Build(build) => self.of_build.get(&build),
            ScopeLevel::Folder(folder) => self.of_folder.get(folder),
            ScopeLevel::Below(folder) => self.below.get(folder),
        })
    }
}

/// The one candidate, if there is one.
#[must_use]
pub fn only(candidates: &[usize]) -> Option<usize> {
    match candidates {
        [only] => Some(*only),
        _ => None,
    }
}

/// A step outward from a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ScopeLevel<'a> {
    Root(usize),
    Build(usize),
    Folder(&'a str),
    Below(&'a str),
}

/// Outward from a place: its root module or kustomization, its folder, then each folder above with all below it.
fn levels(scope: &Scope) -> impl Iterator<Item = ScopeLevel<'_>> {
    let above =
        std::iter::successors(Some(&*scope.folder), |it| (!it.is_empty()).then(|| parent(it)));
    let own =
        scope.root.map(ScopeLevel::Root).into_iter().chain(scope.build.map(ScopeLevel::Build));
    own.chain([ScopeLevel::Folder(&scope.folder)]).chain(above.map(ScopeLevel::Below))
}

/// The levels from which a thing is seen: what was put aside is seen only from inside.
fn levels_seeing<T: Scoped>(thing: &T) -> impl Iterator<Item = ScopeLevel<'_>> {
    let aside = thing.scope().aside();
    levels(thing.scope()).filter(move |level| match (aside, level) {
        (_, ScopeLevel::Root(_)) => true,
        (Some(aside), ScopeLevel::Below(folder)) => {
            thing.is_seen_outside() && is_below(folder, aside)
        }
        _ => thing.is_seen_outside(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Scope, ScopeIndex, Scoped};

    struct Thing(Scope, &'static str);

    impl Scoped for Thing {
        fn scope(&self) -> &Scope {
            &self.0
        }
    }

    fn thing(root: Option<usize>, folder: &str, name: &'static str) -> Thing {
        Thing(Scope::new(root, &folder.into()), name)
    }

    #[test]
    fn the_first_level_with_a_candidate_decides() {
        let all = [
            thing(Some(0), "envs/dev", "dev"),
            thing(Some(1), "envs/prod", "prod"),
            thing(None, "envs/prod/pools", "pools"),
            thing(None, "apps", "apps"),
        ];
        let names = |list: &[usize]| list.iter().map(|it| all[*it].1).collect::<Vec<_>>();
        let index = ScopeIndex::new(&all, |_| true, names);
        let from = |root, folder: &str| {
            let scope = Scope::new(root, &folder.into());
            index.nearest(&scope).cloned().unwrap_or_default()
        };
        assert_eq!(from(Some(1), "envs/prod"), ["prod"]);
        assert_eq!(from(None, "envs/prod"), ["prod"]);
        assert_eq!(from(None, "envs/prod/nodes"), ["prod", "pools"]);
        assert_eq!(from(None, "envs/staging"), ["dev", "prod", "pools"]);
        assert_eq!(from(None, "other/x"), ["dev", "prod", "pools", "apps"]);
    }

    #[test]
    fn what_is_put_aside_is_seen_only_from_inside() {
        let all = [thing(None, "infra/old/pools", "old"), thing(None, "infra/pools", "new")];
        let names = |list: &[usize]| list.iter().map(|it| all[*it].1).collect::<Vec<_>>();
        let index = ScopeIndex::new(&all, |_| true, names);
        let from = |folder: &str| {
            let scope = Scope::new(None, &folder.into());
            index.nearest(&scope).cloned().unwrap_or_default()
        };
        assert_eq!(from("infra/apps"), ["new"]);
        assert_eq!(from("infra/old/apps"), ["old"]);
        assert_eq!(from("elsewhere/old/apps"), ["new"]);
    }
}
