//! Budgets that select nothing.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::Note,
    model::{
        Model,
        budget::Budget,
        protection::{near_miss, selects},
        release::Release,
        scope::DeployUnit,
        workload::Workload,
    },
    resolve::pod::selector::near_miss as near_miss_of,
};

/// A budget that selects no workload, although it nearly selects one beside it: other pods may be made by
/// something that is not seen.
#[derive(Clone, Debug)]
pub struct Idle<'a> {
    /// The budget.
    pub budget: &'a Budget,
    /// Why it does not select what it nearly selects.
    pub near: Note,
    /// The workload that it nearly selects.
    pub workload: &'a Workload,
}

/// Labels that charts put on their pods; who asks for them may mean pods that are not seen.
const OF_CHARTS: &[&str] = &[
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/part-of",
    "helm.sh/chart",
    "release",
    "chart",
    "heritage",
];

/// A hint is worth a look at so many workloads, not at all of a large repository.
const LOOKED_AT: usize = 256;

impl Model {
    /// The budgets that select nothing.
    #[must_use]
    pub fn idle_budgets(&self) -> Vec<Idle<'_>> {
        let busy = self.busy_budgets();
        let blind = self.blind_namespaces();
        let mut around: HashMap<DeployUnit, Vec<&Workload>> = HashMap::new();
        for workload in &self.workloads {
            around.entry(workload.scope.deploy_unit()).or_default().push(workload);
        }
        let idle = self.budgets.iter().enumerate().filter(|(index, budget)| {
            let known = budget.selector.is_known() && !budget.selector.is_nothing();
            let chart = budget.selector.choices().any(|(key, _)| OF_CHARTS.contains(&key));
            let namespace = budget.namespace.known().map(String::as_str);
            known
                && !busy.contains(index)
                && !chart
                && self.is_complete(&budget.scope)
                && !blind.contains(&None)
                && !blind.contains(&namespace)
                && (namespace.is_some() || blind.is_empty())
        });
        let told = idle.filter_map(|(_, budget)| {
            let list = around.get(&budget.scope.deploy_unit())?;
            let list = list.iter().filter(|it| share_namespace(budget, it)).take(LOOKED_AT);
            let mut list = list.filter(|it| is_meant_for(budget, it));
            list.find_map(|it| Some(Idle { budget, near: near_miss(budget, it)?, workload: it }))
        });
        told.collect()
    }

    /// The budgets that select a workload, or may.
    fn busy_budgets(&self) -> HashSet<usize> {
        let mut busy = HashSet::new();
        for workload in &self.workloads {
            let some = |it: &usize| selects(&self.budgets[*it], workload) != Some(false);
            busy.extend(self.candidates.certain(workload).filter(some));
            busy.extend(self.candidates.doubtful(workload).filter(some));
        }
        busy
    }

    /// The namespaces where pods may run that are not seen: those of charts. `None` stands for all.
    fn blind_namespaces(&self) -> HashSet<Option<&str>> {
        let namespace = |it: &Release| it.namespace.known().is_some();
        let (known, unknown): (Vec<&Release>, Vec<&Release>) =
            self.releases.iter().partition(|it| namespace(it));
        let known = known.into_iter().filter_map(|it| it.namespace.known());
        let known = known.map(|it| Some(it.as_str()));
        known.chain(unknown.into_iter().map(|_| None)).collect()
    }
}

/// Whether the budget seems to be meant for this workload and not for others that have a label in common
/// with it: it names the workload, or the label that differs resembles the wanted one.
fn is_meant_for(budget: &Budget, workload: &Workload) -> bool {
    let name = &*workload.name;
    let mut wanted = budget.selector.choices().flat_map(|(_, values)| values);
    let named = budget.name.contains(name) || wanted.any(|it| it == name);
    (named && !name.is_empty())
        || near_miss_of(&budget.selector, &workload.labels).is_some_and(|it| it.resembles)
}

/// Whether two things that are applied together go to one namespace.
fn share_namespace(budget: &Budget, workload: &Workload) -> bool {
    match (budget.namespace.known(), workload.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        (None, None) => !budget.namespace.is_written() && !workload.namespace.is_written(),
        _ => false,
    }
}
