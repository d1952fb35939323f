//! Types, and what is known of the types of a policy's variables.

use std::{collections::BTreeMap, fmt, sync::Arc};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Anything; what is done with it is not checked.
    Dyn,
    /// `null_type`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// A type of a library: `net.IP`.
    Opaque(Arc<str>),
    /// A mapping whose fields are known; see [`Schema::objects`].
    Object(Arc<str>),
    /// A list of that type.
    List(Arc<Self>),
    /// A mapping from the first to the second.
    Map(Arc<(Self, Self)>),
    /// The type of a type.
    Type(Arc<Self>),
    /// Something or nothing of that type.
    Optional(Arc<Self>),
    /// A parameter of a declaration: `A`.
    Parameter(Arc<str>),
    /// A type that is still to be found.
    Variable(usize),
}

/// What is known of an expression's variables before it is evaluated.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The variables.
    pub variables: BTreeMap<Arc<str>, Type>,
    /// The fields of each object type.
    pub objects: BTreeMap<Arc<str>, Object>,
    /// The namespace in which names are looked up first: `a.b`.
    pub container: Arc<str>,
    /// Whether elements of a list or map literal may have different types. Kubernetes wants one.
    pub allows_mixed_literals: bool,
}

/// A mapping whose fields are known.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The fields.
    pub fields: BTreeMap<Arc<str>, Type>,
    /// Whether there may be others.
    pub is_open: bool,
}

impl Type {
    /// A list.
    #[must_use]
    pub fn list(item: Self) -> Self {
        Self::List(Arc::new(item))
    }

    /// A mapping.
    #[must_use]
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// Something or nothing.
    #[must_use]
    pub fn optional(inner: Self) -> Self {
        Self::Optional(Arc::new(inner))
    }

    /// The type of that name, one letter for a parameter: `string`, `A`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "dyn" => Self::Dyn,
            "null_type" => Self::Null,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "double" => Self::Double,
            "string" => Self::String,
            "bytes" => Self::Bytes,
            "google.protobuf.Duration" | "duration" => Self::Duration,
            "google.protobuf.Timestamp" | "timestamp" => Self::Timestamp,
            "net.IP"
            | "net.CIDR"
            | "kubernetes.URL"
            | "kubernetes.Quantity"
            | "kubernetes.Semver"
            | "kubernetes.NamedFormat" => Self::Opaque(name.into()),
            _ if name.starts_with("kubernetes.authorization.") => Self::Opaque(name.into()),
            _ if name.len() == 1 => Self::Parameter(name.into()),
            _ => return None,
        })
    }

    /// A type as it is written: `map(string, list(A))`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let Some((outer, inner)) = text.strip_suffix(')').and_then(|it| it.split_once('(')) else {
            return Self::named(text);
        };
        Some(match outer {
            "list" => Self::list(Self::read(inner)?),
            "optional" => Self::optional(Self::read(inner)?),
            "type" => Self::Type(Arc::new(Self::read(inner)?)),
            "map" => {
                let (key, value) = inner.split_once(',')?;
                Self::map(Self::read(key)?, Self::read(value)?)
            }
            _ => return None,
        })
    }

    /// The value that an expression naming a type has: the type's name without its parameters.
    #[must_use]
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        match name {
            "list" => Some(Self::list(Self::Dyn)),
            "map" => Some(Self::map(Self::Dyn, Self::Dyn)),
            "type" => Some(Self::Type(Arc::new(Self::Dyn))),
            "optional_type" => Some(Self::optional(Self::Dyn)),
            "duration" | "timestamp" | "dyn" => None,
            _ if name.len() == 1 => None,
            _ => Self::named(name),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Variable(_) => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("google.protobuf.Duration"),
            Self::Timestamp => f.write_str("google.protobuf.Timestamp"),
            Self::Opaque(name) | Self::Object(name) | Self::Parameter(name) => f.write_str(name),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(pair) => write!(f, "map({}, {})", pair.0, pair.1),
            Self::Type(inner) => write!(f, "type({inner})"),
            Self::Optional(inner) => write!(f, "optional_type({inner})"),
        }
    }
}
