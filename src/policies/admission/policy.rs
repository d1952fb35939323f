//! A `ValidatingAdmissionPolicy` and its bindings, as they are written.

use std::sync::Arc;

use crate::{
    findings::Severity,
    inventory::objects::{Builder, BuiltObject},
    policies::admission::{constraints::Constraints, reader::Reader, types},
    resolve::{kubernetes::Object, pod::selector::Selector, scope::Scope},
    value::{Symbol, Value},
};
use karplint_cel::{
    cel::types::{Schema, Type},
    policy::{Validation, expression::Expression},
};

/// A `ValidatingAdmissionPolicy`.
#[derive(Clone, Debug)]
pub(super) struct AdmissionPolicy {
    /// Its name.
    pub(super) name: Arc<str>,
    /// Where it belongs.
    pub(super) scope: Scope,
    /// The chart that brings it, if nothing here installs that: then it is in force for what the chart makes.
    pub(super) only_for: Option<Builder>,
    /// Which objects it is about.
    pub(super) constraints: Constraints,
    /// What must be true of a request for the policy to be asked about it.
    pub(super) conditions: Vec<Expression>,
    /// Expressions with names, each of which may use those before it.
    pub(super) variables: Vec<(Arc<str>, Expression)>,
    /// What has to be true.
    pub(super) validations: Vec<Validation>,
    /// The kind of its parameters, if it has some: `apiVersion` and `kind`.
    pub(super) param_kind: Option<(Arc<str>, Arc<str>)>,
    /// Whether an error lets the object in (`failurePolicy: Ignore`).
    pub(super) ignores_errors: bool,
    /// Something in it that is not known, so that nothing can be said in its name.
    pub(super) unknown: Option<Symbol>,
}

/// A `ValidatingAdmissionPolicyBinding`.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    /// Its name.
    pub(super) name: Arc<str>,
    /// Where it belongs.
    pub(super) scope: Scope,
    /// The chart that brings it, if nothing here installs that.
    pub(super) only_for: Option<Builder>,
    /// The policy that it puts into force.
    pub(super) policy: Arc<str>,
    /// For which objects.
    pub(super) resources: Constraints,
    /// The parameters that it gives the policy.
    pub(super) params: Option<ParamRef>,
    /// How bad it is to be refused: what the strictest of its actions does.
    pub(super) severity: Severity,
    /// Something in it that is not known.
    pub(super) unknown: Option<Symbol>,
}

/// Which objects are parameters.
#[derive(Clone, Debug)]
pub(super) struct ParamRef {
    /// By name, or else by labels.
    pub(super) name: Option<Arc<str>>,
    /// By labels.
    pub(super) selector: Selector,
    /// Their namespace; that of the object that is created if it is not written.
    pub(super) namespace: Option<Arc<str>>,
}

/// Whether an object configures the API server's admission: the API server asks no policy about those.
pub(super) fn configures_admission(object: &Object) -> bool {
    object.group() == "admissionregistration.k8s.io"
}

fn only_for(built: &BuiltObject<'_>) -> Option<Builder> {
    built.subject.is_reusable().then(|| built.built_by.clone())
}

fn is_of(built: &BuiltObject<'_>, kind: &str) -> bool {
    let version = built.object.api_version.split_once('/').map(|it| it.1);
    configures_admission(&built.object)
        && &*built.object.kind == kind
        && matches!(version, Some("v1" | "v1beta1" | "v1alpha1"))
}

