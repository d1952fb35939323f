//! Operators and the conversions between text, numbers and truth that Terraform makes on its own.

use crate::{
    resolve::terraform::{
        evaluate::{Evaluated, Evaluator},
        functions::{call::EvaluationError, digits, scalar},
        notation,
        scope::LexicalScope,
    },
    source::Span,
    syntax::hcl::{Binary, Expr, ExprKind, Unary},
    value::{Kind, Value},
};

/// A fault at a place.
pub(super) fn fault<T>(span: Span, message: impl Into<String>) -> Result<T, EvaluationError> {
    Err(EvaluationError { span, message: message.into() })
}

/// The number a value is or converts to; `None` if it is unknown.
///
/// # Errors
/// When it can never be a number.
pub(super) fn number(value: &Value) -> Result<Option<f64>, EvaluationError> {
    if value.is_unknown() {
        return Ok(None);
    }
    match value.as_number().or_else(|| digits::parse(value.as_str()?)) {
        Some(number) => Ok(Some(number)),
        None => fault(value.span, "a number is required"),
    }
}

/// Whether a value is true; `None` if it is unknown.
///
/// # Errors
/// When it can never be true or false.
pub(super) fn truth(value: &Value) -> Result<Option<bool>, EvaluationError> {
    match value.as_flag() {
        Some(truth) => Ok(Some(truth)),
        None if value.is_unknown() => Ok(None),
        None => fault(value.span, "true or false is required"),
    }
}

/// The same value as text, if it is a number or a truth value.
pub(super) fn as_text(value: Value) -> Value {
    let kind = match scalar::scalar_text(&value) {
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
        scope: LexicalScope<'_, 'a>,
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
        scope: LexicalScope<'_, 'a>,
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
                let same = same(&left, &second, operands);
                same.map(|it| Kind::Bool(it == (operator == Binary::Equal)))
            }
            _ => {
                let right = self.expression(scope, right)?;
                match (number(&left)?, number(&right)?) {
                    (_, Some(0.0)) if operator == Binary::Divide => {
                        return fault(whole.span, "division by zero");
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

/// Whether Terraform finds two values equal, which is a question of their types too.
fn same(left: &Value, right: &Value, written: &[Expr; 2]) -> Option<bool> {
    let [first, second] = written;
    let sets = [left, right].map(|it| it.as_list().is_some_and(|it| it.is_set));
    match left.same_as(right) {
        Some(true) if is_scalar(left) || sets == [true, true] => Some(true),
        Some(true) if sets != [false, false] => Some(false),
        Some(true) => {
            let literal = is_literal(first) && is_literal(second);
            (literal || notation::plain(first) == notation::plain(second)).then_some(true)
        }
        Some(false) => (!is_close(left, right)).then_some(false),
        None => None,
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

/// Whole numbers from here on are not exact.
const GREATEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The result, if it can be computed as exactly as Terraform does.
fn compute(operator: Binary, left: f64, right: f64) -> Option<Kind> {
    let comparison = match operator {
        Binary::Less => Some(left < right),
        Binary::LessOrEqual => Some(left <= right),
        Binary::Greater => Some(left > right),
        Binary::GreaterOrEqual => Some(left >= right),
        _ => None,
    };
    if let Some(truth) = comparison {
        return (!close(left, right)).then_some(Kind::Bool(truth));
    }
    let result = match operator {
        Binary::Plus => left + right,
        Binary::Minus => left - right,
        Binary::Times => left * right,
        Binary::Divide => left / right,
        Binary::Modulo if right != 0.0 => left % right,
        _ => return None,
    };
    // What lacks digits leaves traces in Terraform's 512 bits that cannot be foreseen: such a result may be
    // compared and rounded, but looks like no short number.
    let exact = digits::is_exact(left) && digits::is_exact(right);
    let sure = exact || digits::number_text(result).is_none();
    (sure && result.abs() < GREATEST_EXACT).then_some(Kind::Number(result))
}
