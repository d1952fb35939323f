//! The statements of trust policies: which calls of STS a role lets whom make.

use crate::{
    checks::identity::{
        statements::matches,
        trust::{expression, one_named},
    },
    resolve::terraform::{
        object::{BlockInstance, Mode},
        root::Root,
    },
    source::Span,
    value::{Field, Kind, Value},
};

/// By which a token of a service account is taken for credentials.
const WEB_IDENTITY: &str = "sts:AssumeRoleWithWebIdentity";
/// What EKS Pod Identity calls to take on a role, the second unless the association switches session tags off.
const OF_PODS: [&str; 2] = ["sts:AssumeRole", "sts:TagSession"];
/// Who does.
const PODS: &str = "pods.eks.amazonaws.com";

/// A statement, all of which is literal but the names of principals.
struct Statement<'v> {
    allows: bool,
    actions: Vec<&'v str>,
    place: Span,
    /// Kinds and names of those whom it trusts.
    principals: Vec<(&'v str, Option<&'v str>)>,
}

/// Where a role trusts identity providers without letting their tokens be taken for credentials, neither there nor in
/// another statement.
#[must_use]
pub(super) fn refuses_tokens(root: &Root, role: &BlockInstance) -> Option<Span> {
    let statements = statements(root, role)?;
    let may = |it: &Statement<'_>| it.actions.iter().any(|it| matches(it, WEB_IDENTITY));
    let is_federated =
        |it: &&Statement<'_>| it.principals.iter().any(|(kind, _)| *kind == "Federated");
    let place = statements.iter().find(is_federated)?.place;
    (!statements.iter().any(may)).then_some(place)
}

/// The calls that a role does not let EKS Pod Identity make, and where its trust policy says so.
#[must_use]
pub(super) fn refuses_pods(
    root: &Root,
    role: &BlockInstance,
    with_tags: bool,
) -> Option<(Span, Vec<&'static str>)> {
    let statements = statements(root, role)?;
    let is_pods = |(kind, name): &(&str, Option<&str>)| match *kind {
        "Service" => name.is_none_or(|it| it == PODS),
        "*" => true,
        _ => false,
    };
    let own: Vec<&Statement<'_>> =
        statements.iter().filter(|it| it.principals.iter().any(is_pods)).collect();
    let may = |call: &str| own.iter().any(|it| it.actions.iter().any(|it| matches(it, call)));
    let calls = OF_PODS.into_iter().take(if with_tags { 2 } else { 1 });
    let refused: Vec<&str> = calls.filter(|it| !may(it)).collect();
    let place = own.first().map_or_else(|| policy_of(role).map(|it| it.span), |it| Some(it.place));
    Some((place?, refused)).filter(|it| !it.1.is_empty())
}

fn policy_of(role: &BlockInstance) -> Option<&Value> {
    role.body.get("assume_role_policy").present()
}

/// The statements of its trust policy that allow something; `None` where not all of them are seen.
fn statements<'r>(root: &'r Root, role: &'r BlockInstance) -> Option<Vec<Statement<'r>>> {
    let policy = policy_of(role)?;
    if let Some(text) = expression(policy) {
        let name = text.strip_prefix("data.aws_iam_policy_document.")?;
        let document = one_named(root, Mode::Data, "aws_iam_policy_document", name)?;
        let more = ["source_policy_documents", "override_policy_documents", "source_json"];
        more.iter().all(|it| document.body.get(it).is_missing()).then_some(())?;
        return all(document.body.get("statement").present()?, of_document);
    }
    let Kind::String(text) = &policy.kind else { return None };
    all(text.encodes.as_deref()?.get("Statement").present()?, of_json)
}

/// The statements of a list, or the one that is not in a list, without those that deny something.
fn all<'v>(
    statements: &'v Value,
    read: impl Fn(&'v Value) -> Option<Statement<'v>>,
) -> Option<Vec<Statement<'v>>> {
    let list = match &statements.kind {
        Kind::List(list) => list.rest.is_none().then_some(&*list.items)?,
        Kind::Map(_) => std::slice::from_ref(statements),
        _ => return None,
    };
    let mut each = list.iter().map(read).collect::<Option<Vec<_>>>()?;
    each.retain(|it| it.allows);
    Some(each)
}

/// A statement of a policy in JSON.
fn of_json(statement: &Value) -> Option<Statement<'_>> {
    let whole = statement.as_map()?.rest.is_none();
    if !whole || !is_plain(statement, &["NotAction", "NotPrincipal"]) {
        return None;
    }
    let allows = statement.get("Effect").present()?.as_str()? == "Allow";
    let trusted = statement.get("Principal").present()?;
    let mut principals = Vec::new();
    match trusted.as_map() {
        Some(kinds) => {
            kinds.rest.is_none().then_some(())?;
            for kind in &kinds.entries {
                principals.extend(names(&kind.value)?.into_iter().map(|it| (&*kind.key, it)));
            }
        }
        None => principals.push(("*", Some(trusted.as_str()?))),
    }
    let (actions, place) = actions(statement.get("Action"))?;
    Some(Statement { allows, actions, place, principals })
}

/// A statement of a document.
fn of_document(statement: &Value) -> Option<Statement<'_>> {
    let whole = statement.as_map()?.rest.is_none();
    if !whole || !is_plain(statement, &["not_actions", "not_principals"]) {
        return None;
    }
    let allows = match statement.get("effect") {
        Field::Missing => true,
        effect => effect.present()?.as_str()? == "Allow",
    };
    let blocks = statement.get("principals").present()?.as_list()?;
    blocks.rest.is_none().then_some(())?;
    let mut principals = Vec::new();
    for block in &blocks.items {
        let kind = block.get("type").present()?.as_str()?;
        let all = names(block.get("identifiers").present()?)?;
        principals.extend(all.into_iter().map(|it| (kind, it)));
    }
    let (actions, place) = actions(statement.get("actions"))?;
    Some(Statement { allows, actions, place, principals })
}

fn is_plain(statement: &Value, others: &[&str]) -> bool {
    others.iter().all(|it| statement.get(it).is_missing())
}

/// The names of principals, as far as they are known.
fn names(value: &Value) -> Option<Vec<Option<&str>>> {
    match &value.kind {
        Kind::List(list) => {
            list.rest.is_none().then(|| list.items.iter().map(Value::as_str).collect())
        }
        Kind::String(_) | Kind::Unknown(_) => Some(vec![value.as_str()]),
        _ => None,
    }
}

fn actions(field: Field<'_>) -> Option<(Vec<&str>, Span)> {
    let value = field.present()?;
    let actions = match &value.kind {
        Kind::List(list) if list.rest.is_none() => {
            list.items.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?
        }
        _ => vec![value.as_str()?],
    };
    Some((actions, value.span))
}
