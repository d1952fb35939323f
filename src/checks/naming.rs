//! How messages name workloads and what creates them.

use crate::{
    model::{node_pool::NodePool, workload::Workload},
    resolve::pod::creator::Creator,
};

/// A workload: "`kafka`", "Redis master of `cache`".
#[must_use]
pub(crate) fn workload(workload: &Workload) -> String {
    workloads(&[workload])
}

/// The same of several that one release makes: "Redis master and Redis replicas of `cache`".
#[must_use]
pub(crate) fn workloads(workloads: &[&Workload]) -> String {
    let Some(first) = workloads.first() else { return String::new() };
    let Some(managed) = &first.managed else { return format!("`{}`", first.title) };
    let mut titles: Vec<String> = Vec::new();
    for title in workloads.iter().map(|it| it.title.to_string()) {
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let titles = series(&titles);
    match &managed.release {
        Some(release) => format!("{titles} of `{release}`"),
        None => format!("{titles} of {}", creator(managed.creator)),
    }
}

/// Parts of a sentence: "`a`, `b` and `c`".
#[must_use]
pub(crate) fn series(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
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
