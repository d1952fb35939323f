//! Software that is installed beside Karpenter, by a chart or as an EKS add-on, and the pods it runs.

mod files;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use serde::Deserialize;

use crate::{
    knowledge::{
        component::files::FILES,
        fact::{Basis, Facts, Verified, may_be_within, version_ranges},
        packaging::Packaging,
        read::{Read, documents},
    },
    version::{Range, Version, constraint::Constraint},
};

/// A piece of software that is installed beside Karpenter, by a chart or as an EKS add-on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Its identifier: `aws-ebs-csi-driver`.
    #[serde(rename = "component")]
    pub name: String,
    /// Its name in messages: "EBS CSI driver".
    pub title: String,
    /// The names of its charts, without repository.
    #[serde(default)]
    pub charts: Vec<String>,
    /// Parts of the addresses its charts come from, where charts of others have the same names; a chart
    /// from an address that is not known is none of these.
    #[serde(default)]
    pub repositories: Vec<String>,
    /// The names of its EKS add-ons.
    #[serde(default)]
    pub addons: Vec<String>,
    /// How `eks-blueprints-addons` installs it, if it does.
    pub blueprint: Option<Blueprint>,
    /// The kinds of pods it runs.
    pub pods: Vec<Pod>,
    /// The basis of its facts that name none themselves.
    #[serde(default)]
    source: String,
    #[serde(default)]
    checked: String,
    #[serde(default)]
    verified: Packagings,
    #[serde(skip)]
    file: &'static str,
}

/// The versions of each packaging that the facts were checked for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Packagings {
    chart: Option<Verified>,
    addon: Option<Verified>,
}

/// A component as an input of the Terraform module `eks-blueprints-addons`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blueprint {
    /// The input; `enable_` before it is the switch.
    pub input: String,
    /// The namespace it installs to by default, where that is known.
    pub namespace: Option<String>,
    /// Where the module takes the chart from, where it matters.
    pub repository: Option<String>,
    /// The chart version each version of the module installs.
    pub chart_versions: Facts,
    /// The versions of the module that this was checked for.
    verified: Verified,
}

/// One workload of a component.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pod {
    /// Its part in the component: `node`, `controller`.
    pub name: String,
    /// Its name in messages: "the EBS CSI controller".
    pub title: String,
    /// `DaemonSet`, `Deployment` or `StatefulSet`.
    pub kind: String,
    /// How much it needs the nodes that exist before Karpenter makes any; `None` where that is no question.
    pub bootstrap: Option<Bootstrap>,
    /// Whether other pods need it until they have left a node.
    #[serde(default)]
    pub critical: bool,
    /// Whether those other pods are gone when it is evicted itself: upstream gives it a critical priority class, which
    /// Karpenter drains last, and it detaches no volume after them.
    #[serde(default)]
    pub leaves_last: bool,
    /// The first version of the component that has it, or that is known.
    pub since: Option<Version>,
    /// The version from which on it is gone, or another.
    pub until: Option<Version>,
    /// Where it runs if the installer does not set it.
    pub namespace: Option<String>,
    /// Labels its pods carry, for selectors of Fargate profiles.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The label of its pods whose value is the release's name.
    pub instance_label: Option<String>,
    /// The keys of labels its pods may have besides; none where those are not known.
    #[serde(default)]
    pub other_labels: Vec<String>,
    /// The last segments of its images' repositories.
    #[serde(default)]
    pub images: Vec<String>,
    /// The names its workload has in manifests.
    #[serde(default, rename = "objects")]
    pub object_names: Vec<String>,
    /// How it is configured through the chart's values.
    pub chart: Option<Packaging>,
    /// How it is configured through the add-on's `configuration_values`.
    pub addon: Option<Packaging>,
}

/// How much a workload needs the nodes that exist before Karpenter makes any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bootstrap {
    /// Karpenter cannot start without it.
    Required,
    /// Other pods wait for it: for their volumes, for their load balancer.
    Early,
    /// It may as well wait for a node of Karpenter's.
    Late,
}

