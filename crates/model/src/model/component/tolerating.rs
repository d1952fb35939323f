//! How the pods of a component are made to tolerate a taint.

use std::collections::BTreeSet;

use crate::{
    findings::change::{Change, NewValue},
    knowledge::packaging::Packaging,
    model::{
        component::{ComponentUse, PodSource},
        toleration::{drain_toleration_list::karpenter_key, match_taint::match_taint},
    },
    resolve::{
        effective::configuration::Configuration,
        pod::toleration::{Taint, Toleration, Tolerations, tolerates},
    },
    source::Span,
    value::{Field, Value},
    version::{Range, Version, constraint::Constraint},
};

/// What makes pods tolerate a taint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToleratedBy {
    /// A toleration in the repository, at this place.
    Written(Span),
    /// The chart or the add-on itself, with these values from that version on.
    Default {
        /// The first version, if not all of them do.
        since: Option<Version>,
    },
}

impl ComponentUse {
    /// What makes the pods tolerate a taint that they are known to tolerate.
    #[must_use]
    pub fn tolerated_by(&self, taint: &Taint) -> ToleratedBy {
        let of_pods = self.pods.iter().filter_map(|it| it.tolerations.as_ref());
        let mut all = of_pods.flat_map(|it| &it.list);
        let matching = all.find(|it| tolerates(it, taint) == Some(true));
        if let Some(place) = matching.and_then(Toleration::span) {
            return ToleratedBy::Written(place);
        }
        let Some(from) = self.configuration() else { return ToleratedBy::Default { since: None } };
        let ranges = from.surface.version_ranges();
        let does = |it: &&Range| {
            let first = it.since.clone().unwrap_or_else(|| Version::new(0, 0, 0));
            from.tolerations(&first).tolerate(taint) == Some(true)
        };
        let first = ranges.iter().rev().take_while(does).last();
        ToleratedBy::Default { since: first.and_then(|it| it.since.clone()) }
    }

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
        let anew = anew.and_then(|it| it.into_iter().reduce(NewValue::merged));
        let anew = home.zip(anew).map(|(home, values)| vec![home.write(values)]);
        let ways: Vec<_> = there.map(|it| it.concat()).into_iter().chain(anew).collect();
        if ways.is_empty() { Vec::new() } else { vec![Change::FirstOf(ways)] }
    }

    /// What makes the pods tolerate a taint, where their configuration is written.
    fn tolerate(&self, taint: &Taint) -> Option<Vec<Change>> {
        let item = toleration(taint);
        let mut known = self.pods.iter().filter_map(|it| it.tolerations.as_ref());
        if let Some(toleration) = known.next_back().and_then(|it| near_miss(it, taint)) {
            return mended(toleration, taint);
        }
        match &self.source {
            PodSource::Manifest(spec) => {
                Some(vec![Change::add(spec.as_ref()?, "tolerations", Vec::new(), item)])
            }
            PodSource::Values(from) => {
                let Configuration { surface, values, allowed, .. } = &**from;
                let others = defaults(surface, values, allowed.as_ref())?;
                let paths = surface.paths("tolerations");
                let written = paths.iter().find(|it| values.at(it).present().is_some());
                Some(vec![Change::add(values, written.or(paths.first())?, others, item)])
            }
        }
    }

    /// The values that make the pods tolerate a taint, where nothing is written of their tolerations.
    fn configure(&self, taint: &Taint) -> Option<NewValue> {
        let (surface, values, allowed) = self.configured()?;
        let is_closed = values.as_map().is_some_and(|it| it.rest.is_none());
        let missing = matches!(surface.written("tolerations", values), Field::Missing);
        let mut all = defaults(surface, values, allowed).filter(|_| missing && is_closed)?;
        all.push(toleration(taint));
        let path: Vec<_> = self.path.as_ref()?.split('.').map(Into::into).collect();
        Some(NewValue::List(all).inside(&path))
    }
}

/// The toleration of a taint, whatever its value.
fn toleration(taint: &Taint) -> NewValue {
    NewValue::texts([
        ("key", taint.key.as_str()),
        ("operator", "Exists"),
        ("effect", taint.effect.word()),
    ])
}

/// A toleration that was meant for the taint and does not match it.
fn near_miss<'a>(tolerations: &'a Tolerations, taint: &Taint) -> Option<&'a Toleration> {
    let names = |it: &&Toleration| {
        it.written.is_some() && (it.key.known() == Some(&taint.key) || karpenter_key(it).is_some())
    };
    tolerations.misspelt(taint).or_else(|| tolerations.list.iter().find(names))
}

/// What makes such a toleration match the taint. One that names a taint of Karpenter's by another name is
/// left to `stale-disruption-toleration`.
fn mended(toleration: &Toleration, taint: &Taint) -> Option<Vec<Change>> {
    let is_named = ["", taint.key.as_str()].contains(&toleration.key.known()?);
    let written = toleration.written.as_ref().filter(|_| is_named)?;
    match_taint(written, taint).filter(|it| !it.is_empty())
}

/// What the list of the values begins with when it is written for the first time: Helm replaces the
/// chart's own by it. Where several versions are allowed, the newest counts.
fn defaults(
    surface: &Packaging,
    values: &Value,
    allowed: Option<&Constraint>,
) -> Option<Vec<NewValue>> {
    if !matches!(surface.written("tolerations", values), Field::Missing) {
        return Some(Vec::new());
    }
    let newest = surface.possible_defaults("tolerations", allowed).last()?;
    newest.items().iter().map(NewValue::of).collect()
}
