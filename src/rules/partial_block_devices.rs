use crate::{
    checks::block_devices::partial_devices, findings::Findings, model::Model, rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/partial-block-devices.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for class in &model.node_classes {
        let Some(devices) = partial_devices(class) else { continue };
        for device in devices.missing {
            let message =
                format!("`{}`, {}, stays as the image has it", device.name, device.volume);
            let finding = findings.report(devices.report_span, message);
            finding.about(class.subject.as_ref());
            for (name, span) in &devices.mapped {
                finding.note(*span, format!("only `{name}` is mapped"));
            }
            finding.notes(devices.steps.iter().cloned());
            finding.help(format!(
                "Map `{}` too: the list replaces the volumes Karpenter would choose",
                device.name
            ));
        }
    }
}
