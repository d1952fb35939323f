//! Dates and times in RFC 3339: `formatdate`, `timeadd`, `timecmp`.

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, EvaluationError},
    },
    time::{
        date::{date_of, days_since_1970},
        duration::nanoseconds,
    },
    value::{Kind, Value},
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY: i64 = 86_400;
const NANOS: i128 = 1_000_000_000;

/// A moment and the clock it is read from.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// Nanoseconds since 1970, in universal time.
    nanos: i128,
    /// Minutes east of Greenwich.
    offset: i64,
}

/// What a calendar and a clock show.
struct DateTime {
    year: i64,
    month: usize,
    day: i64,
    weekday: usize,
    hour: i64,
    minute: i64,
    second: i64,
}

/// `timecmp`: -1, 0 or 1.
///
/// # Errors
/// When an argument is no time.
pub(super) fn time_compare(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let first = moment(call, arguments, 0)?;
    let second = moment(call, arguments, 1)?;
    Ok(call.value(Kind::Number(f64::from(first.nanos.cmp(&second.nanos) as i8))))
}

/// `timeadd`
///
/// # Errors
/// When the arguments are no time and no duration.
pub(super) fn time_add(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let moment = moment(call, arguments, 0)?;
    let Some(duration) = nanoseconds(&argument::text(call, arguments, 1)?) else {
        return call.fault("needs a duration");
    };
    let later = Moment { nanos: moment.nanos + i128::from(duration), ..moment };
    let Some(shown) = later.shown() else { return Ok(call.unknown()) };
    let DateTime { year, month, day, hour, minute, second, .. } = shown;
    let zone = if later.offset == 0 { "Z".to_owned() } else { later.zone(":") };
    Ok(call.text(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")))
}

/// `formatdate`
///
/// # Errors
/// When the format has an unknown letter or the time cannot be read.
pub(super) fn format_date(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let format = argument::text(call, arguments, 0)?;
    let moment = moment(call, arguments, 1)?;
    let Some(shown) = moment.shown() else { return Ok(call.unknown()) };
    let mut result = String::new();
    let mut rest = &*format;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let Some((quoted, after)) = quoted(&rest[1..]) else {
                return call.fault("has a quote that is not closed");
            };
            result.push_str(&quoted);
            rest = after;
            continue;
        }
        let length = rest.chars().take_while(|it| *it == first).map(char::len_utf8).sum();
        let (run, after) = rest.split_at(length);
        rest = after;
        if !first.is_ascii_alphabetic() {
            result.push_str(run);
        } else if let Some(text) = field(run, moment, &shown) {
            result.push_str(&text);
        } else {
            return call.fault(format_args!("does not know the field `{run}`"));
        }
    }
    Ok(call.text(result))
}

/// The text up to the closing quote, where two quotes mean one.
fn quoted(mut rest: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    loop {
        let end = rest.find('\'')?;
        text.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                text.push('\'');
                rest = after;
            }
            None => return Some((text, rest)),
        }
    }
}

/// A field of a date's format.
fn field(run: &str, moment: Moment, shown: &DateTime) -> Option<String> {
    let month = MONTHS.get(shown.month.checked_sub(1)?)?;
    let weekday = WEEKDAYS.get(shown.weekday)?;
    let half = (shown.hour + 11) % 12 + 1;
    let noon = |before: &str, after: &str| if shown.hour < 12 { before } else { after }.to_owned();
    Some(match run {
        "YYYY" => format!("{:04}", shown.year),
        "YY" => format!("{:02}", shown.year % 100),
        "MMMM" => (*month).to_owned(),
        "MMM" => month.get(..3)?.to_owned(),
        "MM" => format!("{:02}", shown.month),
        "M" => shown.month.to_string(),
        "DD" => format!("{:02}", shown.day),
        "D" => shown.day.to_string(),
        "EEEE" => (*weekday).to_owned(),
        "EEE" => weekday.get(..3)?.to_owned(),
        "hh" => format!("{:02}", shown.hour),
        "h" => shown.hour.to_string(),
        "HH" => format!("{half:02}"),
        "H" => half.to_string(),
        "AA" => noon("AM", "PM"),
        "aa" => noon("am", "pm"),
        "mm" => format!("{:02}", shown.minute),
        "m" => shown.minute.to_string(),
        "ss" => format!("{:02}", shown.second),
        "s" => shown.second.to_string(),
        "ZZZ" if moment.offset == 0 => "UTC".to_owned(),
        "Z" if moment.offset == 0 => "Z".to_owned(),
        "ZZZZZ" | "Z" => moment.zone(":"),
        "ZZZZ" | "ZZZ" => moment.zone(""),
        _ => return None,
    })
}

impl Moment {
    /// `+05:30` with the given text between hours and minutes.
    fn zone(self, between: &str) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let size = self.offset.abs();
        format!("{sign}{:02}{between}{:02}", size / 60, size % 60)
    }

    /// What its clock shows; `None` outside of the years 0 to 9999.
    fn shown(self) -> Option<DateTime> {
        let local = i64::try_from(self.nanos.div_euclid(NANOS)).ok()? + self.offset * 60;
        let days = local.div_euclid(DAY);
        let time = local.rem_euclid(DAY);
        let (year, month, day) = date_of(days);
        let month = usize::try_from(month).ok()?;
        let weekday = usize::try_from((days + 4).rem_euclid(7)).ok()?;
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        (0..=9999).contains(&year).then_some(DateTime {
            year,
            month,
            day,
            weekday,
            hour,
            minute,
            second,
        })
    }
}

fn moment(call: &Call<'_>, arguments: &[Value], index: usize) -> Result<Moment, EvaluationError> {
    let text = argument::text(call, arguments, index)?;
    match read(&text) {
        Some(moment) => Ok(moment),
        None => call.fault(format_args!("cannot read `{text}` as a time")),
    }
}

/// Reads `2006-01-02T15:04:05.999+07:00`.
fn read(text: &str) -> Option<Moment> {
    let separators = [(4, '-'), (7, '-'), (10, 'T'), (13, ':'), (16, ':')];
    if !text.is_ascii()
        || !separators
            .iter()
            .all(|(at, it)| text.get(*at..).is_some_and(|rest| rest.starts_with(*it)))
    {
        return None;
    }
    let (year, month, day) = (part(text, 0, 4)?, part(text, 5, 7)?, part(text, 8, 10)?);
    let (hour, minute, second) = (part(text, 11, 13)?, part(text, 14, 16)?, part(text, 17, 19)?);
    let month_length = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=month_length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut rest = text.get(19..)?;
    let mut nanos = 0;
    if let Some(after) = rest.strip_prefix('.') {
        let count = after.bytes().take_while(u8::is_ascii_digit).count();
        nanos = format!("{:0<9.9}", &after[..count]).parse::<i128>().ok()?;
        rest = if count == 0 { return None } else { &after[count..] };
    }
    let offset = match rest.chars().next()? {
        'Z' if rest.len() == 1 => 0,
        sign @ ('+' | '-') if rest.len() == 6 && rest[3..].starts_with(':') => {
            let (hours, minutes) = (part(rest, 1, 3)?, part(rest, 4, 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if sign == '-' { -1 } else { 1 }
        }
        _ => return None,
    };
    let seconds =
        days_since_1970(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset * 60;
    Some(Moment { nanos: i128::from(seconds) * NANOS + nanos, offset })
}

/// Digits as a number.
fn part(text: &str, from: usize, to: usize) -> Option<i64> {
    let digits = text.get(from..to)?;
    if digits.bytes().all(|it| it.is_ascii_digit()) { digits.parse().ok() } else { None }
}
