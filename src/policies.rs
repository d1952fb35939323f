//! The policies of a repository, run as rules.

pub(crate) mod admission;
mod names;
mod types;

use crate::{
    config::Config,
    findings::{
        Finding, Findings,
        silence::{Silence, Unreported},
    },
    model::{Model, karpenter_object::KarpenterObject},
    policies::{names::interned, types::schema},
    project::Project,
    source::{SourceFile, Span},
    syntax::ParseError,
};
use karplint_cel::{
    cel::{bindings::Bindings, collection, place::Place},
    policy::{
        Policy, SubjectKind,
        judge::Verdict,
        read::{self, PolicyFile},
    },
};

/// Where policies lie.
const FOLDER: &str = ".karplint/policies/";

/// The policies of a project.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    list: Vec<Policy>,
    /// What is wrong with their files.
    pub(crate) errors: Vec<ParseError>,
}

impl Policies {
    /// Reads the policies of a project, and checks them against the types of their subjects.
    #[must_use]
    pub(crate) fn of(project: &Project) -> Self {
        let mut found = Self::default();
        for (id, file) in project.files.iter().filter(|(_, it)| is_policy(it)) {
            let PolicyFile { policies, errors } = read::read(id, file.text());
            found.errors.extend(errors);
            for policy in policies {
                let mistakes = policy.check(&schema(policy.subject.kind));
                let taken = found.list.iter().any(|it| it.name == policy.name);
                let is_sound = mistakes.is_empty() && !taken;
                found.errors.extend(mistakes);
                if taken {
                    let message = format!("another policy is named `{}`", policy.name);
                    let severity = crate::findings::Severity::Error;
                    found.errors.push(ParseError::new(policy.name_span, message, severity));
                }
                if is_sound {
                    found.list.push(policy);
                }
            }
        }
        found
    }

    /// What the policies say about a model.
    #[must_use]
    pub(crate) fn judge(&self, model: &Model, config: &Config) -> (Vec<Finding>, Vec<Unreported>) {
        let mut all = (Vec::new(), Vec::new());
        for policy in self.list.iter().filter(|it| config.runs(&it.name)) {
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

fn is_policy(file: &SourceFile) -> bool {
    let path = file.path();
    let inside = path.starts_with(FOLDER) || path.contains(&format!("/{FOLDER}"));
    inside && matches!(file.ending(), "yaml" | "yml")
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
