//! Releases of Helm charts, on every surface that installs them.
//!
//! What reads a surface fills the one [`Release`]: here for Terraform and kustomizations, in `gitops` for other
//! tools. [`collect`] brings them together.

pub mod applied_crds;
pub mod chart_address;
mod chart_archive;
pub mod chart_source;
pub mod chart_version;
pub mod collect;
mod copied_chart;
mod crd_address;
pub mod crd_switch;
pub mod crossplane;
pub mod documented;
pub mod fetched_crds;
pub mod first_values;
pub mod installed;
mod kustomize;
pub mod missing_chart;
mod named_chart;
pub mod script;
pub mod shared_literal;
pub mod surface;
mod terraform;
#[cfg(test)]
mod tests;
pub mod unit;
pub mod upstream;
pub mod values_file;

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    resolve::{
        release::{
            chart_address::ChartAddress,
            chart_version::{ChartVersion, Pin},
            crd_switch::CrdSwitch,
            first_values::FirstValues,
            missing_chart::MissingChart,
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
        setting::Setting,
        terraform::object::{BlockInstance, GraphNode},
    },
    source::Span,
    syntax::ParseError,
    value::{Entry, Value},
    version::Version,
};

/// A release of a chart.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that rules ask for by itself")]
pub struct Release {
    /// The name Helm gives it, if it is known.
    pub name: Option<Arc<str>>,
    /// The chart's name without its repository: `karpenter`. Empty for a chart of this repository that is no
    /// copy of Karpenter's, and while releases are read, for one whose name is not known.
    pub chart: Arc<str>,
    /// The folder of a chart that lies in this repository.
    pub local_chart: Option<String>,
    /// Where a chart of a repository is asked for that is not here; `None` where it is here or is no such chart.
    pub missing_chart: Option<MissingChart>,
    /// The address of the chart's repository, as far as it is known, with the part in the chart's name.
    pub repository: Option<Arc<str>>,
    /// Where that address is written.
    pub repository_span: Option<Span>,
    /// What names the repository, where a registry takes other words than the address.
    pub chart_address: Option<ChartAddress>,
    /// The chart's version.
    pub version: ChartVersion,
    /// Where it is written.
    pub scope: Scope,
    /// What to point at when something is missing.
    pub report_span: Span,
    /// The block that brings it, when that is not the anchor: a module call.
    pub block: Span,
    /// The key of its values in those of the chart that depends on it.
    pub values_key: Option<Arc<str>>,
    /// What the chart that depends on it sets beside, and not for any chart that it depends on.
    pub set_beside: Vec<Entry>,
    /// Who gives it its values.
    pub installer: Installer,
    /// The namespace it is installed to.
    pub namespace: Setting<String>,
    /// Whether Helm leaves the chart's `crds/` alone.
    pub skip_crds: Setting<bool>,
    /// Whether the CRDs in the chart's `crds/` are brought up to date with each release.
    pub upgrade_crds: Setting<bool>,
    /// Whether Helm puts back what was changed outside of it; unknown where that is not Helm's business.
    pub force_update: Setting<bool>,
    /// The values, merged; the chart's defaults are not in them.
    pub values: Value,
    /// What could not be read of the values.
    pub parse_errors: Vec<ParseError>,
    /// Whether something may be missing here that is not missing: its root is made to be called from
    /// elsewhere, or part of it could not be read.
    pub reusable: bool,
    /// Whether it is there only when variables have other values than those known.
    pub is_optional: bool,
    /// The folder of the chart in this repository that depends on it, if one does.
    pub part_of: Option<String>,
    /// Whether its chart is rendered, inside the chart that depends on it or as a copy of a known one: what it
    /// makes is seen, and knowledge of the chart is not asked.
    pub is_rendered: bool,
    /// Whether its chart is a copy of Karpenter's in the repository that holds no CRDs.
    pub lacks_crds: CopiedCrds,
    /// Whether something that is not seen adds values of its own: a module of others, a program that edits
    /// what the chart makes.
    pub has_external_values: bool,
    /// Whether it may go to another cluster than the one its tool runs in.
    pub may_target_other_cluster: bool,
    /// Where its values go if it has none.
    pub first_values: Option<FirstValues>,
    /// What decides whether the bundled CRDs are installed, where its surface has a switch for it.
    pub crd_switch: Option<CrdSwitch>,
    /// What a finding about it is about.
    pub subject: Option<Subject>,
    /// What installs it.
    pub means: Means,
}

/// Who gives a release its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installer {
    /// Something in this repository.
    Here,
    /// Others, too: it is a part of a chart with templates of its own that nothing here is seen to
    /// install, or of a Terraform module that may be called from elsewhere.
    Anybody,
}

/// What installs a release.
#[derive(Clone, Debug)]
pub enum Means {
    /// Terraform code.
    Terraform(Box<ReleaseCode>),
    /// Another tool: what it installs together.
    Tool(Arc<Unit>),
}