/// Every component.
pub fn all() -> impl Iterator<Item = &'static Component> {
    within(0..FILES.len())
}

/// What could not be read.
pub(super) fn problems() -> impl Iterator<Item = &'static String> {
    (0..FILES.len()).filter_map(read).flat_map(|it| &it.problems)
}

static READ: [OnceLock<Read<Vec<Component>>>; FILES.len()] = [const { OnceLock::new() }; _];

/// The content of a file, which is read when it is first asked for.
fn read(at: usize) -> Option<&'static Read<Vec<Component>>> {
    let (file, text) = *FILES.get(at)?;
    let read = || {
        let mut read = documents::<Component>(file, text);
        for component in &mut read.data {
            component.file = file;
            if component.complete().is_none() {
                read.problems.push(format!("{file}: {}: facts without `verified`", component.name));
            }
        }
        read
    };
    Some(READ.get(at)?.get_or_init(read))
}

/// The components of some files.
fn within(files: impl IntoIterator<Item = usize>) -> impl Iterator<Item = &'static Component> {
    files.into_iter().filter_map(read).flat_map(|it| &it.data)
}

/// The components of the files in which the name is.
fn near(name: &str) -> impl Iterator<Item = &'static Component> {
    within(files::naming(name).iter().copied())
}

/// The component a chart installs: `aws-ebs-csi-driver`, without the repository, whose address decides
/// between publishers where several have a chart of that name.
#[must_use]
pub fn of_chart(chart: &str, repository: Option<&str>) -> Option<&'static Component> {
    let published = |it: &&Component| {
        repository.is_some_and(|at| it.repositories.iter().any(|part| at.contains(part.as_str())))
    };
    let named: Vec<&'static Component> =
        near(chart).filter(|it| it.charts.iter().any(|name| name == chart)).collect();
    let of_publisher = named.iter().copied().find(published);
    of_publisher.or_else(|| named.into_iter().find(|it| it.repositories.is_empty()))
}

/// Whether a chart of that name is known, of whatever publisher.
#[must_use]
pub fn is_chart(name: &str) -> bool {
    near(name).any(|it| it.charts.iter().any(|chart| chart == name))
}

/// The component an EKS add-on installs.
#[must_use]
pub fn of_addon(addon: &str) -> Option<&'static Component> {
    near(addon).find(|it| it.addons.iter().any(|name| name == addon))
}

/// The component an input of `eks-blueprints-addons` installs: `karpenter` or `enable_karpenter`.
/// Its [`Blueprint`] is always there and has the chart's version.
#[must_use]
pub fn of_blueprint(input: &str) -> Option<&'static Component> {
    let input = input.strip_prefix("enable_").unwrap_or(input);
    near(input).find(|it| it.blueprint.as_ref().is_some_and(|it| it.input == input))
}

/// The workload a manifest of that kind is, by its name or by an image of its containers.
#[must_use]
pub fn pod_of_manifest<'a>(
    kind: &str,
    name: &str,
    images: impl IntoIterator<Item = &'a str>,
) -> Option<(&'static Component, &'static Pod)> {
    let pods_of = |it: &'static Component| it.pods.iter().map(move |pod| (it, pod));
    let named = |pod: &Pod| pod.object_names.iter().any(|it| it == name);
    let mut pods = near(name).flat_map(pods_of);
    if let Some(found) = pods.find(|(_, pod)| pod.kind == kind && named(pod)) {
        return Some(found);
    }
    let repositories: Vec<&str> = images.into_iter().map(repository).collect();
    let last = |it: &&str| it.rsplit('/').next().map_or(&[][..], files::naming);
    let files: BTreeSet<usize> = repositories.iter().flat_map(last).copied().collect();
    let mut pods = within(files).flat_map(pods_of);
    pods.find(|(_, pod)| pod.kind == kind && repositories.iter().any(|it| pod.runs(it)))
}

/// An image without its tag and digest.
fn repository(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    let name = image.rfind('/').map_or(0, |it| it + 1);
    let tag = image.get(name..).and_then(|it| it.find(':'));
    tag.and_then(|it| image.get(..name + it)).unwrap_or(image)
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
        let newest = self.chart_versions.possible(allowed).next_back()?;
        Version::parse(newest.value.as_str()?)
    }
}

