use crate::{
    checks::{annotation_as_toleration::tolerated_annotations, misplaced_annotation::move_to_pods},
    findings::{Findings, Safety, silence::Silence},
    model::{
        Model,
        annotation::{Annotation, key::DisruptionKey, position::AnnotationPosition},
    },
    resolve::setting::Setting,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/do-not-disrupt-misplaced.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let all = model.annotations.iter().filter(|it| it.key == DisruptionKey::DoNotDisrupt);
    for annotation in all {
        let Some(diagnosis) = misplaced(annotation) else { continue };
        let Some(what) = findings.fault(annotation.key_span, diagnosis) else { continue };
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
    for (place, judged) in tolerated_annotations(model) {
        let Some(workload) = findings.fault(place, judged) else { continue };
        let key = DisruptionKey::DoNotDisrupt.word();
        let message = format!("`{key}` as a toleration protects no pod");
        findings
            .report(place, message)
            .help(format!(
                "It is an annotation: write `{key}: \"true\"` among those of the pods instead"
            ))
            .about(workload.subject.as_ref());
    }
}

/// What an annotation of an object does where Karpenter does not look; `None` for values, which a chart may
/// put anywhere.
fn misplaced(annotation: &Annotation) -> Option<Result<String, Silence>> {
    let kind = &annotation.kind;
    let what = match annotation.position {
        AnnotationPosition::Values | AnnotationPosition::Indirect => return None,
        AnnotationPosition::Pods | AnnotationPosition::Nodes => {
            return Some(Err(Silence::sound("Karpenter looks for it there")));
        }
        AnnotationPosition::Controller => format!("on the {kind} itself protects no pod"),
        AnnotationPosition::Labels => "is an annotation: as a label it protects no pod".to_owned(),
        AnnotationPosition::Claims => "on volume claims protects no pod".to_owned(),
        AnnotationPosition::Metadata => "beside `annotations` protects no pod".to_owned(),
        AnnotationPosition::Elsewhere => "protects no pod in this place".to_owned(),
    };
    Some(asks(annotation).map(|()| what))
}

/// That an annotation asks for what the pods do not ask for themselves.
fn asks(annotation: &Annotation) -> Result<(), Silence> {
    if annotation.pods_have_it {
        return Err(Silence::sound("the pods carry it, too, or may"));
    }
    let text = Setting::written(&annotation.value, |it| it.as_str().map(str::to_owned));
    if annotation.value.is_unknown() {
        text.decided("its value")?;
    }
    if !annotation.is_wanted() {
        return Err(Silence::sound("it asks for nothing"));
    }
    Ok(())
}
