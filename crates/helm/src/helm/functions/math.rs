//! Numbers.

use crate::helm::{
    fault::Fault,
    functions::{
        arguments::{Answer, Args, Function},
        decimal::{Operation, computed},
    },
    value::{Kind, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("int", |it| kept(it, Kind::Int(it.int(0)?))),
    ("int64", |it| kept(it, Kind::Long(it.int(0)?))),
    ("float64", |it| kept(it, Kind::Float(it.float(0)?))),
    ("atoi", |it| {
        let text = it.string(0)?;
        kept(it, Kind::Int(text.as_str().parse().unwrap_or(0)))
    }),
    ("toDecimal", |it| {
        let text = it.printed(0)?;
        let text = it.without_holes(text)?;
        Ok(Kind::Long(i64::from_str_radix(text.as_str(), 8).unwrap_or(0)).into())
    }),
    ("add", |it| folded(it, 0, 0, i64::wrapping_add)),
    ("add1", |it| Ok(Kind::Long(it.int(0)?.wrapping_add(1)).into())),
    ("sub", |it| Ok(Kind::Long(it.int(0)?.wrapping_sub(it.int(1)?)).into())),
    ("mul", |it| folded(it, 1, it.int(0)?, i64::wrapping_mul)),
    ("div", |it| divided(it, i64::wrapping_div)),
    ("mod", |it| divided(it, i64::wrapping_rem)),
    ("max", |it| folded(it, 1, it.int(0)?, i64::max)),
    ("biggest", |it| folded(it, 1, it.int(0)?, i64::max)),
    ("min", |it| folded(it, 1, it.int(0)?, i64::min)),
    ("addf", |it| floats(it, 0, 0.0, Operation::Add)),
    ("add1f", |it| floats(it, 0, 1.0, Operation::Add)),
    ("subf", |it| floats(it, 1, it.float(0)?, Operation::Subtract)),
    ("mulf", |it| floats(it, 1, it.float(0)?, Operation::Multiply)),
    ("divf", |it| floats(it, 1, it.float(0)?, Operation::Divide)),
    ("maxf", |it| extreme(it, f64::max)),
    ("minf", |it| extreme(it, f64::min)),
    ("ceil", |it| Ok(Kind::Float(it.float(0)?.ceil()).into())),
    ("floor", |it| Ok(Kind::Float(it.float(0)?.floor()).into())),
    ("round", round),
];

/// A number that is the value it was given, with its origin.
fn kept(args: &Args<'_>, kind: Kind) -> Answer {
    Ok(Val { kind, origin: args.val(0)?.origin.clone() })
}

fn folded(args: &Args<'_>, from: usize, start: i64, join: fn(i64, i64) -> i64) -> Answer {
    let mut result = start;
    for at in from..args.count() {
        result = join(result, args.int(at)?);
    }
    Ok(Kind::Long(result).into())
}

fn divided(args: &Args<'_>, divide: fn(i64, i64) -> i64) -> Answer {
    let by = args.int(1)?;
    if by == 0 {
        return args.error("runtime error: integer divide by zero");
    }
    Ok(Kind::Long(divide(args.int(0)?, by)).into())
}

fn floats(args: &Args<'_>, from: usize, start: f64, operation: Operation) -> Answer {
    let mut result = start;
    for at in from..args.count() {
        let Some(next) = computed(operation, result, args.float(at)?) else {
            return args.error("decimal division by 0");
        };
        result = next;
    }
    Ok(Kind::Float(result).into())
}

fn extreme(args: &Args<'_>, chosen: fn(f64, f64) -> f64) -> Answer {
    let mut result = args.float(0)?;
    for at in 1..args.count() {
        result = chosen(result, args.float(at)?);
    }
    Ok(Kind::Float(result).into())
}

fn round(args: &Args<'_>) -> Answer {
    let places = i32::try_from(args.int(1)?).unwrap_or(0).clamp(-15, 15);
    let at = if args.count() > 2 { args.float(2)? } else { 0.5 };
    let scale = 10_f64.powi(places);
    let value = args.float(0)? * scale;
    if value.is_nan() {
        return Err(Fault::Error(
            crate::helm::fault::ErrorKind::Template,
            "not a number".to_owned(),
        ));
    }
    // sprig looks at the fraction with its sign, so that what is negative goes down.
    let rounded = if value.fract() >= at { value.ceil() } else { value.floor() };
    Ok(Kind::Float(rounded / scale).into())
}
