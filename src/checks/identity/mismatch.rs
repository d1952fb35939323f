//! Controllers that get no credentials, because the role made for them is for another service account.

use crate::{
    checks::{
        identity::{
            account::{Account, empty_role, role_of_release},
            any_text,
            maker_role::{
                accounts_of_role_of_today, all_token_accounts, associated, associates, makes_role,
                makes_role_named, switch_for_tokens,
            },
            named_role::{self, knows_no_role},
            node_permissions::of_nodes,
            trust::{
                accounts_of_iam_module, accounts_of_role, expression, is_for_instances, one_named,
            },
            trust_policy::{refuses_pods, refuses_tokens},
        },
        unread::unread_or_of_callers,
        varying::is_namespace_varying,
    },
    findings::silence::Silence,
    knowledge::identity::{Ability, switch::ModuleSwitch},
    model::{
        Model,
        environment::are_apart,
        role_maker::{RoleMaker, RoleMakers, cluster_name, names_other, truth},
    },
    resolve::{
        release::Release,
        scope::Scope,
        setting::unknown_at,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Field, Value, cause::Cause},
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
    /// The role is for this one with some versions of the module that makes it, and for none with others.
    AtMostFor(Account),
    /// Nothing gives it one.
    Nothing {
        /// The call of the module that makes the role: `module.karpenter`.
        module: String,
        /// The input of that module that makes an association.
        association: Option<&'static str>,
    },
    /// The role trusts no tokens of service accounts, only pod identities. With the input of its module by which it does,
    /// where another one is written that serves nothing else.
    TrustsNoToken(Option<&'static str>),
    /// It trusts instances alone.
    TrustsInstances,
    /// It trusts an identity provider without letting it be taken on by its tokens.
    RefusesTokens,
    /// It does not let EKS Pod Identity make these calls.
    RefusesPods(Vec<&'static str>),
}

/// A pod identity association of some root.
struct Association<'m> {
    account: Account,
    span: Span,
    root: usize,
    object: &'m BlockInstance,
}

/// The controllers for which the repository makes a role, and those whose service account does not get it.
#[must_use]
pub(crate) fn mismatches(model: &Model) -> Vec<(Span, Result<Mismatch<'_>, Silence>)> {
    let makers = RoleMakers::of(model);
    let roots = model.terraform.roots.iter().enumerate();
    let associations: Vec<Association<'_>> =
        roots.flat_map(|(index, root)| associations_of(index, root)).collect();
    // Modules around a release see to its role themselves, unless they have nothing to do with AWS.
    let plain = |it: &&Release| {
        let own = it.code().is_none_or(|code| !it.is_module() || knows_no_role(&code.object));
        own && !it.may_target_other_cluster && !is_namespace_varying(model, it)
    };
    let mut judged = Vec::new();
    for release in model.controllers().filter(plain) {
        let used = Account::of_release(release);
        let fault = fault_of_identity(model, (&makers, &associations), release, &used);
        let Some(fault) = fault else { continue };
        let fault = fault.map(|(span, why)| Mismatch { release, used, span, why });
        judged.push((release.report_span, fault));
    }
    judged
}

/// That the role of its nodes does not give a controller its permissions: pods without an identity of their own have
/// that of their node.
///
/// # Errors
/// Undecided where it does.
fn without_role_of_nodes(model: &Model, release: &Release) -> Result<(), Silence> {
    let root = release.scope.root.and_then(|it| model.terraform.roots.get(it));
    let Some(policy) = root.and_then(|it| of_nodes(it)) else { return Ok(()) };
    let words = "the role of its nodes has the permissions of a controller, and pods may reach it";
    Err(Silence::undecided(Cause::Value, words).at(policy.header, "the policy of the nodes' role"))
}

/// What is wrong with the identity of a controller, and where.
type Fault = (Span, RoleMismatch);

/// An association comes before the role of an annotation, where a service account has both
/// (aws/amazon-eks-pod-identity-webhook `pkg/handler/handler.go`). `None` where nothing seen is a role for the
/// controller.
fn fault_of_identity(
    model: &Model,
    (makers, associations): (&RoleMakers<'_>, &[Association<'_>]),
    release: &Release,
    used: &Account,
) -> Option<Result<Fault, Silence>> {
    let others = associations_for(model, associations, release);
    if let Some(its) = others.iter().find(|it| !it.account.excludes(used)) {
        let refused = refused(model, its).filter(|_| its.account == *used);
        return Some(
            refused.ok_or_else(|| is_for(&its.account, used).at(its.span, "the association")),
        );
    }
    let maker = makers.of_release(release);
    let associated = match maker.map(|it| association_apart(it, used)) {
        Some(Err(silence)) => return Some(Err(silence)),
        Some(Ok(found)) => found,
        None => None,
    };
    if let Some(empty) = empty_role(release) {
        let words = "the role that its service account is annotated with is left empty";
        return Some(Err(Silence::undecided(Cause::Value, words).at(empty, "the annotation")));
    }
    match role_of_release(release) {
        Field::Unknown => {
            let what = "the role that its service account is annotated with";
            Some(Err(unknown_at(what, &release.values, "serviceAccount.annotations")))
        }
        Field::Present(role) => {
            Some(fault_of_role(model, makers, (release, used), role, associated))
        }
        Field::Missing => associated
            .or_else(|| near_miss(model, release, &others, maker))
            .map(Ok)
            .or_else(|| match maker {
                Some(maker) => Some(gives_nothing(model, maker, release)),
                None => not_seen(model, release).map(Err),
            })
            .map(|fault| fault.and_then(|it| without_role_of_nodes(model, release).map(|()| it))),
    }
}

