//! Pools that nothing limits.

use crate::{
    checks::settled,
    findings::note::Note,
    knowledge::karpenter::counts_nodes,
    model::{Model, node_pool::NodePool},
    resolve::{release::Release, setting},
    source::Span,
    value::Field,
    version::Version,
};

/// A pool that nothing limits.
#[derive(Debug)]
pub(crate) struct Unbounded<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// Where a limit is missing.
    pub span: Span,
    /// How what is written there came there.
    pub steps: Vec<Note>,
    /// The version that does not count the only limit there is, and the release that says so.
    pub uncounted: Option<(Version, Option<&'a Release>)>,
}

/// What is written of limits where none applies.
enum MissingLimits {
    All(Span, Vec<Note>),
    /// There is one for the number of nodes.
    AllButNodes(Span),
}

/// The pools that launch nodes until AWS has no more.
pub(crate) fn unbounded_pools(model: &Model) -> impl Iterator<Item = Unbounded<'_>> {
    let given =
        |it: &NodePool| it.entry("limits").is_some_and(|it| model.inputs.may_replace(&it.value));
    let pools = settled::pools(model).filter(|it| !settled::is_for_callers(model, &it.scope));
    pools.filter(move |it| !given(it)).filter_map(|it| unbounded(model, it))
}

fn unbounded<'a>(model: &'a Model, pool: &'a NodePool) -> Option<Unbounded<'a>> {
    match missing_limits(pool)? {
        MissingLimits::All(span, steps) => Some(Unbounded { pool, span, steps, uncounted: None }),
        MissingLimits::AllButNodes(span) => {
            let (version, release) = model.karpenter_near(&pool.scope);
            let version = version.filter(|it| counts_nodes(Some(it)) == Some(false));
            // EKS keeps the Karpenter of Auto Mode up to date.
            let version = version.filter(|_| pool.is_of_auto_mode() == Some(false))?;
            let uncounted = Some((version, release));
            Some(Unbounded { pool, span, steps: Vec::new(), uncounted })
        }
    }
}

fn missing_limits(pool: &NodePool) -> Option<MissingLimits> {
    if !pool.is_static().known_to_be(&false) {
        return None;
    }
    let spec = pool.object.get("spec").present()?;
    let limits = match spec.get("limits") {
        Field::Missing => {
            let empty = pool.entry("limits").map(|it| it.key_span);
            return Some(MissingLimits::All(empty.unwrap_or(spec.name), Vec::new()));
        }
        Field::Unknown => return None,
        Field::Present(limits) => limits,
    };
    let map = limits.as_map().filter(|it| it.rest.is_none())?;
    let mut set = map.entries.iter().filter(|it| !it.value.is_null());
    match (set.next(), set.next()) {
        (None, _) => Some(MissingLimits::All(limits.span, setting::steps(limits))),
        (Some(only), None) if &*only.key == "nodes" => {
            Some(MissingLimits::AllButNodes(only.key_span))
        }
        _ => None,
    }
}
