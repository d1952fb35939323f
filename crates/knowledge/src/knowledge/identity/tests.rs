//! Tests of what the controller has to be allowed.

use super::{
    association_account,
    need::{Maker, Need},
    needs,
    switch::ModuleSwitch,
    web_identity_account,
};
use crate::version::{Version, constraint::Constraint};

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
}

#[test]
fn modules_allow_what_their_newest_version_allows() {
    let need = |action: &str| -> &Need {
        let need = needs().iter().find(|it| it.action == action);
        need.unwrap_or_else(|| unreachable!("{action} is known"))
    };
    let v1 = ModuleSwitch::Input { name: "enable_v1_permissions", otherwise: false };
    for (action, module, wanted) in [
        ("ec2:CreateTags", "19.21.0", ModuleSwitch::Fixed(true)),
        ("ec2:CreateTags", "20.8.5", ModuleSwitch::Fixed(false)),
        ("ec2:CreateTags", "20.24.0", v1),
        ("ec2:CreateTags", "~> 20.0", v1),
        ("ec2:CreateTags", ">= 20.0", ModuleSwitch::Fixed(true)),
        ("iam:ListInstanceProfiles", "~> 20.24", ModuleSwitch::Fixed(false)),
        ("iam:ListInstanceProfiles", "21.1.5", ModuleSwitch::Fixed(false)),
        ("iam:ListInstanceProfiles", "~> 21.0", ModuleSwitch::Fixed(true)),
        ("ec2:DescribeInstanceStatus", "21.18.0", ModuleSwitch::Fixed(false)),
        ("ec2:DescribeInstanceStatus", "21.19.0", ModuleSwitch::Fixed(true)),
        ("ec2:DescribeInstanceStatus", "21.99.0", ModuleSwitch::Fixed(true)),
    ] {
        let allowed = Constraint::parse(module);
        let found = need(action).allowed_by(Maker::EksModule, allowed.as_ref());
        assert_eq!(found, Some(wanted), "{action} {module}");
    }
    let status = need("ec2:DescribeInstanceStatus");
    assert_eq!(status.allowed_since(Maker::EksModule), Some(&version("21.19.0")));
    assert_eq!(status.allowed_since(Maker::Blueprints), None);
    assert_eq!(association_account(), Some(("kube-system", "karpenter")));
    assert_eq!(web_identity_account(), Some(("karpenter", "karpenter")));
}
