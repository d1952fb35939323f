//! Pod identity associations and roles that are resources of a root.

use crate::{
    checks::identity::{
        account::{Account, ROLE},
        trust::{is_of, unknown_in},
    },
    resolve::{
        release::Release,
        terraform::{
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::{HOLE_END, HOLE_START, Kind, Symbol, Value},
};

/// A pod identity association that is a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Association<'m> {
    /// The resource.
    pub object: &'m BlockInstance,
}

impl<'m> Association<'m> {
    /// Those of a root that are certainly for the service account of a release.
    pub(crate) fn of_release(
        root: &'m Root,
        index: usize,
        release: &Release,
    ) -> impl Iterator<Item = Self> {
        let used = Account::of_release(release);
        let own = release.scope.root == Some(index);
        let resources = root.of(Mode::Resource, "aws_eks_pod_identity_association");
        let is_for = move |it: &&BlockInstance| {
            let text = |key: &str| it.body.get(key).present().and_then(Value::as_str);
            let named = text("namespace").zip(text("service_account"));
            let used = used.namespace.as_deref().zip(used.name.as_deref());
            own && named.is_some() && named == used
        };
        resources.filter(is_for).map(|object| Self { object })
    }
}

/// The role that a root annotates the service account of a release with, where the account is a resource beside it.
pub(crate) fn role_of_own_account<'m>(
    root: &'m Root,
    index: usize,
    release: &Release,
) -> Option<&'m Value> {
    if release.scope.root != Some(index) {
        return None;
    }
    let used = Account::of_release(release);
    let used = used.namespace.as_deref().zip(used.name.as_deref())?;
    let kinds = ["kubernetes_service_account", "kubernetes_service_account_v1"];
    let mut accounts = kinds.iter().flat_map(|it| root.of(Mode::Resource, it));
    accounts.find_map(|it| {
        let metadata = it.body.get("metadata").present()?;
        let metadata = metadata.items().first().unwrap_or(metadata);
        let text = |key: &str| metadata.get(key).present().and_then(Value::as_str);
        let is_its = text("namespace").zip(text("name")) == Some(used);
        metadata.get("annotations").get(ROLE).present().filter(|_| is_its)
    })
}

/// The role of a root that a value names by reference, or by the name that is written for it.
pub(crate) fn role_behind<'m>(root: &'m Root, value: &Value) -> Option<&'m BlockInstance> {
    if let Some(only) = only_case(value) {
        return role_behind(root, &only);
    }
    let roles = || root.of(Mode::Resource, "aws_iam_role");
    let name_of = |it: &'m BlockInstance| it.body.get("name").present();
    if let Some(symbol) = unknown_in(value) {
        let is_its_name = |it: &'m BlockInstance| {
            name_of(it).is_some_and(|name| name.same_as(value) == Some(true))
        };
        return roles().find(|it| is_of(symbol, it) || is_its_name(it));
    }
    let name = value.as_str()?.rsplit('/').next()?;
    let exact = roles().find(|it| name_of(it).and_then(Value::as_str) == Some(name));
    exact.or_else(|| {
        let mut fitting = roles().filter(|it| name_of(it).is_some_and(|it| fits(it, name)));
        fitting.next().filter(|_| fitting.next().is_none())
    })
}

/// The one value that something is unless it is null: `try(aws_iam_role.controller[0].arn, null)`.
fn only_case(value: &Value) -> Option<Value> {
    let mut cases = value.cases()?;
    cases.retain(|it| !it.is_null());
    cases.pop().filter(|it| cases.is_empty() && it.cases().is_none())
}

/// A name of a role has at least so many known letters before one that is written out is taken for it.
const KNOWN_LETTERS: usize = 8;

/// Whether a name of which a part is not known may be this one: it begins and ends like it.
fn fits(pattern: &Value, name: &str) -> bool {
    let Kind::String(text) = &pattern.kind else { return false };
    let start = text.text.split(HOLE_START).next().unwrap_or_default();
    let end = text.text.rsplit(HOLE_END).next().unwrap_or_default();
    !text.holes.is_empty()
        && start.len() >= KNOWN_LETTERS
        && name.len() > start.len() + end.len()
        && name.starts_with(start)
        && name.ends_with(end)
}

/// The call of a root, the code of whose module is not here, that gives a value.
pub(crate) fn call_behind<'m>(root: &'m Root, value: &Value) -> Option<&'m BlockInstance> {
    let symbol = unknown_in(value)?;
    let mut calls = root.of(Mode::Module, "module").filter(|it| !it.entered);
    calls.find(|it| is_of(symbol, it))
}

/// Whether two values surely name one role: a resource of the root, or what a module makes that is not here.
pub(crate) fn are_of_one_role(root: &Root, one: &Value, other: &Value) -> bool {
    match (role_behind(root, one), role_behind(root, other)) {
        (Some(one), Some(other)) => one.node == other.node,
        (None, None) => {
            let role = |it: &Value| {
                let call = call_behind(root, it)?;
                Some((call.node, stem(unknown_in(it)?)?.to_owned()))
            };
            role(one).is_some_and(|it| Some(it) == role(other))
        }
        _ => false,
    }
}

/// The output of a module without the word for the part of the role that it is: `iam_role` of `iam_role_arn` and
/// `iam_role_name`.
fn stem(symbol: &Symbol) -> Option<&str> {
    let (_, output) = symbol.text.rsplit_once('.')?;
    ["arn", "name"].iter().find_map(|it| output.strip_suffix(it))
}
