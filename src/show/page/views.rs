//! What the page shows.

use crate::show::{landing::Landing, order::Order, overview::ClusterView};

/// What the page shows.
pub(crate) struct Views<'v, 'p> {
    /// What belongs to each cluster.
    pub clusters: &'v [ClusterView<'p>],
    /// Where its pods can run, and what events do with them.
    pub landings: &'v [Landing<'p>],
    /// What is created after what.
    pub order: &'v Order<'p>,
    /// The view that is shown first.
    pub first: &'static str,
}
