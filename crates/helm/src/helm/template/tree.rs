//! The tree of a template: what is written, with the bytes it is written in.

use std::{ops::Range, rc::Rc};

/// A part of a template.
#[derive(Debug)]
pub(crate) enum Node {
    /// Text that is printed as it is.
    Text(Range<usize>),
    /// `{{ … }}`
    Action(Pipe),
    /// `{{ if }}`
    If(Branch),
    /// `{{ with }}`
    With(Branch),
    /// `{{ range }}`
    Range(Branch),
    /// `{{ template }}`, also that of `{{ block }}`.
    Template {
        /// The name.
        name: Rc<str>,
        /// What becomes the dot.
        pipe: Option<Pipe>,
        /// The bytes of the keyword to the name.
        at: Range<usize>,
    },
    /// `{{ break }}`
    Break,
    /// `{{ continue }}`
    Continue,
}

/// Two bodies and what decides between them.
#[derive(Debug)]
pub(crate) struct Branch {
    /// The condition, or what is gone through.
    pub pipe: Pipe,
    /// The body.
    pub then: Vec<Node>,
    /// What `else` has.
    pub otherwise: Vec<Node>,
}

/// Commands, each of which gets the result of the one before as its last argument.
#[derive(Debug)]
pub(crate) struct Pipe {
    /// Its bytes.
    pub at: Range<usize>,
    /// Whether the variables are those that exist.
    pub assigns: bool,
    /// The variables that are set, with their `$`.
    pub variables: Vec<Rc<str>>,
    /// The commands.
    pub commands: Vec<Command>,
}

/// A function with its arguments, or a value.
#[derive(Debug)]
pub(crate) struct Command {
    /// The words, at least one.
    pub words: Vec<Word>,
}

/// An operand and its bytes.
#[derive(Debug)]
pub(crate) struct Word {
    /// Its bytes.
    pub at: Range<usize>,
    /// What it is.
    pub kind: WordKind,
}

impl Word {
    /// Whether it is a value that cannot be called, whatever it is.
    pub(crate) fn is_constant(&self) -> bool {
        let is_number = self.is_number();
        is_number
            || matches!(
                self.kind,
                WordKind::Bool(_) | WordKind::Dot | WordKind::Nil | WordKind::Text { .. }
            )
    }

    /// Whether it is a number that is written in the template.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.kind, WordKind::Int(_) | WordKind::Float(_))
    }
}

/// What an operand is.
#[derive(Debug)]
pub(crate) enum WordKind {
    /// `.`
    Dot,
    /// `nil`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text {
        /// What it says.
        text: Rc<str>,
        /// Its bytes without the quotes, where they are what it says.
        verbatim: Option<Range<usize>>,
    },
    /// `.a.b`
    Field(Vec<Rc<str>>),
    /// `$x.a.b`
    Variable(Rc<str>, Vec<Rc<str>>),
    /// A function.
    Function(Rc<str>),
    /// `( … )`
    Pipe(Box<Pipe>),
    /// `( … ).a.b`
    Chain(Box<Word>, Vec<Rc<str>>),
}

/// A whole template: its own nodes, and those it defines.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// What it prints.
    pub nodes: Rc<Vec<Node>>,
    /// `{{ define }}` and `{{ block }}`, in the order written.
    pub definitions: Vec<Definition>,
}

/// A template with a name of its own.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The name.
    pub name: Rc<str>,
    /// What it prints.
    pub nodes: Rc<Vec<Node>>,
}

/// Whether nodes print nothing but blanks: Go does not let such a definition replace another.
pub(crate) fn is_blank(nodes: &[Node], source: &str) -> bool {
    nodes.iter().all(|it| match it {
        Node::Text(range) => source.get(range.clone()).unwrap_or_default().trim().is_empty(),
        _ => false,
    })
}
