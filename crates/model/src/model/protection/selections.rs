//! Which budgets select which workloads for certain, so that something may be said about the two.

use std::collections::HashMap;

use crate::{
    model::{
        Model,
        budget::Budget,
        protection::selects,
        scope::Scope,
        workload::{Workload, WorkloadKind},
    },
    resolve::setting::Setting,
    source::is_below,
};

/// The certain pairs, as indexes into the model's lists.
#[derive(Debug, Default)]
pub struct Selections {
    of_budget: Vec<Vec<usize>>,
    of_workload: Vec<Vec<usize>>,
}

/// Who a workload is: its kind, namespace and name.
type Identity<'a> = (WorkloadKind, Option<&'a str>, &'a str);

fn identity(workload: &Workload) -> Option<Identity<'_>> {
    let namespace = workload.namespace.known().map(String::as_str);
    (!workload.name.is_empty()).then_some((workload.kind, namespace, &*workload.name))
}

impl Selections {
    /// Pairs the budgets and workloads of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut namesakes: HashMap<Identity<'_>, usize> = HashMap::new();
        let mut in_folder: HashMap<(&str, Identity<'_>), usize> = HashMap::new();
        for (workload, identity) in
            model.workloads.iter().filter_map(|it| Some((it, identity(it)?)))
        {
            *namesakes.entry(identity).or_default() += 1;
            if is_plain(&workload.scope) {
                *in_folder.entry((&*workload.scope.folder, identity)).or_default() += 1;
            }
        }
        let mut all = Self {
            of_budget: vec![Vec::new(); model.budgets.len()],
            of_workload: vec![Vec::new(); model.workloads.len()],
        };
        for (index, workload) in model.workloads.iter().enumerate() {
            let who = identity(workload);
            let count = |it| namesakes.get(&it) == Some(&1);
            let alone = workload.namespace.known().is_some() && who.is_some_and(count);
            // Files side by side that hold the same object are for two stages.
            let staged = who.and_then(|it| in_folder.get(&(&*workload.scope.folder, it)));
            if is_plain(&workload.scope) && staged.is_some_and(|it| *it > 1) {
                continue;
            }
            for budget in model.candidates.certain(workload) {
                if model.surely_selects(&model.budgets[budget], workload, alone) {
                    all.of_budget[budget].push(index);
                    all.of_workload[index].push(budget);
                }
            }
        }
        all
    }
}

impl Model {
    /// Whether a budget selects a workload without any doubt: labels and namespace are known, and both
    /// are part of one cluster: applied together, or one in a folder above the other while no other
    /// workload of the repository has its name (`alone`). Two folders side by side may be two stages.
    fn surely_selects(&self, budget: &Budget, workload: &Workload, alone: bool) -> bool {
        let beside = budget.scope.deploy_unit() == workload.scope.deploy_unit();
        let namespace = match (budget.namespace.known(), workload.namespace.known()) {
            (Some(own), Some(other)) => {
                own == other && (beside || alone && nested(&budget.scope, &workload.scope))
            }
            _ => beside && unnamed_alike(&budget.namespace, &workload.namespace),
        };
        namespace
            && self.may_meet(&budget.scope, &workload.scope)
            && selects(budget, workload) == Some(true)
    }

    /// The workloads that a budget selects for certain.
    pub fn selected_by(&self, budget: usize) -> impl Iterator<Item = &Workload> {
        let selected = self.selections.of_budget.get(budget).into_iter().flatten();
        selected.filter_map(|it| self.workloads.get(*it))
    }

    /// The budgets that select a workload for certain, as indexes.
    #[must_use]
    pub fn budgets_of(&self, workload: usize) -> &[usize] {
        self.selections.of_workload.get(workload).map_or(&[], Vec::as_slice)
    }
}

/// Whether it stands in a file that nothing is known to apply together with others.
fn is_plain(scope: &Scope) -> bool {
    scope.root.is_none() && scope.build.is_none()
}

/// Whether one of two folders holds the other.
fn nested(a: &Scope, b: &Scope) -> bool {
    is_below(&a.folder, &b.folder) || is_below(&b.folder, &a.folder)
}

/// Whether neither namespace is written, or both are the same expression.
#[must_use]
pub fn unnamed_alike(a: &Setting<String>, b: &Setting<String>) -> bool {
    (!a.is_written() && !b.is_written()) || a.same_as(b) == Some(true)
}
