//! Terraform: root modules with the local modules they call, evaluated as far as is certain, and the
//! graph of what depends on what.
//!
//! Folders with configuration files are parsed once each. A folder that no other calls is a root; a root is
//! walked with its own arguments into every local module it calls, so one module folder may appear in
//! several roots, and several times in one.

mod agreement;
mod functions;

mod body;
mod call_site;
mod collection;
mod constraint;
mod declared;
mod documents;
mod dynamic;
pub mod earlier;
mod evaluate;
mod expansion;
mod expression;
mod file;
pub mod graph;
mod growth;
pub mod inputs;
mod installed;
mod instance;
mod item;
mod module;
pub mod module_source;
mod notation;
pub mod object;
mod operator;
pub mod options;
mod origin;
mod overriding;
mod own;
mod parsed;
pub mod plan;
mod premise;
mod provider;
mod provisioner;
mod reference;
pub mod references;
pub(super) mod rendered;
pub mod root;
mod roots;
mod scope;
mod switch;
mod symbol;
mod template;
mod terragrunt;
#[cfg(test)]
mod tests;
mod traversal;
mod undeclared;
mod validated;
mod whole_lines;
mod wiring;

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    project::kind::is_downloaded,
    resolve::terraform::{
        body::Blocks,
        call_site::CallSite,
        evaluate::Evaluator,
        module::{LostBlock, Module},
        options::TerraformOptions,
        parsed::{Parsed, parse_all},
        plan::{Plan, unjudged::Unjudged},
        provider::{ProviderClusters, source::ClusterSources},
        references::References,
        root::{ObjectIndex, Root},
        wiring::LazyGraph,
    },
    source::{FileId, Files, Span, account::Limit, is_below, join},
    syntax::{ParseError, hcl::Attribute},
    value::Value,
};

/// Of more code than so often 100 kB, the rest adds no steps to those that all roots may take.
const MOST_HUNDREDS: usize = 40;

/// All root modules of a project, in the order of their folders.
#[derive(Clone, Debug, Default)]
pub struct Terraform {
    /// The roots; shared, because a change of a file leaves most of them as they are.
    pub roots: Vec<Arc<Root>>,
    /// What could not be read in configuration and variable files.
    pub parse_errors: Vec<ParseError>,
    /// The files that some other tool fills in before Terraform reads them.
    pub templates: Vec<FileId>,
    /// What Terraform printed and is not judged.
    pub unjudged: Vec<Unjudged>,
    /// The folders of examples of modules that are called elsewhere.
    pub examples: BTreeSet<Arc<str>>,
    /// Who reads what.
    pub references: References,
}

impl Terraform {
    /// Whether a folder holds an example of a module that is called elsewhere.
    #[must_use]
    pub fn is_example(&self, folder: &str) -> bool {
        self.examples.iter().any(|it| is_below(folder, it))
    }

    /// The blocks that are nowhere: `count = 0` or an empty `for_each` switches all instances off, without any
    /// variable.
    #[must_use]
    pub fn switched_off(&self) -> Vec<Span> {
        let off: BTreeSet<Span> =
            self.roots.iter().flat_map(|it| &it.switched_off).copied().collect();
        if off.is_empty() {
            return Vec::new();
        }
        let there: BTreeSet<Span> =
            self.roots.iter().flat_map(|it| &it.objects).map(|it| it.span).collect();
        off.difference(&there).copied().collect()
    }
}

/// Reads and evaluates all Terraform of a project.
#[must_use]
pub fn resolve(files: &Files, options: &TerraformOptions) -> Terraform {
    let mut parsed = parse_all(files);
    let parse_errors = std::mem::take(&mut parsed.parse_errors);
    let templates = std::mem::take(&mut parsed.templates);
    let parsed = Arc::new(parsed);
    let examples = roots::examples(&parsed);
    let mut roots = roots::roots(&parsed);
    roots.retain(|root| !examples.iter().any(|it| is_below(&root.folder, it)));
    let folders: BTreeSet<&str> = roots.iter().map(|it| &*it.folder).collect();
    let has_templates = OnceLock::new();
    let project = ResolveContext { files, parsed: &parsed, folders, options, has_templates };
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
    let mut roots = project.all(&jobs);
    let planned = alone.iter().filter_map(|it| planned_root(files, it, options));
    roots.extend(planned.map(Arc::new));
    roots.sort_by(|a, b| a.folder.cmp(&b.folder));
    let mut unjudged = plan::unjudged(files, options);
    unjudged.extend(parsed.writers.iter().map(|it| Unjudged::generator(*it)));
    let references = References::new(parsed);
    Terraform { roots, parse_errors, templates, unjudged, examples, references }
}

