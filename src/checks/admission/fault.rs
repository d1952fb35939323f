//! What the API server refuses, as data.

use std::sync::Arc;

use crate::{
    checks::admission::path::Path,
    knowledge::schema::{checks::Check, fields::FieldType, patterns::Pattern},
    source::Span,
    value::Value,
};

/// One thing the API server refuses.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, with what is allowed.
    pub kind: FaultKind,
    /// Where to point: the key of what is unknown and of a key that is refused, the name of what
    /// something is missing from, else the value.
    pub span: Span,
    /// Where that is in the resource; for something missing, where it would be.
    pub path: Path,
    /// The same place in the schema: `spec.template.spec.requirements[].key`.
    pub field: String,
    /// The value that is refused; none where something is missing.
    pub value: Option<Value>,
    /// Whether a webhook of Karpenter refuses it, which may be switched off.
    pub by_webhook: bool,
}

/// What is wrong.
#[derive(Clone, Debug)]
pub enum FaultKind {
    /// The release does not serve this version of the API. The only fault then.
    Unserved,
    /// There is no field of that name.
    Unknown {
        /// The name.
        name: Arc<str>,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A field is not there that has to be.
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// Another type is wanted.
    Type(FieldType),
    /// None of the texts allowed.
    Enum(&'static [String]),
    /// The text does not match.
    Pattern(&'static Pattern),
    /// The API server takes the text, but Karpenter cannot read it.
    Unparsed(&'static Pattern),
    /// The text is no `date-time`.
    Format(&'static str),
    /// The number is below this one.
    Minimum(f64),
    /// The number is above this one.
    Maximum(f64),
    /// The text has more letters than this.
    TooLong(usize),
    /// The text has fewer letters than this.
    TooShort(usize),
    /// The list has more items than this, or the map more entries.
    TooMany(usize),
    /// The list has fewer items than this.
    TooFew(usize),
    /// The item is the same as another before it.
    Duplicate {
        /// The first of them.
        first: Span,
    },
    /// A check beyond single fields fails.
    Check {
        /// The check, with its arguments.
        check: &'static Check,
        /// Its name in the data: `reserved-domain`.
        name: &'static str,
        /// The value the check is made for, which the API server names; `path` and `span` of the fault
        /// are more exact.
        at: Path,
        /// The key or text that is refused, where it is one.
        text: Option<Arc<str>>,
    },
}

/// What makes a fault the same in another release.
pub(super) type FaultId = (String, Path, Option<Arc<str>>);

impl Fault {
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.kind, FaultKind::Unknown { .. })
    }

    /// Offers only those texts that a release with other faults takes as well.
    pub(super) fn take_fewer_texts_of(&mut self, others: &[Self]) {
        let FaultKind::Enum(own) = self.kind else { return };
        let fewer = others.iter().filter(|it| it.path == self.path).find_map(|it| match it.kind {
            FaultKind::Enum(theirs) => Some(theirs),
            _ => None,
        });
        if let Some(fewer) = fewer.filter(|it| it.iter().all(|text| own.contains(text))) {
            self.kind = FaultKind::Enum(fewer);
        }
    }

    pub(super) fn identity(&self) -> FaultId {
        let text = match &self.kind {
            FaultKind::Check { text, .. } => text.clone(),
            _ => None,
        };
        (self.kind.name(), self.path.clone(), text)
    }
}

impl FaultKind {
    /// Its name: `too-long`, `check:reserved-domain`.
    #[must_use]
    pub fn name(&self) -> String {
        let name = match self {
            Self::Unserved => "unserved",
            Self::Unknown { .. } => "unknown",
            Self::Missing { .. } => "missing",
            Self::Type(_) => "type",
            Self::Enum(_) => "enum",
            // One fault to its author: some releases refuse what others cannot read.
            Self::Pattern(_) | Self::Unparsed(_) => "pattern",
            Self::Format(_) => "format",
            Self::Minimum(_) => "minimum",
            Self::Maximum(_) => "maximum",
            Self::TooLong(_) => "too-long",
            Self::TooShort(_) => "too-short",
            Self::TooMany(_) => "too-many",
            Self::TooFew(_) => "too-few",
            Self::Duplicate { .. } => "duplicate",
            Self::Check { name, .. } => return format!("check:{name}"),
        };
        name.to_owned()
    }

    /// Whether new releases tend to let in what this one refuses: new names, values and keys.
    pub(super) fn may_be_let_in_later(&self) -> bool {
        match self {
            Self::Unknown { .. } | Self::Enum(_) | Self::Maximum(_) | Self::TooMany(_) => true,
            Self::Check { check, .. } => {
                matches!(
                    check,
                    Check::ReservedDomain(_) | Check::KnownKey(_) | Check::AliasFamily(_)
                )
            }
            _ => false,
        }
    }
}
