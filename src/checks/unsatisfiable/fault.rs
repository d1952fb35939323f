//! What is wrong with the requirements of a pool.

use crate::{model::node_pool::offerings::Place, source::Span};

/// A value that nothing has, or what bounds leave, and the value that is meant if there is one nearby.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrongValue {
    /// The value, or what is left, in words.
    pub words: String,
    /// The value that is meant.
    pub meant: Option<String>,
    /// Where it is written.
    pub place: Span,
}

/// The labels by which to require what is written as values of another one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OtherLabel {
    /// All of the values are values of this label.
    Same(&'static str),
    /// They are categories with a generation each: `c7`, `m7`.
    Generations {
        /// The categories.
        categories: Vec<String>,
        /// The generations.
        generations: Vec<String>,
    },
    /// They are families, and beginnings of some.
    Families,
}

/// What is wrong with requirements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RequirementFault {
    /// Values that nothing has, one or more.
    Values {
        /// The label.
        key: String,
        /// The values, in the order in which they are written.
        wrong: Vec<WrongValue>,
        /// Whether the pool can do with the others.
        has_others: bool,
        /// What requires what the values stand for, where none of them is a value of this label.
        instead: Option<OtherLabel>,
        /// Another requirement that no type meets together with what is meant, and its label.
        beside: Option<(String, Place)>,
    },
    /// Zones that the region of the cluster has not.
    Zones {
        /// The zones, each where it is written; at least one.
        zones: Vec<(String, Span)>,
        /// Whether the pool can do with others.
        has_others: bool,
        /// The region.
        region: String,
        /// Where that is written.
        region_place: Span,
    },
    /// Fewer values than `minValues` asks for.
    Few {
        /// The label.
        key: String,
        /// How many values the types that are left have.
        found: usize,
        /// How many are asked for.
        wanted: u32,
        /// Where that is required.
        place: Place,
    },
    /// Requirements on one label that exclude one another.
    Contradiction {
        /// The label.
        key: String,
        /// Where they are written.
        places: Vec<Place>,
    },
    /// Requirements on two labels that no instance type meets together.
    Pair {
        /// The labels.
        keys: [String; 2],
        /// Where they are written.
        places: [Place; 2],
    },
    /// All of them together.
    Together,
}
