//! What charts and add-ons make of their values: which pods, and what these tolerate, where they run, how
//! many there are, and which PDB comes with them.
//!
//! This is the only place that answers, for every version that may be installed. Today the answer follows
//! from the facts of [`crate::knowledge`] on defaults and templates. Rendering a chart's templates could give
//! the same: an [`EffectivePod`] from the rendered objects, one for each version rendered.

pub mod configuration;
mod labels;
pub mod pdb;
mod tolerations;

use crate::{
    knowledge::fact::Facts,
    resolve::{
        answers::{agreed, any},
        effective::{configuration::Configuration, pdb::EffectivePdb},
        pod::{placement::Placement, selector::Labels, toleration::Tolerations},
        setting::Setting,
    },
    value::{Field, Kind, Value},
    version::Version,
};

/// One kind of pods, as one version of a chart or an add-on makes them.
#[derive(Clone, Debug)]
pub struct EffectivePod {
    /// The version, the first of those that make the same; `None` for what is written as an object.
    pub version: Option<Version>,
    /// Whether the pods exist; `None` where that is not known.
    pub exists: Option<bool>,
    /// How many there are; unknown while something scales them.
    pub replicas: Setting<f64>,
    /// What they tolerate; `None` where nothing is known of the version.
    pub tolerations: Option<Tolerations>,
    /// What they ask of their nodes; `None` where nothing is known of the version.
    pub placement: Option<Placement>,
    /// Their `affinity`; null if they have none.
    pub affinity: Value,
    /// Their labels.
    pub labels: Labels,
    /// Whether they mount claims.
    pub mounts_claim: Option<bool>,
    /// `terminationGracePeriodSeconds`, in seconds.
    pub grace: Setting<f64>,
    /// The PDB that comes with them; `None` where nothing is known of the version.
    pub pdb: Option<EffectivePdb>,
}

/// The pods of each version that may be installed: one for each span of versions within which neither what
/// is known of the chart nor `also` changes. None where no such version has these pods.
#[must_use]
pub fn effective(from: &Configuration, also: &[&Facts]) -> Vec<EffectivePod> {
    let versions = from.pod.versions_by(from.surface, from.allowed.as_ref(), also);
    versions.into_iter().map(|it| from.pod_of(it)).collect()
}

/// A setting of all pods: the same answer, else unknown. `None` without any.
#[must_use]
pub fn agreed_setting<T: Clone + PartialEq>(all: &[&Setting<T>]) -> Option<Setting<T>> {
    let (first, others) = all.split_first()?;
    let same = |it: &&Setting<T>| it.known() == first.known();
    Some(if others.iter().all(same) {
        Setting::clone(first)
    } else {
        Setting::unknown(first.span())
    })
}

/// Whether all of these pods tolerate what `ask` asks for; versions of which nothing is known do not count.
pub fn tolerated(
    pods: &[EffectivePod],
    ask: impl Fn(&Tolerations) -> Option<bool>,
) -> Option<bool> {
    agreed(pods.iter().filter_map(|it| it.tolerations.as_ref()).map(ask))
}

impl Configuration {
    fn pod_of(&self, version: Version) -> EffectivePod {
        let replicas = self.replicas(&version);
        let placement = self.placement(&version);
        EffectivePod {
            exists: self.surface.exists(&self.values, &version),
            tolerations: self.known_tolerations(&version),
            affinity: self
                .setting("affinity", &version)
                .unwrap_or_else(|| self.unknown("affinity")),
            placement,
            labels: self.labels(),
            mounts_claim: self.mounts_claim(&version),
            grace: self.grace(&version),
            pdb: self.pdb(&version, &replicas),
            replicas,
            version: Some(version),
        }
    }

    /// Whether the pods mount claims: those that the chart makes, or others that the values list as volumes.
    fn mounts_claim(&self, version: &Version) -> Option<bool> {
        let lists = match self.written("volumes") {
            Field::Missing => Some(false),
            Field::Unknown => None,
            Field::Present(list) => {
                let claims = |it: &Value| !it.get("persistentVolumeClaim").is_missing();
                let open = list.as_list().is_some_and(|it| it.rest.is_some());
                if list.items().iter().any(claims) { Some(true) } else { (!open).then_some(false) }
            }
        };
        any([self.truth("persistence", version), lists])
    }

    fn replicas(&self, version: &Version) -> Setting<f64> {
        if self.truth("autoscaling", version) != Some(false) {
            return Setting::unknown(self.report_span);
        }
        let default = self.surface.default("replicas", Some(version));
        let default = default.and_then(Value::to_number);
        Setting::of(self.written("replicas"), default, self.report_span, Value::to_number)
    }

    fn placement(&self, version: &Version) -> Option<Placement> {
        let selector = self.setting("node_selector", version)?;
        let affinity = self.setting("affinity", version)?;
        Some(Placement::read(Field::Present(&selector), Field::Present(&affinity)))
    }

    /// 30 seconds where the value is empty, as the API server has it.
    fn grace(&self, version: &Version) -> Setting<f64> {
        let seconds = |it: &Value| match &it.kind {
            Kind::Null => Some(30.0),
            Kind::String(text) if text.known() == Some("") => Some(30.0),
            _ => it.as_number(),
        };
        let default = self.surface.default("grace", Some(version)).and_then(seconds);
        Setting::of(self.written("grace"), default, self.report_span, seconds)
    }
}

#[cfg(test)]
mod tests;
