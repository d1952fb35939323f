//! Policies of the controller that are written by hand, and what they do not allow although its version needs it.
//!
//! Judged is only a role, also one that a module for roles of service accounts makes, whose policies are all seen and
//! literal, and which is surely the controller's: a release beside it takes it on and it may launch something, or it may
//! launch fleets, run instances and pass a role, and it or its policy is named after Karpenter.

use crate::{
    checks::identity::{
        account::Account,
        needed::needs_it,
        policy::{Denied, PolicySource, Unmet},
        statements::{self, Policy, managed, matches, of_arn, written},
        tag_condition::{asks_for_nothing, asks_for_wrong_tag},
        taken_role::{role_of, takes_another},
        trust::{accounts_of_iam_module, accounts_of_role, expression, is_beside, unknown_in},
    },
    findings::silence::Silence,
    knowledge::identity::{
        need::{Need, each_once},
        needs,
    },
    model::Model,
    resolve::{
        scope::Scope,
        terraform::{
            module_source::ModuleSource,
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    source::Span,
    value::{Kind, Value, cause::Cause},
};

/// The roles of controllers with policies written by hand that do not allow everything the controller needs.
#[must_use]
pub(super) fn policies(model: &Model) -> Vec<(Span, Result<Denied<'_>, Silence>)> {
    let mut judged = Vec::new();
    for (index, root) in model.terraform.roots.iter().enumerate().filter(|(_, it)| !it.reusable) {
        if !has_one_for_karpenter(root) {
            continue;
        }
        let taken = taken_roles(model, index, root);
        let roles = root.of(Mode::Resource, "aws_iam_role").chain(root.of(Mode::Module, "module"));
        for role in roles {
            let policies = attached(root, role);
            let is_taken = taken.contains(&&*role.address);
            let is_its = |it: &&Policy<'_>| it.is_of_karpenter(role) || is_taken && it.launches();
            let of_aws = |it: &&Policy<'_>| is_taken && it.is_broad_one_of_aws();
            let main = policies.iter().find(is_its).or_else(|| policies.iter().find(of_aws));
            let Some(main) = main else { continue };
            judged.push((
                main.block.header,
                denied_by(model, (index, root), (role, main), &policies),
            ));
        }
    }
    judged
}

/// Whether a policy of a root is, or may be, one for Karpenter: in most roots none is, and whose they are need not be
/// asked.
fn has_one_for_karpenter(root: &Root) -> bool {
    let kinds = ["aws_iam_role_policy", "aws_iam_policy"];
    let mut written = kinds.into_iter().flat_map(|it| root.of(Mode::Resource, it));
    let mut attachments = root.of(Mode::Resource, "aws_iam_role_policy_attachment");
    let is_broad = |it: &BlockInstance| {
        let policy = managed(root, it, it.body.get("policy_arn").present());
        policy.is_some_and(|it| it.is_broad_one_of_aws())
    };
    written.any(|it| statements::written(root, it).launches()) || attachments.any(is_broad)
}

/// The roles that controllers of a root take on, and with them no other.
fn taken_roles<'r>(model: &'r Model, index: usize, root: &'r Root) -> Vec<&'r str> {
    let own = model.controllers().filter(|it| it.scope.root == Some(index) && !takes_another(it));
    own.filter_map(|it| Some(&*role_of(root, index, it)?.address)).collect()
}

fn denied_by<'m>(
    model: &'m Model,
    (index, root): (usize, &Root),
    (role, main): (&BlockInstance, &Policy<'_>),
    all: &[Policy<'_>],
) -> Result<Denied<'m>, Silence> {
    let unseen = || Silence::undecided(Cause::Value, "another policy of its role is not known");
    let actions: Option<Vec<&[&str]>> = all.iter().map(|it| it.actions.as_deref()).collect();
    let actions = actions.ok_or_else(unseen)?.concat();
    let near = model.karpenter_near(&Scope::new(Some(index), &root.folder)).1;
    let release = near.and_then(|it| it.release).and_then(|it| model.releases.get(it));
    let unclear = "no release of the controller is surely the one that has this role";
    let release = release.ok_or(Silence::undecided(Cause::Value, unclear))?;
    let own = Account::of_release(release);
    let accounts = match role.mode {
        Mode::Module => accounts_of_iam_module(role),
        _ => accounts_of_role(root, role),
    };
    if accounts.is_some_and(|it| !it.is_empty() && it.iter().all(|it| it.0.excludes(&own))) {
        let words = "its role trusts another service account than that of the release";
        return Err(Silence::sound(words).at(role.header, "the role"));
    }
    let is_lacking = |need: &&Need| {
        let allowed = actions.iter().any(|it| matches(it, &need.action));
        // Of the tags that conditions let pass, only those are read that Karpenter gave nodes before.
        let denied = match need.wrong_tag {
            Some(_) => allowed && asks_for_wrong_tag(all, need).is_some(),
            None => !allowed && need.tag.is_none(),
        };
        denied && needs_it(model, release, &[release], need)
    };
    let lacking: Vec<&'static Need> = needs().iter().filter(is_lacking).collect();
    if lacking.is_empty() {
        if release.version.known().is_none() {
            let words = "the version of Karpenter is not known";
            return Err(Silence::undecided(Cause::Version, words));
        }
        let words = "its policies allow the actions that differ between versions of Karpenter";
        return Err(Silence::sound(words));
    }
    Ok(Denied {
        release,
        place: main.block.header,
        subject: main.block.subject(index),
        conditions: unmet(all, &lacking),
        misnamed: misnamed(all, &lacking),
        needs: worst_first(each_once(lacking)),
        source: if main.is_broad_one_of_aws() {
            PolicySource::Aws
        } else {
            PolicySource::Own(main.open.map(|(it, key)| (it.clone(), key)))
        },
    })
}

/// The conditions by which policies do not allow what they name, each once.
fn unmet(all: &[Policy<'_>], lacking: &[&'static Need]) -> Vec<(Span, Unmet)> {
    let former = |it: &&'static Need| Some((asks_for_wrong_tag(all, it)?, Unmet::FormerTag(it)));
    let literal = |it: &&Need| Some((asks_for_nothing(all, &it.action)?, Unmet::LiteralStar));
    let mut found: Vec<(Span, Unmet)> = lacking.iter().filter_map(former).collect();
    for (span, unmet) in lacking.iter().filter_map(literal) {
        if !found.iter().any(|it| it.0 == span) {
            found.push((span, unmet));
        }
    }
    found
}

/// Where policies name what is lacking under another service.
fn misnamed(all: &[Policy<'_>], lacking: &[&'static Need]) -> Vec<(Span, String, &'static Need)> {
    let mut found: Vec<(Span, String, &'static Need)> = Vec::new();
    for statements in all.iter().filter_map(|it| it.written) {
        for need in lacking {
            let named = statements.under_another_service(&need.action);
            found.extend(named.into_iter().map(|(span, it)| (span, it.to_owned(), *need)));
        }
    }
    found.sort_by_key(|it| it.0);
    found.dedup_by_key(|it| it.0);
    found
}

/// What stops Karpenter before what costs it something.
fn worst_first(mut lacking: Vec<&'static Need>) -> Vec<&'static Need> {
    lacking.sort_by_key(|it| (it.stops_only.is_some(), it.is_minor, it.wrong_tag.is_none()));
    lacking
}

/// What a controller may need of AWS to remove its nodes and what it made for them.
const REMOVES: [&str; 4] = [
    "ec2:TerminateInstances",
    "ec2:DeleteLaunchTemplate",
    "iam:RemoveRoleFromInstanceProfile",
    "iam:DeleteInstanceProfile",
];

/// What it reads for that.
const READS: [&str; 3] =
    ["ec2:DescribeInstances", "ec2:DescribeLaunchTemplates", "iam:GetInstanceProfile"];

/// Whether a policy that a resource writes for a role, or attaches to it, allows something that a controller needs to
/// clean up; `None` where not all that it allows is known. Those of AWS are for nodes: that they read instances, too, is
/// nothing the controller lives on.
#[must_use]
pub(crate) fn allows_cleanup(root: &Root, block: &BlockInstance) -> Option<bool> {
    let arn = block.body.get("policy_arn").present();
    let of_aws = managed(root, block, arn);
    let reads = if of_aws.is_some() { &[][..] } else { &READS[..] };
    let policy = match arn {
        Some(arn) => of_arn(root, Some(arn)).or(of_aws)?,
        None => written(root, block),
    };
    let actions = policy.actions?;
    let allows = |needed: &&str| actions.iter().any(|it| matches(it, needed));
    Some(REMOVES.iter().chain(reads).any(allows))
}

/// The policies of a role, one that is not seen among them without actions.
pub(super) fn attached<'r>(root: &'r Root, role: &'r BlockInstance) -> Vec<Policy<'r>> {
    let mut found = Vec::new();
    if role.mode == Mode::Module {
        match given_to_module(root, role) {
            Some(given) => found.extend(given),
            None => return Vec::new(),
        }
    }
    found.extend(attached_to(root, &|it| is_role(it, role)));
    let inside = ["inline_policy", "managed_policy_arns"];
    let has = |key: &&str| !role.body.get(key).is_missing();
    found.extend(inside.iter().filter(|it| has(it)).map(|_| Policy::unseen(role)));
    found
}

/// The policies that blocks of a root put on a role, by what they name it with.
pub(super) fn attached_to<'r>(root: &'r Root, is_role: &dyn Fn(&Value) -> bool) -> Vec<Policy<'r>> {
    let is_its = |it: &&BlockInstance| {
        let roles = ["role", "roles"].iter().filter_map(|key| it.body.get(key).present());
        roles.into_iter().any(|it| is_role(it) || it.items().iter().any(is_role))
    };
    let inline = root.of(Mode::Resource, "aws_iam_role_policy").filter(is_its);
    let mut found: Vec<Policy<'_>> = inline.map(|it| written(root, it)).collect();
    let kinds = ["aws_iam_role_policy_attachment", "aws_iam_policy_attachment"];
    for attachment in kinds.into_iter().flat_map(|it| root.of(Mode::Resource, it)).filter(is_its) {
        let policy = attachment.body.get("policy_arn").present();
        let found_behind = of_arn(root, policy).or_else(|| managed(root, attachment, policy));
        found.push(found_behind.unwrap_or(Policy::unseen(attachment)));
    }
    found
}

/// The policies that the call of a module gives the role it makes for a service account; `None` for other modules.
fn given_to_module<'r>(root: &'r Root, call: &'r BlockInstance) -> Option<Vec<Policy<'r>>> {
    let source = ModuleSource::of(call);
    let mut makers = ModuleSource::IRSA.into_iter().chain([ModuleSource::ASSUMABLE_ROLE]);
    makers.any(|it| source.is(it)).then_some(())?;
    let mut found = Vec::new();
    let lists = ["role_policy_arns", "policies"];
    for list in lists.into_iter().map(|it| call.body.get(it)).filter(|it| !it.is_missing()) {
        let arns = list.present().and_then(whole);
        found.extend(arns.is_none().then_some(Policy::unseen(call)));
        let behind = |arn: Option<&Value>| of_arn(root, arn).or_else(|| managed(root, call, arn));
        let given = arns.into_iter().flatten().map(|it| behind(Some(it)));
        found.extend(given.map(|it| it.unwrap_or(Policy::unseen(call))));
    }
    // It has policies of its own, which an input attaches.
    let adds = |key: &str| {
        key.starts_with("attach_")
            || key.contains("inline_policy")
            || key.ends_with("policy_statements")
    };
    let more = call.body.entries().iter().filter(|it| adds(&it.key));
    found.extend(more.filter(|it| it.value.as_flag() != Some(false)).map(|_| Policy::unseen(call)));
    Some(found)
}

/// The values of a map or a list, all of which are seen.
fn whole(value: &Value) -> Option<Vec<&Value>> {
    match &value.kind {
        Kind::Map(map) if map.rest.is_none() => {
            Some(map.entries.iter().map(|it| &it.value).collect())
        }
        Kind::List(list) if list.rest.is_none() => Some(list.items.iter().collect()),
        _ => None,
    }
}

/// Whether a value names a role: by a reference to it or to the module that makes it, or by its name.
pub(super) fn is_role(value: &Value, role: &BlockInstance) -> bool {
    let kind = if role.mode == Mode::Module { "module." } else { "aws_iam_role." };
    // Each of many roles is held against each of many values.
    let own = |it: &'_ str| it.strip_prefix(kind)?.strip_prefix(&*role.name)?.chars().next();
    let refers = |it: &str| own(it).is_some_and(|it| matches!(it, '.' | '['));
    let is_elsewhere =
        || role.mode == Mode::Resource && unknown_in(value).is_some_and(|it| !is_beside(it, role));
    expression(value).is_some_and(refers) && !is_elsewhere()
        || role.body.get("name").present().is_some_and(|it| it.same_as(value) == Some(true))
}
