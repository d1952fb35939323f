//! How the pods of a component are made to tolerate a taint.

use std::collections::BTreeSet;

use crate::{
    findings::change::{Change, Draft},
    knowledge::Surface,
    model::{
        component::{ComponentUse, Given},
        toleration::{Taint, Tolerations},
    },
    value::{Field, Value},
    version::constraint::Constraint,
};

impl ComponentUse {
    /// What makes all these pods of one component tolerate a taint; nothing where it is not known how.
    #[must_use]
    pub fn tolerating(all: &[&Self], taint: &Taint) -> Vec<Change> {
        // Several pods may take their tolerations from one place.
        let mut seen = BTreeSet::new();
        let own = |it: &&&Self| it.path.as_ref().is_none_or(|path| seen.insert(path.clone()));
        let all: Vec<&Self> = all.iter().filter(own).copied().collect();
        let there = all.iter().map(|it| it.tolerate(taint)).collect::<Option<Vec<_>>>();
        let anew = all.iter().map(|it| it.configure(taint)).collect::<Option<Vec<_>>>();
        let home = all.first().and_then(|it| it.first_values.as_ref());
        let anew = anew.and_then(|it| it.into_iter().reduce(Draft::merged));
        let anew = home.zip(anew).map(|(home, values)| vec![home.write(values)]);
        let ways: Vec<_> = there.into_iter().chain(anew).collect();
        if ways.is_empty() { Vec::new() } else { vec![Change::FirstOf(ways)] }
    }

    /// What makes the pods tolerate a taint, where their configuration is written.
    fn tolerate(&self, taint: &Taint) -> Option<Change> {
        let item = toleration(taint);
        match &self.tolerations {
            Given::Manifest(tolerations, _, spec) => misspelt(tolerations, taint)
                .or_else(|| Some(Change::add(spec.as_ref()?, "tolerations", Vec::new(), item))),
            Given::Values(surface, values, allowed) => {
                let effective = Tolerations::effective(surface, values, None);
                misspelt(&effective, taint).or_else(|| {
                    let others = defaults(surface, values, allowed.as_ref())?;
                    let paths = surface.paths("tolerations");
                    let written = paths.iter().find(|it| values.at(it).present().is_some());
                    Some(Change::add(values, written.or(paths.first())?, others, item))
                })
            }
        }
    }

    /// The values that make the pods tolerate a taint, where nothing is written of their tolerations.
    fn configure(&self, taint: &Taint) -> Option<Draft> {
        let (surface, values, allowed) = self.configured()?;
        let is_closed = values.as_map().is_some_and(|it| it.rest.is_none());
        let missing = matches!(surface.written("tolerations", values), Field::Missing);
        let mut all = defaults(surface, values, allowed).filter(|_| missing && is_closed)?;
        all.push(toleration(taint));
        let path: Vec<_> = self.path.as_ref()?.split('.').map(Into::into).collect();
        Some(Draft::List(all).inside(&path))
    }
}

/// The toleration of a taint, whatever its value.
fn toleration(taint: &Taint) -> Draft {
    Draft::texts([
        ("key", taint.key.as_str()),
        ("operator", "Exists"),
        ("effect", taint.effect.word()),
    ])
}

/// What mends a toleration of the taint that only fails because its effect is spelled as EKS spells it.
fn misspelt(tolerations: &Tolerations, taint: &Taint) -> Option<Change> {
    let toleration = tolerations.misspelt(taint)?.written.as_ref()?;
    Some(Change::set(toleration, "effect", Draft::text(taint.effect.word())))
}

/// What the list of the values begins with when it is written for the first time: Helm replaces the
/// chart's own by it. Where several versions are allowed, the newest counts.
fn defaults(surface: &Surface, values: &Value, allowed: Option<&Constraint>) -> Option<Vec<Draft>> {
    if !matches!(surface.written("tolerations", values), Field::Missing) {
        return Some(Vec::new());
    }
    let newest = surface.possible_defaults("tolerations", allowed).last()?;
    newest.items().iter().map(Draft::of).collect()
}
