//! Which things belong to one cluster: the neighbourhood.

use std::sync::Arc;

use crate::source::parent;

/// Where a thing stands in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The Terraform root module it belongs to, as an index; `None` for plain files.
    pub root: Option<usize>,
    /// The folder of that root, or of the file.
    pub folder: Arc<str>,
}

/// Something that stands somewhere.
pub trait Placed {
    /// Where.
    fn place(&self) -> &Place;
}

/// A step outward from a place.
#[derive(Clone, Copy)]
enum Level<'a> {
    Root(usize),
    Folder(&'a str),
    Below(&'a str),
}

impl Level<'_> {
    fn holds(self, place: &Place) -> bool {
        match self {
            Self::Root(root) => place.root == Some(root),
            Self::Folder(folder) => &*place.folder == folder,
            Self::Below("") => true,
            Self::Below(folder) => {
                let rest = place.folder.strip_prefix(folder);
                rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
            }
        }
    }
}

/// Outward from a place: its root module, its folder, then each folder above with all below it.
fn levels(place: &Place) -> impl Iterator<Item = Level<'_>> {
    let above =
        std::iter::successors(Some(&*place.folder), |it| (!it.is_empty()).then(|| parent(it)));
    place
        .root
        .map(Level::Root)
        .into_iter()
        .chain([Level::Folder(&place.folder)])
        .chain(above.map(Level::Below))
}

/// The candidates of the first level that has any.
pub fn near<'a, T: Placed>(
    place: &Place,
    all: &'a [T],
    candidate: impl Fn(&T) -> bool,
) -> Vec<&'a T> {
    let candidates: Vec<&T> = all.iter().filter(|it| candidate(it)).collect();
    let at = |level: Level<'_>| {
        let found: Vec<&T> =
            candidates.iter().copied().filter(|it| level.holds(it.place())).collect();
        (!found.is_empty()).then_some(found)
    };
    levels(place).find_map(at).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Place, Placed, near};

    struct Thing(Place, &'static str);

    impl Placed for Thing {
        fn place(&self) -> &Place {
            &self.0
        }
    }

    fn thing(root: Option<usize>, folder: &str, name: &'static str) -> Thing {
        Thing(Place { root, folder: folder.into() }, name)
    }

    #[test]
    fn the_first_level_with_a_candidate_decides() {
        let all = [
            thing(Some(0), "envs/dev", "dev"),
            thing(Some(1), "envs/prod", "prod"),
            thing(None, "envs/prod/pools", "pools"),
            thing(None, "apps", "apps"),
        ];
        let from = |root, folder: &str| {
            let place = Place { root, folder: folder.into() };
            near(&place, &all, |_| true).iter().map(|it| it.1).collect::<Vec<_>>()
        };
        assert_eq!(from(Some(1), "envs/prod"), ["prod"]);
        assert_eq!(from(None, "envs/prod"), ["prod"]);
        assert_eq!(from(None, "envs/prod/nodes"), ["prod", "pools"]);
        assert_eq!(from(None, "envs/staging"), ["dev", "prod", "pools"]);
        assert_eq!(from(None, "other/x"), ["dev", "prod", "pools", "apps"]);
    }
}
