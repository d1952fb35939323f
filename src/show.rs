//! Views of what a repository describes, beside its findings.

pub mod disruption;
pub mod landing;
pub mod objects;
pub mod order;
pub mod overview;
pub mod placement;

mod cluster;
mod data;
mod drawing;
mod forest;
mod gathering;
mod graph;
mod ink;
mod json;
mod mask;
mod page;
mod picture;
mod tree;
mod unknown;
mod yaml;

use crate::{
    inventory::objects::{self as built, BuiltObject},
    lint::LintResult,
    project::Project,
    report::text::Look,
    show::{
        cluster::Chosen,
        gathering::Gathering,
        landing::Landing,
        mask::masked,
        objects::{ObjectsFormat, stream},
        order::{Order, OrderFormat},
        overview::{ClusterView, OverviewFormat},
    },
};

/// A project, and what was made of it.
pub type Understood<'p> = (&'p Project, &'p LintResult);

/// The order of what projects hold among the paths asked for, of a cluster if its name is given.
///
/// # Errors
/// When there is no cluster of that name.
pub fn order<'p>(checked: &[Understood<'p>], cluster: Option<&str>) -> Result<Order<'p>, String> {
    let chosen = Chosen::of(checked, cluster)?;
    let mut gathering = Gathering::default();
    for ((project, outcome), clusters) in checked.iter().zip(&chosen.projects) {
        gathering.project(project, &outcome.model, &|it| clusters.hold(it));
    }
    Ok(gathering.into_order())
}

/// An order in a form; `shown` gives a path as a reader would write it.
#[must_use]
pub fn render_order(
    order: &Order<'_>,
    format: OrderFormat,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    // JSON keeps each name as it is.
    let named = order.visible();
    let order = if format == OrderFormat::Json { order } else { &named };
    match format {
        OrderFormat::Text => tree::text(order, shown),
        OrderFormat::Json => json::text(order, shown),
        OrderFormat::Markdown => drawing::markdown(order),
        OrderFormat::Mermaid => drawing::mermaid(order),
        OrderFormat::Dot => drawing::dot(order),
        OrderFormat::Html => picture::body(order, shown),
    }
}

/// The Kubernetes objects that projects build among the paths asked for, of a cluster if its name is given.
///
/// # Errors
/// When there is no cluster of that name.
pub fn objects<'p>(
    checked: &[Understood<'p>],
    cluster: Option<&str>,
) -> Result<Vec<BuiltObject<'p>>, String> {
    let chosen = Chosen::of(checked, cluster)?;
    let mut found = Vec::new();
    for ((project, outcome), clusters) in checked.iter().zip(&chosen.projects) {
        let is_asked = |it| project.is_asked_for(project.files.get(it).path());
        let all = built::objects(project, &outcome.model).into_iter().filter(|it| {
            (is_asked(it.span.file) || is_asked(it.builder)) && clusters.hold(&it.scope)
        });
        found.extend(all.map(|it| BuiltObject { object: masked(it.object), ..it }));
    }
    Ok(found)
}

/// Objects in a form; `shown` gives a path as a reader would write it.
#[must_use]
pub fn render_objects(
    objects: &[BuiltObject<'_>],
    format: ObjectsFormat,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    match format {
        ObjectsFormat::Text => stream::yaml(objects, shown),
        ObjectsFormat::Json => stream::json(objects, shown),
    }
}

/// What was understood of each cluster among the paths asked for, or of one if its name is given.
///
/// # Errors
/// When there is no cluster of that name.
pub fn overview<'p>(
    checked: &[Understood<'p>],
    cluster: Option<&str>,
) -> Result<Vec<ClusterView<'p>>, String> {
    let chosen = Chosen::of(checked, cluster)?;
    let mut found = Vec::new();
    for ((project, outcome), clusters) in checked.iter().zip(&chosen.projects) {
        found.extend(overview::collect::clusters(project, &outcome.model, clusters));
    }
    Ok(found)
}

/// An overview in a form; `shown` gives a path as a reader would write it.
#[must_use]
pub fn render_overview(
    clusters: &[ClusterView<'_>],
    format: OverviewFormat,
    look: Look,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    match format {
        OverviewFormat::Text => overview::text::text(clusters, look, shown),
        OverviewFormat::Json => overview::json::text(clusters, shown),
        OverviewFormat::Markdown | OverviewFormat::Html => {
            overview::markdown::text(clusters, shown)
        }
    }
}

/// Where pods can run and what events do with them in each cluster among the paths asked for, or in one if its
/// name is given.
///
/// # Errors
/// When there is no cluster of that name.
pub fn landing<'p>(
    checked: &[Understood<'p>],
    cluster: Option<&str>,
) -> Result<Vec<Landing<'p>>, String> {
    let chosen = Chosen::of(checked, cluster)?;
    let mut found = Vec::new();
    for ((project, outcome), clusters) in checked.iter().zip(&chosen.projects) {
        found.extend(landing::collect::clusters(project, &outcome.model, clusters));
    }
    Ok(found)
}

/// Where pods can run, in a form; `shown` gives a path as a reader would write it.
#[must_use]
pub fn render_placement(
    clusters: &[Landing<'_>],
    format: OverviewFormat,
    look: Look,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    match format {
        OverviewFormat::Text => placement::text::text(clusters, look, shown),
        OverviewFormat::Json => placement::json::text(clusters, shown),
        OverviewFormat::Markdown | OverviewFormat::Html => {
            placement::markdown::text(clusters, shown)
        }
    }
}

/// What events do with pods, in a form; `shown` gives a path as a reader would write it.
#[must_use]
pub fn render_disruption(
    clusters: &[Landing<'_>],
    format: OverviewFormat,
    look: Look,
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    match format {
        OverviewFormat::Text => disruption::text::text(clusters, look, shown),
        OverviewFormat::Json => disruption::json::text(clusters, shown),
        OverviewFormat::Markdown | OverviewFormat::Html => {
            disruption::markdown::text(clusters, shown)
        }
    }
}

/// All views on one page; `first` is the one that is shown first: `overview`, `map`, `disruption` or `order`.
///
/// # Errors
/// When there is no cluster of that name.
pub fn page(
    checked: &[Understood<'_>],
    cluster: Option<&str>,
    first: &'static str,
    shown: &dyn Fn(&Project, &str) -> String,
) -> Result<String, String> {
    let (clusters, landings) = (overview(checked, cluster)?, landing(checked, cluster)?);
    let order = order(checked, cluster)?;
    let (clusters, landings) = (&clusters, &landings);
    Ok(page::page(&page::views::Views { clusters, landings, order: &order, first }, shown))
}
