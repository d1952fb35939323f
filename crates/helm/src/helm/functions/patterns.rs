//! Regular expressions as Go's package `regexp` reads them.

use std::rc::Rc;

use regex_automata::{meta::Regex, util::syntax};

use crate::{
    helm::{
        fault::Fault,
        functions::arguments::{Answer, Args, Function},
        text::{Builder, Text},
        value::{Kind, Of, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("regexMatch", is_match_or_bad),
    ("mustRegexMatch", is_match),
    ("regexFind", find),
    ("mustRegexFind", find),
    ("regexFindAll", find_all),
    ("mustRegexFindAll", find_all),
    ("regexReplaceAll", |it| replace(it, true)),
    ("mustRegexReplaceAll", |it| replace(it, true)),
    ("regexReplaceAllLiteral", |it| replace(it, false)),
    ("mustRegexReplaceAllLiteral", |it| replace(it, false)),
    ("regexSplit", split),
    ("mustRegexSplit", split),
    ("regexQuoteMeta", quote_meta),
];

/// The expression of an argument.
fn pattern(args: &Args<'_>, at: usize) -> Result<Rc<Regex>, Fault> {
    let text = args.string(at)?;
    let mut patterns = args.host.patterns.borrow_mut();
    if let Some(regex) = patterns.get(text.as_str()) {
        return Ok(Rc::clone(regex));
    }
    let config = syntax::Config::new().nest_limit(100);
    let built = Regex::builder()
        .syntax(config)
        .configure(Regex::config().nfa_size_limit(Some(4 << 20)))
        .build(&with_escapes(text.as_str()));
    let Ok(regex) = built else {
        return if is_surely_refused(text.as_str()) {
            args.error(format!("error parsing regexp: `{}`", text.as_str()))
        } else {
            Err(args.unknown(&Symbol::of_installation(text.as_str())))
        };
    };
    let regex = Rc::new(regex);
    // A chart that makes its expressions up makes no more of them than this.
    if patterns.len() < 1000 {
        patterns.insert(text.as_str().into(), Rc::clone(&regex));
    }
    Ok(regex)
}

/// The classes of Perl, which have no letters but those of ASCII in Go.
fn ascii_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => "[\\t\\n\\f\\r ]",
        'S' => "[^\\t\\n\\f\\r ]",
        'b' => "(?-u:\\b)",
        'B' => "(?-u:\\B)",
        _ => return None,
    })
}

/// An expression of Go with the escapes that Rust's syntax wants in brackets: for `[`, `&&`, `--` and `~~`, and
/// for a dash behind a class.
fn with_escapes(pattern: &str) -> String {
    let mut result = String::with_capacity(pattern.len() + 4);
    let mut inside = false;
    let mut class_before = false;
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        match letter {
            '\\' => {
                let escaped = letters.next().unwrap_or_default();
                match ascii_class(escaped) {
                    Some(class) => result.push_str(class),
                    None => result.extend([letter, escaped]),
                }
                class_before = inside && "wWdDsS".contains(escaped);
                continue;
            }
            '[' if !inside => {
                inside = true;
                result.push(letter);
                for first in ['^', ']'] {
                    if let Some(it) = letters.next_if_eq(&first) {
                        result.push_str(if it == ']' { "\\]" } else { "^" });
                    }
                }
            }
            '[' if next != Some(':') => result.push_str("\\["),
            '[' => {
                // `[:alpha:]`
                result.push(letter);
                for it in letters.by_ref() {
                    result.push(it);
                    if it == ']' {
                        break;
                    }
                }
            }
            ']' => {
                inside = false;
                result.push(letter);
            }
            '-' if inside && class_before && next != Some(']') => result.push_str("\\-"),
            '&' | '~' | '-' if inside && next == Some(letter) => {
                result.push('\\');
                result.push(letter);
            }
            _ => result.push(letter),
        }
        class_before = false;
    }
    result
}

/// Whether Go certainly does not read an expression that is not read here either: what is open or closed alone, what
/// repeats nothing, and what looks around. Other texts may be Go's own: `\Q[\E`.
fn is_surely_refused(pattern: &str) -> bool {
    let mut groups = 0_usize;
    let mut inside = false;
    let mut before: Option<char> = None;
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => match rest.next() {
                None => return true,
                Some('Q' | 'C' | 'p' | 'P' | 'x') => return false,
                Some(_) => {}
            },
            '[' if !inside => {
                inside = true;
                // A bracket that comes first closes nothing.
                let mut ahead = rest.clone();
                let first = ahead.next();
                let second = if first == Some('^') { ahead.next() } else { first };
                if second == Some(']') {
                    rest = ahead;
                } else if first == Some('^') {
                    rest.next();
                }
            }
            ']' if inside => inside = false,
            _ if inside => {}
            '(' => {
                let looks = ["?=", "?!", "?<=", "?<!"];
                if looks.iter().any(|it| rest.as_str().starts_with(it)) {
                    return true;
                }
                groups += 1;
                if rest.as_str().starts_with('?') {
                    rest.next();
                }
            }
            ')' if groups == 0 => return true,
            ')' => groups -= 1,
            '*' | '+' | '?' if matches!(before, None | Some('(' | '|')) => return true,
            _ => {}
        }
        before = Some(letter);
    }
    inside || groups > 0
}

