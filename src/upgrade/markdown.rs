//! The plan as a checklist for an issue or a comment.

use std::fmt::Write;

use crate::{
    findings::Finding,
    knowledge::upgrade::{Ask, Moment},
    project::Project,
    report::{
        markup::{cell, markdown},
        plural,
    },
    rules,
    upgrade::{
        shown::Plan,
        text::help,
        way::{Step, Upgrade},
    },
};

/// GitHub takes no longer comments, in characters.
const LONGEST: usize = 65_000;

/// The plan as Markdown. What would make it too long is counted.
#[must_use]
pub(super) fn text(plan: &Plan<'_>) -> String {
    let mut text = "## The way to the next Karpenter\n".to_owned();
    let mut left_out = 0;
    for (project, upgrade) in plan.upgrades() {
        let mut parts = vec![head(plan, project, upgrade)];
        for (index, step) in upgrade.steps.iter().enumerate() {
            parts.extend(section(plan, project, (index, upgrade), step));
        }
        for part in parts {
            if text.len() + part.len() > LONGEST {
                left_out += 1;
            } else {
                text += &part;
            }
        }
    }
    if plan.upgrades().next().is_none() {
        text += "\nNothing here installs Karpenter.\n";
    }
    if left_out > 0 {
        let _ = write!(text, "\n{} found no room here.\n", plural(left_out, "more line"));
    }
    text
}

fn head<'a>(plan: &Plan<'a>, project: &'a Project, upgrade: &'a Upgrade) -> String {
    let place = cell(&format!("`{}`", plan.place(project, upgrade.karpenter.span)));
    let title = cell(&format!("`{}`", upgrade.karpenter.title));
    if upgrade.karpenter.version().is_none() {
        let from = markdown(&format!("`{}`", upgrade.from()));
        return format!("\n### {title}\n\n{place}: its version is not known: {from}\n");
    }
    if upgrade.steps.is_empty() {
        return format!("\n### {title}\n\n{place}: {}, nothing to do.\n", upgrade.from());
    }
    format!("\n### {title}: {}\n\n{place}\n", upgrade.way(" → "))
}

fn section<'a>(
    plan: &Plan<'a>,
    project: &'a Project,
    (index, upgrade): (usize, &'a Upgrade),
    step: &'a Step,
) -> Vec<String> {
    let after = step.forbidden_without.as_ref();
    let after = after.map_or(String::new(), |it| format!(", not without {it} before it"));
    let mut parts = vec![format!("\n#### {}. {}{after}\n", index + 1, step.title())];
    let report = plan.report(project, step);
    let lines = upgrade.version_lines(&project.files, step);
    if !report.shown.is_empty() || !lines.is_empty() {
        parts.push("\nIn the repository:\n\n".to_owned());
    }
    parts.extend(
        report.shown.iter().map(|it| change(&plan.place(project, it.finding.span), it.finding)),
    );
    parts.extend(lines.into_iter().map(|(span, text)| {
        let place = cell(&format!("`{}`", plan.place(project, span)));
        format!("- [ ] {place}: {}\n", markdown(&text))
    }));
    for (when, words) in [(Moment::Before, "before"), (Moment::After, "after")] {
        let mut asks = step.asks_at(when).peekable();
        if asks.peek().is_some() {
            parts.push(format!("\nOn the cluster, {words} it:\n\n"));
        }
        parts.extend(asks.map(ask));
    }
    parts
}

fn change(place: &str, finding: &Finding) -> String {
    let place = cell(&format!("`{place}`"));
    let page = rules::page(finding.rule);
    let rule = page.map_or(finding.rule.to_owned(), |it| format!("[{}]({})", it.name, it.url()));
    let help = help(finding).map_or(String::new(), |it| format!(". {}", markdown(&it)));
    format!("- [ ] {place}: {}{help} ({rule})\n", markdown(&finding.message))
}

fn ask(ask: &Ask) -> String {
    format!("- [ ] {}: {} ([source]({}))\n", markdown(&ask.r#do), markdown(&ask.why), ask.source)
}
