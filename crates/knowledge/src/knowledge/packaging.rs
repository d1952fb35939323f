//! What a chart or an EKS add-on offers to configure a workload, and what is the case if nothing is written.

use std::{borrow::Borrow, collections::BTreeMap};

use serde::{Deserialize, Deserializer, de};

use crate::{
    knowledge::{
        fact::{Basis, Fact, Facts, may_be_within, version_ranges},
        pdb_form::PdbForm,
    },
    value::{Field, Value},
    version::{Range, Version, constraint::Constraint},
};

/// The settings a chart or an add-on offers for one workload, and what they are if not written.
///
/// The settings are `tolerations`, `tolerate_all` (one switch for a toleration of everything),
/// `node_selector`, `affinity`, `dns_policy`, `compute_type`, `enabled` and `replicas`; for the pods themselves
/// `pod_annotations`, `pod_labels`, `name_override` (which changes a label), `autoscaling` (whether
/// something else sets the replicas), `persistence` (whether the pods mount claims), `volumes` (a list, with claims of others) and `grace`; for the
/// PDB a template makes `pdb` (its switch), `pdb_map`, `min_available` and `max_unavailable`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Packaging {
    /// Where each setting is written: dotted paths.
    paths: BTreeMap<SettingName, Vec<String>>,
    defaults: BTreeMap<SettingName, Facts>,
    /// The tolerations the template adds, whatever the values are.
    appended: Facts,
    /// Whether the list of tolerations is not read while `tolerate_all` is true.
    ignores_list: Facts,
    /// The values required for the pods to exist.
    #[serde(rename = "when")]
    conditions: Vec<ValueCondition>,
    /// How the template makes a PDB for the pods.
    #[serde(deserialize_with = "pdb_forms")]
    pdb: Facts,
    #[serde(skip)]
    verified: Range,
}

/// A value that decides whether pods exist.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueCondition {
    /// Where it is written.
    path: String,
    /// The pods exist while it is one of these.
    #[serde(default)]
    one_of: Vec<Value>,
    /// Or while it is this version of what the pods run, or a newer one.
    #[serde(default)]
    at_least: Option<Version>,
    #[serde(default)]
    defaults: Facts,
}

/// The name of a setting.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct SettingName(String);

const SETTINGS: &[&str] = &[
    "tolerations",
    "tolerate_all",
    "node_selector",
    "affinity",
    "dns_policy",
    "compute_type",
    "enabled",
    "replicas",
    "pod_annotations",
    "pod_labels",
    "name_override",
    "autoscaling",
    "persistence",
    "volumes",
    "grace",
    "pdb",
    "pdb_map",
    "min_available",
    "max_unavailable",
];

impl TryFrom<String> for SettingName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known = SETTINGS.contains(&name.as_str());
        if known { Ok(Self(name)) } else { Err(format!("`{name}` is no setting of a workload")) }
    }
}

impl Borrow<str> for SettingName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Facts, each on how a PDB is made.
fn pdb_forms<'de, D: Deserializer<'de>>(from: D) -> Result<Facts, D::Error> {
    let facts = Facts::deserialize(from)?;
    for fact in facts.list() {
        PdbForm::deserialize(&fact.value).map_err(de::Error::custom)?;
    }
    Ok(facts)
}

impl Packaging {
    /// Adds the basis of the facts.
    pub(super) fn complete(&mut self, basis: &Basis) {
        self.verified = basis.verified.clone();
        let own = [&mut self.appended, &mut self.ignores_list, &mut self.pdb];
        let conditions = self.conditions.iter_mut().map(|it| &mut it.defaults);
        for facts in self.defaults.values_mut().chain(own).chain(conditions) {
            facts.complete(basis);
        }
    }

    /// Whether anything is known of the versions allowed.
    #[must_use]
    pub fn covers(&self, allowed: Option<&Constraint>) -> bool {
        may_be_within(allowed, &self.verified)
    }

    /// The settings that can be written.
    pub fn settings(&self) -> impl Iterator<Item = &str> {
        self.paths.keys().map(|it| it.0.as_str())
    }

    /// Where a setting is written: dotted paths. With several, the first that is written and not empty
    /// counts.
    #[must_use]
    pub fn paths(&self, setting: &str) -> &[String] {
        self.paths.get(setting).map_or(&[], Vec::as_slice)
    }

