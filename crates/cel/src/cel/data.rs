//! What an expression is evaluated to: data, and the place it comes from.

pub mod network;
pub mod number;

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use crate::{
    cel::{
        data::{
            network::{Cidr, Url},
            number::{Quantity, Semver},
        },
        fault::{Fault, Unknown},
        place::Place,
    },
    value,
};

/// What evaluating gives.
pub type Outcome = Result<Operand, Fault>;

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The value.
    pub data: Data,
    /// Where it is written, in a file that is checked; `None` for what only the expression holds.
    pub place: Option<Place>,
}

/// A value of CEL.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that is not negative, written with a `u`.
    Uint(u64),
    /// A number.
    Double(f64),
    /// Text.
    String(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A list.
    List(ListData),
    /// A mapping.
    Map(MapData),
    /// A length of time, nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(Timestamp),
    /// A type, by its name.
    Type(Arc<str>),
    /// Something or nothing.
    Optional(Option<Arc<Operand>>),
    /// An IP address.
    Ip(IpAddr),
    /// A network.
    Cidr(Cidr),
    /// A URL.
    Url(Arc<Url>),
    /// An amount of a resource.
    Quantity(Box<Quantity>),
    /// A version.
    Semver(Arc<Semver>),
    /// A named format of texts.
    Format(&'static str),
}

/// A list; `rest` is set when unknown elements may follow.
#[derive(Clone, Debug)]
pub struct ListData {
    pub(crate) items: Items,
    pub(crate) rest: Option<Arc<Unknown>>,
}

/// The elements of a list.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    /// Computed by the expression.
    Computed(Arc<Vec<Operand>>),
    /// Written in a file; each is read when it is looked at.
    Written(Arc<value::List>),
}

/// A mapping; `rest` is set when it may have further, unknown entries.
#[derive(Clone, Debug)]
pub struct MapData {
    pub(crate) entries: Entries,
    pub(crate) rest: Option<Arc<Unknown>>,
}

/// The entries of a mapping.
#[derive(Clone, Debug)]
pub(crate) enum Entries {
    /// Computed by the expression.
    Computed(Arc<Computed>),
    /// Written in a file; each is read when it is looked at.
    Written(Arc<value::Map>),
}

/// Entries in their order, and where each key's is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Computed {
    pub(crate) entries: Vec<(Operand, Operand)>,
    pub(crate) index: HashMap<Key, usize>,
}

/// A key. Whole numbers that are equal are equal keys, whatever their type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Bool(bool),
    Number(i128),
    String(Arc<str>),
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds of the second.
    pub nanoseconds: u32,
}

impl From<Data> for Operand {
    fn from(data: Data) -> Self {
        Self { data, place: None }
    }
}

impl Operand {
    /// The same, from that place if it has none of its own.
    #[must_use]
    pub fn or_from(mut self, place: Option<&Place>) -> Self {
        if self.place.is_none() {
            self.place = place.cloned();
        }
        self
    }
}

impl Data {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// A list of known elements.
    #[must_use]
    pub fn list(items: Vec<Operand>) -> Self {
        Self::List(ListData { items: Items::Computed(Arc::new(items)), rest: None })
    }

    /// The name of its type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
        }
    }
}

/// The data of a fixed number of arguments.
///
/// # Errors
/// When there are more or fewer.
pub(crate) fn take<const N: usize>(arguments: &[Operand]) -> Result<[&Data; N], Fault> {
    let arguments: &[Operand; N] = arguments.try_into().map_err(|_| Fault::NoOverload)?;
    Ok(arguments.each_ref().map(|it| &it.data))
}
