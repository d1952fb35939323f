//! Whether a value that is to name the interruption queue is the name of the queue in sight.

use std::collections::HashSet;

use crate::{
    checks::chart_value::{
        KarpenterChart,
        dead_value::RenameRisk,
        queue::{QUEUE, has_queue, reference},
    },
    model::Model,
    resolve::{
        release::Release,
        terraform::{module_source::ModuleSource, object::BlockInstance},
    },
    source::Span,
    value::{Entry, Field, HOLE_END, HOLE_START, Holes, Kind, Symbol, Text, TextSource, Value},
};

/// What the module `karpenter` of terraform-aws-modules/eks puts before the name of the cluster.
const OF_MODULE: &str = "Karpenter-";

/// Why Karpenter may not find the queue that a value names once it reads the value; `None` where it surely does.
pub(super) fn risk(
    model: &Model,
    chart: &KarpenterChart<'_>,
    entry: &Entry,
    path: &str,
) -> Option<RenameRisk> {
    let value = named(chart, entry, path);
    let of_queue = |it: &str| it.contains("queue") || it.contains("sqs");
    if reference(value).is_some_and(of_queue) {
        return None;
    }
    let queues = queues(model, chart.release.scope.root);
    let same = |it: &&BlockInstance| name(it).and_then(|it| it.same_as(value));
    if queues.iter().any(|it| same(it) == Some(true)) {
        return None;
    }
    if queues.iter().any(|it| same(it).is_none()) || (queues.is_empty() && has_queue(model)) {
        return Some(RenameRisk::UnclearQueue);
    }
    let others: Vec<(String, &&BlockInstance)> = queues
        .iter()
        .filter(|it| is_for_interruptions(it))
        .filter_map(|it| Some((shown(&name(it)?), it)))
        .collect();
    let names: HashSet<&str> = others.iter().map(|it| &*it.0).collect();
    match others.first() {
        Some((name, queue)) if names.len() == 1 => {
            Some(RenameRisk::OtherQueue(name.clone(), queue.header))
        }
        _ => Some(RenameRisk::NoQueue),
    }
}

/// What is given as the queue, at a path or below it.
fn named<'a>(chart: &'a KarpenterChart<'_>, entry: &'a Entry, path: &str) -> &'a Value {
    let is_below = |it: &&String| it.strip_prefix(path).is_some_and(|it| it.starts_with('.'));
    let mut names = chart.values.names_of(QUEUE).iter().filter(is_below);
    let values = &chart.release.values;
    names.find_map(|it| values.at(it).present()).unwrap_or(&entry.value)
}

/// The queues of a root, else of the whole repository; of those, where there are such, what by its name is for
/// interruptions.
fn queues(model: &Model, root: Option<usize>) -> Vec<&BlockInstance> {
    let roots = || model.terraform.roots.iter().enumerate();
    let all = || roots().flat_map(|(index, it)| it.objects.iter().map(move |it| (index, it)));
    let all: Vec<_> = all().filter(|it| makes_queue(it.1)).collect();
    let near: Vec<_> = all.iter().filter(|it| Some(it.0) == root).map(|it| it.1).collect();
    let found = if near.is_empty() { all.into_iter().map(|it| it.1).collect() } else { near };
    let (own, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|it| is_for_interruptions(it));
    if own.is_empty() { others } else { own }
}

/// What code calls the name of the only queue that the root of a release makes for interruptions; its address where the
/// release is not in the module that makes it.
pub(crate) fn own_queue(model: &Model, release: &Release) -> Option<String> {
    let root = model.terraform.roots.get(release.scope.root?)?;
    let module = &*release.code()?.module;
    let mut queues = root.objects.iter().filter(|it| makes_queue(it) && is_for_interruptions(it));
    let (Some(queue), None) = (queues.next(), queues.next()) else { return None };
    let inside = match module {
        "" => Some(&*queue.address),
        module => queue.address.strip_prefix(module).and_then(|it| it.strip_prefix('.')),
    };
    let is_own = |it: &&str| it.starts_with(&format!("{}.{}", queue.kind, queue.name));
    let attribute = if is_module(queue) { "queue_name" } else { "name" };
    let own = inside.filter(is_own).map(|it| format!("{it}.{attribute}"));
    Some(own.unwrap_or_else(|| queue.address.to_string()))
}

