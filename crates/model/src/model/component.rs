//! The components karplint knows (drivers, DNS, controllers), wherever they are configured.

mod configured;
mod tolerating;

use std::sync::Arc;

use crate::{
    findings::Instance,
    knowledge::{
        self,
        component::{Component, Pod},
        packaging::Packaging,
    },
    model::{
        addon::Addon,
        cluster::{Cluster, FargateSelector, own_labels},
        component::configured::innermost,
        first_values::FirstValues,
        release::{Installer, Release},
        scope::{Scope, Scoped},
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        pod::{
            placement::Placement,
            selector::{Labels, Selector, matches},
            toleration::{Taint, Tolerations, workload_tolerates},
        },
        setting::Setting,
        terraform::Node,
    },
    source::Span,
    value::Value,
    version::constraint::Constraint,
};

/// One kind of pods of a component, as it is configured in one place.
#[derive(Clone, Debug)]
pub struct ComponentUse {
    /// The component.
    pub component: &'static Component,
    /// Which of its pods.
    pub pod: &'static Pod,
    /// The module call whose add-ons map configures it.
    pub module: Option<Node>,
    scope: Scope,
    namespace: Option<String>,
    tolerations: Assumed,
    tolerations_key: Option<Span>,
    tolerate_all: Option<Span>,
    report_span: Span,
    root: Span,
    innermost: Span,
    node_selector: Selector,
    has_affinity: bool,
    on_fargate: bool,
    path: Option<String>,
    first_values: Option<FirstValues>,
    /// Which of several instances of its release.
    pub instance: Option<Instance>,
    /// The namespace of the release that installs it.
    pub installed_to: Option<Setting<String>>,
    /// The release that installs it, as the name is known.
    pub release: Option<Arc<str>>,
    /// The key of its values in those of a chart that depends on it.
    pub values_key: Option<Arc<str>>,
    /// Whether something may be missing here that is not missing.
    pub reusable: bool,
}

/// From what the tolerations follow.
#[derive(Clone, Debug)]
enum Assumed {
    /// Values over the defaults of a chart or an add-on, in the versions allowed.
    Values(&'static Packaging, Value, Option<Constraint>),
    /// A manifest.
    Manifest(Tolerations, Placement, Option<Value>),
}

impl Scoped for ComponentUse {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl ComponentUse {
    /// Whether the pods tolerate the taint; `None` if that is not known or depends on the version.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint) -> Option<bool> {
        match &self.tolerations {
            Assumed::Values(surface, values, allowed) => {
                workload_tolerates(surface, values, allowed.as_ref(), taint)
            }
            Assumed::Manifest(tolerations, ..) => tolerations.tolerate(taint),
        }
    }

    /// Where to point when the pods are evicted: the tolerations, the switch that removed them, else the
    /// component's configuration.
    #[must_use]
    pub fn toleration_anchor(&self) -> Span {
        self.tolerations_key.or(self.tolerate_all).unwrap_or(self.report_span)
    }

    /// Where to point when the pods find no node: the tolerations, else the innermost part of their
    /// configuration that is written.
    #[must_use]
    pub fn placement_span(&self) -> Span {
        self.tolerations_key.unwrap_or(self.innermost)
    }

    /// A toleration of that taint that only fails because its effect is spelled as EKS spells it.
    #[must_use]
    pub fn eks_spelling(&self, taint: &Taint) -> Option<Span> {
        let tolerations = match &self.tolerations {
            Assumed::Values(surface, values, _) => Tolerations::effective(surface, values, None),
            Assumed::Manifest(tolerations, ..) => tolerations.clone(),
        };
        tolerations.eks_spelling(taint)
    }

    /// Where in the values the toleration goes.
    #[must_use]
    pub fn toleration_path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Whether the pods are meant for other nodes than the static groups: Fargate, or nodes with labels
    /// no static group has.
    #[must_use]
    pub fn runs_elsewhere(&self, cluster: &Cluster) -> bool {
        self.has_affinity
            || self.runs_on_fargate(cluster)
            || cluster
                .node_groups
                .iter()
                .all(|it| matches(&self.node_selector, &it.labels) == Some(false))
    }

    /// Whether a Fargate profile of the cluster may select the pods.
    #[must_use]
    pub fn runs_on_fargate(&self, cluster: &Cluster) -> bool {
        let selects = |it: &FargateSelector| self.selected_by(it);
        self.on_fargate || cluster.fargate.iter().any(selects)
    }

    fn selected_by(&self, selector: &FargateSelector) -> bool {
        let labels = self.pod.labels.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        selector.may_select(self.namespace.as_deref(), &Labels::known(labels))
    }
}

/// All uses: by releases, by add-ons, by plain manifests.
pub fn usages(addons: &[Addon], releases: &[Release], workloads: &[Workload]) -> Vec<ComponentUse> {
    let found = releases.iter().flat_map(of_release).chain(addons.iter().flat_map(of_addon));
    found.chain(workloads.iter().filter_map(of_workload)).collect()
}

/// The pods of an add-on.
fn of_addon(addon: &Addon) -> Vec<ComponentUse> {
    let Some(component) = knowledge::component::of_addon(&addon.name) else { return Vec::new() };
    let configured = |pod: &'static Pod| {
        let surface = pod.addon.as_ref().filter(|it| it.covers(addon.allowed.as_ref()))?;
        let at = Configured {
            values: &addon.values,
            report_span: addon.report_span,
            root: addon.root,
            allowed: addon.allowed.clone(),
            surface,
        };
        let usage = at.usage(component, pod, addon.scope.clone());
        let first_values = Some(addon.first_values.clone());
        Some(ComponentUse { module: addon.module, first_values, ..usage })
    };
    component.pods.iter().filter_map(configured).collect()
}

