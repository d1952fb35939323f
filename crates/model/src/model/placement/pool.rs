//! Whether a `NodePool` takes pods.

use crate::{
    knowledge::startup,
    model::{
        cluster::Taints,
        node_label::{is_always_there, undeclared},
        node_pool::NodePool,
        placement::{
            decision::{Decision, RefusalCause},
            demands::{Alternative, Demands},
            room::Room,
            words::conflict,
        },
        requirement::{Agreement, Undeclared},
        workload::Workload,
    },
    resolve::pod::{
        placement::Placement,
        toleration::{Taint, Tolerations},
    },
    source::Span,
    version::Version,
};

/// Whether pods tolerate the taints of a pool or a group. One that an agent takes away does not last.
#[must_use]
pub(super) fn tolerated(taints: &Taints, tolerations: &Tolerations) -> Decision {
    let mut doubt = None;
    for (taint, place) in taints.list.iter().filter(|(it, _)| it.keeps_pods_away()) {
        match tolerations.tolerate(taint) {
            Some(true) => {}
            Some(false) if startup::is_temporary(&taint.key) => {
                let why = format!("an agent may take the taint `{}` away", taint.key);
                doubt = doubt.or(Some((why, Some(*place))));
            }
            Some(false) => {
                let words = format!("taint `{}`", shown(taint));
                return Decision::no(RefusalCause::Taint(taint.clone()), words, Some(*place));
            }
            None => {
                let why = "its tolerations are not wholly known".to_owned();
                doubt = doubt.or(Some((why, Some(*place))));
            }
        }
    }
    let partial = taints.of_unknown_value.iter().filter(|(it, _)| it.keeps_pods_away());
    let mut never = partial
        .filter(|(it, _)| !startup::is_temporary(&it.key) && tolerations.refuse_any_value(it));
    if let Some((taint, place)) = never.next() {
        let words = format!("taint `{}`", taint.key);
        return Decision::no(RefusalCause::Taint(taint.clone()), words, Some(*place));
    }
    if taints.may_have_others && doubt.is_none() {
        doubt = Some(("the taints of its nodes are not wholly known".to_owned(), None));
    }
    doubt.map_or(Decision::Yes, |(why, place)| Decision::undecided(why, place))
}

/// "team=batch".
fn shown(taint: &Taint) -> String {
    if taint.value.is_empty() {
        taint.key.clone()
    } else {
        format!("{}={}", taint.key, taint.value)
    }
}

/// Whether the labels of a pool's nodes are those that pods ask for.
fn labels_fit(
    pool: &NodePool,
    version: Option<&Version>,
    room: Option<&Room<'_>>,
    pods: &Demands,
) -> Decision {
    let none =
        Decision::no(RefusalCause::Kind, "no term of the affinity asks for anything".into(), None);
    let fit = |it: &Alternative| {
        let enough =
            || room.map_or(Decision::Yes, |room| room.takes(&it.requirements, &pods.requests));
        agrees(pool, version, it).and(enough)
    };
    let fits = pods.alternatives.iter().map(fit).reduce(|a, b| a.or(|| b)).unwrap_or(none);
    // Images for Linux do not say so, and who makes them keeps Windows nodes apart somehow.
    if fits == Decision::Yes && pool.offerings.is_windows() && !pods.may_ask_for("kubernetes.io/os")
    {
        return Decision::undecided("its nodes run Windows", None);
    }
    fits
}

fn agrees(pool: &NodePool, version: Option<&Version>, asked: &Alternative) -> Decision {
    if asked.is_void {
        let words = "a term of the affinity that asks for nothing matches no node".to_owned();
        return Decision::no(RefusalCause::Kind, words, None);
    }
    if let Some(key) = unwanted(asked) {
        let words = format!("each of its nodes has a label `{key}`");
        return Decision::no(RefusalCause::Label(key.to_owned()), words, None)
            .asked_at(asked.place(key));
    }
    let own = pool.offerings.requirements();
    match agreement(pool, version, asked) {
        Agreement::Yes if asked.has_fields => {
            Decision::undecided("the affinity asks for a field of the node", None)
        }
        Agreement::Yes => Decision::Yes,
        Agreement::No(key) => {
            let given = own.get(key);
            let words = asked.requirements.get(key).map(|it| conflict(key, given, it));
            let place = pool.offerings.places(key).first().map_or(pool.spec, |it| it.span);
            Decision::no(
                RefusalCause::Label(key.to_owned()),
                words.unwrap_or_default(),
                Some(place),
            )
            .asked_at(asked.place(key))
        }
        Agreement::Unknown(Some(key)) => Decision::undecided(
            format!("label `{key}` is not known"),
            pool.offerings.places(key).first().map(|it| it.span),
        ),
        Agreement::Unknown(None) => {
            Decision::undecided("what it asks of its nodes is not wholly known", None)
        }
    }
}

