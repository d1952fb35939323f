//! Schedules against the calendar, and against what robfig/cron takes and refuses.

use proptest::prelude::*;

use super::{Schedule, YEARS, cover_all_times, is_admitted, length};

const HOUR: Option<u32> = Some(60);
const DAILY: Option<u32> = Some(24 * 60);

#[test]
fn gaps_are_those_of_the_calendar() {
    let days = |number: u32| Some(number * 24 * 60);
    for (text, wanted) in [
        ("* * * * *", Some(1)),
        ("*/15 * * * *", Some(15)),
        ("5/20 * * * *", Some(20)),
        ("0 * * * *", HOUR),
        ("@hourly", HOUR),
        ("0 */5 * * *", Some(5 * 60)),
        ("0 9 * * *", DAILY),
        ("@daily", DAILY),
        ("@midnight", DAILY),
        ("0 0,12 * * *", Some(12 * 60)),
        ("30 08 ? * *", DAILY),
        ("0 9 * * mon-fri", days(3)),
        ("0 9,17 * * 1-5", Some(2 * 24 * 60 + 16 * 60)),
        ("0 0 * * Sun", days(7)),
        ("@weekly", days(7)),
        ("0 0 1 * *", days(31)),
        ("@monthly", days(31)),
        ("0 0 31 * *", days(61)),
        ("@yearly", days(366)),
        ("@annually", days(366)),
        ("0 0 29 feb *", days(4 * 365 + 1)),
        // Either the day or the weekday, when both are named.
        ("0 0 1,15 * Sun", days(7)),
        ("0 0 */10 * sun", days(7)),
        // Both of them, as soon as one is a star; a step of one leaves it a star.
        ("0 0 */1 * sun", days(7)),
        ("0 0 ? * sun,mon", days(6)),
        ("0 0 30 2 *", None),
        ("0 0 31 2,4,6,9,11 ?", None),
        (", * * * *", None),
    ] {
        let schedule = Schedule::read(text).unwrap_or_else(|it| unreachable!("{text}: {it}"));
        assert_eq!(schedule.longest_gap(), wanted, "{text}");
    }
}

#[test]
fn windows_cover_all_times_together() {
    for (windows, wanted) in [
        (&[("0 9 * * *", 8.0), ("0 17 * * *", 16.0)][..], true),
        (&[("0 9 * * *", 8.0), ("0 17 * * *", 15.9)], false),
        (&[("0 9 * * *", 7.9), ("0 17 * * *", 16.0)], false),
        (&[("0 0 * * sat", 48.0), ("0 0 * * mon-fri", 24.0)], true),
        (&[("0 0 * * sat", 24.0), ("0 0 * * mon-fri", 24.0)], false),
        (&[("0 22 * * *", 10.0), ("0 8 * * mon-fri", 14.0), ("0 8 * * 6,0", 14.0)], true),
        (&[("0 0 1 * *", 300.0), ("0 0 13 * *", 460.0)], true),
        (&[("0 0 1 * *", 300.0), ("0 0 13 * *", 450.0)], false),
        (&[("0 0 31 12 *", 48.0), ("@daily", 23.0)], false),
        (&[("* * * * *", 0.02)], true),
        (&[("*/2 * * * *", 0.01), ("1/2 * * * *", 0.02)], false),
        (&[("0 0 30 2 *", 24.0)], false),
        (&[], false),
    ] {
        let read = |(text, hours): &(&str, f64)| {
            let schedule = Schedule::read(text).unwrap_or_else(|it| unreachable!("{text}: {it}"));
            (schedule, hours * 60.0)
        };
        let all: Vec<_> = windows.iter().map(read).collect();
        assert_eq!(cover_all_times(&all), wanted, "{windows:?}");
    }
}

#[test]
fn what_the_library_takes_is_taken() {
    for (text, same) in [
        ("  0   0 * * *  ", "0 0 * * *"),
        ("0\t0 * * *", "0 0 * * *"),
        ("00 000 ? jAn SUN", "0 0 * 1 0"),
        ("+5 0 * * *", "5 0 * * *"),
        ("5-7/1 0 * * *", "5,6,7 0 * * *"),
        ("5-6/2 0 * * *", "5 0 * * *"),
        ("1,5-7/2,,3 0 * * *", "1,3,5,7 0 * * *"),
        ("*-9 * * * *", "* * * * *"),
        ("50/99999999999999999999 * * * *", "50 * * * *"),
        ("0 0 * feb Mon/2", "0 0 * 2 1,3,5"),
    ] {
        assert_eq!(Schedule::read(text), Schedule::read(same), "{text}");
        assert!(Schedule::read(text).is_ok(), "{text}");
    }
}

