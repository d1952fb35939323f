//! Controllers that get no credentials, because the role made for them is for another service account.

use crate::{
    checks::{
        identity::{
            account::{Account, role_of_release, trusted},
            any_text,
        },
        varying::is_namespace_varying,
    },
    knowledge::identity::{ModuleSwitch, association_account, web_identity_account},
    model::{
        Model,
        environment::are_apart,
        role_maker::{RoleMaker, RoleMakers, cluster_name, names_other, truth},
    },
    resolve::{
        answers::all,
        release::Release,
        scope::Scope,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Field, Kind, Value, alternatives::alternatives},
};

/// A controller whose service account does not get the role made for it.
#[derive(Debug)]
pub(crate) struct Mismatch<'m> {
    /// The release.
    pub release: &'m Release,
    /// The service account it runs as.
    pub used: Account,
    /// Where to point.
    pub span: Span,
    /// Why it gets no role.
    pub why: RoleMismatch,
}

/// Why a service account gets no role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RoleMismatch {
    /// The role is for this one.
    For(Account),
    /// Nothing gives it one.
    Nothing {
        /// The call of the module that makes the role: `module.karpenter`.
        module: String,
        /// The input of that module that makes an association.
        association: Option<&'static str>,
    },
    /// The role trusts no tokens of service accounts, only pod identities.
    TrustsNoToken,
}

/// A pod identity association of some root.
struct Association<'m> {
    account: Account,
    span: Span,
    root: usize,
    object: &'m BlockInstance,
}

/// The controllers whose service account does not get the role made for it.
#[must_use]
pub(crate) fn mismatches(model: &Model) -> Vec<Mismatch<'_>> {
    let makers = RoleMakers::of(model);
    let roots = model.terraform.roots.iter().enumerate();
    let associations: Vec<Association<'_>> =
        roots.flat_map(|(index, root)| associations_of(index, root)).collect();
    // Modules around a release see to its role themselves.
    let plain = |it: &&Release| {
        let own = it.code().is_none_or(|code| code.address.starts_with("helm_release."));
        own && !it.may_target_other_cluster && !is_namespace_varying(model, it)
    };
    let fault = |release| {
        let used = Account::of_release(release);
        let (span, why) = fault_of_identity(model, (&makers, &associations), release, &used)?;
        Some(Mismatch { release, used, span, why })
    };
    model.controllers().filter(plain).filter_map(fault).collect()
}

/// An association comes before the role of an annotation, where a service account has both
/// (aws/amazon-eks-pod-identity-webhook `pkg/handler/handler.go`).
fn fault_of_identity(
    model: &Model,
    (makers, associations): (&RoleMakers<'_>, &[Association<'_>]),
    release: &Release,
    used: &Account,
) -> Option<(Span, RoleMismatch)> {
    let others = associations_for(model, associations, release);
    if others.iter().any(|it| !it.account.excludes(used)) {
        return None;
    }
    let maker = makers.of_release(release);
    let associated = match maker {
        Some(maker) if associates(maker)? => Some(associated(maker)?),
        _ => None,
    };
    if associated.as_ref().is_some_and(|(account, _)| !account.excludes(used)) {
        return None;
    }
    let associated = associated.map(|(account, span)| (span, RoleMismatch::For(account)));
    match role_of_release(release) {
        Field::Unknown => None,
        Field::Present(role) => fault_of_role(model, makers, (release, used), role, associated),
        Field::Missing => associated
            .or_else(|| near_miss(model, release, &others, maker))
            .or_else(|| gives_nothing(maker?, release)),
    }
}

