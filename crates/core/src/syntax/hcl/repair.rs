//! Rewrites what hcl-edit refuses, byte for byte, so that every place stays where it was.
//!
//! Terraform lets the last of two equal keys of an object count, and lets a value of an object `for`
//! continue on the next line. hcl-edit accepts neither; with the earlier key blanked out and the line
//! break made a space it does. Terraform refuses several arguments of a block on one line, too; with line breaks
//! between them they can be read.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    findings::Severity,
    syntax::hcl::{
        expression::duplicate_key,
        scan::{Token, TokenKind, scan},
    },
};

/// A text that hcl-edit may accept, and what was wrong with it.
#[derive(Debug)]
pub(super) struct Repaired {
    /// The text, as long as the original.
    pub text: String,
    /// What a reader should know.
    pub notes: Vec<Mistake>,
}

/// Something that is read though it is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The key or name it is about.
    pub at: Range<usize>,
    /// What is wrong with it.
    pub message: String,
    /// An error when Terraform refuses it.
    pub severity: Severity,
    /// Where the inside of the object begins, of a key that is written twice in it.
    pub inside: Option<usize>,
}

/// The text with `""` in place of heredocs without a line, as long as the original: hcl-edit would take
/// them to end where the next heredoc of that delimiter ends. `None` when there are none.
pub(super) fn fill_empty_heredocs(text: &str) -> Option<String> {
    let mut starts = text.match_indices("<<");
    if !starts.any(|(at, _)| text.get(at..).is_some_and(is_empty_heredoc)) {
        return None;
    }
    let mut filled = text.to_owned();
    for token in scan(text).tokens {
        let written = text.get(token.start..token.end).unwrap_or_default();
        if token.kind == TokenKind::Text && is_empty_heredoc(written) {
            let rest = written.chars().skip(2);
            let rest = rest.map(|it| if matches!(it, '\n' | '\r') { it } else { ' ' });
            filled.replace_range(
                token.start..token.end,
                &format!("\"\"{}", rest.collect::<String>()),
            );
        }
    }
    Some(filled)
}

/// The text with another letter where a line of a heredoc begins with its delimiter and goes on, as long as
/// the original: hcl-edit would end the heredoc there. `None` when there is no such line.
pub(super) fn hide_false_ends(text: &str) -> Option<String> {
    let delimiters: HashSet<&str> =
        text.match_indices("<<").filter_map(|(at, _)| text.get(at..).map(delimiter)).collect();
    let goes_on = |line: &str| {
        let line = line.trim_start_matches([' ', '\t']);
        let end = line.find(|it: char| !is_word(it)).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        !word.is_empty() && !rest.trim().is_empty() && delimiters.contains(word)
    };
    if !text.lines().any(goes_on) {
        return None;
    }
    let mut hidden = text.to_owned();
    for token in scan(text).tokens.iter().filter(|it| it.kind == TokenKind::Text) {
        let written = text.get(token.start..token.end).unwrap_or_default();
        for at in false_ends(written, delimiter(written)) {
            let at = token.start + at;
            hidden.replace_range(at..=at, "\u{1}");
        }
    }
    Some(hidden)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// The delimiter of a heredoc that begins a text; empty if none does.
fn delimiter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("<<") else { return "" };
    let line = rest.strip_prefix('-').unwrap_or(rest).lines().next().unwrap_or_default();
    let is_name = line.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-'));
    if is_name { line } else { "" }
}

/// Where the first lines of a heredoc begin with its delimiter and go on in another way than a longer word.
fn false_ends(heredoc: &str, delimiter: &str) -> Vec<usize> {
    if delimiter.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for line in heredoc.split_inclusive('\n') {
        let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
        let rest = line.get(indentation..).and_then(|it| it.strip_prefix(delimiter));
        match rest {
            Some(rest) if at > 0 && rest.trim().is_empty() => break,
            Some(rest) if at > 0 && !rest.starts_with(is_word) => found.push(at + indentation),
            _ => {}
        }
        at += line.len();
    }
    found
}

/// Whether a text begins with a heredoc whose delimiter is on the next line again.
fn is_empty_heredoc(text: &str) -> bool {
    let Some(text) = text.strip_prefix("<<") else { return false };
    let mut lines = text.strip_prefix('-').unwrap_or(text).lines();
    let (Some(delimiter), Some(next)) = (lines.next(), lines.next()) else { return false };
    let after = next.trim_start_matches([' ', '\t']).strip_prefix(delimiter);
    let named = !delimiter.is_empty() && delimiter.is_ascii() && delimiter.chars().all(is_word);
    named && after.is_some_and(|it| it.trim().is_empty())
}

