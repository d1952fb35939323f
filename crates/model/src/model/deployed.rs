//! What is installed: the releases of all surfaces, and what charts of the repository make for them.
//!
//! A chart may make what installs further charts: an Application of Argo CD, a `HelmRelease` of Flux. Then
//! all that is installed is looked for again, with what the charts made.

use crate::{
    model::{
        Assumed, applied,
        cluster::{Cluster, eksctl::of_eksctl},
        scope::ScopeIndex,
    },
    resolve::{
        answers::agreed,
        charts::{self, Charts, crds::BundledCrds, folders::ChartFolders},
        gitops::{self, GitOps, apps_chart},
        kubernetes::{Located, manifests::Manifests},
        kustomize::Kustomize,
        release::{
            Release, applied_crds::AppliedCrds, collect, installed::Installed, shared_literal,
        },
        scope::Scope,
        terraform::Terraform,
    },
    source::Files,
    version::Version,
};

/// How often what charts make is looked through for further releases.
const ROUNDS: usize = 5;

/// What releases are read from.
pub(super) struct Sources<'a> {
    pub files: &'a Files,
    pub terraform: &'a Terraform,
    pub manifests: &'a Manifests,
    pub kustomize: &'a Kustomize,
    /// The charts to render.
    pub charts: &'a ChartFolders,
    /// The clusters of the Terraform roots.
    pub clusters: &'a [Cluster],
    pub assumed: &'a Assumed,
}

/// What is installed.
#[derive(Debug, Default)]
pub(super) struct Deployed {
    pub releases: Vec<Release>,
    pub applied_crds: Vec<AppliedCrds>,
    /// What the objects of `GitOps` tools hold beside releases.
    pub gitops: GitOps,
    /// The objects of `GitOps` tools, with those that charts make.
    pub of_tools: Vec<Located>,
    /// What charts of the repository make.
    pub charts: Charts,
    /// The CRDs that they bring.
    pub bundled_crds: BundledCrds,
}

impl Sources<'_> {
    /// Finds what is installed, given what code installs; `held` are the objects that it, and `CloudFormation`,
    /// hold.
    pub(super) fn deployed(&self, of_code: &Installed, held: &[Located]) -> Deployed {
        let of_tools = held.iter().chain(&self.manifests.of_tools).cloned().collect();
        let of_tools = applied::objects(self.files, of_tools, self.kustomize, |_| true).into_iter();
        let written: Vec<Located> =
            of_tools.map(|it| it.located).filter(|it| gitops::is_of_interest(&it.object)).collect();
        let mut found = self.installed(of_code.clone(), written.clone());
        for round in 0..ROUNDS {
            found.charts = self.rendered(&found);
            let of_values = apps_chart::made(&found.releases);
            let made: Vec<&Located> = found.charts.of_tools.iter().chain(&of_values).collect();
            if written.len() + made.len() == found.of_tools.len() || round + 1 == ROUNDS {
                break;
            }
            let of_tools = written.iter().chain(made).cloned().collect();
            found = self.installed(of_code.clone(), of_tools);
        }
        found.bundled_crds = BundledCrds::find(self.files, self.charts, &found.releases);
        found
    }

    /// The releases, given those of code and the objects of other tools.
    fn installed(&self, of_code: Installed, of_tools: Vec<Located>) -> Deployed {
        let mut all = of_code;
        let (of_gitops, gitops) =
            gitops::from_objects(self.files, &self.manifests.files, &of_tools);
        collect::extend_by_tools(&mut all, of_gitops, self.files, self.kustomize);
        let Installed { mut releases, crds: applied_crds, .. } = all;
        for it in &mut releases {
            let holds = |folder: &String| self.charts.hold_part(folder, &it.chart);
            // A copy of a known chart has its name.
            let copy = it.local_chart.as_ref().filter(|_| !it.chart.is_empty());
            let is_copy = copy.is_some_and(|it| self.charts.hold(it));
            it.is_rendered = is_copy || it.part_of.as_ref().is_some_and(holds);
        }
        shared_literal::mark(self.files, &self.terraform.references, &mut releases);
        Deployed { releases, applied_crds, gitops, of_tools, ..Deployed::default() }
    }

    fn rendered(&self, found: &Deployed) -> Charts {
        if self.charts.is_empty() {
            return Charts::default();
        }
        let mut clusters = self.clusters.to_vec();
        clusters.extend(found.gitops.clusters.iter().map(of_eksctl));
        let known = |it: &usize| clusters.get(*it)?.version.as_ref()?.known().cloned();
        let near = ScopeIndex::new(
            &clusters,
            |it| it.version.is_some(),
            |near| agreed(near.iter().map(known)),
        );
        let version = |scope: &Scope| -> Option<Version> {
            near.nearest(scope).cloned().unwrap_or_else(|| self.assumed.kubernetes_version.clone())
        };
        charts::render(self.files, self.charts, &found.releases, &version)
    }
}
