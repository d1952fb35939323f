//! Texts.

use crate::cel::{
    data::{Data, Operand, Outcome, take},
    fault::Fault,
    native::{MOST_BYTES, MOST_ITEMS, Native},
};

/// Functions of texts.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("contains", |it| test(it, |text, part| text.contains(part))),
    ("endsWith", |it| test(it, |text, part| text.ends_with(part))),
    ("startsWith", |it| test(it, |text, part| text.starts_with(part))),
    ("charAt", char_at),
    ("indexOf", |it| find(it, false)),
    ("lastIndexOf", |it| find(it, true)),
    ("lowerAscii", |it| map(it, str::to_ascii_lowercase)),
    ("upperAscii", |it| map(it, str::to_ascii_uppercase)),
    ("trim", |it| map(it, |text| text.trim_matches(is_space).to_owned())),
    ("replace", replace),
    ("split", split),
    ("substring", substring),
    ("join", join),
    ("strings.quote", |it| map(it, quote)),
];

fn test(arguments: &[Operand], test: fn(&str, &str) -> bool) -> Outcome {
    let [Data::String(text), Data::String(part)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    Ok(Data::Bool(test(text, part)).into())
}

fn map(arguments: &[Operand], map: fn(&str) -> String) -> Outcome {
    let [Data::String(text)] = take(arguments)? else { return Err(Fault::NoOverload) };
    Ok(Data::text(map(text)).into())
}

/// White space of Unicode as cel-go lists it.
fn is_space(letter: char) -> bool {
    letter.is_whitespace()
}

fn out_of_range(index: i64) -> Fault {
    Fault::error(format!("index out of range: {index}"))
}

/// The byte at which a character begins; the length behind the last one.
fn byte(text: &str, index: i64) -> Result<usize, Fault> {
    let wanted = usize::try_from(index).map_err(|_| out_of_range(index))?;
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.into_iter().nth(wanted).ok_or_else(|| out_of_range(index))
}

fn int(number: usize) -> Operand {
    Data::Int(i64::try_from(number).unwrap_or(i64::MAX)).into()
}

fn char_at(arguments: &[Operand]) -> Outcome {
    let [Data::String(text), Data::Int(index)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let at = byte(text, *index)?;
    let letter = text[at..].chars().next().map(String::from);
    Ok(Data::text(letter.unwrap_or_default()).into())
}

fn find(arguments: &[Operand], last: bool) -> Outcome {
    let (text, part, from) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::String(text), Data::String(part)] => (text, part, None),
        [Data::String(text), Data::String(part), Data::Int(from)] => (text, part, Some(*from)),
        _ => return Err(Fault::NoOverload),
    };
    let at = match from.map(|it| byte(text, it)).transpose()? {
        None if last => text.rfind(&**part),
        None => text.find(&**part),
        Some(from) if last => {
            let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let starts: Vec<usize> = starts.take_while(|at| *at <= from).collect();
            starts.into_iter().rev().find(|at| text[*at..].starts_with(&**part))
        }
        Some(from) => text[from..].find(&**part).map(|it| it + from),
    };
    Ok(match at {
        Some(at) => int(text[..at].chars().count()),
        None => Data::Int(-1).into(),
    })
}

fn replace(arguments: &[Operand]) -> Outcome {
    let (text, old, new, most) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::String(text), Data::String(old), Data::String(new)] => (text, old, new, -1),
        [Data::String(text), Data::String(old), Data::String(new), Data::Int(most)] => {
            (text, old, new, *most)
        }
        _ => return Err(Fault::NoOverload),
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let count = text.matches(&**old).take(most).count();
    if count.saturating_mul(new.len()).saturating_add(text.len()) > MOST_BYTES {
        return Err(Fault::TooCostly);
    }
    Ok(Data::text(text.replacen(&**old, new, most)).into())
}

fn split(arguments: &[Operand]) -> Outcome {
    let (text, by, most) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::String(text), Data::String(by)] => (text, by, -1),
        [Data::String(text), Data::String(by), Data::Int(most)] => (text, by, *most),
        _ => return Err(Fault::NoOverload),
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts: Vec<Operand> = Vec::new();
    let add = |part: &str, parts: &mut Vec<Operand>| {
        let data = Data::text(part);
        parts.push(data.into());
    };
    if most == 0 {
        return Ok(Data::list(parts).into());
    }
    let mut rest = &**text;
    while parts.len() + 1 < most {
        let found = if by.is_empty() {
            let mut letters = rest.char_indices();
            letters.next();
            letters.next().map(|(at, _)| (at, at))
        } else {
            rest.find(&**by).map(|at| (at, at + by.len()))
        };
        let Some((end, next)) = found else { break };
        add(&rest[..end], &mut parts);
        rest = &rest[next..];
        if parts.len() > MOST_ITEMS {
            return Err(Fault::TooCostly);
        }
    }
    if !(by.is_empty() && rest.is_empty() && parts.is_empty()) {
        add(rest, &mut parts);
    }
    Ok(Data::list(parts).into())
}

fn substring(arguments: &[Operand]) -> Outcome {
    let (text, from, to) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::String(text), Data::Int(from)] => (text, *from, None),
        [Data::String(text), Data::Int(from), Data::Int(to)] => (text, *from, Some(*to)),
        _ => return Err(Fault::NoOverload),
    };
    let start = byte(text, from)?;
    let end = to.map_or(Ok(text.len()), |it| byte(text, it))?;
    if start > end {
        let message = format!("invalid substring range. start: {from}, end: {}", to.unwrap_or(0));
        return Err(Fault::error(message));
    }
    Ok(Data::text(&text[start..end]).into())
}

fn join(arguments: &[Operand]) -> Outcome {
    let (list, by) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::List(list)] => (list, ""),
        [Data::List(list), Data::String(by)] => (list, &**by),
        _ => return Err(Fault::NoOverload),
    };
    let mut text = String::new();
    for (index, item) in list.all()?.into_iter().enumerate() {
        let Data::String(part) = item.data else { return Err(Fault::NoOverload) };
        if index > 0 {
            text.push_str(by);
        }
        text.push_str(&part);
        if text.len() > MOST_BYTES {
            return Err(Fault::TooCostly);
        }
    }
    Ok(Data::text(text).into())
}

/// A text in double quotes, with escapes where it needs them.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
