//! Places in a resource.

use std::{fmt, sync::Arc};

/// The way from the top of a resource to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    parts: Vec<PathStep>,
}

/// One step of the way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathStep {
    /// Into the field or the entry of that name.
    Name(Arc<str>),
    /// To that item of a list.
    Item(usize),
}

impl Path {
    /// The steps.
    #[must_use]
    pub fn parts(&self) -> &[PathStep] {
        &self.parts
    }

    /// One step further, to a field or an entry.
    #[must_use]
    pub fn name(&self, name: &str) -> Self {
        self.with(PathStep::Name(name.into()))
    }

    /// One step further, to an item.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.with(PathStep::Item(index))
    }

    /// This way and then the other.
    #[must_use]
    pub fn join(&self, then: &Self) -> Self {
        Self { parts: self.parts.iter().chain(&then.parts).cloned().collect() }
    }

    /// Whether the other path goes on from this one, or is the same.
    #[must_use]
    pub fn leads_to(&self, other: &Self) -> bool {
        other.parts.starts_with(&self.parts)
    }

    fn with(&self, part: PathStep) -> Self {
        Self { parts: self.parts.iter().cloned().chain([part]).collect() }
    }
}

/// As people write it: `spec.limits["nvidia.com/gpu"]`, `spec.taints[0].key`.
impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |it: &str| {
            !it.is_empty()
                && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
        };
        for (at, part) in self.parts.iter().enumerate() {
            match part {
                PathStep::Item(index) => write!(out, "[{index}]")?,
                PathStep::Name(name) if !is_plain(name) => write!(out, "[{name:?}]")?,
                PathStep::Name(name) if at == 0 => out.write_str(name)?,
                PathStep::Name(name) => write!(out, ".{name}")?,
            }
        }
        Ok(())
    }
}
