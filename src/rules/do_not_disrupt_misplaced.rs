use crate::{
    checks::misplaced_annotation::move_to_pods,
    findings::{Findings, Safety},
    model::{
        Model,
        annotation::{Annotation, key::DisruptionKey, position::AnnotationPosition},
    },
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/do-not-disrupt-misplaced.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let all = model.annotations.iter().filter(|it| it.key == DisruptionKey::DoNotDisrupt);
    for annotation in all.filter(|it| !it.pods_have_it && it.is_wanted()) {
        let Some(what) = misplaced(annotation) else { continue };
        let finding =
            findings.report(annotation.key_span, format!("`{}` {what}", annotation.key.word()));
        finding.offer(
            "Move it to the pods",
            Safety::Unsafe,
            move_to_pods(annotation).into_iter().flatten(),
        );
        if &*annotation.kind == "DaemonSet" {
            finding.help("Remove it: on the pods it would freeze every node");
        } else if let Some(path) = &annotation.pods_path {
            finding.help(format!("Write it under `{path}`, where Karpenter looks"));
        }
        finding.about(&annotation.subject);
    }
}

/// What an annotation does where Karpenter does not look; `None` where it looks.
fn misplaced(annotation: &Annotation) -> Option<String> {
    let kind = &annotation.kind;
    match annotation.position {
        AnnotationPosition::Pods
        | AnnotationPosition::Nodes
        | AnnotationPosition::Values
        | AnnotationPosition::Indirect => None,
        AnnotationPosition::Controller => Some(format!("on the {kind} itself protects no pod")),
        AnnotationPosition::Labels => {
            Some("is an annotation: as a label it protects no pod".to_owned())
        }
        AnnotationPosition::Claims => Some("on volume claims protects no pod".to_owned()),
        AnnotationPosition::Metadata => Some("beside `annotations` protects no pod".to_owned()),
        AnnotationPosition::Elsewhere => Some("protects no pod in this place".to_owned()),
    }
}
