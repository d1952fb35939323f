//! What is said where a check beyond single fields fails.

use crate::{
    checks::admission::{
        checks::amounts::read,
        text::are_alike,
        words::case::{FaultContext, FaultWording, closest, cut, list, sentence},
    },
    knowledge::schema::checks::{self, AmountBounds, Check},
    value::{Kind, Value},
};

/// What is said of a check that fails, with the key or text that is refused.
pub(super) fn words(
    case: &FaultContext<'_>,
    check: &'static Check,
    text: Option<&str>,
) -> FaultWording {
    let name = case.name();
    let quoted = text.map_or_else(|| name.clone(), |it| format!("`{}`", cut(it)));
    match check {
        Check::ReservedDomain(domain) => reserved(case, check, &domain.domain, &quoted),
        Check::ForbiddenKey(_) => match case.fault.field.as_str() {
            "spec.tags{}" => FaultWording::say(format!("Karpenter sets the tag {quoted} itself")),
            "spec.capacity{}" => FaultWording::say(format!("An overlay cannot change {quoted}")),
            _ => FaultWording::say(format!("{quoted} is set by Karpenter itself")),
        },
        Check::ForbiddenKeyStart(start) => {
            FaultWording::say(format!("Karpenter sets the tags under `{start}` itself"))
        }
        Check::KnownKey(keys) => {
            let holder = case.holder();
            let words = FaultWording::say(format!("{holder} has no {quoted}"));
            let words = words.help(format!("It has {}", list(keys, "and")));
            let meant = text.and_then(|it| closest(it, keys.iter().map(String::as_str)));
            meant.map_or(words.clone(), |it| words.meant(it))
        }
        Check::EmptyKey => FaultWording::say("A tag has no name"),
        Check::EmptyPair => FaultWording::say("A tag to select by has no name or no value"),
        Check::EmptyText | Check::EmptyList => FaultWording::say(format!("{name} is empty")),
        Check::NegativeAmount => match case.fault.value.as_ref().map(Value::as_number) {
            Some(Some(_)) => {
                FaultWording::say(format!("{name} takes text: {} needs quotes", case.text()))
            }
            _ => FaultWording::say(format!("{name} cannot be below zero")),
        },
        Check::OneNeeded(fields) => {
            let holder = sentence(&name);
            FaultWording::say(format!("{holder} needs {}", list(fields, "or")))
        }
        Check::ValuesNeeded(operator) => {
            FaultWording::say(format!("The operator `{operator}` needs at least one value"))
        }
        Check::CombinedEverywhere(_) | Check::ScheduleWithDurationSomewhere
            if case.is_empty_list() =>
        {
            FaultWording::say(format!("{name} is empty"))
        }
        Check::Combined(_) | Check::CombinedEverywhere(_) => {
            FaultWording::say(format!("{name} and {quoted} exclude each other"))
        }
        Check::ReplicasLimitNodesOnly => {
            FaultWording::say(format!("With `replicas` only `nodes` can be limited, not {name}"))
        }
        _ => of_values(case, check, text),
    }
}

