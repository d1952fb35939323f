//! Budgets of pools that allow nothing at any time.

#[cfg(test)]
mod tests;

use crate::{
    findings::note::Note,
    model::node_pool::{
        NodePool, PoolVersion,
        budgets::{Budget, REASONS, Reason, Window},
        cron::Schedule,
    },
    source::Span,
};

/// Why nothing is ever replaced.
#[derive(Clone, Debug)]
pub enum Frozen {
    /// These budgets allow nothing, for any reason, at any time.
    Nothing(Vec<Closed>),
    /// Karpenter cannot parse a schedule, and then allows nothing at all.
    InvalidSchedule {
        /// The schedule.
        span: Span,
        /// What is wrong with it.
        problem: String,
        /// How it came there.
        steps: Vec<Note>,
    },
}

/// A budget that allows nothing.
#[derive(Clone, Debug)]
pub struct Closed {
    /// Its `nodes`.
    pub nodes: Span,
    /// How they came there.
    pub steps: Vec<Note>,
    /// Its schedule, if it has one, and why the budget applies at all times all the same.
    pub schedule: Option<(Span, Always)>,
}

/// Why a budget with a schedule applies at all times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Always {
    /// The schedule names a day that never comes, and Karpenter then takes the window for open.
    NoSuchDay,
    /// The window opens again before it closes.
    Overlap,
}

/// What keeps Karpenter from ever replacing a healthy node of a pool.
#[must_use]
pub fn frozen_by(pool: &NodePool) -> Vec<Frozen> {
    let budgets = pool.budgets().list;
    let invalid = budgets.iter().filter_map(|it| invalid_schedule(it, pool.api));
    let mut found: Vec<Frozen> = invalid.collect();
    let mut all: Vec<(&Budget, Closed)> =
        budgets.iter().filter_map(|it| Some((it, closed(it)?))).collect();
    let is_closed = |reason: &Reason| all.iter().any(|(it, _)| it.holds_for(*reason) == Some(true));
    if REASONS.iter().all(is_closed) {
        if let Some(whole) = all.iter().position(|(it, _)| is_for_all_reasons(it)) {
            all = vec![all.swap_remove(whole)];
        }
        found.push(Frozen::Nothing(all.into_iter().map(|(_, it)| it).collect()));
    }
    found
}

/// What keeps nodes of a pool from ever being replaced for a reason.
#[must_use]
pub fn closed_for(pool: &NodePool, reason: Reason) -> Option<Frozen> {
    let budgets = pool.budgets().list;
    let invalid = budgets.iter().find_map(|it| invalid_schedule(it, pool.api));
    invalid.or_else(|| {
        let mut own = budgets.iter().filter(|it| it.holds_for(reason) == Some(true));
        own.find_map(closed).map(|it| Frozen::Nothing(vec![it]))
    })
}

fn is_for_all_reasons(budget: &Budget) -> bool {
    REASONS.iter().all(|it| budget.holds_for(*it) == Some(true))
}

/// What is wrong with the schedule of a budget, if Karpenter cannot parse it.
fn invalid_schedule(budget: &Budget, api: PoolVersion) -> Option<Frozen> {
    let Window::Opens(text, _) = budget.window()? else { return None };
    // Some of the releases that serve v1beta1 take a time zone.
    let problem =
        Schedule::read(text).err().filter(|_| api == PoolVersion::V1 || !text.contains("TZ="))?;
    let (span, steps) = (budget.schedule.span(), budget.schedule.steps());
    Some(Frozen::InvalidSchedule { span, problem, steps })
}

/// Whether a budget allows nothing at any time.
fn closed(budget: &Budget) -> Option<Closed> {
    let nodes = budget.nodes.written_value()?;
    if nodes.strip_suffix('%').unwrap_or(nodes).parse() != Ok(0) {
        return None;
    }
    let why = match budget.window()? {
        Window::Always => None,
        Window::Opens(text, seconds) => Some(match Schedule::read(text).ok()?.longest_gap() {
            None => Always::NoSuchDay,
            Some(gap) if f64::from(gap) * 60.0 <= seconds => Always::Overlap,
            Some(_) => return None,
        }),
    };
    let schedule = why.map(|it| (budget.schedule.span(), it));
    Some(Closed { nodes: budget.nodes.span(), steps: budget.nodes.steps(), schedule })
}