fn makes_queue(block: &BlockInstance) -> bool {
    &*block.kind == "aws_sqs_queue" || (is_module(block) && queue_is_off(block).is_none())
}

/// Where a module is told to make no queue, also by a name that its switch does not have: that is what is meant.
fn queue_is_off(module: &BlockInstance) -> Option<Span> {
    let is_switch =
        |it: &&Entry| &*it.key == "enable_spot_termination" || it.key.contains("interruption");
    let mut switches = module.body.entries().iter().filter(is_switch);
    switches.find(|it| it.value.as_bool() == Some(false)).map(|it| it.value.span)
}

/// Where the modules that make queue and role for the controller of a root are told to make no queue, and nothing else of
/// the root makes one for it; without a root, those of the repository.
pub(super) fn told_to_make_none(model: &Model, root: Option<usize>) -> Option<Span> {
    let roots = model.terraform.roots.iter().enumerate();
    let near = roots.filter(|(index, _)| root.is_none_or(|it| it == *index));
    let objects = || near.clone().flat_map(|it| &it.1.objects);
    if objects().any(|it| makes_queue(it) && is_for_interruptions(it)) {
        return None;
    }
    objects().filter(|it| is_module(it)).find_map(queue_is_off)
}

fn is_module(block: &BlockInstance) -> bool {
    ModuleSource::of(block).is(ModuleSource::EKS_KARPENTER)
}

fn is_for_interruptions(block: &BlockInstance) -> bool {
    let says = |it: &str| {
        let it = it.to_lowercase();
        it.contains("karpenter") || it.contains("interrupt")
    };
    is_module(block) || says(&block.address) || name(block).is_some_and(|it| says(&shown(&it)))
}

/// The name that a block gives its queue; `None` where that is not known.
fn name(block: &BlockInstance) -> Option<Value> {
    let written = |key: &str| match block.body.get(key) {
        Field::Present(value) if !value.is_null() => Some(value.clone()),
        _ => None,
    };
    if !is_module(block) {
        return written("name");
    }
    match block.body.get("queue_name") {
        Field::Unknown => None,
        _ => written("queue_name").or_else(|| Some(after_prefix(&written("cluster_name")?))),
    }
}

/// The module's own name for a queue.
fn after_prefix(cluster: &Value) -> Value {
    let (text, holes) = match &cluster.kind {
        Kind::String(text) => (text.text.to_string(), text.holes.clone()),
        Kind::Unknown(symbol) => of_hole(symbol),
        _ => return cluster.clone(),
    };
    let layout = TextSource::Nowhere;
    let text = Text { holes, layout, ..Text::computed(format!("{OF_MODULE}{text}")) };
    Value { kind: Kind::String(text), ..cluster.clone() }
}

fn of_hole(symbol: &Symbol) -> (String, Holes) {
    (format!("{HOLE_START}0{HOLE_END}"), [symbol.clone()].into())
}

/// A name with its expressions as Terraform writes them: `${var.cluster}-karpenter`.
fn shown(name: &Value) -> String {
    let (text, holes) = match &name.kind {
        Kind::String(text) => (text.text.to_string(), text.holes.clone()),
        Kind::Unknown(symbol) => of_hole(symbol),
        _ => return String::new(),
    };
    let numbered = holes.iter().enumerate();
    numbered.fold(text, |text, (index, it)| {
        let written = it.expression().map_or_else(|| "…".to_owned(), |it| format!("${{{it}}}"));
        text.replace(&format!("{HOLE_START}{index}{HOLE_END}"), &written)
    })
}
