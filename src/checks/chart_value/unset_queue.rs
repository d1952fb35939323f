//! Whether a controller is without the queue by which EC2 announces interruptions.

use crate::{
    checks::chart_value::{
        is_nothing,
        queue_name::told_to_make_none,
        unset::{Needed, Unset, is_meant, unset},
    },
    findings::silence::Silence,
    model::Model,
    resolve::release::Release,
    value::{Entry, cause::Cause},
};

/// The chart that drains nodes before EC2 takes them back.
const HANDLER: &str = "aws-node-termination-handler";

/// That a controller is given no interruption queue, and nothing else drains its nodes.
pub(crate) fn without_queue(model: &Model, controller: &Release) -> Result<Unset, Silence> {
    let unset = without_handler(model, || unset(model, controller, Needed::InterruptionQueue))?;
    is_told_as_unnamed(model, controller)?;
    match told_to_make_none(model, controller.scope.root) {
        Some(off) => {
            let silence = Silence::sound("its module is told to make no queue");
            Err(silence.at(off, "the switch"))
        }
        None => Ok(unset),
    }
}

/// That a queue is unset, and nothing else drains the nodes.
pub(crate) fn without_handler(
    model: &Model,
    unset: impl FnOnce() -> Result<Unset, Silence>,
) -> Result<Unset, Silence> {
    let handlers = || model.releases.iter().filter(|it| &*it.chart == HANDLER);
    let at = |silence: Silence, it: &Release| {
        Err(silence.at(it.report_span, "the node termination handler"))
    };
    if let Some(sure) = handlers().find(|it| !it.is_optional) {
        let words = "another chart drains nodes before EC2 takes them back";
        return at(Silence::sound(words), sure);
    }
    let unset = unset()?;
    match handlers().next() {
        Some(off) => {
            let words = "another chart that is off as far as one sees may drain nodes";
            at(Silence::undecided(Cause::Value, words), off)
        }
        None => Ok(unset),
    }
}

/// Says where the values, with the queue in them, are all beside the key of the chart: that leaves the controller
/// without the cluster's name as well, which is the greater fault.
fn is_told_as_unnamed(model: &Model, release: &Release) -> Result<(), Silence> {
    let needed = Needed::InterruptionQueue;
    let is_beside = |it: &&Entry| {
        (needed.is_meant_by(&it.key) && !is_nothing(&it.value)) || is_meant(&it.value, needed)
    };
    let Some(queue) = release.set_beside.iter().find(is_beside) else { return Ok(()) };
    if unset(model, release, Needed::ClusterName).is_err() {
        return Ok(());
    }
    let words = "the values are beside the key of the chart: the cluster's name is unset, which is that fault";
    Err(Silence::sound(words).at(queue.key_span, "the value that holds the queue"))
}
