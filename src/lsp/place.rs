//! Files and places as the protocol has them: addresses, lines and characters.

use std::path::{Path, PathBuf};

use gen_lsp_types::{Position, Range, Uri};
use serde_json::Value;

use crate::{
    report::markup::percent_encoded,
    source::{SourceFile, Span},
};

/// The unit in which the editor counts characters of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, which every editor supports.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Bytes if the editor offers them. Every editor has to support UTF-16, whether it offers it or not.
    pub(super) fn negotiated(offered: &Value) -> Self {
        let offered = offered.as_array().map_or(&[][..], Vec::as_slice);
        let offers = |it: &Self| offered.iter().any(|name| name == it.name());
        [Self::Utf8, Self::Utf16, Self::Utf32].into_iter().find(offers).unwrap_or(Self::Utf16)
    }

    /// How long a text without line breaks is.
    pub(super) fn length(self, text: &str) -> u32 {
        count(match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        })
    }

    /// How long a character is.
    fn width(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// What the protocol calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// The position of a byte of a file.
    pub(super) fn position(self, file: &SourceFile, offset: usize) -> Position {
        let text = file.text();
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let line = file.line_of(offset);
        let before = file.slice(file.line_range(line).start..offset);
        Position { line: count(line), character: self.length(before) }
    }

    /// The range of a span.
    pub(super) fn range(self, file: &SourceFile, span: Span) -> Range {
        Range {
            start: self.position(file, span.start as usize),
            end: self.position(file, span.end as usize),
        }
    }

    /// The byte at a position; behind the end of a line or file, the end.
    pub(super) fn offset(self, file: &SourceFile, position: Position) -> usize {
        let line = position.line as usize;
        if line >= file.line_count() {
            return file.text().len();
        }
        let range = file.line_range(line);
        let text = file.slice(range.clone()).trim_end_matches(['\r', '\n']);
        let wanted = position.character as usize;
        let inside = match self {
            Self::Utf8 => text.floor_char_boundary(wanted.min(text.len())),
            Self::Utf16 | Self::Utf32 => {
                let mut units = 0;
                let reached = |(_, letter): &(usize, char)| {
                    let here = units;
                    units += self.width(*letter);
                    here < wanted
                };
                let passed = text.char_indices().take_while(reached).last();
                passed.map_or(0, |(at, letter)| at + letter.len_utf8())
            }
        };
        range.start + inside
    }
}

/// A number of the protocol. No file has so many lines.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The path of a `file://` address; `None` for others, such as texts that were never saved.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    // An authority is a host, which only Windows' shares have.
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let code = digits.filter(|_| *first == b'%').and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/a` is `C:/a`.
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// The `file://` address of a path.
pub(super) fn uri_of(path: &Path) -> Uri {
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    Uri(format!("file://{slash}{}", percent_encoded(&path)))
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::Position;

    use super::{Encoding, path_of, uri_of};
    use crate::source::SourceFile;

    #[test]
    fn places_go_there_and_back() {
        let text = "name: \"日本 🎉\" # 🎉\r\n\tskip: 1\nlast";
        let file = SourceFile::new("a.yaml", text);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in text.char_indices().filter(|(_, it)| !matches!(it, '\r' | '\n')) {
                let position = encoding.position(&file, offset);
                assert_eq!(encoding.offset(&file, position), offset, "{encoding:?} {position:?}");
            }
        }
        let position = |line, character| Position { line, character };
        assert_eq!(Encoding::Utf16.position(&file, text.find('#').unwrap_or(0)), position(0, 14));
        for (place, wanted) in [
            (position(0, 999), text.find('\r')),
            (position(9, 0), Some(text.len())),
            (position(2, 4), Some(text.len())),
            // The middle of a pair is its end.
            (position(0, 11), text.find('"').map(|it| it + "\"日本 🎉".len())),
        ] {
            assert_eq!(Some(Encoding::Utf16.offset(&file, place)), wanted, "{place:?}");
        }
    }

    #[test]
    fn addresses_are_paths() {
        for path in ["/a/b.tf", "/a b/é#1.yaml", "/100%/x"] {
            let uri = uri_of(std::path::Path::new(path));
            assert_eq!(path_of(&uri).as_deref(), Some(std::path::Path::new(path)), "{}", uri.0);
        }
        let path = |uri: &str| path_of(&gen_lsp_types::Uri(uri.to_owned()));
        assert_eq!(path("file:///c%3A/a.tf"), Some("c:/a.tf".into()));
        assert_eq!(path("untitled:Untitled-1"), None);
    }
}
