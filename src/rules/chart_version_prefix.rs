use crate::{
    checks::chart_version::{has_prefix, misspelt_tag, releases_of_karpenter},
    findings::{Findings, Safety, Severity, change::Change},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/chart-version-prefix.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for release in releases_of_karpenter(model) {
        let diagnosis = misspelt_tag(model, release);
        let Some((written, version)) = findings.fault(release.report_span, diagnosis) else {
            continue;
        };
        let has = has_prefix(written);
        let tag = if has { version.to_string() } else { format!("v{version}") };
        let literal = release.version.literal.filter(|_| !release.version.shared);
        let change = literal.map(|it| Change::replace(it, tag.as_str()));
        let finding = findings.report(
            release.version.span(),
            format!("There is no chart `{written}`: it is published as `{tag}`"),
        );
        finding
            .notes(release.version.steps())
            .about(release.subject.as_ref())
            .help(format!("Write `{tag}`"))
            .offer(format!("Write `{tag}`"), Safety::Safe, change);
        if has {
            finding.at_most(Severity::Warning);
        }
    }
}
