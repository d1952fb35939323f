//! The cluster's own policies: what a `ValidatingAdmissionPolicy` with a binding says of the objects that a
//! repository builds, as an API server asks it when they are created.

mod asked;
mod constraints;
mod fill;
mod judge;
mod kinds;
mod near;
mod parameter;
mod policy;
mod reader;
mod types;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::{
    findings::{Severity, note::Note, silence::Silence},
    inventory::objects::{Builder, BuiltObject, BuiltObjects},
    model::{
        Model,
        admission::{Admission, Denial},
        neighbourhood::Neighbourhoods,
    },
    policies::admission::{
        asked::Asked,
        judge::{Answer, Refusal},
        kinds::Definition,
        near::{Around, Named},
        parameter::Parameters,
        policy::{AdmissionPolicy, Binding},
        reader::Reader,
    },
    project::Project,
    resolve::scope::Scope,
    source::{Span, aside},
    syntax::ParseError,
    value::{Value, cause::Cause},
};
use karplint_cel::cel::{fault::Unknown, place::Place};

/// What the admission policies of a project say of what it builds, and what the API server would refuse of
/// themselves.
#[must_use]
pub(crate) fn of(
    project: &Project,
    model: &Model,
    built: &BuiltObjects<'_>,
) -> (Vec<Admission>, Vec<ParseError>) {
    if !has_policies(project) {
        return (Vec::new(), Vec::new());
    }
    let clusters = Neighbourhoods::of(model);
    let objects = built.all(model);
    let mut own = OwnPolicies::default();
    for built in objects.iter().filter(|it| !asked::is_optional(it)) {
        own.read(built);
    }
    let definitions: Vec<Definition> = objects.iter().filter_map(Definition::read).collect();
    let cluster = ClusterPolicies {
        model,
        parameters: Parameters::new(objects, &clusters),
        definitions: &definitions,
    };
    let policies = near::placed(&own.policies, &clusters);
    let bindings = near::placed(&own.bindings, &clusters);
    // Many objects are seen from one scope.
    let mut seen: HashMap<&Scope, InForce<'_>> = HashMap::new();
    let mut found = Vec::new();
    for built in objects {
        if !asked::is_optional(built) && !policy::configures_admission(&built.object) {
            let in_force = seen.entry(&built.scope).or_insert_with(|| {
                let around = Around::of(&clusters, &built.scope);
                let policies = near::nearest(&policies, &around);
                let bindings = near::nearest(&bindings, &around).into_iter().flatten().collect();
                InForce { around, policies, bindings }
            });
            found.extend(cluster.judge(built, in_force));
        }
    }
    (found, own.errors)
}

/// Whether a file that was read names the kind without which no policy is in force.
fn has_policies(project: &Project) -> bool {
    project.files.any_names("ValidatingAdmissionPolicy")
}

/// The policies and bindings of a project.
#[derive(Debug, Default)]
struct OwnPolicies {
    policies: Vec<AdmissionPolicy>,
    bindings: Vec<Binding>,
    /// What the API server would refuse of them.
    errors: Vec<ParseError>,
}

impl OwnPolicies {
    /// Keeps an object if it is a policy or a binding that the API server takes.
    fn read(&mut self, built: &BuiltObject<'_>) {
        let mut reader = Reader::default();
        let policy = AdmissionPolicy::read(&mut reader, built);
        let binding = Binding::read(&mut reader, built);
        if reader.errors.is_empty() {
            self.policies.extend(policy);
            self.bindings.extend(binding);
        }
        for error in reader.errors {
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
    }
}

/// What is in the cluster that things of one scope go to.
struct InForce<'a> {
    around: Around<'a>,
    /// The policies; several of one name where they are equally near.
    policies: Vec<Vec<&'a AdmissionPolicy>>,
    bindings: Vec<&'a Binding>,
}

/// What decides about an object.
struct ClusterPolicies<'a> {
    model: &'a Model,
    parameters: Parameters<'a>,
    definitions: &'a [Definition],
}

