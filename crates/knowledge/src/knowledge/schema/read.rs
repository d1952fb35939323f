//! Reads the data of `schema/`.

use std::sync::OnceLock;

use crate::{
    knowledge::{
        read::Reader,
        schema::{
            Known, ResourceKind, Schema,
            checks::{
                AllowedAt, AllowedKey, Check, CheckAt, Checks, Exclusion, Family, ReservedDomain,
            },
            fields::{Bounds, Field, FieldFact, Shape, Type, Unique},
            patterns::{self, Pattern, Patterns},
            retired::{Move, RenamedValue, Retired, RetiredKind, Target},
        },
    },
    value::{Entry, Value},
    version::{Range, Version},
};

/// A kind, with what could not be read.
pub(super) fn kind(text: &'static str) -> (ResourceKind, Vec<String>) {
    let mut reader = Reader::default();
    let document = reader.document(text);
    reader.expect_keys(&document, &["kind", "group", "source", "checked", "apis"]);
    let mut kind = ResourceKind {
        name: reader.text(&document, "kind"),
        group: reader.text(&document, "group"),
        schemas: Vec::new(),
        source: reader.text(&document, "source"),
        checked: reader.text(&document, "checked"),
    };
    for api in reader.items(&document, "apis") {
        kind.schemas.push(reader.schema(&api, &kind.name, &kind.group));
    }
    (kind, reader.problems)
}

/// The releases that are known.
pub(super) fn known() -> Known {
    let mut reader = Reader::default();
    let document = reader.document(include_str!("known.yaml"));
    reader.expect_keys(&document, &["oldest", "newest", "source", "checked"]);
    let mut release = |key| reader.version(&document, key).unwrap_or(Version::new(0, 0, 0));
    let (oldest, newest) = (release("oldest"), release("newest"));
    Known {
        oldest,
        newest,
        source: reader.text(&document, "source"),
        checked: reader.text(&document, "checked"),
        problems: reader.problems,
    }
}

/// The patterns.
pub(super) fn patterns() -> Patterns {
    let mut reader = Reader::default();
    let document = reader.document(include_str!("patterns.yaml"));
    reader.expect_keys(&document, &["source", "checked", "patterns"]);
    let items = reader.items(&document, "patterns");
    Patterns {
        list: items.iter().map(|it| reader.pattern(it)).collect(),
        source: reader.text(&document, "source"),
        checked: reader.text(&document, "checked"),
        problems: reader.problems,
    }
}

/// The checks and the keys.
pub(super) fn checks() -> Checks {
    let mut reader = Reader::default();
    let document = reader.document(include_str!("checks.yaml"));
    reader.expect_keys(&document, &["source", "checked", "checks", "allowed"]);
    let mut list = Vec::new();
    for check in reader.items(&document, "checks") {
        reader.expect_keys(&check, &["name", "meaning", "when", "at"]);
        let name = reader.text(&check, "name");
        let on_update = check.get("when").present().is_some();
        let at = reader.items(&check, "at");
        list.extend(at.iter().map(|it| reader.check_at(it, &name, on_update)));
    }
    let allowed = reader.items(&document, "allowed");
    Checks {
        list,
        allowed: allowed.iter().map(|it| reader.allowed_key(it)).collect(),
        source: reader.text(&document, "source"),
        checked: reader.text(&document, "checked"),
        problems: reader.problems,
    }
}

/// What is gone or stands elsewhere.
pub(super) fn retired() -> Retired {
    let mut reader = Reader::default();
    let document = reader.document(include_str!("retired.yaml"));
    reader.expect_keys(&document, &["source", "checked", "kinds"]);
    let kinds = reader.items(&document, "kinds");
    let kinds = kinds.iter().map(|it| reader.retired_kind(it, &document)).collect();
    let document = reader.document(include_str!("moves.yaml"));
    reader.expect_keys(&document, &["moves"]);
    let mut retired = Retired { kinds, ..Retired::default() };
    for guide in reader.items(&document, "moves") {
        reader.expect_keys(&guide, &["api", "to_api", "source", "checked", "fields", "values"]);
        let fields = reader.items(&guide, "fields");
        retired.moves.extend(fields.iter().map(|it| reader.moved(it, &guide)));
        let values = reader.items(&guide, "values");
        retired.values.extend(values.iter().map(|it| reader.renamed(it, &guide)));
    }
    retired.problems = reader.problems;
    retired
}

impl Reader {
    fn schema(&mut self, value: &Value, kind: &str, group: &str) -> Schema {
        self.expect_keys(value, &["version", "served", "fields"]);
        let served = self.items(value, "served");
        let fields = value.get("fields").present().map_or(&[][..], Value::entries);
        let fields: Vec<Field> = fields.iter().map(|it| self.field(it)).collect();
        if !fields.is_sorted_by(|a, b| a.path < b.path) {
            self.complain(value, "fields are not sorted");
        }
        Schema {
            kind: kind.to_owned(),
            group: group.to_owned(),
            version: self.text(value, "version"),
            served: served.iter().map(|it| self.range(it)).collect(),
            fields,
            version_ranges: OnceLock::new(),
        }
    }

