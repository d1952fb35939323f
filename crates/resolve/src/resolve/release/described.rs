//! Releases as the files of `GitOps` tools describe them.

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    resolve::{release::surface::Surface, terraform::object::GraphNode},
    source::{FileId, Span},
    syntax::ParseError,
    value::{Field, Value},
};

/// A release of a chart as some `GitOps` tool describes it.
#[derive(Clone, Debug)]
pub struct ChartRelease {
    /// The tool.
    pub surface: Surface,
    /// The Terraform root that holds its manifest, and the resource.
    pub root: Option<(usize, Option<GraphNode>)>,
    /// The folder of its file, or of the Terraform root.
    pub folder: Arc<str>,
    /// The file it is written in.
    pub file: FileId,
    /// The release's name; for an object without known name, empty.
    pub name: Arc<str>,
    /// Where to point when something is missing.
    pub report_span: Span,
    /// What describes it: an Argo CD source, a Flux `spec`, a helmfile entry, a dependency.
    pub body: Value,
    /// What holds that: an Argo CD Application, a Flux `HelmRelease`, a helmfile; the same elsewhere.
    pub whole: Value,
    /// The chart's name without its repository; none when it is a chart of this repository.
    pub chart: Option<Value>,
    /// The folder of a chart of this repository.
    pub local_chart: Option<Arc<str>>,
    /// The version or constraint as it is written.
    pub version: Option<Value>,
    /// The version that `Chart.lock` holds it to.
    pub resolved: Option<Value>,
    /// The address of the chart's repository.
    pub repository: Option<Value>,
    /// The namespace it is installed to.
    pub namespace: Option<Value>,
    /// The namespace under which others name it; `None` when it is not known.
    pub scope: Option<Arc<str>>,
    /// Whether it may go to another cluster than the one its tool runs in.
    pub may_target_other_cluster: bool,
    /// Whether it comes as a dependency of the chart that is installed.
    pub wrapped: bool,
    /// What happens to the CRDs in the chart's `crds/`.
    pub crds: Crds,
    /// What the user gives over the chart's defaults, merged.
    pub values: Value,
    /// What could not be read of the values.
    pub parse_errors: Vec<ParseError>,
    /// What it is configured to wait for.
    pub waits_for: Vec<Wait>,
    /// What installs it: releases of the same unit are installed together.
    pub unit: Unit,
    /// What brings the unit.
    pub parent: Option<Parent>,
    /// What a finding about it is about.
    pub subject: Subject,
}

/// How the CRDs in a chart's `crds/` are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crds {
    /// Whether they are left out at the first installation.
    pub skip: Switch,
    /// Whether they are brought up to date with the release.
    pub upgrade: Switch,
}

/// Something that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// On or off, written or by default; `None` when that is not known.
    pub on: Option<bool>,
    /// Whether it is written.
    pub written: bool,
    /// Its value, or what to point at because it is not written.
    pub span: Span,
}

impl Switch {
    /// What holds when nothing is written.
    #[must_use]
    pub fn by_default(on: Option<bool>, span: Span) -> Self {
        Self { on, written: false, span }
    }

    /// A switch that is written as true or false.
    #[must_use]
    pub fn read(field: Field<'_>, default: bool, place: Span) -> Self {
        match field {
            Field::Present(value) => Self { on: value.as_bool(), written: true, span: value.span },
            Field::Missing => Self::by_default(Some(default), place),
            Field::Unknown => Self::by_default(None, place),
        }
    }
}

/// Something a release waits for.
#[derive(Clone, Debug)]
pub enum Wait {
    /// Another release by name (Flux `dependsOn`, helmfile `needs`); what is `None` is not known or,
    /// for the namespace, the own one.
    Release {
        /// Its name.
        name: Option<Arc<str>>,
        /// Its namespace.
        namespace: Option<Arc<str>>,
        /// Where it is written.
        span: Span,
    },
    /// An Argo CD sync wave; `None` when it is not known.
    Wave {
        /// The wave.
        number: Option<i64>,
        /// Where it is written.
        span: Span,
    },
    /// Something, but it is not known what.
    Anything(Span),
}

/// What installs releases together: one Application, one `HelmRelease`, one entry of a helmfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Where it is written.
    pub span: Span,
    /// Which of those that are made from it.
    pub element: usize,
}

/// What brings a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parent {
    /// The Argo CD Application whose `path` holds its file: waves count between its children.
    Application(Span),
    /// The `ApplicationSet` that makes it: it makes all at once, whatever their waves.
    ApplicationSet(Span),
    /// The helmfile.
    Helmfile(FileId),
    /// The chart it is a dependency of.
    Chart(FileId),
}