/// What all roots share.
struct ResolveContext<'p> {
    files: &'p Files,
    parsed: &'p Arc<Parsed>,
    /// The folders of all roots.
    folders: BTreeSet<&'p str>,
    options: &'p TerraformOptions,
    /// Whether there are templates of manifests that outputs may hold, once somebody asks.
    has_templates: OnceLock<bool>,
}

impl ResolveContext<'_> {
    /// Evaluates roots side by side. Each may take the same share of the steps there are; those for which that is
    /// too little are evaluated again one after the other with what the others left, so that what is known does
    /// not depend on which is first.
    fn all(&self, jobs: &[(&Module, Option<&Plan>)]) -> Vec<Arc<Root>> {
        let hundreds = (self.parsed.bytes / 100_000 + 1).min(MOST_HUNDREDS);
        let all = Limit::TerraformSteps.most().saturating_mul(hundreds);
        let most = Limit::RootSteps.most();
        let share = most.min(all / jobs.len().max(1));
        let root = |(module, plan): &(&Module, Option<&Plan>)| {
            let kept = self.options.earlier.as_ref().filter(|_| plan.is_none());
            let variant = self.options.variant.as_deref();
            let kept = kept.and_then(|it| it.root(self.files, &module.folder, variant));
            let kept = kept.filter(|it| it.origin.steps <= share);
            kept.unwrap_or_else(|| Arc::new(self.root(module, *plan, share)))
        };
        let mut roots: Vec<Arc<Root>> = jobs.par_iter().map(root).collect();
        let mut left = all.saturating_sub(roots.iter().map(|it| it.origin.steps).sum());
        for (root, (module, plan)) in roots.iter_mut().zip(jobs) {
            let (mut limit, again) = (Limit::TerraformSteps, most.min(left));
            if root.origin.steps > share && again > share {
                *root = Arc::new(self.root(module, *plan, again));
                left = left.saturating_sub(root.origin.steps);
                limit = if again == most { Limit::RootSteps } else { limit };
            } else if share == most {
                limit = Limit::RootSteps;
            }
            if root.origin.steps > share.max(again)
                && let Some(first) = module.items.first()
            {
                self.files.account().reach(limit, first.block.header);
            }
        }
        roots
    }

    /// The manifests that a root renders into its outputs.
    fn rendered(&self, evaluator: &Evaluator<'_>, module: &Module) -> Vec<(Span, Value)> {
        let is_there = || self.has_templates.get_or_init(|| rendered::has_templates(self.files));
        if module.outputs.is_empty() || !is_there() {
            return Vec::new();
        }
        rendered::of_root(evaluator, self.files)
    }

    /// A root. Its evaluation may take so many steps.
    fn root(&self, module: &Module, plan: Option<&Plan>, most: usize) -> Root {
        let Self { files, parsed, options, .. } = *self;
        let account = Some(files.account());
        let call_sites = call_site::call_sites(parsed, module, options.opaque, account);
        let mut given = roots::inputs(parsed, &self.folders, module, options);
        if let Some(plan) = plan {
            let evaluator = evaluator(files, &call_sites, &module.folder, (&given, most));
            let other = evaluator.differing(&plan.variables);
            drop(evaluator);
            given.retain(|it| !other.iter().any(|other| other.name == it.name));
            given.extend(other);
        }
        let evaluator = evaluator(files, &call_sites, &module.folder, (&given, most));
        // A block that makes what nobody asks about leaves everything else as it is.
        let matters = |lost: &LostBlock| match lost {
            LostBlock::Resource(kind) => options.wants(kind),
            LostBlock::Declaration => false,
            LostBlock::Unclear => true,
        };
        let mut lost = call_sites.iter().flat_map(|it| &it.module.lost);
        let unread = lost.find(|(it, _)| matters(it)).map(|(_, at)| *at);
        let (Blocks { objects, switched_off }, clusters) = blocks(&evaluator, options);
        let called = call_sites.iter().skip(1).filter(|it| it.module.configures_providers());
        let configuring = called.map(|it| Arc::clone(&it.module.folder)).collect();
        let mut root = Root {
            folder: Arc::clone(&module.folder),
            variant: options.variant.clone(),
            plan: plan.map(|it| Arc::clone(&it.path)),
            reusable: roots::is_reusable(parsed, module),
            incomplete: unread.is_some() || roots::lacks_values(parsed, module, options),
            unread,
            providers: module.named_providers(),
            aws_versions: required_versions(&call_sites, "aws"),
            helm_versions: helm_versions(files, &call_sites),
            default_tags: default_tags(&evaluator),
            kubeconfigs: evaluator
                .root_instance()
                .map(|it| provider::kubeconfigs(&evaluator, &it))
                .unwrap_or_default(),
            region: evaluator.root_instance().and_then(|it| evaluator.region(&it)),
            objects,
            rendered: self.rendered(&evaluator, module),
            switched_off,
            configuring,
            undeclared: undeclared::of_uncalled(files, parsed, module),
            clusters,
            index: ObjectIndex::default(),
            origin: evaluator.origin(),
            graph: LazyGraph::new(parsed, module, options.opaque),
        };
        if let Some(plan) = plan {
            plan.decide(&mut root, options);
            root.reusable = false;
        }
        root
    }
}

