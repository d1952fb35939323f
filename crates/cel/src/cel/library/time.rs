//! Durations and timestamps.

use crate::{
    cel::{
        data::{Data, Operand, Outcome, Timestamp, take},
        fault::Fault,
        library::zone,
        native::Native,
    },
    time::date::{date_of, days_since_1970, exists},
};

/// The first second of the year 1 and the last of the year 9999.
const RANGE: (i64, i64) = (-62_135_596_800, 253_402_300_799);
const SECOND: i64 = 1_000_000_000;

/// Functions of durations and timestamps.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("_+_", add),
    ("_-_", subtract),
    ("getDate", |it| calendar(it, |day| day.of_month)),
    ("getDayOfMonth", |it| calendar(it, |day| day.of_month - 1)),
    ("getDayOfWeek", |it| calendar(it, |day| day.of_week)),
    ("getDayOfYear", |it| calendar(it, |day| day.of_year)),
    ("getFullYear", |it| calendar(it, |day| day.year)),
    ("getMonth", |it| calendar(it, |day| day.month - 1)),
    ("getHours", |it| clock(it, 3600, Some(24))),
    ("getMinutes", |it| clock(it, 60, Some(60))),
    ("getSeconds", |it| clock(it, 1, Some(60))),
    ("getMilliseconds", milliseconds),
];

fn add(arguments: &[Operand]) -> Outcome {
    let overflow = || Fault::error("duration overflow");
    match take(arguments)? {
        [Data::Duration(a), Data::Duration(b)] => {
            Ok(Data::Duration(a.checked_add(*b).ok_or_else(overflow)?).into())
        }
        [Data::Timestamp(time), Data::Duration(by)]
        | [Data::Duration(by), Data::Timestamp(time)] => shifted(*time, i128::from(*by)),
        _ => Err(Fault::NoOverload),
    }
}

fn subtract(arguments: &[Operand]) -> Outcome {
    let overflow = || Fault::error("duration overflow");
    match take(arguments)? {
        [Data::Duration(a), Data::Duration(b)] => {
            Ok(Data::Duration(a.checked_sub(*b).ok_or_else(overflow)?).into())
        }
        [Data::Timestamp(a), Data::Timestamp(b)] => {
            let between = nanoseconds(*a) - nanoseconds(*b);
            Ok(Data::Duration(i64::try_from(between).map_err(|_| overflow())?).into())
        }
        [Data::Timestamp(time), Data::Duration(by)] => shifted(*time, -i128::from(*by)),
        _ => Err(Fault::NoOverload),
    }
}

fn nanoseconds(time: Timestamp) -> i128 {
    i128::from(time.seconds) * i128::from(SECOND) + i128::from(time.nanoseconds)
}

fn shifted(time: Timestamp, by: i128) -> Outcome {
    let total = nanoseconds(time) + by;
    let second = i128::from(SECOND);
    let seconds = i64::try_from(total.div_euclid(second));
    let rest = u32::try_from(total.rem_euclid(second));
    let (Ok(seconds), Ok(nanoseconds)) = (seconds, rest) else {
        return Err(Fault::error("timestamp overflow"));
    };
    Ok(Data::Timestamp(in_range(Timestamp { seconds, nanoseconds })?).into())
}

/// A timestamp of the years 1 to 9999.
///
/// # Errors
/// For any other.
pub(super) fn in_range(time: Timestamp) -> Result<Timestamp, Fault> {
    let fits = (RANGE.0..=RANGE.1).contains(&time.seconds);
    if fits { Ok(time) } else { Err(Fault::error("timestamp overflow")) }
}

/// A day of the calendar.
struct Day {
    year: i64,
    month: i64,
    of_month: i64,
    of_week: i64,
    of_year: i64,
}

/// The seconds since 1970 as a clock in that zone shows them.
fn local(time: Timestamp, zone: &str) -> Result<i64, Fault> {
    let wrong = || Fault::error(format!("`{zone}` is not a time zone"));
    Ok(time.seconds + zone::offset(zone, time.seconds).ok_or_else(wrong)?)
}

