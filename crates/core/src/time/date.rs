//! Days of the Gregorian calendar, counted from the first of January 1970.
//!
//! A crate for dates takes longer to build than all of karplint's own parsers; these two functions are
//! what it would be used for.

/// Days since 1970 of a date. Years are taken to begin in March, so that the leap day is the last.
#[must_use]
pub fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year
        - 719_468
}

/// The year, month and day of a number of days since 1970.
#[must_use]
pub fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// Whether the calendar has that day.
#[must_use]
pub fn exists(year: i64, month: i64, day: i64) -> bool {
    (1..=12).contains(&month) && date_of(days_since_1970(year, month, day)) == (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::{date_of, days_since_1970, exists};

    #[test]
    fn days_and_dates_are_each_others_inverse() {
        for day in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, date) = date_of(day);
            assert_eq!(days_since_1970(year, month, date), day);
        }
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(11_016), (2000, 2, 29));
    }

    #[test]
    fn only_days_of_the_calendar_exist() {
        for (date, wanted) in [
            ((2024, 2, 29), true),
            ((2023, 2, 29), false),
            ((1900, 2, 29), false),
            ((2027, 4, 31), false),
            ((2027, 13, 1), false),
            ((2027, 1, 0), false),
        ] {
            assert_eq!(exists(date.0, date.1, date.2), wanted, "{date:?}");
        }
    }
}
