//! Functions over text.

use std::{fmt::Write, ops::Range, sync::Arc};

use crate::{
    resolve::terraform::functions::{
        argument,
        assemble::{Assembly, Segment, segments},
        call::{Call, CallResult, MOST_BYTES},
    },
    source::Span,
    value::{Carried, Kind, Text, TextPiece, TextSource, Value},
};

/// The characters as people count them (grapheme clusters); `None` where that needs Unicode's tables.
#[must_use]
pub(super) fn characters(text: &str) -> Option<Vec<&str>> {
    let plain = |it: char| {
        matches!(it, '\0'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{2010}'..='\u{2027}'
            | '\u{3040}'..='\u{3098}' | '\u{30a0}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'
            | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f64f}')
    };
    if !text.chars().all(plain) || text.contains("\r\n") {
        return None;
    }
    Some(text.char_indices().filter_map(|(at, it)| text.get(at..at + it.len_utf8())).collect())
}

/// A part of a text, with its holes and places.
pub(in crate::resolve::terraform) fn cut(
    value: &Value,
    text: &Text,
    start: usize,
    end: usize,
) -> Value {
    if start == 0 && end == text.text.len() {
        return value.clone();
    }
    let layout = match &text.layout {
        TextSource::Nowhere => TextSource::Nowhere,
        TextSource::Verbatim(_) => TextSource::Verbatim(text.locate(start, end, value.span)),
        TextSource::Pieces(pieces) => TextSource::Pieces(
            pieces.iter().filter_map(|it| shifted(it, start, end)).collect::<Vec<_>>().into(),
        ),
    };
    // What is left of an encoding has the same value only where nothing but blanks was removed.
    let blank = |it: &str| it.trim().is_empty();
    let same = blank(&text.text[..start]) && blank(&text.text[end..]);
    let encodes = text.encodes.clone().filter(|_| same);
    let kept = text.text[start..end].into();
    let kept =
        Text { text: kept, layout, encodes, carried: carried(text, start, end), ..text.clone() };
    Value { kind: Kind::String(kept), ..value.clone() }
}

/// What remains of the runs of values when only `start..end` of a text is kept: those that lose at most
/// blanks at their end.
fn carried(text: &Text, start: usize, end: usize) -> Option<Arc<Vec<Carried>>> {
    let kept = text.carried.as_deref()?.iter().filter_map(|it| {
        let range = it.range();
        let lost = text.text.get(end.min(range.end)..range.end)?;
        let whole = start <= range.start && range.start < end && lost.trim().is_empty();
        // A run behind the end loses more than it has.
        let len = it.len.checked_sub(u32::try_from(lost.len()).ok()?)?;
        let at = it.at.checked_sub(u32::try_from(start).ok()?)?;
        (whole && (lost.is_empty() || it.is_encoded)).then(|| Carried { at, len, ..it.clone() })
    });
    Some(Arc::new(kept.collect()))
}

/// What remains of a piece when only `start..end` of its text is kept.
fn shifted(piece: &TextPiece, start: usize, end: usize) -> Option<TextPiece> {
    let start = u32::try_from(start).ok()?;
    let from = piece.at.max(start);
    let to = piece.at.saturating_add(piece.len).min(u32::try_from(end).ok()?);
    if from >= to {
        return None;
    }
    let verbatim = piece.len == piece.span.end - piece.span.start;
    let span = if verbatim {
        let first = piece.span.start + (from - piece.at);
        Span { start: first, end: first + (to - from), ..piece.span }
    } else {
        piece.span
    };
    Some(TextPiece { at: from - start, len: to - from, span })
}

/// Cuts a text whose holes do not matter at its ends.
fn trimmed(call: &Call<'_>, arguments: &[Value], trim: impl Fn(&str) -> &str) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Kind::String(text) = &value.kind else {
        if value.is_unknown() {
            return Ok(call.unknown());
        }
        return Ok(call.text(trim(&argument::text_of(call, value)?)));
    };
    let kept = trim(&text.text);
    let start = kept.as_ptr() as usize - text.text.as_ptr() as usize;
    Ok(cut(value, text, start, start + kept.len()))
}

