//! Terraform: root modules with the local modules they call, evaluated as far as is certain, and the
//! graph of what depends on what.
//!
//! Folders with configuration files are parsed once each. A folder that no other calls is a root; a root is
//! walked with its own arguments into every local module it calls, so one module folder may appear in
//! several roots, and several times in one.

pub mod functions;

mod body;
mod collection;
mod constraint;
mod evaluate;
mod expression;
mod file;
mod graph;
mod installed;
mod instance;
mod item;
mod module;
mod notation;
mod operator;
mod overriding;
mod plan;
mod reference;
pub mod references;
mod roots;
mod switch;
mod template;
mod terragrunt;
#[cfg(test)]
mod tests;
mod traversal;

use std::{collections::BTreeSet, sync::Arc};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    findings::subject::{Block, Subject},
    resolve::terraform::{
        evaluate::Evaluator,
        graph::{Graph, Place},
        module::{Module, Parsed},
        plan::Plan,
        references::References,
    },
    source::{Files, Span},
    syntax::{ParseError, hcl::Attribute},
    value::Value,
};

/// How to read a project's Terraform.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Further variable files, relative to the project's root. One in a root's folder is for that root,
    /// one elsewhere for all of them. Later ones count more.
    pub var_files: Vec<String>,
    /// The kinds of resources and data sources whose bodies are wanted; `None` for all. The others are
    /// there too, once each, with an unknown body. Module calls always have theirs.
    pub kinds: Option<Vec<String>>,
    /// JSON files that may be plans although their names do not say so.
    pub plans: Vec<String>,
    /// The name of this way to give values to the variables; it is put on every root.
    pub variant: Option<Arc<str>>,
    /// Given a module call's source that is no path: whether it is not to be looked into although it was
    /// fetched, because the caller knows it by its name.
    pub opaque: Option<fn(&str) -> bool>,
}

impl Options {
    /// Whether bodies of that kind are wanted.
    fn wants(&self, kind: &str) -> bool {
        self.kinds.as_ref().is_none_or(|it| it.iter().any(|it| it == kind))
    }
}

/// All root modules of a project, in the order of their folders.
#[derive(Clone, Debug, Default)]
pub struct Terraform {
    /// The roots.
    pub roots: Vec<Root>,
    /// What could not be read in configuration and variable files.
    pub parse_errors: Vec<ParseError>,
    /// Who reads what.
    pub references: References,
}

/// A root module with all local modules it calls.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// The folder, relative to the project's root.
    pub folder: Arc<str>,
    /// The set of variable files it is judged with, where the config names several.
    pub variant: Option<Arc<str>>,
    /// The path of the plan it is judged with.
    pub plan: Option<Arc<str>>,
    /// Whether it looks like a module made to be called from elsewhere: no backend, provider block or
    /// tfvars, and a variable without default.
    pub reusable: bool,
    /// Whether it may be a module that is called from elsewhere with other values: it has variables, if
    /// only with defaults, and no backend, provider block or tfvars.
    pub may_be_called: bool,
    /// Whether part of its files, or of a module it calls, could not be read: what seems to be absent may
    /// be there.
    pub incomplete: bool,
    /// The providers that it configures by `provider` blocks of its own.
    pub providers: Vec<Arc<str>>,
    /// The tags that its AWS providers put on everything they make.
    pub default_tags: Vec<Value>,
    /// Resources, data sources and module calls of all module instances, in the order of their places.
    pub objects: Vec<Object>,
    graph: Graph,
}

/// What an [`Object`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// `resource`
    Resource,
    /// `data`
    Data,
    /// `ephemeral`
    Ephemeral,
    /// `module`
    Module,
}

/// A node of the dependency graph: a resource, data source or module call in one module instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Node(pub u32);

