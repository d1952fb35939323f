//! Pods that tolerate every taint although they should be drained.

use crate::{
    findings::{Instance, Note},
    knowledge::{component::Pod, packaging::Packaging},
    model::{
        Model,
        component::ComponentUse,
        scope::Scoped,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        pod::{
            placement::Placement,
            toleration::{Effect, Toleration, Tolerations},
        },
        setting::steps,
    },
    source::Span,
    value::{Field, Value},
    version::{Range, Version, constraint::Constraint},
};

/// A toleration of everything on pods that can do their work on another node.
#[derive(Clone, Debug)]
pub struct Blanket {
    /// Who has it: "`ledger`", "The Cilium operator".
    pub title: String,
    /// Where it is written, else what brings it.
    pub report_span: Span,
    /// How it came to be there.
    pub source: Source,
    /// Whether the pods are known to mount claims.
    pub mounts_claim: bool,
    /// The steps by which it came there, and the budgets that are not asked.
    pub related: Vec<Note>,
    /// Which of several instances it belongs to.
    pub instance: Option<Instance>,
}

/// How pods came to tolerate everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Somebody wrote it.
    Written,
    /// It is the default of a chart or an add-on, to be changed at this path, unless agents take theirs from
    /// it too, or by installing this version or a later one.
    Default(Option<String>, Option<Version>),
}

impl Model {
    /// All of them, on pods that may run on nodes of Karpenter's.
    #[must_use]
    pub fn blankets(&self) -> Vec<Blanket> {
        let written = self.workloads.iter().enumerate();
        let written = written.filter_map(|(index, it)| self.of_workload(index, it));
        written.chain(self.components.iter().filter_map(|it| self.of_component(it))).collect()
    }

    fn of_workload(&self, index: usize, workload: &Workload) -> Option<Blanket> {
        let drained = matches!(
            workload.kind,
            WorkloadKind::Deployment | WorkloadKind::StatefulSet | WorkloadKind::Custom
        );
        if !drained || holds_places(workload) || workload.managed.is_some() {
            return None;
        }
        let report_span = report_span(workload.tolerations.list.iter().find(|it| is_blanket(it))?)?;
        let unasked = |it: &usize| Note {
            span: self.budgets[*it].report_span,
            message: "this budget is not asked".to_owned(),
        };
        let blanket = || Blanket {
            title: format!("`{}`", workload.title),
            report_span,
            source: Source::Written,
            mounts_claim: workload.mounts_claim,
            related: self.budgets_of(index).iter().map(unasked).collect(),
            instance: workload.instance.clone(),
        };
        let off = self.stay_off_own_nodes(&workload.placement, &workload.scope);
        (off == Some(false) && !self.is_out_of_reach(workload)).then(blanket)
    }

    fn of_component(&self, usage: &ComponentUse) -> Option<Blanket> {
        let (surface, values, allowed) = usage.configured()?;
        if usage.pod.kind == "DaemonSet" || !exists(usage, surface, values, allowed) {
            return None;
        }
        let (written, mut source) = configured_blanket(surface, values, allowed)?;
        if let Source::Default(path, _) = &mut source
            && path.as_ref().is_some_and(|it| feeds_agents(usage, it))
        {
            *path = None;
        }
        let fargate = self.cluster_of(usage).is_some_and(|it| usage.runs_on_fargate(it));
        let placements = usage.placements();
        let pinned = |it: &Placement| self.stay_off_own_nodes(it, usage.scope()) != Some(false);
        if fargate || placements.iter().any(pinned) {
            return None;
        }
        Some(Blanket {
            title: usage.pod.title.clone(),
            report_span: written.unwrap_or(usage.report_span()),
            source,
            mounts_claim: mounts_claim(surface, values, allowed),
            related: surface.written("tolerations", values).present().map_or_else(Vec::new, steps),
            instance: usage.instance.clone(),
        })
    }
}

fn is_blanket(toleration: &Toleration) -> bool {
    toleration.is_blanket(Effect::NoSchedule) == Some(true)
}

/// Its operator, which makes it one, else the whole.
fn report_span(toleration: &Toleration) -> Option<Span> {
    let written = toleration.written.as_ref()?;
    Some(written.get("operator").present().map_or(written.span, |it| it.span))
}

/// Whether its pods only keep room for others: nothing is lost with them.
fn holds_places(workload: &Workload) -> bool {
    let pauses = |image: &String| {
        let name = image.rsplit('/').next().unwrap_or_default();
        name.split([':', '@']).next().is_some_and(|it| it == "pause" || it.starts_with("pause-"))
    };
    !workload.images.is_empty() && workload.images.iter().all(pauses)
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

/// Where the blanket of a component is written, if it is, and how it came to be there; `None` where some
/// version allowed has none.
fn configured_blanket(
    surface: &Packaging,
    values: &Value,
    allowed: Option<&Constraint>,
) -> Option<(Option<Span>, Source)> {
    let effective = |version: Option<Version>| {
        let version = version.unwrap_or_else(|| Version::new(0, 0, 0));
        Tolerations::effective(surface, values, Some(&version)).list.into_iter().find(is_blanket)
    };
    let (possible, others): (Vec<_>, Vec<_>) = surface
        .version_ranges()
        .into_iter()
        .partition(|it| allowed.is_none_or(|allowed| allowed.within(it) != Some(false)));
    let found = possible.iter().map(|it| effective(it.since.clone()));
    let found: Vec<Toleration> = found.collect::<Option<_>>()?;
    let written = report_span(found.first()?);
    if written.is_some() {
        return Some((written, Source::Written));
    }
    let mut later =
        others.iter().filter(|it| possible.last().is_some_and(|last| last.until <= it.since));
    let mended = later.find(|it| effective(it.since.clone()).is_none());
    let path = surface.paths("tolerations").first().cloned();
    Some((None, Source::Default(path, mended.and_then(|it| it.since.clone()))))
}
