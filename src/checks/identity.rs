//! The IAM roles of Karpenter's controller and of its nodes: who gets them, and what they allow.

pub(crate) mod account;
pub(crate) mod association;
pub(crate) mod endpoint_rights;
mod generated_role;
pub(crate) mod maker_role;
pub(crate) mod mismatch;
mod named_role;
mod needed;
mod never_met;
mod node_permissions;
pub(crate) mod node_role;
pub(crate) mod own_policy;
pub(crate) mod permissions;
pub(crate) mod policy;
pub(crate) mod powerless;
pub(crate) mod queue_rights;
mod statements;
mod tag_condition;
mod taken_role;
pub(crate) mod trust;
mod trust_policy;

use crate::value::{Kind, Value};

/// What the checks read of roles.
pub(crate) const ROLE: (&str, &[&str]) = (
    "aws_iam_role",
    &["name", "name_prefix", "assume_role_policy", "inline_policy", "managed_policy_arns"],
);

/// Whether some text in a value is one wanted; what is not known may be.
fn any_text(value: &Value, wanted: &dyn Fn(&str) -> bool) -> bool {
    match &value.kind {
        Kind::String(text) => {
            let encoded = text.encodes.as_ref();
            wanted(&text.text) || encoded.is_some_and(|it| any_text(it, wanted))
        }
        Kind::List(list) => list.items.iter().any(|it| any_text(it, wanted)),
        Kind::Map(map) => {
            map.entries.iter().any(|it| wanted(&it.key) || any_text(&it.value, wanted))
        }
        _ => false,
    }
}
