//! Controllers that may do nothing: no policy of their role lets them launch a node, or it has no policy at all.
//!
//! Judged is only a role that is made beside the release that takes it on, and to which nothing else is seen to attach
//! a policy: a module that gets its name, a role whose name is not known, another root.

use crate::{
    checks::identity::{
        any_text,
        own_policy::{attached, is_role},
        statements::{LAUNCHES, Policy},
        taken_role::{role_of, takes_another},
        trust::{expression, one_named},
    },
    model::Model,
    resolve::{
        release::Release,
        terraform::{
            object::{BlockInstance, Mode},
            root::Root,
        },
    },
    value::{Field, Kind, Symbol, Value},
};

/// The blocks that put policies on roles.
const ATTACHING: [&str; 5] = [
    "aws_iam_role_policy",
    "aws_iam_role_policy_attachment",
    "aws_iam_policy_attachment",
    "aws_iam_role_policies_exclusive",
    "aws_iam_role_policy_attachments_exclusive",
];

/// What takes a role on, and attaches nothing to it.
const USING: [&str; 7] = [
    "helm_release",
    "kubectl_manifest",
    "kubernetes_manifest",
    "kubernetes_service_account",
    "kubernetes_service_account_v1",
    "aws_eks_pod_identity_association",
    "aws_eks_access_entry",
];

/// A controller that may do nothing.
#[derive(Debug)]
pub(crate) struct Powerless<'m> {
    /// Its release.
    pub release: &'m Release,
    /// The role.
    pub role: &'m BlockInstance,
    /// The root with both.
    pub root: usize,
    /// A block of a policy that the role has for something else.
    pub other: Option<&'m BlockInstance>,
}

/// The controllers whose roles let them launch nothing.
#[must_use]
pub(crate) fn powerless(model: &Model) -> Vec<Powerless<'_>> {
    model.controllers().filter_map(|it| judge(model, it)).collect()
}

fn judge<'m>(model: &'m Model, release: &'m Release) -> Option<Powerless<'m>> {
    let index = release.scope.root.filter(|_| !release.reusable)?;
    let root = model.terraform.roots.get(index).filter(|it| !it.reusable && !it.incomplete)?;
    let role = role_of(root, index, release).filter(|it| it.foreign.is_none())?;
    let policies = attached(root, role);
    if policies.iter().any(may_launch) || takes_another(release) || !is_all_seen(model, root, role)
    {
        return None;
    }
    Some(Powerless { release, role, root: index, other: policies.first().map(|it| it.block) })
}

fn may_launch(policy: &Policy<'_>) -> bool {
    LAUNCHES.iter().any(|it| policy.may_allow(it))
}

/// Whether every block that may put a policy on a role is surely about another one, besides those that name it.
fn is_all_seen(model: &Model, root: &Root, role: &BlockInstance) -> bool {
    let own =
        root.objects.iter().all(|it| std::ptr::eq(it, role) || is_about_another(root, it, role));
    let are_others = |it: &Root| {
        let mut blocks = ATTACHING.iter().flat_map(|kind| it.of(Mode::Resource, kind));
        std::ptr::eq(it, root) || blocks.all(|block| names_another_role(it, block, role))
    };
    own && model.terraform.roots.iter().all(|it| are_others(it))
}

/// Whether a block of the role's root attaches nothing to it that is not seen.
fn is_about_another(root: &Root, block: &BlockInstance, role: &BlockInstance) -> bool {
    if block.mode == Mode::Resource && ATTACHING.contains(&&*block.kind) {
        return names_role(block, &|it| is_role(it, role)) || names_another_role(root, block, role);
    }
    let uses = block.mode == Mode::Resource && USING.contains(&&*block.kind);
    let name = role.body.get("name").present().and_then(Value::as_str);
    let is_named = |it: &str| name.is_some_and(|name| has_word(it, name));
    uses || !any_symbol(&block.body, &|it| is_reference(&it.text, role))
        && !any_text(&block.body, &is_named)
}

/// Whether the role that a block attaches something to is surely another one: one that the block's root makes, or a
/// module.
fn names_another_role(root: &Root, block: &BlockInstance, role: &BlockInstance) -> bool {
    let name = role.body.get("name").present().and_then(Value::as_str);
    let is_other = |it: &Value| match it.as_str() {
        Some(text) => name.is_some_and(|name| name != text),
        None => expression(it).is_some_and(|it| {
            let made = it.strip_prefix("aws_iam_role.");
            let own = made.and_then(|it| one_named(root, Mode::Resource, "aws_iam_role", it));
            own.is_some_and(|it| it.node != role.node) || it.starts_with("module.")
        }),
    };
    names_role(block, &is_other)
}

/// Whether all that a block says of its roles is so.
fn names_role(block: &BlockInstance, is: &dyn Fn(&Value) -> bool) -> bool {
    let fields = ["role", "roles", "role_name"].map(|it| block.body.get(it));
    let known = fields.iter().all(|it| !it.is_unknown());
    let mut named = fields.into_iter().filter_map(Field::present).peekable();
    let all = |it: &Value| match it.as_list() {
        Some(list) => list.rest.is_none() && list.items.iter().all(is),
        None => is(it),
    };
    known && named.peek().is_some() && named.all(all)
}

/// Whether an expression has a reference to a role in it.
fn is_reference(expression: &str, role: &BlockInstance) -> bool {
    has_word(expression, &format!("aws_iam_role.{}", role.name))
}

/// Whether a text has a word, and no longer one that begins or ends with it.
fn has_word(text: &str, word: &str) -> bool {
    let goes_on = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let mut found = text.match_indices(word);
    found.any(|(at, _)| {
        !text[..at].ends_with(goes_on) && !text[at + word.len()..].starts_with(goes_on)
    })
}

/// Whether something unknown in a value is so.
fn any_symbol(value: &Value, is: &dyn Fn(&Symbol) -> bool) -> bool {
    match &value.kind {
        Kind::Unknown(symbol) => is(symbol),
        Kind::String(text) => {
            text.holes.iter().any(is) || text.encodes.as_ref().is_some_and(|it| any_symbol(it, is))
        }
        Kind::List(list) => {
            list.rest.as_ref().is_some_and(is) || list.items.iter().any(|it| any_symbol(it, is))
        }
        Kind::Map(map) => {
            map.rest.as_ref().is_some_and(is)
                || map.entries.iter().any(|it| any_symbol(&it.value, is))
        }
        _ => false,
    }
}
