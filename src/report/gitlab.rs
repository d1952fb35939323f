//! GitLab's code quality report, which its free tier shows in merge requests.

use serde::Serialize;

use crate::{
    findings::Severity,
    report::{Report, shown::Shown},
    visible,
};

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: &'a str,
    severity: &'static str,
    location: IssueLocation,
}

#[derive(Serialize)]
struct IssueLocation {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

/// The report as a JSON list.
#[must_use]
pub fn render(report: &Report) -> String {
    let issues: Vec<Issue> = report.shown.iter().map(|it| issue(report, it)).collect();
    // Strings, numbers and lists always become JSON.
    visible::json(serde_json::to_string_pretty(&issues).unwrap_or_default()) + "\n"
}

fn issue<'a>(report: &'a Report, shown: &'a Shown) -> Issue<'a> {
    let finding = shown.finding;
    let spot = report.spot(finding.span);
    let help = finding.help.as_deref().map_or(String::new(), |it| format!(". {it}"));
    Issue {
        description: format!("{}{help}", finding.message),
        check_name: finding.rule,
        fingerprint: &shown.fingerprint,
        severity: match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "major",
            Severity::Note => "info",
        },
        location: IssueLocation {
            path: spot.path,
            lines: Lines { begin: spot.start.line, end: spot.end.line },
        },
    }
}