    fn field(&mut self, entry: &Entry) -> Field {
        let facts = match entry.value.as_list() {
            Some(list) => list.items.iter().map(|it| self.field_fact(it)).collect(),
            None => vec![self.field_fact(&entry.value)],
        };
        Field { path: entry.key.to_string(), facts }
    }

    fn field_fact(&mut self, value: &Value) -> FieldFact {
        let known = [
            "type",
            "required",
            "enum",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "maxProperties",
            "unique",
            "default",
            "since",
            "until",
        ];
        self.expect_keys(value, &known);
        FieldFact { range: self.range(value), shape: self.shape(value) }
    }

    fn shape(&mut self, value: &Value) -> Shape {
        let number = |key: &str| value.get(key).present().and_then(Value::as_number);
        let patterns = match value.get("pattern").present() {
            Some(one) if one.as_str().is_some() => vec![self.text(value, "pattern")],
            _ => self.texts(value, "pattern"),
        };
        Shape {
            holds: self.type_of(value),
            required: value.get("required").present().and_then(Value::as_bool) == Some(true),
            values: self.texts(value, "enum"),
            patterns: patterns.iter().filter_map(|it| self.pattern_named(value, it)).collect(),
            format: self.optional_text(value, "format"),
            number: Bounds { least: number("minimum"), most: number("maximum") },
            letters: Bounds {
                least: self.size(value, "minLength"),
                most: self.size(value, "maxLength"),
            },
            items: Bounds {
                least: self.size(value, "minItems"),
                most: self.size(value, "maxItems"),
            },
            most_entries: self.size(value, "maxProperties"),
            unique: value.get("unique").present().map(|it| match it.as_list() {
                Some(_) => Unique::Fields(self.texts(value, "unique")),
                None => Unique::Item,
            }),
            default: value.get("default").present().cloned(),
        }
    }

    fn type_of(&mut self, value: &Value) -> Type {
        match self.text(value, "type").as_str() {
            "object" => Type::Object,
            "map" => Type::Map,
            "list" => Type::List,
            "string" => Type::Text,
            "boolean" => Type::Boolean,
            "integer" => Type::Integer,
            "int-or-string" => Type::IntegerOrText,
            other => {
                self.complain(value, &format!("`{other}` is no type"));
                Type::Object
            }
        }
    }

