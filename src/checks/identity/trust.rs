//! The service accounts that roles trust.

use crate::{
    checks::identity::{
        account::{Account, trusted},
        any_text,
    },
    resolve::terraform::{
        object::{BlockInstance, Mode},
        root::Root,
    },
    source::Span,
    value::{Kind, Symbol, Value, alternatives::alternatives},
};

/// The accounts that a module of `terraform-aws-modules/iam` makes a role for.
pub(super) fn accounts_of_iam_module(call: &BlockInstance) -> Option<Vec<(Account, Span)>> {
    let source = call.body.get("source").present()?.as_str()?;
    if source.contains("iam-role-for-service-accounts") {
        let providers = call.body.get("oidc_providers").present()?.as_map()?;
        providers.rest.is_none().then_some(())?;
        let lists = providers
            .entries
            .iter()
            .map(|it| accounts_of_list(it.value.get("namespace_service_accounts").present()?));
        let all: Option<Vec<Vec<(Account, Span)>>> = lists.collect();
        return Some(all?.concat()).filter(|it| !it.is_empty());
    }
    if source.contains("iam-assumable-role-with-oidc") {
        let more = ["oidc_subjects_with_wildcards", "oidc_subjects"];
        more.iter().all(|it| call.body.get(it).is_missing()).then_some(())?;
        return accounts_of_list(call.body.get("oidc_fully_qualified_subjects").present()?);
    }
    None
}

/// The accounts that the trust policy of a role names: written in it, or in a document of the same root.
pub(super) fn accounts_of_role(root: &Root, role: &BlockInstance) -> Option<Vec<(Account, Span)>> {
    let policy = role.body.get("assume_role_policy").present()?;
    let Some(text) = expression(policy) else { return trusted(policy) };
    accounts_of_document(root, text)
}

/// The accounts that documents name which a call adds to the trust policy of its role.
pub(super) fn accounts_of_documents(root: &Root, all: &Value) -> Option<Vec<(Account, Span)>> {
    let all = all.as_list().filter(|it| it.rest.is_none())?;
    let each = all.items.iter().map(|it| match expression(it) {
        Some(text) => accounts_of_document(root, text),
        None => trusted(it),
    });
    each.collect::<Option<Vec<_>>>().map(|it| it.concat())
}

/// The accounts that a document of the root names, given by a reference to it.
fn accounts_of_document(root: &Root, reference: &str) -> Option<Vec<(Account, Span)>> {
    let name = reference.strip_prefix("data.aws_iam_policy_document.")?;
    let document = one_named(root, Mode::Data, "aws_iam_policy_document", name)?;
    let more = ["source_policy_documents", "override_policy_documents"];
    more.iter().all(|it| document.body.get(it).is_missing()).then_some(())?;
    let statements = document.body.get("statement").present()?;
    // A statement for others, like pods with an identity, may let the account in another way.
    let plain = |it: &Value| any_text(it, &|text| text.contains("AssumeRoleWithWebIdentity"));
    let all = statements.as_list().filter(|it| it.rest.is_none())?;
    all.items.iter().all(plain).then(|| trusted(statements))?
}

/// Whether instances alone may take a role on, as its trust policy says: no service account gets it.
pub(crate) fn is_for_instances(root: &Root, role: &BlockInstance) -> bool {
    let Some(policy) = role.body.get("assume_role_policy").present() else { return false };
    let data = expression(policy).and_then(|it| it.strip_prefix("data.aws_iam_policy_document."));
    let document = match data {
        Some(name) => one_named(root, Mode::Data, "aws_iam_policy_document", name),
        None => Some(role),
    };
    let more = ["source_policy_documents", "override_policy_documents"];
    let whole = document.filter(|it| more.iter().all(|key| it.body.get(key).is_missing()));
    let trusted = whole.and_then(|it| {
        if data.is_some() { it.body.get("statement").present() } else { Some(policy) }
    });
    let names =
        |wanted: &str| trusted.is_some_and(|it| any_text(it, &|text| text.contains(wanted)));
    names("ec2.amazonaws.com") && !["WebIdentity", "pods.eks"].into_iter().any(names)
}

