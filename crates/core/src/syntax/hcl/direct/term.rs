//! Operands: literals, collections, calls, references.

use std::sync::Arc;

use crate::hash::HashSet;

use crate::syntax::hcl::{
    Access, Expr, ExprKind, For, Literal, ObjectItem, Splat, TemplatePart, Unary,
    direct::cursor::{Cursor, begins_name},
};
use crate::value::TextPiece;

/// More keys than this are looked up by their hashes.
const MANY: usize = 16;
/// Longer traversals are left to hcl-edit.
const MOST_STEPS: usize = 64;
/// Longer numbers are left to hcl-edit.
const LONGEST_NUMBER: usize = 15;

/// A step of a traversal.
struct Step {
    access: Access,
    end: usize,
    /// Whether a splat `.*` applies it to each item.
    is_attribute: bool,
}

impl Cursor<'_> {
    /// An operand with the steps behind it. Behind some of them an expression may go on in the next line.
    pub(super) fn term(&mut self, lines: &mut bool) -> Option<Expr> {
        let start = self.at;
        let kind = match self.byte()? {
            b'"' => self.quoted()?,
            b'[' => {
                *lines = true;
                self.array()?
            }
            b'{' => self.object(lines)?,
            b'(' => {
                self.at += 1;
                self.space(true)?;
                let inner = self.expression(true)?;
                self.space(true)?;
                self.expect(b')')?;
                ExprKind::Parens(Box::new(inner))
            }
            b'0'..=b'9' => ExprKind::Number(self.number()?),
            b'<' => self.heredoc()?,
            sign @ (b'-' | b'!') => self.signed(sign, *lines)?,
            it if begins_name(it) => self.word(lines)?,
            _ => return None,
        };
        let span = self.since(start);
        self.traversal(start, Expr { kind, span }, *lines)
    }

    fn number(&mut self) -> Option<f64> {
        let start = self.at;
        let digits = |it: &mut Self| {
            while it.byte().is_some_and(|it| it.is_ascii_digit()) {
                it.at += 1;
            }
        };
        digits(self);
        if self.byte() == Some(b'.') {
            self.at += 1;
            digits(self);
        }
        let text = self.slice(start..self.at);
        let goes_on = |it: u8| begins_name(it) || it == b'.' || !it.is_ascii();
        if text.len() > LONGEST_NUMBER || text.ends_with('.') || self.byte().is_some_and(goes_on) {
            return None;
        }
        text.parse().ok()
    }

    fn signed(&mut self, sign: u8, lines: bool) -> Option<ExprKind> {
        self.at += 1;
        self.space(false)?;
        if sign == b'-' && self.byte()?.is_ascii_digit() {
            let number = self.number()?;
            return Some(ExprKind::Number(if number == 0.0 { 0.0 } else { -number }));
        }
        let mut lines = lines;
        let operand = self.nested(|it| it.term(&mut lines))?;
        let operator = if sign == b'-' { Unary::Negate } else { Unary::Not };
        Some(ExprKind::Unary(operator, Box::new(operand)))
    }

    /// A keyword, the first word of a reference, or a call.
    fn word(&mut self, lines: &mut bool) -> Option<ExprKind> {
        let name = self.name()?;
        let name = self.slice(name);
        let end = self.at;
        self.space(*lines)?;
        match self.byte() {
            Some(b'(') => {
                *lines = true;
                self.call(name)
            }
            Some(b':') if self.second() == Some(b':') => None,
            _ => {
                self.at = end;
                Some(match name {
                    "null" => ExprKind::Null,
                    "true" => ExprKind::Bool(true),
                    "false" => ExprKind::Bool(false),
                    _ => ExprKind::Variable(Arc::from(name)),
                })
            }
        }
    }

    fn call(&mut self, name: &str) -> Option<ExprKind> {
        self.at += 1;
        let mut arguments = Vec::new();
        let mut expand = false;
        loop {
            self.space(true)?;
            if self.byte() == Some(b')') {
                break;
            }
            arguments.push(self.expression(true)?);
            self.space(true)?;
            if self.rest().starts_with(b"...") {
                self.at += 3;
                expand = true;
                self.space(true)?;
                break;
            }
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b')')?;
        Some(ExprKind::Call { name: Arc::from(name), arguments, expand })
    }

    fn array(&mut self) -> Option<ExprKind> {
        self.at += 1;
        if self.begins_for()? {
            return self.for_expression(false);
        }
        let mut items = Vec::new();
        loop {
            self.space(true)?;
            if self.byte() == Some(b']') {
                break;
            }
            items.push(self.expression(true)?);
            self.space(true)?;
            if !self.take(b',') {
                break;
            }
        }
        self.expect(b']')?;
        Some(ExprKind::Array(items))
    }

    fn object(&mut self, lines: &mut bool) -> Option<ExprKind> {
        self.at += 1;
        if self.begins_for()? {
            *lines = true;
            return self.for_expression(true);
        }
        let mut items: Vec<ObjectItem> = Vec::new();
        let mut keys = Keys::default();
        loop {
            self.space(true)?;
            if self.take(b'}') {
                return Some(ExprKind::Object(items));
            }
            let start = self.at;
            let key = self.key()?;
            if !keys.insert(self.slice(start..self.at).trim_matches('"')) {
                return None;
            }
            self.space(false)?;
            if !self.take(b'=') {
                self.expect(b':')?;
            }
            self.space(false)?;
            let value = self.expression(false)?;
            items.push(ObjectItem { key, value });
            self.space(false)?;
            match self.byte()? {
                b'}' => {}
                b',' => self.at += 1,
                _ => self.end_of_line()?,
            }
        }
    }

    /// An object's key: a bare word is its text.
    fn key(&mut self) -> Option<Expr> {
        let key = self.expression(false)?;
        let ExprKind::Variable(text) = key.kind else { return Some(key) };
        let len = u32::try_from(text.len()).ok()?;
        let pieces = vec![TextPiece { at: 0, len, span: key.span }];
        let part = TemplatePart::Literal(Literal { text, pieces });
        Some(Expr { kind: ExprKind::Template(vec![part]), span: key.span })
    }

    /// Whether a loop comes.
    fn begins_for(&mut self) -> Option<bool> {
        let start = self.at;
        self.space(true)?;
        let rest = self.rest();
        let found = rest.starts_with(b"for")
            && matches!(rest.get(3), Some(b' ' | b'\t' | b'#' | b'/' | b'\n'));
        if !found {
            self.at = start;
        }
        Some(found)
    }

    /// The inside of a loop, and the bracket behind it.
    fn for_expression(&mut self, of_object: bool) -> Option<ExprKind> {
        self.at += 3;
        self.space(true)?;
        let (mut value_variable, _) = self.shared_name()?;
        let mut key_variable = None;
        self.space(true)?;
        if self.take(b',') {
            self.space(true)?;
            key_variable = Some(std::mem::replace(&mut value_variable, self.shared_name()?.0));
            self.space(true)?;
        }
        self.keyword("in")?;
        let collection = self.expression(false)?;
        self.space(true)?;
        self.expect(b':')?;
        self.space(true)?;
        let mut key = None;
        let mut value = self.expression(!of_object)?;
        self.space(true)?;
        if of_object {
            self.expect(b'=')?;
            self.expect(b'>')?;
            self.space(true)?;
            key = Some(std::mem::replace(&mut value, self.expression(false)?));
            self.space(true)?;
        }
        let grouping = of_object && self.rest().starts_with(b"...");
        if grouping {
            self.at += 3;
            self.space(true)?;
        }
        let mut condition = None;
        if self.byte() == Some(b'i') {
            self.keyword("if")?;
            condition = Some(self.expression(true)?);
            self.space(true)?;
        }
        self.expect(if of_object { b'}' } else { b']' })?;
        Some(ExprKind::For(Box::new(For {
            key_variable,
            value_variable,
            collection,
            key,
            value,
            grouping,
            condition,
        })))
    }

    fn keyword(&mut self, word: &str) -> Option<()> {
        if !self.comes(word) {
            return None;
        }
        self.at += word.len();
        self.space(true)
    }

    /// The steps behind an operand. A splat takes those it applies to each item.
    fn traversal(&mut self, start: usize, mut base: Expr, lines: bool) -> Option<Expr> {
        let mut next = self.step(lines)?;
        let mut count = 0;
        while let Some(step) = next {
            count += 1;
            if count > MOST_STEPS {
                return None;
            }
            let mut end = step.end;
            next = self.step(lines)?;
            let kind = match step.access {
                Access::Attr(name) => ExprKind::GetAttr(Box::new(base), name),
                Access::Index(key) => ExprKind::Index(Box::new(base), Box::new(key)),
                Access::Splat(full) => {
                    let mut steps = Vec::new();
                    while let Some(step) = next.take_if(|it| full || it.is_attribute) {
                        end = step.end;
                        steps.push(step.access);
                        next = self.step(lines)?;
                    }
                    ExprKind::Splat(Box::new(Splat { base, full, steps }))
                }
            };
            base = Expr { kind, span: self.snippet.span(&(start..end)) };
        }
        Some(base)
    }

    /// The next step, if there is one.
    #[allow(clippy::option_option, reason = "the outer one is whether the reader gives up")]
    fn step(&mut self, lines: bool) -> Option<Option<Step>> {
        let before = self.at;
        self.space(lines)?;
        let (access, is_attribute) = match (self.byte(), self.second()) {
            (Some(b'.'), second) if second != Some(b'.') => {
                self.at += 1;
                (self.after_dot()?, true)
            }
            (Some(b'['), _) => {
                self.at += 1;
                self.space(true)?;
                let access = if self.take(b'*') {
                    Access::Splat(true)
                } else {
                    Access::Index(self.expression(true)?)
                };
                self.space(true)?;
                self.expect(b']')?;
                (access, false)
            }
            _ => {
                self.at = before;
                return Some(None);
            }
        };
        let is_attribute = is_attribute && !matches!(access, Access::Splat(_));
        Some(Some(Step { access, end: self.at, is_attribute }))
    }

    fn after_dot(&mut self) -> Option<Access> {
        let start = self.at;
        match self.byte()? {
            b'*' => {
                self.at += 1;
                Some(Access::Splat(false))
            }
            b'0'..=b'9' => {
                let rest = self.rest();
                let digits = rest.iter().take_while(|it| it.is_ascii_digit()).count();
                let text = self.slice(start..start + digits);
                self.at += digits;
                let odd = digits > LONGEST_NUMBER || (digits > 1 && text.starts_with('0'));
                let number = text.parse().ok().filter(|_| !odd)?;
                let kind = ExprKind::Number(number);
                Some(Access::Index(Expr { kind, span: self.since(start) }))
            }
            _ => Some(Access::Attr(self.shared_name()?.0)),
        }
    }
}

/// The keys of an object, as they are written.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<&'a str>,
    many: HashSet<&'a str>,
}

impl<'a> Keys<'a> {
    /// Whether a key is new.
    fn insert(&mut self, key: &'a str) -> bool {
        if self.few.len() < MANY {
            let is_new = !self.few.contains(&key);
            self.few.push(key);
            return is_new;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter().copied());
        }
        self.many.insert(key)
    }
}
