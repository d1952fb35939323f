//! What is certain of texts with unknown holes: `repository/app:${var.tag}` begins with `repository/`.

use crate::{
    cel::{
        data::{Data, Operand, Outcome},
        fault::{Fault, Unknown},
    },
    value::{HOLE_END, HOLE_START},
};

/// The known pieces of a text, before, between and behind its holes.
fn pieces(unknown: &Unknown) -> Option<Vec<&str>> {
    let text = unknown.text.as_ref()?;
    let mut pieces = Vec::new();
    let mut rest = &*text.text;
    while let Some((before, after)) = rest.split_once(HOLE_START) {
        pieces.push(before);
        rest = after.split_once(HOLE_END)?.1;
    }
    pieces.push(rest);
    Some(pieces)
}

/// The result of a call with a text of which a part is not known, where the known part decides.
#[must_use]
pub(super) fn decide(name: &str, arguments: &[Outcome]) -> Option<Operand> {
    let (unknown, text) = match arguments {
        [Err(Fault::Unknown(unknown)), Ok(Operand { data: Data::String(text), .. })] => {
            (unknown, text)
        }
        [Ok(Operand { data: Data::String(text), .. }), Err(Fault::Unknown(unknown))]
            if matches!(name, "_==_" | "_!=_") =>
        {
            (unknown, text)
        }
        _ => return None,
    };
    let pieces = pieces(unknown)?;
    let (first, last) = (*pieces.first()?, *pieces.last()?);
    let answer = match name {
        "startsWith" => end(first, text, |a, b| a.starts_with(b)),
        "endsWith" => end(last, text, |a, b| a.ends_with(b)),
        "contains" => pieces.iter().any(|it| it.contains(&**text)).then_some(true),
        "_==_" => differs(&pieces, text).then_some(false),
        "_!=_" => differs(&pieces, text).then_some(true),
        _ => None,
    }?;
    Some(Operand { data: Data::Bool(answer), place: unknown.place.clone() })
}

/// Whether a text whose end is known has that end, if the known part is long enough to tell.
fn end(known: &str, wanted: &str, has: fn(&str, &str) -> bool) -> Option<bool> {
    if has(known, wanted) {
        return Some(true);
    }
    (!has(wanted, known)).then_some(false)
}

/// Whether a text certainly differs from one with these pieces in it.
fn differs(pieces: &[&str], text: &str) -> bool {
    let first = pieces.first().copied().unwrap_or_default();
    let last = pieces.last().copied().unwrap_or_default();
    let length: usize = pieces.iter().map(|it| it.len()).sum();
    text.len() < length || !text.starts_with(first) || !text.ends_with(last)
}
