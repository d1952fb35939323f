//! What Karpenter's controller has to be allowed, and what the Terraform modules that make its role do.

pub mod need;
pub mod switch;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::{Basis, Facts, Verified},
        identity::{
            need::{Maker, Need},
            switch::{ModuleSwitch, read_switch, switch, switches},
        },
        read::{Read, document},
    },
    version::{Range, Version, constraint::Constraint},
};

/// What such a module may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// The controller's role.
    ControllerRole,
    /// The trust of that role in a service account through OIDC.
    WebIdentity,
    /// A pod identity association.
    Association,
    /// The role of the nodes.
    NodeRole,
    /// A name for that role that ends in something generated.
    NodeRolePrefix,
}

/// A policy that AWS keeps.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManagedPolicy {
    /// Its name: `AmazonSSMManagedInstanceCore`.
    pub name: String,
    /// Patterns that all its actions are of.
    pub actions: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct IdentityFile {
    source: String,
    checked: String,
    verified: Option<ModuleVersions>,
    allowed_by_all: Vec<String>,
    managed_policies: Vec<ManagedPolicy>,
    needs: Vec<Need>,
    eks_module: EksModule,
    blueprints: NodeRole,
}

/// The versions of each module that the facts were checked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleVersions {
    eks_module: Verified,
    blueprints: Verified,
}

/// What the EKS module makes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EksModule {
    aws_provider: Facts,
    #[serde(deserialize_with = "switches")]
    takes_statements: Facts,
    #[serde(deserialize_with = "switches")]
    controller_role: Facts,
    controller_role_name: Facts,
    #[serde(deserialize_with = "switches")]
    web_identity: Facts,
    web_identity_account: Facts,
    #[serde(deserialize_with = "switches")]
    association: Facts,
    association_account: Facts,
    #[serde(deserialize_with = "switches")]
    node_role: Facts,
    #[serde(deserialize_with = "switches")]
    node_role_prefix: Facts,
}

/// What blueprints make.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeRole {
    #[serde(deserialize_with = "switches")]
    node_role: Facts,
    #[serde(deserialize_with = "switches")]
    node_role_prefix: Facts,
}

static READ: LazyLock<Read<IdentityFile>> = LazyLock::new(|| {
    let read: Read<IdentityFile> = document("iam.yaml", include_str!("iam.yaml"));
    read.map(IdentityFile::complete)
});

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

impl IdentityFile {
    /// Gives each fact its basis.
    fn complete(mut self) -> Self {
        let basis = |verified: Option<Range>| Basis {
            source: self.source.clone(),
            checked: self.checked.clone(),
            verified: verified.unwrap_or_default(),
        };
        let verified = self.verified.as_ref();
        let of_eks = basis(verified.map(|it| it.eks_module.with_major()));
        // Later versions may allow what these do not.
        let of_blueprints = basis(verified.map(|it| it.blueprints.range()));
        let eks = &mut self.eks_module;
        for facts in [
            &mut eks.aws_provider,
            &mut eks.takes_statements,
            &mut eks.controller_role,
            &mut eks.controller_role_name,
            &mut eks.web_identity,
            &mut eks.web_identity_account,
            &mut eks.association,
            &mut eks.association_account,
            &mut eks.node_role,
            &mut eks.node_role_prefix,
        ] {
            facts.complete(&of_eks);
        }
        let NodeRole { node_role, node_role_prefix } = &mut self.blueprints;
        for facts in [node_role, node_role_prefix] {
            facts.complete(&of_blueprints);
        }
        for need in &mut self.needs {
            need.eks_module.complete(&of_eks);
            need.blueprints.complete(&of_blueprints);
        }
        self
    }
}

/// What the controller has to be allowed, the oldest need first.
#[must_use]
pub fn needs() -> &'static [Need] {
    &READ.data.needs
}

/// The actions that every policy allows: no release or module differs in them.
pub fn allowed_by_all() -> impl Iterator<Item = &'static str> {
    READ.data.allowed_by_all.iter().map(String::as_str)
}

/// The policies of AWS that are known.
#[must_use]
pub fn managed_policies() -> &'static [ManagedPolicy] {
    &READ.data.managed_policies
}

/// The newest version of the EKS module that the facts were checked for.
#[must_use]
pub fn newest_eks_module() -> Option<&'static Version> {
    READ.data.verified.as_ref().map(|it| &it.eks_module.newest)
}

