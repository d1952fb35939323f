//! What each event does with pods: `karplint show disruption`.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod text;

use crate::model::disruption::{Fate, Outcome};

/// The columns of counts.
const OUTCOMES: [Outcome; 8] = [
    Outcome::Never,
    Outcome::OneByOne,
    Outcome::Drained,
    Outcome::ForcedAfter,
    Outcome::Blocked,
    Outcome::Killed,
    Outcome::NotOnKarpenter,
    Outcome::Unknown,
];

/// What becomes of pods, in a word or two: "forced after 24h".
pub(crate) fn words(fate: &Fate) -> String {
    match (fate.outcome, &fate.after) {
        (Outcome::ForcedAfter, Some(after)) => format!("forced after {after}"),
        (Outcome::NotOnKarpenter, _) => "not on Karpenter".to_owned(),
        (Outcome::Unknown, _) => "? not known".to_owned(),
        (outcome, _) => outcome.word().to_owned(),
    }
}
