//! Pods that tolerate every taint although they should be drained.

use crate::{
    checks::{reach::stays_off_own_nodes, unread::other_cluster},
    findings::{note::Note, silence::Silence, subject::Subject},
    knowledge::{component::Pod, packaging::Packaging},
    model::{
        Model,
        component::ComponentUse,
        pdb::Pdb,
        reach,
        scope::Scoped,
        workload::{Workload, WorkloadKind, bare_image::image_name},
    },
    resolve::{
        effective::configuration::Configuration,
        kubernetes::part::ItemSource,
        pod::toleration::{Effect, Toleration},
        scope::Scope,
        setting::steps,
    },
    source::Span,
    value::{Field, Value, cause::Cause},
    version::{Range, Version, constraint::Constraint},
};

/// A toleration of every taint on pods that can do their work on another node.
#[derive(Clone, Debug)]
pub(crate) struct Blanket<'a> {
    /// The pods that have it: "`ledger`", "The Cilium operator".
    pub title: String,
    /// Where it is written, else what brings it.
    pub report_span: Span,
    /// Where it comes from.
    pub source: TolerationSource,
    /// Whether the pods are known to mount claims.
    pub mounts_claim: bool,
    /// The steps by which it came to its place.
    pub steps: Vec<Note>,
    /// The PDBs of the pods, which have no effect.
    pub pdbs: Vec<&'a Pdb>,
    /// Which of several instances it belongs to.
    pub subject: Option<&'a Subject>,
}

/// Why pods tolerate every taint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TolerationSource {
    /// The toleration is written in the repository.
    Written,
    /// It is the default of a chart or an add-on.
    Default {
        /// The value that replaces it, unless agents take their tolerations from it, too.
        path: Option<String>,
        /// The first version without the default.
        fixed_in: Option<Version>,
    },
    /// A chart of others, which is rendered here, writes it in a template.
    Template {
        /// The chart with its version.
        chart: String,
        /// Where the chart's values are set, where it may have one for it.
        values: Option<String>,
    },
}

/// A place with such a toleration, and whether it keeps Karpenter from draining the pods.
type Judged<'a> = (Span, Result<Blanket<'a>, Silence>);

/// What is to say of all pods that tolerate every taint, but those of agents.
#[must_use]
pub(crate) fn blankets(model: &Model) -> Vec<Judged<'_>> {
    let workloads = model.workloads.iter().enumerate();
    let written = workloads.filter_map(|(index, it)| of_workload(model, index, it));
    written.chain(model.components.iter().filter_map(|it| of_component(model, it))).collect()
}

/// `None` where no toleration tolerates everything.
fn of_workload<'a>(model: &'a Model, index: usize, workload: &'a Workload) -> Option<Judged<'a>> {
    let drained = matches!(
        workload.kind,
        WorkloadKind::Deployment
            | WorkloadKind::ReplicaSet
            | WorkloadKind::StatefulSet
            | WorkloadKind::Custom
    );
    if !drained || workload.managed.is_some() {
        return None;
    }
    let toleration = workload.tolerations.list.iter().find(|it| is_blanket(it))?;
    let source = source(workload, toleration);
    // What a chart of others writes is not edited here.
    let of_chart = workload.part.as_ref().filter(|_| source != TolerationSource::Written);
    let place = of_chart.and_then(|it| it.place).or_else(|| report_span(toleration))?;
    let judged = within_reach(model, workload).map(|()| {
        let pdbs = model.pdb_selections.pdbs_of(index).iter();
        Blanket {
            title: format!("`{}`", workload.title),
            report_span: place,
            source,
            mounts_claim: workload.mounts_claim(),
            steps: Vec::new(),
            pdbs: pdbs.filter_map(|it| model.pdbs.get(*it)).collect(),
            subject: workload.subject.as_ref(),
        }
    });
    Some((place, judged))
}

/// Where the toleration of a workload comes from.
fn source(workload: &Workload, toleration: &Toleration) -> TolerationSource {
    let Some((part, item)) = workload.part.as_ref().zip(toleration.written.as_ref()) else {
        return TolerationSource::Written;
    };
    let chart = format!("`{}` {}", part.chart, part.version);
    match part.source_of("tolerations", item) {
        ItemSource::Written => TolerationSource::Written,
        ItemSource::Default(path) => TolerationSource::Default { path: Some(path), fixed_in: None },
        ItemSource::Template => TolerationSource::Template { chart, values: None },
        ItemSource::Chart => TolerationSource::Template { chart, values: Some(part.keys.clone()) },
    }
}

/// That the pods of a workload may be on nodes that Karpenter drains.
fn within_reach(model: &Model, workload: &Workload) -> Result<(), Silence> {
    if is_placeholder(workload) {
        return Err(Silence::sound("its pods only reserve room for others, or make load"));
    }
    drainable(stays_off_own_nodes(model, &workload.placement, &workload.scope))?;
    beside_karpenter(model, &workload.scope)?;
    reach::within_reach(model, workload)
}

/// That Karpenter may run in the cluster of a scope, and is not for another one than that near.
fn beside_karpenter(model: &Model, scope: &Scope) -> Result<(), Silence> {
    reach::in_its_cluster(model, scope)?;
    other_cluster(model, scope).map_or(Ok(()), Err)
}

/// That the pods do not stay off Karpenter's nodes.
fn drainable(off: Option<bool>) -> Result<(), Silence> {
    match off {
        Some(false) => Ok(()),
        Some(true) => Err(off_own_nodes()),
        None => {
            let why = "whether its pods may run on Karpenter's nodes is not known";
            Err(Silence::undecided(Cause::Value, why))
        }
    }
}

fn off_own_nodes() -> Silence {
    Silence::sound("Karpenter has no node with its pods")
}

