//! Tolerations that name a taint by which Karpenter drains and do not match the one that is set.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{Instance, Note, change::Change},
    model::{
        Model,
        applied::Applied,
        toleration::{
            drain_taint::{DrainTaint, DrainTaints, PoolApi},
            drain_toleration_list::{
                DrainTolerationList, MadeBy, Pods, karpenter_key, naming_lists,
            },
            match_taint::match_taint,
        },
    },
    resolve::{
        gitops::patched::Patched,
        pod::toleration::{Taint, Toleration},
    },
    source::{Files, Span},
};

/// A toleration that names a taint of Karpenter's without effect.
#[derive(Clone, Debug)]
pub struct StaleToleration {
    /// Whose it is.
    pub pods: Pods,
    /// The part that does not fit.
    pub report_span: Span,
    /// Why it does not fit.
    pub fault: Fault,
    /// What is set on a node that is drained.
    pub drain: DrainTaint,
    /// The version that says so: where it is written, and its line.
    pub version: Option<(Span, String)>,
    /// What makes it match; none for pods that should be drained.
    pub changes: Option<Vec<Change>>,
    /// The steps by which it came to its place.
    pub steps: Vec<Note>,
    /// Which of several instances it belongs to.
    pub instance: Option<Instance>,
}

/// Why a toleration does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has the key of another version.
    Key,
    /// It asks for a value the taint has not, or for none where it has one.
    Value,
    /// It tolerates another effect.
    Effect,
    /// Its effect is spelled as on an EKS node group.
    Spelling,
    /// Its operator is none, or one for numbers.
    Operator,
    /// This version of Karpenter has no taint of its own.
    NoOwnTaint,
}

impl StaleToleration {
    /// Why it has no effect.
    #[must_use]
    pub fn reason(&self) -> String {
        let Taint { key, value, effect } = &self.drain.taint;
        match self.fault {
            Fault::Key => format!("the taint is `{key}`"),
            Fault::Value if value.is_empty() => format!("`{key}` has no value"),
            Fault::Value => format!("the taint's value is `{value}`"),
            Fault::Effect => format!("the taint's effect is `{}`", effect.word()),
            Fault::Spelling => format!("`{}` is no toleration effect", effect.eks_word()),
            Fault::Operator => "this is no operator for it".to_owned(),
            Fault::NoOwnTaint => "Karpenter has no such taint before 0.32".to_owned(),
        }
    }

    /// Whether its pods should be drained, so that matching the taint would be worse.
    #[must_use]
    pub fn is_better_removed(&self) -> bool {
        self.pods.made_by == MadeBy::Replicas || self.fault == Fault::NoOwnTaint
    }
}

/// A list with the toleration of it that is to be mended, as an index.
struct Judged<'a> {
    list: &'a DrainTolerationList,
    at: usize,
    fault: Fault,
    found: (DrainTaint, Option<(Span, String)>),
}

impl Model {
    /// Finds what is wrong with the tolerations of these objects, of releases and add-ons.
    pub fn judge_tolerations(&mut self, files: &Files, (objects, patched): (&[Applied], &Patched)) {
        let pools: Vec<PoolApi> = objects.iter().filter_map(PoolApi::of).collect();
        self.drain_taints = DrainTaints::new(&self.releases, &pools);
        let lists = naming_lists(files, (objects, patched), &self.releases, &self.addons);
        self.stale_tolerations = self.stale_among(&lists);
    }

    /// The tolerations of these lists that are without effect, one of each list.
    fn stale_among(&self, lists: &[DrainTolerationList]) -> Vec<StaleToleration> {
        let judged: Vec<Judged> = lists.iter().filter_map(|it| self.judge(it)).collect();
        let wishes = wishes(lists, &judged);
        let stale = |it: &Judged| {
            let toleration = &it.list.tolerations.list[it.at];
            let agreed = || wishes.get(&literal(toleration)?)?.clone();
            let mended = agreed().and_then(|it| match_taint(toleration.written.as_ref()?, &it));
            Some(StaleToleration {
                pods: it.list.pods.clone(),
                report_span: report_span(toleration, it.fault)?,
                fault: it.fault,
                drain: it.found.0.clone(),
                version: it.found.1.clone(),
                changes: mended,
                steps: it.list.steps.clone(),
                instance: it.list.instance.clone(),
            })
        };
        judged.iter().filter_map(stale).collect()
    }

