//! Facts, and how they answer: by version, by the versions allowed, by agreement of all versions.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{
        self, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use crate::{
    value::Value,
    version::{Range, Version, constraint::Constraint},
};

/// What is known about one question, version by version.
#[derive(Debug, Default)]
pub struct Facts {
    list: Vec<Fact>,
    /// The versions the facts were checked for: outside nothing is known.
    verified: Range,
}

/// One fact.
#[derive(Debug, Deserialize)]
#[serde(from = "WrittenFact")]
pub struct Fact {
    /// What is the case.
    pub value: Value,
    /// In which versions.
    pub range: Range,
    /// Where it is written; empty until `Facts::complete`.
    pub source: String,
    /// The day it was checked; empty until `Facts::complete`.
    pub checked: String,
}

/// A fact as the files have it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFact {
    value: Value,
    since: Option<Version>,
    until: Option<Version>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    checked: String,
}

impl From<WrittenFact> for Fact {
    fn from(from: WrittenFact) -> Self {
        let WrittenFact { value, since, until, source, checked } = from;
        Self { value, range: Range { since, until }, source, checked }
    }
}

impl Fact {
    /// What is the case in a range, by the source of what is around it.
    pub(super) fn during(range: Range, value: Value) -> Self {
        Self { value, range, source: String::new(), checked: String::new() }
    }
}

/// The basis of the facts of a file that name none themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    /// Where they are written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
    /// The versions they were checked for.
    pub verified: Range,
}

/// The oldest and the newest version that facts were checked for: `verified: [1.0.0, 1.14.1]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "[Version; 2]")]
pub struct Verified {
    /// The first.
    pub oldest: Version,
    /// The last; with it all EKS builds of it.
    pub newest: Version,
}

impl TryFrom<[Version; 2]> for Verified {
    type Error = &'static str;

    fn try_from([oldest, newest]: [Version; 2]) -> Result<Self, &'static str> {
        if oldest <= newest { Ok(Self { oldest, newest }) } else { Err("newest before oldest") }
    }
}

impl Verified {
    /// The versions.
    #[must_use]
    pub fn range(&self) -> Range {
        Range::through(self.oldest.clone(), &self.newest)
    }

    /// The same with what came after them in the newest major version, which changes nothing that callers rely on.
    #[must_use]
    pub fn with_major(&self) -> Range {
        let until = Version::new(self.newest.major + 1, 0, 0);
        Range { since: Some(self.oldest.clone()), until: Some(until) }
    }
}

/// A list of facts, one value that holds for all versions, or null for no facts.
impl<'de> Deserialize<'de> for Facts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(FactsVisitor)
    }
}

struct FactsVisitor;

impl FactsVisitor {
    fn always<'de, D: Deserializer<'de>>(from: D) -> Result<Facts, D::Error> {
        Ok(Facts::from(vec![Fact::during(Range::default(), Value::deserialize(from)?)]))
    }
}

impl<'de> Visitor<'de> for FactsVisitor {
    type Value = Facts;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of facts or a value")
    }

    fn visit_unit<E>(self) -> Result<Facts, E> {
        Ok(Facts::default())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Facts, E> {
        Self::always(value.into_deserializer())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Facts, E> {
        Self::always(value.into_deserializer())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Facts, E> {
        Self::always(value.into_deserializer())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Facts, E> {
        Self::always(value.into_deserializer())
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<Facts, A::Error> {
        Self::always(MapAccessDeserializer::new(from))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<Facts, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(from)).map(Facts::from)
    }
}

impl From<Vec<Fact>> for Facts {
    fn from(list: Vec<Fact>) -> Self {
        Self { list, verified: Range::default() }
    }
}

impl Facts {
    /// Adds the basis of the facts.
    pub(super) fn complete(&mut self, basis: &Basis) {
        self.verified = basis.verified.clone();
        for fact in &mut self.list {
            for (own, common) in
                [(&mut fact.source, &basis.source), (&mut fact.checked, &basis.checked)]
            {
                if own.is_empty() {
                    own.clone_from(common);
                }
            }
        }
    }

    /// The facts, the oldest versions first.
    #[must_use]
    pub fn list(&self) -> &[Fact] {
        &self.list
    }

    /// What is the case in that version; without one, what is the case in every version.
    #[must_use]
    pub fn at(&self, version: Option<&Version>) -> Option<&Value> {
        let Some(version) = version else { return self.everywhere() };
        let mut list = self.list.iter().filter(|_| self.verified.contains(version));
        list.find(|it| it.range.contains(version)).map(|it| &it.value)
    }

    /// What is the case in every version allowed.
    #[must_use]
    pub fn within(&self, allowed: &Constraint) -> Option<&Value> {
        let fact = self.possible(Some(allowed)).find(|it| allowed.within(&it.range) == Some(true));
        fact.map(|it| &it.value)
    }

    /// The facts of which some version allowed may be; without a constraint, all.
    #[must_use]
    pub fn possible(&self, allowed: Option<&Constraint>) -> impl DoubleEndedIterator<Item = &Fact> {
        let may_be = move |range: &Range| may_be_within(allowed, range);
        let list: &[Fact] = if may_be(&self.verified) { &self.list } else { &[] };
        list.iter().filter(move |it| may_be(&it.range))
    }

    /// The value all versions agree on; a gap between them is a doubt.
    fn everywhere(&self) -> Option<&Value> {
        let agree = self.list.windows(2).all(|pair| match pair {
            [a, b] => a.range.meets(&b.range) && a.value.same_as(&b.value) == Some(true),
            _ => true,
        });
        self.list.last().filter(|_| agree).map(|it| &it.value)
    }
}

/// Whether some version allowed may lie in the range; without a constraint, any version is allowed.
#[must_use]
pub fn may_be_within(allowed: Option<&Constraint>, range: &Range) -> bool {
    allowed.is_none_or(|allowed| allowed.within(range) != Some(false))
}

/// The spans of the versions for which all facts were checked, and within which none of them changes, the
/// oldest first.
#[must_use]
pub fn version_ranges<'a>(facts: impl Iterator<Item = &'a Facts>) -> Vec<Range> {
    let facts: Vec<&Facts> = facts.collect();
    let oldest = facts.iter().filter_map(|it| it.verified.since.as_ref()).max();
    let newest = facts.iter().filter_map(|it| it.verified.until.as_ref()).min();
    let ranges = || facts.iter().flat_map(|it| it.list.iter().map(|it| &it.range));
    let mut starts: Vec<&Version> = ranges().filter_map(|it| it.since.as_ref()).collect();
    starts.extend(ranges().filter_map(|it| it.until.as_ref()));
    starts.retain(|it| oldest.is_none_or(|oldest| oldest < it));
    starts.retain(|it| newest.is_none_or(|newest| *it < newest));
    starts.sort();
    starts.dedup();
    let from_the_start = ranges().any(|it| it.since.as_ref().is_none_or(|it| Some(it) <= oldest));
    let first = (from_the_start || starts.is_empty()).then_some(oldest);
    let starts: Vec<Option<&Version>> =
        first.into_iter().chain(starts.into_iter().map(Some)).collect();
    let end_of = |at: usize| starts.get(at + 1).copied().flatten().or(newest);
    let range = |(at, start): (usize, Option<&Version>)| Range {
        since: start.cloned(),
        until: end_of(at).cloned(),
    };
    starts.iter().copied().enumerate().map(range).collect()
}
