use std::ptr;

use crate::{
    checks::crds::{self, unpaired},
    findings::{Findings, Safety, Severity, silence::Silence},
    knowledge::karpenter,
    model::{Model, pairing::CrdPair},
    resolve::{
        release::{Release, surface::Surface},
        setting::Setting,
    },
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/crds-not-skipped.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (controller, silence) in unpaired(model) {
        findings.silent(controller, silence);
    }
    for pair in &model.crd_pairs {
        let (controller, crd_release) =
            (pair.controller(&model.releases), pair.crds(&model.releases));
        let diagnosis = has_chart(crd_release).and_then(|()| installs_crds(controller));
        let Some(skip) = findings.fault(controller.report_span, diagnosis) else { continue };
        let is_safe =
            !crds::are_skipped_for_all(controller) && !comes_first(controller, crd_release);
        let safety = if is_safe { Safety::Safe } else { Safety::Unsafe };
        let message = "This release does not skip the CRDs that `karpenter-crd` manages";
        let finding = findings.report(skip.span(), message);
        if is_one_manifest(controller, crd_release) || is_in_order(model, controller, crd_release) {
            finding.at_most(Severity::Note);
        }
        finding
            .note_elsewhere(crd_release.report_span, "the CRDs come from this release")
            .about(controller.subject.as_ref())
            .notes(skip.steps())
            .help(help(model, pair))
            .offer(
                "Skip the chart's own CRDs",
                safety,
                crds::skip(controller, switch(model, pair)),
            );
    }
}

/// Whether Argo CD renders both charts, in one version, as dependencies of one chart: it applies the same CRDs twice.
fn is_one_manifest(controller: &Release, crds: &Release) -> bool {
    let same_unit =
        controller.unit().zip(crds.unit()).is_some_and(|(it, other)| ptr::eq(it, other));
    controller.surface() == Surface::ArgoCd
        && controller.version.same_as(&crds.version) == Some(true)
        && same_unit
        && controller.part_of.is_some()
        && controller.part_of == crds.part_of
}

/// Whether Terraform installs the CRDs first, and nothing asks for the others by a written `false`: Helm passes over those
/// of the controller's chart. That their versions differ is another fault; where that is not known, they may.
fn is_in_order(model: &Model, controller: &Release, crds: &Release) -> bool {
    controller.surface() == Surface::Terraform
        && !controller.skip_crds.is_written()
        && controller.version.same_as(&crds.version).is_some()
        && model.waits_for(controller, crds) == Some(true)
}

/// Whether a script installs the controller before its CRDs, in the order of its lines.
fn comes_first(controller: &Release, crds: &Release) -> bool {
    let (own, other) = (controller.report_span, crds.report_span);
    let is_script = [controller, crds].iter().all(|it| it.surface() == Surface::Script);
    is_script && own.file == other.file && own.start < other.start
}

/// What to do, and what it is good for where the order keeps Helm from installing them twice.
fn help(model: &Model, pair: &CrdPair) -> String {
    let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
    if let Some(variable) = switch(model, pair) {
        return format!(
            "Set `skip_crds = var.{variable}` on the controller release: without `karpenter-crd` its chart installs the CRDs"
        );
    }
    let help = crds::skip_help(controller);
    if comes_first(controller, crds) {
        return "Install `karpenter-crd` before this release, and only then give this command `--skip-crds`: a controller without CRDs does not start".to_owned();
    }
    let comes_second = model.waits_for(controller, crds) == Some(true);
    if !comes_second || controller.surface() == Surface::ArgoCd {
        return help.to_owned();
    }
    format!(
        "{help}. Helm passes over the CRDs while `karpenter-crd` comes first; an installation of this release alone installs them, and `karpenter-crd` cannot take them over"
    )
}

/// The variable of the module of both releases on which it depends whether the one of the CRDs is there.
fn switch<'m>(model: &'m Model, pair: &CrdPair) -> Option<&'m str> {
    let own = pair.controller(&model.releases).code()?;
    let crds = pair.crds(&model.releases).code()?;
    let is_beside = own.module == crds.module && own.object.switch.is_none();
    crds.object.switch.as_deref().filter(|_| is_beside)
}

/// That a release of the CRDs has a chart.
fn has_chart(crds: &Release) -> Result<(), Silence> {
    let version = crds.exact_version();
    // The retired repository ends before the first; who asks for a newer one there will take it from elsewhere.
    let is_old = version.is_none() && crds.is_from_retired_repository();
    if !is_old && karpenter::has_crd_chart(version.as_ref()) != Some(false) {
        return Ok(());
    }
    let words = "`karpenter-crd` has no such version: the CRDs do not come from it";
    Err(Silence::sound(words).at(crds.report_span, "its release"))
}

/// The setting by which a release installs the CRDs of its chart.
fn installs_crds(controller: &Release) -> Result<&Setting<bool>, Silence> {
    let skip = &controller.skip_crds;
    if !crds::can_be_skipped(controller) {
        return Err(Silence::sound("this surface cannot skip the CRDs of a chart"));
    }
    if *skip.decided("the switch that skips CRDs")? {
        return Err(
            Silence::sound("the CRDs of the chart are skipped").at(skip.span(), "the switch")
        );
    }
    Ok(skip)
}
