//! The version of Karpenter that documents install, where nothing else here installs it.

use std::{collections::HashMap, sync::Arc};

use crate::{
    model::{
        command_files,
        installation::{Agreed, Installation, agreed_version},
        scope::Scoped,
    },
    resolve::{
        release::{crossplane, script},
        scope::Scope,
    },
    source::{Files, outward},
    version::Version,
};

/// What documents install, each for its folder and those below. They install nothing themselves.
#[derive(Debug, Default)]
pub(super) struct Documented {
    all: Vec<Installation>,
    of_folder: HashMap<Arc<str>, Option<Agreed>>,
}

impl Documented {
    /// What the documents among the files install, and what Crossplane makes elsewhere.
    pub(super) fn of(files: &Files) -> Self {
        let all: Vec<Installation> = script::documented(files)
            .into_iter()
            .chain(crossplane::documented(files))
            .map(Installation::documented)
            .collect();
        let mut members: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, it) in all.iter().enumerate() {
            let folder = command_files::meant(&it.scope().folder).into();
            members.entry(folder).or_default().push(index);
        }
        let agreed = |(folder, near): (_, Vec<usize>)| (folder, agreed_version(&all, &near));
        let of_folder = members.into_iter().map(agreed).collect();
        Self { all, of_folder }
    }

    /// The version that the nearest documents agree on.
    pub(super) fn near(&self, scope: &Scope) -> Option<(&Version, &Installation)> {
        let nearest = outward(&scope.folder).find_map(|it| self.of_folder.get(it))?;
        let (first, version) = nearest.as_ref()?;
        version.as_ref().zip(self.all.get(*first))
    }
}
