use crate::{
    checks::do_not_disrupt::{Effect, effect_of},
    findings::{Findings, Severity},
    model::{
        Model,
        annotation::{Key, position::Position},
    },
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/do-not-disrupt-ignored.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for annotation in model.annotations.iter().filter(|it| it.key == Key::DoNotDisrupt) {
        let effect = effect_of(model, annotation);
        let Some(message) = message(annotation.position, &effect) else { continue };
        let finding = findings.report(annotation.value.span, message);
        if let Effect::Rejected(_) = effect {
            finding.at_least(Severity::Error);
        }
        let by_version = matches!(effect, Effect::Early(_) | Effect::Blocks(_));
        let (version, release) = model.karpenter_near(&annotation.scope);
        if let (true, Some(version), Some(release)) = (by_version, version, release) {
            let (major, minor) = version.line();
            finding.note(release.version.span(), format!("this is Karpenter {major}.{minor}"));
        }
        finding.help(match annotation.position {
            Position::Nodes => "Nodes take `\"true\"`, in quotes, and nothing else",
            _ => "Write `\"true\"`, in quotes; from Karpenter 1.12 on a duration such as `4h` counts too",
        });
        finding.about(&annotation.subject);
    }
}

/// What is wrong with a value; `None` if nothing is.
fn message(position: Position, effect: &Effect) -> Option<String> {
    Some(match (effect, position) {
        (Effect::Rejected(text), _) => {
            format!("The API server rejects `{text}` here: it is no text")
        }
        (Effect::Ignored(text), Position::Nodes) => {
            format!("Karpenter ignores `{text}` and disrupts these nodes")
        }
        (Effect::Ignored(text), _) => format!("Karpenter ignores `{text}` and evicts these pods"),
        (Effect::Early(text), _) => {
            format!("Karpenter ignores `{text}`: durations count from 1.12 on")
        }
        (Effect::Blocks(text), _) => {
            format!("`{text}` keeps Karpenter away from these nodes as well")
        }
        (Effect::Active | Effect::Timed | Effect::Nothing | Effect::Unknown, _) => return None,
    })
}
