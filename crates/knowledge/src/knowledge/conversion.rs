//! Which releases' CRDs ask a conversion webhook, and where they look for it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::Facts,
        read::{Read, document},
    },
    value::Value,
    version::constraint::Constraint,
};

/// The facts.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConversionFile {
    bundled: Facts,
    crd_chart: Facts,
    hook: Facts,
    stored: Facts,
}

/// A service in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its name.
    pub name: &'static str,
    /// Its namespace; empty for that of the release.
    pub namespace: &'static str,
}

/// What the chart `karpenter-crd` writes into its CRDs by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrdChart {
    /// Whether they ask at all.
    pub enabled: bool,
    /// Whom.
    pub service: Service,
}

static READ: LazyLock<Read<ConversionFile>> =
    LazyLock::new(|| document("conversion-webhook.yaml", include_str!("conversion-webhook.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Whom the CRDs in the chart's own `crds/` ask; `None` where they ask none, or where the versions allowed
/// differ.
#[must_use]
pub fn bundled(allowed: &Constraint) -> Option<Service> {
    service(READ.data.bundled.within(allowed)?)
}

/// Whether the CRDs of some version allowed may ask one.
#[must_use]
pub fn may_ask(allowed: &Constraint) -> bool {
    READ.data.bundled.possible(Some(allowed)).any(|it| service(&it.value).is_some())
}

/// The values by which the chart `karpenter-crd` makes its CRDs ask; `None` where it has none, or where the
/// versions allowed differ.
#[must_use]
pub fn crd_chart(allowed: &Constraint) -> Option<CrdChart> {
    let value = READ.data.crd_chart.within(allowed)?;
    let enabled = value.get("enabled").present()?.as_bool()?;
    Some(CrdChart { enabled, service: service(value)? })
}

/// Whether a hook of the chart makes the CRDs call the webhook where it is, or none where it is off; false
/// where not all versions allowed have it.
#[must_use]
pub fn is_patched_by_hook(allowed: &Constraint) -> bool {
    READ.data.hook.within(allowed).and_then(Value::as_bool).unwrap_or_default()
}

/// The API version in which the CRDs of a release store objects: `v1`; `None` where the versions allowed
/// differ.
#[must_use]
pub fn stored(allowed: &Constraint) -> Option<&'static str> {
    READ.data.stored.within(allowed)?.as_str()
}

/// The facts, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 4] {
    let conversion = &READ.data;
    [
        ("bundled", &conversion.bundled),
        ("crd_chart", &conversion.crd_chart),
        ("hook", &conversion.hook),
        ("stored", &conversion.stored),
    ]
}

fn service(value: &'static Value) -> Option<Service> {
    let text = |key: &str| value.get(key).present().and_then(Value::as_str);
    Some(Service { name: text("service")?, namespace: text("namespace")? })
}

#[cfg(test)]
mod tests {
    use super::{bundled, crd_chart, is_patched_by_hook, may_ask};
    use crate::version::constraint::Constraint;

    #[test]
    fn the_crds_call_a_webhook_in_late_patches_and_in_1_0() {
        for (release, own, by_chart) in [
            ("0.33.5", None, None),
            ("v0.33.6", Some("kube-system"), Some((false, "kube-system"))),
            ("0.34.6", None, None),
            ("0.34.8", Some("kube-system"), Some((false, ""))),
            ("0.36.2", None, None),
            ("0.36.9", Some("kube-system"), Some((true, ""))),
            ("0.37.0", None, None),
            ("0.37.3", Some("kube-system"), Some((true, ""))),
            ("1.0.0", Some("kube-system"), Some((true, "kube-system"))),
            ("1.0.14", Some("kube-system"), Some((true, ""))),
            ("~> 1.0.1", Some("kube-system"), Some((true, ""))),
            ("~> 1.0.0", Some("kube-system"), None),
            ("1.1.0", None, None),
            (">= 1.0", None, None),
        ] {
            let Some(allowed) = Constraint::parse(release) else { unreachable!("{release}") };
            let found = bundled(&allowed);
            assert_eq!(found.map(|it| it.namespace), own, "{release}");
            let found = crd_chart(&allowed);
            let found = found.map(|it| (it.enabled, it.service.namespace));
            assert_eq!(found, by_chart, "{release}");
        }
    }

    #[test]
    fn some_of_several_versions_may_call_a_webhook() {
        for (allowed, may) in [
            ("0.36.2", false),
            ("0.36.3", true),
            (">= 0.36.0, < 0.36.3", false),
            ("~> 0.36.0", true),
            (">= 1.0", true),
            (">= 1.1", false),
        ] {
            let Some(constraint) = Constraint::parse(allowed) else { unreachable!("{allowed}") };
            assert_eq!(may_ask(&constraint), may, "{allowed}");
        }
    }

    #[test]
    fn the_first_releases_with_the_webhook_patch_their_crds() {
        for (release, patched) in [
            ("0.33.5", false),
            ("0.33.6", true),
            ("0.33.7", false),
            ("v0.37.1", true),
            ("1.0.0", true),
            ("1.0.1", false),
            ("~> 1.0.0", false),
        ] {
            let Some(allowed) = Constraint::parse(release) else { unreachable!("{release}") };
            assert_eq!(is_patched_by_hook(&allowed), patched, "{release}");
        }
    }
}