    fn judge<'a>(&self, list: &'a DrainTolerationList) -> Option<Judged<'a>> {
        let (drain, release) = self.drain_taint(&list.scope)?;
        // The pods of a DaemonSet tolerate the common taint by themselves.
        if !drain.own && list.pods.made_by != MadeBy::Replicas {
            return None;
        }
        if list.tolerations.tolerate(&drain.taint) != Some(false) {
            return None;
        }
        let all = &list.tolerations.list;
        let with_key =
            |it: &&str| all.iter().position(|toleration| karpenter_key(toleration) == Some(it));
        let at = with_key(&drain.taint.key.as_str())
            .or_else(|| all.iter().position(|it| karpenter_key(it).is_some()))?;
        let fault = fault(&all[at], &drain);
        let version = release.and_then(|it| {
            let (major, minor) = it.exact_version()?.line();
            Some((it.version.span(), format!("{major}.{minor}")))
        });
        Some(Judged { list, at, fault, found: (drain, version) })
    }
}

fn fault(toleration: &Toleration, drain: &DrainTaint) -> Fault {
    let is = |part: Option<&str>, wanted: &[&str]| part.is_some_and(|it| wanted.contains(&it));
    if !drain.own {
        Fault::NoOwnTaint
    } else if karpenter_key(toleration) != Some(&drain.taint.key) {
        Fault::Key
    } else if toleration.eks_spelling() {
        Fault::Spelling
    } else if !is(toleration.effect.known(), &["", drain.taint.effect.word()]) {
        Fault::Effect
    } else if !is(toleration.operator.known(), &["", "Equal", "Exists"]) {
        Fault::Operator
    } else {
        Fault::Value
    }
}

/// The part that does not fit, else the key.
fn report_span(toleration: &Toleration, fault: Fault) -> Option<Span> {
    let written = toleration.written.as_ref()?;
    let part = match fault {
        Fault::Key | Fault::NoOwnTaint => "key",
        Fault::Value => "value",
        Fault::Effect | Fault::Spelling => "effect",
        Fault::Operator => "operator",
    };
    let at = |key: &str| written.get(key).present().map(|it| it.span);
    at(part).or_else(|| at("key"))
}

/// The place of a toleration's key.
fn literal(toleration: &Toleration) -> Option<Span> {
    toleration.written.as_ref()?.get("key").present().map(|it| it.span)
}

/// The taint that all users of one literal want it to match; `None` where one does not want it changed.
fn wishes(lists: &[DrainTolerationList], judged: &[Judged]) -> HashMap<Span, Option<Taint>> {
    let mut wanted: HashMap<Span, Option<Taint>> = HashMap::new();
    for it in judged {
        let Some(literal) = literal(&it.list.tolerations.list[it.at]) else { continue };
        let keeps = it.list.pods.made_by == MadeBy::Replicas || !it.found.0.own;
        let wish = (!keeps).then(|| it.found.0.taint.clone());
        let first = wanted.entry(literal).or_insert_with(|| wish.clone());
        if *first != wish {
            *first = None;
        }
    }
    let discontent: HashSet<*const DrainTolerationList> =
        judged.iter().map(|it| std::ptr::from_ref(it.list)).collect();
    let content = |it: &&DrainTolerationList| !discontent.contains(&std::ptr::from_ref(*it));
    for list in lists.iter().filter(content) {
        for literal in list.tolerations.list.iter().filter_map(literal) {
            wanted.entry(literal).and_modify(|it| *it = None);
        }
    }
    wanted
}
