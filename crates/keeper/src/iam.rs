//! The permissions of the controller: Karpenter's own policy and the EKS module's, against `iam.yaml`.

use std::collections::BTreeMap;

use karplint_core::version::{Version, constraint::Constraint};
use karplint_knowledge::knowledge::identity::{
    allowed_by_all, need::Maker, needs, newest_eks_module, switch::ModuleSwitch,
};

use crate::{ours::Difference, tree::Tree};

const OURS: &str = "iam.yaml";

/// The actions that the data has not, of Karpenter's policy and of the EKS module's.
pub(crate) fn differences(tree: &Tree, release: &Version) -> Vec<Difference> {
    let mut found = Vec::new();
    if let Some((file, text)) = tree.cloud_formation() {
        let theirs = actions(text);
        found.extend(unknown(&theirs, "Karpenter's policy", file));
        for need in needs().iter().filter(|it| it.tag.is_none() && it.range().contains(release)) {
            if !theirs.contains_key(need.action.as_str()) {
                let what = format!("Karpenter's policy is without {}", need.action);
                found.push(Difference::at(OURS, &need.action, what).found(file, 1));
            }
        }
    }
    let module = tree.ending("modules/karpenter/policy.tf");
    if let Some((file, text)) = module.or_else(|| tree.ending("modules/karpenter/main.tf")) {
        let theirs = actions(text);
        found.extend(unknown(&theirs, "the EKS module's policy", file));
        found.extend(of_module(tree, &theirs, file));
    }
    found
}

/// What the module allows, against what the data says of its version.
fn of_module(tree: &Tree, theirs: &BTreeMap<&str, usize>, file: &str) -> Vec<Difference> {
    let version = tree.ending("CHANGELOG.md").and_then(|it| newest_of_changelog(it.1));
    let Some(version) = version else { return Vec::new() };
    let mut found = Vec::new();
    let newest = newest_eks_module();
    if newest.is_some_and(|it| version > *it) {
        let what = format!("`verified` of the EKS module is without {version}");
        found.push(Difference::at(OURS, "verified:", what));
    }
    // A newer version is held against the newest that is known.
    let compared = newest.filter(|it| version > **it).unwrap_or(&version);
    let compared = Constraint::from(compared.clone());
    for need in needs().iter().filter(|it| it.tag.is_none() && it.wrong_tag.is_none()) {
        let ours = need.allowed_by(Maker::EksModule, Some(&compared));
        let allowed = theirs.get(need.action.as_str());
        let differs = match ours {
            Some(ModuleSwitch::Fixed(ours)) => ours != allowed.is_some(),
            Some(ModuleSwitch::Input { .. } | ModuleSwitch::Unless(_)) => allowed.is_none(),
            None => false,
        };
        if differs {
            let word = if allowed.is_some() { "allows" } else { "does not allow" };
            let what = format!("the EKS module {version} {word} {}", need.action);
            let at = Difference::at(OURS, &need.action, what);
            found.push(at.found(file, allowed.copied().unwrap_or(1)));
        }
    }
    found
}

/// The actions of which the data says nothing.
fn unknown(theirs: &BTreeMap<&str, usize>, whose: &str, file: &str) -> Vec<Difference> {
    let known = |action: &str| {
        needs().iter().any(|it| it.action == action) || allowed_by_all().any(|it| it == action)
    };
    let new = theirs.iter().filter(|(action, _)| !known(action));
    new.map(|(action, line)| {
        let what = format!("{whose} allows {action}");
        Difference::at(OURS, "needs:", what).found(file, *line)
    })
    .collect()
}

/// `ec2:RunInstances` and the like, with the line of the first; keys of conditions aside.
fn actions(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("variable") {
            continue;
        }
        for (index, quoted) in line.split('"').enumerate().filter(|(index, _)| index % 2 == 1) {
            let after = line.split('"').nth(index + 1).unwrap_or_default();
            let is_key = after.trim_start().starts_with(':');
            if is_action(quoted) && !is_key {
                found.entry(quoted).or_insert(at + 1);
            }
        }
    }
    found
}

fn is_action(text: &str) -> bool {
    let Some((service, action)) = text.split_once(':') else { return false };
    let is_service = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    !service.is_empty()
        && !["aws", "arn", "kubernetes"].contains(&service)
        && service.chars().all(is_service)
        && action.starts_with(|it: char| it.is_ascii_uppercase())
        && action.chars().all(|it| it.is_ascii_alphanumeric())
}

/// `## [21.19.0](…)`
fn newest_of_changelog(text: &str) -> Option<Version> {
    let line = text.lines().find(|it| it.starts_with("## ["))?;
    Version::parse(line.strip_prefix("## [")?.split(']').next()?)
}

#[cfg(test)]
mod tests {
    use karplint_core::version::Version;

    use super::{actions, differences};
    use crate::tree::Tree;

    #[test]
    fn actions_are_told_from_keys_of_conditions() {
        let text = "\"Action\": [\n  \"ec2:RunInstances\",\n  \"ssm:GetParameter\"]\n\"ec2:CreateAction\": [\"x\"],\n\
                    variable = \"iam:PassedToService\"\n\"arn:aws\", \"aws:TagKeys\", \"eks:eks-cluster-name\"\n";
        let found: Vec<_> = actions(text).into_iter().collect();
        assert_eq!(found, [("ec2:RunInstances", 2), ("ssm:GetParameter", 3)]);
    }

    #[test]
    fn new_actions_are_found() {
        let tree = Tree::of(&[
            ("eks/CHANGELOG.md", "# Changelog\n\n## [21.18.0](https://example.com) (2026-01-01)\n"),
            (
                "eks/modules/karpenter/policy.tf",
                "actions = [\"ec2:RunInstances\", \"ec2:DescribeInstanceStatus\", \"moon:Land\"]\n",
            ),
        ]);
        let found = differences(&tree, &Version::new(1, 14, 1));
        let found: Vec<String> = found.into_iter().map(|it| it.what).collect();
        assert_eq!(
            found.first().map(String::as_str),
            Some("the EKS module's policy allows moon:Land")
        );
        let status = "the EKS module 21.18.0 allows ec2:DescribeInstanceStatus";
        assert!(found.iter().any(|it| it == status), "{found:?}");
        let profile = "the EKS module 21.18.0 does not allow iam:CreateInstanceProfile";
        assert!(found.iter().any(|it| it == profile), "{found:?}");
    }
}
