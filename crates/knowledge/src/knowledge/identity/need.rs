//! What Karpenter's controller has to be allowed.

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::Facts,
        identity::switch::{ModuleSwitch, switch, switches},
    },
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
    /// The first version that no longer does, or for another end.
    until: Option<Version>,
    /// The version of Karpenter from which on only nodes that an earlier one launched need it.
    pub for_nodes_before: Option<Version>,
    /// The field of a class without which it is not needed, `[]` in it for any item of a list.
    pub with_class_field: Option<String>,
    /// What the text in that field begins with.
    pub class_field_begins: Option<String>,
    /// The field without which a class that has the other needs it.
    pub without_class_field: Option<String>,
    /// The value of the chart that has to be true for it to be needed.
    pub with_chart_value: Option<String>,
    /// The value of the chart that has to be a text for it to be needed.
    pub with_written_value: Option<String>,
    /// The value of the chart that has to be false for it to be needed.
    pub without_chart_value: Option<String>,
    /// The value of the chart that has to be missing for it to be needed, and no variable of the environment be set.
    pub without_written_value: Option<String>,
    /// Whether it is needed only where a pool may have spot nodes.
    #[serde(default)]
    pub for_spot: bool,
    /// The tag that what Karpenter makes no longer has: a statement that allows the action only with that does not allow it.
    pub wrong_tag: Option<String>,
    /// The tag that it has instead.
    pub right_tag: Option<String>,
    /// The kind of the resources of AWS that those are: `instance`.
    pub resource: Option<String>,
    /// What to do where a module's policy asks for the wrong tag: no statement of one's own is the cure.
    pub remedy: Option<String>,
    /// What a denial costs, where everything else goes on: "its instance status checks are off".
    pub stops_only: Option<String>,
    /// Whether that is little.
    #[serde(default)]
    pub is_minor: bool,
    /// Whether only the deletion of classes needs it, and what collects what is left over.
    #[serde(default)]
    pub only_deletion: bool,
    /// The field of a class with which only the deletion of the class needs it, and what collects what is left over.
    pub only_deletion_with: Option<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
    #[serde(deserialize_with = "switches")]
    pub(super) eks_module: Facts,
    #[serde(deserialize_with = "switches")]
    pub(super) blueprints: Facts,
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
        Range { since: self.since.clone(), until: self.until.clone() }
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