/// What is wrong with the role that the values annotate the service account with.
fn fault_of_role(
    model: &Model,
    makers: &RoleMakers<'_>,
    (release, used): (&Release, &Account),
    role: &Value,
    associated: Option<(Span, RoleMismatch)>,
) -> Option<(Span, RoleMismatch)> {
    let root = model.terraform.roots.get(release.scope.root?)?;
    let text = expression(role)?;
    let accounts = if let Some(rest) = text.strip_prefix("module.") {
        let call = one_named(root, Mode::Module, "module", rest)?;
        let maker = makers.list.iter().find(|it| it.object.header == call.header);
        match maker {
            Some(maker)
                if maker.is_pinned() && maker.gives(text, &["irsa_arn", "iam_role_arn"]) =>
            {
                if !trusts_tokens(maker)? {
                    return associated.or(Some((role.span, RoleMismatch::TrustsNoToken)));
                }
                token_accounts(maker)?
            }
            Some(_) => return None,
            None => accounts_of_iam_module(call)?,
        }
    } else {
        let name = text.strip_prefix("aws_iam_role.")?;
        accounts_of_role(root, one_named(root, Mode::Resource, "aws_iam_role", name)?)?
    };
    let (first, span) = accounts.first()?.clone();
    accounts.iter().all(|(it, _)| it.excludes(used)).then_some((span, RoleMismatch::For(first)))
}

/// The association of the same root that is for Karpenter, by its name or role, and names another account.
fn near_miss(
    model: &Model,
    release: &Release,
    all: &[&Association<'_>],
    maker: Option<&RoleMaker<'_>>,
) -> Option<(Span, RoleMismatch)> {
    let root = release.scope.root?;
    model.controllers_of_root(root).len().eq(&1).then_some(())?;
    let its = |it: &&&Association<'_>| {
        let role = it.object.body.get("role_arn").present().and_then(expression);
        let given =
            maker.zip(role).is_some_and(|(maker, role)| maker.gives(role, &["iam_role_arn"]));
        it.root == root && (given || it.object.name.contains("karpenter"))
    };
    let mut own = all.iter().filter(its);
    let only = own.next().filter(|_| own.next().is_none())?;
    Some((only.span, RoleMismatch::For(only.account.clone())))
}

/// The associations that may be for a release: those of its root, and of roots without a controller that
/// are not for another environment.
fn associations_for<'a>(
    model: &Model,
    all: &'a [Association<'a>],
    release: &Release,
) -> Vec<&'a Association<'a>> {
    let may_be = |it: &&Association<'_>| {
        let Some(root) = model.terraform.roots.get(it.root) else { return false };
        let own = release.scope.root == Some(it.root);
        let shared = model.controllers_of_root(it.root).is_empty()
            && !are_apart(&root.folder, &release.scope.folder);
        let scope = Scope::new(Some(it.root), &root.folder);
        let cluster = || cluster_name(model, (&scope, root), it.object.body.get("cluster_name"));
        (own || shared) && !names_other(release, cluster())
    };
    all.iter().filter(may_be).collect()
}

/// Whether it makes the controller's role.
fn makes_role(maker: &RoleMaker<'_>) -> Option<bool> {
    maker.decides(maker.maker.controller_role(maker.version.as_ref()), "")
}

/// Whether it makes a pod identity association.
fn associates(maker: &RoleMaker<'_>) -> Option<bool> {
    let association = maker.maker.association(maker.version.as_ref());
    let parts = [
        makes_role(maker),
        truth(maker.input("enable_pod_identity"), true),
        maker.decides(association, ""),
    ];
    all(parts)
}

/// That nothing gives the role to a release whose values do not name it.
fn gives_nothing(maker: &RoleMaker<'_>, release: &Release) -> Option<(Span, RoleMismatch)> {
    let created = truth(release.values.at("serviceAccount.create"), true)?;
    let complete = !maker.root.reusable && !release.reusable && created && makes_role(maker)?;
    complete.then(|| (maker.report_span(), no_association(maker)))
}

/// Whether the role trusts tokens of service accounts.
fn trusts_tokens(maker: &RoleMaker<'_>) -> Option<bool> {
    let more =
        ["iam_role_source_assume_policy_documents", "iam_role_override_assume_policy_documents"];
    if !more.iter().all(|it| maker.input(it).is_missing()) {
        return None;
    }
    makes_role(maker).filter(|it| *it)?;
    maker.decides(maker.maker.web_identity(maker.version.as_ref()), "")
}

