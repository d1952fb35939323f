//! What the API server checks beyond single fields, each check by a name and with its arguments.

use std::sync::OnceLock;

use crate::{
    knowledge::schema::{Schema, patterns::Pattern, read},
    version::{Range, Version},
};

/// A check, with what it compares to. The meaning of each stands in `checks.yaml`.
#[derive(Debug)]
pub enum Check {
    /// A key of a reserved domain that is none of those allowed.
    ReservedDomain(ReservedDomain),
    /// One of these keys.
    ForbiddenKey(Vec<String>),
    /// A key that begins so.
    ForbiddenKeyStart(String),
    /// A key that is none of these.
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
    OneNeeded(Vec<String>),
    /// A field beside one that excludes it.
    Combined(Exclusion),
    /// As `Combined`, refused only where each item of the list does it.
    CombinedEverywhere(Exclusion),
    /// A requirement of this operator without values.
    ValuesNeeded(String),
    /// A requirement of one of these operators without exactly one number.
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
    AliasForm(Pattern),
    /// An alias of none of these families.
    AliasFamily(Vec<String>),
    /// A version other than `latest` for one of these families.
    AliasWithoutVersion(Vec<String>),
    /// An alias of one family beside the name of another.
    AliasOfOtherFamily(Family),
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

/// A field that stands alone.
#[derive(Debug)]
pub struct Exclusion {
    /// The field.
    pub field: String,
    /// What it is not written with.
    pub others: Vec<String>,
}

/// A family of images by its two names.
#[derive(Debug)]
pub struct Family {
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
#[derive(Debug)]
pub struct AllowedKey {
    /// The key.
    pub key: String,
    /// Where and when; everywhere and always if there is nothing.
    pub at: Vec<AllowedAt>,
}

/// Where and when a key may be used.
#[derive(Debug)]
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
    /// The day somebody looked.
    pub checked: String,
    pub(super) problems: Vec<String>,
}

/// All checks and keys.
#[must_use]
pub fn all() -> &'static Checks {
    static ALL: OnceLock<Checks> = OnceLock::new();
    ALL.get_or_init(read::checks)
}

/// The checks of a schema in a release.
pub fn of<'a>(
    schema: &'a Schema,
    release: &'a Version,
) -> impl Iterator<Item = &'static CheckAt> + 'a {
    all().list.iter().filter(|it| it.is_for(schema) && it.range.contains(release))
}

/// The keys of reserved domains that a schema lets in; without a release, in any.
#[must_use]
pub fn allowed_keys(schema: &Schema, release: Option<&Version>) -> Vec<&'static str> {
    let is_allowed = |it: &&AllowedKey| {
        it.at.is_empty()
            || it.at.iter().any(|at| {
                at.is_for(schema) && release.is_none_or(|release| at.range.contains(release))
            })
    };
    all().allowed.iter().filter(is_allowed).map(|it| it.key.as_str()).collect()
}

/// The releases from which on a schema lets a key of a reserved domain in; none if it always does, or
/// never.
#[must_use]
pub fn key_since(schema: &Schema, key: &str) -> Option<&'static Version> {
    let key = all().allowed.iter().find(|it| it.key == key)?;
    key.at.iter().find(|it| it.is_for(schema))?.range.since.as_ref()
}

/// The ranges of all that is known of a schema here.
pub(super) fn ranges(schema: &Schema) -> impl Iterator<Item = &'static Range> {
    let of_checks = all().list.iter().filter(|it| it.is_for(schema)).map(|it| &it.range);
    let keys = all().allowed.iter().flat_map(|it| &it.at).filter(|it| it.is_for(schema));
    of_checks.chain(keys.map(|it| &it.range))
}

impl CheckAt {
    fn is_for(&self, schema: &Schema) -> bool {
        self.kind == schema.kind && self.apis.contains(&schema.version)
    }
}

impl AllowedAt {
    fn is_for(&self, schema: &Schema) -> bool {
        self.kinds.contains(&schema.kind) && self.apis.contains(&schema.version)
    }
}