/// The repaired text; `None` when there is nothing to repair.
pub(super) fn repair(text: &str, tokens: &[Token]) -> Option<Repaired> {
    let mut repairs = Repairs {
        text,
        items: Vec::new(),
        breaks: Vec::new(),
        splits: Vec::new(),
        notes: Vec::new(),
    };
    let mut open: Vec<OpenBracket> = vec![OpenBracket::new(Enclosing::Block, 0)];
    let mut before = None;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open(byte) => {
                if let Some(frame) = open.last_mut() {
                    frame.value(token);
                }
                open.push(OpenBracket::new(repairs.form(byte, before), token.end));
            }
            TokenKind::Close(_) => {
                if let Some(mut frame) = open.pop() {
                    repairs.end_of_item(&mut frame, token.start);
                    repairs.end_of_block(&frame, token.start);
                }
                if let Some(frame) = open.last_mut() {
                    frame.value(token);
                }
            }
            _ => {
                if let Some(frame) = open.last_mut() {
                    if repairs.begins_argument(frame, before, tokens.get(index..)) {
                        repairs.split(frame, before, token);
                    }
                    repairs.token(frame, token);
                }
            }
        }
        if token.kind != TokenKind::Comment {
            before = Some(token);
        }
    }
    repairs.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    Block,
    Object,
    ObjectFor,
    Other,
}

/// A bracket that is open, and the item being read in it.
struct OpenBracket {
    form: Enclosing,
    /// Where its inside begins.
    inside: usize,
    /// Whether two arguments of it are on one line.
    split: bool,
    /// Where the item begins and how far it was read.
    item: Option<Range<usize>>,
    /// The item's key, once its `=` was seen.
    key: Option<Range<usize>>,
    /// The keys of the items before, with the items.
    seen: HashMap<String, (Range<usize>, Range<usize>)>,
}

impl OpenBracket {
    fn new(form: Enclosing, inside: usize) -> Self {
        Self { form, inside, split: false, item: None, key: None, seen: HashMap::new() }
    }

    /// Takes a token as part of the current item.
    fn value(&mut self, token: &Token) {
        match &mut self.item {
            Some(item) => item.end = token.end,
            None if token.kind == TokenKind::Newline => {}
            None => self.item = Some(token.start..token.end),
        }
    }
}

struct Repairs<'a> {
    text: &'a str,
    /// Items to blank out; their line breaks stay.
    items: Vec<Range<usize>>,
    /// Line breaks and comments to blank out wholly.
    breaks: Vec<Range<usize>>,
    /// Bytes to make line breaks of.
    splits: Vec<usize>,
    notes: Vec<Mistake>,
}

