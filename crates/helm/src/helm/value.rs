//! Values of the template language: what Go's templates pass around, with shared maps that change.

use std::{cell::RefCell, collections::BTreeMap, ops::Deref, rc::Rc};

use crate::{
    helm::{cluster::ApiVersions, files::Files, layouts::Moment, semver::Semver, text::Text},
    source::Span,
    value::{Symbol, Value},
};

/// A value and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    /// What it is.
    pub kind: Kind,
    /// The chart's value that it is, with its place.
    pub origin: Option<Rc<Value>>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Go's `nil`.
    Nil,
    /// The `nil` that a map or a list holds: it has the type of their items, and so is no map for want of one.
    NilItem,
    /// True or false.
    Bool(bool),
    /// Go's `int`: what is written in templates.
    Int(i64),
    /// Go's `int64`: what sprig computes.
    Long(i64),
    /// Go's `float64`: every number of a values file.
    Float(f64),
    /// Text.
    Text(Text),
    /// A moment.
    Time(Rc<Moment>),
    /// The bytes of a file, as text.
    Bytes(Text),
    /// A slice.
    List(Rc<Items>),
    /// A map, shared.
    Map(Rc<Dict>),
    /// A struct of Helm.
    Struct(Rc<Struct>),
    /// `.Files` or a part of it.
    Files(Rc<Files>),
    /// `.Capabilities.APIVersions`
    ApiVersions(Rc<ApiVersions>),
    /// What `semver` returns, and `.Capabilities.KubeVersion`.
    Version(Rc<Semver>),
    /// Not known.
    Unknown(Rc<Symbol>),
}

/// The items of a slice.
#[derive(Debug, Default)]
pub(crate) struct Items {
    values: Vec<Val>,
    /// What Go calls their type.
    pub of: Of,
}

/// The type of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Of {
    /// `[]interface{}`
    #[default]
    Any,
    /// `[]string`
    Texts,
    /// `[]interface{}`, and `nil` where there are none.
    Rest,
    /// `[]string`, and `nil` where a search found none.
    Found,
    /// `[]int`
    Ints,
}

impl Items {
    /// Whether Go has a nil slice for them.
    pub(crate) fn is_nil(&self) -> bool {
        matches!(self.of, Of::Found | Of::Rest) && self.values.is_empty()
    }
}

impl Deref for Items {
    type Target = [Val];

    fn deref(&self) -> &Self::Target {
        &self.values
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        dismantle(std::mem::take(&mut self.values));
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        let entries = std::mem::take(self.entries.get_mut());
        dismantle(entries.into_values().map(|it| it.value).collect());
    }
}

/// Drops values part by part: they may nest deeper than the stack.
fn dismantle(mut left: Vec<Val>) {
    while let Some(value) = left.pop() {
        match value.kind {
            Kind::List(items) => {
                left.extend(
                    Rc::into_inner(items)
                        .map(|mut it| std::mem::take(&mut it.values))
                        .into_iter()
                        .flatten(),
                );
            }
            Kind::Map(map) => {
                let entries =
                    Rc::into_inner(map).map(|mut it| std::mem::take(it.entries.get_mut()));
                left.extend(entries.into_iter().flatten().map(|(_, it)| it.value));
            }
            _ => {}
        }
    }
}

/// An entry of a map.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Where the key is written.
    pub key_span: Option<Span>,
    /// The value.
    pub value: Val,
}

/// A struct of Helm (`.Chart`, `.Capabilities`) with its values: its fields are named, no other can be asked for.
#[derive(Debug)]
pub(crate) struct Struct {
    /// What `typeOf` calls it.
    pub type_name: &'static str,
    /// Its fields in their order.
    pub fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name in templates.
    pub name: &'static str,
    /// Its name in JSON.
    pub json: &'static str,
    /// Whether JSON leaves it out where it has nothing.
    pub omit_empty: bool,
    /// The value.
    pub value: Val,
}

impl Struct {
    /// The value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&Val> {
        self.fields.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// Whether only Helm 3 has a struct there: `.Chart` is a map in Helm 4.
    pub(crate) fn is_map_elsewhere(&self) -> bool {
        self.type_name.starts_with("struct")
    }

    /// What JSON has of it, in the order of the fields.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Rc<str>, &Val)> {
        let shown = self.fields.iter().filter(|it| !it.omit_empty || it.value.truth() != Ok(false));
        shown.map(|it| (Rc::from(it.json), &it.value))
    }

    /// The same as a map.
    pub(crate) fn as_map(&self) -> Val {
        Val::map(self.entries().map(|(key, value)| (key, value.clone())))
    }
}

/// A map that changes, sorted as Go prints and walks it.
#[derive(Debug, Default)]
pub(crate) struct Dict {
    entries: RefCell<BTreeMap<Rc<str>, Item>>,
    rest: RefCell<Option<Rc<Symbol>>>,
}

/// What a key of a map leads to.
pub(crate) enum Found {
    /// The value.
    Present(Val),
    /// Nothing.
    Missing,
    /// Not known whether there is one.
    Unknown(Rc<Symbol>),
}

