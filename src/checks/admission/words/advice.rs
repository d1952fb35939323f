//! What to do about a fault whose message does not say it by itself.

use crate::{
    checks::admission::{
        fault::FaultKind,
        text,
        words::case::{FaultContext, list},
    },
    knowledge::schema::{
        checks::Check,
        fields::{FieldShape, FieldType},
    },
    value::Kind,
};

/// What is to be written for the fields of a reference to a class.
const CLASS: [(&str, &str); 3] = [
    ("group", "Write `group: karpenter.k8s.aws`"),
    ("kind", "Write `kind: EC2NodeClass`"),
    ("name", "Write the name of an EC2NodeClass"),
];

impl FaultContext<'_> {
    /// What to do, in one sentence.
    pub(super) fn advice(&self) -> Option<String> {
        let name = self.last();
        let of_class = self.fault.field.contains("nodeClassRef.").then_some(CLASS);
        let of_class = of_class.and_then(|it| it.iter().find(|it| it.0 == name).map(|it| it.1));
        if let Some(words) = of_class.filter(|_| self.is_about_value()) {
            return Some(words.to_owned());
        }
        Some(match &self.fault.kind {
            FaultKind::Missing { name } => self.shape().map_or_else(
                || format!("Write `{name}`"),
                |it| format!("Write `{name}`: {}", takes(it)),
            ),
            FaultKind::Type(wanted) => self.of_wrong_type(*wanted)?,
            FaultKind::Unknown { .. } => "Leave it out".to_owned(),
            FaultKind::TooLong(most) | FaultKind::TooMany(most) => format!("Write at most {most}"),
            FaultKind::TooShort(1) | FaultKind::TooFew(1) => self.fill().to_owned(),
            FaultKind::TooShort(least) | FaultKind::TooFew(least) => {
                format!("Write at least {least}")
            }
            FaultKind::Duplicate { .. } => "Remove one of the two".to_owned(),
            FaultKind::Check { check, .. }
                if self.is_empty_list() && !matches!(check, Check::ValuesNeeded(_)) =>
            {
                self.fill().to_owned()
            }
            FaultKind::Check { check: Check::EmptyText | Check::EmptyList, .. } => {
                self.fill().to_owned()
            }
            FaultKind::Check { check: Check::RoleOrProfile, text: Some(_), .. } => {
                "Write only one of the two".to_owned()
            }
            FaultKind::Check { check, .. } => of_check(check)?,
            _ => return None,
        })
    }

    /// Whether what is wrong is that a value is absent or empty.
    fn is_about_value(&self) -> bool {
        let kind = &self.fault.kind;
        matches!(
            kind,
            FaultKind::Missing { .. }
                | FaultKind::TooShort(_)
                | FaultKind::Type(_)
                | FaultKind::Pattern(_)
        ) || matches!(kind, FaultKind::Check { check: Check::EmptyText, .. })
    }

    /// What to do with what is empty.
    fn fill(&self) -> &'static str {
        let is_list = self.fault.value.as_ref().is_some_and(|it| it.as_list().is_some());
        if is_list { "Write at least one item in it" } else { "Write something in it" }
    }

    /// What the field at fault takes with this release, or with the newest.
    fn shape(&self) -> Option<&'static FieldShape> {
        let facts = &self.schema()?.field(&self.fault.field)?.facts;
        let now =
            facts.iter().find(|it| self.release.is_some_and(|release| it.range.contains(release)));
        Some(&now.or(facts.last())?.shape)
    }

    /// How a value of another type is to be written.
    fn of_wrong_type(&self, wanted: FieldType) -> Option<String> {
        let value = self.fault.value.as_ref()?;
        if self.fault.field == "spec.limits{}" && self.last() == "resources" {
            return Some("Move what is in it up to `limits`".to_owned());
        }
        let text = match &value.kind {
            Kind::Number(it) => it.to_string(),
            Kind::Bool(it) => it.to_string(),
            Kind::String(it) => it.text.to_string(),
            _ => return self.shape().map(|it| format!("Write {}", takes(it))),
        };
        let name = self.last();
        let is_number = || text.parse::<u32>().is_ok_and(|it| self.is_in_bounds(it));
        let is_plain = || is_number() || matches!(&*text, "true" | "false");
        let is_wanted = match wanted {
            FieldType::Text | FieldType::IntegerOrText if self.takes_text(&text) => {
                return Some(format!("Write `{name}: \"{text}\"`"));
            }
            FieldType::Integer | FieldType::Boolean => value.as_str().is_some() && is_plain(),
            _ => false,
        };
        if is_wanted {
            return Some(format!("Write `{name}: {text}`"));
        }
        // Sizes of volumes are thought of in GiB.
        let size = format!("{text}Gi");
        if name == "volumeSize" && self.takes_text(&size) {
            return Some(format!("Write it with a unit: `{size}`"));
        }
        self.shape().map(|it| format!("Write {}", takes(it)))
    }

    /// Whether the field at fault takes a text with this release, or with the newest.
    pub(super) fn takes_text(&self, text: &str) -> bool {
        self.shape().is_none_or(|it| text::takes(it, text))
    }

    /// Whether a number is not below the least and not above the greatest that the field takes.
    fn is_in_bounds(&self, number: u32) -> bool {
        let bounds = self.shape().map(|it| it.number).unwrap_or_default();
        let number = f64::from(number);
        bounds.least.is_none_or(|it| number >= it) && bounds.most.is_none_or(|it| number <= it)
    }
}