fn of_release(release: &Release) -> Vec<ComponentUse> {
    let found = knowledge::component::of_chart(&release.chart, release.repository.as_deref());
    let Some(component) = found else { return Vec::new() };
    let version = release.exact_version();
    let allowed = release.version.known().and_then(|it| Constraint::parse(it));
    let namespace = release.namespace.known().cloned();
    let configured = |pod: &'static Pod| {
        let surface = pod.chart.as_ref().filter(|it| it.covers(allowed.as_ref()))?;
        let at = Configured {
            values: &release.values,
            report_span: release.report_span,
            root: if release.is_wrapped() { release.values.name } else { release.report_span },
            allowed: allowed.clone(),
            surface,
        };
        let enabled =
            surface.written("enabled", &release.values).present().and_then(Value::as_bool);
        let exists = pod.exists_in(version.as_ref()) != Some(false);
        let usage = at.usage(component, pod, release.scope.clone());
        (exists && enabled != Some(false)).then(|| ComponentUse {
            namespace: namespace.clone(),
            first_values: release.first_values.clone(),
            instance: release.instance.clone(),
            installed_to: Some(release.namespace.clone()),
            release: release.name.clone(),
            values_key: release.values_key.clone(),
            reusable: release.reusable || release.installer == Installer::Anybody,
            ..usage
        })
    };
    component.pods.iter().filter_map(configured).collect()
}

/// A component's values on one surface.
struct Configured<'a> {
    values: &'a Value,
    report_span: Span,
    /// What to point at when nothing of the values is written.
    root: Span,
    /// The versions that may be installed; any without it.
    allowed: Option<Constraint>,
    surface: &'static Packaging,
}

impl Configured<'_> {
    fn usage(
        &self,
        component: &'static Component,
        pod: &'static Pod,
        scope: Scope,
    ) -> ComponentUse {
        let tolerations = self.surface.written("tolerations", self.values).present();
        let switch = self.surface.written("tolerate_all", self.values).present();
        let fargate =
            self.surface.written("compute_type", self.values).present().and_then(Value::as_str);
        ComponentUse {
            component,
            pod,
            module: None,
            scope,
            namespace: pod.namespace.clone(),
            tolerations: Assumed::Values(self.surface, self.values.clone(), self.allowed.clone()),
            tolerations_key: tolerations.map(|it| it.name),
            tolerate_all: switch.filter(|it| it.as_bool() == Some(false)).map(|it| it.span),
            report_span: self.report_span,
            root: self.root,
            innermost: self.innermost(),
            node_selector: own_labels(&Selector::of_labels(
                self.surface.written("node_selector", self.values),
            )),
            has_affinity: !self
                .surface
                .written("affinity", self.values)
                .get("nodeAffinity")
                .is_missing(),
            on_fargate: fargate.is_some_and(|it| it.eq_ignore_ascii_case("fargate")),
            path: self.surface.paths("tolerations").first().cloned(),
            first_values: None,
            instance: None,
            installed_to: None,
            release: None,
            values_key: None,
            reusable: false,
        }
    }

    fn innermost(&self) -> Span {
        let path = self.surface.paths("tolerations").first();
        path.map_or(self.root, |it| innermost(self.values, it, self.root))
    }
}

/// A plain manifest of a known component, recognised by its name or its images.
fn of_workload(workload: &Workload) -> Option<ComponentUse> {
    let kind = match workload.kind {
        WorkloadKind::DaemonSet => "DaemonSet",
        WorkloadKind::Deployment => "Deployment",
        WorkloadKind::StatefulSet
        | WorkloadKind::Job
        | WorkloadKind::CronJob
        | WorkloadKind::Pod
        | WorkloadKind::Custom => return None,
    };
    let images = workload.images.iter().map(String::as_str);
    let (component, pod) = knowledge::component::pod_of_manifest(kind, &workload.name, images)?;
    Some(ComponentUse {
        component,
        pod,
        module: None,
        scope: workload.scope.clone(),
        namespace: workload.namespace.known().cloned(),
        tolerations: Assumed::Manifest(
            workload.tolerations.clone(),
            workload.placement.clone(),
            workload.pod_spec.clone(),
        ),
        tolerations_key: workload.tolerations_key,
        tolerate_all: None,
        report_span: workload.report_span,
        root: workload.report_span,
        innermost: workload.report_span,
        node_selector: own_labels(workload.placement.selector()),
        has_affinity: workload.placement.has_affinity(),
        on_fargate: false,
        path: None,
        first_values: None,
        instance: workload.instance.clone(),
        installed_to: None,
        release: None,
        values_key: None,
        reusable: false,
    })
}
