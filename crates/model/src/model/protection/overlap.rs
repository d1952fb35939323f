//! Pods that more than one budget selects: Kubernetes refuses to evict them at all.

use std::collections::BTreeMap;

use crate::{
    model::{Model, budget::Budget, protection::selections::unnamed_alike, workload::Workload},
    resolve::pod::pdb::OwnBudget,
    source::Span,
};

/// A budget too many.
#[derive(Clone, Debug)]
pub struct Overlap<'a> {
    /// The later of the budgets.
    pub budget: &'a Budget,
    /// The pods that both select.
    pub workload: &'a Workload,
    /// The budget that was there before.
    pub earlier: Earlier<'a>,
}

/// The earlier of two budgets.
#[derive(Clone, Copy, Debug)]
pub enum Earlier<'a> {
    /// Somebody wrote it.
    Written(&'a Budget),
    /// This makes it.
    Made(&'a str, Span),
}

impl Model {
    /// The budgets that select pods which another one selects already, one for each later budget and
    /// kustomization.
    #[must_use]
    pub fn overlapping_pdbs(&self) -> Vec<Overlap<'_>> {
        let mut found: BTreeMap<_, Overlap<'_>> = BTreeMap::new();
        for (index, workload) in self.workloads.iter().enumerate() {
            let budgets = self.budgets_of(index).iter().filter_map(|it| self.budgets.get(*it));
            let mut budgets: Vec<&Budget> = budgets.collect();
            budgets.sort_by_key(|it| place(it.report_span));
            let earlier = match (&workload.own_budget, budgets.as_slice()) {
                (OwnBudget::Made(made), _) => Earlier::Made(&made.by, made.span),
                (_, [first, ..]) => Earlier::Written(first),
                _ => continue,
            };
            for budget in budgets {
                if let Earlier::Written(first) = earlier
                    && (is_same(first, budget)
                        || first.scope.deploy_unit() != budget.scope.deploy_unit())
                {
                    continue;
                }
                let key = (place(budget.report_span), budget.scope.build);
                found.entry(key).or_insert(Overlap { budget, workload, earlier });
            }
        }
        found.into_values().collect()
    }
}

/// Files are numbered by their paths.
fn place(span: Span) -> (u32, u32) {
    (span.file.0, span.start)
}

/// Whether two budgets are one object: written twice, for two stages or by mistake.
fn is_same(a: &Budget, b: &Budget) -> bool {
    let named_alike = a.name == b.name || a.name.is_empty() || b.name.is_empty();
    let placed_alike = match (a.namespace.known(), b.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        _ => unnamed_alike(&a.namespace, &b.namespace),
    };
    named_alike && placed_alike
}
