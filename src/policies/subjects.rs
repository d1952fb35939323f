//! What policies are asked of: the things of the joined model, and the objects that are built.

pub(super) mod bound;
mod chart_values;
mod clusters;
mod defaults;
pub(super) mod objects;
mod parts;
mod resources;
pub(super) mod subject;
mod workloads;

use std::sync::OnceLock;

use crate::{
    inventory::objects::{BuiltObject, BuiltObjects},
    model::{Model, neighbourhood::Neighbourhoods},
    policies::subjects::{clusters::Clusters, subject::Subject},
    project::Project,
};
use karplint_cel::{
    cel::data::Outcome,
    policy::{Policy, SubjectKind},
};

/// The subjects of a model, each list gathered when it is first asked for.
pub(super) struct Subjects<'a, 'p> {
    project: &'a Project,
    model: &'a Model,
    needs: Needs,
    built: &'a BuiltObjects<'p>,
    neighbourhoods: OnceLock<Neighbourhoods>,
    clusters: OnceLock<Clusters>,
    lists: [OnceLock<Vec<Subject>>; 9],
}

/// What the policies ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// `cluster`.
    clusters: bool,
    /// `cluster.workloads`.
    cluster_workloads: bool,
}

impl<'a, 'p> Subjects<'a, 'p> {
    /// Those that these policies ask for.
    #[must_use]
    pub(super) fn of(
        (project, model): (&'a Project, &'a Model),
        built: &'a BuiltObjects<'p>,
        policies: &[&Policy],
    ) -> Self {
        let mut needs = Needs::default();
        for policy in policies {
            let of_cluster = policy.subject.kind == SubjectKind::Cluster;
            needs.clusters |= of_cluster || mentions(policy, "cluster");
            needs.cluster_workloads |= needs.clusters && mentions(policy, "workloads");
        }
        let found = Self {
            project,
            model,
            needs,
            built,
            neighbourhoods: OnceLock::new(),
            clusters: OnceLock::new(),
            lists: [const { OnceLock::new() }; 9],
        };
        // Before several threads ask for it.
        for policy in policies {
            let _ = found.list(policy.subject.kind);
        }
        if needs.clusters {
            found.clusters();
        }
        found
    }

    /// The subjects of a kind.
    #[must_use]
    pub(super) fn list(&self, kind: SubjectKind) -> &[Subject] {
        let at = SubjectKind::ALL.iter().position(|it| it.1 == kind).unwrap_or_default();
        let list = self.lists.get(at).map(|it| it.get_or_init(|| self.gathered(kind)));
        list.map_or(&[], Vec::as_slice)
    }

    fn gathered(&self, kind: SubjectKind) -> Vec<Subject> {
        let model = self.model;
        match kind {
            SubjectKind::Object => objects::all(model, self.built()),
            SubjectKind::Workload => workloads::all(model, self.built(), self.neighbourhoods()),
            SubjectKind::Release => parts::releases(model, self.project),
            SubjectKind::Addon => parts::addons(model),
            SubjectKind::NodeGroup => parts::node_groups(model),
            SubjectKind::NodePool => parts::node_pools(model),
            SubjectKind::NodeClass => parts::node_classes(model),
            SubjectKind::Cluster => self.clusters().subjects(),
            SubjectKind::Resource => resources::all(model),
        }
    }

    /// The objects that are built.
    fn built(&self) -> &[BuiltObject<'p>] {
        self.built.all(self.model)
    }

    fn neighbourhoods(&self) -> &Neighbourhoods {
        self.neighbourhoods.get_or_init(|| Neighbourhoods::of(self.model))
    }

    fn clusters(&self) -> &Clusters {
        let list = |kind| self.list(kind);
        let with_workloads = self.needs.cluster_workloads;
        let near = self.neighbourhoods();
        self.clusters.get_or_init(|| Clusters::of(self.model, near, &list, with_workloads))
    }

    /// The cluster of a subject, if any policy asks for it.
    pub(super) fn cluster(&self, subject: &Subject) -> Option<Outcome> {
        self.needs.clusters.then(|| self.clusters().around(self.neighbourhoods(), subject))
    }
}

/// Whether an expression of a policy may use that name.
fn mentions(policy: &Policy, name: &str) -> bool {
    let mut own = policy.variables.iter().map(|(_, it)| it).chain(&policy.condition);
    let parts = |it: &karplint_cel::policy::Validation| {
        let all = [Some(&it.expression), it.message_expression.as_ref(), it.at.as_ref()];
        all.into_iter().flatten().any(|it| it.text().contains(name))
    };
    own.any(|it| it.text().contains(name)) || policy.validations.iter().any(parts)
}
