//! What the API server checks beyond single fields, each check by a name and with its arguments.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

use serde::{
    Deserialize,
    de::{IntoDeserializer, value::Error},
};

use crate::{
    knowledge::{
        read::{Read, document},
        schema::{
            fields::FieldBounds,
            patterns::{self, Pattern},
            retired,
        },
    },
    value::Value,
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
    /// A text that is none of these.
    #[serde(skip)]
    OneOf(Vec<String>),
    /// A text of another form.
    #[serde(skip)]
    TextForm(&'static Pattern),
    /// A number that is lower or higher.
    #[serde(skip)]
    NumberWithin(FieldBounds<f64>),
    /// An amount that is lower or higher.
    #[serde(skip)]
    AmountWithin(AmountBounds),
    /// `ttlSecondsAfterEmpty` beside consolidation that is on.
    EmptyTtlWithConsolidation,
    /// The family `Custom` without `amiSelector`.
    CustomFamilyNeedsSelector,
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
    /// Whether a key without `/` has no domain.
    pub with_slash: bool,
}

/// The least and the greatest amount, as they are written.
#[derive(Debug)]
pub struct AmountBounds {
    /// `1G`.
    pub least: String,
    /// `64T`.
    pub most: String,
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

/// The checks of each kind.
const FILES: [(&str, &str, &str); 6] = [
    ("NodePool", "schema/nodepool/checks.yaml", include_str!("nodepool/checks.yaml")),
    ("NodeClaim", "schema/nodeclaim/checks.yaml", include_str!("nodeclaim/checks.yaml")),
    ("EC2NodeClass", "schema/ec2nodeclass/checks.yaml", include_str!("ec2nodeclass/checks.yaml")),
    ("NodeOverlay", "schema/nodeoverlay/checks.yaml", include_str!("nodeoverlay/checks.yaml")),
    ("Provisioner", "schema/provisioner/checks.yaml", include_str!("provisioner/checks.yaml")),
    (
        "AWSNodeTemplate",
        "schema/awsnodetemplate/checks.yaml",
        include_str!("awsnodetemplate/checks.yaml"),
    ),
];

/// The files that are read.
static READ: [OnceLock<Read<Vec<CheckAt>>>; 6] = [const { OnceLock::new() }; 6];

/// The checks of a kind.
#[must_use]
pub fn of(kind: &str) -> &'static [CheckAt] {
    let own = FILES.iter().zip(&READ).find(|(file, _)| file.0 == kind);
    own.map_or(&[], |(file, read)| &read.get_or_init(|| checks(file)).data)
}

/// The checks of all kinds.
pub fn all() -> impl Iterator<Item = &'static CheckAt> {
    FILES.iter().flat_map(|it| of(it.0))
}

/// What could not be read.
pub(super) fn problems() -> impl Iterator<Item = &'static String> {
    let read = FILES.iter().zip(&READ).map(|(file, read)| read.get_or_init(|| checks(file)));
    read.flat_map(|it| &it.problems).chain(&MEANINGS.problems)
}

fn checks((kind, file, text): &(&str, &str, &'static str)) -> Read<Vec<CheckAt>> {
    let Read { data, mut problems }: Read<Vec<CheckRecord>> = document(file, text);
    let mut checks = Vec::new();
    for named in data {
        for at in named.at {
            match at.check(kind, &named.name, named.when.is_some()) {
                Ok(check) => checks.push(check),
                Err(wrong) => problems.push(format!("{file}: `{}`: {wrong}", named.name)),
            }
        }
    }
    Read { data: checks, problems }
}

/// What the names of the checks mean, for those who read the data.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Meanings {
    /// By name.
    pub meanings: BTreeMap<String, String>,
    /// Where the checks are written.
    pub source: String,
    /// The day that was checked.
    pub checked: String,
}

/// What the names of the checks mean.
#[must_use]
pub fn meanings() -> &'static Meanings {
    &MEANINGS.data
}

static MEANINGS: LazyLock<Read<Meanings>> =
    LazyLock::new(|| document("schema/checks.yaml", include_str!("checks.yaml")));

impl CheckAt {
    /// Whether a webhook of Karpenter makes it and no CRD: the CRDs of former kinds have no rules.
    #[must_use]
    pub fn is_by_webhook(&self) -> bool {
        retired::kinds().iter().any(|it| it.kind == self.kind)
    }

    /// Whether it is one of a version of its kind's API.
    pub(super) fn is_for(&self, api: &str) -> bool {
        self.apis.iter().any(|it| it == api)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckRecord {
    name: String,
    /// `update`, if it compares with the object in the cluster.
    when: Option<String>,
    at: Vec<At>,
}

/// Where a check holds, and what it compares to: each check has its own of the last fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
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
    texts: Option<Vec<String>>,
    form: Option<String>,
    least: Option<Value>,
    most: Option<Value>,
    #[serde(default)]
    with_slash: bool,
}

impl At {
    fn check(self, kind: &str, name: &str, on_update: bool) -> Result<CheckAt, String> {
        let range = Range { since: self.since.clone(), until: self.until.clone() };
        let (kind, apis, paths) = (kind.to_owned(), self.apis.clone(), self.paths.clone());
        let check = if on_update {
            Check::OnUpdate(name.to_owned())
        } else {
            self.compared(name).ok_or("no such check, or what it compares to is missing")?
        };
        Ok(CheckAt { check, name: name.to_owned(), kind, apis, paths, range })
    }

    /// The check of that name with what it compares to.
    fn compared(self, name: &str) -> Option<Check> {
        let Self { starts, domains, with_slash, .. } = self;
        let exclusion = || Some(Exclusion { field: self.field?, others: self.others? });
        Some(match name {
            "reserved-domain" => Check::ReservedDomain(ReservedDomain {
                domain: self.domain?,
                starts,
                domains,
                with_slash,
            }),
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
            "one-of" => Check::OneOf(self.texts?),
            "text-form" => Check::TextForm(patterns::named(&self.form?)?),
            "number-within" => {
                let bound = |it: Option<Value>| it.and_then(|it| it.as_number());
                let (least, most) = (bound(self.least), bound(self.most));
                Check::NumberWithin(FieldBounds { least, most })
            }
            "amount-within" => {
                let bound = |it: Value| it.as_str().map(str::to_owned);
                let (least, most) = (bound(self.least?)?, bound(self.most?)?);
                Check::AmountWithin(AmountBounds { least, most })
            }
            _ => {
                return Check::deserialize(IntoDeserializer::<Error>::into_deserializer(name)).ok();
            }
        })
    }
}
