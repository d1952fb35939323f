//! Pools whose nodes are replaced as soon as a cheaper set would do.

use crate::{
    findings::Note,
    model::{
        Model,
        node_pool::{Api, NodePool},
    },
    resolve::setting::{self, Setting},
    source::Span,
    time::duration,
    value::Value,
};

/// Less is no time for pods to come and go in.
const ENOUGH: f64 = 60.0;

/// What makes a pool restless.
#[derive(Clone, Debug)]
pub struct Restless {
    /// How long it waits.
    pub after: Span,
    /// What is written there: `0s`.
    pub written: String,
    /// How that came there.
    pub steps: Vec<Note>,
}

/// What says how fast a pool consolidates.
const PACE: [&str; 3] = [
    "spec.disruption.budgets",
    "spec.disruption.consolidationPolicy",
    "spec.disruption.consolidateAfter",
];

impl Model {
    /// The pools that are restless, whatever callers and files of variables may set.
    pub fn restless_pools(&self) -> impl Iterator<Item = (&NodePool, Restless)> {
        let given = |it: &&NodePool| self.may_be_given(&it.scope, &it.object, &PACE);
        let pools = self.settled_pools().filter(move |it| !given(it));
        pools.filter_map(|it| Some((it, it.restless()?)))
    }
}

impl NodePool {
    /// Whether it consolidates half-used nodes without waiting, and no budget slows that down.
    #[must_use]
    pub fn restless(&self) -> Option<Restless> {
        if self.api != Api::V1
            || !self.is_static().known_to_be(&false)
            || self.budgets().may_exist()
        {
            return None;
        }
        let disruption = self.object.at("spec.disruption").present()?;
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let default = "WhenEmptyOrUnderutilized";
        let policy = disruption.get("consolidationPolicy");
        let policy = Setting::of(policy, Some(default.to_owned()), disruption.name, text);
        let after = disruption.get("consolidateAfter").present()?;
        let written = after.as_str()?;
        let seconds = duration::seconds(written).filter(|it| (0.0..ENOUGH).contains(it));
        seconds.filter(|_| policy.known_to_be(default))?;
        Some(Restless {
            after: after.span,
            written: written.to_owned(),
            steps: setting::steps(after),
        })
    }
}
