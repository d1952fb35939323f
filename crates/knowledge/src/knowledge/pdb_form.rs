//! In which ways the templates of charts make PDBs for the pods they run.
//!
//! Two words define it: when a PDB is made, and which bounds it then has. The data names the words; what
//! they mean for a release is computed where its values are.

use serde::{Deserialize, Deserializer, de};

use crate::value::Value;

/// How a template makes a PDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PdbForm {
    /// When it makes one.
    pub made: PdbCondition,
    /// Which bounds it gives it.
    pub bounds: BoundsForm,
}

/// When a template makes a PDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdbCondition {
    /// Never: the chart has no template for one.
    Never,
    /// Whatever the values are.
    Always,
    /// While a switch is on.
    Switch,
    /// While a map is not empty; its content is the PDB.
    Map,
    /// While a map is not empty, or a switch is on.
    MapOrSwitch,
    /// While a map is not empty and there is more than one pod.
    MapAndMany,
    /// While the greatest number of missing pods is not empty and not zero.
    Bound,
    /// While there is more than one pod.
    Many,
    /// While a switch is on, or there is more than one pod.
    SwitchOrMany,
    /// While a switch is on and there is more than one pod.
    SwitchAndMany,
}

/// Which bounds a template gives the PDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundsForm {
    /// Both as they are; a zero counts as not set, as it does in a template's `if`.
    AsSet,
    /// Both as they are, zeros too.
    AsWritten,
    /// As set; without `minAvailable`, a `maxUnavailable` that is not set is one.
    MaxOrOne,
    /// As written; without both, `maxUnavailable` is one.
    WrittenOrMaxOne,
    /// As written; without both, `minAvailable` is one.
    WrittenOrMinOne,
    /// `maxUnavailable` if it is set, else `minAvailable` if it is set, else `minAvailable` one.
    MaxFirstOrMinOne,
    /// `maxUnavailable` if it is set, else `minAvailable`.
    MaxFirst,
    /// `minAvailable` if it is set and `maxUnavailable` is not written, else `maxUnavailable`.
    MinFirst,
    /// As set; without both, one of two pods may be missing, and of more two have to stay.
    TwoOfMore,
    /// None may be missing of one pod; else as set, else so many that a majority stays.
    Quorum,
    /// None may be missing of one pod; else as set, else one.
    NoneOfOne,
    /// `minAvailable` if it is set. Else none may be missing of one pod; else as set, else one of three,
    /// one less than half of any other number.
    LessThanHalf,
    /// One PDB for pods of several workloads: only `maxUnavailable` is known.
    Shared,
}

/// The two words are a mapping; `never` alone is enough.
impl<'de> Deserialize<'de> for PdbForm {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(from)?;
        if written.as_str() == Some("never") {
            return Ok(Self { made: PdbCondition::Never, bounds: BoundsForm::AsSet });
        }
        let FormWords { made, bounds } =
            FormWords::deserialize(&written).map_err(de::Error::custom)?;
        Ok(Self { made, bounds })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormWords {
    made: PdbCondition,
    bounds: BoundsForm,
}
