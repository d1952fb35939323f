//! Durations in words. What has to do with a date is unknown: `now` is, and `date` and `toDate` count in the
//! time zone of the machine that runs Helm.

use crate::{
    helm::{
        functions::{
            arguments::{Answer, Args, Function},
            unknown::same,
        },
        value::{Kind, Val},
    },
    time::duration::nanoseconds,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[("duration", duration), ("durationRound", rounded)];

/// A number of seconds in words: `1m35s`. sprig reads texts and what it computed itself, and no other number.
fn duration(args: &Args<'_>) -> Answer {
    let seconds = match &args.known(0)?.kind {
        Kind::Long(seconds) => *seconds,
        Kind::Text(_) => args.string(0)?.as_str().parse().unwrap_or(0),
        Kind::Time(_) => return same(args),
        _ => 0,
    };
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let sign = if seconds < 0 { "-" } else { "" };
    let (hours, minutes, rest) =
        (hours.unsigned_abs(), minutes.unsigned_abs(), rest.unsigned_abs());
    Ok(Val::text(match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}s"),
        (0, _) => format!("{sign}{minutes}m{rest}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}s"),
    }))
}

/// The largest unit of a duration alone: `2h`.
fn rounded(args: &Args<'_>) -> Answer {
    const SECOND: u64 = 1_000_000_000;
    const HOUR: u64 = 3600 * SECOND;
    const UNITS: [(u64, &str); 6] = [
        (HOUR * 24 * 365, "y"),
        (HOUR * 24 * 30, "mo"),
        (HOUR * 24, "d"),
        (HOUR, "h"),
        (60 * SECOND, "m"),
        (SECOND, "s"),
    ];
    let length = match &args.known(0)?.kind {
        Kind::Long(length) => *length,
        Kind::Text(_) => nanoseconds(args.string(0)?.as_str()).unwrap_or(0),
        Kind::Time(_) => return same(args),
        _ => 0,
    };
    let length = length.unsigned_abs();
    let unit = UNITS.into_iter().find(|(unit, _)| length > *unit);
    Ok(Val::text(
        unit.map_or_else(|| "0s".to_owned(), |(unit, name)| format!("{}{name}", length / unit)),
    ))
}
