//! What policies say about a model.

use crate::{
    findings::{
        Finding, Findings,
        silence::{Silence, Unreported},
    },
    model::{Model, karpenter_object::KarpenterObject},
    policies::{RuleBook, names::interned},
    source::Span,
};
use karplint_cel::{
    cel::{bindings::Bindings, collection, place::Place},
    policy::{Policy, SubjectKind, judge::Verdict},
};

impl RuleBook {
    /// What the policies say about a model.
    #[must_use]
    pub(crate) fn judge(
        &self,
        model: &Model,
        runs: &dyn Fn(&str) -> bool,
    ) -> (Vec<Finding>, Vec<Unreported>) {
        let mut all = (Vec::new(), Vec::new());
        for policy in self.policies().filter(|it| runs(&it.name)) {
            let mut findings = Findings::of(interned(&policy.name), policy.severity);
            for object in subjects(model, policy.subject.kind) {
                judge(policy, object, &mut findings);
            }
            let (reported, unreported) = findings.into_parts();
            all.0.extend(reported);
            all.1.extend(unreported);
        }
        all
    }
}

/// The objects that a subject means.
fn subjects(model: &Model, kind: SubjectKind) -> impl Iterator<Item = &KarpenterObject> {
    let is_meant = move |it: &&KarpenterObject| match kind {
        SubjectKind::NodePool => &*it.object.kind == "NodePool",
        SubjectKind::NodeClass => &*it.object.kind == "EC2NodeClass",
        _ => false,
    };
    model.karpenter_objects.iter().filter(is_meant)
}

fn judge(policy: &Policy, subject: &KarpenterObject, findings: &mut Findings) {
    let mut bindings = Bindings::default();
    let object = collection::read(&subject.object.value);
    bindings.set("object", object.clone());
    bindings.set("subject", object);
    for verdict in policy.judge(&bindings) {
        match verdict {
            Verdict::Failed { place, message } => {
                findings.asked_of(subject.report_span);
                report(policy, subject, place, message, findings);
            }
            Verdict::Undecided(unknown) => {
                let words = format!("`{}` is not known", unknown.symbol.text);
                let silence = Silence::undecided(unknown.symbol.cause, words);
                findings.silent(subject.report_span, silence.missing(&*unknown.symbol.text));
            }
            Verdict::TooCostly(span) => {
                findings.report(span, format!("The policy `{}` is too costly", policy.name));
            }
        }
    }
}

fn report(
    policy: &Policy,
    subject: &KarpenterObject,
    place: Option<Place>,
    message: String,
    findings: &mut Findings,
) {
    let span = place.as_ref().map_or(subject.report_span, |it| it.span);
    let finding = findings.report(span, message);
    if let Some(help) = &policy.help {
        finding.help(&**help);
    }
    for (span, words) in place.iter().flat_map(related) {
        finding.note_elsewhere(span, words);
    }
    finding.about(subject.subject.as_ref());
}

/// The element that was looked at, and the steps of the value.
fn related(place: &Place) -> Vec<(Span, String)> {
    let element = place.within.iter().map(|it| (it.span, "this element fails".to_owned()));
    element.chain(place.steps().map(|it| (it.span, it.kind.to_string()))).collect()
}
