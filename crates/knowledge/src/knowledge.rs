//! What each release does when nobody says otherwise.
//!
//! The facts are YAML files beside this one, each with its source and the day it was checked. They are
//! read once, when somebody first asks. A question whose version is unknown is answered when every
//! version agrees; otherwise the answer is `None`, and rules stay silent.
//!
//! Values from here have spans that belong to no file of the project: never point at them.

pub mod answer;
pub mod block_device;
pub mod budget_form;
pub mod chart_values;
pub mod conversion;
pub mod identity;
pub mod instances;
pub mod karpenter;
pub mod kubernetes;
pub mod operator;
pub mod publication;
mod read;
pub mod schema;
pub mod startup;
pub mod tag;
pub mod taint;

use std::sync::OnceLock;

use crate::{
    knowledge::{karpenter::Releases, operator::Operator},
    value::Value,
    version::{Range, Version, constraint::Constraint},
};

/// A piece of software that is installed beside Karpenter, by a chart or as an EKS add-on.
#[derive(Debug)]
pub struct Component {
    /// Its identifier: `aws-ebs-csi-driver`.
    pub name: String,
    /// What people call it: "EBS CSI driver".
    pub title: String,
    /// The names of its charts, without repository.
    pub charts: Vec<String>,
    /// Parts of the addresses its charts come from, where charts of others have the same names; a chart
    /// from an address that is not known is none of these.
    pub repositories: Vec<String>,
    /// The names of its EKS add-ons.
    pub addons: Vec<String>,
    /// How `eks-blueprints-addons` installs it, if it does.
    pub blueprint: Option<Blueprint>,
    /// The kinds of pods it runs.
    pub pods: Vec<Pod>,
}

/// A component as an input of the Terraform module `eks-blueprints-addons`.
#[derive(Debug)]
pub struct Blueprint {
    /// The input; `enable_` before it is the switch.
    pub input: String,
    /// The namespace it installs to if nobody says so, where that is known.
    pub namespace: Option<String>,
    /// Where the module takes the chart from, where it matters.
    pub repository: Option<String>,
    /// The chart version each version of the module installs.
    pub chart_versions: Facts,
}

/// One workload of a component.
#[derive(Debug)]
pub struct Pod {
    /// Its part in the component: `node`, `controller`.
    pub name: String,
    /// What people call it: "the EBS CSI controller".
    pub title: String,
    /// `DaemonSet`, `Deployment` or `StatefulSet`.
    pub kind: String,
    /// Whether it has to run on nodes that exist before Karpenter makes any.
    pub bootstrap: bool,
    /// Whether other pods need it until they have left a node.
    pub critical: bool,
    /// The first version of the component that has it, or that is known.
    pub since: Option<Version>,
    /// The version from which on it is gone, or another.
    pub until: Option<Version>,
    /// Where it runs if the installer does not say.
    pub namespace: Option<String>,
    /// Labels its pods carry, for selectors of Fargate profiles.
    pub labels: Vec<(String, String)>,
    /// The label of its pods whose value is the release's name.
    pub instance_label: Option<String>,
    /// The keys of labels its pods may have besides; none where those are not known.
    pub other_labels: Vec<String>,
    /// The last segments of its images' repositories.
    pub images: Vec<String>,
    /// The names its workload has in manifests.
    pub object_names: Vec<String>,
    /// How it is configured through the chart's values.
    pub chart: Option<Surface>,
    /// How it is configured through the add-on's `configuration_values`.
    pub addon: Option<Surface>,
}

/// The settings a chart or an add-on offers for one workload, and what they are if not written.
///
/// The settings are `tolerations`, `tolerate_all` (one switch for a toleration of everything),
/// `node_selector`, `affinity`, `compute_type`, `enabled` and `replicas`; for the pods themselves
/// `pod_annotations`, `pod_labels`, `name_override` (which changes a label), `autoscaling` (whether
/// something else sets the replicas), `persistence` (whether the pods mount claims) and `grace`; for the
/// budget a template makes `budget` (its switch), `budget_map`, `min_available` and `max_unavailable`.
#[derive(Debug, Default)]
pub struct Surface {
    settings: Vec<Setting>,
    /// The tolerations the template adds, whatever the values say.
    appended: Facts,
    /// Whether the list of tolerations is not read while `tolerate_all` is true.
    ignores_list: Facts,
    /// What the values have to say for the pods to exist.
    conditions: Vec<Condition>,
    /// How the template makes a budget for the pods.
    budget: Facts,
}

/// A value that decides whether pods exist.
#[derive(Debug)]
pub struct Condition {
    /// Where it is written.
    path: String,
    /// The pods exist while it is one of these.
    one_of: Vec<Value>,
    defaults: Facts,
}

#[derive(Debug)]
struct Setting {
    name: String,
    paths: Vec<String>,
    defaults: Facts,
}

/// What is known about one question, version by version.
#[derive(Debug, Default)]
pub struct Facts {
    list: Vec<Fact>,
}

/// One fact.
#[derive(Debug)]
pub struct Fact {
    /// What is the case.
    pub value: Value,
    /// In which versions.
    pub range: Range,
    /// Where it is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// What is known besides the components.
#[derive(Debug, Default)]
struct Knowledge {
    operators: Vec<Operator>,
    startup_taints: Vec<startup::StartupTaint>,
    families: Vec<block_device::Family>,
    tagging: tag::Tagging,
    releases: Releases,
    conversion: conversion::Conversion,
    publication: publication::Publication,
    problems: Vec<String>,
}

fn all() -> &'static Knowledge {
    static ALL: OnceLock<Knowledge> = OnceLock::new();
    ALL.get_or_init(read::all)
}