/// The accounts whose tokens the role trusts.
fn token_accounts(maker: &RoleMaker<'_>) -> Option<Vec<(Account, Span)>> {
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
fn associated(maker: &RoleMaker<'_>) -> Option<(Account, Span)> {
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

fn no_association(maker: &RoleMaker<'_>) -> RoleMismatch {
    let association = match maker.maker.association(maker.version.as_ref()) {
        Some(ModuleSwitch::Input { name, .. }) => Some(name),
        _ => None,
    };
    RoleMismatch::Nothing { module: maker.title(), association }
}

/// The pod identity associations of a root: resources, and modules that may make some.
fn associations_of(index: usize, root: &Root) -> impl Iterator<Item = Association<'_>> {
    let resources = root.of(Mode::Resource, "aws_eks_pod_identity_association");
    let resources = resources.filter(|it| !it.disabled).map(move |object| {
        let text = |key: &str| object.body.get(key).present().and_then(Value::as_str);
        let account = Account {
            namespace: text("namespace").map(str::to_owned),
            name: text("service_account").map(str::to_owned),
        };
        let span = object.body.get("namespace").present().map_or(object.header, |it| it.span);
        Association { account, span, root: index, object }
    });
    let modules = root.of(Mode::Module, "module").filter(|it| {
        let source = it.body.get("source").present().and_then(Value::as_str).unwrap_or_default();
        let karpenter = |text: &str| text.contains("karpenter");
        source.contains("pod-identity")
            && !ModuleSource::of(it).is_local()
            && (karpenter(&it.name) || any_text(&it.body, &karpenter))
    });
    let unknown = Account { namespace: None, name: None };
    resources.chain(modules.map(move |object| Association {
        account: unknown.clone(),
        span: object.header,
        root: index,
        object,
    }))
}

/// The accounts that a module of `terraform-aws-modules/iam` makes a role for.
fn accounts_of_iam_module(call: &BlockInstance) -> Option<Vec<(Account, Span)>> {
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
fn accounts_of_role(root: &Root, role: &BlockInstance) -> Option<Vec<(Account, Span)>> {
    let policy = role.body.get("assume_role_policy").present()?;
    let Some(text) = expression(policy) else { return trusted(policy) };
    let name = text.strip_prefix("data.aws_iam_policy_document.")?;
    let document = one_named(root, Mode::Data, "aws_iam_policy_document", name)?;
    let more = ["source_policy_documents", "override_policy_documents"];
    more.iter().all(|it| document.body.get(it).is_missing()).then_some(())?;
    let statements = document.body.get("statement").present()?;
    // A statement for others, like pods with an identity, may let the account in another way.
    let plain = |it: &Value| any_text(it, &|text| text.contains("AssumeRoleWithWebIdentity"));
    let all = statements.as_list().filter(|it| it.rest.is_none())?;
    all.items.iter().all(plain).then(|| trusted(statements))?
}

/// The accounts of a list; `None` where one of them is not known at all.
fn accounts_of_list(value: &Value) -> Option<Vec<(Account, Span)>> {
    let list = value.as_list().filter(|it| it.rest.is_none() && !it.items.is_empty())?;
    let account = |it: &Value| {
        let account = Account::read(it);
        (account.namespace.is_some() || account.name.is_some()).then_some((account, it.span))
    };
    list.items.iter().map(account).collect()
}

/// The one block of a root that a reference names; `None` where several modules have one of that name.
fn one_named<'r>(
    root: &'r Root,
    mode: Mode,
    kind: &str,
    reference: &str,
) -> Option<&'r BlockInstance> {
    let name = reference.split(['.', '[']).next()?;
    let mut named =
        root.objects.iter().filter(|it| it.mode == mode && &*it.kind == kind && &*it.name == name);
    let first = named.next()?;
    named.all(|it| it.header == first.header).then_some(first)
}

/// The expression of a value that only an apply knows, if it is nothing else.
fn expression(value: &Value) -> Option<&str> {
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