    /// A setting in the values. A null counts as written: Helm removes the default for it.
    #[must_use]
    pub fn written<'a>(&self, setting: &str, values: &'a Value) -> Field<'a> {
        let mut found = Field::Missing;
        for path in self.paths(setting) {
            match lookup(values, path) {
                Field::Missing => {}
                Field::Unknown => return Field::Unknown,
                Field::Present(value) if value.is_empty() => found = Field::Present(value),
                present @ Field::Present(_) => return present,
            }
        }
        found
    }

    /// What a setting is if not written; `None` where that is not known.
    #[must_use]
    pub fn default(&self, setting: &str, version: Option<&Version>) -> Option<&Value> {
        self.defaults(setting)?.at(version)
    }

    /// What a setting may be if not written, in the versions allowed.
    pub fn possible_defaults(
        &self,
        setting: &str,
        allowed: Option<&Constraint>,
    ) -> impl Iterator<Item = &Value> {
        let facts = self.defaults(setting).into_iter();
        facts.flat_map(move |it| it.possible(allowed)).map(|it| &it.value)
    }

    /// The tolerations the template adds after the list of the values (while `tolerate_all`, if there
    /// is one, is false); `None` where that is not known.
    #[must_use]
    pub fn appended_tolerations(&self, version: Option<&Version>) -> Option<&[Value]> {
        Some(self.appended.at(version)?.items())
    }

    /// Whether the list of tolerations is not read while `tolerate_all` is true.
    #[must_use]
    pub fn ignores_tolerations(&self, version: Option<&Version>) -> Option<bool> {
        if self.paths("tolerate_all").is_empty() {
            return Some(false);
        }
        self.ignores_list.at(version)?.as_bool()
    }

    /// The facts about what a setting is if not written.
    #[must_use]
    pub fn defaults(&self, setting: &str) -> Option<&Facts> {
        self.defaults.get(setting)
    }

    /// The spans of versions within which nothing known about tolerations changes, the oldest first.
    #[must_use]
    pub fn version_ranges(&self) -> Vec<Range> {
        let about = ["tolerations", "tolerate_all"].into_iter().filter_map(|it| self.defaults(it));
        version_ranges(about.chain([&self.appended, &self.ignores_list]))
    }

    /// Whether the values let the pods exist; `None` where that is not known.
    #[must_use]
    pub fn exists(&self, values: &Value, version: &Version) -> Option<bool> {
        let mut sure = true;
        for condition in &self.conditions {
            match condition.is_met(values, version) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => sure = false,
            }
        }
        sure.then_some(true)
    }

    /// Values with which the pods exist: each path with one that will do.
    pub fn required(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.conditions.iter().filter_map(|it| Some((&*it.path, it.one_of.first()?)))
    }

    /// How the template makes a PDB in that version; `None` where that is not known.
    #[must_use]
    pub fn pdb_form(&self, version: &Version) -> Option<PdbForm> {
        PdbForm::deserialize(self.pdb.at(Some(version))?).ok()
    }

    /// Whether there are defaults for a setting at all: without any, what is not written is not there.
    #[must_use]
    pub fn has_defaults(&self, setting: &str) -> bool {
        self.defaults(setting).is_some_and(|it| !it.list().is_empty())
    }

    /// The first version in which a switch that makes a PDB is on, if it was off or not there before.
    #[must_use]
    pub fn pdb_since(&self) -> Option<&Version> {
        let on = |it: &&Fact| it.value.as_bool() == Some(true);
        let switch = self.defaults("pdb")?.list().iter().find(on);
        switch?.range.since.as_ref()
    }

    /// All facts about it.
    pub fn facts(&self) -> impl Iterator<Item = &Facts> {
        let own = [&self.appended, &self.ignores_list, &self.pdb];
        let conditions = self.conditions.iter().map(|it| &it.defaults);
        self.defaults.values().chain(own).chain(conditions)
    }
}

impl ValueCondition {
    fn is_met(&self, values: &Value, version: &Version) -> Option<bool> {
        let value = match lookup(values, &self.path) {
            Field::Present(value) => value,
            Field::Missing => self.defaults.at(Some(version))?,
            Field::Unknown => return None,
        };
        if let Some(least) = &self.at_least {
            return Some(Version::parse(value.as_str()?)? >= *least);
        }
        let mut sure = true;
        for wanted in &self.one_of {
            match value.same_as(wanted) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => sure = false,
            }
        }
        sure.then_some(false)
    }
}

/// The value at a path, with null for what is written as null.
fn lookup<'a>(values: &'a Value, path: &str) -> Field<'a> {
    let (folder, key) = path.rsplit_once('.').unwrap_or(("", path));
    let map = if folder.is_empty() { Field::Present(values) } else { values.at(folder) };
    let entry = map.present().and_then(Value::as_map).and_then(|it| it.entry(key));
    entry.map_or_else(|| map.get(key), |it| Field::Present(&it.value))
}