/// `chomp`: without line breaks at the end.
///
/// # Errors
/// When the argument is no text.
pub(super) fn chomp(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    trimmed(call, arguments, |it| it.trim_end_matches(['\n', '\r']))
}

/// `trimspace`
///
/// # Errors
/// When the argument is no text.
pub(super) fn trim_space(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    trimmed(call, arguments, str::trim)
}

/// `trim`
///
/// # Errors
/// When an argument is no text.
pub(super) fn trim(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let set = argument::text(call, arguments, 1)?;
    trimmed(call, arguments, |it| it.trim_matches(|character| set.contains(character)))
}

/// `trimprefix`
///
/// # Errors
/// When an argument is no text.
pub(super) fn trim_prefix(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let prefix = argument::text(call, arguments, 1)?;
    trimmed(call, arguments, |it| it.strip_prefix(&*prefix).unwrap_or(it))
}

/// `trimsuffix`
///
/// # Errors
/// When an argument is no text.
pub(super) fn trim_suffix(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let suffix = argument::text(call, arguments, 1)?;
    trimmed(call, arguments, |it| it.strip_suffix(&*suffix).unwrap_or(it))
}

/// `indent`: spaces after every line break.
///
/// # Errors
/// When the number is negative or the second argument no text.
pub(super) fn indent(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 1)?;
    if argument::at(call, arguments, 0)?.is_unknown() || matches!(value.kind, Kind::Unknown(_)) {
        return Ok(call.unknown());
    }
    let Ok(count) = usize::try_from(argument::integer(call, arguments, 0)?) else {
        return call.fault("needs a number of spaces that is not negative");
    };
    let Kind::String(text) = &value.kind else {
        return Ok(call.text(argument::text_of(call, value)?));
    };
    let breaks = text.text.matches('\n').count();
    if breaks.saturating_mul(count).saturating_add(text.text.len()) > MOST_BYTES {
        return Ok(call.unknown());
    }
    let spaces = " ".repeat(count);
    let mut result = Assembly::default();
    for segment in segments(text) {
        match segment {
            Segment::Hole(symbol, start, end) => {
                result.push_hole(symbol, text.locate(start, end, value.span));
            }
            Segment::Known(known, at) => {
                let mut from = at;
                for line in known.split_inclusive('\n') {
                    result.push_run(text, line, from, value.span);
                    from += line.len();
                    if line.ends_with('\n') {
                        // A place without width: the spaces are written nowhere.
                        let place = text.locate(from - 1, from, value.span);
                        result.push(&spaces, Span { end: place.start, ..place });
                    }
                }
            }
        }
    }
    let carried = indented(text, count);
    let text = Text { carried, ..result.finish() };
    Ok(Value { kind: Kind::String(text), ..value.clone() })
}

/// The runs of values when so many blanks follow each line break. What a text encodes stays so at its place.
fn indented(text: &Text, count: usize) -> Option<Arc<Vec<Carried>>> {
    let grown = |range: Range<usize>| {
        let breaks = text.text.get(range).map_or(0, |it| it.matches('\n').count());
        u32::try_from(breaks * count).unwrap_or(u32::MAX)
    };
    if let Some(value) = &text.encodes {
        let len = u32::try_from(text.text.len()).ok()?.saturating_add(grown(0..text.text.len()));
        let value = Value::clone(value);
        return Some(Arc::new(vec![Carried { at: 0, len, value, is_encoded: true }]));
    }
    let moved = text.carried.as_deref()?.iter().filter_map(|it| {
        let more = grown(it.range());
        let at = it.at.saturating_add(grown(0..it.at as usize));
        let len = it.len.saturating_add(more);
        (it.is_encoded || more == 0).then(|| Carried { at, len, ..it.clone() })
    });
    Some(Arc::new(moved.collect()))
}

