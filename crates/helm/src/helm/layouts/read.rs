//! Text read by a layout, as Go's `time.Parse` does.

use crate::{
    helm::layouts::{DAYS, Form, MONTHS, Moment, Part, parts},
    time::date::{days_since_1970, exists},
};

/// Why a text gives no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fails {
    /// It is not of that layout.
    Refused,
    /// The layout has what is not read here.
    Unclear,
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
pub(crate) fn moment(layout: &str, text: &str) -> Result<Moment, Fails> {
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
