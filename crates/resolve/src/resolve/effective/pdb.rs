//! The PDBs that the templates of charts make, computed from the values.

use crate::{
    knowledge::pdb_form::{BoundsForm, PdbCondition},
    resolve::{
        answers::{all, any},
        effective::configuration::Configuration,
        pod::pdb::{Bound, Bounds},
        setting::Setting,
    },
    source::Span,
    value::{Field, Kind, Value},
    version::Version,
};

/// The PDB that a version of a chart makes for its pods.
#[derive(Clone, Debug)]
pub struct EffectivePdb {
    /// Whether there is one.
    pub is_made: Option<bool>,
    /// What makes the template write one.
    pub made: PdbCondition,
    /// What it keeps, or would if it were made.
    pub bounds: Bounds,
}

impl Configuration {
    /// `None` for a version of which nothing is known.
    pub(super) fn pdb(&self, version: &Version, replicas: &Setting<f64>) -> Option<EffectivePdb> {
        let form = self.surface.pdb_form(version)?;
        let given = Given {
            min: self.given_bound("min_available", version),
            max: self.given_bound("max_unavailable", version),
            replicas,
            whole: self.report_span,
        };
        let bounds = given.bounds(form.bounds);
        Some(EffectivePdb {
            is_made: self.is_made(form.made, version, &given),
            made: form.made,
            bounds: bounds.unwrap_or_else(|Unknown| Bounds::unknown(self.report_span)),
        })
    }

    fn is_made(&self, made: PdbCondition, version: &Version, given: &Given<'_>) -> Option<bool> {
        let truth = |setting: &str| self.truth(setting, version);
        let many = given.replicas.known().map(|it| *it > 1.0);
        match made {
            PdbCondition::Never => Some(false),
            PdbCondition::Always => Some(true),
            PdbCondition::Switch => truth("pdb"),
            PdbCondition::Map => truth("pdb_map"),
            PdbCondition::MapOrSwitch => any([truth("pdb_map"), truth("pdb")]),
            PdbCondition::MapAndMany => all([truth("pdb_map"), many]),
            PdbCondition::Bound => match given.max {
                GivenBound::Unknown => None,
                GivenBound::Nothing | GivenBound::Zero(_) => Some(false),
                GivenBound::Set(_) => Some(true),
            },
            PdbCondition::Many => many,
            PdbCondition::SwitchOrMany => any([truth("pdb"), many]),
            PdbCondition::SwitchAndMany => all([truth("pdb"), many]),
        }
    }

    fn given_bound(&self, setting: &str, version: &Version) -> GivenBound {
        let whole = self.report_span;
        match self.written(setting) {
            Field::Present(value) => GivenBound::read(value, Setting::written(value, Bound::read)),
            Field::Unknown => GivenBound::Unknown,
            Field::Missing => match self.surface.default(setting, Some(version)) {
                Some(value) => {
                    let bound = Bound::read(value).map(|it| Setting::default(it, whole));
                    GivenBound::read(value, bound.unwrap_or_else(|| Setting::unknown(whole)))
                }
                None if self.surface.has_defaults(setting) => GivenBound::Unknown,
                None => GivenBound::Nothing,
            },
        }
    }
}

/// The result is unknown.
struct Unknown;

/// A bound as written in values.
#[derive(Clone, Debug)]
enum GivenBound {
    /// Nothing: not written, null or empty.
    Nothing,
    /// A zero, which many templates take for nothing.
    Zero(Setting<Bound>),
    /// A bound.
    Set(Setting<Bound>),
    /// Unknown.
    Unknown,
}

impl GivenBound {
    fn read(value: &Value, bound: Setting<Bound>) -> Self {
        match &value.kind {
            Kind::Null => Self::Nothing,
            Kind::String(text) if text.known() == Some("") => Self::Nothing,
            Kind::Number(it) if *it == 0.0 => Self::Zero(bound),
            _ if bound.known().is_none() => Self::Unknown,
            _ => Self::Set(bound),
        }
    }