/// `join`: unknown items become holes.
///
/// # Errors
/// When an argument is no list of text.
pub(super) fn join(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    if arguments.len() < 2 {
        return call.fault("needs at least one list");
    }
    let separator = argument::at(call, arguments, 0)?;
    if separator.is_unknown() {
        return Ok(call.unknown());
    }
    let between = argument::text_of(call, separator)?;
    let mut result = Assembly::default();
    let mut first = true;
    for value in arguments.iter().skip(1) {
        let Some(list) = argument::list(call, value)? else { return Ok(call.unknown()) };
        for item in &list.items {
            if !first {
                result.push(&between, separator.span);
            }
            first = false;
            if result.push_scalar(item).is_none() {
                return call.fault("needs lists of strings");
            }
            if result.len() > MOST_BYTES {
                return Ok(call.unknown());
            }
        }
        if let Some(rest) = &list.rest {
            result.push_hole(rest, value.span);
        }
    }
    Ok(call.value(Kind::String(result.finish())))
}

/// `lower`
///
/// # Errors
/// When the argument is no text.
pub(super) fn lower(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    Ok(call.text(text.chars().map(|it| it.to_lowercase().next().unwrap_or(it)).collect::<String>()))
}

/// `upper`
///
/// # Errors
/// When the argument is no text.
pub(super) fn upper(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    Ok(call.text(text.chars().map(capital).collect::<String>()))
}

/// The one capital letter of a letter; Go changes letters one by one (`ß` stays).
fn capital(letter: char) -> char {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        _ => letter,
    }
}

/// `title`: a capital at each word's start.
///
/// # Errors
/// When the argument is no text.
pub(super) fn title(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    let mut inside = false;
    let titled = text.chars().map(|it| {
        let letter = if inside { it } else { capital(it) };
        inside = it.is_alphanumeric() || it == '_' || !(it.is_ascii() || it.is_whitespace());
        letter
    });
    Ok(call.text(titled.collect::<String>()))
}

/// `strrev`
///
/// # Errors
/// When the argument is no text.
pub(super) fn reverse(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    Ok(match characters(&text) {
        Some(characters) => call.text(characters.into_iter().rev().collect::<String>()),
        None => call.unknown(),
    })
}

/// `substr`: a negative offset counts from the end, a negative length means all the rest.
///
/// # Errors
/// When an argument is of the wrong type.
pub(super) fn substring(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let text = argument::text(call, arguments, 0)?;
    let offset = argument::integer(call, arguments, 1)?;
    let length = argument::integer(call, arguments, 2)?;
    let Some(characters) = characters(&text) else { return Ok(call.unknown()) };
    let count = i64::try_from(characters.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { (count + offset).max(0) } else { offset.min(count) };
    // With an offset from the end, Terraform takes a length of zero for all the rest.
    let end = if length < 0 || (length == 0 && offset < 0) {
        count
    } else {
        start.saturating_add(length).min(count)
    };
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
    Ok(call.text(characters.get(range).map(<[&str]>::concat).unwrap_or_default()))
}

/// `startswith`
///
/// # Errors
/// When an argument is no text.
pub(super) fn starts_with(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    compare(call, arguments, |text, part| text.starts_with(part))
}

/// `endswith`
///
/// # Errors
/// When an argument is no text.
pub(super) fn ends_with(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    compare(call, arguments, |text, part| text.ends_with(part))
}

/// `strcontains`
///
/// # Errors
/// When an argument is no text.
pub(super) fn contains(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    compare(call, arguments, |text, part| text.contains(part))
}

fn compare(call: &Call<'_>, arguments: &[Value], holds: fn(&str, &str) -> bool) -> CallResult {
    let text: Arc<str> = argument::text(call, arguments, 0)?;
    let part = argument::text(call, arguments, 1)?;
    Ok(call.value(Kind::Bool(holds(&text, &part))))
}

/// `urlencode`
///
/// # Errors
/// When the argument is no text.
pub(super) fn url_encode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let mut result = String::new();
    for byte in argument::text(call, arguments, 0)?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                result.push(char::from(byte));
            }
            b' ' => result.push('+'),
            _ => {
                let _ = write!(result, "%{byte:02X}");
            }
        }
    }
    Ok(call.text(result))
}
