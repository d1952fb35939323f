//! The pods that known charts and add-ons run, as workloads.

use crate::{
    knowledge::pdb_form::PdbCondition,
    model::{
        component::ComponentUse,
        scope::Scoped,
        workload::{
            DO_NOT_DISRUPT, Managed, Protection, ProtectionPaths, Workload, WorkloadKind,
            storage::{DEEPEST_CLAIM, MountedClaims, Storage, asks_for_shared},
        },
    },
    resolve::{
        answers::agreed,
        effective::{
            EffectivePod, agreed_setting, configuration::Configuration, pdb::EffectivePdb,
        },
        pod::{
            pdb::{Bound, Bounds, CreatedPdb, OwnPdb},
            placement::Placement,
            selector::Labels,
            toleration::Tolerations,
        },
        setting::Setting,
    },
    source::Span,
    value::{Entry, Field, Kind, Value, cause::Cause},
    version::Version,
};

/// The workloads of all components whose templates are known well enough, with the claims of the project.
#[must_use]
pub(crate) fn workloads(components: &[ComponentUse], claims: &MountedClaims) -> Vec<Workload> {
    components.iter().filter_map(|it| ManagedPods::new(it)?.workload(claims)).collect()
}

/// What protects the pods of a component among its values, and where to point when it is missing; `None` where
/// nothing is known of the version.
#[must_use]
pub(super) fn protection(
    usage: &ComponentUse,
    replicas: &Setting<f64>,
) -> Option<(ProtectionPaths, Span)> {
    let pods = ManagedPods::new(usage)?;
    Some((pods.protection(replicas), pods.report_span()))
}

/// A component's pods, about which every possible version is asked.
struct ManagedPods<'a> {
    usage: &'a ComponentUse,
    from: &'a Configuration,
    /// The pods of each version of which it is known how it makes PDBs.
    pods: Vec<(&'a EffectivePod, &'a EffectivePdb)>,
}

impl<'a> ManagedPods<'a> {
    /// `None` where nothing is known of PDBs, or the version is one of which nothing is known.
    fn new(usage: &'a ComponentUse) -> Option<Self> {
        let from = usage.configuration()?;
        let known = usage.pods.iter().filter_map(|it| Some((it, it.pdb.as_ref()?)));
        let pods: Vec<_> = known.collect();
        (!pods.is_empty()).then_some(Self { usage, from, pods })
    }

    /// `None` where the pods do not exist, or may not.
    fn workload(&self, claims: &MountedClaims) -> Option<Workload> {
        if self.agreed(|it| it.exists) != Some(true) {
            return None;
        }
        let pod = self.usage.pod;
        let report_span = self.report_span();
        let replicas = self.setting(|it| &it.replicas);
        let protection = self.protection(&replicas);
        let tolerations = self.from.surface.written("tolerations", &self.from.values).present();
        Some(Workload {
            kind: match pod.kind.as_str() {
                "StatefulSet" => WorkloadKind::StatefulSet,
                "DaemonSet" => WorkloadKind::DaemonSet,
                _ => WorkloadKind::Deployment,
            },
            name: "".into(),
            title: pod.title.as_str().into(),
            report_span,
            scope: self.usage.scope().clone(),
            namespace: self.namespace(),
            labels: self.pods.first().map_or_else(Labels::default, |it| it.0.labels.clone()),
            tolerations: self.tolerations(),
            tolerations_key: tolerations.map(|it| it.name),
            pod_spec: None,
            placement: match self.usage.placements().as_slice() {
                [only] => only.clone(),
                _ => Placement::unknown(),
            },
            storage: match self.agreed(|it| it.mounts_claim) {
                Some(true) if self.are_claims_shared(claims) => Storage::SharedClaims,
                Some(true) => Storage::Claims,
                Some(false) => Storage::Nothing,
                None => Storage::Unknown,
            },
            claim_templates: Vec::new(),
            volume_site: None,
            do_not_disrupt: self.do_not_disrupt(),
            grace: self.setting(|it| &it.grace),
            own_pdb: self.own_pdb(),
            replicas,
            images: Vec::new(),
            annotations_path: self.from.surface.paths("pod_annotations").last().map(String::as_str),
            subject: self.usage.subject.clone(),
            is_off: self.usage.is_optional,
            managed: Some(Managed {
                release: self.usage.release.clone(),
                creator: self.usage.creator(),
                is_for_anybody: self.usage.is_for_anybody,
            }),
            protection: Some(Protection::Known(protection)),
            part: None,
        })
    }

