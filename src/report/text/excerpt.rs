//! The pieces of source a finding is shown with.
//!
//! miette would walk a whole file for every label, and shows a single source. So the few lines around
//! each place are cut out first, and the cuts of all files are laid one after the other.

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::{
    findings::{Finding, note::Note},
    report::{Report, markup::visible, wrap::wrapped},
    source::{
        FileId, SourceFile, Span,
        column::{ColumnUnit, Position},
    },
};

/// Lines shown before and after a place.
const AROUND: usize = 1;
/// Longer lines are cut around the place, in characters.
const LONGEST: usize = 72;
/// How much of a long line is shown before the place.
const BEFORE: usize = 30;
/// More related places than this are only counted.
const PLACES: usize = 9;
/// Labels are wrapped at this width.
const LABEL: usize = 44;

/// The cuts, one after the other.
#[derive(Debug)]
pub(super) struct Excerpts(Vec<Excerpt>);

/// Some lines of one file.
#[derive(Debug)]
struct Excerpt {
    /// Offset of the text among all excerpts.
    base: usize,
    text: String,
    /// The file as shown.
    name: String,
    /// The first line, from 0.
    first: usize,
    marks: Vec<Mark>,
}

/// A labelled piece of an excerpt.
#[derive(Debug)]
struct Mark {
    /// Offset among all excerpts.
    offset: usize,
    length: usize,
    label: String,
    primary: bool,
    /// Where it is in the file.
    position: Position,
}

/// A place before it is cut out.
struct ExcerptLabel<'a> {
    span: Span,
    line: usize,
    text: &'a str,
    primary: bool,
}

impl Excerpts {
    /// The excerpts of a finding: its own place first, then the related ones.
    #[must_use]
    pub(crate) fn of(report: &Report, finding: &Finding) -> Self {
        let place = |span: Span, label, primary| {
            let line = report.file(span.file).line_of(span.start as usize);
            ExcerptLabel { span, line, text: label, primary }
        };
        // The message says what is there.
        let hidden = finding.notes.len().saturating_sub(PLACES);
        let more = (hidden > 0).then(|| format!("{hidden} more places are not shown"));
        let notes = finding.notes.iter().take(PLACES);
        // What is said of the place itself is its own label: two for one place cannot be read.
        let (here, others): (Vec<&Note>, Vec<&Note>) =
            notes.partition(|it| it.span == finding.span);
        let own: Vec<&str> = here.iter().map(|it| &*it.message).chain(more.as_deref()).collect();
        let own = own.join("; ");
        let mut places = vec![place(finding.span, own.as_str(), true)];
        places.extend(others.into_iter().map(|it| place(it.span, it.message.as_str(), false)));

        let mut excerpts = Vec::new();
        let mut base = 0;
        for group in groups(places) {
            let file = report.file(group.file);
            let name = visible(&report.path(group.file));
            let excerpt = cut(file, name, &group.places, base);
            // One more than the text, so that no offset belongs to two excerpts.
            base += excerpt.text.len() + 1;
            excerpts.push(excerpt);
        }
        Self(excerpts)
    }

    /// The labels, for miette.
    pub(super) fn labels(&self) -> impl Iterator<Item = LabeledSpan> + '_ {
        self.0.iter().flat_map(|it| &it.marks).map(|mark| {
            let label = Some(mark.label.clone()).filter(|it| !it.is_empty());
            if mark.primary {
                LabeledSpan::new_primary_with_span(label, (mark.offset, mark.length))
            } else {
                LabeledSpan::new_with_span(label, (mark.offset, mark.length))
            }
        })
    }
}

impl SourceCode for Excerpts {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        _context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let end = span.offset() + span.len();
        let holds = |it: &&Excerpt| it.base <= span.offset() && end <= it.base + it.text.len();
        let excerpt = self.0.iter().find(holds).ok_or(MietteError::OutOfBounds)?;
        let text = excerpt.text.as_bytes();
        let count = memchr::memchr_iter(b'\n', text).count();
        let name = excerpt.name.clone();
        if context_lines_before > 0 {
            let whole = (excerpt.base, text.len()).into();
            let first = excerpt.first;
            return Ok(Box::new(MietteSpanContents::new_named(name, text, whole, first, 0, count)));
        }
        // Without context miette wants to know the line and column of a label.
        let mark = excerpt.marks.iter().find(|it| it.offset == span.offset());
        let (line, column) =
            mark.map_or((excerpt.first, 0), |it| (it.position.line - 1, it.position.column - 1));
        let data = text.get(span.offset() - excerpt.base..end - excerpt.base).unwrap_or_default();
        Ok(Box::new(MietteSpanContents::new_named(name, data, *span, line, column, count)))
    }
}

