//! Go's template language: words, trees, and the texts that templates are written in.

pub(crate) mod lex;
pub(crate) mod literal;
pub(crate) mod parse;
pub(crate) mod tree;
