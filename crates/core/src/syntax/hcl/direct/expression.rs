//! Operators and what is between them.

use crate::syntax::hcl::{Binary, Expr, ExprKind, direct::cursor::Cursor};

/// More operators in one value are left to hcl-edit, which refuses more than these.
const MOST_OPERATORS: u32 = 100;

impl Cursor<'_> {
    /// An expression, which `lines` lets go on in the next line. What follows it is not passed over.
    pub(super) fn expression(&mut self, lines: bool) -> Option<Expr> {
        self.nested(|it| it.any_expression(lines))
    }

    fn any_expression(&mut self, mut lines: bool) -> Option<Expr> {
        let start = self.at;
        let mut value = self.term(&mut lines)?;
        let mut end = self.at;
        self.space(lines)?;
        if let Some(operator) = self.operator()? {
            self.at = end;
            value = self.chain(value, operator, lines)?;
            end = self.at;
            self.space(lines)?;
        }
        if self.byte() != Some(b'?') {
            self.at = end;
            return Some(value);
        }
        self.at += 1;
        self.space(lines)?;
        let then = self.expression(lines)?;
        self.space(lines)?;
        self.expect(b':')?;
        self.space(lines)?;
        let otherwise = self.expression(lines)?;
        let kind = ExprKind::Conditional(Box::new([value, then, otherwise]));
        Some(Expr { kind, span: self.since(start) })
    }

    /// The operands behind the first one, joined by how strongly their operators bind.
    fn chain(&mut self, first: Expr, operator: Binary, lines: bool) -> Option<Expr> {
        let mut operands = vec![first];
        let mut operators: Vec<Binary> = Vec::new();
        let mut next = Some(operator);
        while let Some(operator) = next {
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                return None;
            }
            self.space(lines)?;
            self.at += length(operator);
            self.space(lines)?;
            while operators.last().is_some_and(|it| strength(*it) >= strength(operator)) {
                join(&mut operands, operators.pop()?)?;
            }
            operators.push(operator);
            let mut of_operand = lines;
            operands.push(self.term(&mut of_operand)?);
            let end = self.at;
            self.space(lines)?;
            next = self.operator()?;
            self.at = end;
        }
        while let Some(operator) = operators.pop() {
            join(&mut operands, operator)?;
        }
        operands.pop()
    }

    /// The operator that comes; `None` inside if there is none.
    #[allow(clippy::option_option, reason = "the outer one is whether the reader gives up")]
    fn operator(&self) -> Option<Option<Binary>> {
        let Some(first) = self.byte() else { return Some(None) };
        let second = self.second();
        Some(Some(match (first, second) {
            (b'=', Some(b'=')) => Binary::Equal,
            (b'!', Some(b'=')) => Binary::NotEqual,
            (b'<', Some(b'=')) => Binary::LessOrEqual,
            (b'>', Some(b'=')) => Binary::GreaterOrEqual,
            (b'&', Some(b'&')) => Binary::And,
            (b'|', Some(b'|')) => Binary::Or,
            (b'!' | b'&' | b'|', _) | (b'<', Some(b'<')) => return None,
            (b'<', _) => Binary::Less,
            (b'>', _) => Binary::Greater,
            (b'+', _) => Binary::Plus,
            (b'-', _) => Binary::Minus,
            (b'*', _) => Binary::Times,
            (b'/', Some(b'/')) => return Some(None),
            (b'/', _) => Binary::Divide,
            (b'%', _) => Binary::Modulo,
            _ => return Some(None),
        }))
    }
}

/// Joins the last two operands.
fn join(operands: &mut Vec<Expr>, operator: Binary) -> Option<()> {
    let (right, left) = (operands.pop()?, operands.pop()?);
    let span = left.span.to(right.span);
    operands.push(Expr { kind: ExprKind::Binary(operator, Box::new([left, right])), span });
    Some(())
}

fn length(operator: Binary) -> usize {
    match operator {
        Binary::Equal
        | Binary::NotEqual
        | Binary::LessOrEqual
        | Binary::GreaterOrEqual
        | Binary::And
        | Binary::Or => 2,
        _ => 1,
    }
}

/// How strongly an operator binds.
fn strength(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 1,
        Binary::And => 2,
        Binary::Equal | Binary::NotEqual => 3,
        Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => 4,
        Binary::Plus | Binary::Minus => 5,
        Binary::Times | Binary::Divide | Binary::Modulo => 6,
    }
}