/// A timestamp's seconds in the zone that the arguments name.
fn zoned(arguments: &[Operand]) -> Result<i64, Fault> {
    match arguments {
        [Operand { data: Data::Timestamp(time), .. }] => Ok(time.seconds),
        [Operand { data: Data::Timestamp(time), .. }, Operand { data: Data::String(zone), .. }] => {
            local(*time, zone)
        }
        _ => Err(Fault::NoOverload),
    }
}

fn calendar(arguments: &[Operand], part: fn(&Day) -> i64) -> Outcome {
    let days = zoned(arguments)?.div_euclid(86_400);
    let (year, month, of_month) = date_of(days);
    let of_year = days - days_since_1970(year, 1, 1);
    let of_week = (days + 4).rem_euclid(7);
    Ok(Data::Int(part(&Day { year, month, of_month, of_week, of_year })).into())
}

fn clock(arguments: &[Operand], unit: i64, turn: Option<i64>) -> Outcome {
    if let [Operand { data: Data::Duration(duration), .. }] = arguments {
        return Ok(Data::Int(duration / SECOND / unit).into());
    }
    let units = zoned(arguments)?.div_euclid(unit);
    Ok(Data::Int(turn.map_or(units, |it| units.rem_euclid(it))).into())
}

fn milliseconds(arguments: &[Operand]) -> Outcome {
    let nanoseconds = match arguments {
        [Operand { data: Data::Duration(duration), .. }] => duration % SECOND,
        [Operand { data: Data::Timestamp(time), .. }, ..] => {
            zoned(arguments)?;
            time.nanoseconds.into()
        }
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Int(nanoseconds / 1_000_000).into())
}

/// A duration in seconds: `90s`, `1.5s`.
#[must_use]
pub(super) fn duration(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let size = nanoseconds.unsigned_abs();
    let (whole, rest) = (size / SECOND.unsigned_abs(), size % SECOND.unsigned_abs());
    if rest == 0 {
        return format!("{sign}{whole}s");
    }
    format!("{sign}{whole}.{}s", format!("{rest:09}").trim_end_matches('0'))
}

/// A timestamp as RFC 3339 writes it.
#[must_use]
pub(super) fn rfc3339(time: Timestamp) -> String {
    let (year, month, day) = date_of(time.seconds.div_euclid(86_400));
    let clock = time.seconds.rem_euclid(86_400);
    let (hours, minutes, seconds) = (clock / 3600, clock / 60 % 60, clock % 60);
    let fraction = match time.nanoseconds {
        0 => String::new(),
        it => format!(".{}", format!("{it:09}").trim_end_matches('0')),
    };
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}{fraction}Z")
}

/// The timestamp that RFC 3339 writes so.
#[must_use]
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits.bytes().all(|it| it.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let sign = |at: usize, sign: &str| text.get(at..=at).is_some_and(|it| sign.contains(it));
    let shape = sign(4, "-") && sign(7, "-") && sign(10, "Tt") && sign(13, ":") && sign(16, ":");
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hours, minutes, seconds) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_clock = hours < 24 && minutes < 60 && seconds < 60;
    if !shape || !is_clock || !exists(year, month, day) {
        return None;
    }
    let rest = text.get(19..)?;
    let (nanoseconds, zone) = fraction(rest)?;
    let offset = match zone {
        "Z" | "z" => 0,
        zone => zone::fixed(zone)?,
    };
    let days = days_since_1970(year, month, day);
    let seconds = days * 86_400 + hours * 3600 + minutes * 60 + seconds - offset;
    Some(Timestamp { seconds, nanoseconds })
}

/// The nanoseconds of a fraction, and what follows.
fn fraction(text: &str) -> Option<(u32, &str)> {
    let Some(rest) = text.strip_prefix('.') else { return Some((0, text)) };
    let length = rest.find(|it: char| !it.is_ascii_digit())?;
    let digits = rest.get(..length.min(9))?;
    let number: u32 = format!("{digits:0<9}").parse().ok()?;
    (length > 0).then_some((number, &rest[length..]))
}
