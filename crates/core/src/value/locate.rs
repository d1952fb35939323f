//! Where the bytes of a text are written.

use crate::{
    source::Span,
    value::{Text, TextPiece, TextSource},
};

impl Text {
    /// Where the bytes `start..end` of the text are written; `whole` where that is not recorded.
    #[must_use]
    #[inline]
    pub fn locate(&self, start: usize, end: usize, whole: Span) -> Span {
        match (&self.layout, &self.carried) {
            (TextSource::Verbatim(span), None) => part_of(*span, start, end),
            _ => self.locate_through_runs(start, end, whole),
        }
    }

    fn locate_through_runs(&self, start: usize, end: usize, whole: Span) -> Span {
        if let Some(run) = self.carrying(&(start..end))
            && let Some(text) = run.carried.source()
        {
            let at = run.range.start;
            return text.locate(start - at, end - at, run.carried.value.span);
        }
        match &self.layout {
            TextSource::Nowhere => whole,
            TextSource::Verbatim(span) => part_of(*span, start, end),
            TextSource::Pieces(pieces) => locate_in(pieces, start, end).unwrap_or(whole),
        }
    }
}

/// The bytes `start..end` of a span.
fn part_of(span: Span, start: usize, end: usize) -> Span {
    let (from, cap) = (span.start as usize, span.end as usize);
    Span::new(span.file, (from + start).min(cap), (from + end).min(cap))
}

/// The span from the piece that holds the first byte to the one that holds the last; of the longest piece
/// where these are in two files.
fn locate_in(pieces: &[TextPiece], start: usize, end: usize) -> Option<Span> {
    let holding = |offset: usize| {
        let index = pieces.partition_point(|it| it.at as usize <= offset).checked_sub(1)?;
        pieces.get(index)
    };
    let place = |piece: &TextPiece, offset: usize| {
        let inside = offset.saturating_sub(piece.at as usize);
        let verbatim = piece.len == piece.span.end - piece.span.start;
        if verbatim {
            (piece.span.start as usize + inside).min(piece.span.end as usize)
        } else {
            piece.span.start as usize
        }
    };
    let first = holding(start)?;
    let from = place(first, start);
    let last = holding(end.saturating_sub(1).max(start))?;
    let verbatim = last.len == last.span.end - last.span.start;
    let to = if end <= start {
        from
    } else if verbatim {
        place(last, end - 1) + 1
    } else {
        last.span.end as usize
    };
    // Pieces need not be written in the order in which they were put together.
    let to = if to < from { first.span.end as usize } else { to };
    if first.span.file == last.span.file {
        return Some(Span::new(first.span.file, from, to));
    }
    let before = pieces.partition_point(|it| (it.at + it.len) as usize <= start);
    let inside = pieces.iter().skip(before).take_while(|it| (it.at as usize) < end);
    let part = |it: &TextPiece| {
        let (at, to) = (it.at as usize, (it.at + it.len) as usize);
        at.max(start)..to.min(end)
    };
    let longest = inside.min_by_key(|it| std::cmp::Reverse(part(it).len()))?;
    let part = part(longest);
    if longest.len != longest.span.end - longest.span.start {
        return Some(longest.span);
    }
    Some(Span::new(longest.span.file, place(longest, part.start), place(longest, part.end)))
}