/// The components, with what could not be read of them. They are most of the data, and a repository without
/// charts and pods asks for none.
fn of_components() -> &'static (Vec<Component>, Vec<String>) {
    static ALL: OnceLock<(Vec<Component>, Vec<String>)> = OnceLock::new();
    ALL.get_or_init(read::components)
}

/// Every component.
#[must_use]
pub fn components() -> &'static [Component] {
    &of_components().0
}

/// What could not be read of the facts; a test keeps this empty.
#[must_use]
pub fn problems() -> Vec<&'static str> {
    let own = all().problems.iter().chain(&of_components().1).chain(chart_values::problems());
    let own = own.chain(&identity::all().problems).chain(&kubernetes::all().1);
    own.map(String::as_str).chain(schema::problems()).collect()
}

/// The component a chart installs: `aws-ebs-csi-driver`, without the repository, whose address decides
/// between publishers where several have a chart of that name.
#[must_use]
pub fn component_of_chart(chart: &str, repository: Option<&str>) -> Option<&'static Component> {
    let named = |it: &&Component| it.charts.iter().any(|name| name == chart);
    let published = |it: &&Component| {
        repository.is_some_and(|at| it.repositories.iter().any(|part| at.contains(part.as_str())))
    };
    let mut all = components().iter().filter(named);
    all.clone().find(published).or_else(|| all.find(|it| it.repositories.is_empty()))
}

/// The component an EKS add-on installs.
#[must_use]
pub fn component_of_addon(addon: &str) -> Option<&'static Component> {
    components().iter().find(|it| it.addons.iter().any(|name| name == addon))
}

/// The component an input of `eks-blueprints-addons` installs: `karpenter` or `enable_karpenter`.
/// Its [`Blueprint`] is always there and knows the chart's version.
#[must_use]
pub fn component_of_blueprint(input: &str) -> Option<&'static Component> {
    let input = input.strip_prefix("enable_").unwrap_or(input);
    components().iter().find(|it| it.blueprint.as_ref().is_some_and(|it| it.input == input))
}

/// The workload a manifest of that kind is, by its name or by an image of its containers.
#[must_use]
pub fn pod_of_manifest<'a>(
    kind: &str,
    name: &str,
    images: impl IntoIterator<Item = &'a str>,
) -> Option<(&'static Component, &'static Pod)> {
    let mut pods = components().iter().flat_map(|it| it.pods.iter().map(move |pod| (it, pod)));
    let named = |pod: &Pod| pod.object_names.iter().any(|it| it == name);
    if let Some(found) = pods.clone().find(|(_, pod)| pod.kind == kind && named(pod)) {
        return Some(found);
    }
    let images: Vec<&str> = images.into_iter().collect();
    pods.find(|(_, pod)| pod.kind == kind && images.iter().any(|it| pod.runs(it)))
}

impl Blueprint {
    /// The chart version that version of the module installs.
    #[must_use]
    pub fn chart_version(&self, module: Option<&Version>) -> Option<Version> {
        Version::parse(self.chart_versions.at(module)?.as_str()?)
    }

    /// The chart version that the newest of the allowed versions of the module installs: what Terraform
    /// takes unless a lock file holds it back.
    #[must_use]
    pub fn newest_chart_version(&self, allowed: Option<&Constraint>) -> Option<Version> {
        let allows =
            |it: &&Fact| allowed.is_none_or(|allowed| allowed.within(&it.range) != Some(false));
        let newest = self.chart_versions.list.iter().rfind(allows)?;
        Version::parse(newest.value.as_str()?)
    }
}

impl Component {
    /// What some of its pods are called that have to run before Karpenter does: the component, if that is all
    /// of them or more than two.
    #[must_use]
    pub fn title_of(&self, pods: &[&Pod]) -> String {
        let all = self.pods.iter().filter(|it| it.bootstrap).count();
        match pods {
            [one] => one.title.clone(),
            [one, two] if all > 2 => format!("{} and {}", one.title, two.title),
            _ => self.title.clone(),
        }
    }
}

impl Pod {
    /// Whether that version of the component has this workload.
    #[must_use]
    pub fn exists_in(&self, version: Option<&Version>) -> Option<bool> {
        let range = self.range();
        match version {
            Some(version) => Some(range.contains(version)),
            None => (range == Range::default()).then_some(true),
        }
    }

    /// The versions of the component that have this workload.
    #[must_use]
    pub fn range(&self) -> Range {
        Range { since: self.since.clone(), until: self.until.clone() }
    }

    /// Whether the image is one of its own: the repository ends with the segments known, whatever
    /// registry it is mirrored to.
    #[must_use]
    pub fn runs(&self, image: &str) -> bool {
        let image = image.split('@').next().unwrap_or(image);
        let name = image.rfind('/').map_or(0, |it| it + 1);
        let tag = image.get(name..).and_then(|it| it.find(':'));
        let repository = tag.and_then(|it| image.get(..name + it)).unwrap_or(image);
        self.images.iter().any(|it| {
            repository
                .strip_suffix(it.as_str())
                .is_some_and(|it| it.is_empty() || it.ends_with('/'))
        })
    }

    /// All facts about it.
    pub fn facts(&self) -> impl Iterator<Item = &Facts> {
        self.chart.iter().chain(&self.addon).flat_map(Surface::facts)
    }
}
