//! Tokens to a tree, by precedence.

mod macros;

use std::sync::Arc;

use crate::cel::{
    data::Data,
    lex::{
        self,
        token::{Token, TokenKind},
    },
    parse::macros::expand,
    tree::{Bytes, Call, Entry, Expr, ExprKind, Index, Item, Mistake, Select},
};

/// How many nodes may lie one inside the other. Kubernetes allows 250, for which a thread of 2 MiB has no room.
const MOST_DEPTH: usize = 150;
/// How many characters an expression may have; Kubernetes' limit.
const MOST_CHARACTERS: usize = 100_000;

/// Words that name nothing, so that they can get a meaning in other languages.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Operators with two operands by precedence, the loosest first.
const BINARY: &[&[&str]] =
    &[&["||"], &["&&"], &["==", "!=", "<", "<=", ">", ">=", "in"], &["+", "-"], &["*", "/", "%"]];

/// The tree of an expression.
///
/// # Errors
/// At the first piece that does not belong there.
pub(crate) fn parse(text: &str) -> Result<Expr, Mistake> {
    if text.chars().count() > MOST_CHARACTERS {
        let message = format!("an expression may have {MOST_CHARACTERS} characters");
        return Err(Mistake::new(0..text.len(), message));
    }
    let mut parser = Parser { tokens: lex::tokens(text)?, next: 0, depth: 0 };
    let expression = parser.expression()?;
    match parser.peek() {
        TokenKind::End => Ok(expression),
        _ => Err(parser.unexpected("an operator")),
    }
}

