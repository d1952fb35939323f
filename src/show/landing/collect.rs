//! Asks each taker of a cluster about each of its pods.

use std::sync::Arc;

use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};

use crate::{
    findings::{note::Note, subject::Condition},
    hash::HashMap,
    inventory::{facts::unknown, parts},
    model::{
        Model,
        cluster::Cluster,
        disruption::{
            Fates,
            nodes::Nodes,
            pods::{Guards, Pods},
            table::PossibleNodes,
        },
        node_label::NODE_POOL,
        node_pool::near::PoolSet,
        placement::{
            decision::{Decision, RefusalCause},
            demands::Demands,
            own_nodes::keeps_off,
            taker::{Taker, TakerKind},
        },
        scope::Scoped,
        workload::Workload,
    },
    project::Project,
    resolve::{scope::Scope, setting::unknown_in},
    show::{
        cluster::ChosenClusters,
        landing::{Answer, Landing, PodsView, TakerView},
        overview::collect::{is_asked_for, name_of},
        unknown::words,
    },
    source::Span,
    value::deserialize::NOWHERE,
};

/// The clusters of a project that are asked for, in the order of their folders.
pub(crate) fn clusters<'p>(
    project: &'p Project,
    model: &Model,
    chosen: &ChosenClusters,
) -> Vec<Landing<'p>> {
    let indexes = (0..chosen.all.list.len()).filter(|it| chosen.contain(*it));
    let guards = Guards::of(model);
    let of = |index: usize| Some(Members::of(model, chosen, index)?.landing(project, &guards));
    let mut found: Vec<Landing<'p>> = indexes.filter_map(of).collect();
    found.retain(|it| !it.pods.is_empty() || !it.takers.is_empty());
    found.sort_by(|a, b| a.folder.cmp(&b.folder));
    found
}

/// Pods that ask the same of their nodes, and so much room: all takers answer them the same.
type Room = (PoolSet, Vec<(String, u64, bool)>);

/// The pods of a workload, and what they ask of their nodes.
struct Asking<'m> {
    pods: Pods<'m>,
    workload: &'m Workload,
    demands: Demands,
    room: Option<Room>,
}

/// A taker, and its nodes where they are Karpenter's.
struct Candidate<'m> {
    taker: Taker<'m>,
    nodes: Option<Nodes<'m>>,
}

struct Members<'m> {
    model: &'m Model,
    chosen: &'m ChosenClusters,
    index: usize,
    candidates: Vec<Candidate<'m>>,
    /// The pools that are not in the repository, where Karpenter is installed and none is.
    unseen: Option<Nodes<'m>>,
    /// Whether EKS may have pools that nobody writes.
    may_be_auto: bool,
}

impl<'m> Members<'m> {
    fn of(model: &'m Model, chosen: &'m ChosenClusters, index: usize) -> Option<Self> {
        let own = chosen.all.list.get(index)?;
        let here = |scope: &Scope| chosen.all.around(scope).contains(&index);
        let cluster = own.cluster.and_then(|it| model.clusters.get(it));
        let fixed = cluster.into_iter().flat_map(|it: &Cluster| {
            let groups = it.node_groups.iter().map(|it| Taker::group(model, it));
            groups.chain(it.profiles.iter().map(Taker::fargate))
        });
        let fixed = fixed.map(|taker| Candidate { taker, nodes: None });
        let pools = model.node_pools.par_iter().filter(|it| here(it.scope()));
        let pools = pools.map(|it| Candidate {
            taker: Taker::pool(model, it),
            nodes: Some(Nodes::of(model, it)),
        });
        let pools: Vec<Candidate<'m>> = pools.collect();
        let candidates: Vec<Candidate<'m>> = fixed.chain(pools).collect();
        let installed = model.installations.iter().find(|it| here(it.scope()));
        let place = installed.and_then(|it| model.releases.get(it.release?));
        let place = place.map(|it| it.report_span);
        let has_pools = candidates.iter().any(|it| it.nodes.is_some());
        let unseen = installed.filter(|_| !has_pools).and(place);
        let unseen = unseen.map(|it| Nodes::unseen(model, &own.scope, it));
        let may_be_auto = cluster.is_some_and(|it| it.may_be_auto);
        Some(Self { model, chosen, index, candidates, unseen, may_be_auto })
    }

