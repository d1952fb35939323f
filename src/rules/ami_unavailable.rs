use crate::{
    checks::images::{classes_of_unknown_images, classes_with_al2, unavailable_image},
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
}
