use crate::{
    checks::do_not_disrupt::{AnnotationEffect, effect_of},
    findings::Findings,
    model::{
        Model,
        annotation::{key::DisruptionKey, position::AnnotationPosition},
    },
    rules::Rule,
    version::Version,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/do-not-disrupt-on-daemonset.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let annotations = model.annotations.iter().filter(|it| it.key == DisruptionKey::DoNotDisrupt);
    let on_pods = annotations.filter(|it| {
        matches!(it.position, AnnotationPosition::Pods | AnnotationPosition::Values)
            && &*it.kind == "DaemonSet"
    });
    for annotation in on_pods.filter(|it| effect_of(model, it) == AnnotationEffect::Active) {
        // Before 0.34 the pods of DaemonSets were left out of account.
        let (version, _) = model.karpenter_near(&annotation.scope);
        if version.is_some_and(|it| it < Version::new(0, 34, 0)) {
            continue;
        }
        let name = match annotation.position {
            AnnotationPosition::Values => annotation.name.to_string(),
            _ => format!("`{}`", annotation.name),
        };
        let message = format!("Karpenter replaces no node that {name} runs on");
        let finding = findings.report(annotation.key_span, message);
        finding.help("Remove the annotation; a DaemonSet's pods come back on every new node");
        finding.about(&annotation.subject);
    }
}
