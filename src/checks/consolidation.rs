//! Pools that consolidate half-used nodes almost at once.

use crate::{
    checks::settled,
    findings::{note::Note, silence::Silence},
    model::{Model, node_pool::NodePool},
    resolve::setting::{self, Setting},
    source::{Span, aside::is_named_for_samples},
    time::duration,
    value::Value,
    version::Version,
};

/// Less is no time for pods to come and go in, in seconds.
const ENOUGH: f64 = 60.0;

/// A pool that consolidates almost at once.
#[derive(Debug)]
pub(crate) struct Hasty<'a> {
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

/// Whether a pool is what a chart makes with the values of an example.
pub(crate) fn is_of_example(pool: &NodePool) -> bool {
    let instance = pool.subject.as_ref().and_then(|it| it.instance.as_ref());
    instance.is_some_and(|it| it.address.split('/').any(is_named_for_samples))
}

/// Whether a pool consolidates half-used nodes without waiting, and no budget slows that down, whatever
/// callers and files of variables may set.
pub(crate) fn hasty<'a>(model: &Model, pool: &'a NodePool) -> Result<Hasty<'a>, Silence> {
    let enough = || Silence::sound("it does not consolidate within a minute");
    let disruption = pool.object.at("spec.disruption").present().ok_or_else(enough)?;
    let after = disruption.get("consolidateAfter").present().ok_or_else(enough)?;
    if settled::is_example(&pool.scope) {
        return Err(Silence::sound("it is an example to choose from"));
    }
    settled::pool(model, pool)?;
    settled::not_given(model, &pool.scope, &pool.object, &PACE)?;
    // The last releases before 1.0 take `v1`, too, and work with what it is converted to.
    let (version, _) = model.karpenter_near(&pool.scope);
    let taking_both = Version::new(0, 33, 0)..Version::new(1, 0, 0);
    if version.is_some_and(|it| taking_both.contains(&it)) {
        return Err(Silence::sound("Karpenter before 1.0 waits for nothing on half-used nodes"));
    }
    let after_setting = Setting::text(Some(after), after.span);
    let written = after_setting.decided("`consolidateAfter`")?;
    if !duration::seconds(written).is_some_and(|it| (0.0..ENOUGH).contains(&it)) {
        return Err(enough());
    }
    if *pool.is_static().decided("`replicas`")? {
        return Err(Silence::sound("a static NodePool is not consolidated"));
    }
    if pool.budgets().may_exist() {
        return Err(Silence::sound("budgets limit how many nodes are disrupted at a time"));
    }
    let default = "WhenEmptyOrUnderutilized";
    let policy = disruption.get("consolidationPolicy");
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let policy = Setting::of(policy, Some(default.to_owned()), disruption.name, text);
    if policy.decided("`consolidationPolicy`")? != default {
        return Err(Silence::sound("only empty nodes are consolidated"));
    }
    let written = after.as_str().unwrap_or_default();
    Ok(Hasty { after: after.span, written, steps: setting::steps(after) })
}
