//! The pieces of an expression.

use std::sync::Arc;

use crate::cel::{data::Data, tree::Bytes};

/// A piece of an expression.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Token {
    /// What it is.
    pub(in crate::cel) kind: TokenKind,
    /// Where it is written.
    pub(in crate::cel) at: Bytes,
}

/// What a token is.
#[derive(Clone, Debug)]
pub(in crate::cel) enum TokenKind {
    /// A name.
    Name(Arc<str>),
    /// A name in backticks, which only a field may have.
    QuotedName(Arc<str>),
    /// A number, text, truth value or null.
    Literal(Data),
    /// The number that only a minus sign before it makes an int: 9223372036854775808.
    BelowLeast,
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of the text.
    End,
}
