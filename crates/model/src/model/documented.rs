//! The version of Karpenter that documents install, where nothing else here installs it.

use std::{collections::HashMap, sync::Arc};

use crate::{
    model::{
        command_files,
        installation::{Agreed, Installation, agreed_version},
        scope::Scoped,
        stated_version::stated,
    },
    resolve::{
        release::{crossplane, script},
        scope::Scope,
    },
    source::{Files, Span, outward},
    version::Version,
};

/// What documents install, each for its folder and those below. They install nothing themselves.
#[derive(Debug, Default)]
pub(super) struct Documented {
    all: Vec<Installation>,
    of_folder: HashMap<Arc<str>, Option<Agreed>>,
    /// What variables are given, where that is asked for.
    stated: Vec<(Version, Span)>,
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
        Self { all, of_folder, stated: Vec::new() }
    }

    /// The same with the versions that variables are given.
    pub(super) fn and_stated(self, files: &Files) -> Self {
        Self { stated: stated(files), ..self }
    }

    /// All versions that are known, wherever they are written.
    pub(super) fn anywhere(&self) -> impl Iterator<Item = (Version, Span)> {
        let by_document =
            self.all.iter().filter_map(|it| Some((it.exact_version()?, it.version.span())));
        by_document.chain(self.stated.iter().cloned())
    }

    /// The version that the nearest documents agree on.
    pub(super) fn near(&self, scope: &Scope) -> Option<(&Version, &Installation)> {
        let nearest = outward(&scope.folder).find_map(|it| self.of_folder.get(it))?;
        let (first, version) = nearest.as_ref()?;
        version.as_ref().zip(self.all.get(*first))
    }
}