/// `None` where a version that may be installed does not tolerate everything.
fn of_component<'a>(model: &'a Model, usage: &'a ComponentUse) -> Option<Judged<'a>> {
    let (surface, values, allowed) = usage.configured()?;
    if usage.pod.kind == "DaemonSet" || !exists(usage, surface, values, allowed) {
        return None;
    }
    let (written, mut source) = configured_blanket(usage.configuration()?)?;
    if let TolerationSource::Default { path, .. } = &mut source {
        let own = path.take().filter(|it| !feeds_agents(usage, it));
        *path = own.map(|it| usage.path_in_values(&it));
    }
    let place = written.unwrap_or(usage.report_span());
    let judged = component_within_reach(model, usage).map(|()| Blanket {
        title: usage.pod.title.clone(),
        report_span: place,
        source,
        mounts_claim: mounts_claim(surface, values, allowed),
        steps: surface.written("tolerations", values).present().map_or_else(Vec::new, steps),
        pdbs: Vec::new(),
        subject: usage.subject.as_ref(),
    });
    Some((place, judged))
}

/// That the pods of a component may be on nodes that Karpenter drains.
fn component_within_reach(model: &Model, usage: &ComponentUse) -> Result<(), Silence> {
    beside_karpenter(model, usage.scope())?;
    match model.cluster_of(usage).map_or(Some(false), |it| usage.runs_on_fargate(it)) {
        Some(false) => {}
        Some(true) => return Err(Silence::sound("a Fargate profile selects its pods")),
        None => {
            let why = "a Fargate profile may select its pods";
            return Err(Silence::undecided(Cause::Value, why));
        }
    }
    let mut placements = usage.placements().into_iter();
    placements.try_for_each(|it| drainable(stays_off_own_nodes(model, &it, usage.scope())))
}

fn is_blanket(toleration: &Toleration) -> bool {
    toleration.is_blanket(Effect::NoSchedule) == Some(true)
}

/// Its operator, else the whole.
fn report_span(toleration: &Toleration) -> Option<Span> {
    let written = toleration.written.as_ref()?;
    Some(written.get("operator").present().map_or(written.span, |it| it.span))
}

/// The last parts of the names of images that only take up room or make load.
const IDLE: &[&str] = &["cpustress", "pause", "stress", "stress-ng"];

/// Whether its pods only reserve room for others, or make load: nothing is lost with them.
fn is_placeholder(workload: &Workload) -> bool {
    let is_idle = |image: &String| {
        let name = image_name(image);
        IDLE.contains(&name) || name.starts_with("pause-")
    };
    !workload.images.is_empty() && workload.images.iter().all(is_idle)
}

/// Whether the values and the versions allowed let the pods exist.
fn exists(
    usage: &ComponentUse,
    surface: &Packaging,
    values: &Value,
    allowed: Option<&Constraint>,
) -> bool {
    let own = usage.pod.range();
    let in_time = own == Range::default() || allowed.and_then(|it| it.within(&own)) == Some(true);
    let versions = usage.pod.versions(surface, allowed);
    let wanted = versions.iter().all(|it| surface.exists(values, it) == Some(true));
    let off = |it: &Value| it.as_bool() == Some(false);
    let enabled = match surface.written("enabled", values) {
        Field::Present(value) => !off(value),
        Field::Missing => !surface.possible_defaults("enabled", allowed).any(off),
        Field::Unknown => false,
    };
    let replicas = surface.written("replicas", values).present().and_then(Value::as_number);
    in_time && wanted && enabled && replicas != Some(0.0)
}

/// Whether the values are known to give the pods claims of their own.
fn mounts_claim(surface: &Packaging, values: &Value, allowed: Option<&Constraint>) -> bool {
    let on = |it: &Value| it.as_bool() == Some(true);
    let mut defaults = surface.possible_defaults("persistence", allowed).peekable();
    match surface.written("persistence", values) {
        Field::Present(value) => on(value),
        Field::Missing => defaults.peek().is_some() && defaults.all(on),
        Field::Unknown => false,
    }
}

/// Whether the tolerations at a path are those of daemon sets, too.
fn feeds_agents(usage: &ComponentUse, path: &str) -> bool {
    let surfaces = |pod: &'static Pod| pod.chart.iter().chain(&pod.addon);
    let agents = usage.component.pods.iter().filter(|it| it.kind == "DaemonSet");
    agents.flat_map(surfaces).any(|it| it.paths("tolerations").iter().any(|it| it == path))
}

/// Where the toleration of a component is written, if it is, and where it comes from; `None` where a version
/// that may be installed has none.
fn configured_blanket(from: &Configuration) -> Option<(Option<Span>, TolerationSource)> {
    let (surface, allowed) = (from.surface, from.allowed.as_ref());
    let effective = |version: Option<Version>| {
        let version = version.unwrap_or_else(|| Version::new(0, 0, 0));
        from.tolerations(&version).list.into_iter().find(is_blanket)
    };
    let (possible, others): (Vec<_>, Vec<_>) = surface
        .version_ranges()
        .into_iter()
        .partition(|it| allowed.is_none_or(|allowed| allowed.within(it) != Some(false)));
    let found = possible.iter().map(|it| effective(it.since.clone()));
    let found: Vec<Toleration> = found.collect::<Option<_>>()?;
    let written = report_span(found.first()?);
    if written.is_some() {
        return Some((written, TolerationSource::Written));
    }
    let mut later =
        others.iter().filter(|it| possible.last().is_some_and(|last| last.until <= it.since));
    let fixed_in = later.find(|it| effective(it.since.clone()).is_none());
    let path = surface.paths("tolerations").first().cloned();
    Some((
        None,
        TolerationSource::Default { path, fixed_in: fixed_in.and_then(|it| it.since.clone()) },
    ))
}
