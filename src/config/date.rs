//! Days, for suppressions that expire.

use std::{
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::time::date::{date_of, exists};

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i64,
    month: i64,
    day: i64,
}

impl Date {
    /// Reads `2027-05-31`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut number = |digits: usize| {
            let part = parts.next()?;
            let plain = part.len() == digits && part.bytes().all(|it| it.is_ascii_digit());
            plain.then(|| part.parse().ok())?
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let whole = parts.next().is_none() && exists(year, month, day);
        whole.then_some(Self { year, month, day })
    }

    /// Today in UTC, so that a laptop and a CI machine agree.
    #[must_use]
    pub fn today() -> Option<Self> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        i64::try_from(seconds / 86_400).ok().map(Self::of_day)
    }

    /// The date of a day counted from the first of January 1970.
    fn of_day(day: i64) -> Self {
        let (year, month, day) = date_of(day);
        Self { year, month, day }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn days_have_dates() {
        for (day, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (364, "1970-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_777, "2026-11-20"),
        ] {
            assert_eq!(Date::of_day(day).to_string(), date, "{day}");
        }
    }

    #[test]
    fn dates_are_written_one_way() {
        assert!(Date::parse("2027-05-31") > Date::parse("2027-05-30"));
        assert!(Date::parse("2028-02-29").is_some());
        for text in ["2027-02-29", "2027-13-01", "2027-5-31", "31-05-2027", "2027-05-31x", "soon"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }
}