    fn pattern_named(&mut self, value: &Value, name: &str) -> Option<&'static Pattern> {
        let pattern = patterns::named(name);
        if pattern.is_none() {
            self.complain(value, &format!("`{name}` is no pattern"));
        }
        pattern
    }

    fn size(&mut self, value: &Value, key: &str) -> Option<usize> {
        usize::try_from(self.count(value, key)?).ok()
    }

    fn range(&mut self, value: &Value) -> Range {
        Range { since: self.version(value, "since"), until: self.version(value, "until") }
    }

    fn pattern(&mut self, value: &Value) -> Pattern {
        self.expect_keys(value, &["name", "pattern", "meaning"]);
        let [name, pattern, meaning] =
            ["name", "pattern", "meaning"].map(|it| self.text(value, it));
        Pattern::new(name, pattern, meaning)
    }

    fn check_at(&mut self, value: &Value, name: &str, on_update: bool) -> CheckAt {
        let check =
            if on_update { Check::OnUpdate(name.to_owned()) } else { self.check(value, name) };
        CheckAt {
            check,
            name: name.to_owned(),
            kind: self.text(value, "kind"),
            apis: self.texts(value, "apis"),
            paths: self.texts(value, "paths"),
            range: self.range(value),
        }
    }

    fn check(&mut self, value: &Value, name: &str) -> Check {
        match name {
            "reserved-domain" => Check::ReservedDomain(ReservedDomain {
                domain: self.text(value, "domain"),
                starts: self.texts(value, "starts"),
                domains: self.texts(value, "domains"),
            }),
            "forbidden-key" => Check::ForbiddenKey(self.texts(value, "keys")),
            "forbidden-key-start" => Check::ForbiddenKeyStart(self.text(value, "start")),
            "known-key" => Check::KnownKey(self.texts(value, "keys")),
            "one-needed" => Check::OneNeeded(self.texts(value, "fields")),
            "combined" => Check::Combined(self.exclusion(value)),
            "combined-everywhere" => Check::CombinedEverywhere(self.exclusion(value)),
            "values-needed" => Check::ValuesNeeded(self.text(value, "operator")),
            "one-number-needed" => Check::OneNumberNeeded(self.texts(value, "operators")),
            "alias-form" => {
                let pattern = self.text(value, "pattern");
                let meaning = "a family, `@` and a version, such as `al2023@v20240807`".to_owned();
                Check::AliasForm(Pattern::new(name.to_owned(), pattern, meaning))
            }
            "alias-family" => Check::AliasFamily(self.texts(value, "families")),
            "alias-without-version" => Check::AliasWithoutVersion(self.texts(value, "families")),
            "alias-of-other-family" => Check::AliasOfOtherFamily(Family {
                alias: self.text(value, "alias"),
                family: self.text(value, "family"),
            }),
            _ => Check::plain(name).unwrap_or_else(|| {
                self.complain(value, &format!("`{name}` is no check"));
                Check::OnUpdate(name.to_owned())
            }),
        }
    }

    fn exclusion(&mut self, value: &Value) -> Exclusion {
        Exclusion { field: self.text(value, "field"), others: self.texts(value, "others") }
    }

    fn allowed_key(&mut self, value: &Value) -> AllowedKey {
        self.expect_keys(value, &["key", "at"]);
        let at = self.items(value, "at");
        AllowedKey {
            key: self.text(value, "key"),
            at: at.iter().map(|it| self.allowed_at(it)).collect(),
        }
    }

    fn allowed_at(&mut self, value: &Value) -> AllowedAt {
        self.expect_keys(value, &["kinds", "apis", "since", "until"]);
        AllowedAt {
            kinds: self.texts(value, "kinds"),
            apis: self.texts(value, "apis"),
            range: self.range(value),
        }
    }

    fn retired_kind(&mut self, value: &Value, document: &Value) -> RetiredKind {
        let known = ["kind", "group", "api", "plural", "since", "until", "successor", "fields"];
        self.expect_keys(value, &known);
        let fields = value.get("fields").present().map_or(&[][..], Value::entries);
        RetiredKind {
            kind: self.text(value, "kind"),
            group: self.text(value, "group"),
            api: self.text(value, "api"),
            plural: self.text(value, "plural"),
            range: self.range(value),
            successor: self.text(value, "successor"),
            fields: fields.iter().map(|it| it.key.to_string()).collect(),
            source: self.text(document, "source"),
            checked: self.text(document, "checked"),
        }
    }

    fn moved(&mut self, value: &Value, guide: &Value) -> Move {
        self.expect_keys(value, &["kind", "from", "in", "to"]);
        let kind = self.text(value, "kind");
        let to = self.optional_text(value, "to").map(|path| Target {
            kind: self.optional_text(value, "in").unwrap_or_else(|| kind.clone()),
            api: self.text(guide, "to_api"),
            path,
        });
        Move {
            kind,
            api: self.text(guide, "api"),
            from: self.text(value, "from"),
            to,
            source: self.text(guide, "source"),
            checked: self.text(guide, "checked"),
        }
    }

    fn renamed(&mut self, value: &Value, guide: &Value) -> RenamedValue {
        self.expect_keys(value, &["kind", "path", "from", "to"]);
        RenamedValue {
            kind: self.text(value, "kind"),
            path: self.text(value, "path"),
            api: self.text(guide, "api"),
            from: self.text(value, "from"),
            to_api: self.text(guide, "to_api"),
            to: self.text(value, "to"),
            source: self.text(guide, "source"),
            checked: self.text(guide, "checked"),
        }
    }
}

impl Check {
    /// The check of that name, of those without arguments.
    fn plain(name: &str) -> Option<Self> {
        Some(match name {
            "empty-key" => Self::EmptyKey,
            "empty-pair" => Self::EmptyPair,
            "empty-text" => Self::EmptyText,
            "empty-list" => Self::EmptyList,
            "negative-amount" => Self::NegativeAmount,
            "min-values-within-values" => Self::MinValuesWithinValues,
            "consolidate-after-when-underutilized" => Self::ConsolidateAfterWhenUnderutilized,
            "consolidate-after-when-empty" => Self::ConsolidateAfterWhenEmpty,
            "schedule-with-duration" => Self::ScheduleWithDuration,
            "schedule-with-duration-somewhere" => Self::ScheduleWithDurationSomewhere,
            "replicas-limit-nodes-only" => Self::ReplicasLimitNodesOnly,
            "image-thresholds-in-order" => Self::ImageThresholdsInOrder,
            "soft-eviction-needs-grace" => Self::SoftEvictionNeedsGrace,
            "grace-needs-soft-eviction" => Self::GraceNeedsSoftEviction,
            "custom-family-needs-terms" => Self::CustomFamilyNeedsTerms,
            "family-or-alias" => Self::FamilyOrAlias,
            "alias-alone" => Self::AliasAlone,
            "role-or-profile" => Self::RoleOrProfile,
            "one-root-volume" => Self::OneRootVolume,
            "initialization-needs-snapshot" => Self::InitializationNeedsSnapshot,
            "primary-interface" => Self::PrimaryInterface,
            "interfaces-apart" => Self::InterfacesApart,
            _ => return None,
        })
    }
}
