use crate::{
    findings::{Findings, mention::Claim, silence::Silence},
    model::Model,
    resolve::release::Release,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-release-not-forced.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for crds in model.releases.iter().filter(|it| it.is_crds() && it.code().is_some()) {
        let Some(other) = findings.fault(crds.report_span, unforced(model, crds)) else {
            continue;
        };
        let force = &crds.force_update;
        let finding = findings.report(
            force.span(),
            "Upgrades leave old fields in CRDs that Helm did not create itself",
        );
        match other {
            Some(other) => finding.note(other.report_span, "this release installs the CRDs, too"),
            None => finding.only_if_mentioned(Claim::CrdAdoption),
        };
        finding.notes(force.steps()).about(crds.subject.as_ref()).help("Set `force_update = true`");
    }
}

/// The other release that makes CRDs where Helm takes over none by force; `None` where only a script may.
fn unforced<'m>(model: &'m Model, crds: &Release) -> Result<Option<&'m Release>, Silence> {
    if *crds.force_update.decided("`force_update`")? {
        return Err(Silence::sound("Helm replaces the CRDs by force"));
    }
    let mut pairs = model.crd_pairs.iter();
    let pair = pairs.find(|it| std::ptr::eq(it.crds(&model.releases), crds));
    let Some(controller) = pair.map(|it| it.controller(&model.releases)) else { return Ok(None) };
    // A chart that comes after the CRDs finds them there.
    let comes_after = model.waits_for(controller, crds) == Some(true);
    if comes_after || controller.skip_crds.known_to_be(&true) {
        return Ok(None);
    }
    controller.skip_crds.decided("the switch that skips CRDs")?;
    Ok(Some(controller))
}