/// The versions of the Helm provider that its modules ask for or are written for, and the one that its lock file has.
fn helm_versions(files: &Files, call_sites: &[CallSite<'_>]) -> Vec<Arc<str>> {
    let folder = call_sites.first().map(|it| &it.module.folder);
    let lock = folder.and_then(|it| files.find(&join(it, ".terraform.lock.hcl")?));
    let locked = lock.and_then(|it| locked_version(files.get(it).text(), "hashicorp/helm"));
    let is_older = own_modules(call_sites).any(Module::has_blocks_of_helm_2);
    let older = is_older.then(|| Arc::from("< 3.0.0"));
    required_versions(call_sites, "helm").into_iter().chain(locked).chain(older).collect()
}

/// The version of a provider in the text of a lock file.
fn locked_version(text: &str, provider: &str) -> Option<Arc<str>> {
    let header = format!("/{provider}\" {{");
    let block = text.split("provider ").find(|it| it.contains(&header))?;
    let version = block.lines().find_map(|it| it.trim().strip_prefix("version"))?;
    version.split('"').nth(1).map(Arc::from)
}

/// The versions of a provider that its modules ask for.
fn required_versions(call_sites: &[CallSite<'_>], provider: &str) -> Vec<Arc<str>> {
    let versions = own_modules(call_sites).filter_map(|it| it.required_version(provider));
    versions.map(Arc::from).collect()
}

/// The modules of a root that nobody downloaded.
fn own_modules<'a>(call_sites: &'a [CallSite<'a>]) -> impl Iterator<Item = &'a Module> {
    let modules = call_sites.iter().map(|it| it.module);
    modules.filter(|it| !is_downloaded(&format!("{}/", it.folder)))
}

/// A root that is known by its plan only.
fn planned_root(files: &Files, plan: &Plan, options: &TerraformOptions) -> Option<Root> {
    let (parsed, key) = plan.modules();
    let (parsed, account) = (Arc::new(parsed), Some(files.account()));
    let module = parsed.modules.get(&key)?;
    let call_sites = call_site::call_sites(&parsed, module, options.opaque, account);
    let given: Vec<Attribute> = plan.variables.iter().map(|(it, _)| it.clone()).collect();
    let most = Limit::RootSteps.most();
    let evaluator = evaluator(files, &call_sites, &plan.folder, (&given, most));
    let (Blocks { mut objects, .. }, clusters) = blocks(&evaluator, options);
    for object in &mut objects {
        object.folder = Arc::clone(&plan.folder);
    }
    let graph = LazyGraph::new(&parsed, module, options.opaque);
    let folder = Arc::clone(&plan.folder);
    let (variant, plan_path) = (options.variant.clone(), Some(Arc::clone(&plan.path)));
    let mut root =
        Root { folder, variant, plan: plan_path, objects, graph, clusters, ..Root::default() };
    plan.decide(&mut root, options);
    Some(root)
}

fn evaluator<'a>(
    files: &'a Files,
    call_sites: &'a [CallSite<'a>],
    folder: &Arc<str>,
    (given, most_steps): (&'a [Attribute], usize),
) -> Evaluator<'a> {
    let inputs = given.iter().map(|it| (&*it.name, it)).collect();
    Evaluator::new(files, call_sites, Arc::clone(folder), inputs, most_steps)
}

fn default_tags(evaluator: &Evaluator<'_>) -> Vec<Value> {
    evaluator.root_instance().map_or_else(Vec::new, |it| evaluator.default_tags(&it))
}

/// What is declared, and how the root's clusters are referred to.
fn blocks(evaluator: &Evaluator<'_>, options: &TerraformOptions) -> (Blocks, ClusterSources) {
    let Some(instance) = evaluator.root_instance() else { return Default::default() };
    let mut blocks = Blocks::default();
    let clusters = ProviderClusters::of_root(evaluator, &instance);
    evaluator.objects(&instance, (options, &clusters), &BTreeSet::new(), &mut blocks);
    blocks.objects.sort_by_cached_key(|it| (it.span.file, it.span.start));
    (blocks, clusters.sources)
}
