//! Names and texts from a repository as they may be shown: they control no terminal, begin no line of their own,
//! and are no command of the machine that prints them.

use memchr::memmem;

/// The beginnings of commands that CI systems find anywhere in a line of their log.
const COMMANDS: [&str; 2] = ["##[", "##vso["];

/// The text without characters that would control the terminal or hide others, in one line.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown: String = text.chars().filter(|it| *it != '\u{feff}').map(letter).collect();
    for command in COMMANDS {
        if shown.contains(command) {
            shown = shown.replace(command, &command.replacen('#', "# ", 1));
        }
    }
    shown
}

fn letter(it: char) -> char {
    if matches!(it, ' '..='~') {
        return it;
    }
    let is_hidden = it.is_control() && it != '\t'
        || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    if is_hidden { '\u{fffd}' } else { it }
}

/// A path, which may begin a line.
#[must_use]
pub fn path(path: &str) -> String {
    let shown = visible(path);
    // GitHub Actions takes what begins with colons for a command, also behind blanks.
    if shown.trim_start().starts_with("::") { format!("./{shown}") } else { shown }
}

/// Lines of our own that hold names from elsewhere.
#[must_use]
pub fn lines(text: &str) -> String {
    let line = |it: &str| match it.strip_suffix('\n') {
        Some(line) => path(line) + "\n",
        None => path(it),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// JSON whose texts are the same to who reads it, and only text to a terminal and a log.
#[must_use]
pub fn json(text: String) -> String {
    let mut shown = if next_hidden(&text, 0).is_none() { text } else { escaped(&text) };
    for command in COMMANDS {
        if memmem::find(shown.as_bytes(), command.as_bytes()).is_some() {
            shown = shown.replace(command, &command.replacen('#', "\\u0023", 1));
        }
    }
    shown
}

/// How many bytes are compared in one step, without a stop in the middle.
const BLOCK: usize = 64;

/// Where the next character is, from a place on, that is not one every terminal has.
fn next_odd(text: &str, from: usize) -> Option<usize> {
    let is_odd = |it: &u8| !matches!(it, b' '..=b'~' | b'\n');
    let bytes = text.as_bytes().get(from..)?;
    let has_odd = |it: &&[u8]| it.iter().fold(false, |found, it| found | is_odd(it));
    let block = bytes.chunks(BLOCK).position(|it| has_odd(&it))?;
    let start = block * BLOCK;
    bytes[start..].iter().position(is_odd).map(|at| from + start + at)
}

/// The next character of a JSON text, from a place on, that may not be shown.
fn next_hidden(text: &str, from: usize) -> Option<(usize, char)> {
    let mut at = from;
    loop {
        at = next_odd(text, at)?;
        let it = text[at..].chars().next()?;
        if it != letter(it) {
            return Some((at, it));
        }
        at += it.len_utf8();
    }
}

/// JSON whose texts have the numbers of characters that are no letters.
fn escaped(text: &str) -> String {
    // What is not plain is only inside of texts.
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    while let Some((at, it)) = next_hidden(text, from) {
        shown.push_str(&text[from..at]);
        let units = it.encode_utf16(&mut [0; 2]).to_vec();
        shown.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        from = at + it.len_utf8();
    }
    shown.push_str(&text[from..]);
    shown
}

#[cfg(test)]
mod tests {
    use super::{json, lines, path, visible};

    #[test]
    fn names_are_only_names() {
        for (text, shown) in [
            ("a\u{1b}[31mb\tc\u{202e}", "a\u{fffd}[31mb\tc\u{fffd}"),
            ("a\n::error::b\r\u{9b}1m", "a\u{fffd}::error::b\u{fffd}\u{fffd}1m"),
            ("\u{feff}x ##[add-mask]a ##vso[b]", "x # #[add-mask]a # #vso[b]"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(path(" ::error::x.tf"), "./ ::error::x.tf");
        assert_eq!(path("a::b.tf"), "a::b.tf");
        assert_eq!(lines("a\n::b\u{7}\n\nc"), "a\n./::b\u{fffd}\n\nc");
    }

    #[test]
    fn json_keeps_the_text() {
        let texts = ["a\u{9b}b \u{202e}", "##[error]x", "::x\n\u{2028}", "é 🎉"];
        let written = json(serde_json::to_string_pretty(&texts).expect("texts"));
        assert!(!written.contains("##["), "{written}");
        assert!(!written.contains(|it: char| it != '\n' && it.is_control()), "{written}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&written).expect("JSON"), texts);
    }
}
