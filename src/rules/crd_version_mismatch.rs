use crate::{
    checks::crds::{VersionsApart, sources, unpaired, versions_apart},
    findings::{Findings, Safety, change::Change},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-version-mismatch.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (controller, silence) in unpaired(model) {
        findings.silent(controller, silence);
    }
    for (controller, crds) in sources(model) {
        let diagnosis = versions_apart(&controller.version, crds.version);
        let Some(VersionsApart { ours, theirs }) = findings.fault(crds.report_span, diagnosis)
        else {
            continue;
        };
        let (Some(wanted), Some(written)) = (controller.version.named(), crds.version.named())
        else {
            continue;
        };
        // One literal may serve several clusters, and not all of them may want the same.
        let shared = sources(model).any(|(other, its)| {
            its.version.literal == crds.version.literal
                && other.exact_version().as_ref() != Some(&ours)
        });
        // What is not written may be meant otherwise.
        let is_meant = !shared && controller.version.is_written();
        let wanted_text = controller.version.known().filter(|_| is_meant);
        // In an address the `v` of the tag is there already.
        let prefix = if crds.is_release { "" } else { "v" };
        let wanted_text = wanted_text.map(|it| it.trim_start_matches(prefix));
        let literal = crds.version.literal.zip(wanted_text);
        // Older CRDs may lack what is in use.
        let safety = if ours > theirs { Safety::Safe } else { Safety::Unsafe };
        let change = literal.map(|(it, text)| Change::replace(it, text));
        findings
            .report(
                crds.version.span(),
                format!("The CRDs are {written} but the controller is {wanted}"),
            )
            .note(controller.version.span(), "the controller's version")
            .notes(crds.version.steps())
            .about(crds.subject)
            .notes(controller.version.steps())
            .help(if crds.is_release {
                "Give both releases the same version, best from one place"
            } else {
                "Give both the same version, best from one place"
            })
            .offer(format!("Use {wanted} for the CRDs"), safety, change);
    }
}
