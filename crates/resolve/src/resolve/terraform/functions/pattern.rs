//! Regular expressions. Terraform's are Go's; they are rewritten for the engine used here, and what
//! that engine refuses is unknown.

use std::{fmt::Write, sync::Arc};

use regex_automata::{
    PatternID,
    meta::{Config, Regex},
    util::captures::Captures,
};

use crate::{
    resolve::terraform::functions::{
        argument,
        assemble::Assembly,
        call::{Call, CallResult, EvaluationError, MOST_BYTES, MOST_ITEMS},
        scalar,
    },
    value::{Entry, Kind, Text, Value},
};

/// Larger automata than this are not built, bytes.
const MOST_STATES: usize = 1 << 20;

/// `regex`: the first match, or its groups.
///
/// # Errors
/// When nothing matches.
pub(super) fn regex(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let pattern = argument::text(call, arguments, 0)?;
    let text = argument::text(call, arguments, 1)?;
    let Some(regex) = compile(call, &pattern)? else { return Ok(call.unknown()) };
    let mut captures = regex.create_captures();
    regex.captures(&*text, &mut captures);
    if captures.is_match() {
        matched(call, &regex, &captures, &text)
    } else {
        call.fault("finds no match")
    }
}

/// `regexall`: all matches.
///
/// # Errors
/// When the pattern mixes named and other groups.
pub(super) fn regex_all(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let pattern = argument::text(call, arguments, 0)?;
    let text = argument::text(call, arguments, 1)?;
    let Some(regex) = compile(call, &pattern)? else { return Ok(call.unknown()) };
    let mut items = Vec::new();
    for captures in regex.captures_iter(&*text) {
        if items.len() == MOST_ITEMS {
            return Ok(call.unknown());
        }
        items.push(matched(call, &regex, &captures, &text)?);
    }
    Ok(Value::list(items, call.span))
}

/// `replace`: a text between slashes is a regular expression. What is kept has its places in the text; what takes the
/// place of the rest need not be known, unless it may name groups.
///
/// # Errors
/// When an argument is no text.
pub(super) fn replace(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let (Some(text), Some(what)) = (given(call, arguments, 0)?, given(call, arguments, 1)?) else {
        return Ok(call.unknown());
    };
    let whole = argument::at(call, arguments, 0)?.span;
    let with = argument::at(call, arguments, 2)?;
    let Some(known) = text.known() else { return Ok(call.unknown()) };
    let pattern = what.text.strip_prefix('/').and_then(|it| it.strip_suffix('/'));
    let mut result = Assembly::default();
    let mut from = 0;
    let Some(pattern) = pattern else {
        for (at, found) in known.match_indices(&*what.text) {
            result.push_run(&text, &known[from..at], from, whole);
            from = at + found.len();
            if result.push_scalar(with).is_none() {
                return call.fault("needs a string");
            }
            if result.len() > MOST_BYTES {
                return Ok(call.unknown());
            }
        }
        result.push_run(&text, &known[from..], from, whole);
        return Ok(call.value(Kind::String(result.finish())));
    };
    let Some(expansion) = given(call, arguments, 2)? else { return Ok(call.unknown()) };
    let Some(regex) = compile(call, pattern)? else { return Ok(call.unknown()) };
    for captures in regex.captures_iter(known) {
        let Some(found) = captures.get_match() else { continue };
        result.push_run(&text, &known[from..found.start()], from, whole);
        let mut expanded = String::new();
        expand(&expansion.text, &regex, &captures, known, &mut expanded);
        result.push(&expanded, with.span);
        from = found.end();
        if result.len() > MOST_BYTES {
            return Ok(call.unknown());
        }
    }
    result.push_run(&text, &known[from..], from, whole);
    Ok(call.value(Kind::String(result.finish())))
}

/// An argument as text; `None` where a part of it is not known.
fn given(
    call: &Call<'_>,
    arguments: &[Value],
    index: usize,
) -> Result<Option<Text>, EvaluationError> {
    match scalar::scalar_text(argument::at(call, arguments, index)?) {
        Some(text) => Ok(text.ok().filter(|it| it.holes.is_empty())),
        None => call.fault("needs a string"),
    }
}

/// The value of a match: its text, the list of its groups, or an object of its named groups.
fn matched(
    call: &Call<'_>,
    regex: &Regex,
    captures: &Captures,
    text: &str,
) -> Result<Value, EvaluationError> {
    let group = |index: usize| match group_text(captures, index, text) {
        Some(text) => call.text(text),
        None => call.value(Kind::Null),
    };
    let names: Vec<Option<&str>> =
        regex.group_info().pattern_names(PatternID::ZERO).skip(1).collect();
    if names.is_empty() {
        return Ok(group(0));
    }
    if names.iter().all(Option::is_none) {
        return Ok(Value::list((1..=names.len()).map(group).collect(), call.span));
    }
    let entries = names.iter().enumerate().map(|(index, name)| {
        let key = Arc::from((*name)?);
        Some(Entry { key, key_span: call.span, value: group(index + 1) })
    });
    match entries.collect::<Option<Vec<_>>>() {
        Some(entries) => Ok(Value::map(entries, call.span)),
        None => call.fault("mixes named groups and others"),
    }
}

