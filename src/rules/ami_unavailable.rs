use crate::{
    checks::images::unavailable_images, findings::Findings, model::Model, resolve::setting,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/ami-unavailable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unavailable in unavailable_images(model) {
        let (major, minor) = unavailable.version.line();
        let message =
            format!("No node launches: there is no AL2 image for Kubernetes {major}.{minor}");
        let finding = findings.report(unavailable.image.span, message);
        finding.notes(setting::steps(unavailable.image));
        if let Some(version) = &unavailable.cluster.version {
            finding.note(version.span(), "the version of the cluster");
        }
        finding.help(
            "Use AL2023 or Bottlerocket, whose user data is another, or an image of your own",
        );
        finding.about(unavailable.class.subject.as_ref());
    }
}
