//! Operators and the conversions between text, numbers and truth that Terraform makes on its own.

use std::sync::Arc;

use crate::{
    resolve::terraform::{
        evaluate::{Evaluated, Evaluator, Scope},
        functions::{Fault, number},
    },
    source::Span,
    syntax::hcl::{Binary, Expr, Unary},
    value::{Kind, Text, Value},
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

/// The text of a number as Terraform writes it.
pub fn number_text(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { number::number_text(number) }
}

/// The same value as text, if it is a number or a truth value.
pub fn as_text(value: Value) -> Value {
    let text = match &value.kind {
        Kind::Number(number) => number_text(*number),
        Kind::Bool(truth) => truth.to_string(),
        _ => return value,
    };
    Value { kind: Kind::String(Text::computed(Arc::<str>::from(text))), ..value }
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
                let same = left.same_as(&self.expression(scope, right)?);
                same.map(|it| Kind::Bool(it == (operator == Binary::Equal)))
            }
            _ => {
                let right = self.expression(scope, right)?;
                match (number(&left)?, number(&right)?) {
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
