//! Which things belong to one cluster: the neighbourhood.

use std::{collections::HashMap, sync::Arc};

use crate::source::parent;

/// Where a thing stands in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The Terraform root module it belongs to, as an index; `None` for plain files.
    pub root: Option<usize>,
    /// The kustomization that builds it, as an index.
    pub build: Option<usize>,
    /// The folder of that root or kustomization, or of the file.
    pub folder: Arc<str>,
}

impl Place {
    /// A place in a Terraform root, or in a plain file.
    #[must_use]
    pub fn new(root: Option<usize>, folder: &Arc<str>) -> Self {
        Self { root, build: None, folder: folder.clone() }
    }
}

/// Something that stands somewhere.
pub trait Placed {
    /// Where.
    fn place(&self) -> &Place;
}

/// What the candidates nearest to a place say together. Made once, so that asking takes as many steps
/// as the place is deep, however many candidates there are.
#[derive(Debug)]
pub struct Neighbours<A> {
    answers: HashMap<Level<Arc<str>>, A>,
}

impl<A> Default for Neighbours<A> {
    fn default() -> Self {
        Self { answers: HashMap::new() }
    }
}

impl<A> Neighbours<A> {
    /// Asks the candidates of each neighbourhood, given as indexes into `all`.
    pub fn new<T: Placed>(
        all: &[T],
        candidate: impl Fn(&T) -> bool,
        answer: impl Fn(&[usize]) -> A,
    ) -> Self {
        let mut members: HashMap<Level<Arc<str>>, Vec<usize>> = HashMap::new();
        for (index, thing) in all.iter().enumerate().filter(|(_, it)| candidate(it)) {
            for level in levels(thing.place()) {
                members.entry(level.owned()).or_default().push(index);
            }
        }
        let answers = members.into_iter().map(|(level, list)| (level, answer(&list)));
        Self { answers: answers.collect() }
    }

    /// What the candidates of the first level say that has any.
    #[must_use]
    pub fn near(&self, place: &Place) -> Option<&A> {
        levels(place).find_map(|it| self.answers.get(&it.owned()))
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

/// A step outward from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Level<T> {
    Root(usize),
    Build(usize),
    Folder(T),
    Below(T),
}

impl Level<&str> {
    fn owned(self) -> Level<Arc<str>> {
        match self {
            Self::Root(root) => Level::Root(root),
            Self::Build(build) => Level::Build(build),
            Self::Folder(folder) => Level::Folder(folder.into()),
            Self::Below(folder) => Level::Below(folder.into()),
        }
    }
}

/// Outward from a place: its root module or kustomization, its folder, then each folder above with all below it.
fn levels(place: &Place) -> impl Iterator<Item = Level<&str>> {
    let above =
        std::iter::successors(Some(&*place.folder), |it| (!it.is_empty()).then(|| parent(it)));
    let own = place.root.map(Level::Root).into_iter().chain(place.build.map(Level::Build));
    own.chain([Level::Folder(&*place.folder)]).chain(above.map(Level::Below))
}

#[cfg(test)]
mod tests {
    use super::{Neighbours, Place, Placed};

    struct Thing(Place, &'static str);

    impl Placed for Thing {
        fn place(&self) -> &Place {
            &self.0
        }
    }

    fn thing(root: Option<usize>, folder: &str, name: &'static str) -> Thing {
        Thing(Place::new(root, &folder.into()), name)
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
        let neighbours = Neighbours::new(&all, |_| true, names);
        let from = |root, folder: &str| {
            let place = Place::new(root, &folder.into());
            neighbours.near(&place).cloned().unwrap_or_default()
        };
        assert_eq!(from(Some(1), "envs/prod"), ["prod"]);
        assert_eq!(from(None, "envs/prod"), ["prod"]);
        assert_eq!(from(None, "envs/prod/nodes"), ["prod", "pools"]);
        assert_eq!(from(None, "envs/staging"), ["dev", "prod", "pools"]);
        assert_eq!(from(None, "other/x"), ["dev", "prod", "pools", "apps"]);
    }
}
