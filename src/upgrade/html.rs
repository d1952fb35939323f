//! The plan as one self-contained page: nothing is loaded from elsewhere.

use std::fmt::Write;

use crate::{
    findings::Finding,
    knowledge::upgrade::{Ask, Moment},
    project::Project,
    report::{
        Report,
        html::{STYLE, words},
    },
    upgrade::{
        shown::Plan,
        text::help,
        way::{Step, Upgrade},
    },
};

/// Only what is in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The plan as a page.
#[must_use]
pub(super) fn page(plan: &Plan<'_>) -> String {
    let mut body: String =
        plan.upgrades().map(|(project, it)| section(plan, project, it)).collect();
    if body.is_empty() {
        body.push_str("<p class=\"nothing\">Nothing here installs Karpenter.</p>\n");
    }
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>karplint upgrade</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>karplint {version}</h1>\n<p>The way to the next Karpenter</p>\n</header>\n\
         <main>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn section<'a>(plan: &Plan<'a>, project: &'a Project, upgrade: &'a Upgrade) -> String {
    let place = words(&plan.place(project, upgrade.karpenter.span));
    let title = words(&upgrade.karpenter.title);
    let state = match (upgrade.karpenter.version(), upgrade.steps.is_empty()) {
        (None, _) => format!("its version is not known: {}", words(&upgrade.from())),
        (Some(_), true) => format!("{}, nothing to do", words(&upgrade.from())),
        _ => words(&upgrade.way(" → ")),
    };
    let mut text = format!("<h2>{title}: {state}</h2>\n<p class=\"where\">{place}</p>\n");
    for (index, it) in upgrade.steps.iter().enumerate() {
        text += &step(plan, project, (index, upgrade), it);
    }
    text
}

fn step<'a>(
    plan: &Plan<'a>,
    project: &'a Project,
    (index, upgrade): (usize, &'a Upgrade),
    step: &'a Step,
) -> String {
    let after = step.forbidden_without.as_ref();
    let after = after.map_or(String::new(), |it| format!(", not without {it} before it"));
    let mut text = format!("<h2>{}. {}{after}</h2>\n", index + 1, step.title());
    let report = plan.report(project, step);
    for it in &report.shown {
        text += &change(&report, it.finding);
    }
    let lines = upgrade.version_lines(&project.files, step);
    if !lines.is_empty() {
        text += "<ul>\n";
        for (span, line) in lines {
            let (place, line) = (words(&plan.place(project, span)), words(&line));
            let _ = writeln!(text, "<li>{place}: {line}</li>");
        }
        text += "</ul>\n";
    }
    for (when, moment) in [(Moment::Before, "before"), (Moment::After, "after")] {
        let asks: String = step.asks_at(when).map(ask).collect();
        if !asks.is_empty() {
            let _ = write!(text, "<p>On the cluster, {moment} it:</p>\n<ul>\n{asks}</ul>\n");
        }
    }
    text
}

fn change(report: &Report<'_>, finding: &Finding) -> String {
    let word = finding.severity.word();
    let place = words(&report.shown_place(finding.span));
    let help = help(finding).map_or(String::new(), |it| format!("<p>{}.</p>\n", words(&it)));
    format!(
        "<article class=\"{word}\">\n<h3><b>{word}</b> {}</h3>\n<p class=\"where\">{place} · {}</p>\n\
         {help}</article>\n",
        words(&finding.message),
        words(finding.rule),
    )
}

fn ask(ask: &Ask) -> String {
    let source = words(&ask.source);
    format!(
        "<li><label><input type=\"checkbox\"> {}</label><br>{} (<a href=\"{source}\">source</a>)</li>\n",
        words(&ask.r#do),
        words(&ask.why),
    )
}
