//! What may take pods: a static node group, a Fargate profile, a `NodePool`.

use crate::{
    model::{
        Model,
        cluster::{FargateSelector, NodeGroup, shape::FargateShape},
        node_pool::NodePool,
        placement::{
            daemons::Daemons,
            decision::Decision,
            demands::Demands,
            fargate, group,
            room::{PoolSite, Room},
        },
        requirement::Requirements,
    },
    source::Span,
    value::Value,
    version::Version,
};

/// Something that may take pods, prepared to be asked about many.
#[derive(Debug)]
pub struct Taker<'m> {
    /// Its name, if it is written.
    pub name: Option<Value>,
    /// Where to point.
    pub report_span: Span,
    /// Whether it is there only when variables have other values than those known.
    is_off: bool,
    supply: Supply<'m>,
}

/// What kind of taker it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TakerKind {
    /// A static node group.
    NodeGroup,
    /// A Fargate profile.
    Fargate,
    /// A `NodePool`.
    NodePool,
}

impl TakerKind {
    /// The word for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NodeGroup => "node_group",
            Self::Fargate => "fargate",
            Self::NodePool => "node_pool",
        }
    }
}

/// What it has for pods.
#[derive(Debug)]
enum Supply<'m> {
    Group(&'m NodeGroup, Requirements, Room<'m>),
    Fargate(Vec<FargateSelector>),
    Pool(&'m NodePool, Option<Version>, Option<Room<'m>>),
}

impl<'m> Taker<'m> {
    /// A static node group of a cluster of the model.
    #[must_use]
    pub fn group(model: &'m Model, group: &'m NodeGroup) -> Self {
        let labels = group::labels(group);
        let runs = |pods: &Demands| group::takes(group, &labels, None, pods);
        let daemons = Daemons::of_group(model, group, runs);
        let room = Room::of_group(group, daemons);
        Self {
            name: group.shape.name.clone(),
            report_span: group.report_span,
            is_off: group.is_off,
            supply: Supply::Group(group, labels, room),
        }
    }

    /// A Fargate profile.
    #[must_use]
    pub fn fargate(profile: &'m FargateShape) -> Self {
        Self {
            name: profile.name.clone(),
            report_span: profile.report_span,
            is_off: profile.is_off,
            supply: Supply::Fargate(FargateSelector::of_profile(profile)),
        }
    }

    /// A pool, with the version of Karpenter that is near.
    #[must_use]
    pub fn pool(model: &'m Model, pool: &'m NodePool) -> Self {
        let (version, _) = model.karpenter_near(&pool.scope);
        let site = PoolSite {
            class: model.class_of(pool),
            daemons: Daemons::of_pool(model, pool),
            is_strict: model.insists_on_min_values(&pool.scope),
        };
        let room = Room::of_pool(pool, site);
        Self {
            name: pool.name.value().cloned(),
            report_span: pool.report_span,
            is_off: pool.is_optional,
            supply: Supply::Pool(pool, version, room),
        }
    }

    /// What it is called: "`NodePool` `batch`".
    #[must_use]
    pub fn title(&self) -> String {
        let kind = match self.kind() {
            TakerKind::NodeGroup => "node group",
            TakerKind::Fargate => "Fargate profile",
            TakerKind::NodePool => "NodePool",
        };
        match self.name.as_ref().and_then(Value::as_str) {
            Some(name) => format!("{kind} `{name}`"),
            None => format!("a {kind}"),
        }
    }

    /// What kind of taker it is.
    #[must_use]
    pub fn kind(&self) -> TakerKind {
        match self.supply {
            Supply::Group(..) => TakerKind::NodeGroup,
            Supply::Fargate(_) => TakerKind::Fargate,
            Supply::Pool(..) => TakerKind::NodePool,
        }
    }

    /// The pool, if it is one.
    #[must_use]
    pub fn as_pool(&self) -> Option<&'m NodePool> {
        match self.supply {
            Supply::Pool(pool, ..) => Some(pool),
            Supply::Group(..) | Supply::Fargate(_) => None,
        }
    }

    /// Whether it takes the pods.
    #[must_use]
    pub fn takes(&self, pods: &Demands) -> Decision {
        let decision = match &self.supply {
            Supply::Group(group, labels, room) => group::takes(group, labels, Some(room), pods),
            Supply::Fargate(selectors) => fargate::takes(selectors, self.report_span, pods),
            Supply::Pool(pool, version, room) => {
                let decided = pool.decide_with(version.as_ref(), room.as_ref(), pods);
                if room.is_none() && decided == Decision::Yes {
                    Decision::undecided("its nodes are not those of AWS", None)
                } else {
                    decided
                }
            }
        };
        match &pods.other_scheduler {
            Some((why, place)) => Decision::undecided(why.clone(), Some(*place)),
            None if self.is_off && decision == Decision::Yes => {
                Decision::undecided("it is off as far as one sees", Some(self.report_span))
            }
            None => decision,
        }
    }
}