/// The Terraform code of a release.
#[derive(Clone, Debug)]
pub struct ReleaseCode {
    /// Its node in its root's graph.
    pub node: GraphNode,
    /// The address of its block inside its module: `helm_release.karpenter`, `module.addons`.
    pub address: String,
    /// The module instance its block is in; empty for the root.
    pub module: String,
    /// The block.
    pub object: BlockInstance,
}

/// The CRDs of a chart that is a copy in the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopiedCrds {
    /// They are there, or the chart is no copy.
    #[default]
    Kept,
    /// The copy has its templates, and no CRDs.
    LeftOut,
    /// Of the copy nothing is seen but its description: something may fetch the whole chart.
    NotSeen,
}

impl Release {
    /// A release without values, of which nothing else is known but what installs it.
    #[must_use]
    pub fn new(means: Means, scope: Scope, report_span: Span) -> Self {
        Self {
            name: None,
            chart: "".into(),
            local_chart: None,
            missing_chart: None,
            repository: None,
            repository_span: None,
            chart_address: None,
            version: ChartVersion::new(None, Pin::Elsewhere, report_span),
            scope,
            report_span,
            block: report_span,
            values_key: None,
            set_beside: Vec::new(),
            installer: Installer::Here,
            namespace: Setting::unknown(report_span),
            skip_crds: Setting::unknown(report_span),
            upgrade_crds: Setting::unknown(report_span),
            force_update: Setting::unknown(report_span),
            values: Value::map(Vec::new(), report_span),
            parse_errors: Vec::new(),
            reusable: false,
            is_optional: false,
            part_of: None,
            is_rendered: false,
            lacks_crds: CopiedCrds::default(),
            has_external_values: false,
            may_target_other_cluster: false,
            first_values: None,
            crd_switch: None,
            subject: None,
            means,
        }
    }

    /// Whether a call of a module brings it: what waits is all that the module holds, data sources too.
    #[must_use]
    pub fn is_module(&self) -> bool {
        self.code().is_some_and(|it| it.address.starts_with("module."))
    }

    /// Whether it comes as a dependency of the chart that is installed.
    #[must_use]
    pub fn is_wrapped(&self) -> bool {
        self.values_key.is_some()
    }

    /// Whether it installs the Karpenter controller.
    #[must_use]
    pub fn is_controller(&self) -> bool {
        &*self.chart == "karpenter"
    }

    /// Whether it installs Karpenter's CRDs.
    #[must_use]
    pub fn is_crds(&self) -> bool {
        &*self.chart == "karpenter-crd"
    }

    /// Its Terraform code, if it has one.
    #[must_use]
    pub fn code(&self) -> Option<&ReleaseCode> {
        match &self.means {
            Means::Terraform(code) => Some(code),
            Means::Tool(_) => None,
        }
    }

    /// What its tool installs together, if that is not Terraform.
    #[must_use]
    pub fn unit(&self) -> Option<&Unit> {
        match &self.means {
            Means::Terraform(_) => None,
            Means::Tool(unit) => Some(unit),
        }
    }

    /// The kind of source it is written in.
    #[must_use]
    pub fn surface(&self) -> Surface {
        self.unit().map_or(Surface::Terraform, |it| it.surface)
    }

    /// Its name in messages: `helm_release.karpenter`, else the chart's name.
    #[must_use]
    pub fn title(&self) -> &str {
        self.code().map_or(&self.chart, |it| &it.address)
    }

    /// The version, if it is known and exact.
    #[must_use]
    pub fn exact_version(&self) -> Option<Version> {
        self.version.exact()
    }

    /// The command that fetches its chart, for a dependency that is not beside the chart that needs it.
    #[must_use]
    pub fn fetched_by(&self) -> Option<String> {
        let folder = self.part_of.as_deref().filter(|_| !self.is_rendered)?;
        Some(fetching(folder))
    }

    /// What its values name as the cluster they run in.
    #[must_use]
    pub fn cluster(&self) -> Option<&Value> {
        const PATHS: [&str; 3] =
            ["settings.clusterName", "settings.aws.clusterName", "clusterName"];
        PATHS.iter().find_map(|it| self.values.at(it).present())
    }

    /// Whether both come from one Terraform block.
    #[must_use]
    pub fn shares_block_with(&self, other: &Self) -> bool {
        let (Some(own), Some(other_code)) = (self.code(), other.code()) else { return false };
        let wrapped = self.is_wrapped() && other.is_wrapped();
        self.scope.root == other.scope.root && own.node == other_code.node && !wrapped
    }
}

/// The command that fetches what the chart in a folder depends on.
#[must_use]
pub fn fetching(folder: &str) -> String {
    format!("helm dependency build {}", if folder.is_empty() { "." } else { folder })
}

/// What is known of where a chart comes from: the repository, and what precedes the chart's name.
pub(crate) fn address(repository: Option<&Value>, chart: Option<&Value>) -> Option<Arc<str>> {
    let chart = chart.filter(|it| it.as_str().is_some_and(|it| it.contains('/')));
    let parts: Vec<&str> =
        [repository, chart].into_iter().flatten().filter_map(Value::as_str).collect();
    (!parts.is_empty()).then(|| parts.join(" ").to_lowercase().into())
}
