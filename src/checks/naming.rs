//! How messages name workloads and what creates them.

use crate::{
    model::{node_pool::NodePool, workload::Workload},
    resolve::pod::creator::Creator,
};

/// A workload: "`kafka`", "Redis master of `cache`".
#[must_use]
pub(crate) fn workload(workload: &Workload) -> String {
    let title = &workload.title;
    match &workload.managed {
        None => format!("`{title}`"),
        Some(managed) => match &managed.release {
            Some(release) => format!("{title} of `{release}`"),
            None => format!("{title} of {}", creator(managed.creator)),
        },
    }
}

/// A pool: "`default`".
#[must_use]
pub(crate) fn pool(pool: &NodePool) -> String {
    if pool.title.is_empty() { "this pool".to_owned() } else { format!("`{}`", pool.title) }
}

/// What creates pods: "the chart `consul`".
#[must_use]
pub(crate) fn creator(creator: Creator) -> String {
    creator.words()
}
