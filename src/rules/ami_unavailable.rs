use crate::{
    checks::images::{
        classes_of_unknown_images, classes_with_al2, misdated_aliases, unavailable_image,
    },
    findings::Findings,
    model::Model,
    resolve::setting,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/ami-unavailable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (class, silence) in classes_of_unknown_images(model) {
        findings.silent(class.report_span, silence);
    }
    for (class, image) in classes_with_al2(model) {
        let diagnosis = unavailable_image(model, class, image);
        let Some((cluster, version)) = findings.fault(image.span, diagnosis) else { continue };
        let (major, minor) = version.line();
        let message =
            format!("No node launches: AWS publishes no AL2 AMI for Kubernetes {major}.{minor}");
        let finding = findings.report(image.span, message);
        finding.notes(setting::steps(image));
        if let Some(version) = &cluster.version {
            finding.note(version.span(), "the version of the cluster");
        }
        finding.help("Use AL2023 or Bottlerocket, and adapt the user data: their formats differ");
        finding.about(class.subject.as_ref());
    }
    for (class, diagnosis) in misdated_aliases(model) {
        let Some(alias) = findings.fault(class.report_span, diagnosis) else { continue };
        let (family, version) =
            alias.as_str().and_then(|it| it.split_once('@')).unwrap_or_default();
        let message = format!("No node launches: no {family} AMI has the version `{version}`");
        let finding = findings.report(alias.span, message);
        finding.notes(setting::steps(alias));
        finding.help(format!(
            "Use `{family}@latest`, or the day of a release that EKS publishes for the cluster's Kubernetes version, as in \
             `{family}@vYYYYMMDD`"
        ));
        finding.about(class.subject.as_ref());
    }
}
