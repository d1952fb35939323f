//! Where a release takes its chart from, and what fixes the version.

use crate::{source::Span, value::Value};

/// Where a chart comes from.
#[derive(Clone, Debug)]
pub struct ChartSource {
    /// Where the address of its repository is written.
    pub repository: Option<Span>,
    /// What fixes its version.
    pub pin: Pin,
    /// Whether the literal of the version may serve something else, too.
    pub shared: bool,
}

/// What fixes the version of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Nothing does: the newest is taken.
    Newest,
    /// What is written, where one version is taken for the name of the chart in its repository.
    Written,
    /// What is written, to which the names in the repository are compared.
    Matching,
    /// A lock file.
    Lock,
    /// Something that is not seen.
    Elsewhere,
}

impl ChartSource {
    /// The source of a chart whose repository is at `repository`.
    #[must_use]
    pub fn new(repository: Option<&Value>, pin: Pin) -> Self {
        Self { repository: repository.map(|it| it.span), pin, shared: false }
    }

    /// The source of what a chart depends on: without a version in its list there is none to take.
    #[must_use]
    pub fn of_dependency(
        repository: Option<&Value>,
        version: Option<&Value>,
        resolved: Option<&Value>,
    ) -> Self {
        let pin = match (version, resolved) {
            (_, Some(_)) => Pin::Lock,
            (Some(_), None) => Pin::Written,
            (None, None) => Pin::Elsewhere,
        };
        Self::new(repository, pin)
    }
}