/// A label that pods want to be absent and that each node has.
fn unwanted(asked: &Alternative) -> Option<&str> {
    let mut absent = asked.requirements.iter().filter(|(_, it)| it.is_nothing() && !it.is_open());
    absent.find(|(key, _)| is_always_there(key)).map(|it| it.0)
}

fn agreement<'a>(
    pool: &NodePool,
    version: Option<&Version>,
    asked: &'a Alternative,
) -> Agreement<'a> {
    // EKS Auto Mode knows labels of its own.
    let is_of_auto_mode =
        |key: &str| key.starts_with("eks.amazonaws.com/") && pool.is_of_auto_mode() != Some(false);
    let undeclared = |key: &str| {
        if is_of_auto_mode(key) { Undeclared::Unknown } else { undeclared(key, version) }
    };
    pool.offerings.requirements().agree_with(&asked.requirements, undeclared)
}

impl NodePool {
    /// Whether the labels of its nodes certainly are not those that pods ask for. Most pools refuse most pods, and
    /// here no words are made for that.
    #[must_use]
    pub(super) fn labels_refuse(&self, pods: &Demands) -> bool {
        let refuses = |it: &Alternative| {
            it.is_void
                || unwanted(it).is_some()
                || matches!(agreement(self, None, it), Agreement::No(_))
        };
        pods.alternatives.iter().all(refuses)
    }

    /// Whether its nodes take pods, by all that is known of it and of the release of Karpenter.
    #[must_use]
    pub fn decide(&self, version: Option<&Version>, pods: &Demands) -> Decision {
        self.decide_with(version, None, pods)
    }

    /// The same with the room that the instance types have.
    pub(super) fn decide_with(
        &self,
        version: Option<&Version>,
        room: Option<&Room<'_>>,
        pods: &Demands,
    ) -> Decision {
        tolerated(&self.taints, &pods.tolerations).and(|| labels_fit(self, version, room, pods))
    }

    /// Whether pods may run on its nodes.
    #[must_use]
    pub fn may_run(&self, pods: &Demands) -> Option<bool> {
        if self.labels_refuse(pods) { Some(false) } else { self.decide(None, pods).known() }
    }

    /// A lasting taint of all its nodes that the pods of the workload certainly do not tolerate.
    #[must_use]
    pub fn taint_against(&self, workload: &Workload) -> Option<&Taint> {
        let lasts = |it: &&Taint| it.keeps_pods_away() && !startup::is_temporary(&it.key);
        let lasting = self.taints.list.iter().map(|(it, _)| it).filter(lasts);
        let mut lasting = lasting.filter(|_| !self.is_in_doubt);
        lasting.find(|it| workload.tolerations.tolerate(it) == Some(false))
    }

    /// Whether a taint may make the pods of the workload prefer other nodes.
    #[must_use]
    pub fn is_avoided_by(&self, workload: &Workload) -> bool {
        let soft = self.taints.list.iter().filter(|(it, _)| !it.keeps_pods_away());
        soft.into_iter().any(|(it, _)| workload.tolerations.tolerate(it) != Some(true))
    }

    /// Whether the labels of its nodes are those that the pods ask for.
    #[must_use]
    pub fn labels_fit(&self, pods: &Demands) -> Decision {
        labels_fit(self, None, None, pods)
    }

    /// Whether the labels of its nodes are those that a placement asks for.
    #[must_use]
    pub fn labels_fit_placement(&self, placement: &Placement) -> Option<bool> {
        self.labels_fit(&Demands::of_placement(placement)).known()
    }

    /// Where something is required of a label, else where the specification of its nodes is.
    #[must_use]
    pub fn place_of(&self, key: &str) -> Span {
        self.offerings.places(key).first().map_or(self.spec, |it| it.span)
    }
}
