//! What Go says about text that is no JSON or no base64.

/// What may come next in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of a list that has none.
    FirstItem,
    /// A key, or the end of an object that has none.
    FirstKey,
    Key,
    Colon,
    /// A comma or the end of what is open.
    Rest,
}

/// JSON and how far it is read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Whether a text is JSON; what Go's `encoding/json` says if not.
pub(super) fn json(text: &str) -> Result<(), String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    // For each object or list that is open: whether it is an object.
    let mut open: Vec<bool> = Vec::new();
    let mut next = Next::Value;
    loop {
        let byte = reader.sign();
        if byte.is_none() && open.is_empty() && next == Next::Rest {
            return Ok(());
        }
        let byte = byte.ok_or("unexpected end of JSON input")?;
        next = match (next, byte) {
            (Next::FirstItem, b']') | (Next::FirstKey, b'}') => {
                open.pop();
                Next::Rest
            }
            (Next::Value | Next::FirstItem, b'{') => {
                open.push(true);
                Next::FirstKey
            }
            (Next::Value | Next::FirstItem, b'[') => {
                open.push(false);
                Next::FirstItem
            }
            (Next::Value | Next::FirstItem, _) => {
                reader.scalar(byte)?;
                Next::Rest
            }
            (Next::FirstKey | Next::Key, b'"') => {
                reader.string()?;
                Next::Colon
            }
            (Next::FirstKey | Next::Key, _) => {
                return Err(unexpected(byte, "looking for beginning of object key string"));
            }
            (Next::Colon, b':') => Next::Value,
            (Next::Colon, _) => return Err(unexpected(byte, "after object key")),
            (Next::Rest, _) => match (open.last(), byte) {
                (Some(true), b',') => Next::Key,
                (Some(false), b',') => Next::Value,
                (Some(true), b'}') | (Some(false), b']') => {
                    open.pop();
                    Next::Rest
                }
                (None, _) => return Err(unexpected(byte, "after top-level value")),
                (Some(true), _) => return Err(unexpected(byte, "after object key:value pair")),
                (Some(false), _) => return Err(unexpected(byte, "after array element")),
            },
        };
    }
}

fn unexpected(byte: u8, place: &str) -> String {
    let letter = match byte {
        b'\'' => "\\'".to_owned(),
        b'"' => "\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        0..=0x1f | 0x7f => format!("\\x{byte:02x}"),
        0x80..=0xa0 | 0xad => format!("\\u{:04x}", u32::from(byte)),
        _ => char::from(byte).to_string(),
    };
    format!("invalid character '{letter}' {place}")
}

impl Reader<'_> {
    fn take(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    /// The next byte that is no blank.
    fn sign(&mut self) -> Option<u8> {
        loop {
            match self.take() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => {}
                byte => return byte,
            }
        }
    }

    /// A byte that must be there.
    fn needed(&mut self) -> Result<u8, String> {
        self.take().ok_or_else(|| "unexpected end of JSON input".to_owned())
    }

    fn scalar(&mut self, first: u8) -> Result<(), String> {
        let word = match first {
            b'"' => return self.string(),
            b'-' | b'0'..=b'9' => return self.number(first),
            b't' => "true",
            b'f' => "false",
            b'n' => "null",
            _ => return Err(unexpected(first, "looking for beginning of value")),
        };
        for wanted in word.bytes().skip(1) {
            let found = self.needed()?;
            if found != wanted {
                let wanted = char::from(wanted);
                return Err(unexpected(
                    found,
                    &format!("in literal {word} (expecting '{wanted}')"),
                ));
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), String> {
        loop {
            match self.needed()? {
                b'"' => return Ok(()),
                b'\\' => match self.needed()? {
                    b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => {}
                    b'u' => {
                        for _ in 0..4 {
                            let digit = self.needed()?;
                            if !digit.is_ascii_hexdigit() {
                                return Err(unexpected(
                                    digit,
                                    "in \\u hexadecimal character escape",
                                ));
                            }
                        }
                    }
                    byte => return Err(unexpected(byte, "in string escape code")),
                },
                byte if byte < 0x20 => return Err(unexpected(byte, "in string literal")),
                _ => {}
            }
        }
    }

    fn digits(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn number(&mut self, first: u8) -> Result<(), String> {
        let digit = |it: &mut Self, place: &str| {
            let found = it.needed()?;
            if found.is_ascii_digit() { Ok(found) } else { Err(unexpected(found, place)) }
        };
        let first = if first == b'-' { digit(self, "in numeric literal")? } else { first };
        if first != b'0' {
            self.digits();
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            digit(self, "after decimal point in numeric literal")?;
            self.digits();
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            digit(self, "in exponent of numeric literal")?;
            self.digits();
        }
        Ok(())
    }
}

/// What base64 says, or the byte that Go does not read. Line breaks count for nothing.
pub(super) fn base64(text: &str) -> Result<Vec<u8>, usize> {
    let source = text.as_bytes();
    let is_break = |it: Option<&u8>| matches!(it, Some(b'\r' | b'\n'));
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let (mut bits, mut count) = (0_u32, 0);
        while count < 4 {
            let Some(byte) = source.get(at) else {
                return if count == 0 { Ok(found) } else { Err(at - count) };
            };
            at += 1;
            let digit = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'\r' | b'\n' => continue,
                b'=' if count >= 2 => break,
                _ => return Err(at - 1),
            };
            bits = (bits << 6) | u32::from(digit);
            count += 1;
        }
        let bytes = (bits << (6 * (4 - count))).to_be_bytes();
        found.extend_from_slice(bytes.get(1..count).unwrap_or_default());
        if count == 4 {
            continue;
        }
        // What is padded ends here.
        let skip = |mut at: usize| {
            while is_break(source.get(at)) {
                at += 1;
            }
            at
        };
        if count == 2 {
            at = skip(at);
            match source.get(at) {
                None => return Err(source.len()),
                Some(b'=') => at += 1,
                Some(_) => return Err(at - 1),
            }
        }
        at = skip(at);
        return if at < source.len() { Err(at) } else { Ok(found) };
    }
}

/// What base32 says, or the byte that Go does not read. Line breaks count for nothing.
pub(super) fn base32(text: &str) -> Result<Vec<u8>, usize> {
    let source: Vec<u8> = text.bytes().filter(|it| !matches!(it, b'\r' | b'\n')).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let (mut bits, mut count) = (0_u64, 0);
        while count < 8 {
            let Some(byte) = source.get(at) else { return Err(at - count) };
            at += 1;
            let digit = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'2'..=b'7' => byte - b'2' + 26,
                b'=' if count >= 2 && source.len() - at < 8 => break,
                _ => return Err(at - 1),
            };
            bits = (bits << 5) | u64::from(digit);
            count += 1;
        }
        let bytes = (bits << (5 * (8 - count))).to_be_bytes();
        if count < 8 {
            padding(&source, at, count)?;
            at = source.len();
        }
        found.extend_from_slice(bytes.get(3..3 + count * 5 / 8).unwrap_or_default());
    }
    Ok(found)
}

/// Whether what follows the first sign of a padding is the rest of it.
fn padding(source: &[u8], at: usize, count: usize) -> Result<(), usize> {
    let rest = source.get(at..).unwrap_or_default();
    if rest.len() + count < 7 {
        return Err(source.len());
    }
    if let Some(wrong) = rest.iter().take(7 - count).position(|it| *it != b'=') {
        return Err(at + wrong - 1);
    }
    if matches!(count, 3 | 6) { Err(at - 1) } else { Ok(()) }
}
