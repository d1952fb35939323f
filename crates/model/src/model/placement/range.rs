//! Amounts that are known between bounds.

/// What certainly is there, and what may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub least: f64,
    pub most: f64,
}

impl Range {
    /// An amount that is known.
    pub(super) fn exactly(number: f64) -> Self {
        Self { least: number, most: number }
    }

    /// An amount of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self { least: 0.0, most: f64::INFINITY }
    }

    /// What is left where so much is kept.
    pub(super) fn without(self, kept: Self) -> Self {
        Self { least: self.least - kept.most, most: self.most - kept.least }
    }

    /// Both together.
    pub(super) fn plus(self, other: Self) -> Self {
        Self { least: self.least + other.least, most: self.most + other.most }
    }

    /// A part of it, rounded up to a whole number.
    pub(super) fn part(self, part: f64) -> Self {
        Self { least: (self.least * part).ceil(), most: (self.most * part).ceil() }
    }

    /// Either of both.
    pub(super) fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// A count as a number.
pub(super) fn count(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}
