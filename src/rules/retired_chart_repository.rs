use crate::{
    checks::varying::is_version_varying, findings::Findings, knowledge::publication, model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/retired-chart-repository.md"), check };

const HELP: &str = "Take a current version from `oci://public.ecr.aws/karpenter`";

fn check(model: &Model, findings: &mut Findings) {
    for release in model.releases.iter().filter(|it| it.is_of_karpenter()) {
        let too_old = || Some(!publication::is_in_registry(&release.allowed()?)?);
        let finding = if release.is_from_retired_repository() {
            let place = release.repository_span.unwrap_or(release.report_span);
            findings.report(place, "This repository is retired and ends with Karpenter 0.16.3")
        } else if release.is_from_public_registry()
            && !is_version_varying(model, release)
            && too_old() == Some(true)
        {
            let place = release.version.span();
            findings.report(place, "This registry has no chart of Karpenter before 0.17.0")
        } else {
            continue;
        };
        finding
            .note_elsewhere(release.report_span, "the release that takes its chart from there")
            .notes(release.version.steps())
            .about(release.subject.as_ref())
            .help(HELP);
    }
}
