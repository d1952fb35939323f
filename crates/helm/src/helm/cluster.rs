//! `.Capabilities`: what is known of the cluster that a chart is installed in.

use std::{
    fmt::{self, Display, Formatter},
    rc::Rc,
};

use crate::{helm::fault::Fault, value::Symbol};

/// What is assumed where a chart asks for more than its values.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// The version of Kubernetes, `1.32` or `v1.32.0`.
    pub kubernetes: Option<String>,
    /// Answers as `helm template` without a cluster: `lookup` finds nothing, only built-in API versions
    /// are there. Otherwise both are unknown.
    pub without_cluster: bool,
    /// Whether others may give the values that are missing: what fails without them is unknown then.
    pub others_give_values: bool,
    /// Whether Helm 4 renders the charts, which treats what is null by default otherwise than Helm 3.
    pub is_helm_4: bool,
    /// How many renderings of charts a run makes, which share its steps.
    pub renderings: usize,
}

/// `.Capabilities.APIVersions`
#[derive(Debug)]
pub(crate) struct ApiVersions {
    without_cluster: bool,
}

/// The API versions that `helm template` knows.
const BUILT_IN: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1alpha1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha1",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1alpha1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

/// Those that every cluster of the last years serves.
const EVERYWHERE: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "apiextensions.k8s.io/v1",
    "apiregistration.k8s.io/v1",
    "apps/v1",
    "authentication.k8s.io/v1",
    "authorization.k8s.io/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates.k8s.io/v1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "events.k8s.io/v1",
    "networking.k8s.io/v1",
    "node.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1",
];

/// Those that no cluster serves any more.
const GONE: &[&str] = &[
    "apps/v1beta1",
    "apps/v1beta2",
    "extensions/v1beta1",
    "batch/v1beta1",
    "policy/v1beta1",
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "networking.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "certificates.k8s.io/v1beta1",
];

impl ApiVersions {
    /// What the cluster serves under these assumptions.
    pub(crate) fn new(assumptions: &Assumptions) -> Self {
        Self { without_cluster: assumptions.without_cluster }
    }

    /// Whether an API version, or a kind of one, is served.
    pub(crate) fn has(&self, asked: &str) -> Result<bool, Fault> {
        if self.without_cluster {
            return Ok(BUILT_IN.contains(&asked));
        }
        let version = match asked.rsplit_once('/') {
            Some((version, kind)) if kind.starts_with(|it: char| it.is_ascii_uppercase()) => {
                version
            }
            _ => asked,
        };
        if EVERYWHERE.contains(&version) {
            return Ok(true);
        }
        if GONE.contains(&version) {
            return Ok(false);
        }
        let symbol = Symbol::of_installation(format!(".Capabilities.APIVersions.Has {asked:?}"));
        Err(Fault::Unknown(Rc::new(symbol)))
    }

    /// All that are served, if that is known.
    pub(crate) fn all(&self) -> Option<&'static [&'static str]> {
        self.without_cluster.then_some(BUILT_IN)
    }
}

impl Display for ApiVersions {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "[{}]", BUILT_IN.join(" "))
    }
}
