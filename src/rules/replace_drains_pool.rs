use crate::{
    checks::resource_key::{FleetingKey, fleeting_key, manifests, name_of_entry},
    findings::Findings,
    model::{Model, karpenter::KarpenterResource},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/replace-drains-pool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for resource in &model.karpenter_resources {
        let Some(diagnosis) = fleeting_key(model, resource) else { continue };
        let Some((key, span)) = findings.fault(resource.report_span, diagnosis) else { continue };
        let message = match key {
            FleetingKey::Position => {
                "A pool less in this list replaces those behind it, and drains their nodes"
            }
            FleetingKey::Text => "Any change of its text replaces a pool, and drains all its nodes",
        };
        findings
            .report(span, message)
            .about(&resource.subject)
            .note_elsewhere(resource.report_span, "makes the NodePools")
            .help(help(model, resource));
    }
}

fn help(model: &Model, resource: &KarpenterResource) -> String {
    if let Some(manifests) = manifests(model, resource) {
        return format!(
            "Use the map that its data source has, too: `for_each = {manifests}`, with kinds and names as keys"
        );
    }
    match name_of_entry(model, resource) {
        Some(name) => format!("Use names as keys: `{{ for it in … : {name} => it }}`"),
        None => "Use a map for `for_each`, with the name of each pool as its key".to_owned(),
    }
}
