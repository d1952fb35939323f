//! Regular expressions. Go's are RE2's; what they mean is rewritten for the engine used here, which takes linear
//! time, too.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use regex_automata::meta::Regex;

use crate::cel::{
    data::{Data, Operand, Outcome, take},
    fault::Fault,
    native::{MOST_ITEMS, Native},
};

/// Larger automata than this are not built, bytes.
const MOST_STATES: usize = 1 << 20;

/// Functions of regular expressions.
pub(super) const FUNCTIONS: &[(&str, Native)] =
    &[("matches", matches), ("find", find), ("findAll", find_all)];

/// The expression, compiled.
///
/// # Errors
/// When it is none.
fn compile(pattern: &str) -> Result<Arc<Regex>, Fault> {
    thread_local! {
        static KNOWN: RefCell<HashMap<Box<str>, Arc<Regex>>> = RefCell::default();
    }
    let known = KNOWN.with_borrow(|it| it.get(pattern).cloned());
    if let Some(known) = known {
        return Ok(known);
    }
    let limits = Regex::config().nfa_size_limit(Some(MOST_STATES)).onepass(false);
    let built = Regex::builder().configure(limits).build(&as_written_here(pattern));
    let wrong = |_| Fault::error(format!("`{pattern}` is not a regular expression"));
    let regex = Arc::new(built.map_err(wrong)?);
    KNOWN.with_borrow_mut(|it| {
        if it.len() > 1000 {
            it.clear();
        }
        it.insert(pattern.into(), regex.clone());
    });
    Ok(regex)
}

/// What is wrong with a regular expression.
#[must_use]
pub(crate) fn mistake(pattern: &str) -> Option<String> {
    match compile(pattern) {
        Err(Fault::Error(error)) => Some(error.message),
        _ => None,
    }
}

/// A pattern of RE2 in the syntax of this engine: `\d`, `\s`, `\w` and `\b` mean ASCII, `\Q…\E` quotes, a
/// brace that counts nothing is itself.
fn as_written_here(pattern: &str) -> String {
    let mut written = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(letter) = rest.chars().next() {
        let (piece, length) = match letter {
            '\\' => escape(rest, in_class),
            '[' if in_class && !rest.starts_with("[:") => ("\\[".to_owned(), 1),
            '[' if !in_class => {
                in_class = true;
                let class = ["[^]", "[]"].iter().find(|it| rest.starts_with(**it));
                let piece = class.map_or("[", |it| it.trim_end_matches(']'));
                let close = if class.is_some() { "\\]" } else { "" };
                (format!("{piece}{close}"), class.map_or(1, |class| class.len()))
            }
            '[' => {
                let end = rest.find(":]").map_or(1, |it| it + 2);
                (rest[..end].to_owned(), end)
            }
            ']' => {
                in_class = false;
                ("]".to_owned(), 1)
            }
            '&' | '~' if in_class => (format!("\\{letter}"), 1),
            '{' if !in_class && !is_count(rest) => ("\\{".to_owned(), 1),
            '}' if !in_class && !written_count(&written) => ("\\}".to_owned(), 1),
            other => (other.to_string(), other.len_utf8()),
        };
        written.push_str(&piece);
        rest = &rest[length..];
    }
    written
}

fn escape(rest: &str, in_class: bool) -> (String, usize) {
    if let Some(quoted) = rest.strip_prefix("\\Q") {
        let end = quoted.find("\\E").unwrap_or(quoted.len());
        let escaped = quoted[..end]
            .chars()
            .map(|it| if it.is_ascii_punctuation() { format!("\\{it}") } else { it.to_string() });
        return (escaped.collect(), (end + 4).min(rest.len()));
    }
    let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
    if matches!(&rest[..length], "\\p" | "\\P" | "\\x") && rest[length..].starts_with('{') {
        let end = rest.find('}').map_or(length, |it| it + 1);
        return (rest[..end].to_owned(), end);
    }
    let inner = match &rest[..length] {
        "\\d" => "0-9",
        "\\w" => "0-9A-Za-z_",
        "\\s" => "\\t\\n\\x0C\\r ",
        "\\D" => return ("[^0-9]".to_owned(), length),
        "\\W" => return ("[^0-9A-Za-z_]".to_owned(), length),
        "\\S" => return ("[^\\t\\n\\x0C\\r ]".to_owned(), length),
        "\\b" => return ("(?-u:\\b)".to_owned(), length),
        "\\B" => return ("(?-u:\\B)".to_owned(), length),
        // The engine would take these for its own.
        "\\<" | "\\>" => return (format!("\\x{:02X}", rest.as_bytes()[1]), length),
        other => return (other.to_owned(), length),
    };
    (if in_class { inner.to_owned() } else { format!("[{inner}]") }, length)
}

/// Whether a brace begins a count: `{2}`, `{2,}`, `{2,3}`.
fn is_count(rest: &str) -> bool {
    let Some((inner, _)) = rest[1..].split_once('}') else { return false };
    let (first, second) = inner.split_once(',').unwrap_or((inner, ""));
    let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    !first.is_empty() && digits(first) && digits(second)
}

/// Whether what was written last is a count whose closing brace is to come.
fn written_count(written: &str) -> bool {
    let digits = written.trim_end_matches(|it: char| it.is_ascii_digit() || it == ',');
    digits.ends_with('{') && !digits.ends_with("\\{")
}

fn matches(arguments: &[Operand]) -> Outcome {
    let [Data::String(text), Data::String(pattern)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    Ok(Data::Bool(compile(pattern)?.is_match(&**text)).into())
}

fn find(arguments: &[Operand]) -> Outcome {
    let [Data::String(text), Data::String(pattern)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let found = compile(pattern)?.find(&**text).map(|it| &text[it.range()]);
    Ok(Data::text(found.unwrap_or_default()).into())
}

fn find_all(arguments: &[Operand]) -> Outcome {
    let (text, pattern, most) = match arguments.iter().map(|it| &it.data).collect::<Vec<_>>()[..] {
        [Data::String(text), Data::String(pattern)] => (text, pattern, -1),
        [Data::String(text), Data::String(pattern), Data::Int(most)] => (text, pattern, *most),
        _ => return Err(Fault::NoOverload),
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(MOST_ITEMS);
    let regex = compile(pattern)?;
    // Go leaves out an empty match right behind another.
    let found = regex.find_iter(&**text).take(most);
    let items = found.map(|it| Data::text(&text[it.range()]).into()).collect();
    Ok(Data::list(items).into())
}

#[cfg(test)]
mod tests {
    use super::{as_written_here, compile};

    #[test]
    fn patterns_of_re2_mean_the_same_here() {
        for (pattern, text, wanted) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "٣", false),
            (r"^[\w.]+$", "a.b", true),
            (r"\bfoo\b", "a foo b", true),
            (r"^a{b}$", "a{b}", true),
            (r"^a{2}$", "aa", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"^[[:alpha:]]+$", "abc", true),
            (r"^[]a]+$", "]a", true),
            (r"^[a&&b]+$", "&", true),
            (r"(?i)^ABC$", "abc", true),
            (r"^\p{Greek}+$", "αβ", true),
        ] {
            let regex = compile(pattern).map(|it| it.is_match(text));
            assert_eq!(regex.ok(), Some(wanted), "{pattern} as {}", as_written_here(pattern));
        }
    }
}
