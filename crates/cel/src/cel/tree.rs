//! The syntax tree of an expression. Every node has its bytes in the text.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use crate::cel::data::{Data, Operand, Outcome};

/// Bytes of an expression's text.
pub type Bytes = Range<usize>;

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub at: Bytes,
    /// How many nodes lie one inside the other from here down.
    pub(crate) depth: usize,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, text, truth value or null.
    Literal(Data),
    /// A name, with a leading dot if it has one.
    Name(Arc<str>),
    /// `operand.field`, `operand.?field`
    Select(Box<Select>),
    /// `has(operand.field)`
    Has(Box<Select>),
    /// `operand[index]`, `operand[?index]`
    Index(Box<Index>),
    /// A function or operator; the operand of a call like a method is the first argument.
    Call(Box<Call>),
    /// `a && b && …`
    And(Vec<Expr>),
    /// `a || b || …`
    Or(Vec<Expr>),
    /// `condition ? yes : no`
    Conditional(Box<[Expr; 3]>),
    /// `[a, ?b]`
    List(Vec<Item>),
    /// `{a: b, ?c: d}`
    Map(Vec<Entry>),
    /// A macro that goes through a list or mapping.
    Fold(Box<Fold>),
    /// `optional.optMap(name, body)` and `optFlatMap`.
    OptionalMap(Box<OptionalMap>),
}

/// A field of something.
#[derive(Clone, Debug)]
pub struct Select {
    /// The something.
    pub operand: Expr,
    /// The field's name.
    pub field: Arc<str>,
    /// Where the name is written.
    pub field_at: Bytes,
    /// Whether the result is an optional.
    pub is_optional: bool,
    /// The first name, of a chain of names: `a` of `a.b.c`.
    pub(crate) root: Option<Arc<str>>,
}

impl Select {
    /// A field.
    #[must_use]
    pub(crate) fn new(
        operand: Expr,
        (field, field_at): (Arc<str>, Bytes),
        is_optional: bool,
    ) -> Self {
        let root = match &operand.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Select(select) if !select.is_optional => select.root.clone(),
            _ => None,
        };
        Self { operand, field, field_at, is_optional, root: root.filter(|_| !is_optional) }
    }
}

/// An element of something.
#[derive(Clone, Debug)]
pub struct Index {
    /// The something.
    pub operand: Expr,
    /// Which element.
    pub index: Expr,
    /// Whether the result is an optional.
    pub is_optional: bool,
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name; an operator's is its sign with `_` for the operands.
    pub name: Arc<str>,
    /// Where the name is written.
    pub name_at: Bytes,
    /// Whether it is written like a method of its first argument.
    pub is_method: bool,
    /// The arguments.
    pub arguments: Vec<Expr>,
    /// The value of a conversion of a literal, computed once.
    pub(crate) constant: OnceLock<Data>,
    /// How it is carried out, looked up once.
    pub(crate) plan: OnceLock<Plan>,
}

/// How a call is carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The functions of its name, of which one takes the arguments.
    pub(crate) natives: &'static [fn(&[Operand]) -> Outcome],
    /// What it costs, by its arguments and its result.
    pub(crate) cost: fn(&[Operand], Option<&Operand>) -> u64,
    /// Whether Kubernetes computes it before it evaluates.
    pub(crate) is_folded: bool,
    /// Whether the second argument is only evaluated if the first is none.
    pub(crate) is_lazy: bool,
    /// Whether it asks for an element or a key.
    pub(crate) is_in: bool,
}

impl Call {
    /// A call that is yet to be looked up.
    #[must_use]
    pub(crate) fn new(
        (name, name_at): (Arc<str>, Bytes),
        is_method: bool,
        arguments: Vec<Expr>,
    ) -> Self {
        let (constant, plan) = (OnceLock::new(), OnceLock::new());
        Self { name, name_at, is_method, arguments, constant, plan }
    }
}

/// An element of a list literal.
#[derive(Clone, Debug)]
pub struct Item {
    /// The element.
    pub value: Expr,
    /// Whether it is an optional, left out when it is none.
    pub is_optional: bool,
}