/// Places of one file that are near enough for one excerpt.
struct ExcerptGroup<'a> {
    file: FileId,
    places: Vec<ExcerptLabel<'a>>,
}

/// Joins places whose lines with context would touch; the group of the finding itself comes first, the
/// others in the order of the story.
fn groups(places: Vec<ExcerptLabel>) -> Vec<ExcerptGroup> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|index| (places[*index].span.file, places[*index].line));
    let mut numbered: Vec<Option<ExcerptLabel>> = places.into_iter().map(Some).collect();
    let mut groups: Vec<(usize, ExcerptGroup)> = Vec::new();
    for index in order {
        let Some(place) = numbered.get_mut(index).and_then(Option::take) else { continue };
        let near = groups.last_mut().filter(|(_, group)| {
            let last = group.places.last().map_or(0, |it| it.line);
            group.file == place.span.file && place.line - last <= 2 * AROUND + 1
        });
        match near {
            Some((first, group)) => {
                *first = (*first).min(index);
                group.places.push(place);
            }
            None => {
                groups.push((index, ExcerptGroup { file: place.span.file, places: vec![place] }));
            }
        }
    }
    groups.sort_by_key(|(first, _)| *first);
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Cuts the lines around some places (sorted by line) out of their file.
fn cut(file: &SourceFile, name: String, places: &[ExcerptLabel], base: usize) -> Excerpt {
    let first = places.first().map_or(0, |it| it.line).saturating_sub(AROUND);
    let last = (places.last().map_or(0, |it| it.line) + AROUND).min(file.line_count() - 1);
    let mut excerpt = Excerpt { base, text: String::new(), name, first, marks: Vec::new() };
    for line in first..=last {
        let here: Vec<_> = places.iter().filter(|it| it.line == line).collect();
        let range = file.line_range(line);
        // The empty line after the file's last line break is no line to people.
        if line == last && range.is_empty() && here.is_empty() && line > first {
            break;
        }
        if line > first {
            excerpt.text.push('\n');
        }
        add_line(&mut excerpt, file, line, &here);
    }
    excerpt
}

/// Adds one line with its marks, shortened if it is long.
fn add_line(excerpt: &mut Excerpt, file: &SourceFile, line: usize, places: &[&ExcerptLabel]) {
    let range = file.line_range(line);
    let text = file.slice(range.clone());
    let window = window(text, places.first().map(|it| it.span.start as usize - range.start));
    let start = excerpt.text.len();
    let lead = if window.start > 0 { "…" } else { "" };
    let tail = if window.end < text.len() { "…" } else { "" };
    excerpt.text += lead;
    excerpt.text += &visible(&text[window.clone()]);
    excerpt.text += tail;
    if text.is_empty() && !places.is_empty() {
        // miette draws no label on an empty line.
        excerpt.text.push(' ');
    }
    let shown = |offset: usize| {
        let within = offset.saturating_sub(range.start).clamp(window.start, window.end);
        let within = text.floor_char_boundary(within);
        start + lead.len() + visible(&text[window.start.min(within)..within]).len()
    };
    for place in places {
        let from = shown(place.span.start as usize);
        let to = shown(place.span.end as usize).max(from);
        excerpt.marks.push(Mark {
            offset: excerpt.base + from,
            length: to - from,
            label: wrapped(&visible(place.text), LABEL),
            primary: place.primary,
            position: file.position(place.span.start as usize, ColumnUnit::Characters),
        });
    }
}

/// The bytes of a line that are shown: all of it, or a stretch around the place.
fn window(text: &str, place: Option<usize>) -> std::ops::Range<usize> {
    if text.len() <= LONGEST {
        return 0..text.len();
    }
    let place = text.floor_char_boundary(place.unwrap_or_default().min(text.len()));
    let back = |(at, _)| at;
    let start = if text[..place].chars().take(LONGEST).count() < LONGEST - BEFORE {
        0
    } else {
        text[..place].char_indices().rev().nth(BEFORE - 1).map_or(0, back)
    };
    let end = text[start..].char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| start + at);
    start..end
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let long = "日".repeat(1000);
        let cases =
            [("short", Some(2), 0, 5), (&long, Some(0), 0, 72), (&long, Some(1500), 470, 542)];
        for (text, place, from, to) in cases {
            let cut = window(text, place);
            let chars = |end: usize| text[..end].chars().count();
            assert_eq!((chars(cut.start), chars(cut.end)), (from, to), "{place:?}");
        }
    }
}
