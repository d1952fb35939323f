use crate::{
    checks::chart_version::{opening, releases_of_karpenter, unread_version},
    findings::{Findings, silence::Silence},
    model::Model,
    resolve::release::{Release, chart_source::OpenConstraint},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unpinned-chart-version.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let left_open: Vec<&Release> =
        releases_of_karpenter(model).filter(|it| opening(model, it).is_ok()).collect();
    for release in releases_of_karpenter(model) {
        let shares = |it: &&&Release| it.version.shares_null(&release.version);
        let alike = || left_open.iter().filter(shares);
        let earlier = alike().find(|it| it.report_span < release.report_span);
        let diagnosis = match earlier {
            None => opening(model, release),
            Some(first) => Err(Silence::sound("another release lacks the same version")
                .at(first.report_span, "it is reported there")),
        };
        let Some(opening) = findings.fault(release.report_span, diagnosis) else { continue };
        let message = match opening {
            OpenConstraint::Absent => {
                "No version: whatever release is the newest gets installed".to_owned()
            }
            OpenConstraint::Newest(text) => {
                format!("`{text}` installs whatever release is the newest")
            }
            OpenConstraint::Branch(text) => {
                format!("`{text}` is a branch: whatever its newest commit holds gets installed")
            }
            OpenConstraint::Range(text) => {
                format!("`{text}` also installs the next minor release")
            }
        };
        let unread = unread_version(release).filter(|_| opening == OpenConstraint::Absent);
        let finding = findings.report(unread.unwrap_or_else(|| release.version.span()), message);
        finding.notes(release.version.steps()).about(release.subject.as_ref());
        for it in alike() {
            finding.note_elsewhere(it.report_span, "the same null leaves this one open, too");
        }
        finding.help(match unread {
            Some(_) => "Call it `chart_version`: this module reads no `version`",
            None => "Name one release, and raise it after reading what changes",
        });
    }
}
