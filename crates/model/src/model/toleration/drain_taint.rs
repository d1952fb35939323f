//! The taint by which Karpenter drains: which one its version sets near a place.

use crate::{
    knowledge::taint::{self, KarpenterTaint},
    model::{
        Model,
        applied::Applied,
        release::Release,
        scope::{Scope, ScopeIndex, Scoped},
    },
    resolve::pod::toleration::{Effect, Taint},
    version::constraint::Constraint,
};

/// The taint on nodes that are drained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainTaint {
    /// The taint.
    pub taint: Taint,
    /// Whether it is Karpenter's own and not the common one for unschedulable nodes, which the pods of a
    /// `DaemonSet` tolerate without saying so.
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

/// What the API of a `NodePool` or a Provisioner says of the version that reads it.
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
    pub fn of(Applied { located, build, .. }: &Applied) -> Option<Self> {
        let served = match (&*located.object.kind, &*located.object.api_version) {
            ("NodePool", "karpenter.sh/v1") => SERVE_V1,
            ("NodePool", "karpenter.sh/v1beta1") => ">= 0.32, < 1.1",
            ("Provisioner", "karpenter.sh/v1alpha5") => "< 0.33",
            _ => return None,
        };
        let scope = Scope { root: located.root, build: *build, folder: located.folder.clone() };
        Some(Self { scope, served })
    }
}

/// Taints that may be set, each once.
type Taints = Vec<Option<KarpenterTaint>>;

/// What releases and pools say about the taint, by neighbourhood.
#[derive(Debug, Default)]
pub struct DrainTaints {
    /// The first controller and the taints that their versions set; none of unknown versions.
    controllers: ScopeIndex<(usize, Taints)>,
    /// The taints of the versions that serve the pools.
    pools: ScopeIndex<Taints>,
}

impl DrainTaints {
    /// Files what they say.
    #[must_use]
    pub fn new(releases: &[Release], pools: &[PoolApi]) -> Self {
        let controllers = ScopeIndex::new(releases, Release::is_controller, |near| {
            (near.first().copied().unwrap_or_default(), of_releases(releases, near))
        });
        let pools = ScopeIndex::new(pools, |_| true, |near| of_pools(pools, near));
        Self { controllers, pools }
    }
}

/// A version that is not known beside one that is is taken for the newest.
fn of_releases(releases: &[Release], near: &[usize]) -> Taints {
    let mut taints = Taints::new();
    let mut unknown = false;
    for version in near.iter().map(|it| &releases[*it].version) {
        match version.known().and_then(|it| Constraint::parse(it)) {
            Some(allowed) => taints.extend(taint::of_versions(&allowed)),
            None => unknown = true,
        }
    }
    if unknown && !taints.is_empty() {
        taints.push(taint::of_version(None));
    }
    once(taints)
}

/// Pools of the new API beside old ones are what the version in use reads.
fn of_pools(pools: &[PoolApi], near: &[usize]) -> Taints {
    let served = || near.iter().map(|it| pools[*it].served);
    let new = served().any(|it| it == SERVE_V1);
    let served: Vec<&str> = if new { vec![SERVE_V1] } else { served().collect() };
    let allowed = served.into_iter().filter_map(Constraint::parse);
    once(allowed.flat_map(|it| taint::of_versions(&it)).collect())
}

fn once(taints: Taints) -> Taints {
    let mut seen = Taints::new();
    for taint in taints {
        if !seen.contains(&taint) {
            seen.push(taint);
        }
    }
    seen
}

impl Model {
    /// The taints that may be set on nodes that are drained near a place, with the release whose version
    /// says so. An unknown version is taken for the newest, unless the pools near are written for an older
    /// API.
    #[must_use]
    pub fn drain_taints(&self, scope: &Scope) -> (Vec<DrainTaint>, Option<&Release>) {
        let of = |taints: &[Option<KarpenterTaint>]| {
            taints.iter().map(|it| DrainTaint::of(*it)).collect()
        };
        match (self.drain_taints.controllers.nearest(scope), &self.assumed.karpenter_version) {
            (Some((first, taints)), _) if !taints.is_empty() => {
                (of(taints), self.releases.get(*first))
            }
            (_, Some(version)) => (of(&[taint::of_version(Some(version))]), None),
            (_, None) => match self.drain_taints.pools.nearest(scope) {
                Some(taints) => (of(taints), None),
                None => (of(&[taint::of_version(None)]), None),
            },
        }
    }

    /// The taint on nodes that are drained near a place, if it can be only one.
    #[must_use]
    pub fn drain_taint(&self, scope: &Scope) -> Option<(DrainTaint, Option<&Release>)> {
        let (mut taints, release) = self.drain_taints(scope);
        let only = taints.pop().filter(|_| taints.is_empty())?;
        Some((only, release))
    }
}