/// The checks that compare values.
fn of_values(case: &FaultContext<'_>, check: &Check, text: Option<&str>) -> FaultWording {
    let name = case.name();
    match check {
        Check::OneNumberNeeded(_) => FaultWording::say(match text {
            Some(text) => format!("`{}` is no whole number to compare with", cut(text)),
            None => "This operator needs exactly one whole number".to_owned(),
        }),
        Check::MinValuesWithinValues => {
            FaultWording::say(format!("`minValues` is {}: there are fewer values", case.text()))
        }
        Check::ConsolidateAfterWhenUnderutilized => {
            FaultWording::say("`consolidateAfter` does not go with `WhenUnderutilized`")
                .help("Leave it out, or write `Never`")
        }
        Check::ConsolidateAfterWhenEmpty => {
            FaultWording::say("`WhenEmpty` needs `consolidateAfter`")
        }
        Check::ScheduleWithDuration | Check::ScheduleWithDurationSomewhere => {
            let other = match case.last() {
                "schedule" => "`schedule` needs `duration`",
                "duration" => "`duration` needs `schedule`",
                _ => "`schedule` and `duration` need each other",
            };
            FaultWording::say(other)
        }
        Check::EmptyTtlWithConsolidation => {
            FaultWording::say("`ttlSecondsAfterEmpty` does not go with `consolidation.enabled`")
                .help("Leave it out: consolidation removes empty nodes as well")
        }
        Check::AmountWithin(bounds) => {
            FaultWording::say(format!("{name} cannot be {}", case.text()))
                .help(of_amount(case, bounds))
        }
        Check::ImageThresholdsInOrder => {
            FaultWording::say(format!("{name} is not above `imageGCLowThresholdPercent`"))
        }
        Check::SoftEvictionNeedsGrace => {
            FaultWording::say(format!("`evictionSoftGracePeriod` lacks {name}"))
        }
        Check::GraceNeedsSoftEviction => FaultWording::say(format!("`evictionSoft` lacks {name}")),
        Check::InitializationNeedsSnapshot => {
            FaultWording::say(format!("{name} needs a `snapshotID`"))
        }
        Check::OneRootVolume => FaultWording::say("Another volume is the root volume already"),
        Check::PrimaryInterface => FaultWording::say("No interface is the primary one")
            .help("One needs network card 0, device 0 and the type `interface`"),
        Check::InterfacesApart => {
            FaultWording::say("Another interface has the same network card and device")
        }
        _ => of_images(case, check, text),
    }
}

/// What to write for an amount that is too small or too great: a number of bytes is meant as one of GiB.
fn of_amount(case: &FaultContext<'_>, AmountBounds { least, most }: &AmountBounds) -> String {
    let written = case.fault.value.as_ref().map(|it| match &it.kind {
        Kind::Number(it) => it.to_string(),
        _ => case.written().to_owned(),
    });
    let with_unit = written.map(|it| format!("{it}Gi"));
    let is_taken = |it: &String| {
        let is_plain = it.trim_end_matches("Gi").bytes().all(|it| it.is_ascii_digit());
        let (amount, least, most) = (read(it), read(least), read(most));
        is_plain && amount >= least && amount <= most
    };
    match with_unit.filter(is_taken) {
        Some(size) => format!("It is in bytes. Write it with a unit: `{size}`"),
        None => format!("It is from `{least}` to `{most}`, such as `50Gi`"),
    }
}

/// The checks of images and roles.
fn of_images(case: &FaultContext<'_>, check: &Check, text: Option<&str>) -> FaultWording {
    let quoted = format!("`{}`", cut(text.unwrap_or_default()));
    match check {
        Check::CustomFamilyNeedsTerms => {
            FaultWording::say("`amiFamily: Custom` needs `amiSelectorTerms` that find an image")
        }
        Check::CustomFamilyNeedsSelector => {
            FaultWording::say("`amiFamily: Custom` needs an `amiSelector` that finds an image")
        }
        Check::FamilyOrAlias => FaultWording::say("Without an alias the class needs `amiFamily`"),
        Check::AliasAlone => FaultWording::say("An alias has to be the only term"),
        Check::AliasForm(pattern) => FaultWording::say(format!("{quoted} is no alias"))
            .help(format!("It takes {}", pattern.meaning)),
        Check::AliasFamily(families) => alias_family(text.unwrap_or_default(), families),
        Check::AliasWithoutVersion(_) => {
            let family = text.unwrap_or_default().split('@').next().unwrap_or_default();
            FaultWording::say(format!("{quoted} names a version: Windows has only the latest"))
                .help(format!("Write `{family}@latest`"))
        }
        Check::AliasOfOtherFamily(_) => FaultWording::say(format!(
            "`amiFamily: {}` does not fit the alias {quoted}",
            case.written()
        ))
        .help("Leave `amiFamily` out: the alias says it"),
        Check::RoleOrProfile if text.is_some() => {
            FaultWording::say("`instanceProfile` and `role` exclude each other")
        }
        Check::RoleOrProfile => FaultWording::say("The class needs `role` or `instanceProfile`"),
        _ => FaultWording::say(format!("The API server refuses {}", case.name())),
    }
}

