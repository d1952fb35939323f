//! Disruption budgets: how many nodes of a pool Karpenter may replace at once, when, and why.

use crate::{
    model::node_pool::{NodePool, cron},
    resolve::setting::Setting,
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
        let (list, may_have_others) = match self.object.at("spec.disruption.budgets") {
            Field::Missing => (Vec::new(), false),
            Field::Present(Value { kind: Kind::List(list), .. }) => {
                (list.items.iter().map(Budget::read).collect(), list.rest.is_some())
            }
            Field::Present(_) | Field::Unknown => (Vec::new(), true),
        };
        Budgets { list, may_have_others }
    }
}

impl Budgets {
    /// Whether some of them hold back the replacement of drifted nodes: fewer than all at once.
    #[must_use]
    pub fn may_slow_drift(&self) -> bool {
        let slows = |it: &Budget| {
            it.holds_for(Reason::Drifted) != Some(false) && !it.nodes.known_to_be("100%")
        };
        self.may_have_others || self.list.iter().any(slows)
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

    /// Whether it applies to that reason.
    #[must_use]
    pub fn holds_for(&self, reason: Reason) -> Option<bool> {
        self.reasons.as_ref().map(|it| it.contains(&reason))
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
