//! Text: cut, trimmed, replaced, cased.

use crate::helm::{
    functions::arguments::{Answer, Args, Function},
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
    ("nospace", |it| changed(it, |text| text.split_whitespace().collect())),
    ("initials", initials),
    ("swapcase", |it| changed(it, swapped)),
    ("camelcase", |it| changed(it, camel)),
    ("kebabcase", |it| changed(it, |text| snake(text, '-'))),
    ("snakecase", |it| changed(it, |text| snake(text, '_'))),
    ("contains", |it| question(it, |text, part| text.contains(part))),
    ("hasPrefix", |it| question(it, |text, part| text.starts_with(part))),
    ("hasSuffix", |it| question(it, |text, part| text.ends_with(part))),
    ("repeat", repeat),
    ("abbrev", abbrev),
    ("abbrevboth", abbrev_both),
    ("plural", plural),
    ("wrap", |it| wrapped(it, "\n", 0, 1)),
    ("wrapWith", |it| {
        let with = it.string(1)?;
        wrapped(it, with.as_str(), 0, 2)
    }),
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
    let whole = given.as_str();
    let range = if count < 0 {
        whole.ceil_char_boundary(len - size)..len
    } else {
        0..whole.floor_char_boundary(size)
    };
    Ok(text(given.slice(range)))
}

fn substr(args: &Args<'_>) -> Answer {
    let (start, end, given) = (args.int(0)?, args.int(1)?, args.string(2)?);
    let len = given.len();
    let at = |it: i64| usize::try_from(it).ok().filter(|it| *it <= len).unwrap_or(len);
    let range = match (start < 0, end < 0) {
        (true, _) => 0..at(end),
        (false, true) => at(start)..len,
        (false, false) => at(start)..at(end).max(at(start)),
    };
    let whole = given.as_str();
    let range = whole.floor_char_boundary(range.start)..whole.floor_char_boundary(range.end);
    Ok(text(given.slice(range)))
}

fn initials(args: &Args<'_>) -> Answer {
    changed(args, |text| text.split_whitespace().filter_map(|it| it.chars().next()).collect())
}

fn swapped(text: &str) -> String {
    let swap = |it: char| -> String {
        if it.is_uppercase() { it.to_lowercase().collect() } else { it.to_uppercase().collect() }
    };
    text.chars().map(swap).collect()
}

fn camel(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut up = true;
    for letter in text.chars() {
        if matches!(letter, '_' | '-' | ' ' | '.') {
            up = true;
        } else if up {
            result.extend(letter.to_uppercase());
            up = false;
        } else {
            result.push(letter);
        }
    }
    result
}

/// Words joined by a sign: a capital begins one, so does a digit behind a letter in `xstrings`.
fn snake(text: &str, sign: char) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut result = String::with_capacity(text.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        if matches!(letter, '_' | '-' | ' ' | '.') {
            if !result.is_empty() && !result.ends_with(sign) && at + 1 < letters.len() {
                result.push(sign);
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|it| letters.get(it));
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|it| {
                it.is_lowercase()
                    || it.is_ascii_digit()
                    || (it.is_uppercase() && after.is_some_and(|it| it.is_lowercase()))
            });
        if begins && !result.ends_with(sign) {
            result.push(sign);
        }
        result.extend(letter.to_lowercase());
    }
    result
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
    let width = args.size(0)?;
    let given = args.string(1)?;
    if width < 4 || given.len() <= width {
        return Ok(text(given));
    }
    let kept = given.as_str().floor_char_boundary(width - 3);
    let made = format!("{}...", given.as_str().get(..kept).unwrap_or_default());
    Ok(text(given.replaced_by(made)))
}

fn abbrev_both(args: &Args<'_>) -> Answer {
    let given = args.string(2)?;
    args.without_holes(given.clone())?;
    let symbol = crate::value::Symbol::of_installation(format!("abbrevboth {}", given.as_str()));
    Err(args.unknown(&symbol))
}

fn plural(args: &Args<'_>) -> Answer {
    let one = args.int(2)? == 1;
    Ok(text(args.text(usize::from(!one))?))
}

/// Lines no longer than a width where blanks allow that.
fn wrapped(args: &Args<'_>, line_end: &str, width_at: usize, text_at: usize) -> Answer {
    let width = args.size(width_at)?;
    let given = args.string(text_at)?;
    let mut result = String::new();
    let mut column = 0;
    for (at, word) in given.as_str().split(' ').enumerate() {
        if at > 0 && column + 1 + word.len() > width {
            result.push_str(line_end);
            column = 0;
        } else if at > 0 {
            result.push(' ');
            column += 1;
        }
        result.push_str(word);
        column += word.len();
    }
    Ok(text(given.replaced_by(result)))
}