impl AdmissionPolicy {
    /// Reads an object, if it is a policy whose name is known. What is wrong with it is the reader's.
    pub(super) fn read(reader: &mut Reader, built: &BuiltObject<'_>) -> Option<Self> {
        if !is_of(built, "ValidatingAdmissionPolicy") {
            return None;
        }
        let name = built.object.anchor_text()?.into();
        let spec = reader.required(&built.object.value, "spec")?;
        let param_kind = param_kind(reader, spec);
        let written = reader.required(spec, "matchConstraints");
        let constraints = Constraints::read(reader, written);
        if constraints.have_no_rules() && reader.unknown.is_none() && reader.errors.is_empty() {
            let place = written.map_or(spec.name, |it| it.name);
            reader.wrong(place, "`resourceRules` is missing");
        }
        let mut schema = types::schema(param_kind.is_some());
        let conditions = conditions(reader, spec, &schema);
        let variables = variables(reader, spec, &mut schema);
        let validations = validations(reader, spec, &schema);
        let ignores_errors =
            reader.word(spec, "failurePolicy", &["Fail", "Ignore"]) == Some("Ignore");
        Some(Self {
            name,
            scope: built.scope.clone(),
            only_for: only_for(built),
            constraints,
            conditions,
            variables,
            validations,
            param_kind,
            ignores_errors,
            unknown: reader.unknown.take(),
        })
    }
}

impl AdmissionPolicy {
    /// Whether another policy of its name asks for the same.
    pub(super) fn says_the_same_as(&self, other: &Self) -> bool {
        let text = |it: &Expression| it.text().to_owned();
        let validation = |it: &Validation| {
            let message = it.message_expression.as_ref().map(text);
            (text(&it.expression), it.message.clone(), message)
        };
        let parts = |it: &Self| {
            let conditions: Vec<String> = it.conditions.iter().map(text).collect();
            let variables = it.variables.iter().map(|(name, it)| (name.clone(), text(it)));
            let validations = it.validations.iter().map(validation);
            (conditions, variables.collect::<Vec<_>>(), validations.collect::<Vec<_>>())
        };
        self.constraints == other.constraints
            && self.param_kind == other.param_kind
            && self.ignores_errors == other.ignores_errors
            && self.unknown.is_some() == other.unknown.is_some()
            && parts(self) == parts(other)
    }
}

fn param_kind(reader: &mut Reader, spec: &Value) -> Option<(Arc<str>, Arc<str>)> {
    let written = reader.field(spec, "paramKind")?;
    let version = reader.required_text(written, "apiVersion")?.0.text.clone();
    let kind = reader.required_text(written, "kind")?.0.text.clone();
    Some((version, kind))
}

fn conditions(reader: &mut Reader, spec: &Value, schema: &Schema) -> Vec<Expression> {
    let mut found = Vec::new();
    for it in reader.items(spec, "matchConditions") {
        reader.required_text(it, "name");
        found.extend(reader.expression(it, "expression", (schema, &[Type::Bool])).map(|it| it.0));
    }
    found
}

fn variables(
    reader: &mut Reader,
    spec: &Value,
    schema: &mut Schema,
) -> Vec<(Arc<str>, Expression)> {
    let mut found: Vec<(Arc<str>, Expression)> = Vec::new();
    for it in reader.items(spec, "variables") {
        let name = reader.required_text(it, "name");
        let expression = reader.expression(it, "expression", (schema, &[]));
        let (Some((name, span)), Some((expression, of))) = (name, expression) else { continue };
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name = name.text.starts_with(is_first)
            && name.text.chars().all(|c| is_first(c) || c.is_ascii_digit());
        if !is_name {
            reader.wrong(span, format!("`{}` is no name that CEL can use", name.text));
        }
        types::declare(schema, &name.text, of);
        found.push((name.text.clone(), expression));
    }
    found
}

const REASONS: &[&str] = &["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"];

