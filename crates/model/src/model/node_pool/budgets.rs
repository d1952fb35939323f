//! Disruption budgets: how many nodes of a pool Karpenter may replace at once, when, and why.

use crate::{
    model::node_pool::{
        NodePool,
        cron::{self, Schedule},
    },
    resolve::setting::Setting,
    source::Span,
    time::duration,
    value::{Field, Kind, Value},
};

/// Why Karpenter replaces a node that is still healthy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its pods fit elsewhere.
    Underutilized,
    /// It has no pods.
    Empty,
    /// It is no longer what its pool and class say.
    Drifted,
}

/// All reasons.
pub const REASONS: [Reason; 3] = [Reason::Underutilized, Reason::Empty, Reason::Drifted];

/// What is written of a pool's budgets.
#[derive(Clone, Debug)]
pub struct Budgets {
    /// Those known.
    pub list: Vec<Budget>,
    /// Whether there may be others.
    pub may_have_others: bool,
    /// Whether any list is written; Karpenter's default holds otherwise.
    is_written: bool,
}

/// How many drifted nodes of a pool Karpenter may replace at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriftPace {
    /// A tenth of them: no budgets are written, and this is Karpenter's default.
    Default,
    /// More than half of them, by these budgets; all of them, where no budget holds for drift.
    Open(Vec<Span>),
    /// Half of them or fewer while these budgets apply, and all of them at other times, which there are.
    AtTimes(Vec<Span>),
    /// Half of them or fewer.
    Limited,
}

/// One budget of a pool.
#[derive(Clone, Debug)]
pub struct Budget {
    /// How many nodes, or which part of them: `3`, `10%`.
    pub nodes: Setting<String>,
    reasons: Option<Vec<Reason>>,
    /// When it begins to apply; always, if none is written.
    pub schedule: Setting<Option<String>>,
    /// For how many seconds.
    duration: Setting<Option<f64>>,
}

/// When a budget applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window<'a> {
    /// At all times.
    Always,
    /// From each opening of a schedule on, for so many seconds.
    Opens(&'a str, f64),
}

impl NodePool {
    /// The budgets that are written, if any are.
    #[must_use]
    pub fn budgets(&self) -> Budgets {
        let written = self.object.at("spec.disruption.budgets");
        let (list, may_have_others) = match written {
            Field::Missing => (Vec::new(), false),
            Field::Present(Value { kind: Kind::List(list), .. }) => {
                (list.items.iter().map(Budget::read).collect(), list.rest.is_some())
            }
            Field::Present(_) | Field::Unknown => (Vec::new(), true),
        };
        Budgets { list, may_have_others, is_written: !written.is_missing() }
    }
}

impl Budgets {
    /// How many drifted nodes may be replaced at once; `None` if that is not known.
    #[must_use]
    pub fn drift_pace(&self) -> Option<DriftPace> {
        if self.may_have_others {
            return None;
        }
        if !self.is_written {
            return Some(DriftPace::Default);
        }
        let (mut open, mut at_times) = (Vec::new(), Vec::new());
        for budget in &self.list {
            match (budget.holds_for(Reason::Drifted)?, budget.percentage()) {
                (false, _) => {}
                (true, Some(part)) if part > 50.0 => open.push(budget.nodes.span()),
                (true, _) if budget.ends() && !budget.is_closed() => at_times.push(budget),
                (true, _) => return budget.nodes.known().map(|_| DriftPace::Limited),
            }
        }
        let windows: Vec<_> = at_times.iter().filter_map(|it| it.opens()).collect();
        if cron::cover_all_times(&windows) {
            let mut nodes = at_times.iter().map(|it| it.nodes.known());
            return nodes.all(|it| it.is_some()).then_some(DriftPace::Limited);
        }
        let at_times: Vec<Span> = at_times.iter().map(|it| it.nodes.span()).collect();
        let at_times = Some(at_times).filter(|it| !it.is_empty() && open.is_empty());
        Some(at_times.map_or(DriftPace::Open(open), DriftPace::AtTimes))
    }

    /// Whether there may be any.
    #[must_use]
    pub fn may_exist(&self) -> bool {
        self.may_have_others || !self.list.is_empty()
    }
}

impl Budget {
    fn read(value: &Value) -> Self {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let nodes = Setting::of(value.get("nodes"), Some("10%".to_owned()), value.name, text);
        let schedule =
            Setting::of(value.get("schedule"), Some(None), value.name, |it| text(it).map(Some));
        let seconds = |it: &Value| seconds(it.as_str()?).map(Some);
        let duration = Setting::of(value.get("duration"), Some(None), value.name, seconds);
        Self { nodes, reasons: reasons(value.get("reasons")), schedule, duration }
    }

    /// Which part of the nodes it allows, in percent; `None` for a number of nodes.
    fn percentage(&self) -> Option<f64> {
        self.nodes.known()?.strip_suffix('%')?.parse().ok()
    }

    /// Whether it applies to that reason.
    #[must_use]
    pub fn holds_for(&self, reason: Reason) -> Option<bool> {
        self.reasons.as_ref().map(|it| it.contains(&reason))
    }

    /// Whether it lets no node go: its author leaves a time for that open.
    fn is_closed(&self) -> bool {
        matches!(self.nodes.known().map(String::as_str), Some("0" | "0%"))
    }

    /// Whether there are times at which it does not apply. It limits nothing then: `GetAllowedDisruptionsByReason` in
    /// kubernetes-sigs/karpenter `pkg/apis/v1/nodepool.go`.
    fn ends(&self) -> bool {
        let Some((schedule, minutes)) = self.opens() else { return false };
        schedule.longest_gap().is_some_and(|gap| f64::from(gap) > minutes)
    }

    /// When it begins to apply and for how many minutes, if it has a schedule that Karpenter can read.
    fn opens(&self) -> Option<(Schedule, f64)> {
        let Some(Window::Opens(schedule, seconds)) = self.window() else { return None };
        Some((Schedule::read(schedule).ok()?, seconds / 60.0))
    }

    /// When it applies; `None` if that is not known or the API server refuses it.
    #[must_use]
    pub fn window(&self) -> Option<Window<'_>> {
        match (self.schedule.known()?, self.duration.known()?) {
            (None, None) => Some(Window::Always),
            (Some(text), Some(seconds)) if cron::is_admitted(text) => {
                Some(Window::Opens(text, *seconds))
            }
            _ => None,
        }
    }
}

/// The seconds of a duration in hours and minutes: the API server takes no other.
fn seconds(text: &str) -> Option<f64> {
    let text = text.strip_suffix("0s").unwrap_or(text);
    let plain = text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'h' | b'm'));
    duration::seconds(text).filter(|_| plain)
}

/// To which reasons a budget applies: all, unless it names some. `None` if that is not known.
fn reasons(field: Field<'_>) -> Option<Vec<Reason>> {
    let list = match field {
        Field::Missing => return Some(REASONS.to_vec()),
        Field::Present(value) => value.as_list().filter(|it| it.rest.is_none())?,
        Field::Unknown => return None,
    };
    let reason = |it: &Value| match it.as_str()? {
        "Underutilized" => Some(Reason::Underutilized),
        "Empty" => Some(Reason::Empty),
        "Drifted" => Some(Reason::Drifted),
        _ => None,
    };
    list.items.iter().map(reason).collect()
}
