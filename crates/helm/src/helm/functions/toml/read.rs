//! TOML as the Go package BurntSushi/toml reads it. Texts keep their places.

use std::{ops::Range, rc::Rc};

use crate::{
    helm::{
        convert::DEPTH,
        text::Text,
        value::{Dict, Found, Kind, Val},
    },
    value::Symbol,
};

/// What a text says; `None` where it is no TOML.
pub(in crate::helm::functions) fn read(text: &Text) -> Option<Val> {
    let mut reader = Reader { text, at: 0 };
    let root = table();
    let mut current = dict(&root)?;
    loop {
        reader.skip(true);
        if reader.rest().is_empty() {
            return Some(root);
        }
        if reader.takes("[[") {
            let path = reader.path()?;
            let (last, above) = path.split_last()?;
            let outer = below(dict(&root)?, above)?;
            let item = table();
            let items = match outer.get(last.as_str()) {
                Found::Present(Val { kind: Kind::List(items), .. }) => {
                    items.iter().cloned().chain([item.clone()]).collect()
                }
                Found::Missing => vec![item.clone()],
                _ => return None,
            };
            outer.set(last.as_str(), Val::list(items));
            current = dict(&item)?;
            reader.takes("]]").then_some(())?;
        } else if reader.takes("[") {
            let path = reader.path()?;
            current = below(dict(&root)?, &path)?;
            reader.takes("]").then_some(())?;
        } else {
            reader.pair(&current, 0)?;
        }
        reader.skip(false);
        let ends = reader.rest().is_empty() || reader.rest().starts_with(['\n', '\r']);
        ends.then_some(())?;
    }
}

fn table() -> Val {
    Val::map([])
}

fn dict(value: &Val) -> Option<Rc<Dict>> {
    match &value.kind {
        Kind::Map(map) => Some(Rc::clone(map)),
        _ => None,
    }
}

/// The table at a path; of a list of tables the last.
fn below(from: Rc<Dict>, path: &[Text]) -> Option<Rc<Dict>> {
    path.iter().try_fold(from, |outer, key| match outer.get(key.as_str()) {
        Found::Present(Val { kind: Kind::List(items), .. }) => dict(items.last()?),
        Found::Present(value) => dict(&value),
        Found::Missing => {
            let made = table();
            outer.set(key.as_str(), made.clone());
            dict(&made)
        }
        Found::Unknown(_) => None,
    })
}

