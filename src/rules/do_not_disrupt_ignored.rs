use crate::{
    checks::do_not_disrupt::{effect_of, is_looked_at},
    findings::{Findings, Severity, silence::Silence},
    model::{
        Model,
        annotation::{effect::AnnotationEffect, key::DisruptionKey, position::AnnotationPosition},
    },
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/do-not-disrupt-ignored.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let annotations = model.annotations.iter().filter(|it| it.key == DisruptionKey::DoNotDisrupt);
    for annotation in annotations.filter(|it| is_looked_at(it)) {
        let diagnosis = effect_of(model, annotation);
        let diagnosis = diagnosis.and_then(|it| Ok((message(annotation.position, &it)?, it)));
        let Some((message, effect)) = findings.fault(annotation.key_span, diagnosis) else {
            continue;
        };
        let finding = findings.report(annotation.value.span, message);
        if let AnnotationEffect::Rejected(_) = effect {
            finding.at_least(Severity::Error);
        }
        let by_version = matches!(effect, AnnotationEffect::Early(_) | AnnotationEffect::Blocks(_));
        let (version, release) = model.karpenter_near(&annotation.scope);
        if let (true, Some(version), Some(release)) = (by_version, version, release) {
            let (major, minor) = version.line();
            finding.note(release.version.span(), format!("this is Karpenter {major}.{minor}"));
        }
        finding.help(match annotation.position {
            AnnotationPosition::Nodes => "Nodes take `\"true\"`, in quotes, and nothing else",
            _ => "Write `\"true\"`, in quotes; from Karpenter 1.12 on a duration such as `4h` counts too",
        });
        finding.about(&annotation.subject);
    }
}

/// What is wrong with a value.
fn message(position: AnnotationPosition, effect: &AnnotationEffect) -> Result<String, Silence> {
    Ok(match (effect, position) {
        (AnnotationEffect::Rejected(text), _) => {
            format!("The API server rejects the object: `{text}` is no text")
        }
        (AnnotationEffect::Ignored(text), AnnotationPosition::Nodes) => {
            format!("Karpenter ignores `{text}` and disrupts these nodes")
        }
        (AnnotationEffect::Ignored(text), _) => {
            format!("Karpenter ignores `{text}` and evicts these pods")
        }
        (AnnotationEffect::Early(text), _) => {
            format!("Karpenter ignores `{text}`: durations count from 1.12 on")
        }
        (AnnotationEffect::Blocks(text), _) => {
            format!("`{text}` keeps Karpenter from disrupting these nodes, too")
        }
        (AnnotationEffect::Active | AnnotationEffect::Timed, _) => {
            return Err(Silence::sound("Karpenter reads it as it is meant"));
        }
        (AnnotationEffect::Nothing, _) => {
            return Err(Silence::sound("it asks for nothing, and Karpenter does nothing"));
        }
    })
}