fn validations(reader: &mut Reader, spec: &Value, schema: &Schema) -> Vec<Validation> {
    let items = reader.items(spec, "validations");
    let audits = spec.get("auditAnnotations").present().is_some_and(|it| !it.items().is_empty());
    if items.is_empty() && !audits && reader.unknown.is_none() && reader.errors.is_empty() {
        reader.wrong(spec.name, "`validations` is missing");
    }
    // A message may not ask the authorizer.
    let mut of_messages = schema.clone();
    of_messages.variables.retain(|it, _| !it.starts_with("authorizer"));
    let mut found = Vec::new();
    for it in items {
        let expression = reader.expression(it, "expression", (schema, &[Type::Bool]));
        let message_expression = if it.get("messageExpression").is_missing() {
            None
        } else {
            reader.expression(it, "messageExpression", (&of_messages, &[Type::String]))
        };
        let message = reader.text(it, "message");
        if let Some((text, span)) = message {
            if text.text.trim().is_empty() {
                reader.wrong(span, "`message` is empty");
            } else if text.text.trim().contains('\n') {
                reader.wrong(span, "`message` has more than one line");
            }
        }
        reader.word(it, "reason", REASONS);
        let Some((expression, _)) = expression else { continue };
        found.push(Validation {
            expression,
            message: message.map(|it| it.0.text.trim().into()),
            message_expression: message_expression.map(|it| it.0),
            at: None,
        });
    }
    found
}

impl Binding {
    /// Reads an object, if it is a binding whose name is known. What is wrong with it is the reader's.
    pub(super) fn read(reader: &mut Reader, built: &BuiltObject<'_>) -> Option<Self> {
        if !is_of(built, "ValidatingAdmissionPolicyBinding") {
            return None;
        }
        let name = built.object.anchor_text()?.into();
        let spec = reader.required(&built.object.value, "spec")?;
        let policy = reader.required_text(spec, "policyName")?.0.text.clone();
        let written = reader.field(spec, "matchResources");
        let resources = Constraints::read(reader, written);
        let params = reader.field(spec, "paramRef").and_then(|it| param_ref(reader, it));
        let severity = severity(reader, spec, is_alpha(built));
        let (scope, unknown) = (built.scope.clone(), reader.unknown.take());
        let only_for = only_for(built);
        Some(Self {
            name,
            scope,
            only_for,
            policy,
            resources,
            params,
            severity: severity?,
            unknown,
        })
    }
}

/// The first version has no actions: it denies.
fn is_alpha(built: &BuiltObject<'_>) -> bool {
    built.object.api_version.ends_with("/v1alpha1")
}

/// What the strictest action does.
fn severity(reader: &mut Reader, spec: &Value, may_be_missing: bool) -> Option<Severity> {
    let actions = reader.texts(spec, "validationActions");
    let mut strictest = None;
    for (action, span) in &actions {
        let severity = match &**action {
            "Deny" => Severity::Error,
            "Warn" => Severity::Warning,
            "Audit" => Severity::Note,
            _ => {
                reader.wrong(*span, "an action is `Deny`, `Warn` or `Audit`");
                continue;
            }
        };
        strictest = strictest.max(Some(severity));
    }
    let has = |it: &str| actions.iter().find(|(action, _)| **action == *it);
    if let (Some(_), Some((_, span))) = (has("Deny"), has("Warn")) {
        reader.wrong(*span, "the API server takes `Deny` or `Warn`, not both");
    }
    match strictest {
        None if may_be_missing => Some(Severity::Error),
        None if reader.unknown.is_none() && reader.errors.is_empty() => {
            reader.wrong(spec.name, "`validationActions` is missing");
            None
        }
        found => found,
    }
}

fn param_ref(reader: &mut Reader, written: &Value) -> Option<ParamRef> {
    let name = reader.text(written, "name").map(|it| it.0.text.clone());
    let selector = written.get("selector");
    if name.is_some() != selector.is_missing() {
        let message = "a parameter is chosen by its `name` or by a `selector`";
        reader.wrong(written.name, message);
        return None;
    }
    let actions = &["Allow", "Deny"];
    reader.word(written, "parameterNotFoundAction", actions);
    if written.get("parameterNotFoundAction").is_missing() {
        reader.wrong(written.name, "`parameterNotFoundAction` is missing");
    }
    let namespace = reader.text(written, "namespace").map(|it| it.0.text.clone());
    Some(ParamRef { name, selector: Selector::read(selector, ""), namespace })
}