impl Repairs<'_> {
    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The text of an item of an object, without what ends it.
    fn item(&self, range: Range<usize>) -> &str {
        self.slice(range).trim_end().trim_end_matches(',').trim()
    }

    /// What a bracket holds: the token before a brace distinguishes an object from a block.
    fn form(&self, byte: u8, before: Option<&Token>) -> Enclosing {
        let name = before.filter(|it| matches!(it.kind, TokenKind::Word | TokenKind::Text));
        match (byte, name.map(|it| self.slice(it.start..it.end))) {
            (b'{', None | Some("in" | "if")) => Enclosing::Object,
            (b'{', Some(_)) => Enclosing::Block,
            _ => Enclosing::Other,
        }
    }

    /// Whether an argument of a block begins on the line of the one before: a name and `=` behind a whole value.
    fn begins_argument(
        &self,
        frame: &OpenBracket,
        before: Option<&Token>,
        rest: Option<&[Token]>,
    ) -> bool {
        let Some([name, sign, ..]) = rest else { return false };
        let after_value = before.is_some_and(|it| {
            matches!(
                it.kind,
                TokenKind::Word
                    | TokenKind::Text
                    | TokenKind::Close(_)
                    | TokenKind::Sign(b',' | b';')
            )
        });
        frame.form == Enclosing::Block
            && frame.key.is_some()
            && after_value
            && name.kind == TokenKind::Word
            && sign.kind == TokenKind::Sign(b'=')
            && !self.slice(sign.end..self.text.len()).starts_with('=')
    }

    /// Ends the argument before `name`.
    fn split(&mut self, frame: &mut OpenBracket, before: Option<&Token>, name: &Token) {
        let between = before.map_or(name.start, |it| match it.kind {
            TokenKind::Sign(_) => it.start,
            _ => it.end,
        });
        frame.split = true;
        self.splits.push(between);
        self.end_of_item(frame, between);
        let message = "expected a new line here".to_owned();
        let at = name.start..self.text.ceil_char_boundary(name.start + 1);
        self.notes.push(Mistake { at, message, severity: Severity::Error, inside: None });
    }

    /// The line breaks that a block needs whose arguments are split.
    fn end_of_block(&mut self, frame: &OpenBracket, end: usize) {
        if frame.split {
            self.splits.extend([frame.inside, end - 1]);
        }
    }

    fn token(&mut self, frame: &mut OpenBracket, token: &Token) {
        match (frame.form, token.kind) {
            (Enclosing::ObjectFor, TokenKind::Newline | TokenKind::Comment) => {
                let carriage = self.slice(0..token.start).ends_with('\r');
                self.breaks.push(token.start - usize::from(carriage)..token.end);
            }
            (Enclosing::Object | Enclosing::Block, TokenKind::Newline) => {
                self.end_of_item(frame, token.start);
            }
            (Enclosing::Object, TokenKind::Sign(b',')) => self.end_of_item(frame, token.end),
            (Enclosing::Object | Enclosing::Block, TokenKind::Sign(b'=' | b':'))
                if frame.key.is_none() =>
            {
                frame.key.clone_from(&frame.item);
            }
            (_, TokenKind::Comment) => {}
            (Enclosing::Object, TokenKind::Word)
                if frame.item.is_none()
                    && frame.seen.is_empty()
                    && self.slice(token.start..token.end) == "for" =>
            {
                frame.form = Enclosing::ObjectFor;
            }
            _ => frame.value(token),
        }
    }

    fn end_of_item(&mut self, frame: &mut OpenBracket, end: usize) {
        let (Some(item), Some(key)) = (frame.item.take(), frame.key.take()) else {
            frame.key = None;
            return;
        };
        let name = self.slice(key.clone()).trim_matches('"').to_owned();
        let whole = item.start..end;
        match frame.form {
            Enclosing::Object => {
                let again = self.item(whole.clone()).to_owned();
                let before = frame.seen.insert(name.clone(), (key, whole));
                if let Some((key, whole)) = before {
                    // Whichever of two that are the same counts.
                    if value_of(self.item(whole.clone())) != value_of(&again) {
                        let message = duplicate_key(&name);
                        let severity = Severity::Warning;
                        let inside = Some(frame.inside);
                        self.notes.push(Mistake { at: key, message, severity, inside });
                    }
                    self.items.push(whole);
                }
            }
            Enclosing::Block if frame.seen.contains_key(&name) => {
                let message = format!("`{name}` is set twice here");
                let severity = Severity::Error;
                self.notes.push(Mistake { at: key, message, severity, inside: None });
                self.items.push(whole);
            }
            Enclosing::Block => {
                frame.seen.insert(name, (key, whole));
            }
            Enclosing::ObjectFor | Enclosing::Other => {}
        }
    }

    fn finish(self) -> Option<Repaired> {
        let mut bytes = self.text.as_bytes().to_vec();
        for range in &self.items {
            for byte in bytes.get_mut(range.clone()).unwrap_or_default() {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        for range in &self.breaks {
            bytes.get_mut(range.clone()).unwrap_or_default().fill(b' ');
        }
        for at in &self.splits {
            // Without a space, there is no room for a line break.
            if let Some(byte) =
                bytes.get_mut(*at).filter(|it| matches!(it, b' ' | b'\t' | b',' | b';'))
            {
                *byte = b'\n';
            }
        }
        let text = String::from_utf8(bytes).ok()?;
        let changed =
            [&self.items, &self.breaks].iter().any(|it| !it.is_empty()) || !self.splits.is_empty();
        changed.then_some(Repaired { text, notes: self.notes })
    }
}

/// The value of an item of an object, without its key and the blanks around.
fn value_of(item: &str) -> &str {
    item.split_once(['=', ':']).map_or(item, |(_, value)| value).trim()
}
