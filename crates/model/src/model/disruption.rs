//! What each event that ends nodes does with the pods of a workload, by the version of Karpenter.

mod gate;
pub mod judge;
pub mod nodes;
pub mod pods;
mod replacement;
pub mod table;
mod words;

use crate::findings::note::Note;

/// Something that ends nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// Karpenter removes or replaces a node to save money.
    Consolidation,
    /// The node is not what its pool and class say any more.
    Drift,
    /// The node is as old as `expireAfter` lets it be.
    Expiration,
    /// A spot interruption, or scheduled maintenance.
    Interruption,
    /// Karpenter's node auto repair.
    Health,
    /// `kubectl delete node`, or of its `NodeClaim`.
    Deletion,
    /// The deletion of the `NodePool`.
    PoolRemoval,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Consolidation,
        Self::Drift,
        Self::Expiration,
        Self::Interruption,
        Self::Health,
        Self::Deletion,
        Self::PoolRemoval,
    ];

    /// The key for programs.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Consolidation => "consolidation",
            Self::Drift => "drift",
            Self::Expiration => "expiration",
            Self::Interruption => "interruption",
            Self::Health => "health",
            Self::Deletion => "deletion",
            Self::PoolRemoval => "pool_removal",
        }
    }

    /// The heading for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Consolidation => "consolidation",
            Self::Drift => "drift",
            Self::Expiration => "expiration",
            Self::Interruption => "interruption",
            Self::Health => "node repair",
            Self::Deletion => "node deletion",
            Self::PoolRemoval => "pool removal",
        }
    }
}

/// What an event does with pods, from the gentlest to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// They are on no node of Karpenter's.
    NotOnKarpenter,
    /// The event does not come.
    Never,
    /// They are evicted as fast as a PDB lets them go.
    OneByOne,
    /// They are evicted and have their time to stop.
    Drained,
    /// They are evicted by force when a time is over.
    ForcedAfter,
    /// They stay until somebody acts.
    Blocked,
    /// They end with their node, or before they have stopped.
    Killed,
    /// That is not known.
    Unknown,
}

impl Outcome {
    /// The word for programs and people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NotOnKarpenter => "not-on-karpenter",
            Self::Never => "never",
            Self::OneByOne => "one-by-one",
            Self::Drained => "drained",
            Self::ForcedAfter => "forced-after",
            Self::Blocked => "blocked",
            Self::Killed => "killed",
            Self::Unknown => "unknown",
        }
    }
}

/// What an event does with the pods of a workload, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fate {
    /// What becomes of them.
    pub outcome: Outcome,
    /// The time after which they are forced, as it is written.
    pub after: Option<String>,
    /// The places that decide, each with a clause without full stop; the first one says most.
    pub because: Vec<Note>,
}

/// What all events do with the pods of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fates(pub [Fate; 7]);

impl Fates {
    /// What an event does.
    #[must_use]
    pub fn of(&self, event: Event) -> &Fate {
        &self.0[event as usize]
    }
}
