//! The role of the controller that a call of the module `karpenter` makes, and the service accounts it is for.

use crate::{
    checks::identity::{
        account::Account,
        generated_role::before_suffix,
        trust::{accounts_of_documents, accounts_of_list},
    },
    knowledge::identity::{
        Ability, association_account, controller_role_name, switch::ModuleSwitch,
        web_identity_account,
    },
    model::role_maker::{RoleMaker, truth},
    resolve::{answers::all, terraform::root::Root},
    source::Span,
    value::{Field, Value},
};

/// Whether it makes something: one without a version with each that it may have, as it may have been installed long
/// ago.
fn makes(maker: &RoleMaker<'_>, ability: Ability) -> Option<bool> {
    if maker.is_pinned() { maker.makes(ability) } else { maker.surely_makes(ability) }
}

/// Whether it makes the controller's role.
pub(super) fn makes_role(maker: &RoleMaker<'_>) -> Option<bool> {
    makes(maker, Ability::ControllerRole)
}

/// Whether it makes a pod identity association.
pub(super) fn associates(maker: &RoleMaker<'_>) -> Option<bool> {
    let parts = [
        makes_role(maker),
        truth(maker.input("enable_pod_identity"), true),
        makes(maker, Ability::Association),
    ];
    all(parts)
}

/// The inputs of documents that are added to the trust policy of the role.
const DOCUMENTS: [&str; 2] =
    ["iam_role_source_assume_policy_documents", "iam_role_override_assume_policy_documents"];

/// Whether the role trusts tokens of service accounts.
pub(super) fn trusts_tokens(maker: &RoleMaker<'_>) -> Option<bool> {
    if !DOCUMENTS.iter().all(|it| maker.input(it).is_missing()) {
        return None;
    }
    makes_role(maker).filter(|it| *it)?;
    makes(maker, Ability::WebIdentity)
}

/// The accounts whose tokens the role trusts, by itself and by the documents that the call adds.
pub(super) fn all_token_accounts(
    root: &Root,
    maker: &RoleMaker<'_>,
) -> Option<Vec<(Account, Span)>> {
    makes_role(maker).filter(|it| *it)?;
    let own = makes(maker, Ability::WebIdentity)?;
    let mut accounts = if own { token_accounts(maker)? } else { Vec::new() };
    for documents in DOCUMENTS.map(|it| maker.input(it)) {
        match documents {
            Field::Missing => {}
            Field::Present(all) => accounts.extend(accounts_of_documents(root, all)?),
            Field::Unknown => return None,
        }
    }
    Some(accounts)
}

/// Whether a name, with the end that was generated, is that of the role that a call makes.
pub(super) fn makes_role_named(maker: &RoleMaker<'_>, name: &str) -> bool {
    let own = match maker.input("iam_role_name") {
        Field::Missing => controller_role_name(maker.version.as_ref()),
        field => field.present().and_then(Value::as_str),
    };
    let before = before_suffix(name).map(|it| it.trim_end_matches('-'));
    before.is_some() && before == own
}

/// The accounts whose tokens the role trusts that has the name which the module gives it since its version 20.
pub(super) fn accounts_of_role_of_today(maker: &RoleMaker<'_>) -> Option<Vec<(Account, Span)>> {
    let is_pinned = maker.is_pinned();
    let trusts =
        if is_pinned { trusts_tokens(maker) } else { truth(maker.input("enable_irsa"), false) };
    if trusts? { token_accounts(maker) } else { Some(Vec::new()) }
}

/// The input by which the role trusts tokens, where their provider is written already.
pub(super) fn switch_for_tokens(maker: &RoleMaker<'_>) -> Option<&'static str> {
    maker.input("irsa_oidc_provider_arn").present()?;
    match maker.maker.makes(Ability::WebIdentity, maker.version.as_ref())? {
        ModuleSwitch::Input { name, .. } => Some(name),
        ModuleSwitch::Fixed(_) => None,
    }
}

/// The accounts whose tokens the role trusts.
pub(super) fn token_accounts(maker: &RoleMaker<'_>) -> Option<Vec<(Account, Span)>> {
    match maker.input("irsa_namespace_service_accounts") {
        Field::Present(list) => accounts_of_list(list),
        Field::Missing => {
            let (namespace, name) = web_identity_account()?;
            Some(vec![(Account::known(namespace, name), maker.report_span())])
        }
        Field::Unknown => None,
    }
}

/// The account of the association it makes, and where that is written.
pub(super) fn associated(maker: &RoleMaker<'_>) -> Option<(Account, Span)> {
    let (namespace, name) = association_account()?;
    let text = |key: &str, default: &str| match maker.input(key) {
        Field::Present(value) => value.as_str().map(str::to_owned),
        Field::Missing => Some(default.to_owned()),
        Field::Unknown => None,
    };
    let account =
        Account { namespace: text("namespace", namespace), name: text("service_account", name) };
    let written = ["namespace", "service_account"].iter().find_map(|it| maker.input(it).present());
    Some((account, written.map_or(maker.report_span(), |it| it.span)))
}
