//! What Karpenter's controller has to be allowed, and what the Terraform modules that make its role do.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, de};

use crate::{
    knowledge::{
        fact::{Basis, Facts, Verified},
        read::{Read, document},
    },
    value::Value,
    version::{Range, Version, constraint::Constraint},
};

/// A Terraform module that makes the roles of the controller and of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The module `karpenter` of `terraform-aws-modules/eks`.
    EksModule,
    /// `aws-ia/eks-blueprints-addons`.
    Blueprints,
}

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

/// Something the controller has to be allowed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// The action: `iam:ListInstanceProfiles`.
    pub action: String,
    /// The tag it is about, if it is only denied with that.
    pub tag: Option<String>,
    /// The first version of Karpenter that needs it; all without it.
    since: Option<Version>,
    /// The version of Karpenter from which on only nodes that an earlier one launched need it.
    pub for_nodes_before: Option<Version>,
    /// The field of a class without which it is not needed, `[]` in it for any item of a list.
    pub with_class_field: Option<String>,
    /// The field without which a class that has the other needs it.
    pub without_class_field: Option<String>,
    /// The value of the chart that has to be true for it to be needed.
    pub with_chart_value: Option<String>,
    /// The value of the chart that has to be a text for it to be needed.
    pub with_written_value: Option<String>,
    /// The value of the chart that has to be false for it to be needed.
    pub without_chart_value: Option<String>,
    /// What a denial stops, where everything else goes on: "instance status checks".
    pub stops_only: Option<String>,
    /// The field of a class with which only the deletion of the class needs it, and what collects what is left over.
    pub only_deletion_with: Option<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
    #[serde(deserialize_with = "switches")]
    eks_module: Facts,
    #[serde(deserialize_with = "switches")]
    blueprints: Facts,
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

/// What a module does, by its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleSwitch<'k> {
    /// It always does, or never.
    Fixed(bool),
    /// An input decides.
    Input {
        /// Its name.
        name: &'k str,
        /// What is the case if it is not set.
        otherwise: bool,
    },
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

/// Facts, each on whether a module does something.
fn switches<'de, D: Deserializer<'de>>(from: D) -> Result<Facts, D::Error> {
    let facts = Facts::deserialize(from)?;
    let sound =
        !facts.list().is_empty() && facts.list().iter().all(|it| read_switch(&it.value).is_some());
    if sound { Ok(facts) } else { Err(de::Error::custom("not whether a module does it")) }
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

/// Each action once: what a class needs to be made comes before what any class needs to be deleted.
#[must_use]
pub fn each_once(mut lacking: Vec<&'static Need>) -> Vec<&'static Need> {
    let mut seen = std::collections::BTreeSet::new();
    lacking.retain(|it| seen.insert((&it.action, &it.tag)));
    lacking
}

impl Need {
    /// The versions of Karpenter that need it.
    #[must_use]
    pub fn range(&self) -> Range {
        Range { since: self.since.clone(), until: None }
    }

    /// The first version of a module from which on its policy allows it by default.
    #[must_use]
    pub fn allowed_since(&self, maker: Maker) -> Option<&Version> {
        let newest = self.facts_of(maker).list().last()?;
        newest.range.since.as_ref().filter(|_| newest.value.as_bool() == Some(true))
    }

    /// Whether the policy of a module allows it.
    #[must_use]
    pub fn allowed_by(
        &self,
        maker: Maker,
        module: Option<&Constraint>,
    ) -> Option<ModuleSwitch<'_>> {
        switch(self.facts_of(maker), module)
    }

    fn facts_of(&self, maker: Maker) -> &Facts {
        match maker {
            Maker::EksModule => &self.eks_module,
            Maker::Blueprints => &self.blueprints,
        }
    }
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

/// What the newest of the allowed versions does, which is the one that Terraform takes; without a constraint,
/// what every version does.
fn switch<'k>(facts: &'k Facts, module: Option<&Constraint>) -> Option<ModuleSwitch<'k>> {
    let value = match module {
        None => facts.at(None)?,
        Some(allowed) => &facts.possible(Some(allowed)).next_back()?.value,
    };
    read_switch(value)
}

fn read_switch(value: &Value) -> Option<ModuleSwitch<'_>> {
    if let Some(fixed) = value.as_bool() {
        return Some(ModuleSwitch::Fixed(fixed));
    }
    let name = value.get("input").present()?.as_str()?;
    let otherwise = value.get("otherwise").present()?.as_bool()?;
    Some(ModuleSwitch::Input { name, otherwise })
}

#[cfg(test)]
mod tests;
