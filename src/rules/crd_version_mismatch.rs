use crate::{
    checks::{
        crd_manifests::{OtherVersions, of_other_release},
        crds::{VersionsApart, sources, unpaired, versions_apart},
    },
    findings::{Findings, Safety, Severity, change::Change},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-version-mismatch.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    report_manifests(model, findings);
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

/// Reports manifests of CRDs that are of another release than the controller, by the versions of the API that they have.
fn report_manifests(model: &Model, findings: &mut Findings) {
    for (crd, diagnosis) in of_other_release(model) {
        let Some(fault) = findings.fault(crd.place, diagnosis) else { continue };
        let OtherVersions { controller, release, lacking, further } = fault;
        let serves = match (lacking.first(), further.first()) {
            (Some(it), _) => format!("serves `{it}`"),
            (None, Some(it)) => format!("does not serve `{it}`"),
            (None, None) => continue,
        };
        let finding = findings
            .report(crd.place, format!("This CRD is not of Karpenter {release}, which {serves}"))
            .note(controller.version.span(), "the controller's version")
            .help("Take the CRDs of that release, best as a release of its chart `karpenter-crd`");
        // What comes later has all that the controller writes.
        if further.is_empty() && crd.versions.iter().any(|it| it == "v1") {
            finding.at_most(Severity::Warning);
        }
    }
}
