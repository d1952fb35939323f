//! Lists: made, extended, cut.

use std::rc::Rc;

use crate::helm::{
    compare::deep_equal,
    fault::Fault,
    functions::arguments::{Answer, Args, Function},
    print::printed,
    text::{Builder, Text},
    value::{Items, Kind, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("list", |it| Ok(Val::list(it.values.to_vec()))),
    ("tuple", |it| Ok(Val::list(it.values.to_vec()))),
    ("first", |it| Ok(elements(it, 0)?.first().cloned().unwrap_or(Val::NIL))),
    ("mustFirst", |it| Ok(elements(it, 0)?.first().cloned().unwrap_or(Val::NIL))),
    ("last", |it| Ok(elements(it, 0)?.last().cloned().unwrap_or(Val::NIL))),
    ("mustLast", |it| Ok(elements(it, 0)?.last().cloned().unwrap_or(Val::NIL))),
    ("rest", |it| Ok(Val::list(elements(it, 0)?.get(1..).unwrap_or_default().to_vec()))),
    ("mustRest", |it| Ok(Val::list(elements(it, 0)?.get(1..).unwrap_or_default().to_vec()))),
    ("initial", initial),
    ("mustInitial", initial),
    ("append", append),
    ("push", append),
    ("mustAppend", append),
    ("mustPush", append),
    ("prepend", prepend),
    ("mustPrepend", prepend),
    ("concat", concat),
    ("reverse", reverse),
    ("mustReverse", reverse),
    ("uniq", uniq),
    ("mustUniq", uniq),
    ("without", without),
    ("mustWithout", without),
    ("has", has),
    ("mustHas", has),
    ("compact", compact),
    ("mustCompact", compact),
    ("chunk", chunk),
    ("mustChunk", chunk),
    ("join", join),
    ("split", split_map),
    ("splitn", split_map),
    ("splitList", split_list),
    ("sortAlpha", sort),
    ("toStrings", |it| {
        Ok(Val::list(strings(it, 0)?.into_iter().map(|it| Kind::Text(it).into()).collect()))
    }),
    ("until", until),
    ("untilStep", until_step),
    ("seq", seq),
];

/// The items of a list; nil has none.
fn elements(args: &Args<'_>, at: usize) -> Result<Rc<Items>, Fault> {
    if args.known(at)?.is_nil() {
        return Ok(Rc::default());
    }
    args.list(at)
}

fn initial(args: &Args<'_>) -> Answer {
    let items = elements(args, 0)?;
    Ok(Val::list(items.split_last().map(|(_, before)| before.to_vec()).unwrap_or_default()))
}

fn append(args: &Args<'_>) -> Answer {
    let mut items = elements(args, 0)?.to_vec();
    items.push(args.val(1)?.clone());
    Ok(Val::list(items))
}

fn prepend(args: &Args<'_>) -> Answer {
    let mut items = vec![args.val(1)?.clone()];
    items.extend(elements(args, 0)?.iter().cloned());
    Ok(Val::list(items))
}

fn concat(args: &Args<'_>) -> Answer {
    let mut items = Vec::new();
    for at in 0..args.count() {
        items.extend(elements(args, at)?.iter().cloned());
    }
    Ok(Val::list(items))
}

fn reverse(args: &Args<'_>) -> Answer {
    Ok(Val::list(elements(args, 0)?.iter().rev().cloned().collect()))
}

fn contains(items: &[Val], item: &Val) -> Result<bool, Fault> {
    let mut doubt = None;
    for it in items {
        match deep_equal(it, item) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(fault) => doubt = Some(fault),
        }
    }
    doubt.map_or(Ok(false), Err)
}

