//! Which events come to the nodes of a pool, and how long a drain of them may take.

use crate::{
    findings::{note::Note, silence::Silence},
    model::{
        Model,
        annotation::effect::{AnnotationEffect, on_nodes},
        disruption::{
            Event,
            gate::{CAPACITY_TYPE, gate},
            pods::not_known,
            replacement::conditions,
        },
        node_pool::{
            Lifetime, NodePool, PoolVersion,
            budgets::Reason,
            frozen::{Frozen, closed_for},
        },
        workload::DO_NOT_DISRUPT,
    },
    resolve::{release::Release, scope::Scope},
    source::Span,
    value::{Field, Value},
    version::Version,
};

/// What is known of the nodes of a pool.
pub struct Nodes<'m> {
    /// The pool; `None` for one that is not in the repository.
    pub pool: Option<&'m NodePool>,
    api: Option<PoolVersion>,
    version: Option<Version>,
    is_auto: Option<bool>,
    comes: [Coming; 7],
    pub(super) limit: Limit,
    /// Whether they may be spot instances.
    pub(super) may_be_spot: bool,
    /// What has to be so before consolidation replaces one of them.
    pub(super) replacement: Vec<Note>,
    span: Span,
}

/// Whether an event comes to nodes.
#[derive(Clone, Debug)]
pub(super) enum Coming {
    /// It does.
    Yes,
    /// It comes only to nodes that have no other pods than those of agents.
    ToEmpty(Note),
    /// It never does.
    Never(Note),
    /// It would, and something of the pool never lets it begin.
    Held(Note),
    /// It comes without notice.
    Unheard(Note),
    /// Not known.
    Unknown(Note),
}

/// How long a drain may take.
#[derive(Clone, Debug)]
pub(super) enum Limit {
    /// As long as it takes.
    Endless,
    /// So many seconds, as they are written.
    After(f64, String, Note),
    /// Not known.
    Unknown(Note),
}

impl<'m> Nodes<'m> {
    /// Those of a pool.
    #[must_use]
    pub fn of(model: &'m Model, pool: &'m NodePool) -> Self {
        let (version, installation) = model.karpenter_near(&pool.scope);
        let release = installation.and_then(|it| model.releases.get(it.release?));
        let span = pool.report_span;
        let mut nodes = Self {
            pool: Some(pool),
            api: Some(pool.api),
            version,
            is_auto: pool.is_of_auto_mode(),
            comes: Event::ALL.map(|_| Coming::Yes),
            limit: Limit::Endless,
            may_be_spot: may_be_spot(pool),
            replacement: conditions(pool, release),
            span,
        };
        nodes.limit = nodes.limit_of(pool);
        nodes.comes = Event::ALL.map(|event| nodes.coming(event, pool, release));
        nodes
    }

    /// Those of a pool that is not in the repository, in the cluster of a scope.
    #[must_use]
    pub fn unseen(model: &'m Model, scope: &Scope, span: Span) -> Self {
        let (version, installation) = model.karpenter_near(scope);
        let release = installation.and_then(|it| model.releases.get(it.release?));
        let note = note(span, "the NodePool it runs on is not in the repository");
        let mut nodes = Self {
            pool: None,
            api: None,
            version,
            is_auto: Some(false),
            comes: Event::ALL.map(|_| Coming::Unknown(note.clone())),
            limit: Limit::Unknown(note),
            may_be_spot: true,
            replacement: Vec::new(),
            span,
        };
        nodes.comes[Event::Health as usize] = nodes.repair(release);
        for event in [Event::Deletion, Event::PoolRemoval] {
            nodes.comes[event as usize] = Coming::Yes;
        }
        if let Coming::Unheard(note) = nodes.notice(release) {
            nodes.comes[Event::Interruption as usize] = Coming::Unheard(note);
        }
        nodes
    }

    /// Where to point.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Whether an event comes.
    pub(super) fn comes(&self, event: Event) -> &Coming {
        &self.comes[event as usize]
    }

    /// Whether Karpenter is at least of that version; an API is served by some versions only.
    pub(super) fn is_since(&self, minor: (u64, u64)) -> Option<bool> {
        if self.is_auto == Some(true) {
            return Some(true);
        }
        if let Some(version) = &self.version {
            return Some(version.line() >= minor);
        }
        match self.api? {
            PoolVersion::V1 => (minor <= (1, 0)).then_some(true),
            PoolVersion::V1Beta1 if minor <= (0, 32) => Some(true),
            PoolVersion::V1Beta1 => (minor > (1, 0)).then_some(false),
        }
    }