/// All facts, each list with a name.
pub fn facts() -> impl Iterator<Item = (String, &'static Facts)> {
    let needs = READ.data.needs.iter().flat_map(|it| {
        [
            (format!("{} in the EKS module", it.action), &it.eks_module),
            (format!("{} in blueprints", it.action), &it.blueprints),
        ]
    });
    let (eks, blueprints) = (&READ.data.eks_module, &READ.data.blueprints);
    let others = [
        ("aws_provider", &eks.aws_provider),
        ("takes_statements", &eks.takes_statements),
        ("controller_role", &eks.controller_role),
        ("controller_role_name", &eks.controller_role_name),
        ("web_identity", &eks.web_identity),
        ("web_identity_account", &eks.web_identity_account),
        ("association", &eks.association),
        ("association_account", &eks.association_account),
        ("node_role of the EKS module", &eks.node_role),
        ("node_role of blueprints", &blueprints.node_role),
        ("node_role_prefix of the EKS module", &eks.node_role_prefix),
        ("node_role_prefix of blueprints", &blueprints.node_role_prefix),
    ];
    needs.chain(others.into_iter().map(|(name, it)| (name.to_owned(), it)))
}

/// The namespace and the service account that the controller's role of the EKS module trusts unless configured.
#[must_use]
pub fn web_identity_account() -> Option<(&'static str, &'static str)> {
    account(&READ.data.eks_module.web_identity_account)
}

/// The name of that role before what is generated, unless configured otherwise, if a version that is allowed has one.
#[must_use]
pub fn controller_role_name(module: Option<&Constraint>) -> Option<&'static str> {
    READ.data.eks_module.controller_role_name.possible(module).next_back()?.value.as_str()
}

/// Those of the pod identity association that the EKS module makes.
#[must_use]
pub fn association_account() -> Option<(&'static str, &'static str)> {
    account(&READ.data.eks_module.association_account)
}

fn account(facts: &'static Facts) -> Option<(&'static str, &'static str)> {
    facts.list().last()?.value.as_str()?.split_once(':')
}

/// The versions of the AWS provider that the EKS module requires in the newest of its allowed versions.
#[must_use]
pub fn aws_provider(module: &Constraint) -> Option<Constraint> {
    let newest = READ.data.eks_module.aws_provider.possible(Some(module)).next_back()?;
    Constraint::parse(newest.value.as_str()?)
}

/// Whether the EKS module takes `iam_policy_statements`.
#[must_use]
pub fn takes_statements(module: &Constraint) -> bool {
    switch(&READ.data.eks_module.takes_statements, Some(module)) == Some(ModuleSwitch::Fixed(true))
}

impl Maker {
    /// What decides whether it makes something, in the newest of the allowed versions, which is the one that Terraform
    /// takes; without a constraint, in every version.
    #[must_use]
    pub fn makes(
        self,
        ability: Ability,
        module: Option<&Constraint>,
    ) -> Option<ModuleSwitch<'static>> {
        match self.facts(ability) {
            Ok(facts) => switch(facts, module),
            Err(fixed) => Some(ModuleSwitch::Fixed(fixed)),
        }
    }

    /// What it does by its inputs in each of the allowed versions; without a constraint, in every one.
    #[must_use]
    pub fn each(self, ability: Ability, module: Option<&Constraint>) -> Vec<ModuleSwitch<'static>> {
        match self.facts(ability) {
            Ok(facts) => facts.possible(module).filter_map(|it| read_switch(&it.value)).collect(),
            Err(fixed) => vec![ModuleSwitch::Fixed(fixed)],
        }
    }

    /// What is known of the versions, or what holds in all of them.
    fn facts(self, ability: Ability) -> Result<&'static Facts, bool> {
        let (eks, blueprints) = (&READ.data.eks_module, &READ.data.blueprints);
        match (self, ability) {
            (Self::EksModule, Ability::ControllerRole) => Ok(&eks.controller_role),
            (Self::EksModule, Ability::WebIdentity) => Ok(&eks.web_identity),
            (Self::EksModule, Ability::Association) => Ok(&eks.association),
            (Self::EksModule, Ability::NodeRole) => Ok(&eks.node_role),
            (Self::EksModule, Ability::NodeRolePrefix) => Ok(&eks.node_role_prefix),
            (Self::Blueprints, Ability::ControllerRole | Ability::WebIdentity) => Err(true),
            (Self::Blueprints, Ability::Association) => Err(false),
            (Self::Blueprints, Ability::NodeRole) => Ok(&blueprints.node_role),
            (Self::Blueprints, Ability::NodeRolePrefix) => Ok(&blueprints.node_role_prefix),
        }
    }
}

#[cfg(test)]
mod tests;
