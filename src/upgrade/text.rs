//! The plan for people at a terminal.

use std::fmt::Write;

use crate::{
    findings::{Finding, Safety, Severity},
    knowledge::upgrade::Moment,
    project::Project,
    report::{Report, group, markup::visible, plural, shown::Shown, text::Look, wrap::hanging},
    upgrade::{
        shown::Plan,
        way::{Step, Upgrade},
    },
};

/// Further places of a group that are listed.
const PLACES: usize = 8;

/// The plan as text.
#[must_use]
pub(super) fn text(plan: &Plan<'_>, look: Look) -> String {
    let mut page = Page { text: String::new(), look };
    for (project, upgrade) in plan.upgrades() {
        page.upgrade(plan, project, upgrade);
    }
    if page.text.is_empty() {
        return "nothing here installs Karpenter\n".to_owned();
    }
    let changes: usize = plan.upgrades().map(|(_, it)| it.changes()).sum();
    let steps: usize = plan.upgrades().map(|(_, it)| it.steps.len()).sum();
    if steps > 0 {
        let (changes, steps) = (plural(changes, "change"), plural(steps, "step"));
        page.line(&format!("{changes} in {steps}; `--fix` makes the edits of the first step"));
    }
    page.text
}

struct Page {
    text: String,
    look: Look,
}

impl Page {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn painted(&self, code: &str, text: &str) -> String {
        if self.look.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn sign(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.look.unicode { unicode } else { ascii }
    }

    /// A paragraph with its lines but the first indented by that much more.
    fn paragraph(&mut self, first: &str, indent: usize, text: &str) {
        let indent = " ".repeat(indent);
        let hung = hanging(&visible(text), self.look.width.saturating_sub(2), &indent);
        let _ = writeln!(self.text, "{first}{hung}");
    }

    fn upgrade<'a>(&mut self, plan: &Plan<'a>, project: &'a Project, it: &'a Upgrade) {
        let place = plan.place(project, it.karpenter.span);
        let title = self.painted("1", &it.karpenter.title);
        self.line(&format!("{title}  {place}"));
        let goal = it.to.as_ref().map(ToString::to_string).unwrap_or_default();
        match (it.karpenter.version(), it.steps.is_empty()) {
            (None, _) => {
                let from = visible(&it.from());
                self.line(&format!("  its version is not known: {from}\n"));
                return;
            }
            (Some(_), true) => {
                self.line(&format!("  it is {goal} already, nothing to do\n"));
                return;
            }
            _ => {}
        }
        let way = it.way(self.sign(" → ", " -> "));
        self.line(&format!("  {}\n", self.painted("1", &way)));
        for (index, step) in it.steps.iter().enumerate() {
            self.step(plan, project, (index, it), step);
        }
    }

    fn step<'a>(
        &mut self,
        plan: &Plan<'a>,
        project: &'a Project,
        (index, upgrade): (usize, &'a Upgrade),
        step: &'a Step,
    ) {
        let heading = format!("{}. {}", index + 1, step.title());
        let after = step.forbidden_without.as_ref();
        let after = after.map_or(String::new(), |it| format!(" (not without {it} before it)"));
        let heading = self.painted("1;36", &heading);
        self.line(&format!("{heading}{after}\n"));
        let report = plan.report(project, step);
        self.changes(plan, project, (upgrade, step), &report);
        for (when, words) in [(Moment::Before, "before"), (Moment::After, "after")] {
            let mut asks = step.asks_at(when).peekable();
            if asks.peek().is_some() {
                self.line(&format!("   On the cluster, {words} it:"));
            }
            for ask in asks {
                let sign = self.sign("☐", "[ ]");
                self.paragraph(&format!("   {sign} "), 5, &ask.r#do);
                let why = self.painted("2", &format!("{} ({})", ask.why, ask.source));
                self.paragraph("     ", 5, &why);
            }
        }
        self.line("");
    }

    fn changes<'a>(
        &mut self,
        plan: &Plan<'a>,
        project: &'a Project,
        (upgrade, step): (&'a Upgrade, &'a Step),
        report: &Report<'a>,
    ) {
        let lines = upgrade.version_lines(&project.files, step);
        if lines.is_empty() && report.shown.is_empty() {
            return;
        }
        self.line("   In the repository:");
        for group in group::by_severity(&report.shown, Severity::Note) {
            self.group(report, &group);
        }
        for (span, text) in lines {
            let place = plan.place(project, span);
            let sign = self.sign("•", "-");
            self.paragraph(&format!("   {sign} "), 5, &format!("{place}: {text}"));
        }
    }

    fn group(&mut self, report: &Report<'_>, group: &[&Shown<'_>]) {
        let Some((first, others)) = group.split_first() else { return };
        let finding: &Finding = first.finding;
        let (sign, code) = match finding.severity {
            Severity::Error => (self.sign("×", "x"), "31"),
            _ => (self.sign("!", "!"), "33"),
        };
        let sign = self.painted(code, sign);
        let place = report.shown_place(finding.span);
        self.line(&format!("   {sign} {place}  {}", self.painted("2", finding.rule)));
        self.paragraph("     ", 5, &finding.message);
        if let Some(help) = help(finding) {
            self.paragraph("     help: ", 11, &help);
        }
        for other in others.iter().take(PLACES) {
            let place = report.shown_place(other.finding.span);
            self.line(&format!("     also: {place}"));
        }
        if others.len() > PLACES {
            self.line(&format!("     and {} more", others.len() - PLACES));
        }
    }
}

/// The help of a finding, and how its fix is applied.
#[must_use]
pub(super) fn help(finding: &Finding) -> Option<String> {
    let fix = finding.fix.as_ref();
    let help = finding.help.as_deref().or(fix.map(|it| it.title.as_str()))?;
    Some(match fix.map(|it| it.safety) {
        Some(Safety::Safe) => format!("{help} (`--fix` does it)"),
        Some(Safety::Unsafe) => format!("{help} (`--unsafe-fixes` does it)"),
        None => help.to_owned(),
    })
}