    /// Whether the values let many nodes mount the volumes, as those of EFS: what is beside the annotations of the pods,
    /// or beside the switch of the volumes.
    fn are_claims_shared(&self, claims: &MountedClaims) -> bool {
        let annotations = self.from.surface.paths("pod_annotations").last();
        let part = annotations.and_then(|it| it.split_once('.')).map_or("persistence", |it| it.0);
        let switches = self.from.surface.paths("persistence").iter();
        let around = switches.filter_map(|it| Some(it.rsplit_once('.')?.0));
        let namespace = self.namespace();
        let is_known = |it: &str| claims.of_name(it, &namespace) == Some(Storage::SharedClaims);
        let mut asked = around.chain([part]).filter_map(|it| self.from.values.at(it).present());
        asked.any(|it| asks_for_shared(it, DEEPEST_CLAIM, &is_known))
    }

    /// Where it is installed, else where the component runs by default.
    fn namespace(&self) -> Setting<String> {
        let report_span = self.usage.report_span();
        match (&self.usage.installed_to, self.usage.namespace()) {
            (Some(written), _) => written.clone(),
            (None, Some(name)) => Setting::default(name.to_owned(), report_span),
            (None, None) => Setting::unknown(report_span),
        }
    }

    /// What all versions say, if they say the same.
    fn agreed<T: PartialEq>(&self, ask: impl Fn(&EffectivePod) -> Option<T>) -> Option<T> {
        agreed(self.pods.iter().map(|it| ask(it.0)))
    }

    fn setting(&self, of: fn(&EffectivePod) -> &Setting<f64>) -> Setting<f64> {
        let all: Vec<_> = self.pods.iter().map(|it| of(it.0)).collect();
        agreed_setting(&all).unwrap_or_else(|| Setting::unknown(self.usage.report_span()))
    }

    /// Where the PDB, else the annotations would be written.
    fn report_span(&self) -> Span {
        let settings = ["pdb", "max_unavailable", "pod_annotations"];
        let paths = settings.into_iter().filter_map(|it| self.from.surface.paths(it).last());
        let mut spans = paths.map(|it| self.usage.innermost_of(it));
        let whole = self.usage.innermost_of("");
        spans.find(|it| *it != whole).unwrap_or(whole)
    }

    fn tolerations(&self) -> Tolerations {
        let known = self.pods.iter().map(|it| it.0.tolerations.as_ref());
        let all: Option<Vec<&Tolerations>> = known.collect();
        Tolerations::agreed(&all.unwrap_or_default())
    }

    /// The annotation where the chart looks for annotations of these pods. Unknown where the
    /// values have it at a path that is not known to be for them.
    fn do_not_disrupt(&self) -> Option<Setting<String>> {
        let unknown = || Some(Setting::unknown(self.usage.report_span()));
        for path in self.from.surface.paths("pod_annotations") {
            let Field::Present(annotations) = self.from.values.at(path) else {
                if self.from.values.at(path).is_unknown() {
                    return unknown();
                }
                continue;
            };
            match annotations.get(DO_NOT_DISRUPT) {
                Field::Present(value) => {
                    return Some(Setting::written(value, |it| it.as_str().map(str::to_owned)));
                }
                Field::Unknown => return unknown(),
                // Some charts take a text, which is a template.
                Field::Missing if mentions(annotations, DO_NOT_DISRUPT, &[]) => return unknown(),
                Field::Missing => {}
            }
        }
        let surfaces =
            self.usage.component.pods.iter().flat_map(|it| it.chart.iter().chain(&it.addon));
        let known: Vec<Span> = surfaces
            .flat_map(|it| it.paths("pod_annotations"))
            .filter_map(|it| Some(self.from.values.at(it).present()?.span))
            .collect();
        if mentions(&self.from.values, DO_NOT_DISRUPT, &known) { unknown() } else { None }
    }