/// An entry of a map literal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
    /// Whether the value is an optional, left out when it is none.
    pub is_optional: bool,
}

/// Which macro a [`Fold`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// True unless the body is false for one element.
    All,
    /// True if the body is true for one element.
    Exists,
    /// True if the body is true for exactly one element.
    ExistsOne,
    /// The elements for which the body is true.
    Filter,
    /// The list of the body's values; also `transformList`.
    Map,
    /// A mapping with the body's values.
    TransformMap,
    /// A mapping of the entries that the body makes.
    TransformMapEntry,
    /// The elements, sorted by the body's values.
    SortBy,
}

/// A macro that goes through a list or mapping.
#[derive(Clone, Debug)]
pub struct Fold {
    /// Which.
    pub kind: FoldKind,
    /// The list or mapping.
    pub range: Expr,
    /// The name of an element, or of the index or key where there are two.
    pub first: Arc<str>,
    /// The name of an element or entry's value where there are two names.
    pub second: Option<Arc<str>>,
    /// Which elements count.
    pub filter: Option<Expr>,
    /// What is asked or made of each.
    pub body: Expr,
}

/// `optional.optMap(name, body)`.
#[derive(Clone, Debug)]
pub struct OptionalMap {
    /// The optional.
    pub operand: Expr,
    /// The name of its value.
    pub name: Arc<str>,
    /// What is made of it.
    pub body: Expr,
    /// Whether the body is an optional itself (`optFlatMap`).
    pub is_flat: bool,
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub at: Bytes,
    /// What.
    pub message: String,
}

impl Mistake {
    /// A mistake at these bytes.
    #[must_use]
    pub fn new(at: Bytes, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

impl Expr {
    /// A node around others.
    #[must_use]
    pub(crate) fn new(kind: ExprKind, at: Bytes) -> Self {
        let mut depth = 0;
        kind.each_child(&mut |child| depth = depth.max(child.depth));
        Self { kind, at, depth: depth + 1 }
    }

    /// Whether it is a name, or a field or an element of something.
    #[must_use]
    pub(crate) fn is_attribute(&self) -> bool {
        matches!(self.kind, ExprKind::Name(_) | ExprKind::Select(_) | ExprKind::Index(_))
    }

    /// Whether it is made of literals only.
    #[must_use]
    pub(crate) fn is_constant(&self) -> bool {
        match &self.kind {
            ExprKind::Literal(_) => true,
            ExprKind::List(items) => {
                items.iter().all(|it| !it.is_optional && it.value.is_constant())
            }
            ExprKind::Map(entries) => {
                let constant = |it: &Entry| it.key.is_constant() && it.value.is_constant();
                entries.iter().all(|it| !it.is_optional && constant(it))
            }
            _ => false,
        }
    }

    /// The dotted name that a chain of names is: `a.b.c`.
    #[must_use]
    pub(crate) fn path(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Name(name) => Some(name.to_string()),
            ExprKind::Select(select) if !select.is_optional => {
                let mut path = select.operand.path()?;
                path.push('.');
                path.push_str(&select.field);
                Some(path)
            }
            _ => None,
        }
    }
}

impl ExprKind {
    /// Visits what lies directly inside, in the order of evaluation.
    pub(crate) fn each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::Literal(_) | Self::Name(_) => {}
            Self::Select(select) | Self::Has(select) => visit(&select.operand),
            Self::Index(index) => {
                visit(&index.operand);
                visit(&index.index);
            }
            Self::Call(call) => call.arguments.iter().for_each(visit),
            Self::And(terms) | Self::Or(terms) => terms.iter().for_each(visit),
            Self::Conditional(parts) => parts.iter().for_each(visit),
            Self::List(items) => items.iter().for_each(|it| visit(&it.value)),
            Self::Map(entries) => {
                for entry in entries {
                    visit(&entry.key);
                    visit(&entry.value);
                }
            }
            Self::Fold(fold) => {
                visit(&fold.range);
                fold.filter.iter().for_each(&mut *visit);
                visit(&fold.body);
            }
            Self::OptionalMap(map) => {
                visit(&map.operand);
                visit(&map.body);
            }
        }
    }
}
