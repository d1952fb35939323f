use crate::{findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-release-not-forced.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for crds in model.releases.iter().filter(|it| it.is_crds()) {
        let force = &crds.force_update;
        if force.known_to_be(&false) {
            findings
                .report(force.span(), "Helm does not put back CRDs that were changed outside of it")
                .notes(force.steps())
                .about(crds.subject.as_ref())
                .help("Set `force_update = true`");
        }
    }
}
