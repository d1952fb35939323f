//! Moments as Go prints and reads them by a layout: `2006-01-02T15:04:05Z07:00`.

use std::fmt::Write;

use crate::time::date::{date_of, days_since_1970, exists};

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

/// Why a text gives no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fails {
    /// It is not of that layout.
    Refused,
    /// The layout has what is not read here.
    Unclear,
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
            Part::Year { digits: 2 } => out.push_str(&format!("{:02}", year.rem_euclid(100))),
            Part::Year { .. } => out.push_str(&format!("{year:04}")),
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

/// What is read of a text, step by step.
struct Reader<'a> {
    rest: &'a str,
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanoseconds: u32,
    is_afternoon: Option<bool>,
    offset: Option<i64>,
    is_utc: bool,
}

/// The moment that a text gives by a layout.
pub(crate) fn read(layout: &str, text: &str) -> Result<Moment, Fails> {
    let mut reader = Reader {
        rest: text,
        year: 0,
        month: 1,
        day: 1,
        hour: 0,
        minute: 0,
        second: 0,
        nanoseconds: 0,
        is_afternoon: None,
        offset: None,
        is_utc: false,
    };
    let parts = parts(layout);
    if parts.contains(&Part::Other) {
        return Err(Fails::Unclear);
    }
    for (at, part) in parts.iter().enumerate() {
        let is_before_fraction = matches!(parts.get(at + 1), Some(Part::Fraction { .. }));
        reader.take(*part, is_before_fraction).ok_or(Fails::Refused)?;
    }
    if !reader.rest.is_empty() || !exists(reader.year, reader.month, reader.day) {
        return Err(Fails::Refused);
    }
    let hour = match reader.is_afternoon {
        Some(true) if reader.hour < 12 => reader.hour + 12,
        Some(false) if reader.hour == 12 => 0,
        _ => reader.hour,
    };
    let days = days_since_1970(reader.year, reader.month, reader.day);
    Ok(Moment {
        shown: days * 86_400 + hour * 3600 + reader.minute * 60 + reader.second,
        nanoseconds: reader.nanoseconds,
        offset: reader.offset,
        is_utc: reader.is_utc,
    })
}

impl Reader<'_> {
    /// Digits, no more and no fewer than that.
    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let count = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        if count < least { None } else { digits.parse().ok() }
    }

    fn number(&mut self, form: Form, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        if form == Form::Blank {
            self.rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
        }
        let least = if form == Form::Zero { 2 } else { 1 };
        self.digits(least, 2).filter(|it| range.contains(it))
    }

    fn name(&mut self, names: &[&str], len: usize) -> Option<i64> {
        let at = names.iter().position(|name| {
            let name = name.get(..len.min(name.len())).unwrap_or_default();
            self.rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name))
        })?;
        let taken = names.get(at)?.len().min(len);
        self.rest = self.rest.get(taken..)?;
        i64::try_from(at).ok()
    }

    fn take(&mut self, part: Part<'_>, is_before_fraction: bool) -> Option<()> {
        match part {
            Part::Text(text) => self.rest = self.rest.strip_prefix(text)?,
            Part::Year { digits: 2 } => {
                let year = self.digits(2, 2)?;
                self.year = if year >= 69 { 1900 + year } else { 2000 + year };
            }
            Part::Year { .. } => self.year = self.digits(4, 4)?,
            Part::Month(Form::Long) => self.month = self.name(&MONTHS, 9)? + 1,
            Part::Month(Form::Short) => self.month = self.name(&MONTHS, 3)? + 1,
            Part::Month(form) => self.month = self.number(form, 1..=12)?,
            Part::Weekday { long } => {
                self.name(&DAYS, if long { 9 } else { 3 })?;
            }
            Part::Day(form) => self.day = self.number(form, 0..=31)?,
            Part::Hour { of_day: true, .. } => self.hour = self.number(Form::Plain, 0..=23)?,
            Part::Hour { form, .. } => self.hour = self.number(form, 0..=12)?,
            Part::Minute(form) => self.minute = self.number(form, 0..=59)?,
            Part::Second(form) => {
                self.second = self.number(form, 0..=59)?;
                // A fraction may follow although the layout has none.
                let rest = self.rest.strip_prefix(['.', ',']).filter(|_| !is_before_fraction);
                if rest.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit())) {
                    self.fraction(None)?;
                }
            }
            Part::Noon { upper } => {
                let halves = if upper { ["AM", "PM"] } else { ["am", "pm"] };
                let at = halves.iter().position(|it| self.rest.starts_with(it))?;
                self.rest = self.rest.get(2..)?;
                self.is_afternoon = Some(at == 1);
            }
            Part::Offset { with_z: true, .. } if self.rest.starts_with('Z') => {
                self.rest = self.rest.get(1..)?;
                self.offset = Some(0);
                self.is_utc = true;
            }
            Part::Offset { with_colon, digits, .. } => self.take_offset(with_colon, digits)?,
            Part::Fraction { digits, keeps_zeros: true } => self.fraction(Some(digits))?,
            Part::Fraction { .. } => {
                let rest = self.rest.strip_prefix(['.', ',']);
                if rest.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit())) {
                    self.fraction(None)?;
                }
            }
            Part::Other => return None,
        }
        Some(())
    }

    /// `.25`, with so many digits.
    fn fraction(&mut self, count: Option<usize>) -> Option<()> {
        let digits = self.rest.strip_prefix(['.', ','])?;
        let found = digits.bytes().take_while(u8::is_ascii_digit).count();
        let len = count.unwrap_or(found);
        let text = digits.get(..len).filter(|_| len <= found && len > 0)?;
        let text: String = text.chars().chain("000000000".chars()).take(9).collect();
        self.nanoseconds = text.parse().ok()?;
        self.rest = digits.get(len..)?;
        Some(())
    }

    fn take_offset(&mut self, with_colon: bool, digits: usize) -> Option<()> {
        let sign = match self.rest.chars().next()? {
            '+' => 1,
            '-' => -1,
            _ => return None,
        };
        self.rest = self.rest.get(1..)?;
        let mut offset = self.digits(2, 2).filter(|it| *it <= 24)? * 3600;
        for (least, size) in [(4, 60), (6, 1)] {
            if digits >= least {
                self.rest = if with_colon { self.rest.strip_prefix(':')? } else { self.rest };
                offset += self.digits(2, 2).filter(|it| *it < 60)? * size;
            }
        }
        self.offset = Some(sign * offset);
        Some(())
    }
}