impl Dict {
    /// A map of these entries.
    pub(crate) fn of(entries: BTreeMap<Rc<str>, Item>, rest: Option<Rc<Symbol>>) -> Rc<Self> {
        Rc::new(Self { entries: RefCell::new(entries), rest: RefCell::new(rest) })
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Found {
        if let Some(item) = self.entries.borrow().get(key) {
            return Found::Present(item.value.clone());
        }
        match &*self.rest.borrow() {
            Some(symbol) => {
                let text = format!("{}.{key}", symbol.text);
                let symbol = Symbol::new(symbol.scope.clone(), text).because(symbol.cause);
                Found::Unknown(Rc::new(symbol))
            }
            None => Found::Missing,
        }
    }

    /// Puts a value under a key.
    pub(crate) fn set(&self, key: impl Into<Rc<str>>, value: Val) {
        self.put(key.into(), Item { key_span: None, value });
    }

    /// Puts an entry under a key, whose place stays where it is known.
    pub(crate) fn put(&self, key: Rc<str>, item: Item) {
        let mut entries = self.entries.borrow_mut();
        let before = entries.get(&key).and_then(|it| it.key_span);
        entries.insert(key, Item { key_span: item.key_span.or(before), ..item });
    }

    /// Takes a key away.
    pub(crate) fn remove(&self, key: &str) {
        self.entries.borrow_mut().remove(key);
    }

    /// The entries of now.
    pub(crate) fn entries(&self) -> Vec<(Rc<str>, Item)> {
        self.entries.borrow().iter().map(|(key, item)| (key.clone(), item.clone())).collect()
    }

    /// Does something with each value of now.
    pub(crate) fn each(&self, mut action: impl FnMut(&Val)) {
        self.entries.borrow().values().for_each(|it| action(&it.value));
    }

    /// How many entries are known.
    pub(crate) fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// What the entries that are not known are called.
    pub(crate) fn rest(&self) -> Option<Rc<Symbol>> {
        self.rest.borrow().clone()
    }

    /// Adds that there may be further entries.
    pub(crate) fn open(&self, symbol: Rc<Symbol>) {
        self.rest.borrow_mut().get_or_insert(symbol);
    }
}

impl From<Kind> for Val {
    fn from(kind: Kind) -> Self {
        Self { kind, origin: None }
    }
}

impl Val {
    /// Go's `nil`.
    pub(crate) const NIL: Self = Self { kind: Kind::Nil, origin: None };

    /// Text that the engine made.
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Kind::Text(Text::new(text, crate::helm::text::Source::Nowhere)).into()
    }

    /// A truth.
    pub(crate) fn bool(value: bool) -> Self {
        Kind::Bool(value).into()
    }

    /// A list.
    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::list_of(items, Of::Any)
    }

    /// A list of a type.
    pub(crate) fn list_of(values: Vec<Self>, of: Of) -> Self {
        Kind::List(Rc::new(Items { values, of })).into()
    }

    /// A map of its own.
    pub(crate) fn map(entries: impl IntoIterator<Item = (Rc<str>, Self)>) -> Self {
        let item = |value| Item { key_span: None, value };
        let entries = entries.into_iter().map(|(key, value)| (key, item(value))).collect();
        Kind::Map(Dict::of(entries, None)).into()
    }

    /// Something that is not known.
    pub(crate) fn unknown(symbol: Symbol) -> Self {
        Kind::Unknown(Rc::new(symbol)).into()
    }

    /// The value as a map or a list holds it.
    pub(crate) fn into_item(self) -> Self {
        match self.kind {
            Kind::Nil => Self { kind: Kind::NilItem, ..self },
            _ => self,
        }
    }

    /// The value for itself, whatever held it.
    pub(crate) fn alone(self) -> Self {
        match self.kind {
            Kind::NilItem => Self { kind: Kind::Nil, ..self },
            _ => self,
        }
    }

    /// Whether it is the very same list or map.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::List(a), Kind::List(b)) => Rc::ptr_eq(a, b),
            (Kind::Map(a), Kind::Map(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Whether it is `nil`.
    pub(crate) fn is_nil(&self) -> bool {
        matches!(self.kind, Kind::Nil | Kind::NilItem)
    }

    /// Whether Go takes it for true; `Err` where that is not known.
    pub(crate) fn truth(&self) -> Result<bool, Rc<Symbol>> {
        match &self.kind {
            Kind::Nil | Kind::NilItem => Ok(false),
            Kind::Bool(value) => Ok(*value),
            Kind::Int(value) | Kind::Long(value) => Ok(*value != 0),
            Kind::Float(value) => Ok(*value != 0.0),
            Kind::Text(text) if text.is_surely_filled() => Ok(true),
            Kind::Text(text) => match text.first_hole() {
                Some(symbol) => Err(Rc::new(symbol.clone())),
                None => Ok(false),
            },
            Kind::Bytes(text) => Ok(text.len() > 0),
            Kind::List(items) => Ok(!items.is_empty()),
            Kind::Map(map) => match map.rest() {
                Some(symbol) if map.len() == 0 => Err(symbol),
                _ => Ok(map.len() > 0),
            },
            Kind::Files(files) => Ok(!files.is_empty()),
            Kind::ApiVersions(_) | Kind::Version(_) | Kind::Struct(_) | Kind::Time(_) => Ok(true),
            Kind::Unknown(symbol) => Err(symbol.clone()),
        }
    }
}
