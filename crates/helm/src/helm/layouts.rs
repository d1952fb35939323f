//! Moments as Go prints and reads them by a layout: `2006-01-02T15:04:05Z07:00`.

pub(crate) mod read;

use std::fmt::Write;

use crate::time::date::date_of;

/// A moment, as a clock shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Seconds since 1970 that the clock shows.
    pub shown: i64,
    /// Parts of the second.
    pub nanoseconds: u32,
    /// Seconds that the clock is ahead of UTC; `None` for the clock of the machine that runs Helm.
    pub offset: Option<i64>,
    /// Whether it is UTC, and not another place without an offset.
    pub is_utc: bool,
}

/// A part of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Year {
        digits: usize,
    },
    Month(Form),
    Weekday {
        long: bool,
    },
    Day(Form),
    Hour {
        of_day: bool,
        form: Form,
    },
    Minute(Form),
    Second(Form),
    Noon {
        upper: bool,
    },
    Offset {
        with_z: bool,
        with_colon: bool,
        digits: usize,
    },
    Fraction {
        digits: usize,
        keeps_zeros: bool,
    },
    /// An abbreviated zone, or a day of the year.
    Other,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    Zero,
    Blank,
    Short,
    Long,
}

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

const DAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// What a layout has, the longest first where one begins another.
const PARTS: &[(&str, Part<'static>)] = &[
    ("January", Part::Month(Form::Long)),
    ("Jan", Part::Month(Form::Short)),
    ("Monday", Part::Weekday { long: true }),
    ("Mon", Part::Weekday { long: false }),
    ("MST", Part::Other),
    ("002", Part::Other),
    ("__2", Part::Other),
    ("01", Part::Month(Form::Zero)),
    ("02", Part::Day(Form::Zero)),
    ("03", Part::Hour { of_day: false, form: Form::Zero }),
    ("04", Part::Minute(Form::Zero)),
    ("05", Part::Second(Form::Zero)),
    ("06", Part::Year { digits: 2 }),
    ("15", Part::Hour { of_day: true, form: Form::Zero }),
    ("1", Part::Month(Form::Plain)),
    ("2006", Part::Year { digits: 4 }),
    ("2", Part::Day(Form::Plain)),
    ("_2006", Part::Text("_")),
    ("_2", Part::Day(Form::Blank)),
    ("3", Part::Hour { of_day: false, form: Form::Plain }),
    ("4", Part::Minute(Form::Plain)),
    ("5", Part::Second(Form::Plain)),
    ("PM", Part::Noon { upper: true }),
    ("pm", Part::Noon { upper: false }),
    ("-070000", Part::Offset { with_z: false, with_colon: false, digits: 6 }),
    ("-07:00:00", Part::Offset { with_z: false, with_colon: true, digits: 6 }),
    ("-0700", Part::Offset { with_z: false, with_colon: false, digits: 4 }),
    ("-07:00", Part::Offset { with_z: false, with_colon: true, digits: 4 }),
    ("-07", Part::Offset { with_z: false, with_colon: false, digits: 2 }),
    ("Z070000", Part::Offset { with_z: true, with_colon: false, digits: 6 }),
    ("Z07:00:00", Part::Offset { with_z: true, with_colon: true, digits: 6 }),
    ("Z0700", Part::Offset { with_z: true, with_colon: false, digits: 4 }),
    ("Z07:00", Part::Offset { with_z: true, with_colon: true, digits: 4 }),
    ("Z07", Part::Offset { with_z: true, with_colon: false, digits: 2 }),
];

/// The parts of a layout.
fn parts(layout: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(rest) = layout.get(at..).filter(|it| !it.is_empty()) {
        let Some((part, len)) = part(rest) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if text_from < at {
            found.push(Part::Text(layout.get(text_from..at).unwrap_or_default()));
        }
        found.push(part);
        at += len;
        text_from = at;
    }
    if text_from < layout.len() {
        found.push(Part::Text(layout.get(text_from..).unwrap_or_default()));
    }
    found
}

fn part(rest: &str) -> Option<(Part<'_>, usize)> {
    if let Some(digits) = rest.strip_prefix(['.', ',']) {
        let kind = digits.chars().next().filter(|it| matches!(it, '0' | '9'))?;
        let count = digits.len() - digits.trim_start_matches(kind).len();
        let goes_on = digits.as_bytes().get(count).is_some_and(u8::is_ascii_digit);
        let part = Part::Fraction { digits: count, keeps_zeros: kind == '0' };
        return (!goes_on).then_some((part, count + 1));
    }
    let is_word = |name: &str| {
        let after = rest.as_bytes().get(name.len());
        matches!(name, "Jan" | "Mon") && after.is_some_and(u8::is_ascii_lowercase)
    };
    let (name, part) = PARTS.iter().find(|(name, _)| rest.starts_with(name) && !is_word(name))?;
    // The blank of `_2006` is text before a year.
    Some((*part, if *name == "_2006" { 1 } else { name.len() }))
}

impl Moment {
    /// The moment in UTC, if it is known.
    pub(crate) fn in_utc(self) -> Option<Self> {
        let offset = self.offset?;
        Some(Self { shown: self.shown - offset, offset: Some(0), is_utc: true, ..self })
    }

    /// It by a layout; `None` where that has what only the machine knows.
    pub(crate) fn printed(self, layout: &str) -> Option<String> {
        let mut out = String::new();
        for part in parts(layout) {
            self.push(part, &mut out)?;
        }
        Some(out)
    }

    fn push(self, part: Part<'_>, out: &mut String) -> Option<()> {
        let (day, second) = (self.shown.div_euclid(86_400), self.shown.rem_euclid(86_400));
        let (year, month, date) = date_of(day);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        let name = |names: &[&'static str], at: i64| {
            usize::try_from(at).ok().and_then(|it| names.get(it)).copied().unwrap_or_default()
        };
        let number = |form: Form, value: i64| match form {
            Form::Zero => format!("{value:02}"),
            Form::Blank => format!("{value:2}"),
            _ => value.to_string(),
        };
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Year { digits: 2 } => out.push_str(&number(Form::Zero, year.rem_euclid(100))),
            Part::Year { .. } => write!(out, "{year:04}").ok()?,
            Part::Month(Form::Long) => out.push_str(name(&MONTHS, month - 1)),
            Part::Month(Form::Short) => out.extend(name(&MONTHS, month - 1).chars().take(3)),
            Part::Month(form) => out.push_str(&number(form, month)),
            Part::Weekday { long } => {
                let count = if long { 9 } else { 3 };
                out.extend(name(&DAYS, day.rem_euclid(7)).chars().take(count));
            }
            Part::Day(form) => out.push_str(&number(form, date)),
            Part::Hour { of_day: true, form } => out.push_str(&number(form, hour)),
            Part::Hour { form, .. } => out.push_str(&number(form, (hour + 11) % 12 + 1)),
            Part::Minute(form) => out.push_str(&number(form, minute)),
            Part::Second(form) => out.push_str(&number(form, second % 60)),
            Part::Noon { upper } => {
                let half = if hour < 12 { "AM" } else { "PM" };
                out.push_str(&if upper { half.to_owned() } else { half.to_lowercase() });
            }
            Part::Offset { with_z, with_colon, digits } => {
                push_offset(self.offset?, (with_z, with_colon, digits), out);
            }
            Part::Fraction { digits, keeps_zeros } => {
                let text = format!("{:09}", self.nanoseconds);
                let text = text.get(..digits.min(9)).unwrap_or_default();
                let text = if keeps_zeros { text } else { text.trim_end_matches('0') };
                if !text.is_empty() {
                    out.push('.');
                    out.push_str(text);
                }
            }
            Part::Other if self.is_utc => out.push_str("UTC"),
            Part::Other => return None,
        }
        Some(())
    }
}

fn push_offset(offset: i64, (with_z, with_colon, digits): (bool, bool, usize), out: &mut String) {
    if with_z && offset == 0 {
        out.push('Z');
        return;
    }
    let size = offset.abs();
    let _ = write!(out, "{}{:02}", if offset < 0 { '-' } else { '+' }, size / 3600);
    for (least, value) in [(4, size / 60 % 60), (6, size % 60)] {
        if digits >= least {
            let _ = write!(out, "{}{value:02}", if with_colon { ":" } else { "" });
        }
    }
}
