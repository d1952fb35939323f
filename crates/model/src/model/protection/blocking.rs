//! Budgets that can never allow an eviction.

use crate::{
    findings::Instance,
    model::{
        Model,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        pod::pdb::{Bound, Bounds, OwnBudget},
        setting::Setting,
    },
    source::Span,
};

/// A budget that allows no eviction while all its pods are ready.
#[derive(Clone, Debug)]
pub struct Blocker<'a> {
    /// What it is called: "Budget `web`", "The budget of the chart `consul`".
    pub title: String,
    /// The name of the bound that blocks: `minAvailable`.
    pub name: &'static str,
    /// That bound.
    pub bound: Bound,
    /// Where it is written, else what makes it.
    pub span: Span,
    /// The workloads it is known to select.
    pub workloads: Vec<&'a Workload>,
    /// How many pods it counts, when that decides.
    pub pods: Option<u32>,
    /// What one writes to have none, where something makes it unasked.
    pub without: Option<&'a str>,
    /// Which of several kustomizations builds it.
    pub instance: Option<&'a Instance>,
}

impl Model {
    /// The budgets that never allow an eviction: written ones, then those that come with pods.
    #[must_use]
    pub fn drain_blockers(&self) -> Vec<Blocker<'_>> {
        let written = (0..self.budgets.len()).filter_map(|it| self.written_blocker(it));
        written.chain(self.workloads.iter().filter_map(|it| self.own_blocker(it))).collect()
    }

    fn written_blocker(&self, index: usize) -> Option<Blocker<'_>> {
        let budget = self.budgets.get(index)?;
        let workloads: Vec<&Workload> = self.selected_by(index).collect();
        if budget.selector.is_nothing() || !self.is_complete(&budget.scope) {
            return None;
        }
        // What switches the budget on may well change the number of pods, too.
        let variable = |it: &&Workload| !it.replicas.steps().is_empty();
        if budget.is_switched_off && !budget.bounds.block_always() && workloads.iter().any(variable)
        {
            return None;
        }
        let title = match &*budget.name {
            "" => "This budget".to_owned(),
            name => format!("Budget `{name}`"),
        };
        self.blocker(&budget.bounds, title, None, workloads)
    }

    fn own_blocker<'a>(&'a self, workload: &'a Workload) -> Option<Blocker<'a>> {
        let OwnBudget::Made(made) = &workload.own_budget else { return None };
        let title = format!("The budget of {}", made.by);
        let blocker = self.blocker(&made.bounds, title, Some(made.span), vec![workload])?;
        Some(Blocker { without: made.without.as_deref(), ..blocker })
    }

    fn blocker<'a>(
        &self,
        bounds: &Bounds,
        title: String,
        span: Option<Span>,
        workloads: Vec<&'a Workload>,
    ) -> Option<Blocker<'a>> {
        let (name, setting): (_, &Setting<Bound>) = bounds.effective()?;
        let bound = *setting.known()?;
        // Daemon sets are not counted by the disruption controller, and jobs end.
        let counted = |it: &&Workload| {
            !matches!(it.kind, WorkloadKind::DaemonSet | WorkloadKind::Job | WorkloadKind::CronJob)
        };
        let gone =
            !workloads.is_empty() && workloads.iter().all(|it| self.fewest_pods(it) == Some(0));
        if gone || !workloads.iter().all(counted) {
            return None;
        }
        let pods = if bounds.block_always() { None } else { Some(self.pods_of(&workloads)?) };
        if pods.is_some_and(|it| bounds.allowed(it) != Some(0)) {
            return None;
        }
        let instance = workloads.first().and_then(|it| it.instance.as_ref());
        let span = span.unwrap_or_else(|| setting.span());
        Some(Blocker { title, name, bound, span, workloads, pods, without: None, instance })
    }

    /// How many pods the workloads have at the fewest; `None` without any, or if that is not known.
    fn pods_of(&self, workloads: &[&Workload]) -> Option<u32> {
        let count = |it: &&Workload| self.fewest_pods(it).filter(|_| self.is_complete(&it.scope));
        let pods: u32 = workloads.iter().map(count).sum::<Option<u32>>()?;
        (pods > 0).then_some(pods)
    }
}
