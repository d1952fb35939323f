//! Whether something keeps Karpenter from evicting a workload's pods.

pub mod blocking;
pub mod candidates;
pub mod idle;
pub mod overlap;
pub mod selections;

use crate::{
    findings::Note,
    model::{
        Model,
        budget::Budget,
        node_label::NODE_POOL,
        placement::own_nodes::keeps_off,
        workload::{Managed, Workload, WorkloadKind},
    },
    resolve::{
        answers::agreed,
        pod::{
            pdb::OwnBudget,
            selector::{NearMiss, matches, near_miss as near_miss_of},
        },
    },
    time::duration,
    version::Version,
};

/// What protects a workload's pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protection {
    /// A budget or an annotation.
    Assumed,
    /// It cannot be told.
    Unknown,
    /// Nothing; `near` names what nearly does.
    Nothing {
        /// Budgets that nearly select the pods, annotations that do not count.
        near: Vec<Note>,
    },
}

/// More would bury the finding they explain.
const HINTS: usize = 3;

impl Model {
    /// What protects a workload's pods: a budget of its namespace that selects them, or an active
    /// `karpenter.sh/do-not-disrupt`.
    #[must_use]
    pub fn protection(&self, workload: &Workload) -> Protection {
        let mut near = Vec::new();
        match self.annotation(workload, &mut near) {
            Some(true) => return Protection::Assumed,
            None => return Protection::Unknown,
            Some(false) => {}
        }
        match workload.own_budget {
            OwnBudget::Made(_) => return Protection::Assumed,
            OwnBudget::Unknown => return Protection::Unknown,
            OwnBudget::Nothing => {}
        }
        let mut unsure = false;
        let concerns = |it: &usize| self.may_meet(&self.budgets[*it].scope, &workload.scope);
        for budget in self.candidates.certain(workload).filter(concerns) {
            match selects(&self.budgets[budget], workload) {
                Some(true) => return Protection::Assumed,
                Some(false) => {}
                None => unsure = true,
            }
        }
        let mut doubtful = self.candidates.doubtful(workload).filter(concerns);
        unsure |= !self.is_complete(&workload.scope);
        if unsure || doubtful.any(|it| selects(&self.budgets[it], workload).is_none()) {
            return Protection::Unknown;
        }
        let note = |it: usize| near_miss(&self.budgets[it], workload);
        near.extend(self.candidates.first_to_say(workload, HINTS, note));
        near.truncate(HINTS);
        Protection::Nothing { near }
    }

    /// Whether the annotation is there and active; `None` if that is not known.
    fn annotation(&self, workload: &Workload, near: &mut Vec<Note>) -> Option<bool> {
        let Some(setting) = &workload.do_not_disrupt else { return Some(false) };
        let text = setting.known()?;
        let (version, _) = self.karpenter_near(&workload.scope);
        // A duration counts from 1.12 on; with an unknown version the newest release is assumed.
        let durations = version.is_none_or(|it| it >= Version::new(1, 12, 0));
        if text == "true" || (durations && duration::is_positive(text)) {
            return Some(true);
        }
        let message = format!("`{text}` is not `true`, so Karpenter ignores it");
        near.push(Note { span: setting.span(), message });
        Some(false)
    }

    /// Whether a Fargate profile of the repository selects the pods, so that Karpenter never sees them.
    #[must_use]
    pub fn runs_on_fargate(&self, workload: &Workload) -> bool {
        let Some(namespace) = workload.namespace.known() else { return false };
        let mut profiles = self.clusters.iter().flat_map(|it| &it.fargate);
        profiles.any(|it| {
            it.selects_namespace(namespace) == Some(true)
                && matches(&it.labels, &workload.labels) != Some(false)
        })
    }

    /// Whether Karpenter evicts the pods before it removes their node.
    #[must_use]
    pub fn is_drained(&self, workload: &Workload) -> bool {
        !self.is_out_of_reach(workload) && self.tolerates_disruption(workload) == Some(false)
    }

    /// Whether Karpenter certainly has no node with pods of the workload: there are none, or they ask for
    /// nodes that somebody else makes.
    #[must_use]
    pub fn is_out_of_reach(&self, workload: &Workload) -> bool {
        workload.replicas.known_to_be(&0.0)
            || self.runs_on_fargate(workload)
            || keeps_off(&workload.placement, &[NODE_POOL]) == Some(true)
    }

    /// Whether the pods tolerate the taint by which Karpenter drains, and so are left alone.
    #[must_use]
    pub fn tolerates_disruption(&self, workload: &Workload) -> Option<bool> {
        let (taints, _) = self.drain_taints(&workload.scope);
        agreed(taints.iter().map(|it| workload.tolerations.tolerate(&it.taint)))
    }
}

/// Whether a budget selects a workload's pods. A namespace that is not written on one side matches.
fn selects(budget: &Budget, workload: &Workload) -> Option<bool> {
    if !same_namespace(budget, workload) {
        return Some(false);
    }
    matches(&budget.selector, &workload.labels)
}

fn same_namespace(budget: &Budget, workload: &Workload) -> bool {
    match (budget.namespace.known(), workload.namespace.known()) {
        (Some(budget), Some(workload)) => budget == workload,
        _ => true,
    }
}

/// Says why a budget that seems to be meant for the workload does not select it.
fn near_miss(budget: &Budget, workload: &Workload) -> Option<Note> {
    let name = &budget.name;
    if !same_namespace(budget, workload) {
        let (theirs, ours) = (budget.namespace.known()?, workload.namespace.known()?);
        let message =
            format!("`{name}` is a budget in namespace `{theirs}`, the pods are in `{ours}`");
        let selects = matches(&budget.selector, &workload.labels) == Some(true);
        return (selects && !budget.selector.is_everything())
            .then(|| Note { span: budget.namespace.span(), message });
    }
    let miss = near_miss_of(&budget.selector, &workload.labels)?;
    let NearMiss { key, wanted, got, span, .. } = miss;
    let message = match got {
        Some(got) => {
            let wanted = wanted.trim_matches('`');
            format!("this budget selects `{key}: {wanted}`, the pods have `{key}: {got}`")
        }
        None => format!("the pods have no label `{key}`"),
    };
    Some(Note { span, message })
}

impl Workload {
    /// Where the annotation goes, in words.
    #[must_use]
    pub fn annotations_place(&self) -> String {
        let managed = self.managed.as_ref().and_then(|it| it.annotations.as_deref());
        match (self.kind, managed.or(self.annotations_path)) {
            (_, Some(path)) => format!("`{path}`"),
            (WorkloadKind::Pod, None) => "the pod".to_owned(),
            _ => "the pod template".to_owned(),
        }
    }

    /// What to do for pods that nothing protects.
    #[must_use]
    pub fn protection_help(&self) -> String {
        let place = self.annotations_place();
        let annotation = format!("`karpenter.sh/do-not-disrupt: \"true\"` to {place}");
        match &self.managed {
            Some(Managed { switch: Some(switch), .. }) => {
                format!("Set `{switch}`, or add {annotation}")
            }
            Some(Managed { since: Some(since), maker, .. }) => format!(
                "Upgrade to {since} or newer of {maker}, which makes a budget, or add {annotation}"
            ),
            Some(_) => format!(
                "Add {annotation}, or a PodDisruptionBudget with `maxUnavailable: 1` for these pods"
            ),
            None => format!("Add a PodDisruptionBudget that selects these pods, or {annotation}"),
        }
    }
}

#[cfg(test)]
mod tests;
