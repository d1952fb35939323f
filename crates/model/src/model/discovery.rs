//! Tags by which Karpenter finds subnets and security groups: who writes them, and who asks for them.

pub mod scripts;
pub mod tags;

use crate::{
    model::node_pool::class::NodeClass,
    value::{Field, Value},
};

/// The kinds of Terraform resources that are, tag or look up subnets and security groups.
pub const KINDS: &[&str] = &[
    "aws_subnet",
    "aws_subnets",
    "aws_subnet_ids",
    "aws_security_groups",
    "aws_default_subnet",
    "aws_security_group",
    "aws_default_security_group",
    "aws_ec2_tag",
];

/// The key that Karpenter's documentation proposes.
pub const DISCOVERY: &str = "karpenter.sh/discovery";

/// What a class selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The subnets of its nodes.
    Subnets,
    /// Their security groups.
    SecurityGroups,
}

impl Role {
    /// Where a class has the terms.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Subnets => "spec.subnetSelectorTerms",
            Self::SecurityGroups => "spec.securityGroupSelectorTerms",
        }
    }
}

impl NodeClass {
    /// The terms by which it selects, if all of them are seen.
    #[must_use]
    pub fn terms(&self, role: Role) -> Option<&[Value]> {
        let list = self.object.at(role.path()).present()?.as_list()?;
        (list.rest.is_none() && !self.is_in_doubt).then_some(&list.items)
    }
}

/// The only tag by which a term selects.
#[must_use]
pub fn only_tag(term: &Value) -> Option<(&str, &Value)> {
    let Field::Present(tags) = term.get("tags") else { return None };
    let (term, tags) = (term.as_map()?, tags.as_map()?);
    let alone = term.rest.is_none() && term.entries.iter().all(|it| &*it.key == "tags");
    match tags.entries.as_slice() {
        [only] if alone && tags.rest.is_none() => Some((&only.key, &only.value)),
        _ => None,
    }
}
