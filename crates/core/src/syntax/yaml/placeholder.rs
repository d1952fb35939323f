//! Marks of other tools in YAML: `{{ … }}` of templates, `${NAME}` of Flux and envsubst, and the
//! holes that Terraform expressions leave in a text.

use crate::{
    source::Span,
    syntax::yaml::place::with_holes,
    value::{HOLE_END, HOLE_START, Symbol, Text},
};
use std::ops::Range;

/// Whether a text may contain marks: the quick test before [`marks`].
#[must_use]
pub(super) fn suspect(text: &str) -> bool {
    let bytes = text.as_bytes();
    let opens = |at: usize| matches!(bytes.get(at + 1), Some(b'{' | b'('));
    memchr::memchr_iter(b'$', bytes).any(opens) || memchr::memmem::find(bytes, b"{{").is_some()
}

/// The parts of a scalar that are unknown until another tool has run, in order. `holes` names those
/// of the text the scalar is in; with `literal` only they count.
#[must_use]
pub(super) fn marks(text: &str, holes: &[Symbol], literal: bool) -> Vec<(Range<usize>, Symbol)> {
    let mut found = Vec::new();
    let mut templates = !literal;
    let mut at = 0;
    while let Some(step) = next_candidate(text, at) {
        at = step;
        let mark = match text.as_bytes().get(at) {
            Some(b'{') if templates && text.as_bytes().get(at + 1) == Some(&b'{') => {
                let end = template(text, at);
                templates = end.is_some();
                end.map(|end| (end, source_symbol(text, at..end)))
            }
            Some(b'$') if !literal => substitution(text, at)
                .filter(|end| {
                    text.as_bytes().get(at + 1) == Some(&b'{') || (at, *end) == (0, text.len())
                })
                .map(|end| (end, source_symbol(text, at..end))),
            Some(0xee) => hole(text, at).map(|(end, index)| {
                let symbol = holes.get(index).cloned();
                (end, symbol.unwrap_or_else(|| source_symbol(text, at..end)))
            }),
            _ => None,
        };
        if let Some((end, symbol)) = mark {
            found.push((at..end, symbol));
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

fn next_candidate(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    Some(at + memchr::memchr3(b'{', b'$', 0xee, rest)?)
}

fn source_symbol(text: &str, range: Range<usize>) -> Symbol {
    Symbol::new("", text.get(range).unwrap_or_default().trim())
}

/// The end of the template mark that opens at `at`.
fn template(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    Some(at + memchr::memmem::find(rest, b"}}")? + 2)
}

/// The end of `${NAME}`, `${NAME:-default}` or `$(NAME)` at `at`.
fn substitution(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let close = match rest {
        [b'$', b'{', ..] => b'}',
        [b'$', b'(', ..] => b')',
        _ => return None,
    };
    let body = rest.get(2..)?;
    let first = *body.first()?;
    if !(first.is_ascii_alphabetic() || first == b'_') {
        return None;
    }
    let allowed = |it: &u8| it.is_ascii_alphanumeric() || b"_:=.-".contains(it);
    let len = body.iter().position(|it| !allowed(it))?;
    match body.get(len)? {
        it if *it == close => Some(at + 2 + len + 1),
        b'(' | b'[' if close == b'}' => Some(at + 2 + expression(body, len)?),
        _ => None,
    }
}

/// The end of an expression of Terraform that calls something or looks inside it, with its brace:
/// `jsonencode(zones)}`.
fn expression(body: &[u8], opens_at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_text = false;
    for (at, byte) in body.iter().enumerate().skip(opens_at) {
        match byte {
            b'\n' => return None,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'(' | b'[' | b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at + 1),
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The end and the number of the hole at `at`.
fn hole(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = text.get(at..)?.strip_prefix(HOLE_START)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let index = rest.get(..digits)?.parse().ok()?;
    rest.get(digits..)?.strip_prefix(HOLE_END)?;
    Some((at + HOLE_START.len_utf8() + digits + HOLE_END.len_utf8(), index))
}

/// Adds Terraform's `%{ … }` where nothing else was found; parts stay in order.
fn directives(source: &str, parts: &mut Vec<(Range<usize>, Symbol)>) {
    let others = std::mem::take(parts);
    let mut others = others.into_iter().peekable();
    let mut done = 0;
    for at in memchr::memmem::find_iter(source.as_bytes(), "%{") {
        let line = source.get(at..).and_then(|it| it.lines().next()).unwrap_or_default();
        let Some(end) = line.find('}').map(|it| at + it + 1) else { continue };
        while let Some(other) = others.next_if(|(range, _)| range.start < end) {
            done = other.0.end;
            parts.push(other);
        }
        if at >= done {
            parts.push((at..end, source_symbol(source, at..end)));
            done = end;
        }
    }
    parts.extend(others);
}

/// Adds lines that are a word in capitals, `APP_IMAGE`, or such a word with the line that stands there by default,
/// `APP_REGION|-value: eu-west-1-|`: a script puts lines in their place.
fn lines_in_capitals(source: &str, parts: &mut Vec<(Range<usize>, Symbol)>) -> bool {
    let mut others = std::mem::take(parts).into_iter().peekable();
    let (mut at, mut is_found) = (0, false);
    for line in source.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        let own = start..start + line.trim().len();
        at += line.len();
        let mut is_marked = false;
        while let Some(other) = others.next_if(|(range, _)| range.start < at) {
            is_marked = true;
            parts.push(other);
        }
        if !is_marked && is_blank_in_capitals(line.trim()) {
            is_found = true;
            parts.push((own.clone(), source_symbol(source, own)));
        }
    }
    parts.extend(others);
    is_found
}

fn is_blank_in_capitals(line: &str) -> bool {
    let (word, default) = line.split_once("|-").unwrap_or((line, "-|"));
    let is_of_word =
        |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || matches!(it, '_' | '-');
    let ends = default.split(" #").next().is_some_and(|it| it.trim_end().ends_with("-|"));
    let begins = word.starts_with(|it: char| it.is_ascii_uppercase());
    begins && ends && word.contains('_') && word.chars().all(is_of_word)
}

/// Whether a text that is no YAML looks like the template of one.
#[must_use]
pub(super) fn is_template(text: &str) -> bool {
    const MARKS: [&str; 2] = ["{{", "%{"];
    MARKS.iter().any(|it| text.contains(it)) && text.lines().any(|it| is_marked(it, &MARKS))
}

/// Whether a line has one of the marks outside of a comment.
#[must_use]
pub fn is_marked(line: &str, marks: &[&str]) -> bool {
    let at = marks.iter().filter_map(|it| line.find(it)).min();
    at.and_then(|it| line.get(..it))
        .is_some_and(|before| !before.trim_start().starts_with('#') && !before.contains(" #"))
}

/// The holes of a line that holds nothing else.
#[must_use]
pub(super) fn only_holes(line: &str, holes: &[Symbol]) -> Vec<Symbol> {
    let found = marks(line, holes, true);
    let mut done = 0;
    for (range, _) in &found {
        if line.get(done..range.start).is_none_or(|it| !it.trim().is_empty()) {
            return Vec::new();
        }
        done = range.end;
    }
    let rest = line.get(done..).unwrap_or_default().trim();
    let comment = rest.is_empty() || rest.starts_with('#');
    if comment { found.into_iter().map(|(_, symbol)| symbol).collect() } else { Vec::new() }
}

/// The bytes `range` of a text with every template mark turned into a hole; `None` without any.
#[must_use]
pub(super) fn templates_as_holes(text: &Text, range: Range<usize>, whole: Span) -> Option<Text> {
    let source = text.text.get(range.clone())?;
    let opens =
        |part: &Range<usize>, sign| source.get(part.start..).is_some_and(|it| it.starts_with(sign));
    let mut parts = marks(source, &text.holes, false);
    parts.retain(|(part, _)| !opens(part, '$'));
    directives(source, &mut parts);
    let has_blanks = lines_in_capitals(source, &mut parts);
    if !has_blanks && !parts.iter().any(|(part, _)| opens(part, '{') || opens(part, '%')) {
        return None;
    }
    for (part, _) in &mut parts {
        *part = part.start + range.start..part.end + range.start;
    }
    Some(with_holes(text, range, parts, whole))
}

#[cfg(test)]
mod tests {
    use super::{is_blank_in_capitals, marks};
    use crate::value::Symbol;

    #[test]
    fn lines_in_capitals_are_blanks() {
        for (line, is_it) in [
            ("APP_IMAGE", true),
            ("APP_BATCH-JOB_IMAGE", true),
            ("APP_REGION|-value: \"eu-west-1\"-|", true),
            ("APP_NAME|-value: a-| # set by the script", true),
            ("APP_REGION|-value: a", false),
            ("IMAGE", false),
            ("APP_IMAGE: a", false),
            ("app_image", false),
            ("2_A", false),
        ] {
            assert_eq!(is_blank_in_capitals(line), is_it, "{line}");
        }
    }

    #[test]
    fn marks_are_found() {
        let cases = [
            ("{{ .Values.x }}", vec!["{{ .Values.x }}"]),
            ("a-{{x}}-${NAME}.b", vec!["{{x}}", "${NAME}"]),
            ("${NAME:-default} ${9}", vec!["${NAME:-default}"]),
            ("$(NAME)", vec!["$(NAME)"]),
            ("echo $(date)", vec![]),
            ("{ {{ x", vec![]),
            ("{a} {{b}}", vec!["{{b}}"]),
            ("x\u{e000}0\u{e001}y", vec!["var.a"]),
            ("$$ ${ }", vec![]),
            ("${jsonencode(zones)}", vec!["${jsonencode(zones)}"]),
            (
                "a-${join(\"}\", [for it in x : {a = it}])}-b",
                vec!["${join(\"}\", [for it in x : {a = it}])}"],
            ),
            ("${zones[0]}.${lower(x) y", vec!["${zones[0]}"]),
            ("${a) }", vec![]),
        ];
        for (text, expected) in cases {
            let found = marks(text, &[Symbol::new("m", "var.a")], false);
            let texts: Vec<_> = found.iter().map(|(_, symbol)| &*symbol.text).collect();
            assert_eq!(texts, expected, "{text:?}");
        }
        assert!(marks("{{x}} ${A}", &[], true).is_empty());
    }
}