/// A resource, data source or module call, in one module instance.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its node in the graph. Instances of one block (`for_each`) share it.
    pub node: Node,
    /// Resource, data source or module call.
    pub mode: Mode,
    /// `helm_release`; `module` for module calls.
    pub kind: Arc<str>,
    /// The block's own name.
    pub name: Arc<str>,
    /// The whole address: `module.addons.helm_release.karpenter["a"]`.
    pub address: Arc<str>,
    /// The folder of the module that holds the block.
    pub folder: Arc<str>,
    /// The block's header, without the brace.
    pub header: Span,
    /// The whole block.
    pub span: Span,
    /// Attributes and nested blocks as one mapping. A nested block type is a list of mappings, each
    /// named by its header. Meta arguments (`count`, `for_each`, `source`, `version`, `providers`) are in it
    /// too; `depends_on` is not. Its `name` is `header`.
    pub body: Value,
    /// Whether it is switched off for good: `count = 0`, an empty `for_each`, without any variable.
    pub disabled: bool,
    /// Of a module call: whether what is inside was read, as objects of their own.
    pub entered: bool,
    /// The header of the call, in a file of the project's own, that leads to the fetched module which holds
    /// the block; `None` for blocks of the project's own.
    pub foreign: Option<Span>,
    /// Of a module call: the arguments in which a variable has a part that nobody sets for good.
    pub variable_arguments: Vec<Arc<str>>,
    /// `depends_on`, as it is written: the list's span and its elements' spans.
    pub depends_on: Option<DependsOn>,
}

/// A written `depends_on`.
#[derive(Clone, Debug)]
pub struct DependsOn {
    /// The whole attribute.
    pub attribute: Span,
    /// The list with its brackets.
    pub list: Span,
    /// The elements.
    pub elements: Vec<Span>,
}

impl Object {
    /// What a finding about it is about; `root` is the index of its root module.
    #[must_use]
    pub fn subject(&self, root: usize) -> Subject {
        let block = Block {
            address: Arc::clone(&self.address),
            local: format!("{}.{}", self.kind, self.name).into(),
            call: self.foreign,
        };
        Subject { block: Some(block), root: Some(root), ..Subject::default() }
    }
}

impl Root {
    /// The folders of all modules in it.
    #[must_use]
    pub fn folders(&self) -> BTreeSet<&str> {
        self.objects.iter().map(|it| &*it.folder).chain([&*self.folder]).collect()
    }

    /// The objects of one mode and kind: `of(Mode::Resource, "helm_release")`.
    pub fn of<'a>(&'a self, mode: Mode, kind: &'a str) -> impl Iterator<Item = &'a Object> {
        self.objects.iter().filter(move |it| it.mode == mode && &*it.kind == kind)
    }

    /// Whether `from` waits for `to`: a chain of references and `depends_on`, through locals, variables,
    /// module arguments and outputs, in this root.
    ///
    /// A module call waits for what its arguments and `depends_on` lead to; waiting for anything inside
    /// a called module is waiting for the call.
    #[must_use]
    pub fn waits_for(&self, from: Node, to: Node) -> bool {
        self.graph.reaches(from, to)
    }
}

/// Reads and evaluates all Terraform of a project.
#[must_use]
pub fn resolve(files: &Files, options: &Options) -> Terraform {
    let mut parsed = module::parse_all(files);
    let parse_errors = std::mem::take(&mut parsed.parse_errors);
    let roots = roots::roots(&parsed);
    let folders: BTreeSet<&str> = roots.iter().map(|it| &*it.folder).collect();
    let project = Project { files, parsed: &parsed, folders, options };
    let plans = plan::plans(files, options);
    let mut jobs: Vec<(&Module, Option<&Plan>)> = Vec::new();
    for root in &roots {
        let own = plans
            .iter()
            .filter(|it| it.root_among(&roots).is_some_and(|it| std::ptr::eq(it, *root)));
        let own: Vec<_> = own.map(|it| (*root, Some(it))).collect();
        jobs.extend(if own.is_empty() { vec![(*root, None)] } else { own });
    }
    let alone: Vec<&Plan> = plans.iter().filter(|it| it.root_among(&roots).is_none()).collect();
    let mut roots: Vec<Root> =
        jobs.par_iter().map(|(module, plan)| project.root(module, *plan)).collect();
    roots.extend(alone.iter().filter_map(|it| planned_root(files, it, options)));
    roots.sort_by(|a, b| a.folder.cmp(&b.folder));
    Terraform { roots, parse_errors, references: References::new(Arc::new(parsed)) }
}

