//! Releases of Helm charts, on every surface that installs them.

pub mod chart_source;
pub mod collect;
pub mod crd_switch;
pub mod described;
pub mod first_values;
mod gitops;
mod kustomize;
pub mod pin;
pub mod surface;
mod terraform;

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    resolve::{
        release::{
            crd_switch::CrdSwitch, described::Unit, first_values::FirstValues, pin::ChartSource,
            surface::Surface,
        },
        scope::Scope,
        setting::Setting,
        terraform::object::{BlockInstance, GraphNode},
    },
    source::Span,
    syntax::ParseError,
    value::{Kind, Text, TextSource, Value},
    version::{Version, constraint::Constraint},
};

/// A release of a chart.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its own name, if it is known.
    pub name: Option<Arc<str>>,
    /// The chart's name without its repository: `karpenter`.
    pub chart: Arc<str>,
    /// The address of the chart's repository, as far as it is known, with the part in the chart's name.
    pub repository: Option<Arc<str>>,
    /// The folder of a chart that lies in this repository.
    pub local_chart: Option<String>,
    /// Where it is written.
    pub scope: Scope,
    /// What to point at when something is missing.
    pub report_span: Span,
    /// The block that brings it, when that is not the anchor: a module call.
    pub block: Span,
    /// The key of its values in those of the chart that depends on it.
    pub values_key: Option<Arc<str>>,
    /// Who gives it its values.
    pub installer: Installer,
    /// The chart's version as it is written.
    pub version: Setting<String>,
    /// The version's text between its quotes, if it is one literal.
    pub version_literal: Option<Span>,
    /// Where its chart comes from.
    pub source: ChartSource,
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
    /// Whether something that is not seen adds values of its own: a module of others, a program that edits
    /// what the chart makes.
    pub has_external_values: bool,
    /// Whether it may go to another cluster than the one its tool runs in.
    pub may_target_other_cluster: bool,
    /// Where its values go if it has none.
    pub first_values: Option<FirstValues>,
    /// What decides whether the bundled CRDs are installed, where its surface has a switch for it.
    pub crd_switch: Option<CrdSwitch>,
    /// Which of several instances of its block it is.
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
    /// A `GitOps` tool: which, its place among the releases of all of them, and what it is installed with.
    GitOps(Surface, usize, Unit),
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

impl Release {
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
            Means::GitOps(..) => None,
        }
    }

    /// The kind of source it is written in.
    #[must_use]
    pub fn surface(&self) -> Surface {
        match self.means {
            Means::Terraform(_) => Surface::Terraform,
            Means::GitOps(surface, ..) => surface,
        }
    }

    /// Its name in messages: `helm_release.karpenter`, else the chart's name.
    #[must_use]
    pub fn title(&self) -> &str {
        self.code().map_or(&self.chart, |it| &it.address)
    }

    /// The version, if it is known and exact.
    #[must_use]
    pub fn exact_version(&self) -> Option<Version> {
        Constraint::parse(self.version.known()?)?.is_exact()
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

/// What is known of where a chart comes from: the repository, and what precedes the chart's name.
fn address(repository: Option<&Value>, chart: Option<&Value>) -> Option<Arc<str>> {
    let chart = chart.filter(|it| it.as_str().is_some_and(|it| it.contains('/')));
    let parts: Vec<&str> =
        [repository, chart].into_iter().flatten().filter_map(Value::as_str).collect();
    (!parts.is_empty()).then(|| parts.join(" ").to_lowercase().into())
}

/// The text between the quotes of a string that is written as it is used.
fn literal(value: &Value) -> Option<Span> {
    match &value.kind {
        Kind::String(Text { layout: TextSource::Verbatim(span), .. }) => Some(*span),
        _ => None,
    }
}
