//! What pods ask of the node that takes them.

use crate::{
    model::{
        node_label::today,
        node_pool::offerings::asked,
        placement::requests::Requests,
        requirement::Requirements,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        effective::EffectivePod,
        pod::{
            placement::{Affinity, Placement, Term},
            selector::{Labels, Requirement, Selector},
            toleration::{Effect, Toleration, TolerationPart, Tolerations},
        },
    },
    source::Span,
    value::{Field, Value},
};

/// What pods ask of the node that takes them.
#[derive(Clone, Debug)]
pub struct Demands {
    /// The taints they tolerate.
    pub tolerations: Tolerations,
    /// Their namespace, if it is known.
    pub namespace: Option<String>,
    /// Their labels.
    pub labels: Labels,
    /// What they ask of the labels of their node: one of these.
    pub alternatives: Vec<Alternative>,
    /// How much of each resource they ask for.
    pub requests: Requests,
    /// Whether they run on each node.
    pub is_daemon: bool,
    /// Why what decides about them is not the scheduler alone, and where that is written.
    pub other_scheduler: Option<(String, Span)>,
}

/// What pods may ask of the labels of their node.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// All of it.
    pub requirements: Requirements,
    /// The same one by one, as it is written.
    pub written: Vec<Requirement>,
    /// Whether no node meets it: a term that asks for nothing.
    pub is_void: bool,
    /// Whether it asks for the fields of a node, too.
    pub has_fields: bool,
}

impl Demands {
    /// What the pods of a workload ask for.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let requests = workload.pod_spec.as_ref().map(Requests::read).unwrap_or_default();
        Self {
            tolerations: and_of_resources(workload.tolerations.clone(), &requests),
            requests,
            namespace: workload.namespace.known().cloned(),
            labels: workload.labels.clone(),
            alternatives: alternatives(&workload.placement),
            is_daemon: workload.kind == WorkloadKind::DaemonSet,
            other_scheduler: workload.pod_spec.as_ref().and_then(other_scheduler),
        }
    }

    /// What the pods of a chart or an add-on ask for, in one of its versions.
    #[must_use]
    pub fn of_effective(pod: &EffectivePod) -> Self {
        let unknown = || Tolerations::read(Field::Unknown);
        let nowhere = Placement::unknown();
        Self {
            tolerations: pod.tolerations.clone().unwrap_or_else(unknown),
            requests: Requests::default(),
            namespace: None,
            labels: pod.labels.clone(),
            alternatives: alternatives(pod.placement.as_ref().unwrap_or(&nowhere)),
            is_daemon: false,
            other_scheduler: None,
        }
    }

    /// What pods ask for that ask nothing but this of their node.
    #[must_use]
    pub fn of_placement(placement: &Placement) -> Self {
        Self {
            tolerations: Tolerations::default(),
            requests: Requests::default(),
            namespace: None,
            labels: Labels::default(),
            alternatives: alternatives(placement),
            is_daemon: false,
            other_scheduler: None,
        }
    }

    /// The same of pods that tolerate every taint.
    #[must_use]
    pub fn tolerating_all(&self) -> Self {
        let known = |text: &str| TolerationPart::Known(text.to_owned());
        let all = Toleration {
            key: known(""),
            operator: known("Exists"),
            value: known(""),
            effect: known(""),
            written: None,
        };
        let tolerations = Tolerations { list: vec![all], rest_unknown: false };
        Self { tolerations, ..self.clone() }
    }

    /// The same of pods that ask for nothing but this label, of all that these ask for.
    #[must_use]
    pub fn only(&self, key: &str) -> Self {
        let own = |it: &Alternative| {
            let kept = it.requirements.get(key).map(|it| (key.to_owned(), it.clone()));
            Alternative {
                requirements: kept.into_iter().collect(),
                written: it.written.iter().filter(|it| today(&it.key) == key).cloned().collect(),
                is_void: false,
                has_fields: false,
            }
        };
        Self { alternatives: self.alternatives.iter().map(own).collect(), ..self.clone() }
    }

    /// Whether they may ask something of a label.
    #[must_use]
    pub fn may_ask_for(&self, key: &str) -> bool {
        let asks = |it: &Requirements| it.is_open() || it.get(key).is_some();
        self.alternatives.iter().any(|it| asks(&it.requirements))
    }
}

impl Alternative {
    /// Where something is asked of a label.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<Span> {
        self.written.iter().find(|it| today(&it.key) == key).map(|it| it.span)
    }
}

/// The tolerations together with those that EKS adds for the extended resources pods ask for.
fn and_of_resources(mut tolerations: Tolerations, requests: &Requests) -> Tolerations {
    let known = |text: &str| TolerationPart::Known(text.to_owned());
    tolerations.list.extend(requests.extended().map(|(name, _)| Toleration {
        key: known(name),
        operator: known("Exists"),
        value: known(""),
        effect: known(Effect::NoSchedule.word()),
        written: None,
    }));
    tolerations
}

/// What placement asks of labels: the node selector with one of the terms of the affinity.
fn alternatives(placement: &Placement) -> Vec<Alternative> {
    let selector = placement.selector();
    match placement.affinity() {
        Affinity::Anywhere => vec![alternative(selector, None)],
        Affinity::OneOf(terms) => terms.iter().map(|it| alternative(selector, Some(it))).collect(),
        Affinity::Unknown => {
            let mut unknown = alternative(selector, None);
            unknown.requirements.open();
            vec![unknown]
        }
    }
}

fn alternative(selector: &Selector, term: Option<&Term>) -> Alternative {
    let selectors = [Some(selector), term.map(|it| &it.expressions)];
    let mut requirements = Requirements::default();
    let mut written = Vec::new();
    for it in selectors.into_iter().flatten() {
        for asks in it.requirements() {
            requirements.add(today(&asks.key), asked(&asks.operator));
            written.push(asks.clone());
        }
        if it.is_open() {
            requirements.open();
        }
    }
    let has_fields = term.is_some_and(|it| it.has_fields);
    let asks_nothing =
        |it: &Term| it.expressions.requirement_count() == 0 && !it.expressions.is_open();
    let is_void = !has_fields && term.is_some_and(asks_nothing);
    Alternative { requirements, written, is_void, has_fields }
}

/// The node that pods name themselves, so that no scheduler places them.
#[must_use]
pub fn node_name(spec: &Value) -> Option<&Value> {
    let name = spec.get("nodeName").present()?;
    (!name.is_null() && name.as_str() != Some("")).then_some(name)
}

/// What else than the scheduler's own rules decides where pods run.
fn other_scheduler(spec: &Value) -> Option<(String, Span)> {
    let written = |key: &str| spec.get(key).present().filter(|it| !it.is_null());
    if let Some(name) = node_name(spec) {
        return Some(("`nodeName` names the node".to_owned(), name.span));
    }
    if let Some(class) = written("runtimeClassName") {
        return Some(("its runtime class may choose nodes".to_owned(), class.span));
    }
    let scheduler = written("schedulerName")?;
    let own = [Some("default-scheduler"), Some("")].contains(&scheduler.as_str());
    (!own).then(|| ("another scheduler places it".to_owned(), scheduler.span))
}
