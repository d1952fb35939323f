//! Pools whose budgets keep Karpenter from ever replacing a healthy node.

use crate::{
    checks::settled,
    findings::silence::Silence,
    model::{
        Model,
        node_pool::{
            NodePool,
            frozen::{Frozen, frozen_by},
        },
    },
    resolve::setting,
};

const BUDGETS: &str = "spec.disruption.budgets";

/// What keeps Karpenter from ever replacing a healthy node of a pool, whatever files of variables may set.
pub(crate) fn frozen(model: &Model, pool: &NodePool) -> Result<Vec<Frozen>, Silence> {
    let found = frozen_by(pool);
    if found.is_empty() && pool.budgets().may_have_others {
        return Err(setting::unknown_at("`spec.disruption.budgets`", &pool.object, BUDGETS));
    }
    if found.is_empty() {
        return Err(Silence::sound("its budgets allow a node at some time, or none is written"));
    }
    settled::pool(model, pool)?;
    settled::not_given(model, &pool.scope, &pool.object, &[BUDGETS])?;
    Ok(found)
}
