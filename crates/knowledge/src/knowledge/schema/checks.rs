//! What the API server checks beyond single fields, each check by a name and with its arguments.

use std::sync::LazyLock;

use serde::{
    Deserialize,
    de::{IntoDeserializer, value::Error},
};

use crate::{
    knowledge::{
        read::{Read, document},
        schema::patterns::Pattern,
    },
    version::{Range, Version},
};

/// A check, with what it compares to. The meaning of each is in `checks.yaml`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// A key of a reserved domain that is none of those allowed.
    #[serde(skip)]
    ReservedDomain(ReservedDomain),
    /// One of these keys.
    #[serde(skip)]
    ForbiddenKey(Vec<String>),
    /// A key that begins so.
    #[serde(skip)]
    ForbiddenKeyStart(String),
    /// A key that is none of these.
    #[serde(skip)]
    KnownKey(Vec<String>),
    /// An empty key.
    EmptyKey,
    /// An empty key or value.
    EmptyPair,
    /// An empty text.
    EmptyText,
    /// An empty list.
    EmptyList,
    /// An amount below zero, or one that is no text.
    NegativeAmount,
    /// None of these fields is written.
    #[serde(skip)]
    OneNeeded(Vec<String>),
    /// A field beside one that excludes it.
    #[serde(skip)]
    Combined(Exclusion),
    /// As `Combined`, refused only where each item of the list does it.
    #[serde(skip)]
    CombinedEverywhere(Exclusion),
    /// A requirement of this operator without values.
    #[serde(skip)]
    ValuesNeeded(String),
    /// A requirement of one of these operators without exactly one number.
    #[serde(skip)]
    OneNumberNeeded(Vec<String>),
    /// `minValues` above the number of values.
    MinValuesWithinValues,
    /// `consolidateAfter` beside `WhenUnderutilized`.
    ConsolidateAfterWhenUnderutilized,
    /// `WhenEmpty` without `consolidateAfter`.
    ConsolidateAfterWhenEmpty,
    /// A budget with one of `schedule` and `duration`.
    ScheduleWithDuration,
    /// As `ScheduleWithDuration`, refused only where each budget does it.
    ScheduleWithDurationSomewhere,
    /// `replicas` beside a limit other than `nodes`.
    ReplicasLimitNodesOnly,
    /// A high threshold that is not above the low one.
    ImageThresholdsInOrder,
    /// A key of `evictionSoft` that is none of `evictionSoftGracePeriod`.
    SoftEvictionNeedsGrace,
    /// A key of `evictionSoftGracePeriod` that is none of `evictionSoft`.
    GraceNeedsSoftEviction,
    /// The family `Custom` without terms.
    CustomFamilyNeedsTerms,
    /// Neither `amiFamily` nor an alias.
    FamilyOrAlias,
    /// A term with an alias beside other terms.
    AliasAlone,
    /// An alias that is no family, `@` and version.
    #[serde(skip)]
    AliasForm(Pattern),
    /// An alias of none of these families.
    #[serde(skip)]
    AliasFamily(Vec<String>),
    /// A version other than `latest` for one of these families.
    #[serde(skip)]
    AliasWithoutVersion(Vec<String>),
    /// An alias of one family beside the name of another.
    #[serde(skip)]
    AliasOfOtherFamily(FamilyNames),
    /// Both or neither of `role` and `instanceProfile`.
    RoleOrProfile,
    /// Several root volumes.
    OneRootVolume,
    /// `volumeInitializationRate` without a snapshot.
    InitializationNeedsSnapshot,
    /// No interface at card 0 and device 0.
    PrimaryInterface,
    /// Two interfaces at one place.
    InterfacesApart,
    /// It compares with the object in the cluster: nothing a file can show.
    #[serde(skip)]
    OnUpdate(String),
}

/// A domain whose keys are reserved.
#[derive(Debug)]
pub struct ReservedDomain {
    /// How the part before `/` ends.
    pub domain: String,
    /// How a key may begin all the same.
    pub starts: Vec<String>,
    /// How the part before `/` may end all the same.
    pub domains: Vec<String>,
}

/// A field that excludes others.
#[derive(Debug)]
pub struct Exclusion {
    /// The field.
    pub field: String,
    /// What it is not written with.
    pub others: Vec<String>,
}

/// A family of images by its two names.
#[derive(Debug)]
pub struct FamilyNames {
    /// Before the `@` of an alias: `al2023`.
    pub alias: String,
    /// In `amiFamily`: `AL2023`.
    pub family: String,
}

/// Where and when a check holds.
#[derive(Debug)]
pub struct CheckAt {
    /// The check.
    pub check: Check,
    /// The name it has in the data: `reserved-domain`.
    pub name: String,
    /// The kind of the resource.
    pub kind: String,
    /// The versions of its API: `v1`.
    pub apis: Vec<String>,
    /// Where in the resource.
    pub paths: Vec<String>,
    /// In which releases.
    pub range: Range,
}

/// A key of a reserved domain that may be used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedKey {
    /// The key.
    pub key: String,
    /// Where and when; everywhere and always if there is nothing.
    #[serde(default)]
    pub at: Vec<AllowedAt>,
}

