//! The schedules of disruption budgets, read as Karpenter reads them: robfig/cron v3.0.1, `ParseStandard`,
//! in UTC. It differs from crontab(5) in what it takes, and Karpenter disrupts nothing while it takes
//! nothing. <https://github.com/robfig/cron/blob/v3.0.1/parser.go>

/// When a window opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether a day has to be right both in its month and in its week: one of the two says `*`.
    both: bool,
}

/// A field of a schedule.
struct ScheduleField {
    called: &'static str,
    lowest: u32,
    highest: u32,
    /// What may be written in place of numbers; the first stands for the lowest.
    names: &'static [&'static str],
}

const MINUTE: ScheduleField =
    ScheduleField { called: "minute", lowest: 0, highest: 59, names: &[] };
const HOUR: ScheduleField = ScheduleField { called: "hour", lowest: 0, highest: 23, names: &[] };
const DAY: ScheduleField = ScheduleField { called: "day", lowest: 1, highest: 31, names: &[] };
const MONTH: ScheduleField = ScheduleField {
    called: "month",
    lowest: 1,
    highest: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAY: ScheduleField = ScheduleField {
    called: "weekday",
    lowest: 0,
    highest: 6,
    names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

/// Schedules with a name, and what they stand for.
const NAMED: &[(&str, &str)] = &[
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// The bit the library sets in a field that says `*` or `?`.
const STAR: u64 = 1 << 63;
const MINUTES_OF_A_DAY: u32 = 24 * 60;
/// Until the year 2100 dates fall on the same weekdays again after 28 years. The first day of these is a
/// Monday.
const YEARS: std::ops::Range<u32> = 2001..2029;

/// Whether the API server lets a text pass as a schedule.
#[must_use]
pub fn is_admitted(text: &str) -> bool {
    let named = NAMED.iter().any(|(name, _)| text.starts_with(name));
    named || text.split_whitespace().count() >= 5
}

impl Schedule {
    /// Reads a schedule that the API server admits; what is wrong with it otherwise.
    ///
    /// # Errors
    /// The fault in words, as short as it goes.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("TZ=") || text.starts_with("CRON_TZ=") {
            return Err("a schedule is in UTC, without a time zone".to_owned());
        }
        let text = match NAMED.iter().find(|(name, _)| *name == text) {
            Some((_, fields)) => fields,
            None if text.starts_with('@') => return Err(format!("there is no schedule `{text}`")),
            None => text,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields[..] else {
            return Err(format!("a schedule has 5 fields, not {}", fields.len()));
        };
        let (days, weekdays) = (DAY.field(days)?, WEEKDAY.field(weekdays)?);
        Ok(Self {
            minutes: MINUTE.field(minutes)?,
            hours: HOUR.field(hours)?,
            months: MONTH.field(months)?,
            days,
            weekdays,
            both: (days | weekdays) & STAR != 0,
        })
    }

    /// The minutes from one opening to the next, at most; `None` when there is none at all, which Karpenter
    /// takes for a window that is always open.
    #[must_use]
    pub fn longest_gap(&self) -> Option<u32> {
        let times: Vec<u32> = (0..MINUTES_OF_A_DAY).filter(|it| self.runs_at(*it)).collect();
        let (first, last) = (*times.first()?, *times.last()?);
        let within_a_day = times.windows(2).map(|it| it[1] - it[0]).max().unwrap_or_default();
        let (days, all) = self.days();
        let next = days.iter().skip(1).copied().chain(days.first().map(|it| it + all));
        let nights = days.iter().zip(next).map(|(day, next)| next - day).max()?;
        Some(within_a_day.max(nights * MINUTES_OF_A_DAY + first - last))
    }

    /// From which minute of a day to which it is open when it runs on that day: windows that meet are one.
    fn windows(&self, minutes: f64) -> Vec<(f64, f64)> {
        let mut windows: Vec<(f64, f64)> = Vec::new();
        for opens in (0..MINUTES_OF_A_DAY).filter(|it| self.runs_at(*it)).map(f64::from) {
            match windows.last_mut() {
                Some((_, end)) if opens <= *end => *end = opens + minutes,
                _ => windows.push((opens, opens + minutes)),
            }
        }
        windows
    }

    /// The days on which it runs, by their number, and how many days there are before all begins again.
    fn days(&self) -> (Vec<u32>, u32) {
        let (mut days, mut number) = (Vec::new(), 0);
        for year in YEARS {
            for month in MONTH.lowest..=MONTH.highest {
                for day in 1..=length(year, month) {
                    if has(self.months, month) && self.runs_on(day, (number + 1) % 7) {
                        days.push(number);
                    }
                    number += 1;
                }
            }
        }
        (days, number)
    }

    fn runs_at(&self, minute_of_day: u32) -> bool {
        has(self.hours, minute_of_day / 60) && has(self.minutes, minute_of_day % 60)
    }

    fn runs_on(&self, day: u32, weekday: u32) -> bool {
        let (in_month, in_week) = (has(self.days, day), has(self.weekdays, weekday));
        if self.both { in_month && in_week } else { in_month || in_week }
    }
}

/// Whether at least one of some windows is open at any time: when they open, and for how many minutes.
#[must_use]
pub fn cover_all_times(windows: &[(Schedule, f64)]) -> bool {
    let (mut open, mut all) = (Vec::new(), 0.0);
    for (schedule, minutes) in windows {
        let of_a_day = schedule.windows(*minutes);
        let (days, number) = schedule.days();
        all = f64::from(number * MINUTES_OF_A_DAY);
        for midnight in days.iter().map(|it| f64::from(it * MINUTES_OF_A_DAY)) {
            open.extend(of_a_day.iter().map(|(opens, end)| (midnight + opens, midnight + end)));
        }
    }
    open.sort_unstable_by(|one, other| f64::total_cmp(&one.0, &other.0));
    // What is still open at the end is open when all begins again.
    let last = open.iter().map(|(_, end)| *end).fold(0.0, f64::max);
    let mut covered = last - all;
    let meet = open.iter().all(|(opens, end)| {
        let meets = *opens <= covered;
        covered = covered.max(*end);
        meets
    });
    meet && !open.is_empty()
}

fn has(bits: u64, number: u32) -> bool {
    bits & (1 << number) != 0
}

/// How many days a month has.
fn length(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl ScheduleField {
    /// The numbers a field names, as bits. One without any range names none.
    fn field(&self, text: &str) -> Result<u64, String> {
        let ranges = text.split(',').filter(|it| !it.is_empty());
        ranges.map(|it| self.range(it)).try_fold(0, |bits, it| Ok(bits | it?))
    }

    /// `5`, `mon-fri`, `*/15`, `10/5`, which goes on to the end.
    fn range(&self, text: &str) -> Result<u64, String> {
        let (numbers, step) = match text.split_once('/') {
            None => (text, None),
            Some((_, step)) if step.contains('/') => return Err(self.cannot_read(text)),
            Some((numbers, step)) => (numbers, Some(self.number(step, &[])?)),
        };
        let (first, second) = match numbers.split_once('-') {
            Some((first, second)) => (first, Some(second)),
            None => (numbers, None),
        };
        let star = matches!(first, "*" | "?");
        let (start, end) = match second {
            // Whatever follows a star is not looked at.
            _ if star => (self.lowest, self.highest),
            Some(second) => (self.number(first, self.names)?, self.number(second, self.names)?),
            None => {
                let start = self.number(first, self.names)?;
                (start, if step.is_some() { self.highest } else { start })
            }
        };
        let called = self.called;
        if start < self.lowest {
            return Err(format!("{called} `{first}` is below {}", self.lowest));
        }
        if end > self.highest {
            let written = second.unwrap_or(first);
            return Err(format!("{called} `{written}` is above {}", self.highest));
        }
        if start > end {
            return Err(format!("{called} `{numbers}` goes backwards"));
        }
        let step = step.unwrap_or(1);
        let width = usize::try_from(step).ok().filter(|it| *it > 0);
        let width = width.ok_or_else(|| format!("the steps of `{text}` are zero"))?;
        let bits = (start..=end).step_by(width).fold(0, |bits, it| bits | (1 << it));
        Ok(if star && step == 1 { bits | STAR } else { bits })
    }

    fn number(&self, text: &str, names: &[&str]) -> Result<u32, String> {
        let mut counted = names.iter().zip(self.lowest..);
        if let Some((_, number)) = counted.find(|(it, _)| text.eq_ignore_ascii_case(it)) {
            return Ok(number);
        }
        // A sign is taken, as long as it is no minus; a number may be as long as it likes.
        let digits = text.strip_prefix('+').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return Err(self.cannot_read(text));
        }
        digits.parse().or(Ok(u32::MAX))
    }

    fn cannot_read(&self, text: &str) -> String {
        format!("`{text}` is no {}", self.called)
    }
}

#[cfg(test)]
mod tests;