fn group_text<'t>(captures: &Captures, index: usize, text: &'t str) -> Option<&'t str> {
    text.get(captures.get_group(index)?.range())
}

/// Writes a replacement: `$1`, `${name}`, `$$`. Groups that do not exist are empty.
fn expand(with: &str, regex: &Regex, captures: &Captures, text: &str, result: &mut String) {
    let mut rest = with;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            result.push('$');
            rest = after;
            continue;
        }
        let braced = rest.strip_prefix('{').and_then(|it| it.split_once('}'));
        let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
        let (name, after) = braced.unwrap_or_else(|| rest.split_at(end));
        if name.is_empty() {
            result.push('$');
            continue;
        }
        rest = after;
        let index = match name.parse::<usize>() {
            Ok(index) => Some(index),
            Err(_) => regex.group_info().to_index(PatternID::ZERO, name),
        };
        result.push_str(index.and_then(|it| group_text(captures, it, text)).unwrap_or_default());
    }
    result.push_str(rest);
}

/// The engine of a pattern; `None` when it cannot be built, though Terraform may be able to.
fn compile(call: &Call<'_>, pattern: &str) -> Result<Option<Regex>, EvaluationError> {
    let Some(pattern) = rewrite(pattern) else {
        return call.fault(format_args!("cannot read `{pattern}` as a regular expression"));
    };
    let config = Config::new().nfa_size_limit(Some(MOST_STATES));
    Ok(Regex::builder().configure(config).build(&pattern).ok())
}

/// Go's notation in this engine's: Perl's classes are ASCII's, and classes have no set operations.
/// `None` for what Go refuses.
fn rewrite(pattern: &str) -> Option<String> {
    let mut result = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern;
    let mut repeats = 0;
    let mut before = '(';
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        // Go refuses to repeat a repetition; only one `?` may follow, for "as few as possible".
        repeats = if "*+?".contains(letter) && before != '(' { repeats + 1 } else { 0 };
        if repeats > 2 || (repeats == 2 && letter != '?') {
            return None;
        }
        before = letter;
        match letter {
            '\\' => rest = rewrite_escape(rest, false, &mut result)?,
            '[' => rest = rewrite_class(rest, &mut result)?,
            // Of the flags only these mean the same.
            '(' if rest.starts_with('?') && !rest.starts_with("?P<") && !rest.starts_with("?<") => {
                let flags = rest[1..].split([')', ':']).next()?;
                if !flags.chars().all(|it| "imsU-".contains(it)) {
                    return None;
                }
                result.push('(');
            }
            _ => result.push(letter),
        }
    }
    Some(result)
}

/// Rewrites what follows a backslash and returns the rest.
fn rewrite_escape<'p>(rest: &'p str, class: bool, result: &mut String) -> Option<&'p str> {
    let letter = rest.chars().next()?;
    let after = &rest[letter.len_utf8()..];
    let text = match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        's' => "[\\t\\n\\f\\r\\x20]",
        'S' => "[^\\t\\n\\f\\r\\x20]",
        'b' if !class => "(?-u:\\b)",
        'B' if !class => "(?-u:\\B)",
        'Q' if !class => {
            let (literal, after) = after.split_once("\\E").unwrap_or((after, ""));
            literal.chars().for_each(|it| push_literal(it, result));
            return Some(after);
        }
        'A' | 'z' if !class => {
            result.extend(['\\', letter]);
            return Some(after);
        }
        'a' | 'f' | 't' | 'n' | 'r' | 'v' | 'x' | 'p' | 'P' => {
            result.extend(['\\', letter]);
            return Some(after);
        }
        _ if letter.is_ascii_alphanumeric() => return None,
        _ => {
            push_literal(letter, result);
            return Some(after);
        }
    };
    result.push_str(text);
    Some(after)
}

/// Rewrites a class, from behind its bracket to behind its end, and returns the rest.
fn rewrite_class<'p>(mut rest: &'p str, result: &mut String) -> Option<&'p str> {
    result.push('[');
    if let Some(after) = rest.strip_prefix('^') {
        result.push('^');
        rest = after;
    }
    let mut first = true;
    loop {
        let letter = rest.chars().next()?;
        let after = &rest[letter.len_utf8()..];
        match letter {
            ']' if !first => {
                result.push(']');
                return Some(after);
            }
            '[' if after.starts_with(':') => {
                let end = after.find(":]")? + 2;
                result.push('[');
                result.push_str(&after[..end]);
                rest = &after[end..];
            }
            '\\' => rest = rewrite_escape(after, true, result)?,
            '-' if !first && !after.starts_with(']') => {
                result.push('-');
                rest = after;
            }
            _ => {
                push_literal(letter, result);
                rest = after;
            }
        }
        first = false;
    }
}

fn push_literal(letter: char, result: &mut String) {
    if letter.is_ascii_punctuation() {
        let _ = write!(result, "\\x{:02X}", u32::from(letter));
    } else {
        result.push(letter);
    }
}
