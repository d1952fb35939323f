//! What the data records of the charts.

use crate::{
    knowledge::chart_values::{self, Reading, UnreadReason},
    version::{Version, constraint::Constraint},
};

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
}

#[test]
fn the_charts_read_what_their_templates_say() {
    let chart = |name| chart_values::of_chart(name).unwrap_or_else(|| unreachable!("{name}"));
    for (name, path, release, wanted) in [
        ("karpenter", "clusterName", "0.16.3", Reading::Whole),
        ("karpenter", "clusterName", "0.19.0", Reading::Nothing),
        ("karpenter", "settings.aws.clusterName", "0.18.1", Reading::Nothing),
        ("karpenter", "settings.aws.clusterName", "v0.32.10", Reading::Whole),
        ("karpenter", "settings.clusterName", "v0.31.5", Reading::Nothing),
        ("karpenter", "settings.clusterName", "v0.32.0", Reading::Whole),
        ("karpenter", "settings.aws", "v0.32.0", Reading::Inside),
        ("karpenter", "settings.aws", "v0.33.0", Reading::Nothing),
        ("karpenter", "settings.awsTags", "v0.31.0", Reading::Nothing),
        ("karpenter", "affinity.nodeAffinity", "1.14.1", Reading::Whole),
        ("karpenter", "podSecurityContext", "v0.31.0", Reading::Nothing),
        ("karpenter", "podSecurityContext.fsGroup", "v0.34.0", Reading::Whole),
        ("karpenter", "logOutputPaths", "1.0.3", Reading::Nothing),
        ("karpenter", "logOutputPaths", "1.0.4", Reading::Whole),
        ("karpenter", "settings.featureGates.StaticCapacity", "1.8.0", Reading::Nothing),
        ("karpenter", "settings.featureGates.staticCapacity", "1.8.0", Reading::Whole),
        ("karpenter", "webhook", "1.0.14", Reading::Inside),
        ("karpenter", "webhook", "1.1.0", Reading::Nothing),
        ("karpenter-crd", "webhook.serviceNamespace", "v0.33.5", Reading::Nothing),
        ("karpenter-crd", "webhook.serviceNamespace", "v0.33.6", Reading::Whole),
        ("karpenter-crd", "additionalAnnotations", "1.1.10", Reading::Nothing),
        ("karpenter-crd", "additionalAnnotations", "1.2.0", Reading::Whole),
    ] {
        assert_eq!(chart(name).reading(path, &version(release)), wanted, "{path} {release}");
    }
}

#[test]
fn a_value_without_effect_has_its_name_and_versions() {
    let Some(chart) = chart_values::of_chart("karpenter") else { unreachable!("it is known") };
    let in_versions = |text: &str| chart.versions(Constraint::parse(text).as_ref());
    for (path, allowed, name, why) in [
        ("settings.aws.clusterName", "1.6.0", Some("settings.clusterName"), "0.33.0"),
        ("clusterName", "v0.30.0", Some("settings.aws.clusterName"), "0.19.0"),
        ("settings.interruptionQueueName", ">= 1.0", Some("settings.interruptionQueue"), "never"),
        ("settings.interruptionQueueName", ">= 0.20", None, "never"),
        ("settings.enableZonalShift", "1.6.0", None, "not before 1.12.0"),
        ("settings.featureGates.nodeoverlay", "1.6.0", None, "never"),
        (
            "settings.featureGates.nodeoverlay",
            "1.7.0",
            Some("settings.featureGates.nodeOverlay"),
            "never",
        ),
        ("controller.outputPaths", "0.37.0", Some("logConfig.outputPaths"), "0.33.0"),
        ("controller.outputPaths", "1.0.0", None, "0.33.0"),
        ("controller.outputPaths", "1.1.0", Some("logOutputPaths"), "0.33.0"),
        ("podSecurityContext", "v0.31.0", None, "0.30.0"),
        ("setting.clusterEndpoint", "v0.31.0", Some("settings.aws.clusterEndpoint"), "never"),
        ("setting.clusterEndpoint", "1.6.0", Some("settings.clusterEndpoint"), "never"),
        ("setting.endpoint", "1.6.0", None, "never"),
    ] {
        let versions = in_versions(allowed);
        assert_eq!(chart.name_in(path, &versions).as_deref(), name, "{path} {allowed}");
        let answer = match chart.why_not(path, &versions) {
            UnreadReason::GoneSince(version) => version.to_string(),
            UnreadReason::NotBefore(version) => format!("not before {version}"),
            UnreadReason::Never => "never".to_owned(),
        };
        assert_eq!(answer, why, "{path} {allowed}");
    }
    assert_eq!(in_versions("0.13.2"), []);
    assert_eq!(in_versions("1.6.0"), [version("1.6.0")]);
}

#[test]
fn charts_before_those_that_were_compared_have_paths_of_their_own() {
    let Some(chart) = chart_values::of_chart("karpenter") else { unreachable!("it is known") };
    for (path, allowed, wanted) in [
        ("controller.clusterName", None, true),
        ("controller.clusterName", Some("< 1.0"), true),
        ("controller.clusterName", Some(">= 0.16"), false),
        ("controller.clusterName", Some("1.6.0"), false),
        ("controller.nodeSelector.disk", None, true),
        ("controller.clusterCA", None, false),
        ("settings.interruptionQueueName", None, false),
    ] {
        let constraint = allowed.and_then(Constraint::parse);
        let answer = chart.may_be_read_before(path, constraint.as_ref());
        assert_eq!(answer, wanted, "{path} {allowed:?}");
    }
}