/// The accounts of a list; `None` where one of them is not known at all.
pub(super) fn accounts_of_list(value: &Value) -> Option<Vec<(Account, Span)>> {
    let list = value.as_list().filter(|it| it.rest.is_none() && !it.items.is_empty())?;
    let account = |it: &Value| {
        let account = Account::read(it);
        (account.namespace.is_some() || account.name.is_some()).then_some((account, it.span))
    };
    list.items.iter().map(account).collect()
}

/// The one block of a root that a reference names; `None` where several modules have one of that name, or where it
/// has several instances and the reference does not say which: `aws_iam_role.shop["web"].arn`.
pub(super) fn one_named<'r>(
    root: &'r Root,
    mode: Mode,
    kind: &str,
    reference: &str,
) -> Option<&'r BlockInstance> {
    let name = reference.split(['.', '[']).next()?;
    let named = |it: &&BlockInstance| it.mode == mode && &*it.kind == kind && &*it.name == name;
    let all: Vec<&BlockInstance> = root.objects.iter().filter(named).collect();
    let (first, others) = all.split_first()?;
    if others.iter().any(|it| it.header != first.header) {
        return None;
    }
    let key = reference.strip_prefix(name).filter(|it| it.starts_with('['));
    let key = key.and_then(|it| it.split_inclusive(']').next());
    let is_it = |it: &&&BlockInstance| key.is_some_and(|key| it.address.ends_with(key));
    if others.is_empty() { Some(first) } else { all.iter().find(is_it).copied() }
}

/// The expression of a value that only an apply knows, if it is nothing else.
pub(crate) fn expression(value: &Value) -> Option<&str> {
    let text = match &value.kind {
        Kind::Unknown(symbol) => &*symbol.text,
        Kind::String(text) if text.holes.len() == 1 => {
            let alone = text.text.chars().filter(char::is_ascii).all(|it| it.is_ascii_digit());
            alone.then(|| &*text.holes[0].text)?
        }
        _ => return None,
    };
    match alternatives(text).as_slice() {
        [only] => Some(only),
        _ => Some(text),
    }
}

/// The one resource of a kind that a value is of; of a module with several instances, that of the instance in which the
/// value is written.
pub(super) fn resource_of<'r>(
    root: &'r Root,
    kind: &'r str,
    value: &Value,
) -> Option<&'r BlockInstance> {
    let name = expression(value)?.strip_prefix(kind)?.strip_prefix('.')?;
    one_named(root, Mode::Resource, kind, name).or_else(|| {
        let symbol = unknown_in(value)?;
        let mut its = root.of(Mode::Resource, kind).filter(|it| is_of(symbol, it));
        its.next().filter(|_| its.next().is_none())
    })
}

/// The only part of a value that is not known.
pub(super) fn unknown_in(value: &Value) -> Option<&Symbol> {
    match &value.kind {
        Kind::Unknown(symbol) => Some(symbol),
        Kind::String(text) if text.holes.len() == 1 => text.holes.first(),
        _ => None,
    }
}

/// Whether an expression is one of a resource: `aws_iam_role.controller.arn`, in its module.
pub(super) fn is_of(symbol: &Symbol, resource: &BlockInstance) -> bool {
    let own = format!("{}.{}", resource.kind, resource.name);
    let rest = symbol.text.strip_prefix(&own);
    rest.is_some_and(|it| it.starts_with(['.', '['])) && is_beside(symbol, resource)
}

/// Whether an expression is written in the instance of a module that has a resource.
pub(super) fn is_beside(symbol: &Symbol, resource: &BlockInstance) -> bool {
    let own = format!("{}.{}", resource.kind, resource.name);
    let module = symbol.scope.split_once('|').map_or("", |(_, module)| module);
    let address = if module.is_empty() { own } else { format!("{module}.{own}") };
    resource.address.starts_with(&address)
}
