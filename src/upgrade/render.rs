//! The forms of a plan.

use clap::ValueEnum;

use crate::{
    report::text::Look,
    upgrade::{html, json, markdown, shown::Plan, text},
};

/// The form of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// A checklist for an issue or a comment.
    Markdown,
    /// One self-contained page.
    Html,
}

/// A plan in a form.
#[must_use]
pub fn render(plan: &Plan<'_>, format: PlanFormat, look: Look) -> String {
    match format {
        PlanFormat::Text => text::text(plan, look),
        PlanFormat::Json => json::text(plan),
        PlanFormat::Markdown => markdown::text(plan),
        PlanFormat::Html => html::page(plan),
    }
}