#[test]
fn what_the_library_refuses_is_refused() {
    for (text, wanted) in [
        ("* * * * 7", "weekday `7` is above 6"),
        ("* * * * 5-7", "weekday `7` is above 6"),
        ("* * * * mon-sun", "weekday `mon-sun` goes backwards"),
        ("* * * * monday", "`monday` is no weekday"),
        ("* * * * l", "`l` is no weekday"),
        ("0 22-6 * * *", "hour `22-6` goes backwards"),
        ("0 24 * * *", "hour `24` is above 23"),
        ("60 * * * *", "minute `60` is above 59"),
        ("0 0 0 * *", "day `0` is below 1"),
        ("0 0 1 0 *", "month `0` is below 1"),
        ("0 0 1 13 *", "month `13` is above 12"),
        ("*/0 * * * *", "the steps of `*/0` are zero"),
        ("*/-12 * * * *", "`-12` is no minute"),
        ("*//2 * * * *", "`*//2` is no minute"),
        ("*/ * * * *", "`` is no minute"),
        ("5--5 * * * *", "`-5` is no minute"),
        ("1-2-3 * * * *", "`2-3` is no minute"),
        ("*/mon * * * *", "`mon` is no minute"),
        ("1.5 * * * *", "`1.5` is no minute"),
        ("0 0 9 * * *", "a schedule has 5 fields, not 6"),
        ("0 0 ? * MON-FRI *", "a schedule has 5 fields, not 6"),
        ("@daily at noon", "there is no schedule `@daily at noon`"),
        ("TZ=Asia/Tokyo 0 9 * * *", "a schedule is in UTC, without a time zone"),
        ("CRON_TZ=UTC 0 9 * * *", "a schedule is in UTC, without a time zone"),
    ] {
        assert_eq!(Schedule::read(text), Err(wanted.to_owned()), "{text}");
        assert!(is_admitted(text), "{text}");
    }
    for text in ["", "* * * *", "@every 1h", "@reboot", "daily", "9am every day"] {
        assert!(!is_admitted(text), "{text}");
    }
}

/// A range of one of the fields, mostly one that can be read.
fn range(lowest: u32, highest: u32) -> impl Strategy<Value = String> {
    let pair = (lowest..=highest, lowest..=highest).prop_map(|(a, b)| (a.min(b), a.max(b)));
    prop_oneof![
        Just("*".to_owned()),
        (lowest..=highest).prop_map(|it| it.to_string()),
        (1..=highest).prop_map(|it| format!("*/{it}")),
        (lowest..=highest, 1..=highest).prop_map(|(it, step)| format!("{it}/{step}")),
        pair.prop_map(|(a, b)| format!("{a}-{b}")),
    ]
}

fn field(lowest: u32, highest: u32) -> impl Strategy<Value = String> {
    proptest::collection::vec(range(lowest, highest), 1..3).prop_map(|it| it.join(","))
}

fn schedule() -> impl Strategy<Value = String> {
    let days = (field(1, 31), prop_oneof![3 => Just("*".to_owned()), 1 => field(1, 12)]);
    let fields = (field(0, 59), field(0, 23), days, field(0, 6));
    fields.prop_map(|(minute, hour, (day, month), weekday)| {
        format!("{minute} {hour} {day} {month} {weekday}")
    })
}

/// Whether a field names a number: decided number by number, unlike the library.
fn names(field: &str, number: u32, (lowest, highest): (u32, u32)) -> bool {
    let value = |it: &str| it.parse::<u32>().expect("it is made of numbers");
    field.split(',').any(|range| {
        let (numbers, step) = range.split_once('/').map_or((range, None), |(a, b)| (a, Some(b)));
        let (start, end) = match numbers.split_once('-') {
            Some((start, end)) => (value(start), value(end)),
            None if numbers == "*" => (lowest, highest),
            None if step.is_some() => (value(numbers), highest),
            None => (value(numbers), value(numbers)),
        };
        (start..=end).contains(&number) && (number - start).is_multiple_of(step.map_or(1, value))
    })
}

/// Whether a field leaves its numbers open.
fn is_star(field: &str) -> bool {
    field.split(',').any(|it| matches!(it, "*" | "*/1"))
}

/// The longest time between two openings, counted minute by minute from one year to the end of another.
fn counted(text: &str, years: std::ops::Range<u32>) -> Option<u32> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [minutes, hours, days, months, weekdays] = fields[..] else { unreachable!("{text}") };
    let runs = |hour, minute| names(hours, hour, (0, 23)) && names(minutes, minute, (0, 59));
    let times: Vec<u32> = (0..24 * 60).filter(|it| runs(it / 60, it % 60)).collect();
    let (mut weekday, mut midnight, mut before, mut longest) = (1, 0_u32, None, None);
    for year in YEARS {
        for month in 1..=12 {
            for day in 1..=length(year, month) {
                let its = names(months, month, (1, 12)) && years.contains(&year);
                let in_month = names(days, day, (1, 31));
                let in_week = names(weekdays, weekday, (0, 6));
                let both = is_star(days) || is_star(weekdays);
                let runs = its && if both { in_month && in_week } else { in_month || in_week };
                for now in times.iter().filter(|_| runs).map(|it| midnight + it) {
                    longest = longest.max(before.map(|it| now - it));
                    before = Some(now);
                }
                midnight += 24 * 60;
                weekday = (weekday + 1) % 7;
            }
        }
    }
    longest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_gap_is_longer_than_the_longest(text in schedule()) {
        let schedule = Schedule::read(&text).expect("it is made of what is taken");
        let counted = counted(&text, 2003..2005);
        if let Some(counted) = counted {
            prop_assert!(schedule.longest_gap().is_some_and(|it| it >= counted), "{text}: {counted}");
        }
    }

    #[test]
    fn the_longest_gap_is_there(minute in field(0, 59), hour in field(0, 23), weekday in field(0, 6)) {
        let text = format!("{minute} {hour} * * {weekday}");
        let schedule = Schedule::read(&text).expect("it is made of what is taken");
        prop_assert_eq!(schedule.longest_gap(), counted(&text, 2003..2004), "{}", text);
    }
}