impl Component {
    /// Gives each fact its basis; `None` where the versions are missing it was checked for.
    fn complete(&mut self) -> Option<()> {
        let basis = |verified: Option<&Verified>| Basis {
            source: self.source.clone(),
            checked: self.checked.clone(),
            verified: verified.map(Verified::range).unwrap_or_default(),
        };
        let [chart, addon] =
            [&self.verified.chart, &self.verified.addon].map(|it| basis(it.as_ref()));
        if let Some(it) = &mut self.blueprint {
            let module = Basis { verified: it.verified.range(), ..chart.clone() };
            it.chart_versions.complete(&module);
        }
        for pod in &mut self.pods {
            for (packaging, basis) in [(&mut pod.chart, &chart), (&mut pod.addon, &addon)] {
                if let Some(it) = packaging {
                    it.complete(basis);
                    let has_facts = it.facts().any(|it| !it.list().is_empty());
                    (basis.verified != Range::default() || !has_facts).then_some(())?;
                }
            }
        }
        Some(())
    }

    /// The versions of the chart that its facts were checked for.
    #[must_use]
    pub fn verified_chart(&self) -> Option<&Verified> {
        self.verified.chart.as_ref()
    }

    /// The file of the data that describes it: `charts/nats.yaml`.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// What some of its pods are called that may need the nodes before Karpenter's: the component, if that is
    /// all of them or more than two.
    #[must_use]
    pub fn title_of(&self, pods: &[&Pod]) -> String {
        let all = self.pods.iter().filter(|it| it.bootstrap.is_some()).count();
        match pods {
            [one] => one.title.clone(),
            [one, two] if all > 2 => format!("{} and {}", one.title, two.title),
            _ => self.title.clone(),
        }
    }
}

impl Pod {
    /// How it is configured through the chart's values, if a chart runs it.
    #[must_use]
    pub fn of_chart(&self) -> Option<&Packaging> {
        self.chart.as_ref()
    }

    /// How it is configured through the configuration of an add-on, if one runs it.
    #[must_use]
    pub fn of_addon(&self) -> Option<&Packaging> {
        self.addon.as_ref()
    }

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

    /// Whether images of that repository are its own: it ends with the segments known, whatever registry
    /// they are mirrored to.
    fn runs(&self, repository: &str) -> bool {
        let is_end = |it: &str| it.is_empty() || it.ends_with('/');
        self.images.iter().any(|it| repository.strip_suffix(it.as_str()).is_some_and(is_end))
    }

    /// One version of each span within which nothing known about the workload changes, of those the
    /// constraint lets in; without one, of all the facts were checked for.
    #[must_use]
    pub fn versions(&self, packaging: &Packaging, allowed: Option<&Constraint>) -> Vec<Version> {
        self.versions_by(packaging, allowed, &[])
    }

    /// The same where other facts matter, too: nothing of these changes within a span.
    #[must_use]
    pub fn versions_by(
        &self,
        packaging: &Packaging,
        allowed: Option<&Constraint>,
        also: &[&Facts],
    ) -> Vec<Version> {
        let own = self.range();
        if let Some(exact) = allowed.and_then(Constraint::is_exact) {
            let known = own.contains(&exact) && packaging.covers(allowed);
            return if known { vec![exact] } else { Vec::new() };
        }
        let version_ranges =
            version_ranges(packaging.facts().chain(also.iter().copied())).into_iter();
        let possible = version_ranges.filter(|it| it.overlaps(&own)).map(|it| it.and(&own));
        let first = possible.filter(|it| may_be_within(allowed, it)).map(|it| it.since);
        first.map(|it| it.unwrap_or_else(|| Version::new(0, 0, 0))).collect()
    }

    /// All facts about it.
    pub fn facts(&self) -> impl Iterator<Item = &Facts> {
        self.chart.iter().chain(&self.addon).flat_map(Packaging::facts)
    }
}
