//! Which objects belong to one cluster: those of the nearest scope.

use std::{collections::HashMap, sync::Arc};

use crate::{
    resolve::{
        release::Release,
        scope::{ClusterTarget, Scope},
    },
    source::{is_below, outward},
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
    of_root: HashMap<usize, LevelAnswer<A>>,
    of_build: HashMap<usize, LevelAnswer<A>>,
    of_folder: HashMap<Arc<str>, LevelAnswer<A>>,
    below: HashMap<Arc<str>, LevelAnswer<A>>,
}

/// The answer at one level. Who is in one of several clusters of a root does not see what is in the others.
#[derive(Debug)]
struct LevelAnswer<A> {
    everything: A,
    /// By root and cluster, for the roots with candidates in one of several clusters; without a cluster for
    /// those that no candidate is in. `None` where there is no candidate.
    of_cluster: HashMap<(Option<usize>, Option<u32>), Option<A>>,
}

impl<A> LevelAnswer<A> {
    fn new(candidates: &[(usize, &Scope)], answer: impl Fn(&[usize]) -> A) -> Self {
        let indexes = |seen: &dyn Fn(&Scope) -> bool| -> Vec<usize> {
            candidates.iter().filter(|it| seen(it.1)).map(|it| it.0).collect()
        };
        let mut of_cluster = HashMap::new();
        for (root, cluster) in candidates.iter().filter_map(|it| one_of_several(it.1)) {
            for cluster in [Some(cluster), None] {
                of_cluster.entry((root, cluster)).or_insert_with(|| {
                    let seen = indexes(&|it| match one_of_several(it) {
                        Some((its_root, its)) => its_root != root || Some(its) == cluster,
                        None => true,
                    });
                    (!seen.is_empty()).then(|| answer(&seen))
                });
            }
        }
        Self { everything: answer(&indexes(&|_| true)), of_cluster }
    }

    fn seen_from(&self, scope: &Scope) -> Option<&A> {
        let own = one_of_several(scope).and_then(|(root, cluster)| {
            let own = self.of_cluster.get(&(root, Some(cluster)));
            own.or_else(|| self.of_cluster.get(&(root, None)))
        });
        own.map_or(Some(&self.everything), Option::as_ref)
    }
}

/// The root and the cluster of what is in one of the several clusters that its root reaches, or helmfiles are for.
fn one_of_several(scope: &Scope) -> Option<(Option<usize>, u32)> {
    match scope.cluster {
        ClusterTarget::Known(cluster) => Some((scope.root, cluster)),
        ClusterTarget::Only | ClusterTarget::Unclear | ClusterTarget::Selected(_) => None,
    }
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
        let mut members: HashMap<ScopeLevel<'_>, Vec<(usize, &Scope)>> = HashMap::new();
        for (index, thing) in candidates {
            for level in levels_seeing(thing) {
                members.entry(level).or_default().push((index, thing.scope()));
            }
        }
        let mut index = Self::default();
        for (level, list) in members {
            let answer = LevelAnswer::new(&list, &answer);
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
        let answers = levels(scope).filter_map(|it| match it {
            ScopeLevel::Root(root) => self.of_root.get(&root),
            ScopeLevel::Build(build) => self.of_build.get(&build),
            ScopeLevel::Folder(folder) => self.of_folder.get(folder),
            ScopeLevel::Below(folder) => self.below.get(folder),
        });
        answers.into_iter().find_map(|it| it.seen_from(scope))
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
    let above = outward(&scope.folder);
    let own =
        scope.root.map(ScopeLevel::Root).into_iter().chain(scope.build.map(ScopeLevel::Build));
    own.chain([ScopeLevel::Folder(&scope.folder)]).chain(above.map(ScopeLevel::Below))
}

/// The levels from which a thing is seen: what was put aside is seen only from inside.
fn levels_seeing<T: Scoped>(thing: &T) -> impl Iterator<Item = ScopeLevel<'_>> {
    let aside = thing.scope().aside();
    levels(thing.scope()).filter(move |level| match (aside, level) {
        (_, ScopeLevel::Root(_)) => true,
        (Some(aside), ScopeLevel::Below(folder) | ScopeLevel::Folder(folder)) => {
            thing.is_seen_outside() && is_below(folder, aside)
        }
        _ => thing.is_seen_outside(),
    })
}

#[cfg(test)]
mod tests {
    use super::{ClusterTarget, Scope, ScopeIndex, Scoped};

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
    fn clusters_of_one_root_do_not_see_one_another() {
        let of = |cluster, name| {
            let Thing(scope, name) = thing(Some(0), "platform", name);
            Thing(scope.in_cluster(cluster), name)
        };
        let all = [
            of(ClusterTarget::Known(0), "blue"),
            of(ClusterTarget::Known(1), "green"),
            of(ClusterTarget::Only, "role"),
            thing(None, "apps", "apps"),
        ];
        let names = |list: &[usize]| list.iter().map(|it| all[*it].1).collect::<Vec<_>>();
        let from = |index: &ScopeIndex<Vec<&'static str>>, cluster| {
            let scope = Scope::new(Some(0), &"platform".into()).in_cluster(cluster);
            index.nearest(&scope).cloned().unwrap_or_default()
        };
        let index = ScopeIndex::new(&all, |_| true, names);
        assert_eq!(from(&index, ClusterTarget::Known(0)), ["blue", "role"]);
        assert_eq!(from(&index, ClusterTarget::Known(2)), ["role"]);
        assert_eq!(from(&index, ClusterTarget::Unclear), ["blue", "green", "role"]);
        let index = ScopeIndex::new(&all, |it| it.1 != "role", names);
        assert_eq!(from(&index, ClusterTarget::Known(2)), ["apps"]);
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
