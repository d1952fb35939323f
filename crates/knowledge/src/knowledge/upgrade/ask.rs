//! What is asked for at a step: of the cluster, and of what else runs there.

use serde::Deserialize;

use crate::version::Version;

/// Something to do on a cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// What to do, in the imperative.
    pub r#do: String,
    /// Why.
    pub why: String,
    /// Before or after the controller is replaced.
    pub when: Moment,
    /// The address where upstream writes it.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
    /// The kinds of the resources it is about: the plan says where the repository has them.
    #[serde(default)]
    pub kinds: Vec<String>,
}

/// When something is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// Before the controller is replaced.
    Before,
    /// Afterwards.
    After,
}

/// An add-on with Kubernetes' own versions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follower {
    /// Its name: `kube-proxy`.
    pub addon: String,
    /// How many minors it may be behind the control plane.
    pub behind: u64,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// What a minor asks of an older call of a module that makes the role of the controller.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleAsk {
    /// The module: the submodule `karpenter` of `terraform-aws-modules/eks`, or `eks-blueprints-addons`.
    pub module: String,
    /// The minor that asks for it.
    pub(super) minor: Version,
    /// The first version of the module that does what is needed.
    pub since: Version,
    r#do: String,
    why: String,
    when: Moment,
    source: String,
    checked: String,
}

impl ModuleAsk {
    /// What is asked of a call: its name, where its version is written, and that version.
    #[must_use]
    pub fn of(&self, module: &str, place: &str, version: &str) -> Ask {
        let since = self.since.to_string();
        let holes =
            [("{module}", module), ("{place}", place), ("{version}", version), ("{since}", &since)];
        let ask = Ask {
            r#do: self.r#do.clone(),
            why: self.why.clone(),
            when: self.when,
            source: self.source.clone(),
            checked: self.checked.clone(),
            kinds: Vec::new(),
        };
        filled(&ask, &holes)
    }
}

/// A chart whose program is made for one minor of Kubernetes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// The name of the chart.
    pub chart: String,
    /// The value that names the version of its program.
    pub value: String,
    /// Why.
    pub why: String,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

impl Companion {
    /// What that version of Kubernetes asks of it; `place` is where it is installed.
    #[must_use]
    pub fn ask(&self, place: &str, to: &Version) -> Ask {
        let (chart, value, major, minor) = (&self.chart, &self.value, to.major, to.minor);
        Ask {
            r#do: format!(
                "Let the chart `{chart}` ({place}) install {major}.{minor}, by its version or by `{value}`"
            ),
            why: self.why.clone(),
            when: Moment::After,
            source: self.source.clone(),
            checked: self.checked.clone(),
            kinds: Vec::new(),
        }
    }
}

/// An ask with texts in its holes.
pub(super) fn filled(ask: &Ask, holes: &[(&str, &str)]) -> Ask {
    let mut ask = ask.clone();
    for (hole, text) in holes {
        ask.r#do = ask.r#do.replace(hole, text);
    }
    ask
}
