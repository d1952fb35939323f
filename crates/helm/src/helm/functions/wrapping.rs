//! Text cut to a width, counted in bytes: `wrap`, `wrapWith`, `abbrev`, `abbrevboth`.

/// Lines no longer than a width where blanks allow that; longer words are cut if that is wanted.
pub(super) fn wrapped(text: &str, width: i64, line_end: &str, cuts_words: bool) -> String {
    let line_end = if line_end.is_empty() { "\n" } else { line_end };
    let width = usize::try_from(width).unwrap_or(0).max(1);
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut rest = bytes;
    while rest.len() > width {
        if let Some(after) = rest.strip_prefix(b" ") {
            rest = after;
            continue;
        }
        let (line, next) = rest.split_at(width);
        let blank_before = rest.iter().take(width + 1).rposition(|it| *it == b' ');
        let blank = blank_before.or_else(|| {
            let behind = next.iter().position(|it| *it == b' ').filter(|_| !cuts_words);
            behind.map(|it| it + width)
        });
        match blank {
            Some(at) => {
                out.extend_from_slice(rest.get(..at).unwrap_or_default());
                rest = rest.get(at + 1..).unwrap_or_default();
            }
            None if cuts_words => {
                out.extend_from_slice(line);
                rest = next;
            }
            None => break,
        }
        out.extend_from_slice(line_end.as_bytes());
    }
    out.extend_from_slice(rest);
    String::from_utf8_lossy(&out).into_owned()
}

/// A text with three dots where it is longer than a width, which is four at least.
pub(super) fn abbreviated(text: &str, from: i64, width: usize) -> String {
    let bytes = text.as_bytes();
    if bytes.len() <= width {
        return text.to_owned();
    }
    let (len, kept) = (bytes.len(), width - 3);
    let mut from = usize::try_from(from).unwrap_or(0).min(len);
    if len - from < kept {
        from = len - kept;
    }
    let part = |range: std::ops::Range<usize>| {
        String::from_utf8_lossy(bytes.get(range).unwrap_or_default()).into_owned()
    };
    if from <= 4 {
        return part(0..kept) + "...";
    }
    if from + kept < len {
        // What is cut at both ends.
        return format!("...{}...", part(from..from + kept.saturating_sub(3)));
    }
    format!("...{}", part(len - kept..len))
}