fn alias_family(text: &str, families: &[String]) -> FaultWording {
    let (family, version) = text.split_once('@').unwrap_or((text, "latest"));
    let words = FaultWording::say(format!("There are no images called `{}`", cut(family)));
    let words = words.help(format!("They are {}", list(families, "or")));
    match families.iter().find(|it| it.eq_ignore_ascii_case(family)) {
        Some(meant) => words.meant(format!("{meant}@{version}")),
        None => words,
    }
}

/// A key of a domain that is Karpenter's or Kubernetes' own.
fn reserved(
    case: &FaultContext<'_>,
    check: &'static Check,
    domain: &str,
    key: &str,
) -> FaultWording {
    let bare = key.trim_matches('`');
    let schema = case.schema();
    let since = schema.and_then(|it| it.api().key_since(bare));
    if let (Some(since), Some(release)) = (since, case.release)
        && release < since
    {
        let (major, minor) = release.line();
        return FaultWording::say(format!("Karpenter {major}.{minor} has no {key}"))
            .help(format!("It came with {since}"));
    }
    let same = |it: &&checks::CheckAt| std::ptr::eq(&raw const it.check, check);
    let until = checks::of(case.kind).iter().find(same).and_then(|it| it.range.until.as_ref());
    let words = FaultWording::say(format!("{key} is reserved")).help(match until {
        Some(until) if case.release.is_some() => {
            format!(
                "Karpenter accepts keys of `{domain}` from {until} on; use a domain of your own"
            )
        }
        _ => format!("Use a domain of your own, not `{domain}`"),
    });
    let allowed = schema.map(|it| it.api().allowed_keys(case.release)).unwrap_or_default();
    if let Some(known) = same_name(bare, &allowed) {
        let words = words.help(format!("The key is `{known}`"));
        return FaultWording { known_key: Some(known), ..words };
    }
    let own = allowed.into_iter().filter(|it| it.starts_with(domain) || it.contains(domain));
    let own: Vec<&str> = own.collect();
    let longer = || {
        let own = own.iter().filter(|it| is_longer(bare, it));
        own.max_by_key(|it| it.len()).copied()
    };
    match closest(bare, own.iter().copied()).or_else(longer) {
        Some(meant) => words.help(format!("Did you mean `{meant}`?")),
        None => words,
    }
}

/// The one known key that has the name of another under its own domain: `karpenter.sh/capacity-type` for
/// `karpenter.k8s.aws/capacity-type`.
fn same_name<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    const FORMER: [&str; 2] = ["beta.", "failure-domain.beta."];
    // Its whole domain is open, so that nothing lists it.
    const OPEN: &str = "node.kubernetes.io/instance-type";
    let name = |key: &str| key.split_once('/').map(|it| it.1.to_ascii_lowercase());
    let own = name(key)?;
    let known = known.iter().chain([&OPEN]);
    let known = known.filter(|it| !FORMER.iter().any(|former| it.starts_with(former)));
    let (names, longer): (Vec<&&str>, Vec<&&str>) =
        known.partition(|it| name(it).is_some_and(|it| are_alike(&it, &own)));
    if let [only] = names.as_slice() {
        return Some(**only);
    }
    // `karpenter.sh/family` is `karpenter.k8s.aws/instance-family`.
    let prefixed = format!("instance-{own}");
    longer.into_iter().find(|it| name(it).as_ref() == Some(&prefixed)).copied()
}

/// Whether a key is another one with a word behind it, such as a unit: `instance-memory-mb`.
fn is_longer(key: &str, other: &str) -> bool {
    key.strip_prefix(other).is_some_and(|it| it.starts_with(['-', '_', '.']))
}

impl FaultContext<'_> {
    /// Whether the fault is that of a list without items.
    pub(super) fn is_empty_list(&self) -> bool {
        let list = self.fault.value.as_ref().and_then(Value::as_list);
        list.is_some_and(|it| it.items.is_empty() && it.rest.is_none())
    }

    /// The text at fault as it is written.
    fn written(&self) -> &str {
        self.fault.value.as_ref().and_then(Value::as_str).unwrap_or_default()
    }
}
