//! What names the repository of a release's chart, where other words are needed for a registry.

use crate::{source::Span, value::Value};

/// Where the repository is named.
#[derive(Clone, Debug)]
pub enum ChartAddress {
    /// A Flux `HelmRepository`: its `spec`.
    HelmRepository(Value),
    /// An entry of a helmfile's `repositories`.
    HelmfileEntry(Value),
    /// A command names the chart behind the name that its script gave to the repository, or its repository by a
    /// flag.
    Command {
        /// The word that names the chart.
        chart: Value,
        /// The flag with its value and the blank before it.
        repo: Option<Span>,
    },
}
