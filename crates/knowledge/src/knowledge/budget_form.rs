//! In which ways the templates of charts make budgets for the pods they run.
//!
//! Two words say it: when a budget is made, and which bounds it then has. The data names the words; what
//! they mean for a release is computed where its values are.

use crate::value::Value;

/// How a template makes a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetForm {
    /// When it makes one.
    pub made: Made,
    /// Which bounds it gives it.
    pub bounds: BoundsForm,
}

/// When a template makes a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Never: the chart has no template for one.
    Never,
    /// Whatever the values say.
    Always,
    /// While a switch is on.
    Switch,
    /// While a map is not empty; what stands in it is the budget.
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

/// Which bounds a template gives the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// One budget for pods of several workloads: only `maxUnavailable` can be told.
    Shared,
}

impl BudgetForm {
    /// Reads the two words; `never` alone is enough.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        if value.as_str() == Some("never") {
            return Some(Self { made: Made::Never, bounds: BoundsForm::AsSet });
        }
        let word = |key: &str| value.get(key).present().and_then(Value::as_str);
        Some(Self { made: made(word("made")?)?, bounds: bounds(word("bounds")?)? })
    }
}

fn made(word: &str) -> Option<Made> {
    Some(match word {
        "always" => Made::Always,
        "switch" => Made::Switch,
        "map" => Made::Map,
        "map_or_switch" => Made::MapOrSwitch,
        "map_and_many" => Made::MapAndMany,
        "bound" => Made::Bound,
        "many" => Made::Many,
        "switch_or_many" => Made::SwitchOrMany,
        "switch_and_many" => Made::SwitchAndMany,
        _ => return None,
    })
}

fn bounds(word: &str) -> Option<BoundsForm> {
    Some(match word {
        "as_set" => BoundsForm::AsSet,
        "as_written" => BoundsForm::AsWritten,
        "max_or_one" => BoundsForm::MaxOrOne,
        "written_or_max_one" => BoundsForm::WrittenOrMaxOne,
        "written_or_min_one" => BoundsForm::WrittenOrMinOne,
        "max_first_or_min_one" => BoundsForm::MaxFirstOrMinOne,
        "max_first" => BoundsForm::MaxFirst,
        "min_first" => BoundsForm::MinFirst,
        "two_of_more" => BoundsForm::TwoOfMore,
        "quorum" => BoundsForm::Quorum,
        "none_of_one" => BoundsForm::NoneOfOne,
        "less_than_half" => BoundsForm::LessThanHalf,
        "shared" => BoundsForm::Shared,
        _ => return None,
    })
}