    fn own_pdb(&self) -> OwnPdb {
        match self.template_pdb() {
            // Charts take whole objects in their values, too.
            OwnPdb::Nothing if mentions(&self.from.values, "PodDisruptionBudget", &[]) => {
                OwnPdb::Unknown(Cause::Value, "the values hold a PDB, which may select its pods")
            }
            OwnPdb::Nothing if self.usage.reusable => {
                OwnPdb::Unknown(Cause::Value, "callers of the module may ask for a PDB")
            }
            found => found,
        }
    }

    /// The PDB of the pods; unknown where versions that may be installed differ about whether there is one.
    fn template_pdb(&self) -> OwnPdb {
        match agreed(self.pods.iter().map(|it| it.1.is_made)) {
            Some(true) => {}
            Some(false) => return OwnPdb::Nothing,
            None => return self.unknown_pdb(),
        }
        let whole = self.usage.report_span();
        let bounds = match self.pods.split_first() {
            Some((first, others))
                if others.iter().all(|it| same(&it.1.bounds, &first.1.bounds)) =>
            {
                first.1.bounds.clone()
            }
            _ => Bounds::unknown(whole),
        };
        let written = bounds.effective().map(|(_, it)| it.span()).filter(|it| *it != whole);
        let span = written.unwrap_or_else(|| self.report_span());
        let without = self.switch().map(|it| format!("{it}: false"));
        OwnPdb::Created(Box::new(CreatedPdb { by: self.usage.creator(), bounds, span, without }))
    }

    /// Why it is not known whether there is a PDB: because of the values, or of the version.
    fn unknown_pdb(&self) -> OwnPdb {
        if self.pods.len() == 1 {
            OwnPdb::Unknown(Cause::Value, "the values that ask for a PDB are not known")
        } else {
            OwnPdb::Unknown(Cause::Version, "whether a PDB comes with it depends on its version")
        }
    }

    /// Whether the PDB would let none of the pods go, or may, if its switch were on.
    fn would_block(&self, replicas: &Setting<f64>) -> bool {
        let Some(count) = replicas.count() else { return true };
        self.pods.iter().any(|it| it.1.bounds.allowed(count).is_none_or(|it| it == 0))
    }

    fn made(&self) -> Option<PdbCondition> {
        agreed(self.pods.iter().map(|it| Some(it.1.made)))
    }

    /// The switch that alone decides whether there is a PDB.
    fn switch(&self) -> Option<String> {
        self.path("pdb").filter(|_| self.made() == Some(PdbCondition::Switch))
    }

    /// Where a setting is written, in the values of the chart that is installed.
    fn path(&self, setting: &str) -> Option<String> {
        Some(self.usage.path_in_values(self.from.surface.paths(setting).last()?))
    }

    fn protection(&self, replicas: &Setting<f64>) -> ProtectionPaths {
        let switch = match self.made() {
            Some(PdbCondition::Switch) => self.switch().map(|it| format!("{it}: true")),
            Some(PdbCondition::Bound | PdbCondition::Map) => {
                self.path("max_unavailable").map(|it| format!("{it}: 1"))
            }
            _ => None,
        };
        let newer =
            |since: &&Version| self.pods.iter().all(|it| it.0.version.as_ref() < Some(since));
        ProtectionPaths {
            creator: self.usage.creator(),
            annotations: self.path("pod_annotations"),
            switch: switch.filter(|_| !self.would_block(replicas)),
            since: self.from.surface.pdb_since().filter(newer).cloned(),
        }
    }
}

fn same(a: &Bounds, b: &Bounds) -> bool {
    let said = |it: &Option<Setting<Bound>>| it.as_ref().map(|it| (it.known().copied(), it.span()));
    said(&a.min_available) == said(&b.min_available)
        && said(&a.max_unavailable) == said(&b.max_unavailable)
}

/// Whether a word is anywhere in values, as a key or in a text, outside of some of their parts.
fn mentions(value: &Value, word: &str, outside: &[Span]) -> bool {
    if outside.contains(&value.span) {
        return false;
    }
    match &value.kind {
        Kind::String(text) => text.text.contains(word),
        Kind::List(list) => list.items.iter().any(|it| mentions(it, word, outside)),
        Kind::Map(map) => {
            let inside = |it: &Entry| *it.key == *word || mentions(&it.value, word, outside);
            map.entries.iter().any(inside)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
