//! Text: cut, trimmed, replaced, cased.

use std::ops::Range;

use crate::helm::{
    functions::{
        arguments::{Answer, Args, Function},
        words::{camel, joined},
        wrapping::{abbreviated, wrapped},
    },
    text::{Builder, Text},
    value::{Kind, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("upper", |it| cased(it, str::to_uppercase)),
    ("lower", |it| cased(it, str::to_lowercase)),
    ("title", |it| cased(it, |text| capitals(text, true))),
    ("untitle", |it| cased(it, |text| capitals(text, false))),
    ("trim", |it| part(it, |text| text.trim())),
    ("trimAll", |it| trimmed(it, true, true)),
    ("trimall", |it| trimmed(it, true, true)),
    ("trimPrefix", trim_prefix),
    ("trimSuffix", trim_suffix),
    ("replace", replace),
    ("trunc", trunc),
    ("substr", substr),
    ("nospace", |it| changed(it, without_blanks)),
    ("initials", initials),
    ("swapcase", |it| changed(it, swapped)),
    ("camelcase", |it| changed(it, camel)),
    ("kebabcase", |it| changed(it, |text| joined(text, '-'))),
    ("snakecase", |it| changed(it, |text| joined(text, '_'))),
    ("contains", |it| question(it, |text, part| text.contains(part))),
    ("hasPrefix", |it| question(it, |text, part| text.starts_with(part))),
    ("hasSuffix", |it| question(it, |text, part| text.ends_with(part))),
    ("repeat", repeat),
    ("abbrev", abbrev),
    ("abbrevboth", abbrev_both),
    ("plural", plural),
    ("wrap", |it| {
        let (width, given) = (it.int(0)?, it.string(1)?);
        Ok(text(given.replaced_by(wrapped(given.as_str(), width, "\n", false))))
    }),
    ("wrapWith", |it| {
        let (width, with, given) = (it.int(0)?, it.string(1)?, it.string(2)?);
        Ok(text(given.replaced_by(wrapped(given.as_str(), width, with.as_str(), true))))
    }),
    ("hello", |_| Ok(Val::text("Hello!"))),
];

fn text(text: Text) -> Val {
    Kind::Text(text).into()
}

fn cased(args: &Args<'_>, change: fn(&str) -> String) -> Answer {
    let given = args.string(0)?;
    Ok(text(given.changed(change)))
}

/// A text made anew from another.
fn changed(args: &Args<'_>, change: impl Fn(&str) -> String) -> Answer {
    let given = args.string(0)?;
    let made = change(given.as_str());
    Ok(text(given.replaced_by(made)))
}

fn part(args: &Args<'_>, cut: impl Fn(&str) -> &str) -> Answer {
    let given = args.text(0)?;
    Ok(text(given.part(cut(given.as_str()))))
}

/// The first letter of each word in another case.
fn capitals(text: &str, upper: bool) -> String {
    let mut before = ' ';
    let mut result = String::with_capacity(text.len());
    for letter in text.chars() {
        match (before.is_alphanumeric() || before == '_' || before == '\'', upper) {
            (false, true) => result.extend(letter.to_uppercase()),
            (false, false) => result.extend(letter.to_lowercase()),
            (true, _) => result.push(letter),
        }
        before = letter;
    }
    result
}

fn trimmed(args: &Args<'_>, start: bool, end: bool) -> Answer {
    let set = args.string(0)?;
    let given = args.text(1)?;
    let inside = |it: char| set.as_str().contains(it);
    let mut kept = given.as_str();
    kept = if start { kept.trim_start_matches(inside) } else { kept };
    kept = if end { kept.trim_end_matches(inside) } else { kept };
    Ok(text(given.part(kept)))
}

fn trim_prefix(args: &Args<'_>) -> Answer {
    let (prefix, given) = (args.string(0)?, args.text(1)?);
    if given.as_str().starts_with('\u{e000}') && prefix.len() > 0 {
        args.without_holes(given.clone())?;
    }
    let kept = given.as_str().strip_prefix(prefix.as_str()).unwrap_or(given.as_str());
    Ok(text(given.part(kept)))
}

fn trim_suffix(args: &Args<'_>) -> Answer {
    let (suffix, given) = (args.string(0)?, args.text(1)?);
    if given.as_str().ends_with('\u{e001}') && suffix.len() > 0 {
        args.without_holes(given.clone())?;
    }
    let kept = given.as_str().strip_suffix(suffix.as_str()).unwrap_or(given.as_str());
    Ok(text(given.part(kept)))
}

fn replace(args: &Args<'_>) -> Answer {
    let (old, new, given) = (args.string(0)?, args.text(1)?, args.text(2)?);
    if old.len() == 0 {
        let made = given.as_str().replace("", args.string(1)?.as_str());
        return Ok(text(given.replaced_by(made)));
    }
    let given = if given.as_str().contains(old.as_str()) || given.known().is_some() {
        given
    } else {
        args.without_holes(given)?
    };
    let mut builder = Builder::default();
    let mut done = 0;
    for (at, found) in given.as_str().match_indices(old.as_str()) {
        builder.push_part(&given, done..at);
        builder.push_text(&new);
        done = at + found.len();
    }
    builder.push_part(&given, done..given.len());
    Ok(text(builder.finish()))
}

fn trunc(args: &Args<'_>) -> Answer {
    let (count, given) = (args.int(0)?, args.text(1)?);
    let known = given.known().map(str::len);
    let Some(len) = known else { return Ok(text(args.without_holes(given)?)) };
    let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if size >= len {
        return Ok(text(given));
    }
    Ok(text(bytes(&given, if count < 0 { len - size..len } else { 0..size })))
}

/// A part of a text, by its bytes: a letter that is cut is none any more.
fn bytes(given: &Text, range: Range<usize>) -> Text {
    let whole = given.as_str();
    if whole.is_char_boundary(range.start) && whole.is_char_boundary(range.end) {
        return given.slice(range);
    }
    let cut = whole.as_bytes().get(range).unwrap_or_default();
    given.replaced_by(String::from_utf8_lossy(cut))
}

fn substr(args: &Args<'_>) -> Answer {
    let (start, end, given) = (args.int(0)?, args.int(1)?, args.string(2)?);
    let len = given.len();
    let at = |it: i64| usize::try_from(it).ok().filter(|it| *it <= len);
    let range = match (at(start), at(end)) {
        _ if start < 0 => Some(0).zip(at(end)),
        (Some(start), end) if end.is_none() => Some((start, len)),
        (start, end) => start.zip(end),
    };
    match range {
        Some((start, end)) if start <= end => Ok(text(bytes(&given, start..end))),
        _ => args.error("runtime error: slice bounds out of range"),
    }
}

/// The bytes of a text as letters: sprig does not look for longer ones where it cuts.
fn byte_letters(text: &str) -> impl Iterator<Item = char> {
    text.bytes().map(char::from)
}

fn without_blanks(text: &str) -> String {
    if byte_letters(text).any(char::is_whitespace) {
        return byte_letters(text).filter(|it| !it.is_whitespace()).collect();
    }
    text.to_owned()
}

fn initials(args: &Args<'_>) -> Answer {
    changed(args, |text| {
        let mut is_start = true;
        let mut found = String::new();
        for letter in byte_letters(text) {
            if is_start && !letter.is_whitespace() {
                found.push(letter);
            }
            is_start = letter.is_whitespace();
        }
        found
    })
}

fn swapped(text: &str) -> String {
    let swap = |it: char| -> String {
        if it.is_uppercase() { it.to_lowercase().collect() } else { it.to_uppercase().collect() }
    };
    text.chars().map(swap).collect()
}

fn question(args: &Args<'_>, asked: fn(&str, &str) -> bool) -> Answer {
    let (part, given) = (args.string(0)?, args.text(1)?);
    // What is there around a hole may answer already.
    if given.known().is_none() {
        let is_end = matches!(args.name, "hasPrefix" | "hasSuffix");
        if asked(given.as_str(), part.as_str()) && (part.len() > 0 || !is_end) {
            return Ok(Val::bool(true));
        }
        args.without_holes(given)?;
        return Ok(Val::bool(false));
    }
    Ok(Val::bool(asked(given.as_str(), part.as_str())))
}

fn repeat(args: &Args<'_>) -> Answer {
    if args.int(0)? < 0 {
        return args.error("strings: negative Repeat count");
    }
    let (count, given) = (args.size(0)?, args.string(1)?);
    if count.saturating_mul(given.len()) > 1_000_000 {
        return args.error("the text is too long");
    }
    let mut builder = Builder::default();
    for _ in 0..count {
        builder.push_text(&given);
    }
    Ok(text(builder.finish()))
}

fn abbrev(args: &Args<'_>) -> Answer {
    let (width, given) = (args.size(0)?, args.string(1)?);
    if width < 4 || given.len() <= width {
        return Ok(text(given));
    }
    Ok(text(given.replaced_by(abbreviated(given.as_str(), 0, width))))
}

fn abbrev_both(args: &Args<'_>) -> Answer {
    let (from, width, given) = (args.int(0)?, args.size(1)?, args.string(2)?);
    if width < 4 || (from > 0 && width < 7) || given.len() <= width {
        return Ok(text(given));
    }
    Ok(text(given.replaced_by(abbreviated(given.as_str(), from, width))))
}

fn plural(args: &Args<'_>) -> Answer {
    let one = args.int(2)? == 1;
    Ok(text(args.text(usize::from(!one))?))
}
