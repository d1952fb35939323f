//! The components karplint knows (drivers, DNS, controllers), wherever they are configured.

mod configured;
pub mod elsewhere;
pub mod tolerating;

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    knowledge::{
        self,
        component::{Component, Pod},
        fact::may_be_within,
    },
    model::{
        addon::Addon,
        cluster::own_labels,
        scope::Scoped,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        effective::{EffectivePod, configuration::Configuration, effective, tolerated},
        pod::{
            selector::Selector,
            toleration::{Taint, Toleration},
        },
        release::{Release, first_values::FirstValues, surface::Surface},
        scope::Scope,
        setting::Setting,
        terraform::object::GraphNode,
    },
    source::Span,
    value::{Field, Kind, Symbol, Value, cause::Cause},
};

/// One kind of pods of a component, as it is configured in one place.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that rules ask for by itself")]
pub struct ComponentUse {
    /// The component.
    pub component: &'static Component,
    /// Which of its pods.
    pub pod: &'static Pod,
    /// The module call whose add-ons map configures it.
    pub module: Option<GraphNode>,
    /// The block that brings it, if that is Terraform code.
    pub node: Option<GraphNode>,
    /// Whether it is there only when variables have other values than those known.
    pub is_optional: bool,
    scope: Scope,
    namespace: Option<String>,
    /// The pods, for each version that may be installed.
    pub pods: Vec<EffectivePod>,
    source: PodSource,
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
    pub subject: Option<Subject>,
    /// The namespace of the release that installs it.
    pub installed_to: Option<Setting<String>>,
    /// The release that installs it, as the name is known.
    pub release: Option<Arc<str>>,
    /// The key of its values in those of a chart that depends on it.
    pub values_key: Option<Arc<str>>,
    /// Whether something may be missing here that is not missing.
    pub reusable: bool,
    /// Whether it is a dependency of a chart that nothing here installs.
    pub is_for_anybody: bool,
}

/// From what the pods follow.
#[derive(Clone, Debug)]
enum PodSource {
    /// Values of a chart or an add-on.
    Values(Box<Configuration>),
    /// A manifest, with the specification of its pods.
    Manifest(Option<Value>),
}

impl Scoped for ComponentUse {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl ComponentUse {
    /// Where a value of its chart is written: below the chart's key in the values of one that depends on it.
    #[must_use]
    pub fn path_in_values(&self, path: &str) -> String {
        self.values_key.as_deref().map_or_else(|| path.to_owned(), |key| format!("{key}.{path}"))
    }

    /// Whether the pods tolerate the taint; `None` if that is not known or depends on the version.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint) -> Option<bool> {
        tolerated(&self.pods, |it| it.tolerate(taint))
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

    /// Whether a drain evicts the pods after all that need them.
    #[must_use]
    pub fn leaves_last(&self) -> bool {
        const CRITICAL: [&str; 2] = ["system-cluster-critical", "system-node-critical"];
        let is_critical = match &self.source {
            PodSource::Values(_) => true,
            PodSource::Manifest(spec) => {
                let class = spec.as_ref().and_then(|it| it.get("priorityClassName").present());
                class.and_then(Value::as_str).is_some_and(|it| CRITICAL.contains(&it))
            }
        };
        self.pod.leaves_last && is_critical
    }

    /// A toleration of that taint that only fails because its effect is spelled as EKS spells it.
    #[must_use]
    pub fn misspelt(&self, taint: &Taint) -> Option<&Toleration> {
        self.pods.iter().find_map(|it| it.tolerations.as_ref()?.misspelt(taint))
    }

    /// Where in the values the toleration goes.
    #[must_use]
    pub fn toleration_path(&self) -> Option<&str> {
        self.path.as_deref()
    }
}

/// All uses: by releases, by add-ons, by plain manifests.
pub fn usages(addons: &[Addon], releases: &[Release], workloads: &[Workload]) -> Vec<ComponentUse> {
    let releases = releases.iter().filter(|it| !it.is_rendered);
    let found = releases.flat_map(of_release).chain(addons.iter().flat_map(of_addon));
    found.chain(workloads.iter().filter_map(of_workload)).collect()
}

/// The pods of an add-on.
fn of_addon(addon: &Addon) -> Vec<ComponentUse> {
    let Some(component) = knowledge::component::of_addon(&addon.name) else { return Vec::new() };
    let configured = |pod: &'static Pod| {
        let surface = pod.addon.as_ref().filter(|it| it.covers(addon.allowed.as_ref()))?;
        let from = Configuration {
            pod,
            surface,
            values: addon.values.clone(),
            allowed: addon.allowed.clone(),
            release: None,
            wrapped: false,
            is_renamed: false,
            report_span: addon.report_span,
        };
        let usage = configured(component, from, addon.root, &addon.scope);
        let first_values = Some(addon.first_values.clone());
        let subject = Some(addon.subject.clone());
        let (module, node, is_optional) = (addon.module, addon.node, addon.is_optional);
        Some(ComponentUse { module, node, is_optional, first_values, subject, ..usage })
    };
    component.pods.iter().filter_map(configured).collect()
}

