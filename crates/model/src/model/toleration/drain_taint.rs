//! The taint by which Karpenter drains a node, by the version in use.

use crate::{
    knowledge::taint::{self, KarpenterTaint},
    model::{
        applied::AppliedObject,
        scope::{ScopeIndex, Scoped},
    },
    resolve::{
        pod::toleration::{Effect, Taint},
        release::Release,
        scope::Scope,
    },
    version::{Version, constraint::Constraint},
};

/// The taint on nodes that are drained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainTaint {
    /// The taint.
    pub taint: Taint,
    /// Whether it is Karpenter's own and not the common one for unschedulable nodes, which Kubernetes lets
    /// the pods of a `DaemonSet` tolerate.
    pub own: bool,
}

impl DrainTaint {
    fn of(known: Option<KarpenterTaint>) -> Self {
        let common = || Taint {
            key: "node.kubernetes.io/unschedulable".to_owned(),
            value: String::new(),
            effect: Effect::NoSchedule,
        };
        Self { own: known.is_some(), taint: known.map_or_else(common, Taint::from) }
    }
}

/// The API of a `NodePool` or a Provisioner, which limits the version in use.
#[derive(Clone, Debug)]
pub struct PoolApi {
    scope: Scope,
    /// The versions that serve it.
    served: &'static str,
}

/// The versions that serve what is written today.
const SERVE_V1: &str = ">= 1.0";

impl Scoped for PoolApi {
    fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl PoolApi {
    /// Reads one; `None` for other kinds.
    #[must_use]
    pub fn of(AppliedObject { located, build, .. }: &AppliedObject) -> Option<Self> {
        let served = match (&*located.object.kind, &*located.object.api_version) {
            ("NodePool", "karpenter.sh/v1") => SERVE_V1,
            ("NodePool", "karpenter.sh/v1beta1") => ">= 0.32, < 1.1",
            ("Provisioner", "karpenter.sh/v1alpha5") => "< 0.33",
            _ => return None,
        };
        let scope = located.scope(*build);
        Some(Self { scope, served })
    }
}

/// Taints that may be set, each once.
type DrainTaintSet = Vec<Option<KarpenterTaint>>;

/// What releases and pools say about the taint, by scope.
#[derive(Debug, Default)]
pub struct DrainTaints {
    /// The first controller and the taints that their versions set; unknown versions add none.
    controllers: ScopeIndex<(usize, DrainTaintSet)>,
    /// The taints of the versions that serve the pools.
    pools: ScopeIndex<DrainTaintSet>,
    /// The version of the configuration.
    assumed: Option<Version>,
}

impl DrainTaints {
    /// Indexes them; `assumed` is the version of the configuration, in use where no release says one.
    #[must_use]
    pub fn new(releases: &[Release], pools: &[PoolApi], assumed: Option<Version>) -> Self {
        let controllers = ScopeIndex::new(releases, Release::is_controller, |near| {
            (near.first().copied().unwrap_or_default(), of_releases(releases, near))
        });
        let pools = ScopeIndex::new(pools, |_| true, |near| of_pools(pools, near));
        Self { controllers, pools, assumed }
    }

    /// The taints that may be set on nodes that are drained in a scope, with the index of the release whose
    /// version decides that. An unknown version counts as the newest, unless the pools near are written for
    /// an older API.
    #[must_use]
    pub fn nearest(&self, scope: &Scope) -> (Vec<DrainTaint>, Option<usize>) {
        let of = |taints: &[Option<KarpenterTaint>]| {
            taints.iter().map(|it| DrainTaint::of(*it)).collect()
        };
        match (self.controllers.nearest(scope), &self.assumed) {
            (Some((first, taints)), _) if !taints.is_empty() => (of(taints), Some(*first)),
            (_, Some(version)) => (of(&[taint::of_version(Some(version))]), None),
            (_, None) => match self.pools.nearest(scope) {
                Some(taints) => (of(taints), None),
                None => (of(&[taint::of_version(None)]), None),
            },
        }
    }

    /// The taint on nodes that are drained in a scope, if it can be only one.
    #[must_use]
    pub fn only(&self, scope: &Scope) -> Option<(DrainTaint, Option<usize>)> {
        let (mut taints, release) = self.nearest(scope);
        let only = taints.pop().filter(|_| taints.is_empty())?;
        Some((only, release))
    }
}

/// An unknown version beside a known one counts as the newest.
fn of_releases(releases: &[Release], near: &[usize]) -> DrainTaintSet {
    let mut taints = DrainTaintSet::new();
    let mut unknown = false;
    for release in near.iter().map(|it| &releases[*it]) {
        match release.allowed() {
            Some(allowed) => taints.extend(taint::of_versions(&allowed)),
            None => unknown = true,
        }
    }
    if unknown && !taints.is_empty() {
        taints.push(taint::of_version(None));
    }
    once(taints)
}

/// Where there are pools of the new API, the old ones are not read.
fn of_pools(pools: &[PoolApi], near: &[usize]) -> DrainTaintSet {
    let served = || near.iter().map(|it| pools[*it].served);
    let new = served().any(|it| it == SERVE_V1);
    let served: Vec<&str> = if new { vec![SERVE_V1] } else { served().collect() };
    let allowed = served.into_iter().filter_map(Constraint::parse);
    once(allowed.flat_map(|it| taint::of_versions(&it)).collect())
}

fn once(taints: DrainTaintSet) -> DrainTaintSet {
    let mut seen = DrainTaintSet::new();
    for taint in taints {
        if !seen.contains(&taint) {
            seen.push(taint);
        }
    }
    seen
}