    fn landing<'p>(&self, project: &'p Project, guards: &Guards<'_>) -> Landing<'p> {
        let own = &self.chosen.all.list[self.index];
        let here = |scope: &Scope| self.chosen.all.around(scope).contains(&self.index);
        let asked = |it: &Workload| is_asked_for(project, it.report_span, &it.scope);
        let all = self.model.workloads.iter().enumerate();
        let all = all.filter(|(_, it)| here(&it.scope) && asked(it));
        let all: Vec<(usize, &Workload)> = all.collect();
        let asking = |(index, it)| Some(self.asking(Pods::of(guards, index)?, it));
        let asking: Vec<Asking<'_>> = all.into_par_iter().filter_map(asking).collect();
        let (firsts, groups) = grouped(&asking);
        let known = firsts.into_par_iter().map(|it| self.answers(it));
        let known: Vec<Arc<[Answer]>> = known.collect();
        let view = |(it, group): (Asking<'_>, Option<usize>)| {
            let answers = group.and_then(|it| known.get(it));
            self.view(&it, answers.map_or_else(|| self.answers(&it), Arc::clone))
        };
        let asking = asking.into_par_iter().zip(groups);
        let mut pods: Vec<PodsView> = asking.map(view).collect();
        pods.sort_by_cached_key(|it| {
            (project.files.get(it.item.span.file).path(), it.item.span.start)
        });
        Landing {
            project,
            folder: own.scope.folder.to_string(),
            name: name_of(project, own),
            takers: self.takers(),
            pods,
        }
    }

