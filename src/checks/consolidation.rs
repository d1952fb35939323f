//! Pools that consolidate half-used nodes almost at once.

use crate::{
    checks::settled,
    findings::note::Note,
    model::{
        Model,
        node_pool::{NodePool, PoolVersion},
    },
    resolve::setting::{self, Setting},
    source::Span,
    time::duration,
    value::Value,
};

/// Less is no time for pods to come and go in, in seconds.
const ENOUGH: f64 = 60.0;

/// A pool that consolidates almost at once.
#[derive(Debug)]
pub(crate) struct Hasty<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// Where it says how long it waits.
    pub after: Span,
    /// What is written there: `0s`.
    pub written: &'a str,
    /// How that came there.
    pub steps: Vec<Note>,
}

/// What says how fast a pool consolidates.
const PACE: [&str; 3] = [
    "spec.disruption.budgets",
    "spec.disruption.consolidationPolicy",
    "spec.disruption.consolidateAfter",
];

/// The pools that consolidate almost at once, whatever callers and files of variables may set.
pub(crate) fn hasty_pools(model: &Model) -> impl Iterator<Item = Hasty<'_>> {
    let given = |it: &&NodePool| settled::may_be_given(model, &it.scope, &it.object, &PACE);
    settled::pools(model).filter(move |it| !given(it)).filter_map(hasty)
}

/// Whether a pool consolidates half-used nodes without waiting, and no budget slows that down.
fn hasty(pool: &NodePool) -> Option<Hasty<'_>> {
    if pool.api != PoolVersion::V1
        || !pool.is_static().known_to_be(&false)
        || pool.budgets().may_exist()
    {
        return None;
    }
    let disruption = pool.object.at("spec.disruption").present()?;
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let default = "WhenEmptyOrUnderutilized";
    let policy = disruption.get("consolidationPolicy");
    let policy = Setting::of(policy, Some(default.to_owned()), disruption.name, text);
    let after = disruption.get("consolidateAfter").present()?;
    let written = after.as_str()?;
    let seconds = duration::seconds(written).filter(|it| (0.0..ENOUGH).contains(it));
    seconds.filter(|_| policy.known_to_be(default))?;
    Some(Hasty { pool, after: after.span, written, steps: setting::steps(after) })
}
