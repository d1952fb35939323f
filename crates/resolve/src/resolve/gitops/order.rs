//! Which release waits for which.

use std::sync::Arc;

use crate::{
    resolve::release::{
        described::{ChartRelease, Parent, Wait},
        surface::Surface,
    },
    source::FileId,
};

/// What something is waited for by: name and namespace, as far as they are known.
pub(super) type NameRef = (Option<Arc<str>>, Option<Arc<str>>);

/// A Flux Kustomization: what it applies, after what.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Its name.
    pub name: Option<Arc<str>>,
    /// Its namespace.
    pub namespace: Option<Arc<str>>,
    /// The folder it applies; `None` when that is not known.
    pub path: Option<String>,
    /// What it waits for: name and namespace; without a name it is not known.
    pub waits_for: Vec<NameRef>,
}

/// The releases of a project and the Kustomizations that apply them.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstallOrder<'a> {
    /// All releases.
    pub releases: &'a [ChartRelease],
    /// All Kustomizations of Flux.
    pub layers: &'a [Layer],
}

impl InstallOrder<'_> {
    /// Whether the release at one place of the list waits for that at another, directly or through
    /// others; `None` when that is not known, or when nothing orders the two either way.
    #[must_use]
    pub(super) fn waits_for(self, from: usize, to: usize) -> Option<bool> {
        let (from, to) = (self.releases.get(from)?, self.releases.get(to)?);
        if from.surface != to.surface || from.unit == to.unit {
            return None;
        }
        match from.surface {
            Surface::ArgoCd => by_wave(from, to),
            Surface::Flux => {
                let released = self.by_name(from, to);
                let applied = self.by_layer(from.file, to.file, from, to);
                match (released, applied) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Surface::Helmfile if from.file == to.file => self.by_name(from, to),
            _ => None,
        }
    }

    /// By the names of releases, from one to the next.
    fn by_name(self, from: &ChartRelease, to: &ChartRelease) -> Option<bool> {
        let mut open = vec![from];
        let mut seen = vec![from.unit];
        let mut sure = true;
        while let Some(release) = open.pop() {
            for wait in &release.waits_for {
                let Wait::Release { name: Some(name), namespace, .. } = wait else {
                    sure = false;
                    continue;
                };
                let helmfile = release.surface == Surface::Helmfile;
                let own = release.scope.as_ref().filter(|_| !helmfile);
                let namespace = namespace.as_ref().or(own);
                let named = |it: &&ChartRelease| {
                    it.surface == from.surface
                        && (!helmfile || it.file == from.file)
                        && it.name == *name
                        && may_equal(namespace, it.scope.as_ref())
                };
                if named(&to) {
                    return Some(true);
                }
                let mut here = false;
                for next in self.releases.iter().filter(named) {
                    here = true;
                    if !seen.contains(&next.unit) {
                        seen.push(next.unit);
                        open.push(next);
                    }
                }
                // What something waits for that is not in this repository is not known.
                sure &= here;
            }
        }
        sure.then_some(false)
    }

    /// By the Kustomizations that apply the releases' files.
    fn by_layer(
        self,
        from_file: FileId,
        to_file: FileId,
        from: &ChartRelease,
        to: &ChartRelease,
    ) -> Option<bool> {
        if from.root.is_some() || to.root.is_some() || from_file == to_file {
            return Some(false);
        }
        let (mut open, goal) = (self.layers_of(&from.folder), self.layers_of(&to.folder));
        let mut seen = open.clone();
        let mut sure = true;
        while let Some(index) = open.pop() {
            for (name, namespace) in &self.layers.get(index)?.waits_for {
                let Some(name) = name else {
                    sure = false;
                    continue;
                };
                let mut here = false;
                for (next, layer) in self.layers.iter().enumerate() {
                    let named = layer.name.as_ref() == Some(name)
                        && may_equal(namespace.as_ref(), layer.namespace.as_ref());
                    here |= named;
                    if named && goal.contains(&next) {
                        return Some(true);
                    }
                    if named && !seen.contains(&next) {
                        seen.push(next);
                        open.push(next);
                    }
                }
                sure &= here;
            }
        }
        sure.then_some(false)
    }

    /// The Kustomizations whose folder is nearest around a folder.
    fn layers_of(self, folder: &str) -> Vec<usize> {
        nearest(self.layers, folder)
    }
}

/// The Kustomizations whose folder is nearest around a folder: several, when they apply the same one.
#[must_use]
pub(super) fn nearest(layers: &[Layer], folder: &str) -> Vec<usize> {
    let around = |layer: &Layer| {
        let path = layer.path.as_deref()?;
        let rest = folder.strip_prefix(path)?;
        (path.is_empty() || rest.is_empty() || rest.starts_with('/')).then_some(path.len())
    };
    let longest = layers.iter().filter_map(around).max();
    let all = layers.iter().enumerate();
    all.filter(|(_, it)| longest.is_some() && around(it) == longest).map(|(at, _)| at).collect()
}

/// Two names are different only when both are known.
fn may_equal(a: Option<&Arc<str>>, b: Option<&Arc<str>>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a == b)
}

/// By sync waves, between children of one Application.
fn by_wave(from: &ChartRelease, to: &ChartRelease) -> Option<bool> {
    let (Some(Parent::Application(a)), Some(Parent::Application(b))) = (from.parent, to.parent)
    else {
        return None;
    };
    (a == b).then_some(())?;
    Some(to.wave()? < from.wave()?)
}

impl ChartRelease {
    /// Its Argo CD sync wave, 0 when none is written; `None` when it is not known.
    #[must_use]
    pub fn wave(&self) -> Option<i64> {
        let mut found = Some(0);
        for wait in &self.waits_for {
            match wait {
                Wait::Wave { number, .. } => found = *number,
                _ => return None,
            }
        }
        found
    }
}