    fn takers(&self) -> Vec<TakerView> {
        let view = |it: &Candidate<'_>| TakerView {
            name: it.taker.name.clone().unwrap_or_else(|| unknown("?", it.taker.report_span)),
            kind: it.taker.kind(),
            class: it.taker.as_pool().and_then(|it| it.class.value().cloned()),
            span: it.taker.report_span,
        };
        let unseen = self.unseen.as_ref().map(|it| TakerView {
            name: unknown("NodePools that are not in the repository", it.span()),
            kind: TakerKind::NodePool,
            class: None,
            span: it.span(),
        });
        self.candidates.iter().map(view).chain(unseen).collect()
    }

    fn asking<'a>(&self, pods: Pods<'a>, workload: &'a Workload) -> Asking<'a> {
        let demands = Demands::of(workload);
        // Fargate profiles look at namespaces and labels, too.
        let has_profiles = self.candidates.iter().any(|it| it.taker.kind() == TakerKind::Fargate);
        let set = self
            .model
            .pool_set(workload)
            .filter(|_| !has_profiles && !demands.is_daemon && demands.other_scheduler.is_none());
        let room = set.map(|it| (it, demands.requests.key()));
        Asking { pods, workload, demands, room }
    }

    fn view(&self, it: &Asking<'_>, answers: Arc<[Answer]>) -> PodsView {
        PodsView {
            item: parts::identity(it.workload),
            is_stateful: it.workload.is_stateful(),
            are_agents: it.pods.are_agents(),
            fates: self.fates(&it.pods, it.workload, &answers),
            answers,
        }
    }

    fn answers(&self, of: &Asking<'_>) -> Arc<[Answer]> {
        let answers = self.candidates.iter().map(|it| self.answer(it, of.workload, &of.demands));
        let unseen = self.unseen.as_ref().map(|it| {
            let message = "the NodePools of its cluster are not in the repository".to_owned();
            Answer::Undecided(Note { span: it.span(), message })
        });
        answers.chain(unseen).collect()
    }

    fn answer(&self, it: &Candidate<'_>, workload: &Workload, demands: &Demands) -> Answer {
        let pool = it.taker.as_pool();
        if pool.is_some_and(|it| !self.model.may_meet(&it.scope, &workload.scope)) {
            return Answer::Apart;
        }
        let place = it.taker.report_span;
        let off = |span: Span| {
            let condition = pool.and_then(|it| it.subject.as_ref()?.conditions.first());
            let message = condition.map_or_else(
                || "the pool is switched off with the values of this repository".to_owned(),
                Condition::words,
            );
            Answer::Undecided(Note { span, message })
        };
        match it.taker.takes(demands) {
            Decision::Yes => match pool {
                Some(pool) if pool.is_optional => off(pool.report_span),
                _ => Answer::Takes,
            },
            Decision::No(refusal) => {
                // What is asked for is at each of the pods that share this answer.
                let span = match refusal.cause {
                    RefusalCause::Resource(_) => place,
                    _ => refusal.because.or(refusal.demand).unwrap_or(place),
                };
                Answer::Refuses(placed(Note { span, message: refusal.words }, place))
            }
            Decision::Undecided(doubt) => {
                let span = doubt.place.unwrap_or(place);
                let template = pool.and_then(|it| it.object.at("spec.template").present());
                let unknown = template.and_then(unknown_in);
                let unknown = unknown.map(words).filter(|it| it != "?");
                let message = match unknown {
                    Some(words) if !doubt.why.contains(&words) => {
                        format!("{}: ? {words}", doubt.why)
                    }
                    _ => doubt.why,
                };
                Answer::Undecided(placed(Note { span, message }, place))
            }
        }
    }

    fn fates(&self, pods: &Pods<'_>, workload: &Workload, answers: &[Answer]) -> Fates {
        if let Some(note) = self.elsewhere(workload, answers) {
            return Fates::elsewhere(&note);
        }
        let fargate = self.candidates.iter().zip(answers).find_map(|(it, answer)| match answer {
            Answer::Undecided(note) if it.taker.kind() == TakerKind::Fargate => Some(note),
            _ => None,
        });
        let possible = self.candidates.iter().zip(answers).filter_map(|(it, answer)| {
            let nodes = it.nodes.as_ref()?;
            match answer {
                Answer::Takes => Some(PossibleNodes { nodes, doubt: fargate }),
                Answer::Undecided(note) => Some(PossibleNodes { nodes, doubt: Some(note) }),
                Answer::Refuses(_) | Answer::Apart => None,
            }
        });
        let unseen = self.unseen.as_ref().map(|nodes| PossibleNodes { nodes, doubt: None });
        let possible: Vec<PossibleNodes<'_, '_>> = possible.chain(unseen).collect();
        Fates::on(pods, &possible)
    }

    /// Why the pods are certainly on no node of Karpenter's.
    fn elsewhere(&self, workload: &Workload, answers: &[Answer]) -> Option<Note> {
        let asked = || self.candidates.iter().zip(answers);
        let fargate = asked().find(|(it, answer)| {
            it.taker.kind() == TakerKind::Fargate && **answer == Answer::Takes
        });
        if let Some((profile, _)) = fargate {
            let message = "its pods run on Fargate".to_owned();
            return Some(Note { span: profile.taker.report_span, message });
        }
        let here =
            |message: &str| Some(Note { span: workload.report_span, message: message.to_owned() });
        if keeps_off(&workload.placement, &[NODE_POOL]) == Some(true) {
            return here("its pods select nodes that Karpenter does not make");
        }
        if self.model.may_have_karpenter(&workload.scope) == Some(false) {
            return here("its cluster is another one than that with Karpenter");
        }
        let mut pools = asked().filter(|(it, _)| it.nodes.is_some()).peekable();
        if pools.peek().is_none() || self.may_be_auto {
            return None;
        }
        let refused = pools.map(|(it, answer)| match answer {
            Answer::Refuses(note) => Some(Some((it, note))),
            Answer::Apart => Some(None),
            Answer::Takes | Answer::Undecided(_) => None,
        });
        let refused: Option<Vec<_>> = refused.collect();
        let (_, note) = refused?.into_iter().flatten().next()?;
        let message = format!("no NodePool takes its pods: {}", note.message);
        Some(Note { span: note.span, message })
    }
}

/// The first of those that all takers answer the same, and for each of all which first one it is like.
fn grouped<'a, 'm>(asking: &'a [Asking<'m>]) -> (Vec<&'a Asking<'m>>, Vec<Option<usize>>) {
    let mut firsts = Vec::new();
    let mut known: HashMap<&Room, usize> = HashMap::default();
    let mut groups = Vec::with_capacity(asking.len());
    for it in asking {
        let group = it.room.as_ref().map(|room| {
            *known.entry(room).or_insert_with(|| {
                firsts.push(it);
                firsts.len() - 1
            })
        });
        groups.push(group);
    }
    (firsts, groups)
}

/// What a chart brings by default is written nowhere, and is shown at the taker.
fn placed(note: Note, place: Span) -> Note {
    let is_written = note.span.file != NOWHERE.file;
    Note { span: if is_written { note.span } else { place }, ..note }
}
