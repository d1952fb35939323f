use crate::{
    checks::do_not_disrupt::effect_of,
    findings::{Findings, silence::Silence},
    model::{
        Model,
        annotation::{
            Annotation, effect::AnnotationEffect, key::DisruptionKey, position::AnnotationPosition,
        },
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
    for annotation in on_pods {
        if findings.fault(annotation.key_span, freezes(model, annotation)).is_none() {
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

/// That an annotation on the pods of a `DaemonSet` keeps Karpenter from their nodes.
fn freezes(model: &Model, annotation: &Annotation) -> Result<(), Silence> {
    // Before 0.34 the pods of DaemonSets were left out of account.
    let (version, _) = model.karpenter_near(&annotation.scope);
    if version.is_some_and(|it| it < Version::new(0, 34, 0)) {
        return Err(Silence::sound("Karpenter before 0.34 does not look at pods of DaemonSets"));
    }
    match effect_of(model, annotation)? {
        AnnotationEffect::Active => Ok(()),
        _ => Err(Silence::sound("its value keeps Karpenter from no node for good")),
    }
}