struct Reader<'a> {
    text: &'a Text,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.as_str().get(self.at..).unwrap_or_default()
    }

    fn takes(&mut self, mark: &str) -> bool {
        let is_there = self.rest().starts_with(mark);
        self.at += if is_there { mark.len() } else { 0 };
        is_there
    }

    /// Goes over what the test holds for, and says where that was.
    fn over(&mut self, test: impl Fn(char) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|it| !test(it)).unwrap_or(rest.len());
        start..self.at
    }

    /// Goes over blanks and a comment, with `lines` over any number of lines.
    fn skip(&mut self, lines: bool) {
        loop {
            self.over(|it| matches!(it, ' ' | '\t') || (lines && matches!(it, '\n' | '\r')));
            if !self.rest().starts_with('#') {
                return;
            }
            self.over(|it| it != '\n');
        }
    }

    /// Keys joined by dots.
    fn path(&mut self) -> Option<Vec<Text>> {
        let mut path = Vec::new();
        loop {
            self.skip(false);
            let key = if self.rest().starts_with(['"', '\'']) {
                self.string()?
            } else {
                let range = self.over(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
                (!range.is_empty()).then(|| self.text.slice(range))?
            };
            path.push(key);
            self.skip(false);
            if !self.takes(".") {
                return (path.len() <= DEPTH).then_some(path);
            }
        }
    }

    /// `key = value`
    fn pair(&mut self, to: &Rc<Dict>, depth: usize) -> Option<()> {
        let path = self.path()?;
        let (last, above) = path.split_last()?;
        self.takes("=").then_some(())?;
        let value = self.value(depth)?;
        let to = below(Rc::clone(to), above)?;
        matches!(to.get(last.as_str()), Found::Missing).then_some(())?;
        to.set(last.as_str(), value);
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<Val> {
        self.skip(false);
        (depth <= DEPTH).then_some(())?;
        if self.rest().starts_with(['"', '\'']) {
            return Some(Kind::Text(self.string()?).into());
        }
        if self.takes("[") {
            let mut items = Vec::new();
            loop {
                self.skip(true);
                if self.takes("]") {
                    return Some(Val::list(items));
                }
                items.push(self.value(depth + 1)?);
                self.skip(true);
                if !self.takes(",") {
                    return self.takes("]").then(|| Val::list(items));
                }
            }
        }
        if self.takes("{") {
            let made = table();
            let inner = dict(&made)?;
            self.skip(false);
            while !self.takes("}") {
                self.pair(&inner, depth + 1)?;
                self.skip(false);
                if !self.takes(",") {
                    return self.takes("}").then_some(made);
                }
                self.skip(false);
            }
            return Some(made);
        }
        let word = |it: char| it.is_ascii_alphanumeric() || "+-_.:".contains(it);
        let mut range = self.over(word);
        // A date and a time may have a blank between them.
        if range.len() == 10
            && self.rest().strip_prefix(' ').is_some_and(|it| it.starts_with(digit))
        {
            self.at += 1;
            range = range.start..self.over(word).end;
        }
        simple(self.text.as_str().get(range)?)
    }

    fn string(&mut self) -> Option<Text> {
        let quote = if self.rest().starts_with('"') { "\"" } else { "'" };
        let long = quote.repeat(3);
        let is_long = self.takes(&long);
        let close = if is_long { &*long } else { quote };
        self.at += usize::from(!is_long);
        if is_long && !self.takes("\n") {
            self.takes("\r\n");
        }
        let start = self.at;
        let rest = self.rest();
        let mut from = 0;
        let end = loop {
            let found = from + rest.get(from..)?.find(close)?;
            let slashes = rest.get(..found)?.bytes().rev().take_while(|it| *it == b'\\').count();
            if quote == "'" || slashes % 2 == 0 {
                // Up to two quotes may stand in front of the closing three.
                let more = rest.get(found + close.len()..)?;
                let extra = more.bytes().take(2).take_while(|it| quote.as_bytes() == [*it]).count();
                break found + if is_long { extra } else { 0 };
            }
            from = found + 1;
        };
        let inside = rest.get(..end)?.to_owned();
        self.at = start + end + close.len();
        if !is_long && inside.contains('\n') {
            return None;
        }
        let text = self.text.slice(start..start + end);
        if quote == "'" || !inside.contains('\\') {
            return Some(text);
        }
        Some(text.replaced_by(unescaped(&inside)?))
    }
}

fn digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// A truth, a number, or a time, which is not known further.
fn simple(word: &str) -> Option<Val> {
    match word {
        "true" => return Some(Val::bool(true)),
        "false" => return Some(Val::bool(false)),
        _ => {}
    }
    let plain = word.replace('_', "");
    let bare = plain.trim_start_matches(['+', '-']);
    if let Some(float) = matches!(bare, "inf" | "nan").then(|| plain.parse().ok()) {
        return Some(Kind::Float(float?).into());
    }
    let based =
        [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find(|(mark, _)| plain.starts_with(mark));
    if let Some((mark, base)) = based {
        let number = i64::from_str_radix(plain.strip_prefix(mark)?, base).ok()?;
        return Some(Kind::Long(number).into());
    }
    bare.starts_with(digit).then_some(())?;
    if let Ok(number) = plain.parse::<i64>() {
        return Some(Kind::Long(number).into());
    }
    if let Ok(number) = plain.parse::<f64>() {
        return Some(Kind::Float(number).into());
    }
    let is_time = word.contains(':') || word.matches('-').count() >= 2;
    is_time.then(|| Val::unknown(Symbol::of_installation(format!("fromToml {word}"))))
}

fn unescaped(text: &str) -> Option<String> {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        made.push_str(before);
        let letter = after.chars().next()?;
        rest = after.get(letter.len_utf8()..)?;
        let digits = match letter {
            'b' => Err('\x08'),
            't' => Err('\t'),
            'n' => Err('\n'),
            'f' => Err('\x0c'),
            'r' => Err('\r'),
            'e' => Err('\x1b'),
            '"' | '\\' => Err(letter),
            'x' => Ok(2),
            'u' => Ok(4),
            'U' => Ok(8),
            // A backslash at the end of a line takes the blanks behind it away.
            ' ' | '\t' | '\r' | '\n' => {
                rest = after.trim_start();
                continue;
            }
            _ => return None,
        };
        match digits {
            Err(letter) => made.push(letter),
            Ok(count) => {
                made.push(char::from_u32(u32::from_str_radix(rest.get(..count)?, 16).ok()?)?);
                rest = rest.get(count..)?;
            }
        }
    }
    made.push_str(rest);
    Some(made)
}
