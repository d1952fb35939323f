use crate::{
    checks::older_karpenter::may_need_old_name,
    findings::{Findings, Safety, Severity, change::Change, silence::Silence},
    model::{
        Model,
        annotation::{Annotation, key::DisruptionKey, position::AnnotationPosition},
    },
    resolve::setting::Setting,
    rules::Rule,
    version::Version,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/retired-pod-annotation.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for annotation in model.annotations.iter().filter(|it| counted(it)) {
        if findings.fault(annotation.key_span, is_retired(model, annotation)).is_none() {
            continue;
        }
        let (version, release) = model.karpenter_near(&annotation.scope);
        let word = annotation.key.word();
        let gone = version.as_ref().is_some_and(|it| *it >= Version::new(1, 0, 0));
        let message = if gone {
            format!("Karpenter no longer knows `{word}`: nothing is protected")
        } else {
            format!("`{word}` is retired, and gone from Karpenter 1.0 on")
        };
        let finding = findings.report(annotation.key_span, message);
        if gone {
            finding.at_least(Severity::Error);
        }
        if let (Some(version), Some(release)) = (&version, release) {
            let (major, minor) = version.line();
            finding.note(release.version.span(), format!("this is Karpenter {major}.{minor}"));
        }
        // With an older Karpenter the new name would protect nothing.
        let safety = if version.is_some() { Safety::Safe } else { Safety::Unsafe };
        let title = format!("Rename it to `{}`", DisruptionKey::DoNotDisrupt.word());
        let renamed = Change::reword(annotation.key_span, word, DisruptionKey::DoNotDisrupt.word());
        finding.offer(title, safety, [renamed]);
        finding.help(format!("Use `{}: \"true\"`", DisruptionKey::DoNotDisrupt.word()));
        finding.about(&annotation.subject);
    }
}

/// Whether it is an old name where that name once counted.
fn counted(annotation: &Annotation) -> bool {
    match annotation.key {
        DisruptionKey::DoNotDisrupt => false,
        DisruptionKey::DoNotEvict => matches!(
            annotation.position,
            AnnotationPosition::Pods | AnnotationPosition::Values | AnnotationPosition::Indirect
        ),
        DisruptionKey::DoNotConsolidate => annotation.position == AnnotationPosition::Nodes,
    }
}

/// That the old name asks for something which only the new name gets.
fn is_retired(model: &Model, annotation: &Annotation) -> Result<(), Silence> {
    let (version, _) = model.karpenter_near(&annotation.scope);
    if version.is_some_and(|it| it < Version::new(0, 32, 0)) {
        let words = "Karpenter is older than 0.32, which has no other name for it";
        return Err(Silence::sound(words));
    }
    may_need_old_name(model, &annotation.scope)?;
    if annotation.is_beside_new_name {
        return Err(Silence::sound("the new name is written beside it"));
    }
    let known = Setting::written(&annotation.value, |it| (!it.is_unknown()).then_some(()));
    known.decided("its value")?;
    if !annotation.is_true() {
        return Err(Silence::sound("it asks for nothing"));
    }
    Ok(())
}
