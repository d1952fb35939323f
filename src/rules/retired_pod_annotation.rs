use crate::{
    findings::{Findings, Safety, Severity, change::Change, silence::Silence},
    model::{
        Model,
        annotation::{Annotation, key::DisruptionKey, position::AnnotationPosition},
    },
    rules::Rule,
    version::Version,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/retired-pod-annotation.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for annotation in model.annotations.iter().filter(|it| is_retired(it)) {
        let (version, release) = model.karpenter_near(&annotation.scope);
        let since = |major, minor| {
            let from = Version::new(major, minor, 0);
            version.as_ref().map(|it| *it >= from)
        };
        if since(0, 32) == Some(false) {
            let words = "Karpenter is older than 0.32, which has no other name for it";
            findings.silent(annotation.key_span, Silence::sound(words));
            continue;
        }
        let word = annotation.key.word();
        let gone = since(1, 0) == Some(true);
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
fn is_retired(annotation: &Annotation) -> bool {
    let counted = match annotation.key {
        DisruptionKey::DoNotDisrupt => false,
        DisruptionKey::DoNotEvict => matches!(
            annotation.position,
            AnnotationPosition::Pods | AnnotationPosition::Values | AnnotationPosition::Indirect
        ),
        DisruptionKey::DoNotConsolidate => annotation.position == AnnotationPosition::Nodes,
    };
    counted && !annotation.is_beside_new_name && annotation.is_true()
}
