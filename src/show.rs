//! Views of what a repository describes, beside its findings.

pub mod order;

mod drawing;
mod gathering;
mod json;
mod tree;

use crate::{
    lint::LintResult,
    project::Project,
    show::{
        gathering::Gathering,
        order::{Order, OrderFormat},
    },
};

/// The order of what projects hold among the paths asked for.
#[must_use]
pub fn order(checked: &[(Project, LintResult)]) -> Order<'_> {
    let mut gathering = Gathering::default();
    for (project, outcome) in checked {
        gathering.project(project, &outcome.model);
    }
    gathering.into_order()
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
    }
}