    /// What an annotation of pods does with that text.
    pub(super) fn version(&self) -> Option<&Version> {
        self.version.as_ref().filter(|_| self.is_auto != Some(true))
    }

    fn limit_of(&self, pool: &NodePool) -> Limit {
        let span = pool.grace.span();
        match (pool.grace.decided("`terminationGracePeriod`"), self.is_auto) {
            (Err(silence), _) => Limit::Unknown(not_known(&silence, span)),
            (Ok(Some(seconds)), _) => {
                let text = pool.grace.value().and_then(Value::as_str).unwrap_or_default();
                let words = format!("`terminationGracePeriod: {text}` of the pool ends the drain");
                Limit::After(*seconds, text.to_owned(), note(span, words))
            }
            (Ok(None), Some(false)) => Limit::Endless,
            (Ok(None), Some(true)) => {
                let words = "EKS Auto Mode ends a drain after 24 hours";
                Limit::After(86_400.0, "24h".to_owned(), note(pool.report_span, words))
            }
            (Ok(None), None) => {
                let words = "the kind of the pool's node class is not known";
                Limit::Unknown(note(pool.report_span, words))
            }
        }
    }

    fn coming(&self, event: Event, pool: &NodePool, release: Option<&Release>) -> Coming {
        match event {
            Event::Consolidation => self.consolidation(pool),
            Event::Drift => self.drift(pool, release),
            Event::Expiration => self.expiration(pool),
            Event::Interruption => self.notice(release),
            Event::Health => self.repair(release),
            Event::Deletion | Event::PoolRemoval => Coming::Yes,
        }
    }

    fn consolidation(&self, pool: &NodePool) -> Coming {
        if pool.is_static().known_to_be(&true) {
            let words = "a pool with a fixed number of nodes is not consolidated";
            return Coming::Never(note(pool.is_static().span(), words));
        }
        if pool.is_in_doubt {
            return Coming::Unknown(note(pool.report_span, "what patches the pool is not here"));
        }
        let after = pool.object.at("spec.disruption.consolidateAfter");
        if let Field::Present(value) = after
            && value.as_str() == Some("Never")
        {
            let words = "`consolidateAfter: Never`: its nodes are not consolidated";
            return Coming::Never(note(value.span, words));
        }
        let after_known = !after.is_unknown() && !after.present().is_some_and(Value::is_unknown);
        let policy = pool.object.at("spec.disruption.consolidationPolicy");
        let policy_value = policy.present();
        match policy_value.and_then(Value::as_str) {
            Some("WhenEmpty") => {
                let span = policy_value.map_or(self.span, |it| it.span);
                let words = "`WhenEmpty`: only nodes without such pods are removed";
                return Coming::ToEmpty(note(span, words));
            }
            None if !policy.is_missing() => {
                let span = policy_value.map_or(self.span, |it| it.span);
                return Coming::Unknown(note(span, "`consolidationPolicy` is not known"));
            }
            _ if !after_known => {
                let span = after.present().map_or(self.span, |it| it.span);
                return Coming::Unknown(note(span, "`consolidateAfter` is not known"));
            }
            _ => {}
        }
        self.allowed(pool, Reason::Underutilized)
    }

    /// The gate was off by default before 0.33, and is gone since 1.0.
    fn drift(&self, pool: &NodePool, release: Option<&Release>) -> Coming {
        let gates = [self.is_since((1, 0)), self.is_since((0, 33))];
        if gates[0] != Some(true) {
            match (gate(release, &["drift", "driftEnabled"]), gates[1]) {
                (Some((Some(false), span)), _) => {
                    return Coming::Never(note(span, "the feature gate of drift is off"));
                }
                (None, Some(false)) => {
                    let words = "drift is off by default before 0.33";
                    return Coming::Never(note(self.span, words));
                }
                (Some((None, span)), _) => {
                    let words = "whether the feature gate of drift is on is not known";
                    return Coming::Unknown(note(span, words));
                }
                _ => {}
            }
        }
        self.allowed(pool, Reason::Drifted)
    }

    /// Expiration is a graceful disruption before 1.0, for which budgets count since 0.34.
    fn expiration(&self, pool: &NodePool) -> Coming {
        let span = pool.expire_after.span();
        match pool.expire_after.decided("`expireAfter`") {
            Ok(Lifetime::Endless) => {
                let words = "`expireAfter: Never`: its nodes do not expire";
                Coming::Never(note(span, words))
            }
            Ok(Lifetime::Seconds(_)) if self.is_since((1, 0)) == Some(false) => {
                self.allowed(pool, Reason::Drifted)
            }
            Ok(Lifetime::Seconds(_)) => Coming::Yes,
            Err(silence) => Coming::Unknown(not_known(&silence, span)),
        }
    }