/// What a policy says of an object, each answer with the place of the parameter.
type Answers = Vec<(Answer, Option<Span>)>;

/// What a policy says of an object, from all of its bindings: each failed expression once, as the strictest has it.
#[derive(Default)]
struct Sentence {
    denials: BTreeMap<Span, (Severity, Refusal, Option<Span>)>,
    silence: Option<Silence>,
    /// Whether it was asked at all.
    is_asked: bool,
}

impl ClusterPolicies<'_> {
    /// What the policies that are in the cluster of an object say of it.
    fn judge(&self, built: &BuiltObject<'_>, in_force: &InForce<'_>) -> Vec<Admission> {
        let is_for = |only: &Option<Builder>| only.as_ref().is_none_or(|it| *it == built.built_by);
        let mut policies: Vec<Vec<&AdmissionPolicy>> = Vec::new();
        for same in &in_force.policies {
            let same = same.iter().copied().filter(|it| is_for(&it.only_for));
            policies.push(same.collect());
        }
        let bindings = in_force.bindings.iter().filter(|it| is_for(&it.only_for));
        let bindings: Vec<&Binding> = bindings.copied().collect();
        if policies.is_empty() || bindings.is_empty() {
            return Vec::new();
        }
        let asked = self.asked(built, &in_force.around);
        let mut found = Vec::new();
        for same in &policies {
            let Some(policy) = same.first() else { continue };
            let own = bindings.iter().filter(|it| it.policy == policy.name);
            let mut sentence = Sentence::default();
            for binding in own {
                self.sentence(&mut sentence, (same, binding), &asked, &in_force.around);
            }
            found.extend(sentence.admissions(policy, built));
        }
        found
    }

    fn asked<'a>(&'a self, built: &'a BuiltObject<'a>, seen_from: &Around<'_>) -> Asked<'a> {
        let definition = self.definitions.iter().find(|it| it.is_of(&built.object));
        let resource = kinds::resource(&built.object, definition);
        let object = fill::filled(self.model, built, &resource, definition);
        let mut asked = Asked { built, object, resource, namespace_object: None };
        let namespace = asked.namespace();
        asked.namespace_object =
            namespace.and_then(|name| self.parameters.namespace(name, seen_from));
        asked
    }

    /// Adds what a policy says of an object for one of its bindings. Policies of one name are equally near.
    fn sentence(
        &self,
        sentence: &mut Sentence,
        (same, binding): (&[&AdmissionPolicy], &Binding),
        asked: &Asked<'_>,
        seen_from: &Around<'_>,
    ) {
        let Some((policy, others)) = same.split_first() else { return };
        match self.answers(policy, binding, asked, seen_from) {
            Ok(None) => {}
            // A chart is rendered once for each release: what they all say is said.
            Ok(Some(_)) if others.iter().any(|it| !it.says_the_same_as(policy)) => {
                let words = "there are several policies of that name";
                sentence.silent(Silence::undecided(Cause::Ambiguous, words));
            }
            Ok(Some(answers)) => {
                sentence.is_asked = true;
                for (answer, params) in answers {
                    match answer {
                        Answer::Undecided(unknown) => sentence.silent(silence(&unknown)),
                        Answer::Refused(it) => sentence.refuse(binding.severity, it, params),
                    }
                }
            }
            Err(silence) => sentence.silent(silence),
        }
    }

    /// What a policy says of an object for one of its bindings, with the place of the parameter; `None` if it is not
    /// about the object.
    fn answers(
        &self,
        policy: &AdmissionPolicy,
        binding: &Binding,
        asked: &Asked<'_>,
        seen_from: &Around<'_>,
    ) -> Result<Option<Answers>, Silence> {
        if !policy.constraints.hold(asked)? || !binding.resources.hold(asked)? {
            return Ok(None);
        }
        if let Some(symbol) = policy.unknown.as_ref().or(binding.unknown.as_ref()) {
            let words = "a part of the policy or its binding is not known";
            return Err(Silence::undecided(symbol.cause, words));
        }
        let params: Vec<Option<&Value>> = match (&policy.param_kind, &binding.params) {
            (Some(kind), Some(wanted)) => {
                let found = self.parameters.find(kind, wanted, asked, seen_from)?;
                found.into_iter().map(Some).collect()
            }
            _ => vec![None],
        };
        let of_one = |params: Option<&Value>| {
            let place = params.map(|it| it.span);
            judge::judge(policy, asked, params).into_iter().map(move |it| (it, place))
        };
        Ok(Some(params.into_iter().flat_map(of_one).collect()))
    }
}

