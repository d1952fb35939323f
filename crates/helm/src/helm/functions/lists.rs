//! Lists: made, extended, cut.

use crate::helm::{
    compare::deep_equal,
    fault::Fault,
    functions::arguments::{Answer, Args, Function},
    print::{as_text, printed},
    text::{Builder, Text},
    value::{Kind, Of, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("list", |it| Ok(Val::list(it.values.to_vec()))),
    ("tuple", |it| Ok(Val::list(it.values.to_vec()))),
    ("first", |it| Ok(it.list(0)?.first().cloned().unwrap_or(Val::NIL))),
    ("mustFirst", |it| Ok(it.list(0)?.first().cloned().unwrap_or(Val::NIL))),
    ("last", |it| Ok(it.list(0)?.last().cloned().unwrap_or(Val::NIL))),
    ("mustLast", |it| Ok(it.list(0)?.last().cloned().unwrap_or(Val::NIL))),
    ("rest", rest),
    ("mustRest", rest),
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
        let texts = strings(it, 0)?.into_iter().map(|it| Kind::Text(it).into());
        Ok(Val::list_of(texts.collect(), Of::Texts))
    }),
    ("until", until),
    ("untilStep", until_step),
    ("seq", seq),
];

fn rest(args: &Args<'_>) -> Answer {
    let items = args.list(0)?;
    let Some((_, rest)) = items.split_first() else {
        return Ok(Val::list_of(Vec::new(), Of::Rest));
    };
    Ok(Val::list(rest.to_vec()))
}

fn initial(args: &Args<'_>) -> Answer {
    let items = args.list(0)?;
    let Some((_, before)) = items.split_last() else {
        return Ok(Val::list_of(Vec::new(), Of::Rest));
    };
    Ok(Val::list(before.to_vec()))
}

fn append(args: &Args<'_>) -> Answer {
    let mut items = args.list(0)?.to_vec();
    items.push(args.val(1)?.clone());
    Ok(Val::list(items))
}

fn prepend(args: &Args<'_>) -> Answer {
    let mut items = vec![args.val(1)?.clone()];
    items.extend(args.list(0)?.iter().cloned());
    Ok(Val::list(items))
}

fn concat(args: &Args<'_>) -> Answer {
    let mut items = Vec::new();
    for at in 0..args.count() {
        items.extend(args.list(at)?.iter().cloned());
    }
    Ok(Val::list_of(items, Of::Rest))
}

fn reverse(args: &Args<'_>) -> Answer {
    Ok(Val::list(args.list(0)?.iter().rev().cloned().collect()))
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
    for item in args.list(0)?.iter() {
        if !contains(&kept, item)? {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(kept))
}

fn without(args: &Args<'_>) -> Answer {
    let out = args.values.get(1..).unwrap_or_default();
    let mut kept = Vec::new();
    for item in args.list(0)?.iter() {
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
    for item in args.list(0)?.iter() {
        if item.truth().map_err(|it| args.unknown(&it))? {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(kept))
}

fn chunk(args: &Args<'_>) -> Answer {
    let (size, items) = (args.int(0)?, args.list(1)?);
    let last = i64::try_from(items.len()).unwrap_or(i64::MAX) - 1;
    let size = match usize::try_from(size) {
        Ok(0) => return args.error("the parts have no size"),
        Ok(size) => size,
        Err(_) if last == 0 => 1,
        // Go counts the parts first.
        Err(_) if last.div_euclid(size) == -1 && last + size <= 0 => {
            return Ok(Val::list(Vec::new()));
        }
        Err(_) => return args.error("runtime error: makeslice: len out of range"),
    };
    Ok(Val::list(items.chunks(size).map(|it| Val::list(it.to_vec())).collect()))
}

/// The items as texts; what is nil is left out, and what is no list is one item.
fn strings(args: &Args<'_>, at: usize) -> Result<Vec<Text>, Fault> {
    let value = args.known(at)?;
    Ok(match &value.kind {
        Kind::List(items) => items.iter().filter(|it| !it.is_nil()).map(as_text).collect(),
        Kind::Nil => Vec::new(),
        Kind::ApiVersions(_) => args.list(at)?.iter().map(as_text).collect(),
        _ => vec![as_text(value)],
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
        (_, Some(0)) => Vec::new(),
        (true, _) => {
            let most = most.unwrap_or(usize::MAX);
            let cuts = whole.char_indices().map(|(at, _)| at).take(most);
            let ends = whole.char_indices().map(|(at, _)| at).skip(1).take(most - 1);
            let ends = ends.chain([whole.len()]);
            cuts.zip(ends).filter_map(|(from, to)| whole.get(from..to)).collect()
        }
        (false, Some(count)) => whole.splitn(count, sign).collect(),
        (false, None) => whole.split(sign).collect(),
    };
    found.into_iter().map(|it| Kind::Text(text.part(it)).into()).collect()
}

fn split_list(args: &Args<'_>) -> Answer {
    let (sign, text) = (args.string(0)?, args.string(1)?);
    Ok(Val::list_of(parts(sign.as_str(), &text, None), Of::Texts))
}

fn split_map(args: &Args<'_>) -> Answer {
    let sign = args.string(0)?;
    let (most, text) = match args.name {
        "splitn" => (usize::try_from(args.int(1)?).ok(), args.string(2)?),
        _ => (None, args.string(1)?),
    };
    let parts = parts(sign.as_str(), &text, most);
    Ok(Val::map(parts.into_iter().enumerate().map(|(at, it)| (format!("_{at}").into(), it))))
}

fn sort(args: &Args<'_>) -> Answer {
    let mut texts = match &args.known(0)?.kind {
        Kind::Nil => vec![printed(args.val(0)?)],
        _ => strings(args, 0)?,
    };
    for text in &texts {
        args.without_holes(text.clone())?;
    }
    texts.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    Ok(Val::list_of(texts.into_iter().map(|it| Kind::Text(it).into()).collect(), Of::Texts))
}

/// Numbers from one to before another; 100,000 of them at most.
fn numbers(from: i64, to: i64, step: i64) -> Val {
    let mut found = Vec::new();
    let mut at = from;
    while step != 0 && (if step > 0 { at < to } else { at > to }) && found.len() < 100_000 {
        found.push(Kind::Int(at).into());
        at = at.saturating_add(step);
    }
    Val::list_of(found, Of::Ints)
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
        1 => (1, direction(1, args.int(0)?), args.int(0)?),
        2 => (args.int(0)?, direction(args.int(0)?, args.int(1)?), args.int(1)?),
        3 => (args.int(0)?, args.int(1)?, args.int(2)?),
        _ => return Ok(Val::text("")),
    };
    let list = numbers(from, to.saturating_add(direction(from, to)), step);
    let Kind::List(items) = &list.kind else { return Ok(list) };
    let texts: Vec<String> = items.iter().map(|it| printed(it).as_str().to_owned()).collect();
    Ok(Val::text(texts.join(" ")))
}
