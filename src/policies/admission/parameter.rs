//! The objects that admission policies take as parameters.

use std::sync::Arc;

use crate::{
    findings::silence::Silence,
    inventory::objects::BuiltObject,
    model::neighbourhood::Neighbourhoods,
    policies::admission::{asked::Asked, near, policy::ParamRef},
    resolve::pod::selector::{Labels, matches},
    value::{Value, cause::Cause},
};

/// Where parameters are looked for.
pub(super) struct Parameters<'a> {
    /// All objects that the repository builds.
    pub(super) objects: &'a [BuiltObject<'a>],
    /// The clusters that they are in.
    pub(super) clusters: &'a Neighbourhoods,
}

impl<'a> Parameters<'a> {
    /// The parameters that a binding gives a policy for an object, at least one.
    ///
    /// # Errors
    /// When they are not here: what the cluster holds beside the repository is not known.
    pub(super) fn find(
        &self,
        (version, kind): &(Arc<str>, Arc<str>),
        wanted: &ParamRef,
        asked: &Asked<'_>,
    ) -> Result<Vec<&'a Value>, Silence> {
        let namespace = wanted.namespace.as_deref().or(asked.namespace());
        let is_wanted = |it: &&BuiltObject<'_>| {
            let own = it.object.value.at("metadata.namespace").present().and_then(Value::as_str);
            let same_namespace = own.is_none() || namespace.is_none() || own == namespace;
            let is_chosen = if let Some(name) = &wanted.name {
                it.object.anchor_text() == Some(&**name)
            } else {
                let labels = Labels::read(it.object.value.at("metadata.labels"));
                matches(&wanted.selector, &labels) == Some(true)
            };
            it.object.api_version == *version
                && it.object.kind == *kind
                && same_namespace
                && is_chosen
                && near::reaches(self.clusters, &it.scope, &asked.built.scope)
        };
        let found: Vec<&BuiltObject<'_>> = self.objects.iter().filter(is_wanted).collect();
        let name = wanted.name.as_deref().unwrap_or("that its selector chooses");
        match &*found {
            [] => {
                let words = format!("its parameter, the {kind} `{name}`, is not in the repository");
                Err(Silence::undecided(Cause::Value, words))
            }
            [_, _, ..] if wanted.name.is_some() => {
                let words = format!("there are several of its parameter, the {kind} `{name}`");
                Err(Silence::undecided(Cause::Ambiguous, words))
            }
            found => Ok(found.iter().map(|it| &it.object.value).collect()),
        }
    }
}