fn of_release(release: &Release) -> Vec<ComponentUse> {
    let found = knowledge::component::of_chart(&release.chart, release.repository.as_deref());
    let Some(component) = found else { return Vec::new() };
    let version = release.exact_version();
    let namespace = release.namespace.known().cloned();
    let of_pod = |pod: &'static Pod| {
        let from = configuration(release, pod)?;
        if !from.surface.covers(from.allowed.as_ref()) {
            return None;
        }
        let enabled =
            from.surface.written("enabled", &release.values).present().and_then(Value::as_bool);
        let exists = pod.exists_in(version.as_ref()) != Some(false)
            && may_be_within(from.allowed.as_ref(), &pod.range());
        let root = if release.is_wrapped() { release.values.name } else { release.report_span };
        (exists && enabled != Some(false)).then(|| ComponentUse {
            namespace: namespace.clone(),
            node: release.code().map(|it| it.node),
            is_optional: release.is_optional,
            first_values: release.first_values.clone(),
            subject: release.subject.clone(),
            installed_to: Some(release.namespace.clone()),
            release: release.name.clone(),
            values_key: release.values_key.clone(),
            reusable: release.reusable,
            is_for_anybody: release.surface() == Surface::ChartDependency,
            ..configured(component, from, root, &release.scope)
        })
    };
    component.pods.iter().filter_map(of_pod).collect()
}

/// The pods of a chart that is rendered inside another, below the keys given.
pub(super) fn of_part(
    component: &'static Component,
    from: Configuration,
    (root, keys): (Span, Option<Arc<str>>),
    scope: &Scope,
) -> ComponentUse {
    ComponentUse { values_key: keys, ..configured(component, from, root, scope) }
}

/// From what the pods of a release follow; `None` where nothing is known of its chart.
#[must_use]
pub fn configuration(release: &Release, pod: &'static Pod) -> Option<Configuration> {
    Some(Configuration {
        pod,
        surface: pod.chart.as_ref()?,
        // A Secret is for passwords, not for what decides how pods run.
        values: release.values.without_rest(Cause::Secret),
        allowed: release.allowed(),
        release: release.name.clone(),
        wrapped: release.is_wrapped(),
        is_renamed: release.values_key.as_ref().is_some_and(|it| *it != release.chart),
        report_span: release.report_span,
    })
}

/// A component's pods as its values make them; `root` is what to point at when nothing of these is written.
fn configured(
    component: &'static Component,
    from: Configuration,
    root: Span,
    scope: &Scope,
) -> ComponentUse {
    let Configuration { pod, surface, values, .. } = &from;
    let tolerations = surface.written("tolerations", values).present();
    let switch = surface.written("tolerate_all", values).present();
    let fargate = surface.written("compute_type", values).present().and_then(Value::as_str);
    let path = surface.paths("tolerations").first();
    let selector = match surface.written("node_selector", values) {
        Field::Present(value) if value.is_null() => Field::Missing,
        field => field,
    };
    ComponentUse {
        component,
        pod,
        module: None,
        node: None,
        is_optional: false,
        scope: scope.clone(),
        namespace: pod.namespace.clone(),
        pods: effective(&from, &[]),
        tolerations_key: tolerations.map(|it| it.name),
        tolerate_all: switch.filter(|it| it.as_bool() == Some(false)).map(|it| it.span),
        report_span: from.report_span,
        root,
        innermost: path.map_or(root, |it| from.innermost(it, root)),
        node_selector: own_labels(&Selector::of_labels(selector)),
        has_affinity: !surface.written("affinity", values).get("nodeAffinity").is_missing(),
        on_fargate: fargate.is_some_and(|it| it.eq_ignore_ascii_case("fargate")),
        path: path.cloned(),
        first_values: None,
        subject: None,
        installed_to: None,
        release: None,
        values_key: None,
        reusable: false,
        is_for_anybody: false,
        source: PodSource::Values(Box::new(from)),
    }
}

/// A plain manifest of a known component, recognised by its name or its images.
fn of_workload(workload: &Workload) -> Option<ComponentUse> {
    let kind = match workload.kind {
        WorkloadKind::DaemonSet => "DaemonSet",
        WorkloadKind::Deployment => "Deployment",
        WorkloadKind::StatefulSet
        | WorkloadKind::ReplicaSet
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
        node: None,
        is_optional: false,
        scope: workload.scope.clone(),
        namespace: workload.namespace.known().cloned(),
        pods: vec![written(workload)],
        source: PodSource::Manifest(workload.pod_spec.clone()),
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
        subject: workload.subject.clone(),
        installed_to: None,
        release: None,
        values_key: None,
        reusable: false,
        is_for_anybody: false,
    })
}

/// The pods of a manifest: there is nothing to be made of values.
fn written(workload: &Workload) -> EffectivePod {
    let span = workload.report_span;
    let affinity = workload.pod_spec.as_ref().map_or(Field::Unknown, |it| it.get("affinity"));
    EffectivePod {
        version: None,
        exists: Some(true),
        replicas: workload.replicas.clone(),
        tolerations: Some(workload.tolerations.clone()),
        placement: Some(workload.placement.clone()),
        affinity: match affinity {
            Field::Present(affinity) => affinity.clone(),
            Field::Missing => Value::new(Kind::Null, span),
            Field::Unknown => Value::unknown(Symbol::new("", "affinity"), span),
        },
        labels: workload.labels.clone(),
        mounts_claim: Some(workload.mounts_claim()),
        grace: workload.grace.clone(),
        pdb: None,
    }
}
