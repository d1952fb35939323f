//! Text that means only itself inside XML, HTML and Markdown.

use std::borrow::Cow;

/// Text for XML and HTML, also inside quotes. Characters that XML cannot hold at all become `U+FFFD`.
#[must_use]
pub fn xml(text: &str) -> Cow<'_, str> {
    let plain = |it: char| !matches!(it, '&' | '<' | '>' | '"' | '\'') && is_xml(it);
    if text.chars().all(plain) {
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
            letter if is_xml(letter) => escaped.push(letter),
            _ => escaped.push('\u{fffd}'),
        }
    }
    Cow::Owned(escaped)
}

/// Whether XML 1.0 can hold the character, and an attribute keeps it.
fn is_xml(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// A message for Markdown: what stands between backticks stays code, everything else is only text.
#[must_use]
pub fn markdown(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A lone backtick opens nothing.
    let paired = parts.len() % 2 == 1;
    let part = |(index, part): (usize, &&str)| match index {
        0 => inert(part),
        _ if !paired => format!("\\`{}", inert(part)),
        _ if index % 2 == 1 => format!("`{}`", cell(part)),
        _ => inert(part),
    };
    parts.iter().enumerate().map(part).collect()
}

fn inert(text: &str) -> String {
    const SPECIAL: &str = "\\*_[]<>#~!|&@";
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => escaped.push(' '),
            // A name after it would be told of the comment.
            '@' => escaped.push_str("&#64;"),
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

/// Code inside a cell of a table, whose bars GitHub reads before it reads code.
fn cell(code: &str) -> String {
    code.replace(['\n', '\r'], " ").replace('|', "\\|")
}

/// A place as code for Markdown: `infra/main.tf:12`.
#[must_use]
pub fn place(path: &str, line: usize) -> String {
    markdown(&format!("`{}:{line}`", path.replace('`', "'")))
}

/// A path as a part of an address.
#[must_use]
pub fn percent_encoded(path: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(encoded).collect()
}

/// A fenced block that no line of its text can close.
#[must_use]
pub fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{fenced, markdown, xml};

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
            ("a|b `c|d`", "a\\|b `c\\|d`"),
            ("[x](1) *b* <i> @team", "\\[x\\](1) \\*b\\* \\<i\\> &#64;team"),
            ("one ` alone", "one \\` alone"),
            ("two\nlines", "two lines"),
        ] {
            assert_eq!(markdown(text), wanted);
        }
    }

    #[test]
    fn no_line_closes_a_fence() {
        assert_eq!(fenced("a", "yaml"), "```yaml\na\n```\n");
        assert_eq!(fenced("````", ""), "`````\n````\n`````\n");
    }
}
