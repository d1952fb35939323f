//! Where the lines of a text begin.

/// The places where the lines of a text begin, in order: at least the first one. Those of a small text take half the
/// room, as most texts are small.
#[derive(Clone, Debug)]
pub(super) enum LineStarts {
    Small(Box<[u16]>),
    Large(Box<[u32]>),
}

impl LineStarts {
    /// Those of a text.
    pub(super) fn of(text: &str) -> Self {
        if text.len() < usize::from(u16::MAX) {
            Self::Small(starts(text, |at| u16::try_from(at).unwrap_or(u16::MAX)))
        } else {
            Self::Large(starts(text, |at| u32::try_from(at).unwrap_or(u32::MAX)))
        }
    }

    /// How many lines there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Small(it) => it.len(),
            Self::Large(it) => it.len(),
        }
    }

    /// Where a line (from 0) begins.
    pub(super) fn get(&self, line: usize) -> Option<usize> {
        match self {
            Self::Small(it) => it.get(line).map(|it| usize::from(*it)),
            Self::Large(it) => it.get(line).map(|it| *it as usize),
        }
    }

    /// How many lines begin at a byte or before it.
    pub(super) fn up_to(&self, offset: usize) -> usize {
        match self {
            Self::Small(it) => it.partition_point(|start| usize::from(*start) <= offset),
            Self::Large(it) => it.partition_point(|start| *start as usize <= offset),
        }
    }
}

fn starts<N>(text: &str, number: impl Fn(usize) -> N) -> Box<[N]> {
    let breaks = || memchr::memchr_iter(b'\n', text.as_bytes());
    // They are counted at memory speed, and a list of the right size is not moved.
    let mut starts = Vec::with_capacity(breaks().count() + 1);
    starts.push(number(0));
    starts.extend(breaks().map(|at| number(at + 1)));
    starts.into()
}

#[cfg(test)]
mod tests {
    use crate::source::lines::LineStarts;

    #[test]
    fn small_and_large_texts_have_the_same_lines() {
        let small = "a\n\nbc\n".to_owned();
        let large = small.clone() + &"x".repeat(70_000) + "\nend";
        for (text, count, last) in [(&small, 4, 6), (&large, 5, 70_007)] {
            let lines = LineStarts::of(text);
            assert_eq!((lines.count(), lines.get(1), lines.get(2)), (count, Some(2), Some(3)));
            assert_eq!((lines.get(count - 1), lines.get(count)), (Some(last), None));
            assert_eq!((lines.up_to(0), lines.up_to(4), lines.up_to(last)), (1, 3, count));
        }
        assert_eq!(LineStarts::of("").count(), 1);
    }
}
