//! Quantities and versions.

use std::cmp::Ordering;

/// An amount of a resource: `digits` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// The digits, without zeros at their end.
    pub digits: i128,
    /// The power of ten.
    pub exponent: i32,
}

impl Quantity {
    /// The amount, without zeros at the end of its digits.
    #[must_use]
    pub fn new(mut digits: i128, mut exponent: i32) -> Self {
        while digits != 0 && digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent: if digits == 0 { 0 } else { exponent } }
    }

    /// The digits with another, smaller exponent; `None` where there is no room for them.
    #[must_use]
    pub fn digits_at(self, exponent: i32) -> Option<i128> {
        let zeros = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        self.digits.checked_mul(10_i128.checked_pow(zeros)?)
    }

    /// Which is more.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        let exponent = self.exponent.min(other.exponent);
        match (self.digits_at(exponent), other.digits_at(exponent)) {
            (Some(a), Some(b)) => a.cmp(&b),
            // Only the one that grew has no room.
            (None, _) => self.digits.cmp(&0),
            (_, None) => 0.cmp(&other.digits),
        }
    }
}

/// A version as semver.org defines it.
#[derive(Clone, Debug)]
pub struct Semver {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// The third number.
    pub patch: u64,
    /// What follows the minus sign.
    pub before: Vec<Part>,
}

/// A part of a prerelease.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A number, which comes before every text.
    Number(u64),
    /// Text.
    Text(String),
}

impl Semver {
    /// Which is later. What follows a plus sign does not count.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        let numbers = |it: &Self| (it.major, it.minor, it.patch);
        let before = match (self.before.is_empty(), other.before.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.before.cmp(&other.before),
        };
        numbers(self).cmp(&numbers(other)).then(before)
    }
}
