//! Which release waits for which.

use std::sync::Arc;

use crate::{
    resolve::{
        release::{
            Release,
            surface::Surface,
            unit::{Parent, Unit, Wait},
        },
        scope::Scope,
    },
    source::Span,
    value::Value,
};

/// What something is waited for by: name and namespace, as far as they are known.
pub type NameRef = (Option<Arc<str>>, Option<Arc<str>>);

/// A Flux Kustomization: what it applies, after what.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Where to point.
    pub report_span: Span,
    /// Its name.
    pub name: Option<Arc<str>>,
    /// Its namespace.
    pub namespace: Option<Arc<str>>,
    /// The folder it applies; `None` when that is not known.
    pub path: Option<String>,
    /// The name of the source that holds the folder, which may be another repository.
    pub source: Option<Arc<str>>,
    /// The namespace that it puts everything in, if it names one.
    pub target: Option<Value>,
    /// What it waits for: name and namespace; without a name it is not known.
    pub waits_for: Vec<NameRef>,
}

/// What orders the units of a project.
#[derive(Debug, Default)]
pub(super) struct InstallOrder {
    /// All units, also those that install charts of which nothing else is known.
    pub units: Vec<Arc<Unit>>,
    /// All Kustomizations of Flux.
    pub layers: Vec<Layer>,
}

impl InstallOrder {
    /// Whether a release waits for another, directly or through others; `None` when that is not known, or when
    /// nothing orders the two either way.
    #[must_use]
    pub(super) fn waits_for(&self, from: &Release, to: &Release) -> Option<bool> {
        let (own, other) = (from.unit()?, to.unit()?);
        if own.surface != other.surface || own.id() == other.id() {
            return None;
        }
        match own.surface {
            Surface::ArgoCd => by_wave(own, other),
            Surface::Flux => {
                let released = self.by_name(own, other);
                let beside = own.body.span.file == other.body.span.file;
                let applied =
                    if beside { Some(false) } else { self.by_layer(&from.scope, &to.scope) };
                match (released, applied) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Surface::Helmfile if own.parent == other.parent && own.may_meet(other) => {
                self.by_name(own, other)
            }
            _ => None,
        }
    }

    /// By names, from one unit to the next.
    fn by_name(&self, from: &Unit, to: &Unit) -> Option<bool> {
        let mut open = vec![from];
        let mut seen = vec![from.id()];
        let mut sure = true;
        while let Some(unit) = open.pop() {
            for wait in &unit.waits_for {
                let Wait::Unit { name: Some(name), namespace } = wait else {
                    sure = false;
                    continue;
                };
                let helmfile = unit.surface == Surface::Helmfile;
                let own = unit.namespace.as_ref().filter(|_| !helmfile);
                let namespace = namespace.as_ref().or(own);
                let named = |it: &Unit| {
                    it.surface == from.surface
                        && (!helmfile || it.parent == from.parent && it.may_meet(from))
                        && it.name.as_ref() == Some(name)
                        && may_equal(namespace, it.namespace.as_ref())
                };
                if named(to) {
                    return Some(true);
                }
                let mut here = false;
                for next in self.units.iter().filter(|it| named(it)) {
                    here = true;
                    if !seen.contains(&next.id()) {
                        seen.push(next.id());
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
    fn by_layer(&self, from: &Scope, to: &Scope) -> Option<bool> {
        if from.root.is_some() || to.root.is_some() {
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
    fn layers_of(&self, folder: &str) -> Vec<usize> {
        nearest(&self.layers, folder)
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
fn by_wave(from: &Unit, to: &Unit) -> Option<bool> {
    let (Some(Parent::Application(a)), Some(Parent::Application(b))) = (from.parent, to.parent)
    else {
        return None;
    };
    (a == b).then_some(())?;
    Some(to.wave()? < from.wave()?)
}