/// What a field takes: its texts, what they have to match, or their type.
fn takes(shape: &FieldShape) -> String {
    if !shape.values.is_empty() {
        return list(&shape.values, "or");
    }
    if let Some(pattern) = shape.patterns.first() {
        return pattern.meaning.clone();
    }
    let words = match shape.holds {
        FieldType::Object | FieldType::Map => "a mapping",
        FieldType::List => "a list",
        FieldType::Boolean => "`true` or `false`",
        FieldType::Integer => "a whole number",
        FieldType::Text | FieldType::IntegerOrText | FieldType::Any => "a text",
    };
    words.to_owned()
}

/// What to do about a check beyond single fields.
fn of_check(check: &Check) -> Option<String> {
    const DURATION: &str = "whole seconds, minutes and hours such as `30s`, or `Never`";
    let words = match check {
        Check::ForbiddenKey(_) | Check::ForbiddenKeyStart(_) => "Leave it out",
        Check::EmptyKey => "Give it a name",
        Check::EmptyPair => "Give it a name and a value, or leave it out",
        Check::NegativeAmount => "Write an amount of zero or more, in quotes",
        Check::OneNeeded(fields) => return Some(format!("Write {}", list(fields, "or"))),
        Check::ValuesNeeded(_) => "Write `values`, or the operator `Exists` or `DoesNotExist`",
        Check::Combined(it) | Check::CombinedEverywhere(it) => {
            return Some(format!("Leave out `{}`, or {}", it.field, list(&it.others, "and")));
        }
        Check::OneNumberNeeded(_) => "Write one whole number in quotes, such as `values: [\"2\"]`",
        Check::MinValuesWithinValues => "Write more values, or a smaller `minValues`",
        Check::ConsolidateAfterWhenEmpty => {
            return Some(format!("Write `consolidateAfter`: {DURATION}"));
        }
        Check::ScheduleWithDuration | Check::ScheduleWithDurationSomewhere => {
            "Write both, or neither"
        }
        Check::ReplicasLimitNodesOnly => "Leave it out, or write `limits.nodes`",
        Check::ImageThresholdsInOrder => "Write a greater number here, or a smaller one there",
        Check::SoftEvictionNeedsGrace | Check::GraceNeedsSoftEviction => {
            "Write it in both, or in neither"
        }
        Check::CustomFamilyNeedsTerms => {
            "Write terms with an `id`, a `name`, `tags` or an `ssmParameter`"
        }
        Check::CustomFamilyNeedsSelector => "Write `amiSelector`, with tags or `aws-ids`",
        Check::FamilyOrAlias => "Write `amiFamily`, such as `AL2023`",
        Check::AliasAlone => {
            "Leave the other terms out, or find all images by other terms than an alias"
        }
        Check::RoleOrProfile => "Write one of the two",
        Check::OneRootVolume => "Leave `rootVolume: true` to one of them",
        Check::InitializationNeedsSnapshot => "Write a `snapshotID`, or leave it out",
        Check::InterfacesApart => "Give each its own `networkCardIndex` and `deviceIndex`",
        _ => return None,
    };
    Some(words.to_owned())
}
