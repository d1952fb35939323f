//! What the nodes of a group do when they start, beyond what EKS has them do.

use crate::value::{Field, Kind, Value};

/// Where the EKS module takes what the nodes of a group do when they start.
pub(super) const MODULE: &[&str] = &[
    "bootstrap_extra_args",
    "pre_bootstrap_user_data",
    "post_bootstrap_user_data",
    "cloudinit_pre_nodeadm",
    "cloudinit_post_nodeadm",
    "user_data_template_path",
    "launch_template_id",
];
/// Where the module takes images of one's own, and what else may change what a node keeps for itself.
pub(super) const OWN_IMAGE: &[&str] =
    &["ami_id", "ami_type", "enable_bootstrap_user_data", "create_launch_template"];
/// Where eksctl takes it.
pub(super) const EKSCTL: &[&str] =
    &["preBootstrapCommands", "overrideBootstrapCommand", "kubeletExtraConfig", "launchTemplate"];

/// Where eksctl takes images of one's own, and what else may change what a node keeps for itself.
pub(super) const EKSCTL_IMAGE: &[&str] = &["ami", "amiFamily", "maxPodsPerNode"];

/// Whether the start-up configuration of a group's nodes may do something: it has the word in it, or is
/// not known, or is a launch template.
pub(super) fn mentions(group: Option<&Value>, keys: &[&str], word: &str) -> bool {
    let Some(group) = group else { return false };
    let template = |key: &str| key.starts_with("launch") && !group.get(key).is_missing();
    let mut keys = keys.iter();
    group.is_unknown() || keys.any(|key| template(key) || has_word(group.get(key), word, 0))
}

/// Whether one of these is written, or may be.
pub(super) fn is_special(group: &Value, keys: &[&[&str]]) -> bool {
    let usual = |it: Field<'_>| {
        let name = it.present().and_then(Value::as_str);
        name.is_some_and(|it| it.starts_with("AL2") || it.starts_with("BOTTLEROCKET"))
    };
    let of_eks = |key: &str| key == "ami_type" && usual(group.get(key));
    keys.concat().into_iter().any(|key| !group.get(key).is_missing() && !of_eks(key))
}

fn has_word(field: Field<'_>, word: &str, depth: usize) -> bool {
    let Field::Present(value) = field else { return matches!(field, Field::Unknown) };
    let inside = |it: &Value| has_word(Field::Present(it), word, depth + 1);
    match &value.kind {
        Kind::String(text) => text.text.contains(word),
        Kind::Unknown(_) => true,
        _ if depth > 4 => true,
        Kind::List(list) => list.items.iter().any(inside),
        Kind::Map(map) => {
            map.entries.iter().any(|it| it.key.to_lowercase().contains(word) || inside(&it.value))
        }
        _ => false,
    }
}
