//! Terraform's built-in functions.

use crate::{
    source::{Files, Span},
    value::{Symbol, Value},
};

/// What a function needs to know of the place it is called from.
#[allow(dead_code, reason = "stub")]
pub struct Call<'a> {
    /// The function's name.
    pub name: &'a str,
    /// The whole call.
    pub span: Span,
    /// The symbol of the whole call.
    pub symbol: Symbol,
    /// The project's files.
    pub files: &'a Files,
    /// The folder relative paths start from.
    pub folder: &'a str,
}

/// An error of evaluation; `try` and `can` see it.
#[derive(Debug)]
#[allow(dead_code, reason = "stub")]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// Why.
    pub message: String,
}

/// Calls a function.
pub fn call(call: &Call<'_>, _arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::unknown(call.symbol.clone(), call.span))
}
