//! Text in lines of a given width.

/// The text in lines of at most that width, broken between words only: names must stay whole.
#[must_use]
pub(crate) fn wrapped(text: &str, widest: usize) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > widest {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines += word;
        width += length;
    }
    lines
}

/// The same with all lines but the first indented.
#[must_use]
pub(crate) fn hanging(text: &str, width: usize, indent: &str) -> String {
    let lines = wrapped(text, width.saturating_sub(indent.len()));
    lines.replace('\n', &["\n", indent].concat())
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn labels_wrap_between_words() {
        let text = "`kafka` is a PDB in namespace `default`, the pods are in `streaming`";
        let found = wrapped(text, 44);
        assert!(found.lines().all(|it| it.len() <= 44), "{found}");
        assert_eq!(found.replace('\n', " "), text);
    }
}