/// What is missing to decide.
fn silence(unknown: &Unknown) -> Silence {
    let words = match unknown.symbol.expression() {
        Some(expression) => format!("`{expression}` is not known"),
        None => format!("{} is not known", unknown.symbol.text),
    };
    let silence = Silence::undecided(unknown.symbol.cause, words);
    match &unknown.place {
        Some(place) => silence.at(place.span, "this is not known"),
        None => silence,
    }
}

impl Sentence {
    fn silent(&mut self, silence: Silence) {
        self.silence.get_or_insert(silence);
    }

    fn refuse(&mut self, severity: Severity, refusal: Refusal, params: Option<Span>) {
        let entry = self.denials.entry(refusal.expression);
        let known = entry.or_insert_with(|| (severity, refusal, params));
        known.0 = known.0.max(severity);
    }

    fn admissions(self, policy: &AdmissionPolicy, built: &BuiltObject<'_>) -> Vec<Admission> {
        let object = built.object.report_span();
        let denials = self.denials.into_values().map(|(severity, refusal, params)| {
            let mut notes: Vec<Note> = refusal.place.iter().flat_map(related).collect();
            let message = format!("`{}` asks for this", policy.name);
            notes.push(Note { span: refusal.expression, message });
            if let Some(span) = params {
                notes.push(Note { span, message: "with this parameter".to_owned() });
            }
            Ok(Denial {
                policy: policy.name.clone(),
                severity,
                span: refusal.place.map_or(object, |it| it.span),
                message: refusal.message,
                notes,
                subject: built.subject.clone(),
            })
        });
        let mut outcomes: Vec<Result<Denial, Silence>> = denials.collect();
        outcomes.extend(self.silence.map(|it| Err(named(it, &policy.name))));
        if outcomes.is_empty() && self.is_asked {
            outcomes.push(Err(Silence::sound(format!("`{}` lets it in", policy.name))));
        }
        if outcomes.iter().any(Result::is_ok) && is_for_tests(built) {
            outcomes.retain(Result::is_err);
            outcomes.push(Err(Silence::sound("it is there to test what is refused")));
        }
        outcomes.into_iter().map(|outcome| Admission { object, outcome }).collect()
    }
}

/// Whether an object is a file by itself that shows what policies refuse.
fn is_for_tests(built: &BuiltObject<'_>) -> bool {
    let path = built.project.files.get(built.span.file).path();
    built.built_by == Builder::File && (aside::of(path).is_some() || aside::is_of_tests(path))
}

/// A silence whose reason names the policy.
fn named(silence: Silence, policy: &Arc<str>) -> Silence {
    match silence {
        Silence::Undecided(cause, mut reason) => {
            reason.words = format!("whether `{policy}` refuses it: {}", reason.words).into();
            Silence::Undecided(cause, reason)
        }
        sound @ Silence::Sound(_) => sound,
    }
}

/// The element that was looked at, and the steps of the operand.
fn related(place: &Place) -> Vec<Note> {
    let note = |span: Span, message: String| Note { span, message };
    let element = place.within.iter().map(|it| note(it.span, "this element fails".to_owned()));
    element.chain(place.steps().map(|it| note(it.span, it.kind.to_string()))).collect()
}

impl Named for AdmissionPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl Named for Binding {
    fn name(&self) -> &str {
        &self.name
    }

    fn scope(&self) -> &Scope {
        &self.scope
    }
}
