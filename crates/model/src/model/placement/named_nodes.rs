//! Pods that ask for nodes of certain names: somebody made those nodes, and named them.

use crate::{
    model::node_label::HOSTNAME,
    resolve::pod::{
        placement::{Affinity, Placement},
        selector::{LabelOperator, Requirement, Selector},
    },
    source::Span,
};

/// What the names of nodes begin with that EC2 names, as it does those of Karpenter.
/// <https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-naming.html>
const OF_EC2: [&str; 2] = ["ip-", "i-"];
/// Words of names that somebody is to replace.
const TO_BE_REPLACED: &[&str] = &["your", "my", "change", "replace", "name", "hostname", "xxx"];

/// That pods ask for nodes of certain names.
#[derive(Clone, Copy, Debug)]
pub struct NamedNodes {
    /// Where they do.
    pub span: Span,
    /// Whether somebody gave all of the nodes these names: Karpenter makes none that is called so.
    pub are_given: bool,
}

/// The nodes that pods ask for by name; `None` where they may go to others.
#[must_use]
pub fn named_nodes(placement: &Placement) -> Option<NamedNodes> {
    let by_affinity = || match placement.affinity() {
        Affinity::OneOf(terms) => {
            let each: Option<Vec<NamedNodes>> =
                terms.iter().map(|it| asked_in(&it.expressions)).collect();
            let each = each?;
            let are_given = each.iter().all(|it| it.are_given);
            Some(NamedNodes { span: each.first()?.span, are_given })
        }
        Affinity::Anywhere | Affinity::Unknown => None,
    };
    asked_in(placement.selector()).or_else(by_affinity)
}

fn asked_in(selector: &Selector) -> Option<NamedNodes> {
    let asked = |it: &Requirement| match &it.operator {
        LabelOperator::In(names) if it.key == HOSTNAME && !names.is_empty() => {
            let are_given = names.iter().all(|it| it.as_deref().is_some_and(is_given));
            Some(NamedNodes { span: it.span, are_given })
        }
        _ => None,
    };
    selector.requirements().iter().find_map(asked)
}

/// Whether somebody gave a node this name: EC2 did not, and it stands for no other one.
fn is_given(name: &str) -> bool {
    let is_host = |it: char| matches!(it, 'a'..='z' | '0'..='9' | '-' | '.');
    !OF_EC2.iter().any(|it| name.starts_with(it))
        && !name.is_empty()
        && name.chars().all(is_host)
        && !name.split(['-', '.']).any(|it| TO_BE_REPLACED.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::is_given;

    #[test]
    fn names_that_somebody_gave_are_told_from_those_of_ec2() {
        for (name, wanted) in [
            ("node2", true),
            ("rack-1.example.org", true),
            ("ip-10-0-1-7.eu-west-1.compute.internal", false),
            ("i-0123456789abcdef0", false),
            ("your-node", false),
            ("node-name", false),
            ("NODE", false),
            ("<node>", false),
            ("", false),
        ] {
            assert_eq!(is_given(name), wanted, "{name}");
        }
    }
}