/// Where and when a key may be used.
#[derive(Debug, Deserialize)]
#[serde(from = "WrittenKey")]
pub struct AllowedAt {
    /// In these kinds.
    pub kinds: Vec<String>,
    /// In these versions of their API.
    pub apis: Vec<String>,
    /// In these releases.
    pub range: Range,
}

/// All checks and keys.
#[derive(Debug, Default)]
pub struct Checks {
    /// The checks.
    pub list: Vec<CheckAt>,
    /// The keys.
    pub allowed: Vec<AllowedKey>,
    /// Where they are written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// All checks and keys.
#[must_use]
pub fn all() -> &'static Checks {
    &READ.data
}

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

static READ: LazyLock<Read<Checks>> = LazyLock::new(|| {
    const FILE: &str = "schema/checks.yaml";
    let read: Read<ChecksFile> = document(FILE, include_str!("checks.yaml"));
    let (mut checks, mut problems) = (Checks::default(), read.problems);
    for named in read.data.checks {
        for at in named.at {
            match at.check(&named.name, named.when.is_some()) {
                Ok(check) => checks.list.push(check),
                Err(wrong) => problems.push(format!("{FILE}: `{}`: {wrong}", named.name)),
            }
        }
    }
    let ChecksFile { allowed, source, checked, .. } = read.data;
    Read { data: Checks { allowed, source, checked, ..checks }, problems }
});

impl CheckAt {
    /// Whether it is one of a version of a kind's API.
    pub(super) fn is_for(&self, kind: &str, api: &str) -> bool {
        self.kind == kind && self.apis.iter().any(|it| it == api)
    }
}

impl AllowedAt {
    /// Whether it is about a version of a kind's API.
    pub(super) fn is_for(&self, kind: &str, api: &str) -> bool {
        self.kinds.iter().any(|it| it == kind) && self.apis.iter().any(|it| it == api)
    }
}

/// The file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ChecksFile {
    source: String,
    checked: String,
    checks: Vec<CheckRecord>,
    allowed: Vec<AllowedKey>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckRecord {
    name: String,
    #[serde(rename = "meaning")]
    _meaning: String,
    /// `update`, if it compares with the object in the cluster.
    when: Option<String>,
    at: Vec<At>,
}

/// Where a check holds, and what it compares to: each check has its own of the last fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    kind: String,
    apis: Vec<String>,
    paths: Vec<String>,
    since: Option<Version>,
    until: Option<Version>,
    domain: Option<String>,
    #[serde(default)]
    starts: Vec<String>,
    #[serde(default)]
    domains: Vec<String>,
    start: Option<String>,
    keys: Option<Vec<String>>,
    field: Option<String>,
    others: Option<Vec<String>>,
    fields: Option<Vec<String>>,
    operator: Option<String>,
    operators: Option<Vec<String>>,
    pattern: Option<String>,
    families: Option<Vec<String>>,
    alias: Option<String>,
    family: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKey {
    kinds: Vec<String>,
    apis: Vec<String>,
    since: Option<Version>,
    until: Option<Version>,
}

impl From<WrittenKey> for AllowedAt {
    fn from(from: WrittenKey) -> Self {
        let range = Range { since: from.since, until: from.until };
        Self { kinds: from.kinds, apis: from.apis, range }
    }
}

impl At {
    fn check(self, name: &str, on_update: bool) -> Result<CheckAt, String> {
        let range = Range { since: self.since.clone(), until: self.until.clone() };
        let (kind, apis, paths) = (self.kind.clone(), self.apis.clone(), self.paths.clone());
        let check = if on_update {
            Check::OnUpdate(name.to_owned())
        } else {
            self.compared(name).ok_or("no such check, or what it compares to is missing")?
        };
        Ok(CheckAt { check, name: name.to_owned(), kind, apis, paths, range })
    }

    /// The check of that name with what it compares to.
    fn compared(self, name: &str) -> Option<Check> {
        let Self { starts, domains, .. } = self;
        let exclusion = || Some(Exclusion { field: self.field?, others: self.others? });
        Some(match name {
            "reserved-domain" => {
                Check::ReservedDomain(ReservedDomain { domain: self.domain?, starts, domains })
            }
            "forbidden-key" => Check::ForbiddenKey(self.keys?),
            "forbidden-key-start" => Check::ForbiddenKeyStart(self.start?),
            "known-key" => Check::KnownKey(self.keys?),
            "one-needed" => Check::OneNeeded(self.fields?),
            "combined" => Check::Combined(exclusion()?),
            "combined-everywhere" => Check::CombinedEverywhere(exclusion()?),
            "values-needed" => Check::ValuesNeeded(self.operator?),
            "one-number-needed" => Check::OneNumberNeeded(self.operators?),
            "alias-form" => {
                let meaning = "a family, `@` and a version, such as `al2023@v20240807`".to_owned();
                Check::AliasForm(Pattern::new(name.to_owned(), self.pattern?, meaning))
            }
            "alias-family" => Check::AliasFamily(self.families?),
            "alias-without-version" => Check::AliasWithoutVersion(self.families?),
            "alias-of-other-family" => {
                Check::AliasOfOtherFamily(FamilyNames { alias: self.alias?, family: self.family? })
            }
            _ => {
                return Check::deserialize(IntoDeserializer::<Error>::into_deserializer(name)).ok();
            }
        })
    }
}