fn uniq(args: &Args<'_>) -> Answer {
    let mut kept: Vec<Val> = Vec::new();
    for item in elements(args, 0)?.iter() {
        if !contains(&kept, item)? {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(kept))
}

fn without(args: &Args<'_>) -> Answer {
    let out = args.values.get(1..).unwrap_or_default();
    let mut kept = Vec::new();
    for item in elements(args, 0)?.iter() {
        if !contains(out, item)? {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(kept))
}

fn has(args: &Args<'_>) -> Answer {
    match &args.known(1)?.kind {
        Kind::Nil => return Ok(Val::bool(false)),
        // More is known of one version than of all of them.
        Kind::ApiVersions(versions) => {
            return versions.has(args.text(0)?.as_str()).map(Val::bool);
        }
        _ => {}
    }
    contains(&args.list(1)?, args.val(0)?).map(Val::bool)
}

fn compact(args: &Args<'_>) -> Answer {
    let mut kept = Vec::new();
    for item in elements(args, 0)?.iter() {
        if item.truth().map_err(|it| args.unknown(&it))? {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(kept))
}

fn chunk(args: &Args<'_>) -> Answer {
    let size = args.size(0)?.max(1);
    let items = elements(args, 1)?;
    Ok(Val::list(items.chunks(size).map(|it| Val::list(it.to_vec())).collect()))
}

/// The items as texts; what is nil is left out, and what is no list is one item.
fn strings(args: &Args<'_>, at: usize) -> Result<Vec<Text>, Fault> {
    let value = args.known(at)?;
    Ok(match &value.kind {
        Kind::List(items) => items.iter().filter(|it| !it.is_nil()).map(printed).collect(),
        Kind::Nil => Vec::new(),
        _ => vec![printed(value)],
    })
}

fn join(args: &Args<'_>) -> Answer {
    let sign = args.text(0)?;
    if let Kind::Unknown(symbol) = &args.val(1)?.kind {
        return Err(args.unknown(symbol));
    }
    let mut out = Builder::default();
    for (at, text) in strings(args, 1)?.iter().enumerate() {
        if at > 0 {
            out.push_text(&sign);
        }
        out.push_text(text);
    }
    Ok(Kind::Text(out.finish()).into())
}

/// The parts of a text; Go splits by nothing into letters.
fn parts(sign: &str, text: &Text, most: Option<usize>) -> Vec<Val> {
    let whole = text.as_str();
    let found: Vec<&str> = match (sign.is_empty(), most) {
        (true, _) => whole.split("").filter(|it| !it.is_empty()).collect(),
        (false, Some(count)) => whole.splitn(count, sign).collect(),
        (false, None) => whole.split(sign).collect(),
    };
    found.into_iter().map(|it| Kind::Text(text.part(it)).into()).collect()
}

fn split_list(args: &Args<'_>) -> Answer {
    let (sign, text) = (args.string(0)?, args.string(1)?);
    Ok(Val::list(parts(sign.as_str(), &text, None)))
}

fn split_map(args: &Args<'_>) -> Answer {
    let sign = args.string(0)?;
    let (most, text) = match args.name {
        "splitn" => (Some(args.size(1)?), args.string(2)?),
        _ => (None, args.string(1)?),
    };
    let parts = parts(sign.as_str(), &text, most);
    Ok(Val::map(parts.into_iter().enumerate().map(|(at, it)| (format!("_{at}").into(), it))))
}

fn sort(args: &Args<'_>) -> Answer {
    let mut texts = strings(args, 0)?;
    for text in &texts {
        args.without_holes(text.clone())?;
    }
    texts.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    Ok(Val::list(texts.into_iter().map(|it| Kind::Text(it).into()).collect()))
}

/// Numbers from one to before another; 100,000 of them at most.
fn numbers(from: i64, to: i64, step: i64) -> Val {
    let mut found = Vec::new();
    let mut at = from;
    while step != 0 && (if step > 0 { at < to } else { at > to }) && found.len() < 100_000 {
        found.push(Kind::Int(at).into());
        at = at.saturating_add(step);
    }
    Val::list(found)
}

fn until(args: &Args<'_>) -> Answer {
    let count = args.int(0)?;
    Ok(numbers(0, count, if count < 0 { -1 } else { 1 }))
}

fn until_step(args: &Args<'_>) -> Answer {
    Ok(numbers(args.int(0)?, args.int(1)?, args.int(2)?))
}

fn seq(args: &Args<'_>) -> Answer {
    let direction = |from: i64, to: i64| if to < from { -1 } else { 1 };
    let (from, step, to) = match args.count() {
        0 => return Ok(Val::text("")),
        1 => (1, direction(1, args.int(0)?), args.int(0)?),
        2 => (args.int(0)?, direction(args.int(0)?, args.int(1)?), args.int(1)?),
        _ => (args.int(0)?, args.int(1)?, args.int(2)?),
    };
    let list = numbers(from, to.saturating_add(step.signum()), step);
    let Kind::List(items) = &list.kind else { return Ok(list) };
    let texts: Vec<String> = items.iter().map(|it| printed(it).as_str().to_owned()).collect();
    Ok(Val::text(texts.join(" ")))
}