/// That an association or a role is for the account that is used, or may be.
fn is_for(account: &Account, used: &Account) -> Silence {
    if account == used {
        return Silence::sound("a role is given to the service account of the controller");
    }
    unknown("which service account the role is given to")
}

fn unknown(what: &str) -> Silence {
    Silence::undecided(Cause::Value, format!("{what} is not known"))
}

/// The association that a call makes, or may make, for another account than the one that is used.
///
/// # Errors
/// Where it is for that account, or where that is not known.
fn association_apart(maker: &RoleMaker<'_>, used: &Account) -> Result<Option<Fault>, Silence> {
    let is_made = associates(maker);
    if is_made == Some(false) {
        return Ok(None);
    }
    let known =
        associated(maker).ok_or_else(|| unknown("which service account the role is given to"))?;
    match (is_made, known) {
        (Some(_), (account, span)) if account.excludes(used) => {
            Ok(Some((span, RoleMismatch::For(account))))
        }
        (None, (account, span)) if account.excludes(used) => {
            Ok(Some((span, RoleMismatch::AtMostFor(account))))
        }
        (Some(_), (account, span)) => Err(is_for(&account, used).at(span, "the association")),
        (None, _) => Err(unknown("whether the module makes a pod identity association")),
    }
}

/// What is wrong with the role that the values annotate the service account with.
fn fault_of_role(
    model: &Model,
    makers: &RoleMakers<'_>,
    (release, used): (&Release, &Account),
    role: &Value,
    associated: Option<Fault>,
) -> Result<Fault, Silence> {
    let unseen = || {
        let words = "the trust policy of the role that it is annotated with is not seen";
        Silence::undecided(Cause::Value, words).at(role.span, "the role")
    };
    if let Some((root, own)) = release.scope.root.and_then(|it| role_resource(model, it, role)) {
        if is_for_instances(root, own) {
            return Ok(associated.unwrap_or((role.span, RoleMismatch::TrustsInstances)));
        }
        if let Some(place) = refuses_tokens(root, own) {
            return Ok(associated.unwrap_or((place, RoleMismatch::RefusesTokens)));
        }
    }
    let accounts = accounts_of(model, makers, release, role).ok_or_else(unseen)?;
    let Some((first, span)) = accounts.first().cloned() else {
        let switch = makers.of_release(release).and_then(switch_for_tokens);
        return Ok(associated.unwrap_or((role.span, RoleMismatch::TrustsNoToken(switch))));
    };
    match accounts.iter().find(|(it, _)| !it.excludes(used)) {
        Some((account, place)) => Err(is_for(account, used).at(*place, "the role is for it")),
        None => Ok((span, RoleMismatch::For(first))),
    }
}

/// The resource of a root that makes the role which a value refers to.
fn role_resource<'m>(
    model: &'m Model,
    root: usize,
    role: &Value,
) -> Option<(&'m Root, &'m BlockInstance)> {
    let root = model.terraform.roots.get(root)?;
    let name = expression(role)?.strip_prefix("aws_iam_role.")?;
    Some((root, one_named(root, Mode::Resource, "aws_iam_role", name)?))
}