/// sprig matches nothing with an expression that Go does not read.
fn is_match_or_bad(args: &Args<'_>) -> Answer {
    match is_match(args) {
        Err(Fault::Error(..)) if is_surely_refused(args.string(0)?.as_str()) => {
            args.string(1)?;
            Ok(Val::bool(false))
        }
        answer => answer,
    }
}

fn is_match(args: &Args<'_>) -> Answer {
    let regex = pattern(args, 0)?;
    Ok(Val::bool(regex.is_match(args.string(1)?.as_str())))
}

fn find(args: &Args<'_>) -> Answer {
    let regex = pattern(args, 0)?;
    let text = args.string(1)?;
    let found = regex.find(text.as_str()).map(|it| text.slice(it.range()));
    Ok(Kind::Text(found.unwrap_or_default()).into())
}

/// How many are wanted; all of them where the number is negative.
fn most(args: &Args<'_>, at: usize) -> Result<usize, Fault> {
    Ok(usize::try_from(args.int(at)?).unwrap_or(usize::MAX))
}

fn find_all(args: &Args<'_>) -> Answer {
    let regex = pattern(args, 0)?;
    let text = args.string(1)?;
    let found = regex.find_iter(text.as_str()).take(most(args, 2)?);
    let found = found.map(|it| Kind::Text(text.slice(it.range())).into());
    Ok(Val::list_of(found.collect(), Of::Found))
}

fn replace(args: &Args<'_>, expands: bool) -> Answer {
    let regex = pattern(args, 0)?;
    let text = args.string(1)?;
    let with = args.text(2)?;
    let mut out = Builder::default();
    let mut done = 0;
    for found in regex.captures_iter(text.as_str()) {
        let Some(whole) = found.get_match() else { continue };
        out.push_part(&text, done..whole.start());
        if expands {
            expand(&with, &mut out, &|name| group(&regex, &found, name, &text));
        } else {
            out.push_text(&with);
        }
        done = whole.end();
    }
    out.push_part(&text, done..text.len());
    Ok(Kind::Text(out.finish()).into())
}

/// A group by its number or name; nothing where there is none.
fn group(
    regex: &Regex,
    found: &regex_automata::util::captures::Captures,
    name: &str,
    text: &Text,
) -> Option<Text> {
    let index = match name.parse::<usize>() {
        Ok(index) => index,
        Err(_) => regex.group_info().to_index(regex_automata::PatternID::ZERO, name)?,
    };
    found.get_group(index).map(|it| text.slice(it.start..it.end))
}

/// `$1`, `${1}`, `$name` and `$$`, as Go expands them.
fn expand(with: &Text, out: &mut Builder, group: &dyn Fn(&str) -> Option<Text>) {
    let source = with.as_str();
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|it| it.find('$')) {
        out.push_part(with, at..at + found);
        at += found + 1;
        let rest = source.get(at..).unwrap_or_default();
        let word =
            |it: &str| it.find(|it: char| !(it.is_alphanumeric() || it == '_')).unwrap_or(it.len());
        if rest.starts_with('$') {
            out.push_made("$");
            at += 1;
        } else if let Some(inside) = rest.strip_prefix('{').and_then(|it| it.split_once('}')) {
            if let Some(text) = group(inside.0) {
                out.push_text(&text);
            }
            at += inside.0.len() + 2;
        } else {
            let len = word(rest);
            let name = rest.get(..len).unwrap_or_default();
            if len == 0 {
                out.push_made("$");
            } else if let Some(text) = group(name) {
                out.push_text(&text);
            }
            at += len;
        }
    }
    out.push_part(with, at..source.len());
}

fn split(args: &Args<'_>) -> Answer {
    let regex = pattern(args, 0)?;
    let text = args.string(1)?;
    let count = most(args, 2)?;
    if count == 0 {
        return Ok(Val::list_of(Vec::new(), Of::Found));
    }
    let mut parts = Vec::new();
    let mut done = 0;
    for found in regex.find_iter(text.as_str()) {
        if parts.len() + 1 >= count {
            break;
        }
        if found.is_empty() && (found.start() == 0 || found.start() == text.len()) {
            continue;
        }
        parts.push(Kind::Text(text.slice(done..found.start())).into());
        done = found.end();
    }
    parts.push(Kind::Text(text.slice(done..text.len())).into());
    Ok(Val::list_of(parts, Of::Texts))
}

fn quote_meta(args: &Args<'_>) -> Answer {
    let text = args.string(0)?;
    let mut out = Builder::default();
    let mut done = 0;
    for (at, _) in text.as_str().match_indices(|it| r"\.+*?()|[]{}^$".contains(it)) {
        out.push_part(&text, done..at);
        out.push_made("\\");
        done = at;
    }
    out.push_part(&text, done..text.len());
    Ok(Kind::Text(out.finish()).into())
}
