//! Escaped text for XML, HTML and Markdown.

use std::borrow::Cow;

pub(crate) use crate::visible::visible;

/// Text for XML and HTML, also inside quotes. Characters that XML cannot hold at all become `U+FFFD`.
#[must_use]
pub(crate) fn xml(text: &str) -> Cow<'_, str> {
    let plain = |it: char| !matches!(it, '&' | '<' | '>' | '"' | '\'') && is_harmless(it);
    if text.chars().all(plain) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Attributes would turn them into blanks.
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\r' => escaped.push_str("&#13;"),
            letter if is_harmless(letter) => escaped.push(letter),
            letter if is_xml(letter) => escaped.push_str(&format!("&#{};", u32::from(letter))),
            _ => escaped.push('\u{fffd}'),
        }
    }
    // A command to the machine that prints a log.
    Cow::Owned(escaped.replace("##", "&#35;#"))
}

/// Whether the character is only text, also for the terminal.
fn is_harmless(letter: char) -> bool {
    is_xml(letter) && visible(letter.encode_utf8(&mut [0; 4])).starts_with(letter)
}

/// Whether XML 1.0 can hold the character, and an attribute keeps it.
fn is_xml(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// A message for Markdown: text between backticks stays code, everything else is only text.
#[must_use]
pub(crate) fn markdown(text: &str) -> String {
    marked(text, |code| format!("`{code}`"))
}

/// A message for a cell of a table, which bars divide before code is read.
#[must_use]
pub(crate) fn cell(text: &str) -> String {
    marked(text, |code| {
        if !code.contains('|') {
            return format!("`{code}`");
        }
        let letter = |it: char| match it {
            it if it.is_alphanumeric() || " -/".contains(it) => it.to_string(),
            it => format!("&#{};", u32::from(it)),
        };
        format!("<code>{}</code>", code.chars().map(letter).collect::<String>())
    })
}

fn marked(text: &str, code: impl Fn(&str) -> String) -> String {
    let text = visible(&text.replace(['\n', '\r'], " "));
    let parts: Vec<&str> = text.trim().split('`').collect();
    // A lone backtick opens nothing.
    let paired = parts.len() % 2 == 1;
    let part = |(index, part): (usize, &&str)| match index {
        0 => opening(&inert(part)),
        _ if !paired => format!("\\`{}", inert(part)),
        _ if index % 2 == 1 && part.is_empty() => "\\`\\`".to_owned(),
        _ if index % 2 == 1 => code(part),
        // Backticks that meet would mean something else.
        _ if part.is_empty() && index + 1 < parts.len() => " ".to_owned(),
        _ => inert(part),
    };
    parts.iter().enumerate().map(part).collect()
}

fn inert(text: &str) -> String {
    const SPECIAL: &str = "\\*_[]<>#~!|&";
    let mut escaped = String::with_capacity(text.len());
    for letter in unlinked(text).chars() {
        match letter {
            // GitHub reads formulas between two of them.
            '$' => escaped.push_str("&#36;"),
            letter => {
                if SPECIAL.contains(letter) {
                    escaped.push('\\');
                }
                escaped.push(letter);
            }
        }
    }
    escaped
}

/// The start of a paragraph that would be a list, or underline something.
fn opening(text: &str) -> String {
    let digits = text.trim_start_matches(|it: char| it.is_ascii_digit());
    let at = text.len() - digits.len();
    let marker = if at == 0 { ['-', '+', '='].as_slice() } else { &['.', ')'] };
    if digits.starts_with(marker) { format!("{}\\{digits}", &text[..at]) } else { text.to_owned() }
}

/// Text whose `@name` mentions no user, and whose `#1` links no issue. GitHub looks for them in what
/// Markdown renders to, so no escape helps.
#[must_use]
pub(crate) fn unlinked(text: &str) -> String {
    let mut letters = text.chars().peekable();
    let mut apart = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        apart.push(letter);
        let next = letters.peek().copied().unwrap_or(' ');
        if letter == '@' && next.is_alphanumeric() || letter == '#' && next.is_ascii_digit() {
            apart.push('\u{200b}');
        }
    }
    apart
}

/// A place as code for Markdown: `infra/main.tf:12`.
#[must_use]
pub(crate) fn place(path: &str, line: usize) -> String {
    cell(&format!("`{}:{line}`", path.replace('`', "'")))
}

/// A path as a part of an address.
#[must_use]
pub(crate) fn percent_encoded(path: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(encoded).collect()
}

/// A fenced block that no line of its text can close.
#[must_use]
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{cell, fenced, markdown, visible, xml};

    #[test]
    fn text_means_itself_in_xml() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("a < b && c > \"d\" 'e'", "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;"),
            ("two\nlines\tand a \u{1b}[31m", "two&#10;lines&#9;and a \u{fffd}[31m"),
            ("日本 🎉", "日本 🎉"),
        ] {
            assert_eq!(xml(text), wanted);
        }
    }

    #[test]
    fn text_means_itself_in_markdown() {
        for (text, wanted) in [
            ("`skip_crds` is not set", "`skip_crds` is not set"),
            ("a|b `c|d`", "a\\|b `c|d`"),
            ("[x](1) *b* <i> @team #12", "\\[x\\](1) \\*b\\* \\<i\\> @\u{200b}team \\#\u{200b}12"),
            ("one ` alone", "one \\` alone"),
            ("two\nlines", "two lines"),
            ("``*a*`` `b``c`", "\\`\\`\\*a\\*\\`\\` `b` `c`"),
            ("${a} and ${b}", "&#36;{a} and &#36;{b}"),
            ("- a", "\\- a"),
            ("12. a", "12\\. a"),
            ("1.5 a - b", "1\\.5 a - b"),
        ] {
            assert_eq!(markdown(text), wanted);
        }
        assert_eq!(cell("a|b `c|d` `e`"), "a\\|b <code>c&#124;d</code> `e`");
        assert_eq!(cell("`a\\|b`"), "<code>a&#92;&#124;b</code>");
    }

    #[test]
    fn nothing_steers_or_hides() {
        assert_eq!(visible("a\u{1b}[31mb\tc\u{202e}"), "a\u{fffd}[31mb\tc\u{fffd}");
    }

    #[test]
    fn no_line_closes_a_fence() {
        assert_eq!(fenced("a", "yaml"), "```yaml\na\n```\n");
        assert_eq!(fenced("````", ""), "`````\n````\n`````\n");
    }
}
