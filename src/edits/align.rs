//! Attributes of Terraform's language below one another: `terraform fmt` puts their `=` in one column.

use std::ops::Range;

use crate::{
    edits::{edit::are_apart, line::one_value},
    findings::edit::Edit,
    source::{FileId, Files, Span},
};

/// An attribute on a line of its own.
#[derive(Debug)]
struct AttributeLine {
    indent: usize,
    key: usize,
    /// The blanks before the `=`, from the start of the file.
    gap: Range<usize>,
}

impl AttributeLine {
    /// That of a line; `None` for anything else, and for values of several lines.
    fn on(files: &Files, file: FileId, line: usize) -> Option<Self> {
        let source = files.get(file);
        let range = (line < source.line_count()).then(|| source.line_range(line))?;
        let text = source.slice(range.clone());
        let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
        let (name, value) = text[indent..].split_once('=')?;
        let key = name.trim_end_matches(' ').len();
        let is_name =
            |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '"' | '.' | '/');
        let whole = one_value(value.trim_end_matches('\r')).is_some() && !value.starts_with('=');
        let start = range.start + indent + key;
        let named = key > 0 && name[..key].chars().all(is_name);
        let gap = start..range.start + indent + name.len();
        (whole && named && !gap.is_empty()).then_some(Self { indent, key, gap })
    }
}

/// What an edit means to the lines around it.
struct Shift {
    /// The lines that are no longer in the column.
    gone: Range<usize>,
    /// The length of the key that is written there.
    new: Option<usize>,
    /// The blanks before the `=` of a line that stays, and the length of its key.
    own: Option<(Range<usize>, usize)>,
}

/// The edits that keep `=` in one column where others add attributes, rename some or take some away.
#[must_use]
pub(super) fn alignment(files: &Files, edits: &[Edit]) -> Vec<Edit> {
    let is_terraform =
        |it: &&Edit| matches!(files.get(it.span.file).ending(), "tf" | "tofu" | "tfvars" | "hcl");
    let mut all: Vec<Edit> = Vec::new();
    for edit in edits.iter().filter(is_terraform) {
        let shift =
            added(files, edit).or_else(|| removed(files, edit)).or_else(|| changed(files, edit));
        for it in shift.map(|it| aligned(files, edit.span.file, &it)).unwrap_or_default() {
            let is_free = |other: &Edit| are_apart(&[other.clone(), it.clone()]);
            if edits.iter().chain(&all).all(is_free) {
                all.push(it);
            }
        }
    }
    all
}

/// An attribute on a new line.
fn added(files: &Files, edit: &Edit) -> Option<Shift> {
    let at = files.get(edit.span.file).line_of(edit.span.start as usize) + 1;
    let line = edit.text.strip_prefix("\r\n").or_else(|| edit.text.strip_prefix('\n'))?;
    let (name, _) = line.split_once(" = ").filter(|_| !line.contains('\n'))?;
    (edit.span.start == edit.span.end).then(|| Shift {
        gone: at..at,
        new: Some(name.trim().len()),
        own: None,
    })
}

/// Whole lines that go.
fn removed(files: &Files, edit: &Edit) -> Option<Shift> {
    let file = files.get(edit.span.file);
    let (start, end) = (edit.span.start as usize, edit.span.end as usize);
    let (first, last) = (file.line_of(start), file.line_of(end));
    let whole = file.line_range(first).start == start && file.line_range(last).start == end;
    (edit.text.is_empty() && whole && first < last).then_some(Shift {
        gone: first..last,
        new: None,
        own: None,
    })
}

/// An attribute with another key, or with a value that has several lines now.
fn changed(files: &Files, edit: &Edit) -> Option<Shift> {
    let file = files.get(edit.span.file);
    let line = file.line_of(edit.span.start as usize);
    let attribute = AttributeLine::on(files, edit.span.file, line)?;
    let key = attribute.gap.start - attribute.key..attribute.gap.start;
    let (start, end) = (edit.span.start as usize, edit.span.end as usize);
    let gone = line..line + 1;
    if key.start <= start && end <= key.end {
        let length = attribute.key - (end - start) + edit.text.len();
        return Some(Shift { gone, new: Some(length), own: Some((attribute.gap, length)) });
    }
    let grows = attribute.gap.end < start && edit.text.contains('\n') && start < end;
    grows.then_some(Shift { gone, new: None, own: Some((attribute.gap, attribute.key)) })
}

/// The edits that put the `=` of the attributes around some lines in the column they need then; none where
/// they are not aligned now.
fn aligned(files: &Files, file: FileId, shift: &Shift) -> Vec<Edit> {
    let run = |lines: &mut dyn Iterator<Item = usize>| -> Vec<AttributeLine> {
        lines.map_while(|it| AttributeLine::on(files, file, it)).collect()
    };
    let above = run(&mut (0..shift.gone.start).rev());
    let below = run(&mut (shift.gone.end..files.get(file).line_count()));
    let all: Vec<AttributeLine> = above.into_iter().chain(below).collect();
    let column = |it: &AttributeLine| it.key + it.gap.len();
    let first = all.first().map(|it| (it.indent, column(it)));
    let even = all.iter().all(|it| Some((it.indent, column(it))) == first);
    let widest = all.iter().map(|it| it.key).chain(shift.new).max().unwrap_or_default();
    let pad = |gap: &Range<usize>, key: usize| Edit {
        span: Span::new(file, gap.start, gap.end),
        text: " ".repeat((widest + 1).saturating_sub(key).max(1)),
    };
    let others = all.iter().filter(|_| even).map(|it| pad(&it.gap, it.key));
    let own = shift.own.iter().map(|(gap, key)| match shift.new {
        Some(_) if even => pad(gap, *key),
        _ => Edit { span: Span::new(file, gap.start, gap.end), text: " ".to_owned() },
    });
    let is_new = |it: &Edit| it.span.range().len() != it.text.len();
    others.chain(own).filter(is_new).collect()
}
