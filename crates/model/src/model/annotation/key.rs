//! The keys of Karpenter's annotations.

use crate::model::workload::DO_NOT_DISRUPT;

/// The keys that ask Karpenter not to disrupt pods or nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisruptionKey {
    /// `karpenter.sh/do-not-disrupt`, since 0.32.
    DoNotDisrupt,
    /// `karpenter.sh/do-not-evict`, for pods, until 0.37.
    DoNotEvict,
    /// `karpenter.sh/do-not-consolidate`, for nodes, until 0.37.
    DoNotConsolidate,
}

impl DisruptionKey {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::DoNotDisrupt, Self::DoNotEvict, Self::DoNotConsolidate];

    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::DoNotDisrupt => DO_NOT_DISRUPT,
            Self::DoNotEvict => "karpenter.sh/do-not-evict",
            Self::DoNotConsolidate => "karpenter.sh/do-not-consolidate",
        }
    }

    pub(super) fn of(text: &str) -> Option<Self> {
        // Asked of every key of every object, of which hardly one is so long.
        let shortest = DO_NOT_DISRUPT.len().min(Self::DoNotEvict.word().len());
        if text.len() < shortest {
            return None;
        }
        Self::ALL.into_iter().find(|it| it.word() == text)
    }

    /// Whether Karpenter has no such annotation any more.
    #[must_use]
    pub fn is_retired(self) -> bool {
        self != Self::DoNotDisrupt
    }
}