    /// As a template's `if` takes it.
    fn if_set(&self) -> Result<Option<Setting<Bound>>, Unknown> {
        match self {
            Self::Nothing | Self::Zero(_) => Ok(None),
            Self::Set(bound) => Ok(Some(bound.clone())),
            Self::Unknown => Err(Unknown),
        }
    }

    /// As it is written.
    fn if_written(&self) -> Result<Option<Setting<Bound>>, Unknown> {
        match self {
            Self::Zero(bound) => Ok(Some(bound.clone())),
            _ => self.if_set(),
        }
    }
}

/// What the bounds of a PDB follow from.
struct Given<'a> {
    min: GivenBound,
    max: GivenBound,
    replicas: &'a Setting<f64>,
    whole: Span,
}

impl Given<'_> {
    fn bounds(&self, form: BoundsForm) -> Result<Bounds, Unknown> {
        let set = || Ok(pair(self.min.if_set()?, self.max.if_set()?));
        let written = || Ok(pair(self.min.if_written()?, self.max.if_written()?));
        let one = || Some(Setting::default(Bound::Count(1), self.whole));
        match form {
            BoundsForm::AsSet => set(),
            BoundsForm::AsWritten => written(),
            BoundsForm::MaxOrOne => match set()? {
                Bounds { min_available: None, max_unavailable } => {
                    Ok(pair(None, max_unavailable.or_else(one)))
                }
                both => Ok(both),
            },
            BoundsForm::WrittenOrMaxOne => Ok(or(written()?, pair(None, one()))),
            BoundsForm::WrittenOrMinOne => Ok(or(written()?, pair(one(), None))),
            BoundsForm::MaxFirstOrMinOne => match self.max.if_set()? {
                Some(max) => Ok(pair(None, Some(max))),
                None => Ok(pair(self.min.if_set()?.or_else(one), None)),
            },
            BoundsForm::MaxFirst => match self.max.if_set()? {
                Some(max) => Ok(pair(None, Some(max))),
                None => Ok(pair(self.min.if_written()?, None)),
            },
            BoundsForm::MinFirst => match (&self.max, self.min.if_set()?) {
                (GivenBound::Nothing, Some(min)) => Ok(pair(Some(min), None)),
                (max, _) => Ok(pair(None, max.if_set()?)),
            },
            BoundsForm::TwoOfMore => {
                let few = *self.replicas.known().ok_or(Unknown)? <= 2.0;
                let two = Some(Setting::default(Bound::Count(2), self.whole));
                Ok(or(set()?, if few { pair(None, one()) } else { pair(two, None) }))
            }
            BoundsForm::Quorum => self.missing_at_most(|pods| (pods.saturating_sub(1)) / 2),
            BoundsForm::NoneOfOne => self.missing_at_most(|_| 1),
            BoundsForm::LessThanHalf => match self.min.if_set()? {
                Some(min) => Ok(pair(Some(min), None)),
                None => self.missing_at_most(|pods| match pods {
                    3 => 1,
                    _ => (pods / 2).saturating_sub(1),
                }),
            },
            BoundsForm::Shared => match self.min.if_set()? {
                Some(_) => Err(Unknown),
                None => Ok(pair(None, self.max.if_set()?)),
            },
        }
    }

    /// None of one pod may be missing; of more, what is set, else what follows from their number.
    fn missing_at_most(&self, otherwise: impl Fn(u32) -> u32) -> Result<Bounds, Unknown> {
        let pods = self.replicas.count().ok_or(Unknown)?;
        let follows = |count: u32| Setting::default(Bound::Count(count), self.replicas.span());
        let max = match self.max.if_set()? {
            _ if pods == 1 => follows(0),
            Some(max) => max,
            None => follows(otherwise(pods)),
        };
        Ok(pair(None, Some(max)))
    }
}

fn pair(min: Option<Setting<Bound>>, max: Option<Setting<Bound>>) -> Bounds {
    Bounds { min_available: min, max_unavailable: max }
}

fn or(bounds: Bounds, otherwise: Bounds) -> Bounds {
    let none = bounds.min_available.is_none() && bounds.max_unavailable.is_none();
    if none { otherwise } else { bounds }
}
