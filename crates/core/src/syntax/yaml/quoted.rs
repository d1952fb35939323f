//! Quoted text over several lines that are indented less than YAML wants: Kubernetes and Helm take it as it is.

/// Where the lines of a quoted text begin that reaches a place, from the line of that place on; `after` is the end of
/// what was read before the text. None where no such text is found, or where it has no end.
pub(super) fn lines(source: &str, after: usize, place: usize) -> Vec<usize> {
    let Some(end) = reaching(source, after, place) else { return Vec::new() };
    let start = source.get(..place).and_then(|it| it.rfind('\n')).map_or(0, |it| it + 1);
    let inside = source.get(start..end).unwrap_or_default();
    let breaks = inside.match_indices('\n').map(|(at, _)| start + at + 1);
    [start].into_iter().chain(breaks).filter(|it| !is_blank(source, *it)).collect()
}

/// Whether the line that begins at a place has nothing in it.
fn is_blank(source: &str, at: usize) -> bool {
    let line = source.get(at..).and_then(|it| it.lines().next());
    line.is_none_or(|it| it.trim().is_empty())
}

/// The end of the quoted text that begins before a place and reaches it.
fn reaching(source: &str, after: usize, place: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut at = after;
    while at < place {
        let begins = at.checked_sub(1).and_then(|it| bytes.get(it));
        let begins = begins.is_none_or(|it| it.is_ascii_whitespace() || b"[{,:-".contains(it));
        match bytes.get(at)? {
            quote @ (b'"' | b'\'') if begins => {
                let end = closing(bytes, at + 1, *quote)?;
                if end >= place {
                    return Some(end);
                }
                at = end + 1;
            }
            b'#' if begins => at += source.get(at..)?.find('\n')?,
            _ => at += 1,
        }
    }
    None
}

/// Where a quoted text ends: at the next quote of its kind that is not written for itself.
fn closing(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            it if it == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            it if it == quote => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::{source::FileId, syntax::yaml::parse_file};

    #[test]
    fn the_lines_of_a_text_end_with_it() {
        let source = "a: 'x''s\ny\n\n# z'\nb: c\n";
        assert_eq!(lines(source, 1, 9), [9, 12]);
        assert_eq!(lines(source, 1, 20), [] as [usize; 0]);
        assert_eq!(lines("'a' : \"b\\\" '\nc\"\n", 0, 13), [13]);
        assert_eq!(lines("# it's\na: \"b\nc\"\n", 0, 13), [13]);
        assert_eq!(lines("a: 'b\nc\n", 1, 6), [] as [usize; 0], "it never ends");
    }

    #[test]
    fn long_texts_that_are_not_indented_are_read_as_kubernetes_reads_them() {
        let json = "\"line\": {\n},\n".repeat(500);
        for quote in ['\'', '"'] {
            let escaped = if quote == '"' { json.replace('"', "\\\"") } else { json.clone() };
            let source = format!(
                "kind: ConfigMap\ndata:\n  a: {quote}{{\n{escaped}}}{quote}\n  b: 'c\nd'\n  e: f\n"
            );
            let read = parse_file(FileId(0), &source);
            assert!(read.parse_errors.is_empty(), "{quote}: {:?}", read.parse_errors);
            let text = |key: &str| {
                let value = read.values[0].at(key).present();
                value.and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
            };
            assert!(text("data.a").starts_with("{ \"line\": { }, \"line\""), "{}", text("data.a"));
            assert_eq!((&*text("data.b"), &*text("data.e")), ("c d", "f"));
        }
    }
}
