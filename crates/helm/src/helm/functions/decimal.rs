//! Decimal numbers, in which sprig computes: 0.1 + 0.2 is 0.3.

/// Digits after the point that a division has.
const DIVISION: u32 = 16;

/// A number: whole digits, of which so many are behind the point.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    digits: i128,
    scale: u32,
}

/// How two numbers become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// `addf`
    Add,
    /// `subf`
    Subtract,
    /// `mulf`
    Multiply,
    /// `divf`
    Divide,
}

impl Decimal {
    /// The number that prints as a float does; `None` if it has more digits than fit.
    fn of(value: f64) -> Option<Self> {
        let text = format!("{value}");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { digits, scale: u32::try_from(fraction.len()).ok()? })
    }

    fn to_float(self) -> Option<f64> {
        format!("{}e-{}", self.digits, self.scale).parse().ok()
    }

    /// The digits with so many behind the point.
    fn at(self, scale: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(scale.checked_sub(self.scale)?)?)
    }

    fn divided(self, by: Self) -> Option<Self> {
        // digits / by.digits * 10^(by.scale - scale), with sixteen places
        let shift = DIVISION + by.scale;
        let dividend = if shift >= self.scale {
            self.digits.checked_mul(10_i128.checked_pow(shift - self.scale)?)?
        } else {
            return None;
        };
        let (quotient, rest) = (dividend.checked_div(by.digits)?, dividend.checked_rem(by.digits)?);
        let away = if (dividend < 0) == (by.digits < 0) { 1 } else { -1 };
        let rounds = rest.checked_abs()?.checked_mul(2)? >= by.digits.checked_abs()?;
        let digits = if rounds { quotient + away } else { quotient };
        Some(Self { digits, scale: DIVISION })
    }
}

/// What two numbers make; `None` where it divides by nothing.
pub(super) fn computed(operation: Operation, left: f64, right: f64) -> Option<f64> {
    if operation == Operation::Divide && right == 0.0 {
        return None;
    }
    Some(exact(operation, left, right).unwrap_or(match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide => left / right,
    }))
}

fn exact(operation: Operation, left: f64, right: f64) -> Option<f64> {
    let (left, right) = (Decimal::of(left)?, Decimal::of(right)?);
    let scale = left.scale.max(right.scale);
    let found = match operation {
        Operation::Add => Decimal { digits: left.at(scale)?.checked_add(right.at(scale)?)?, scale },
        Operation::Subtract => {
            Decimal { digits: left.at(scale)?.checked_sub(right.at(scale)?)?, scale }
        }
        Operation::Multiply => Decimal {
            digits: left.digits.checked_mul(right.digits)?,
            scale: left.scale + right.scale,
        },
        Operation::Divide => left.divided(right)?,
    };
    found.to_float()
}
