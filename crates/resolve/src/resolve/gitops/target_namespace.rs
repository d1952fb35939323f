//! The namespace that Argo CD and Flux give what they apply.

use crate::{
    resolve::{
        gitops::{GitOps, order::nearest},
        scope::Scope,
    },
    source::parent,
    value::Value,
};

/// An object that a tool may apply: where, and whether its own namespace is written.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// Its file.
    pub path: &'a str,
    /// Where it belongs.
    pub scope: &'a Scope,
    /// Whether its manifest names a namespace.
    pub has_namespace: bool,
}

impl Placed<'_> {
    /// A kustomization is applied where its own folder is; other files where they lie.
    fn is_built(&self) -> bool {
        self.scope.build.is_some()
    }
}

/// What one tool does to the namespace of an object.
enum Given<'a> {
    /// It leaves the one that is written.
    IfMissing(Option<&'a Value>),
    Always(&'a Value),
}

impl GitOps {
    /// The namespace that an object gets from all that apply it, if they agree. Argo CD fills in one that is missing,
    /// Flux replaces any.
    #[must_use]
    pub fn namespace_given<'a>(&'a self, placed: Placed<'a>) -> Option<&'a Value> {
        let mut given = self.by_argo(placed).chain(self.by_flux(placed)).map(|it| match it {
            Given::IfMissing(value) => value.filter(|_| !placed.has_namespace),
            Given::Always(value) => Some(value),
        });
        let first = given.next()??;
        let name = first.as_str().filter(|it| is_name(it))?;
        given.all(|it| it.and_then(Value::as_str) == Some(name)).then_some(first)
    }

    fn by_argo<'a>(&'a self, placed: Placed<'a>) -> impl Iterator<Item = Given<'a>> {
        let applies = move |it: &&super::SourceFolder| {
            // An Application of the root folder may be one of another repository.
            !it.path.is_empty()
                && if placed.is_built() {
                    *it.path == *placed.scope.folder
                } else {
                    it.holds_file(placed.path)
                }
        };
        self.applied.iter().filter(applies).map(|it| Given::IfMissing(it.namespace.as_ref()))
    }

    fn by_flux<'a>(&'a self, placed: Placed<'a>) -> impl Iterator<Item = Given<'a>> {
        let layers = self.layers();
        let folder = if placed.is_built() { &*placed.scope.folder } else { parent(placed.path) };
        let around = nearest(layers, folder).into_iter().filter_map(|it| layers.get(it));
        let applies = move |path: &str| {
            !path.is_empty() && (!placed.is_built() || *path == *placed.scope.folder)
        };
        let around = around.filter(move |it| it.path.as_deref().is_some_and(applies));
        around.map(|it| it.target.as_ref().map_or(Given::IfMissing(None), Given::Always))
    }
}

/// Whether it is the name of a namespace, and no text with marks that are filled in later.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
}
