//! What a `PodDisruptionBudget` keeps, and what it allows as Kubernetes' disruption controller computes it.

use crate::{
    resolve::{pod::creator::Creator, setting::Setting},
    source::Span,
    value::{Field, Kind, Value, cause::Cause},
};

/// The PDB that a chart, an add-on or an operator creates for pods by itself.
#[derive(Clone, Debug, Default)]
pub enum OwnPdb {
    /// It makes none.
    #[default]
    Nothing,
    /// It may make one, for that reason: a clause without full stop.
    Unknown(Cause, &'static str),
    /// It makes this one.
    Created(Box<CreatedPdb>),
}

/// A PDB that a template or an operator creates.
#[derive(Clone, Debug)]
pub struct CreatedPdb {
    /// What makes it.
    pub by: Creator,
    /// How many pods it keeps.
    pub bounds: Bounds,
    /// What one writes to have none, for messages: `spec.enablePDB: false`.
    pub without: Option<String>,
    /// Where its bound is written, else what makes it.
    pub span: Span,
}

/// `minAvailable` and `maxUnavailable`; the API server lets only one of them in.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// How many pods have to stay; `None` if it is not written.
    pub min_available: Option<Setting<Bound>>,
    /// How many pods may be gone; `None` if it is not written.
    pub max_unavailable: Option<Setting<Bound>>,
}

/// A number of pods, or a share of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// So many.
    Count(u32),
    /// So many of a hundred.
    Percent(u32),
}

impl Bound {
    /// The bound as Kubernetes reads it: a number, or text such as `50%`. Terraform's provider takes
    /// numbers as text.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        match &value.kind {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and within the range"
            )]
            Kind::Number(it) if it.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(it) => {
                Some(Self::Count(*it as u32))
            }
            _ => {
                let text = value.as_str()?;
                match text.strip_suffix('%') {
                    Some(share) => share.parse().ok().map(Self::Percent),
                    None => text.parse().ok().map(Self::Count),
                }
            }
        }
    }

    /// How many of `expected` pods that is. Percentages are rounded up, for either bound.
    #[must_use]
    pub fn of(self, expected: u32) -> u32 {
        match self {
            Self::Count(count) => count,
            Self::Percent(share) => {
                let pods = (u64::from(expected) * u64::from(share)).div_ceil(100);
                u32::try_from(pods).unwrap_or(u32::MAX)
            }
        }
    }

    /// As it is written: `1`, `50%`.
    #[must_use]
    pub fn word(self) -> String {
        match self {
            Self::Count(count) => count.to_string(),
            Self::Percent(share) => format!("{share}%"),
        }
    }
}

impl Bounds {
    /// Reads the bounds of a PDB's `spec`.
    #[must_use]
    pub fn read(spec: Field<'_>, report_span: Span) -> Self {
        let bound = |key: &str| match spec.get(key) {
            Field::Missing => None,
            Field::Present(value) => Some(Setting::written(value, Bound::read)),
            Field::Unknown => Some(Setting::unknown(report_span)),
        };
        Self { min_available: bound("minAvailable"), max_unavailable: bound("maxUnavailable") }
    }

    /// The same bounds, when it is not known what they are.
    #[must_use]
    pub fn unknown(span: Span) -> Self {
        Self { min_available: None, max_unavailable: Some(Setting::unknown(span)) }
    }

    /// The bound that counts, with its name. Where both are written the API server refuses the PDB;
    /// where none is, the result is `None`.
    #[must_use]
    pub fn effective(&self) -> Option<(&'static str, &Setting<Bound>)> {
        match (&self.min_available, &self.max_unavailable) {
            (Some(min), None) => Some(("minAvailable", min)),
            (None, Some(max)) => Some(("maxUnavailable", max)),
            _ => None,
        }
    }

    /// How many of `expected` pods may be evicted while all of them are ready; `None` if that is not
    /// known.
    #[must_use]
    pub fn allowed(&self, expected: u32) -> Option<u32> {
        let (name, bound) = self.effective()?;
        let pods = bound.known()?.of(expected);
        Some(if name == "minAvailable" {
            expected.saturating_sub(pods)
        } else {
            pods.min(expected)
        })
    }

    /// Whether it allows nothing however many pods there are.
    #[must_use]
    pub fn block_always(&self) -> bool {
        match self.effective().map(|(name, it)| (name, it.known())) {
            Some(("minAvailable", Some(Bound::Percent(share)))) => *share >= 100,
            Some(("maxUnavailable", Some(bound))) => bound.of(u32::MAX) == 0,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        resolve::pod::pdb::Bounds,
        source::{FileId, Span},
        syntax::yaml,
        value::Field,
    };

    fn bounds(spec: &str) -> Bounds {
        let span = Span::new(FileId(0), 0, spec.len());
        let values = yaml::parse_file(FileId(0), spec).values;
        Bounds::read(Field::Present(&values[0]), span)
    }

    #[test]
    fn what_is_allowed_is_what_the_disruption_controller_computes() {
        // kubernetes pkg/controller/disruption/disruption.go, getExpectedPodCount: shares round up.
        for (spec, allowed) in [
            ("{maxUnavailable: 0}", [0, 0, 0, 0]),
            ("{maxUnavailable: 0%}", [0, 0, 0, 0]),
            ("{minAvailable: 100%}", [0, 0, 0, 0]),
            ("{minAvailable: 1}", [0, 1, 2, 9]),
            ("{minAvailable: 50%}", [0, 1, 1, 5]),
            ("{minAvailable: 51%}", [0, 0, 1, 4]),
            ("{minAvailable: 0}", [1, 2, 3, 10]),
            ("{minAvailable: 2}", [0, 0, 1, 8]),
            ("{maxUnavailable: 1}", [1, 1, 1, 1]),
            ("{maxUnavailable: 25%}", [1, 1, 1, 3]),
            ("{maxUnavailable: 100%}", [1, 2, 3, 10]),
            ("{maxUnavailable: 5}", [1, 2, 3, 5]),
            ("{maxUnavailable: \"1\"}", [1, 1, 1, 1]),
        ] {
            let expected = [1, 2, 3, 10];
            assert_eq!(
                expected.map(|it| bounds(spec).allowed(it)),
                allowed.map(Some),
                "{spec} of {expected:?}"
            );
        }
    }

    #[test]
    fn some_bounds_block_whatever_they_select() {
        for (spec, blocks) in [
            ("{maxUnavailable: 0}", true),
            ("{maxUnavailable: 0%}", true),
            ("{minAvailable: 100%}", true),
            ("{minAvailable: 150%}", true),
            ("{minAvailable: 99%}", false),
            ("{minAvailable: 3}", false),
            ("{maxUnavailable: 1%}", false),
            ("{minAvailable: \"{{ x }}\"}", false),
            ("{minAvailable: 100%, maxUnavailable: 0}", false),
            ("{}", false),
        ] {
            assert_eq!(bounds(spec).block_always(), blocks, "{spec}");
        }
    }

    #[test]
    fn what_is_no_bound_is_not_known() {
        for spec in ["{}", "{minAvailable: many}", "{maxUnavailable: 1.5}", "{maxUnavailable: -1}"]
        {
            assert_eq!(bounds(spec).allowed(3), None, "{spec}");
        }
    }
}
