//! CEL, from text to verdicts. The order of the modules is the order of use.

pub mod place;
pub mod fault;
pub mod data;
pub mod collection;
pub mod tree;
mod lex;
pub mod types;
pub mod declarations;
mod parse;
mod compare;
mod native;
pub mod bindings;
mod library;
mod check;
pub mod cost;
mod eval;
pub mod program;
pub mod complete;