fn too_deep(at: Bytes) -> Mistake {
    Mistake::new(at, format!("this is nested deeper than {MOST_DEPTH} levels"))
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

type Parsed = Result<Expr, Mistake>;

impl Parser {
    fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    fn at(&self) -> Bytes {
        self.tokens[self.next].at.clone()
    }

    /// The end of what was read.
    fn end(&self) -> usize {
        self.next.checked_sub(1).map_or(0, |it| self.tokens[it].at.end)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), TokenKind::Sign(it) if *it == sign)
    }

    /// Reads on, if this sign comes next.
    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Mistake {
        let message = match self.peek() {
            TokenKind::End => format!("the expression ends where {wanted} is expected"),
            _ => format!("{wanted} is expected here"),
        };
        Mistake::new(self.at(), message)
    }

    /// A node from a byte to the last one read.
    fn node(&self, kind: ExprKind, start: usize) -> Parsed {
        Self::shallow(Expr::new(kind, start..self.end()))
    }

    /// The node, if it is not nested too deep.
    fn shallow(node: Expr) -> Parsed {
        if node.depth > MOST_DEPTH { Err(too_deep(node.at)) } else { Ok(node) }
    }

    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(too_deep(self.at()));
        }
        let condition = self.binary(0)?;
        let start = condition.at.start;
        let expression = if self.accept("?") {
            let yes = self.binary(0)?;
            self.expect(":")?;
            let no = self.expression()?;
            self.node(ExprKind::Conditional(Box::new([condition, yes, no])), start)?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }

    /// Operators that bind at least as tightly as those of a level.
    fn binary(&mut self, least: usize) -> Parsed {
        let mut left = self.unary()?;
        while let TokenKind::Sign(sign) = *self.peek() {
            let level = BINARY.iter().position(|it| it.contains(&sign));
            let Some(level) = level.filter(|it| *it >= least) else { break };
            let at = self.at();
            self.next += 1;
            let right = self.binary(level + 1)?;
            left = self.joined(sign, at, left, right)?;
        }
        Ok(left)
    }

    /// The node of an operator; terms of `&&` and `||` lie side by side.
    fn joined(&self, sign: &str, at: Bytes, left: Expr, right: Expr) -> Parsed {
        let start = left.at.start;
        let is_logic = matches!(sign, "&&" | "||");
        if !is_logic {
            return self.operator(&format!("_{sign}_"), at, vec![left, right], start);
        }
        let depth = left.depth.max(right.depth + 1);
        let at = start..right.at.end;
        let kind = match (sign, left.kind) {
            ("&&", ExprKind::And(mut terms)) => {
                terms.push(right);
                ExprKind::And(terms)
            }
            ("||", ExprKind::Or(mut terms)) => {
                terms.push(right);
                ExprKind::Or(terms)
            }
            (_, kind) => {
                let terms = vec![Expr { kind, ..left }, right];
                let kind = if sign == "&&" { ExprKind::And(terms) } else { ExprKind::Or(terms) };
                return self.node(kind, start);
            }
        };
        Self::shallow(Expr { kind, at, depth })
    }

    fn operator(&self, name: &str, at: Bytes, arguments: Vec<Expr>, start: usize) -> Parsed {
        let name = name.into();
        let call = Call::new((name, at), false, arguments);
        self.node(ExprKind::Call(Box::new(call)), start)
    }

    fn unary(&mut self) -> Parsed {
        let sign = if self.is("!") { "!" } else { "-" };
        let first = self.next;
        while self.accept(sign) {}
        let count = self.next - first;
        if count == 0 {
            return self.member();
        }
        let start = self.tokens[first].at.start;
        let last = self.tokens[self.next - 1].at.clone();
        if sign == "-"
            && let Some(literal) = self.negative(last.start)?
        {
            return self.negated(literal, sign, count - 1, start);
        }
        let operand = self.member()?;
        self.negated(operand, sign, count, start)
    }

    /// The number behind a minus sign, with what is selected from it.
    fn negative(&mut self, start: usize) -> Result<Option<Expr>, Mistake> {
        let number = match self.peek() {
            TokenKind::BelowLeast => Data::Int(i64::MIN),
            TokenKind::Literal(Data::Int(it)) => Data::Int(-it),
            TokenKind::Literal(Data::Double(it)) => Data::Double(-it),
            _ => return Ok(None),
        };
        self.next += 1;
        let literal = self.node(ExprKind::Literal(number), start)?;
        self.selections(literal).map(Some)
    }

    /// An even number of signs says nothing.
    fn negated(&self, operand: Expr, sign: &str, count: usize, start: usize) -> Parsed {
        if count.is_multiple_of(2) {
            return Ok(operand);
        }
        self.operator(&format!("{sign}_"), start..start + sign.len(), vec![operand], start)
    }

    fn member(&mut self) -> Parsed {
        let primary = self.primary()?;
        self.selections(primary)
    }

    fn selections(&mut self, mut operand: Expr) -> Parsed {
        loop {
            let start = operand.at.start;
            if self.accept("[") {
                let is_optional = self.accept("?");
                let index = self.expression()?;
                self.expect("]")?;
                let index = Index { operand, index, is_optional };
                operand = self.node(ExprKind::Index(Box::new(index)), start)?;
            } else if self.accept(".") {
                let is_optional = self.accept("?");
                let (field, field_at, is_quoted) = self.field()?;
                if !is_optional && !is_quoted && self.accept("(") {
                    let arguments = self.arguments(")")?;
                    let at = start..self.end();
                    operand = expand(Some(operand), field, field_at, arguments, at)?;
                    operand = self.node(operand.kind, start)?;
                    continue;
                }
                let select = Select::new(operand, (field, field_at), is_optional);
                operand = self.node(ExprKind::Select(Box::new(select)), start)?;
            } else {
                return Ok(operand);
            }
        }
    }

    /// The name of a field, where it is, and whether it is quoted.
    fn field(&mut self) -> Result<(Arc<str>, Bytes, bool), Mistake> {
        let at = self.at();
        let (name, is_quoted) = match self.peek() {
            TokenKind::Name(name) => (name.clone(), false),
            TokenKind::QuotedName(name) => (name.clone(), true),
            _ => return Err(self.unexpected("a field")),
        };
        self.next += 1;
        Ok((name, at, is_quoted))
    }

    /// What is between brackets, the opening one read already.
    fn arguments(&mut self, close: &str) -> Result<Vec<Expr>, Mistake> {
        let mut found = Vec::new();
        if self.accept(close) {
            return Ok(found);
        }
        loop {
            found.push(self.expression()?);
            if !self.accept(",") {
                self.expect(close)?;
                return Ok(found);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let start = self.at().start;
        match self.peek().clone() {
            TokenKind::Literal(data) => {
                self.next += 1;
                self.node(ExprKind::Literal(data), start)
            }
            TokenKind::Name(name) => self.name(&name, "", start),
            TokenKind::Sign(".") => {
                self.next += 1;
                match self.peek().clone() {
                    TokenKind::Name(name) => self.name(&name, ".", start),
                    _ => Err(self.unexpected("a name")),
                }
            }
            TokenKind::Sign("(") => {
                self.next += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Sign("[") => self.list(start),
            TokenKind::Sign("{") => self.map(start),
            TokenKind::BelowLeast => {
                Err(Mistake::new(self.at(), "this number does not fit into 64 bits"))
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn name(&mut self, name: &str, dot: &str, start: usize) -> Parsed {
        let at = self.at();
        self.next += 1;
        if self.accept("(") {
            let arguments = self.arguments(")")?;
            let call = expand(None, name.into(), at, arguments, start..self.end())?;
            return self.node(call.kind, start);
        }
        if RESERVED.contains(&name) {
            return Err(Mistake::new(at, format!("`{name}` is a reserved word")));
        }
        self.node(ExprKind::Name(format!("{dot}{name}").into()), start)
    }

    fn list(&mut self, start: usize) -> Parsed {
        self.next += 1;
        let mut items = Vec::new();
        while !self.accept("]") {
            let is_optional = self.accept("?");
            items.push(Item { value: self.expression()?, is_optional });
            if !self.accept(",") {
                self.expect("]")?;
                break;
            }
        }
        self.node(ExprKind::List(items), start)
    }

    fn map(&mut self, start: usize) -> Parsed {
        self.next += 1;
        let mut entries = Vec::new();
        while !self.accept("}") {
            let is_optional = self.accept("?");
            let key = self.expression()?;
            self.expect(":")?;
            entries.push(Entry { key, value: self.expression()?, is_optional });
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        self.node(ExprKind::Map(entries), start)
    }
}
