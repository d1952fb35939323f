//! The objects that admission policies take as parameters.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::silence::Silence,
    inventory::objects::BuiltObject,
    model::neighbourhood::Neighbourhoods,
    policies::admission::{asked::Asked, near::Around, policy::ParamRef},
    resolve::pod::selector::{Labels, matches},
    value::{Value, cause::Cause},
};

/// Where parameters and namespaces are looked for.
pub(super) struct Parameters<'a> {
    /// The objects that the repository builds, by version and kind.
    of_kind: HashMap<(&'a str, &'a str), Vec<&'a BuiltObject<'a>>>,
    /// The same, by name.
    named: HashMap<(&'a str, &'a str, &'a str), Vec<&'a BuiltObject<'a>>>,
    /// The clusters that they are in.
    clusters: &'a Neighbourhoods,
}

impl<'a> Parameters<'a> {
    /// Finds them in all objects that the repository builds.
    pub(super) fn new(objects: &'a [BuiltObject<'a>], clusters: &'a Neighbourhoods) -> Self {
        let mut all = Self { of_kind: HashMap::new(), named: HashMap::new(), clusters };
        for it in objects {
            let (version, kind) = (&*it.object.api_version, &*it.object.kind);
            all.of_kind.entry((version, kind)).or_default().push(it);
            if let Some(name) = it.object.anchor_text() {
                all.named.entry((version, kind, name)).or_default().push(it);
            }
        }
        all
    }

    /// The Namespace of that name in the cluster.
    pub(super) fn namespace(&self, name: &str, seen_from: &Around<'_>) -> Option<&'a Value> {
        let all = self.named.get(&("v1", "Namespace", name))?;
        all.iter().find(|it| self.reaches(it, seen_from)).map(|it| &it.object.value)
    }

    fn reaches(&self, it: &BuiltObject<'_>, to: &Around<'_>) -> bool {
        Around::of(self.clusters, &it.scope).reaches(to)
    }

    /// The parameters that a binding gives a policy for an object, at least one.
    ///
    /// # Errors
    /// When they are not here: what the cluster holds beside the repository is not known.
    pub(super) fn find(
        &self,
        (version, kind): &(Arc<str>, Arc<str>),
        wanted: &ParamRef,
        asked: &Asked<'_>,
        seen_from: &Around<'_>,
    ) -> Result<Vec<&'a Value>, Silence> {
        let namespace = wanted.namespace.as_deref().or(asked.namespace());
        let candidates = match &wanted.name {
            Some(name) => self.named.get(&(&**version, &**kind, &**name)),
            None => self.of_kind.get(&(&**version, &**kind)),
        };
        let is_wanted = |it: &&BuiltObject<'_>| {
            let own = it.object.value.at("metadata.namespace").present().and_then(Value::as_str);
            let same_namespace = own.is_none() || namespace.is_none() || own == namespace;
            let is_chosen = wanted.name.is_some() || {
                let labels = Labels::read(it.object.value.at("metadata.labels"));
                matches(&wanted.selector, &labels) == Some(true)
            };
            same_namespace && is_chosen && self.reaches(it, seen_from)
        };
        let found: Vec<&BuiltObject<'_>> =
            candidates.into_iter().flatten().copied().filter(is_wanted).collect();
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
