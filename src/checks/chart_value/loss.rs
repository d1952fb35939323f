//! What is lost with a value that the chart does not read.

use crate::{
    checks::{
        chart_value::{
            KarpenterChart,
            dead_value::{DeadValue, Loss},
        },
        identity::endpoint_rights::may_ask_for_endpoint,
    },
    knowledge::chart_values::UnreadReason,
    model::Model,
    value::{Entry, Value},
    version::Version,
};

/// The value that other charts put their objects into another namespace with.
const NAMESPACE: &str = "namespaceOverride";

/// What other charts name the region. The controller gets it from the webhook that gives it credentials, else from its
/// node.
const REGIONS: &[&str] =
    &["region", "awsRegion", "aws.region", "settings.region", "settings.aws.region"];

/// The address of the cluster, by its names in the versions that have it.
const ENDPOINTS: [&str; 2] = ["settings.clusterEndpoint", "settings.aws.clusterEndpoint"];

/// The release that asks EKS for it where it is not set:
/// <https://karpenter.sh/docs/upgrading/upgrade-guide/>.
const ASKS: Version = Version::new(0, 25, 0);

/// What the addresses of EKS have in them.
const OF_EKS: &str = ".eks.amazonaws.com";

/// What charts have called the webhook.
const WEBHOOK: &[&str] = &["webhook", "webhooks"];

/// What is lost with a dead value: nothing where the same comes about without it.
pub(super) fn loss(
    (model, chart): (&Model, &KarpenterChart<'_>),
    entry: &Entry,
    dead: &DeadValue,
) -> Loss {
    let is_made = is_off(chart, &dead.path)
        || is_repeated(chart, &entry.value, dead)
        || is_made_anyway(chart, &entry.value, dead)
        || is_own_namespace(chart, &entry.value, &dead.path)
        || REGIONS.contains(&&*dead.path)
        || is_of_class(dead)
        || is_asked_for(model, chart, &entry.value, dead);
    match () {
        () if is_made => Loss::Nothing,
        () if describes_webhook(dead) => Loss::Bygone,
        () => Loss::Wish,
    }
}

/// Whether it asks for the webhook or says how it is to be, which there is none of any more.
fn describes_webhook(dead: &DeadValue) -> bool {
    let key = dead.path.split('.').next().unwrap_or_default();
    matches!(dead.why, UnreadReason::GoneSince(_)) && WEBHOOK.contains(&key)
}

/// Whether a value above, or beside it, switches it off, so that it has no effect in any version.
pub(super) fn is_off(chart: &KarpenterChart<'_>, path: &str) -> bool {
    let switch = chart.values.switch_of(path);
    switch.and_then(|it| chart.release.values.at(it).present()).and_then(Value::as_bool)
        == Some(false)
}

/// Whether what takes its place says the same.
fn is_repeated(chart: &KarpenterChart<'_>, value: &Value, dead: &DeadValue) -> bool {
    let same = |it: &String| {
        let written = chart.release.values.at(it).present();
        written.and_then(|it| it.same_as(value)) == Some(true)
    };
    !dead.instead.is_empty() && dead.instead.iter().all(same)
}

/// Whether it asks for what the chart makes in any case; spelt right, for the default of what nothing else sets.
fn is_made_anyway(chart: &KarpenterChart<'_>, value: &Value, dead: &DeadValue) -> bool {
    // Where nothing is known of the version, a value is what the newest takes it for.
    let newest = || chart.versions.iter().max().map(std::slice::from_ref).unwrap_or_default();
    let is_open = chart.release.allowed().is_none();
    let versions = if is_open { newest() } else { &chart.versions };
    let makes = |it: &str| chart.values.makes_anyway(it, value, versions);
    let is_default = |it: &str| chart.release.values.at(it).is_missing() && makes(it);
    let spelt = dead.path.replace("\\.", ".");
    // What takes its place may say otherwise.
    let is_open = dead.instead.iter().all(|it| chart.release.values.at(it).is_missing());
    matches!(&*dead.instead, [only] if is_default(only))
        || (spelt != dead.path && is_default(&spelt))
        || (is_open && makes(&dead.path))
        || chart.values.never_had(&spelt, value)
}

/// Whether it names the namespace that the release is installed to anyway.
fn is_own_namespace(chart: &KarpenterChart<'_>, value: &Value, path: &str) -> bool {
    let namespace = chart.release.namespace.known();
    path == NAMESPACE && namespace.is_some_and(|it| value.as_str() == Some(it))
}

/// Whether the classes have what was their default once.
fn is_of_class(dead: &DeadValue) -> bool {
    dead.instead.is_empty()
        && !matches!(dead.why, UnreadReason::NotBefore(_))
        && dead.of_class.as_ref().is_some_and(|it| it.is_written)
}

/// Whether it is the address of the cluster, for which the controller asks EKS where it is not set.
fn is_asked_for(
    model: &Model,
    chart: &KarpenterChart<'_>,
    value: &Value,
    dead: &DeadValue,
) -> bool {
    let is_open = |it: &str| ENDPOINTS.contains(&it) && chart.release.values.at(it).is_missing();
    let is_endpoint = matches!(&*dead.instead, [only] if is_open(only));
    // Something between the nodes and the cluster has another address.
    let is_of_eks = value.as_str().is_none_or(|it| it.contains(OF_EKS));
    is_endpoint
        && is_of_eks
        && !chart.versions.is_empty()
        && chart.versions.iter().all(|it| *it >= ASKS)
        && may_ask_for_endpoint(model, chart.release)
}