/// What all roots share.
struct Project<'p> {
    files: &'p Files,
    parsed: &'p Parsed,
    /// The folders of all roots.
    folders: BTreeSet<&'p str>,
    options: &'p Options,
}

impl Project<'_> {
    fn root(&self, module: &Module, plan: Option<&Plan>) -> Root {
        let Self { files, parsed, options, .. } = *self;
        let places = graph::places(parsed, module, options);
        let mut given = roots::inputs(parsed, &self.folders, module, options);
        if let Some(plan) = plan {
            let evaluator = evaluator(files, &places, &module.folder, &given);
            let other = evaluator.differing(&plan.variables);
            drop(evaluator);
            given.retain(|it| !other.iter().any(|other| other.name == it.name));
            given.extend(other);
        }
        let evaluator = evaluator(files, &places, &module.folder, &given);
        let mut root = Root {
            folder: Arc::clone(&module.folder),
            variant: options.variant.clone(),
            plan: plan.map(|it| Arc::clone(&it.path)),
            reusable: roots::is_reusable(parsed, module),
            may_be_called: roots::may_be_called(parsed, module),
            incomplete: places.iter().any(|it| it.module.incomplete)
                || roots::lacks_values(parsed, module, options),
            providers: module.providers.clone(),
            default_tags: default_tags(&evaluator),
            objects: objects(&evaluator, options),
            graph: graph::build(&places),
        };
        if let Some(plan) = plan {
            plan.decide(&mut root, options);
            root.reusable = false;
            root.may_be_called = false;
        }
        root
    }
}

/// A root that is known by its plan only.
fn planned_root(files: &Files, plan: &Plan, options: &Options) -> Option<Root> {
    let (parsed, key) = plan.modules();
    let places = graph::places(&parsed, parsed.modules.get(&key)?, options);
    let given: Vec<Attribute> = plan.variables.iter().map(|(it, _)| it.clone()).collect();
    let evaluator = evaluator(files, &places, &plan.folder, &given);
    let mut objects = objects(&evaluator, options);
    for object in &mut objects {
        object.folder = Arc::clone(&plan.folder);
    }
    let graph = graph::build(&places);
    let folder = Arc::clone(&plan.folder);
    let (variant, plan_path) = (options.variant.clone(), Some(Arc::clone(&plan.path)));
    let mut root = Root { folder, variant, plan: plan_path, objects, graph, ..Root::default() };
    plan.decide(&mut root, options);
    Some(root)
}

fn evaluator<'a>(
    files: &'a Files,
    places: &'a [Place<'a>],
    folder: &Arc<str>,
    given: &'a [Attribute],
) -> Evaluator<'a> {
    let inputs = given.iter().map(|it| (&*it.name, it)).collect();
    Evaluator::new(files, places, Arc::clone(folder), inputs)
}

fn default_tags(evaluator: &Evaluator<'_>) -> Vec<Value> {
    evaluator.root_instance().map_or_else(Vec::new, |it| evaluator.default_tags(&it))
}

fn objects(evaluator: &Evaluator<'_>, options: &Options) -> Vec<Object> {
    let mut objects = Vec::new();
    if let Some(instance) = evaluator.root_instance() {
        evaluator.objects(&instance, options, &mut objects);
    }
    objects.sort_by_key(|it| (it.span.file, it.span.start));
    objects
}
