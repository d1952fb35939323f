//! The tree of HCL native syntax: bodies, blocks, expressions, each with its span.
//!
//! The parser underneath is hcl-edit; nothing outside this module depends on that. Types are plain data so
//! that an evaluator can match on them.

pub mod change;

mod direct;
mod escape;
mod expression;
pub mod heredoc;
pub mod json;
mod message;
pub mod read;
mod recover;
mod repair;
mod scan;
mod snippet;
mod template;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

use super::ParseError;
use crate::{findings::Severity, source::Span};

/// A file's top level, and what could not be read of it.
#[derive(Clone, Debug, Default)]
pub struct HclFile {
    /// What could be read.
    pub body: Body,
    /// The places that could not be read.
    pub parse_errors: Vec<ParseError>,
    /// The blocks around them, as far as one sees where they begin and end; what is in them is not read.
    pub lost: Vec<Span>,
}

impl HclFile {
    /// Whether something is missing from the tree, so that an absence in it proves nothing.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        let read = |at: Span| {
            let in_block = self.body.blocks.iter().any(|it| it.span.contains(at));
            in_block || self.body.attributes.iter().any(|it| it.span.contains(at))
        };
        let mut errors = self.parse_errors.iter().filter(|it| it.severity == Severity::Error);
        !self.lost.is_empty() || errors.any(|it| !read(it.span))
    }
}

/// Attributes and blocks in the order they are written.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// `name = value`.
    pub attributes: Vec<Attribute>,
    /// `kind "label" { … }`.
    pub blocks: Vec<Block>,
}

/// `name = value`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: Arc<str>,
    /// Where the name is written.
    pub name_span: Span,
    /// The value.
    pub value: Expr,
    /// From the name to the end of the value.
    pub span: Span,
}

/// `kind "label" { … }`.
#[derive(Clone, Debug)]
pub struct Block {
    /// The block's type: `resource`, `module`, `set`.
    pub kind: Arc<str>,
    /// The labels' texts with their spans (quotes included).
    pub labels: Vec<(Arc<str>, Span)>,
    /// From the block's type to its last label: `resource "helm_release" "karpenter"`.
    pub header: Span,
    /// What is inside.
    pub body: Body,
    /// From the block's type to the closing brace.
    pub span: Span,
}

impl Body {
    /// The attribute of that name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|it| &*it.name == name)
    }

    /// The blocks of that type.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |it| &*it.kind == kind)
    }
}

impl Block {
    /// A label's text.
    #[must_use]
    pub fn label(&self, index: usize) -> Option<&str> {
        self.labels.get(index).map(|(text, _)| &**text)
    }
}

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written, quotes and brackets included.
    pub span: Span,
}

impl Expr {
    /// The text, if it is a string without interpolations (or an object's bare key).
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        let ExprKind::Template(parts) = &self.kind else {
            return None;
        };
        match &**parts {
            [] => Some(""),
            [TemplatePart::Literal(literal)] => Some(&literal.text),
            _ => None,
        }
    }
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `42`, `1.5e3`
    Number(f64),
    /// A string with an escape that does not exist: its text is not known.
    Unreadable,
    /// A quoted string or heredoc. Without interpolations it is a single literal part (or none).
    Template(Vec<TemplatePart>),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `{ a = 1 }`
    Object(Vec<ObjectItem>),
    /// `(a)`
    Parens(Box<Expr>),
    /// `var`, `local`, `each`: the first word of a reference.
    Variable(Arc<str>),
    /// `base.name`
    GetAttr(Box<Expr>, Arc<str>),
    /// `base[key]`, also the old `base.0`
    Index(Box<Expr>, Box<Expr>),
    /// `base.*.steps` or `base[*].steps`: the rest of the traversal is applied to each item.
    Splat(Box<Splat>),
    /// `name(arguments)`; with `expand` the last argument is followed by `...`. Provider functions
    /// are named `provider::name::function`.
    Call {
        /// The function's name.
        name: Arc<str>,
        /// The arguments.
        arguments: Vec<Expr>,
        /// Whether `...` follows the last one.
        expand: bool,
    },
    /// `condition ? then : otherwise`
    Conditional(Box<[Expr; 3]>),
    /// `-a`, `!a`
    Unary(Unary, Box<Expr>),
    /// `a + b`
    Binary(Binary, Box<[Expr; 2]>),
    /// `[for … ]`, `{for … }`
    For(Box<For>),
}

/// An entry of an object expression.
#[derive(Clone, Debug)]
pub struct ObjectItem {
    /// The key. A bare word (`a = 1`) is a template with one literal part; `(var.a) = 1` keeps its
    /// parentheses.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// A splat: `base`, then `steps` on each item.
#[derive(Clone, Debug)]
pub struct Splat {
    /// What is spread out.
    pub base: Expr,
    /// Whether it was written `.*` (ends at the first index step) or `[*]`.
    pub full: bool,
    /// The steps applied to each item.
    pub steps: Vec<Access>,
}

/// A step of a splat's traversal.
#[derive(Clone, Debug)]
pub enum Access {
    /// `.name`
    Attr(Arc<str>),
    /// `[key]`
    Index(Expr),
    /// Another splat further on; `true` for `[*]`.
    Splat(bool),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operators")]
pub enum Binary {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    And,
    Or,
}

/// `[for key, value in collection : result if condition]` and its object form.
#[derive(Clone, Debug)]
pub struct For {
    /// The key variable, when two are named.
    pub key_variable: Option<Arc<str>>,
    /// The value variable.
    pub value_variable: Arc<str>,
    /// What is walked over.
    pub collection: Expr,
    /// The key of an object `for`; `None` for a list `for`.
    pub key: Option<Expr>,
    /// The value.
    pub value: Expr,
    /// Whether `...` groups values of equal keys.
    pub grouping: bool,
    /// The filter.
    pub condition: Option<Expr>,
}

/// A part of a template.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Text, with escapes decoded and heredoc indentation and `~` trimming applied.
    Literal(Literal),
    /// `${ expression }`; the span includes the braces.
    Interpolation(Expr, Span),
    /// `%{ if c }…%{ else }…%{ endif }`
    If {
        /// The condition.
        condition: Expr,
        /// The text when it holds.
        then: Vec<TemplatePart>,
        /// The text when it does not.
        otherwise: Vec<TemplatePart>,
        /// The whole directive.
        span: Span,
    },
    /// `%{ for k, v in c }…%{ endfor }`
    For {
        /// The key variable, when two are named.
        key_variable: Option<Arc<str>>,
        /// The value variable.
        value_variable: Arc<str>,
        /// What is walked over.
        collection: Expr,
        /// The text for each item.
        body: Vec<TemplatePart>,
        /// The whole directive.
        span: Span,
    },
}

/// Literal text and where its runs are written.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The decoded text.
    pub text: Arc<str>,
    /// The runs of `text` that are written verbatim, in order; an escape is a run of its own whose
    /// lengths differ.
    pub pieces: Vec<crate::value::TextPiece>,
}

/// What a property of a JSON body is, which its text alone does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonProperty {
    /// An attribute; its texts are templates.
    Attribute,
    /// An attribute whose texts are taken as they are.
    Literal,
    /// An attribute whose texts are references or types: `"aws_vpc.main"`, `"list(string)"`.
    Reference,
    /// Blocks with that many labels.
    Blocks(usize),
}
