use crate::{
    checks::{
        crd_order::{self, Disorder, OrderSite, OrderedBlocks, disorder},
        crds::unpaired,
    },
    findings::{Findings, Safety, mention::Claim},
    model::Model,
    resolve::release::surface::Surface,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-order-undeclared.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (controller, silence) in unpaired(model) {
        findings.silent(controller, silence);
    }
    check_manifests(model, findings);
    for pair in &model.crd_pairs {
        let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.releases));
        let blocks = match findings.fault(controller.block, disorder(model, pair)) {
            None => continue,
            Some(Disorder::OneBlock(block)) => {
                findings
                    .report(block.header, "Karpenter may start before its CRDs: one `for_each` installs both")
                    .note_elsewhere(controller.block, "installs the controller")
                    .help("Write a block for each release, and let the controller's wait for the CRDs'")
                    .about(controller.subject.as_ref());
                continue;
            }
            Some(Disorder::Undeclared(blocks)) => blocks,
        };
        let finding = match OrderSite::of(crds) {
            OrderSite::AtTheFirst => findings
                .report(
                    crds.report_span,
                    "Karpenter may start before these CRDs: no sync wave puts them first",
                )
                .about(crds.subject.as_ref())
                .note(controller.report_span, "installs the controller"),
            OrderSite::AtTheSecond => findings
                .report(
                    blocks.map_or(controller.block, |it| it.controller.header),
                    "Karpenter may start before its CRDs: it does not wait for `karpenter-crd`",
                )
                .about(controller.subject.as_ref())
                .note_elsewhere(controller.block, "installs the controller")
                .note(crds.report_span, "installs the CRDs"),
        };
        if crds.surface() == Surface::Helmfile {
            finding.unless_mentioned(Claim::HelmfileSelector);
        }
        // When the other way round is declared, one more order would close a circle; a wave has but one.
        let turned = model.waits_for(crds, controller) == Some(true);
        if turned && OrderSite::of(crds) == OrderSite::AtTheSecond {
            finding.help("Turn the order round: the CRD release waits for this one");
            continue;
        }
        let is_module = blocks.map_or(controller.is_module(), |it| it.is_controlled_by_call());
        let safety = if is_module { Safety::Unsafe } else { Safety::Safe };
        finding.help(crd_order::help(crds, blocks.as_ref())).offer(
            "Wait for the CRD release",
            safety,
            crd_order::wait(model, pair, blocks.as_ref()),
        );
    }
}

/// The same of CRDs that manifests of the controller's root module bring.
fn check_manifests(model: &Model, findings: &mut Findings) {
    for pair in &model.applied_pairs {
        let (controller, crds) = (pair.controller(&model.releases), pair.crds(&model.applied_crds));
        let diagnosis = crd_order::unawaited(model, controller, crds);
        let Some(unawaited) = findings.fault(controller.block, diagnosis) else { continue };
        let first = unawaited.blocks.first();
        let place = first.map_or(controller.block, |it| it.controller.header);
        let is_module = first.map_or(controller.is_module(), OrderedBlocks::is_controlled_by_call);
        let safety = if is_module { Safety::Unsafe } else { Safety::Safe };
        let finding = findings
            .report(
                place,
                "Karpenter may start before its CRDs: it does not wait for their manifests",
            )
            .about(controller.subject.as_ref())
            .note_elsewhere(controller.block, "installs the controller");
        for it in &unawaited.manifests {
            finding.note_elsewhere(it.header, "applies CRDs");
        }
        finding.help(unawaited.help()).offer("Wait for the CRDs", safety, unawaited.wait());
    }
}
