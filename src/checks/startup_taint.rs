//! Startup taints: which agents hold pods back, and whether a pool declares them.

use crate::{
    checks::unread::hidden_cluster,
    findings::{silence::Silence, subject::Subject},
    knowledge::startup::{self, StartupTaint},
    model::{
        Model,
        cluster::Taints,
        node_pool::{NodePool, user_data::UserData},
        provisioner::Provisioner,
    },
    resolve::{pod::toleration::Taint, scope::Scope},
    source::Span,
    value::cause::Cause,
};

/// A startup taint that a pool does not declare as one.
#[derive(Clone, Debug)]
pub(crate) struct Undeclared {
    /// The taint.
    pub taint: &'static StartupTaint,
    /// Where nodes get it.
    pub given: Span,
    /// From what they get it.
    pub giver: Giver,
    /// The same with its value and effect, which the agent tolerates where it runs.
    pub whole: Option<Taint>,
}

/// What gives nodes a taint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Giver {
    /// The user data of the pool's nodes.
    UserData,
    /// The same, but Karpenter replaces its list.
    DroppedUserData,
    /// Nothing for the pool's nodes; all static node groups have it.
    NodeGroups,
}

/// A pool or Provisioner with what is to say of its startup taints.
pub(crate) struct Judged<'a> {
    /// Where to point when nothing is said.
    pub report_span: Span,
    /// Where the specification of its nodes is.
    pub spec: Span,
    /// What a finding about it is about.
    pub subject: Option<&'a Subject>,
    /// The startup taints among the lasting ones, with their places.
    pub lasting: Vec<(&'static StartupTaint, Span)>,
    /// Those that it declares, and those of its nodes or of all other nodes of its cluster that it does not declare.
    pub given: Vec<Result<Undeclared, Silence>>,
}

/// The pools and Provisioners.
pub(crate) fn judged(model: &Model) -> impl Iterator<Item = Judged<'_>> {
    let pools = model.node_pools.iter().map(|it| Judged {
        report_span: it.report_span,
        spec: it.spec,
        subject: it.subject.as_ref(),
        lasting: lasting(&it.taints),
        given: given(model, it),
    });
    let provisioners = Provisioner::all(model).map(|it| Judged {
        report_span: it.resource.report_span,
        spec: it.spec(),
        subject: it.resource.subject.as_ref(),
        lasting: lasting(&it.taints()),
        given: given_to_provisioner(model, &it),
    });
    pools.chain(provisioners)
}

fn lasting(taints: &Taints) -> Vec<(&'static StartupTaint, Span)> {
    let lasting = taints.list.iter().filter(|(it, _)| it.keeps_pods_away());
    lasting.filter_map(|(it, span)| Some((startup::taint(&it.key)?, *span))).collect()
}

/// What decides which taints the nodes of a pool start with.
struct Nodes<'a> {
    scope: &'a Scope,
    taints: &'a Taints,
    startup_taints: &'a Taints,
    user_data: Option<&'a UserData>,
    is_windows: bool,
}

fn given(model: &Model, pool: &NodePool) -> Vec<Result<Undeclared, Silence>> {
    let nodes = Nodes {
        scope: &pool.scope,
        taints: &pool.taints,
        startup_taints: &pool.startup_taints,
        user_data: model.class_of(pool).map(|it| &it.user_data),
        is_windows: pool.offerings.is_windows(),
    };
    nodes.given(model)
}

fn given_to_provisioner(
    model: &Model,
    provisioner: &Provisioner<'_>,
) -> Vec<Result<Undeclared, Silence>> {
    let user_data = provisioner.user_data(model);
    let nodes = Nodes {
        scope: &provisioner.resource.scope,
        taints: &provisioner.taints(),
        startup_taints: &provisioner.startup_taints(),
        user_data: user_data.as_ref(),
        is_windows: false,
    };
    nodes.given(model)
}

impl Nodes<'_> {
    fn given(&self, model: &Model) -> Vec<Result<Undeclared, Silence>> {
        let all = startup::taints().iter();
        let not_lasting = all.filter(|it| place(self.taints, &it.key).is_none());
        let mut found: Vec<_> = not_lasting.filter_map(|it| self.answer(model, it)).collect();
        // Whether all other nodes have one, the module that makes them would tell.
        if found.is_empty() && model.clusters_near(self.scope).is_empty() {
            found.extend(hidden_cluster(model, self.scope).map(Err));
        }
        found
    }

    fn answer(
        &self,
        model: &Model,
        taint: &'static StartupTaint,
    ) -> Option<Result<Undeclared, Silence>> {
        if let Some(span) = place(self.startup_taints, &taint.key) {
            let silence = Silence::sound(format!("`startupTaints` lists `{}`", taint.key));
            return Some(Err(silence.at(span, "the taint")));
        }
        let of_user_data = self.of_user_data(model, taint);
        let found = of_user_data.or_else(|| self.of_node_groups(model, taint))?;
        if self.taints.may_have_others || self.startup_taints.may_have_others {
            let words = "not all its taints are known";
            let silence = Silence::undecided(Cause::Value, words);
            return Some(Err(silence.at(found.given, format!("its nodes get `{}`", taint.key))));
        }
        Some(Ok(found))
    }

    fn of_user_data(&self, model: &Model, taint: &'static StartupTaint) -> Option<Undeclared> {
        let user_data = self.user_data?;
        let (way, given) = user_data.registers(&taint.key)?;
        let (version, _) = model.karpenter_near(self.scope);
        let dropped = user_data.drops(way, version.as_ref());
        let by = if dropped { Giver::DroppedUserData } else { Giver::UserData };
        Some(Undeclared { taint, given, giver: by, whole: None })
    }

    fn of_node_groups(&self, model: &Model, taint: &'static StartupTaint) -> Option<Undeclared> {
        let cluster = model.cluster_near(self.scope)?;
        let shared = cluster.shared_startup_taints();
        let found = shared.into_iter().find(|it| it.key == taint.key)?;
        let given = cluster.node_groups.iter().find_map(|it| it.taints.place(found))?;
        let same = !self.is_windows && model.pool_groups(self.scope).len() <= 1;
        let whole = Some(found.clone());
        same.then_some(Undeclared { taint, given, giver: Giver::NodeGroups, whole })
    }
}

/// Where a pool lists a taint of that key.
fn place(taints: &Taints, key: &str) -> Option<Span> {
    taints.list.iter().find(|(it, _)| it.key == key).map(|it| it.1)
}
