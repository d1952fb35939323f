//! Where else a value may be written that the chart does not read where it is.

use crate::{
    checks::chart_value::KarpenterChart,
    knowledge::chart_values::field_of_class,
    model::{Model, karpenter_object::KarpenterObject, node_pool::class::NodeClass},
    value::Value,
    version::Version,
};

/// The mappings among which people mistake one for another.
const MISTAKEN: [&str; 5] = ["", "aws", "controller", "settings", "settings.aws"];

/// Of these a class has one.
const PROFILE: [&str; 2] = ["spec.role", "spec.instanceProfile"];

/// A field of an `EC2NodeClass` that took the place of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClassField {
    /// Its path.
    pub path: &'static str,
    /// Whether all classes have it, or what stands for it.
    pub is_written: bool,
    /// Whether it names what nodes are: no value of the chart counts beside it.
    pub is_of_profile: bool,
}

/// The only value by the same last key, in another of those mappings, that the newest version reads.
pub(super) fn under_another_key(chart: &KarpenterChart<'_>, path: &str) -> Option<String> {
    let (above, last) = split(path);
    let is_meant = |it: &&str| {
        let (other, name) = split(it);
        name == last && other != above && MISTAKEN.contains(&other)
    };
    let newest = chart.versions.iter().max().filter(|_| MISTAKEN.contains(&above))?;
    let mut found = chart.values.paths_of(newest).filter(is_meant);
    let only = found.next()?;
    found.next().is_none().then(|| only.to_owned())
}

/// The field of an `EC2NodeClass` in which a value, or the only one inside it, is written instead, where there are such
/// classes.
pub(super) fn field(
    model: &Model,
    chart: &KarpenterChart<'_>,
    (path, value): (&str, &Value),
) -> Option<ClassField> {
    let only = match value.entries() {
        [only] => Some(&*only.key),
        _ => None,
    };
    let path = field_of_class(only.unwrap_or(path))?;
    let first = Version::new(0, 32, 0);
    if !chart.versions.is_empty() && chart.versions.iter().all(|it| *it < first) {
        return None;
    }
    let is_of_profile = PROFILE.contains(&path);
    let names = if is_of_profile { &PROFILE[..] } else { std::slice::from_ref(&path) };
    let mut classes = model.node_classes.iter().filter(|it| !it.is_fragment()).peekable();
    let is_written = classes.peek().is_some()
        && classes.all(|class| names.iter().any(|it| is_written_in(class, it)))
        && !(is_of_profile && may_have_template_without(model, chart));
    Some(ClassField { path, is_written, is_of_profile })
}

/// Whether one of the predecessors of classes, which a version may read, takes the default of the instance profile.
fn may_have_template_without(model: &Model, chart: &KarpenterChart<'_>) -> bool {
    let is_read = chart.versions.iter().any(|it| *it < Version::new(0, 33, 0));
    let names_none = |it: &KarpenterObject| {
        let spec = it.object.value.get("spec");
        &*it.object.kind == "AWSNodeTemplate"
            && ["instanceProfile", "launchTemplate"].iter().all(|key| spec.get(key).is_missing())
    };
    is_read && model.karpenter_objects.iter().any(names_none)
}

/// Whether a class has a field, also one that its chart leaves empty for whoever installs it.
fn is_written_in(class: &NodeClass, path: &str) -> bool {
    let (above, last) = split(path);
    let spec = class.object.at(above).present().and_then(Value::as_map);
    !class.object.at(path).is_missing() || spec.is_some_and(|it| it.entry(last).is_some())
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}
