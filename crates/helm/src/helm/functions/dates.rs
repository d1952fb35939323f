//! Dates that are written: read, moved, printed. What depends on the clock or the zone of the machine that runs Helm
//! is not known.

use std::rc::Rc;

use crate::{
    helm::{
        fault::Fault,
        functions::{
            arguments::{Answer, Args, Function},
            unknown::same,
        },
        layouts::{
            Moment,
            read::{self, Fails},
        },
        value::{Kind, Val},
    },
    time::duration::nanoseconds,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("now", same),
    ("ago", same),
    ("date", |it| printed(it, it.string(0)?.as_str(), 1, Zone::Machine)),
    ("dateInZone", |it| printed(it, it.string(0)?.as_str(), 1, Zone::of(it.string(2)?.as_str()))),
    ("date_in_zone", |it| printed(it, it.string(0)?.as_str(), 1, Zone::of(it.string(2)?.as_str()))),
    ("htmlDate", |it| printed(it, DAY, 0, Zone::Machine)),
    ("htmlDateInZone", |it| printed(it, DAY, 0, Zone::of(it.string(1)?.as_str()))),
    ("dateModify", moved),
    ("date_modify", moved),
    ("mustDateModify", moved),
    ("must_date_modify", moved),
    ("toDate", to_date),
    ("mustToDate", to_date),
    ("unixEpoch", epoch),
];

const DAY: &str = "2006-01-02";

/// Whose clock a date is printed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    Utc,
    Machine,
    /// One of the data about time zones.
    Other,
}

impl Zone {
    fn of(name: &str) -> Self {
        match name {
            "" | "UTC" => Self::Utc,
            "Local" => Self::Machine,
            _ => Self::Other,
        }
    }
}

/// A moment, or seconds since 1970. All else is now.
fn moment(args: &Args<'_>, at: usize) -> Result<Option<Moment>, Fault> {
    Ok(match &args.known(at)?.kind {
        Kind::Time(moment) => Some(**moment),
        Kind::Int(seconds) | Kind::Long(seconds) => {
            Some(Moment { shown: *seconds, nanoseconds: 0, offset: Some(0), is_utc: true })
        }
        _ => None,
    })
}

fn printed(args: &Args<'_>, layout: &str, at: usize, zone: Zone) -> Answer {
    let moment = moment(args, at)?.and_then(|it| match zone {
        Zone::Utc => it.in_utc(),
        Zone::Machine => Some(it).filter(|it| it.offset.is_none()),
        Zone::Other => None,
    });
    match moment.and_then(|it| it.printed(layout)) {
        Some(text) => Ok(Val::text(text)),
        None => same(args),
    }
}

fn to_date(args: &Args<'_>) -> Answer {
    let (layout, text) = (args.string(0)?, args.string(1)?);
    match read::moment(layout.as_str(), text.as_str()) {
        Ok(moment) => Ok(Kind::Time(Rc::new(moment)).into()),
        Err(Fails::Unclear) => same(args),
        Err(Fails::Refused) if args.name == "mustToDate" => {
            args.error(format!("parsing time {:?} as {:?}", text.as_str(), layout.as_str()))
        }
        Err(Fails::Refused) => {
            // Go's first moment.
            let shown = -62_135_596_800;
            let first = Moment { shown, nanoseconds: 0, offset: Some(0), is_utc: true };
            Ok(Kind::Time(Rc::new(first)).into())
        }
    }
}

/// A moment and a duration later. The machine's clock may be set between them.
fn moved(args: &Args<'_>) -> Answer {
    let by = nanoseconds(args.string(0)?.as_str());
    let Kind::Time(moment) = &args.known(1)?.kind else { return same(args) };
    let Some(by) = by else {
        return if args.name.starts_with("must") {
            args.error("time: invalid duration")
        } else {
            args.val(1).cloned()
        };
    };
    if moment.offset.is_none() {
        return same(args);
    }
    let whole = i64::from(moment.nanoseconds) + by.rem_euclid(1_000_000_000);
    let seconds = by.div_euclid(1_000_000_000) + whole / 1_000_000_000;
    let moved = Moment {
        shown: moment.shown + seconds,
        nanoseconds: u32::try_from(whole % 1_000_000_000).unwrap_or_default(),
        ..**moment
    };
    Ok(Kind::Time(Rc::new(moved)).into())
}

fn epoch(args: &Args<'_>) -> Answer {
    match &args.known(0)?.kind {
        Kind::Time(moment) if moment.offset.is_some() => {
            let utc = moment.in_utc().map_or(0, |it| it.shown);
            Ok(Val::text(utc.to_string()))
        }
        _ => same(args),
    }
}