    /// Whether budgets and the annotation of nodes let a disruption begin.
    fn allowed(&self, pool: &NodePool, reason: Reason) -> Coming {
        if let Some(held) = self.held(pool) {
            return held;
        }
        match closed_for(pool, reason) {
            Some(Frozen::Nothing(closed)) => {
                let span = closed.first().map_or(self.span, |it| it.nodes);
                let words = "a budget of the pool allows no node for this, at any time";
                return Coming::Held(note(span, words));
            }
            Some(Frozen::InvalidSchedule { span, .. }) => {
                let words = "Karpenter cannot parse this schedule, and then allows no node at all";
                return Coming::Held(note(span, words));
            }
            None => {}
        }
        let budgets = pool.budgets();
        if budgets.may_have_others {
            return Coming::Unknown(note(self.span, "the budgets of the pool are not known"));
        }
        let unknown = budgets.list.iter().find(|it| it.nodes.known().is_none());
        if let Some(budget) = unknown {
            let silence = budget.nodes.decided("`nodes` of a budget").err();
            let silence = silence.unwrap_or_else(|| Silence::sound(""));
            return Coming::Unknown(not_known(&silence, budget.nodes.span()));
        }
        Coming::Yes
    }

    /// That an annotation of the nodes keeps them.
    fn held(&self, pool: &NodePool) -> Option<Coming> {
        let annotations = pool.object.at("spec.template.metadata.annotations");
        let value = annotations.get(DO_NOT_DISRUPT).present()?;
        let Some(text) = value.as_str() else {
            let words = "`karpenter.sh/do-not-disrupt` on its nodes is not known";
            return Some(Coming::Unknown(note(value.span, words)));
        };
        let holds = matches!(
            on_nodes(text, self.version()),
            AnnotationEffect::Active | AnnotationEffect::Blocks(_)
        );
        let words = "`karpenter.sh/do-not-disrupt` on the nodes of the pool keeps them";
        holds.then(|| Coming::Held(note(value.span, words)))
    }

    /// Whether Karpenter hears of interruptions.
    fn notice(&self, release: Option<&Release>) -> Coming {
        if self.is_auto == Some(true) {
            return Coming::Yes;
        }
        let unknown = |span: Span| {
            let words = "whether Karpenter has an interruption queue is not known";
            Coming::Unknown(note(span, words))
        };
        let Some(release) = release else { return unknown(self.span) };
        let old = ["settings.aws.interruptionQueueName", "settings.aws.interruptionQueue"];
        let mut unset = true;
        for path in ["settings.interruptionQueue"].into_iter().chain(old) {
            match release.values.at(path) {
                Field::Present(value) if value.as_str() == Some("") || value.is_null() => {}
                Field::Present(_) => return Coming::Yes,
                Field::Unknown => unset = false,
                Field::Missing => {}
            }
        }
        if !unset || release.reusable || !release.is_of_karpenter() {
            return unknown(release.report_span);
        }
        let words = "Karpenter has no interruption queue, and hears no notice";
        Coming::Unheard(note(release.report_span, words))
    }

    /// Node auto repair is there since 1.1, behind a gate that is off by default.
    fn repair(&self, release: Option<&Release>) -> Coming {
        if self.is_auto == Some(true) {
            return Coming::Yes;
        }
        if self.is_since((1, 1)) == Some(false) {
            let words = "Karpenter repairs no nodes before 1.1";
            return Coming::Never(note(self.span, words));
        }
        match gate(release, &["nodeRepair"]) {
            Some((Some(true), _)) => Coming::Yes,
            Some((Some(false), span)) => {
                Coming::Never(note(span, "the feature gate `nodeRepair` is off"))
            }
            Some((None, span)) => {
                let words = "whether the feature gate `nodeRepair` is on is not known";
                Coming::Unknown(note(span, words))
            }
            None => {
                if let Some(release) = release {
                    let words = "the feature gate `nodeRepair` is off by default";
                    Coming::Never(note(release.report_span, words))
                } else {
                    let words = "the feature gate `nodeRepair` is off, unless Karpenter is installed \
                             otherwise elsewhere";
                    Coming::Never(note(self.span, words))
                }
            }
        }
    }
}

fn note(span: Span, words: impl Into<String>) -> Note {
    Note { span, message: words.into() }
}

/// Without a requirement they may be of any capacity type.
fn may_be_spot(pool: &NodePool) -> bool {
    let types = pool.offerings.requirements().get(CAPACITY_TYPE);
    types.is_none_or(|it| it.admits("spot") != Some(false))
}
