//! Roles whose names end in something that Terraform generates, beside that of the module `karpenter`.

use crate::{
    model::{Model, role_maker::truth},
    resolve::terraform::{
        module_source::ModuleSource,
        object::{BlockInstance, Mode},
    },
    source::Span,
    value::{Entry, Field, Value},
};

/// How many digits of a time Terraform writes, and how many of a number behind it.
const DIGITS: (usize, usize) = (18, 8);

/// What is in front of what Terraform generated, if a name ends like that: the time in digits, and a number of
/// base 16 (`helper/id` of its plugin SDK), or as many random digits of base 16, which the provider takes from 6.52.0
/// on (<https://github.com/hashicorp/terraform-provider-aws/blob/main/CHANGELOG.md>, #47995).
pub(super) fn before_suffix(name: &str) -> Option<&str> {
    let at = name.len().checked_sub(DIGITS.0 + DIGITS.1)?;
    let (before, suffix) = (name.get(..at)?, name.get(at..)?);
    let time = suffix.get(..DIGITS.0)?;
    let is_time = time.starts_with("20") && time.bytes().all(|it| it.is_ascii_digit());
    let is_digit = |it: u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
    let is_number = suffix.bytes().all(is_digit);
    // A longer number is the hash of something.
    let is_whole = !before.bytes().next_back().is_some_and(is_digit);
    let is_mixed = || {
        let letters = suffix.bytes().filter(u8::is_ascii_alphabetic).count();
        is_whole && (1..suffix.len()).contains(&letters)
    };
    (is_number && (is_time || is_mixed()) && !before.is_empty()).then_some(before)
}

/// What makes a role with a generated suffix behind that name, if nothing makes one of that very name.
pub(super) fn maker(model: &Model, name: &str) -> Option<Span> {
    let name = name.trim_end_matches('-');
    let mut found = None;
    for root in &model.terraform.roots {
        let groups = root.of(Mode::Module, "module").filter(|it| !it.entered).flat_map(groups);
        let roles = root.of(Mode::Resource, "aws_iam_role").filter_map(prefixed);
        for role in groups.chain(roles).filter(|it| it.name.trim_end_matches('-') == name) {
            if !role.is_generated {
                return None;
            }
            found = found.or(Some(role.place));
        }
    }
    found
}

/// What makes an instance profile with a generated suffix behind that name.
pub(super) fn profile_maker(model: &Model, name: &str) -> Option<Span> {
    let name = name.trim_end_matches('-');
    let profiles = model
        .terraform
        .roots
        .iter()
        .flat_map(|it| it.of(Mode::Resource, "aws_iam_instance_profile"));
    let mut made = profiles.filter_map(prefixed);
    made.find(|it| it.name.trim_end_matches('-') == name).map(|it| it.place)
}

/// A role that something makes.
struct NamedRole {
    name: String,
    /// Whether a suffix is surely generated behind the name.
    is_generated: bool,
    place: Span,
}

/// A role of the repository's own with a prefix.
fn prefixed(role: &BlockInstance) -> Option<NamedRole> {
    let prefix = role.body.get("name_prefix").present()?.as_str()?;
    Some(NamedRole { name: prefix.to_owned(), is_generated: true, place: role.header })
}

/// The roles of the managed node groups that a call of the EKS module makes (`modules/eks-managed-node-group/main.tf`,
/// v18 to v21: `name` and `-eks-node-group`, unless it has a name of its own).
fn groups(call: &BlockInstance) -> Vec<NamedRole> {
    let source = ModuleSource::of(call);
    if source.is(ModuleSource::EKS_MANAGED_NODE_GROUP) {
        let name = call.body.get("name").present().and_then(Value::as_str);
        return name.and_then(|it| group(it, &call.body, call.header)).into_iter().collect();
    }
    // What is given to all groups may name their roles.
    let defaults = call.body.get("eks_managed_node_group_defaults");
    let is_plain = match defaults {
        Field::Missing => true,
        Field::Present(all) => INPUTS.iter().all(|it| all.get(it).is_missing()),
        Field::Unknown => false,
    };
    if !source.is(ModuleSource::EKS) || !is_plain {
        return Vec::new();
    }
    let groups = call.body.get("eks_managed_node_groups").present();
    let of_entry = |it: &Entry| {
        let name = match it.value.get("name") {
            Field::Missing => Some(&*it.key),
            field => field.present().and_then(Value::as_str),
        };
        group(name?, &it.value, it.key_span)
    };
    groups.map_or(&[][..], Value::entries).iter().filter_map(of_entry).collect()
}

/// The inputs that say how the role of a group is named, and whether it is made.
const INPUTS: [&str; 4] = ["name", "iam_role_name", "iam_role_use_name_prefix", "create_iam_role"];

fn group(name: &str, inputs: &Value, place: Span) -> Option<NamedRole> {
    let name = match inputs.get("iam_role_name") {
        Field::Missing => format!("{name}-eks-node-group"),
        field => field.present()?.as_str()?.to_owned(),
    };
    let makes = truth(inputs.get("create_iam_role"), true)?;
    let prefix = truth(inputs.get("iam_role_use_name_prefix"), true);
    makes.then(|| NamedRole { name, is_generated: prefix == Some(true), place })
}

#[cfg(test)]
mod tests {
    use super::before_suffix;

    #[test]
    fn a_generated_suffix_is_a_time_and_a_number_or_random() {
        for (name, wanted) in [
            ("Karpenter-shop-20260121200907518800000011", Some("Karpenter-shop-")),
            ("workers-eks-node-group-2024011205301234560000000a", Some("workers-eks-node-group-")),
            ("Karpenter-shop-2024", None),
            ("Karpenter-shop-99990121200907518800000011", None),
            ("20260121200907518800000011", None),
            ("Karpenter-shop-0b4c1e52a9f84d37b6c1d02e9a", Some("Karpenter-shop-")),
            ("Karpenter-shop-0b4c1e52a9f84d37b6c1d02e9a77f0c1", None),
            ("Karpenter-shop-0b4c1e52a9f84d37b6c1d02e9", None),
            ("Karpenter-shop-0B4C1E52A9F84D37B6C1D02E9A", None),
        ] {
            assert_eq!(before_suffix(name), wanted, "{name}");
        }
    }
}
