//! Operators and the conversions between text, numbers and truth that Terraform makes on its own.

use crate::{
    resolve::terraform::{
        evaluate::{Evaluated, Evaluator, Scope},
        functions::{Fault, number, unify},
    },
    source::Span,
    syntax::hcl::{Binary, Expr, ExprKind, Unary},
    value::{Kind, Value},
};

/// A fault at a place.
pub fn fault<T>(span: Span, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { span, message: message.into() })
}

/// The number a value is or converts to; `None` if it is unknown.
///
/// # Errors
/// When it can never be a number.
pub fn number(value: &Value) -> Result<Option<f64>, Fault> {
    match &value.kind {
        Kind::Number(number) => Ok(Some(*number)),
        Kind::String(text) => match text.known() {
            None => Ok(None),
            Some(text) => match number::parse(text) {
                Some(number) => Ok(Some(number)),
                None => fault(value.span, "a number is required"),
            },
        },
        Kind::Unknown(_) => Ok(None),
        _ => fault(value.span, "a number is required"),
    }
}

/// Whether a value is true; `None` if it is unknown.
///
/// # Errors
/// When it can never be true or false.
pub fn truth(value: &Value) -> Result<Option<bool>, Fault> {
    match &value.kind {
        Kind::Bool(truth) => Ok(Some(*truth)),
        Kind::Unknown(_) => Ok(None),
        Kind::String(text) => match text.known() {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(_) => fault(value.span, "true or false is required"),
        },
        _ => fault(value.span, "true or false is required"),
    }
}

/// The same value as text, if it is a number or a truth value.
pub fn as_text(value: Value) -> Value {
    let kind = match unify::scalar_text(&value) {
        Some(Ok(text)) => Kind::String(text),
        Some(Err(symbol)) => Kind::Unknown(symbol),
        None => return value,
    };
    Value { kind, ..value }
}

impl<'a> Evaluator<'a> {
    /// `-a`, `!a`
    pub(super) fn unary(
        &self,
        scope: Scope<'_, 'a>,
        whole: &Expr,
        operator: Unary,
        operand: &Expr,
    ) -> Evaluated {
        let value = self.expression(scope, operand)?;
        let kind = match operator {
            Unary::Negate => number(&value)?.map(|it| Kind::Number(-it)),
            Unary::Not => truth(&value)?.map(|it| Kind::Bool(!it)),
        };
        Ok(match kind {
            Some(kind) => Value::new(kind, whole.span),
            None => self.unknown(scope, whole),
        })
    }

    /// `a + b`
    pub(super) fn binary(
        &self,
        scope: Scope<'_, 'a>,
        whole: &Expr,
        operator: Binary,
        operands: &[Expr; 2],
    ) -> Evaluated {
        let [left, right] = operands;
        let left = self.expression(scope, left)?;
        let kind = match operator {
            Binary::And | Binary::Or => {
                let decides = operator == Binary::Or;
                let first = truth(&left)?;
                if first == Some(decides) {
                    Some(Kind::Bool(decides))
                } else {
                    let second = truth(&self.expression(scope, right)?)?;
                    match (first, second) {
                        (_, Some(second)) if second == decides => Some(Kind::Bool(decides)),
                        (Some(_), Some(second)) => Some(Kind::Bool(second)),
                        _ => None,
                    }
                }
            }
            Binary::Equal | Binary::NotEqual => {
                let second = self.expression(scope, right)?;
                let [first_written, second_written] = operands;
                let same = left.same_as(&second).filter(|same| {
                    !same
                        || is_scalar(&left)
                        || is_literal(first_written) && is_literal(second_written)
                });
                let same = same.filter(|it| *it || !is_close(&left, &second));
                same.map(|it| Kind::Bool(it == (operator == Binary::Equal)))
            }
            _ => {
                let right = self.expression(scope, right)?;
                match (number(&left)?, number(&right)?) {
                    (Some(left), Some(right)) if close(left, right) && is_comparison(operator) => {
                        None
                    }
                    (Some(left), Some(right)) => compute(operator, left, right),
                    _ => None,
                }
            }
        };
        Ok(match kind {
            Some(kind) => Value::new(kind, whole.span),
            None => self.unknown(scope, whole),
        })
    }
}

/// Whether equal values are equal for Terraform too, whatever their types.
fn is_scalar(value: &Value) -> bool {
    !matches!(value.kind, Kind::List(_) | Kind::Map(_))
}

/// Whether a tuple or an object is written here, so that its type shows: `[]` is not equal to the empty
/// list of a variable.
fn is_literal(written: &Expr) -> bool {
    match &written.kind {
        ExprKind::Parens(inner) => is_literal(inner),
        ExprKind::Array(items) => items.iter().all(is_literal),
        ExprKind::Object(items) => items.iter().all(|it| is_literal(&it.value)),
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Template(_) => true,
        _ => false,
    }
}

fn is_close(left: &Value, right: &Value) -> bool {
    left.as_number().zip(right.as_number()).is_some_and(|(left, right)| close(left, right))
}

/// Whether two numbers differ by no more than what is lost here of Terraform's 512 bits.
fn close(left: f64, right: f64) -> bool {
    let distance = (left - right).abs();
    distance > 0.0 && distance <= left.abs().max(right.abs()) * 1e-14
}

fn is_comparison(operator: Binary) -> bool {
    use Binary::{Greater, GreaterOrEqual, Less, LessOrEqual};
    matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual)
}

/// Whole numbers from here on are not exact.
const GREATEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The result, if it can be computed as exactly as Terraform does.
fn compute(operator: Binary, left: f64, right: f64) -> Option<Kind> {
    let result = match operator {
        Binary::Less => return Some(Kind::Bool(left < right)),
        Binary::LessOrEqual => return Some(Kind::Bool(left <= right)),
        Binary::Greater => return Some(Kind::Bool(left > right)),
        Binary::GreaterOrEqual => return Some(Kind::Bool(left >= right)),
        Binary::Plus => left + right,
        Binary::Minus => left - right,
        Binary::Times => left * right,
        Binary::Divide => left / right,
        Binary::Modulo => left % right,
        Binary::Equal | Binary::NotEqual | Binary::And | Binary::Or => return None,
    };
    (result.abs() < GREATEST_EXACT).then_some(Kind::Number(result))
}
