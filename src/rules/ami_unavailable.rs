use crate::{
    findings::Findings,
    model::{Model, setting},
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/ami-unavailable.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unmade in model.unmade_images() {
        let (major, minor) = unmade.version.line();
        let message =
            format!("No node launches: there is no AL2 image for Kubernetes {major}.{minor}");
        let finding = findings.report(unmade.image.span, message);
        finding.notes(setting::steps(unmade.image));
        if let Some(version) = &unmade.cluster.version {
            finding.note(version.span(), "the version of the cluster");
        }
        finding.help(
            "Use AL2023 or Bottlerocket, whose user data is another, or an image of your own",
        );
        finding.instance(unmade.class.instance.as_ref());
    }
}