/// What the role of an association does not let EKS Pod Identity do.
fn refused(model: &Model, association: &Association<'_>) -> Option<Fault> {
    let role = association.object.body.get("role_arn").present()?;
    let (root, role) = role_resource(model, association.root, role)?;
    let tags = association.object.body.get("disable_session_tags").is_missing();
    let (place, calls) = refuses_pods(root, role, tags)?;
    Some((place, RoleMismatch::RefusesPods(calls)))
}

/// The accounts whose tokens the role of a release trusts; `None` where that is not known.
fn accounts_of(
    model: &Model,
    makers: &RoleMakers<'_>,
    release: &Release,
    role: &Value,
) -> Option<Vec<(Account, Span)>> {
    let Some(text) = expression(role) else {
        let name = named_role::name_of_arn(role)?;
        let is_its = |it: &&RoleMaker<'_>| makes_role_named(it, name);
        return match makers.of_release(release).filter(is_its) {
            Some(maker) => accounts_of_role_of_today(maker),
            None => named_role::accounts(model, release, name),
        };
    };
    let root = model.terraform.roots.get(release.scope.root?)?;
    let accounts = if let Some(rest) = text.strip_prefix("module.") {
        let call = one_named(root, Mode::Module, "module", rest)?;
        let maker = makers.list.iter().find(|it| it.object.header == call.header);
        match maker {
            Some(maker) if maker.gives(text, &["irsa_arn", "iam_role_arn"]) => {
                all_token_accounts(root, maker)?
            }
            Some(_) => return None,
            None => accounts_of_iam_module(call)?,
        }
    } else {
        let name = text.strip_prefix("aws_iam_role.")?;
        accounts_of_role(root, one_named(root, Mode::Resource, "aws_iam_role", name)?)?
    };
    Some(accounts)
}

/// The association of the same root that is for Karpenter, by its name or role, and names another account.
fn near_miss(
    model: &Model,
    release: &Release,
    all: &[&Association<'_>],
    maker: Option<&RoleMaker<'_>>,
) -> Option<Fault> {
    let root = release.scope.root?;
    model.count_controllers(root).eq(&1).then_some(())?;
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
        let shared = model.count_controllers(it.root) == 0
            && !are_apart(&root.folder, &release.scope.folder);
        let scope = Scope::new(Some(it.root), &root.folder);
        let cluster = || cluster_name(model, (&scope, root), it.object.body.get("cluster_name"));
        (own || shared) && !names_other(release, cluster())
    };
    all.iter().filter(may_be).collect()
}

/// That a module for Karpenter that is not here may give a release its role; `None` where its root module calls none.
fn not_seen(model: &Model, release: &Release) -> Option<Silence> {
    let root = model.terraform.roots.get(release.scope.root?)?;
    let is_for_it = |it: &&BlockInstance| {
        let source = ModuleSource::of(it);
        let is_named = it.name.contains("karpenter") || source.text().contains("karpenter");
        !it.entered && !source.is_local() && is_named
    };
    let call = root.of(Mode::Module, "module").find(is_for_it)?;
    let words = "whether a module that is not here gives its service account a role is not seen";
    Some(Silence::undecided(Cause::Value, words).at(call.header, "the module"))
}

/// That nothing gives the role to a release whose values do not name it.
fn gives_nothing(
    model: &Model,
    maker: &RoleMaker<'_>,
    release: &Release,
) -> Result<Fault, Silence> {
    let is_made = makes_role(maker);
    if !is_made.ok_or_else(|| unknown("whether the module makes the role of the controller"))? {
        return Err(Silence::sound("the module makes no role for the controller"));
    }
    let created = truth(release.values.at("serviceAccount.create"), true);
    if !created.ok_or_else(|| unknown("`serviceAccount.create`"))? {
        return Err(unknown("what makes the service account of the controller"));
    }
    if maker.root.reusable || release.reusable {
        let words = "callers of the module may give the service account its role";
        return Err(unread_or_of_callers(model, release, words));
    }
    Ok((maker.report_span(), no_association(maker)))
}

fn no_association(maker: &RoleMaker<'_>) -> RoleMismatch {
    let association = match maker.maker.makes(Ability::Association, maker.version.as_ref()) {
        Some(ModuleSwitch::Input { name, .. }) => Some(name),
        _ => None,
    };
    RoleMismatch::Nothing { module: maker.title(), association }
}

/// The pod identity associations of a root: resources, and modules that may make some.
fn associations_of(index: usize, root: &Root) -> impl Iterator<Item = Association<'_>> {
    let resources = root.of(Mode::Resource, "aws_eks_pod_identity_association");
    let resources = resources.map(move |object| {
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
