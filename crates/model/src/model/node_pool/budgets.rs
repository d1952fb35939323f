//! Disruption budgets: how many nodes of a pool Karpenter may replace at once, when, and why.

use crate::{
    findings::Note,
    model::{
        Model,
        node_pool::{
            Api, NodePool,
            cron::{self, Schedule},
        },
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

/// All of them.
const REASONS: [Reason; 3] = [Reason::Underutilized, Reason::Empty, Reason::Drifted];

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
    /// When it begins to hold; always, if none is written.
    schedule: Setting<Option<String>>,
    /// For how many seconds.
    duration: Setting<Option<f64>>,
}

/// When a budget holds.
enum Window<'a> {
    Always,
    /// From each opening of a schedule on, for so many seconds.
    Opens(&'a str, f64),
}

/// Why nothing is ever replaced.
#[derive(Clone, Debug)]
pub enum Frozen {
    /// These budgets allow nothing, for any reason, at any time.
    Nothing(Vec<Shut>),
    /// Karpenter cannot read a schedule, and then allows nothing at all.
    InvalidSchedule {
        /// The schedule.
        span: Span,
        /// What is wrong with it.
        problem: String,
        /// How it came there.
        steps: Vec<Note>,
    },
}

/// A budget that allows nothing, and the schedule that does not help.
#[derive(Clone, Debug)]
pub struct Shut {
    /// Its `nodes`.
    pub nodes: Span,
    /// How they came there.
    pub steps: Vec<Note>,
    /// Its schedule, if it has one, and why it always holds.
    pub schedule: Option<(Span, &'static str)>,
}

impl Model {
    /// The pools whose budgets are known, whatever files of variables may set.
    pub fn freezable_pools(&self) -> impl Iterator<Item = &NodePool> {
        let given =
            |it: &NodePool| self.may_be_given(&it.scope, &it.object, &["spec.disruption.budgets"]);
        self.settled_pools().filter(move |it| !given(it))
    }
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

    /// What keeps Karpenter from ever replacing a healthy node of the pool.
    #[must_use]
    pub fn frozen_by(&self) -> Vec<Frozen> {
        let budgets = self.budgets().list;
        let parse_errors = budgets.iter().filter_map(|it| it.parse_errors(self.api));
        let mut found: Vec<Frozen> = parse_errors.collect();
        let shut: Vec<(&Budget, Shut)> =
            budgets.iter().filter_map(|it| Some((it, it.shut()?))).collect();
        let is_shut =
            |reason: &Reason| shut.iter().any(|(it, _)| it.holds_for(*reason) == Some(true));
        if REASONS.iter().all(is_shut) {
            let mut shut: Vec<(&Budget, Shut)> = shut;
            if let Some(all) = shut.iter().position(|(it, _)| it.holds_for_all()) {
                shut = vec![shut.swap_remove(all)];
            }
            found.push(Frozen::Nothing(shut.into_iter().map(|(_, it)| it).collect()));
        }
        found
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

    /// Whether it holds for that reason.
    fn holds_for(&self, reason: Reason) -> Option<bool> {
        self.reasons.as_ref().map(|it| it.contains(&reason))
    }

    fn holds_for_all(&self) -> bool {
        REASONS.iter().all(|it| self.holds_for(*it) == Some(true))
    }

    /// What is wrong with its schedule, if Karpenter cannot read it.
    fn parse_errors(&self, api: Api) -> Option<Frozen> {
        let Window::Opens(text, _) = self.window()? else { return None };
        // Some of the releases that serve v1beta1 take a time zone.
        let problem =
            Schedule::read(text).err().filter(|_| api == Api::V1 || !text.contains("TZ="))?;
        Some(Frozen::InvalidSchedule {
            span: self.schedule.span(),
            problem,
            steps: self.schedule.steps(),
        })
    }

    /// Whether it allows nothing at any time.
    fn shut(&self) -> Option<Shut> {
        let nodes = self.nodes.written_value()?;
        if nodes.strip_suffix('%').unwrap_or(nodes).parse() != Ok(0) {
            return None;
        }
        let why = match self.window()? {
            Window::Always => None,
            Window::Opens(text, seconds) => Some(match Schedule::read(text).ok()?.longest_gap() {
                None => "no such day comes, and then Karpenter takes the window for open",
                Some(gap) if f64::from(gap) * 60.0 <= seconds => {
                    "the window opens again before it closes"
                }
                Some(_) => return None,
            }),
        };
        let schedule = why.map(|it| (self.schedule.span(), it));
        Some(Shut { nodes: self.nodes.span(), steps: self.nodes.steps(), schedule })
    }

    /// When it holds; `None` if that is not known or the API server refuses it.
    fn window(&self) -> Option<Window<'_>> {
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

/// For which reasons a budget holds: all, unless it names some. `None` if that is not known.
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

#[cfg(test)]
mod tests;
