//! Joins what the modules of a root declare.

use std::sync::{Arc, OnceLock};

use crate::hash::{HashMap, HashSet};

use crate::{
    resolve::terraform::{
        call_site::{CallSite, call_sites, provider_named},
        graph::{Edge, Graph, MadeBlock, Wait, WaitForm},
        module::{BlockItem, Module, depends_on},
        object::Mode,
        parsed::Parsed,
        reference::{Reference, in_body, in_expression},
    },
    syntax::hcl::{Expr, ExprKind},
};

/// The graph of a root, made when it is first asked for: it is of few.
#[derive(Clone, Debug, Default)]
pub(super) struct LazyGraph {
    parsed: Arc<Parsed>,
    root: RootPlace,
    opaque: Option<fn(&str) -> bool>,
    graph: Arc<OnceLock<Graph>>,
}

/// Where a root is among what was parsed.
#[derive(Clone, Debug)]
enum RootPlace {
    /// The module of a folder.
    Folder(Arc<str>),
    /// One of Terragrunt's units.
    Unit(usize),
}

impl Default for RootPlace {
    fn default() -> Self {
        Self::Folder(Arc::default())
    }
}

impl LazyGraph {
    /// The graph of the calls below a root; `opaque` as the options have it.
    pub(super) fn new(
        parsed: &Arc<Parsed>,
        root: &Module,
        opaque: Option<fn(&str) -> bool>,
    ) -> Self {
        let unit = parsed.units.iter().position(|it| std::ptr::eq(it, root));
        let folder = || RootPlace::Folder(Arc::clone(&root.folder));
        let root = unit.map_or_else(folder, RootPlace::Unit);
        Self { parsed: Arc::clone(parsed), root, opaque, graph: Arc::default() }
    }

    /// The graph.
    pub(super) fn get(&self) -> &Graph {
        self.graph.get_or_init(|| {
            let root = match &self.root {
                RootPlace::Folder(folder) => self.parsed.modules.get(folder),
                RootPlace::Unit(unit) => self.parsed.units.get(*unit),
            };
            let sites = root.map(|it| call_sites(&self.parsed, it, self.opaque, None));
            sites.map(|it| graph(&it)).unwrap_or_default()
        })
    }
}

/// The graph of the calls below a root.
fn graph(call_sites: &[CallSite<'_>]) -> Graph {
    let count = call_sites.first().map_or(0, |it| it.nodes.end as usize);
    let mut builder =
        Builder { call_sites, graph: Graph::of_nodes(count), foreign: HashMap::default() };
    for site in call_sites {
        builder.site(site);
    }
    builder.graph
}

struct Builder<'p, 'a> {
    call_sites: &'p [CallSite<'a>],
    graph: Graph,
    /// The nodes of the outputs of modules that are not here, by call and name.
    foreign: HashMap<(u32, Arc<str>), u32>,
}

/// More edges than this of one node are compared by their hashes.
const MANY: usize = 24;

/// What an expression refers to, each with its place.
type Targets = Vec<Edge>;

impl<'a> Builder<'_, 'a> {
    fn edge(&mut self, from: u32, to: u32) {
        self.graph.add(from, [Edge { to, written: None }]);
    }

    /// Adds edges, of several to one node the first.
    fn edges(&mut self, from: u32, to: Targets) {
        if to.len() > MANY {
            let mut seen = HashSet::default();
            return self.graph.add(from, to.into_iter().filter(|it| seen.insert(it.to)));
        }
        let is_first = |(at, it): &(usize, &Edge)| to.iter().take(*at).all(|of| of.to != it.to);
        self.graph.add(from, to.iter().enumerate().filter(is_first).map(|(_, it)| *it));
    }

    fn site(&mut self, site: &CallSite<'a>) {
        let module = site.module;
        for (index, (item, node)) in module.items.iter().zip(&site.items).enumerate() {
            let is_entered = site.children.contains_key(&index);
            let mut targets = Targets::new();
            targets.extend(self.ordered_after(site, item));
            in_body(&item.block.body, &mut |it| {
                self.targets(site, &it, WaitForm::Reference, &mut targets);
            });
            if item.mode != Mode::Module {
                targets.extend(self.provider(site, item));
            } else if !is_entered {
                targets.extend(self.providers_of_call(site, item));
            }
            self.edges(*node, targets);
            self.edge(*node, site.gate);
            if !is_entered {
                self.edge(site.all, *node);
            }
            if item.mode == Mode::Resource || (item.mode == Mode::Module && !is_entered) {
                let address = format!("{}{}", site.prefix, item.address());
                let (kind, header) = (Arc::clone(&item.kind), item.block.header);
                self.graph.mark_made(*node, MadeBlock { address: address.into(), kind, header });
            }
        }
        for (node, block) in site.providers.values() {
            let mut targets = Targets::new();
            in_body(&block.body, &mut |it| {
                self.targets(site, &it, WaitForm::Reference, &mut targets);
            });
            self.edges(*node, targets);
        }
        for (name, local) in &module.locals {
            let targets = self.referred(site, &local.value);
            if let Some(node) = site.locals.get(&**name) {
                self.edges(*node, targets);
            }
        }
        self.validations(site);
        for (name, output) in &module.outputs {
            let Some(node) = site.outputs.get(&**name).copied() else { continue };
            let mut targets = Targets::new();
            if let Some((_, _, elements)) = depends_on(&output.block) {
                targets.extend(self.order(site, elements));
            }
            in_body(&output.block.body, &mut |it| {
                self.targets(site, &it, WaitForm::Reference, &mut targets);
            });
            self.edges(node, targets);
            self.edge(node, site.gate);
            self.edge(site.all, node);
        }
        self.boundary(site);
    }

    /// A variable waits for what the conditions on its value refer to.
    fn validations(&mut self, site: &CallSite<'a>) {
        for (name, variable) in &site.module.variables {
            let Some(node) = site.variables.get(&**name).copied() else { continue };
            let blocks = variable.block.body.blocks.iter();
            for block in blocks.filter(|it| &*it.kind == "validation") {
                let mut targets = Targets::new();
                in_body(&block.body, &mut |it| {
                    self.targets(site, &it, WaitForm::Reference, &mut targets);
                });
                self.edges(node, targets);
            }
        }
    }

    /// Joins a called module with its caller: its variables wait for the arguments, everything in it
    /// for the call's `depends_on`, `count` and `for_each`.
    fn boundary(&mut self, site: &CallSite<'a>) {
        let Some((caller, index)) = site.caller else { return };
        let Some(caller) = self.call_sites.get(caller) else { return };
        let Some(item) = caller.module.items.get(index) else { return };
        let call = caller.node(index).0;
        for (name, node) in &site.variables {
            if let Some(argument) = item.block.body.attribute(name) {
                let targets = self.referred(caller, &argument.value);
                self.edges(*node, targets);
            }
            self.edge(*node, site.gate);
            self.edge(site.all, *node);
        }
        let mut targets = self.ordered_after(caller, item);
        for name in ["count", "for_each"] {
            if let Some(attribute) = item.block.body.attribute(name) {
                targets.extend(self.referred(caller, &attribute.value));
            }
        }
        self.edges(site.gate, targets);
        self.edge(site.gate, caller.gate);
        self.edge(caller.all, site.all);
        self.graph.set_inside(call, site.nodes.clone());
    }

    fn referred(&mut self, site: &CallSite<'a>, expression: &Expr) -> Targets {
        let mut targets = Targets::new();
        in_expression(expression, &mut |it| {
            self.targets(site, &it, WaitForm::Reference, &mut targets);
        });
        targets
    }

    fn ordered_after(&mut self, site: &CallSite<'a>, item: &BlockItem) -> Targets {
        depends_on(&item.block).map_or_else(Targets::new, |(_, _, list)| self.order(site, list))
    }

    fn order(&mut self, site: &CallSite<'a>, elements: &[Expr]) -> Targets {
        let mut targets = Targets::new();
        for element in elements {
            let known = targets.len();
            let mut is_resource = false;
            in_expression(element, &mut |it| {
                is_resource |= names_resource(&it);
                self.targets(site, &it, WaitForm::DependsOn, &mut targets);
            });
            if is_resource && targets.len() == known {
                self.graph.mark_undeclared(element.span);
            }
        }
        targets
    }

    /// The configuration of the provider of a resource or data source.
    fn provider(&self, site: &CallSite<'a>, item: &BlockItem) -> Option<Edge> {
        let attribute = item.block.body.attribute("provider");
        let name = match attribute {
            Some(attribute) => provider_named(&attribute.value)?,
            None => item.kind.split('_').next()?.to_owned(),
        };
        let span = attribute.map_or(item.block.header, |it| it.span);
        let written = Some(Wait { form: WaitForm::Reference, span });
        Some(Edge { to: self.configuration(site, &name)?, written })
    }

    /// The configurations that a call passes to a module that is not here.
    fn providers_of_call(&self, site: &CallSite<'a>, item: &BlockItem) -> Targets {
        let Some(attribute) = item.block.body.attribute("providers") else { return Vec::new() };
        let ExprKind::Object(entries) = &attribute.value.kind else { return Vec::new() };
        let edge = |value: &Expr| {
            let written = Some(Wait { form: WaitForm::Reference, span: value.span });
            Some(Edge { to: self.configuration(site, &provider_named(value)?)?, written })
        };
        entries.iter().filter_map(|it| edge(&it.value)).collect()
    }

    /// The node of a provider configuration as a module sees it: its own, one that its call passes, or, by
    /// the provider's plain name, that of its caller.
    fn configuration(&self, site: &CallSite<'a>, name: &str) -> Option<u32> {
        if let Some((node, _)) = site.providers.get(name) {
            return Some(*node);
        }
        let (caller, index) = site.caller?;
        let caller = self.call_sites.get(caller)?;
        let item = caller.module.items.get(index)?;
        let passed = item.block.body.attribute("providers").and_then(|it| match &it.value.kind {
            ExprKind::Object(entries) => Some(entries),
            _ => None,
        });
        let named = passed.into_iter().flatten();
        let mut named = named.filter(|it| provider_named(&it.key).as_deref() == Some(name));
        match named.next() {
            Some(entry) => self.configuration(caller, &provider_named(&entry.value)?),
            None if !name.contains('.') => self.configuration(caller, name),
            None => None,
        }
    }

    /// The nodes a reference waits for. A whole module means everything inside.
    fn targets(
        &mut self,
        site: &CallSite<'a>,
        to: &Reference<'_>,
        form: WaitForm,
        out: &mut Targets,
    ) {
        let name = |index: usize| to.names.get(index).copied().unwrap_or_default();
        let written = Some(Wait { form, span: to.whole.span });
        let mut push = |to: u32| out.push(Edge { to, written });
        let module = site.module;
        let item = |mode, kind, name| {
            module.find(mode, kind, name).and_then(|it| site.items.get(it).copied())
        };
        match to.root {
            "var" => site.variables.get(name(0)).copied().into_iter().for_each(push),
            "local" => site.locals.get(name(0)).copied().into_iter().for_each(push),
            "data" => item(Mode::Data, name(0), name(1)).into_iter().for_each(push),
            "resource" => item(Mode::Resource, name(0), name(1)).into_iter().for_each(push),
            "ephemeral" => item(Mode::Ephemeral, name(0), name(1)).into_iter().for_each(push),
            "module" => {
                let output = to.names.get(1).filter(|_| to.fixed > 1).copied();
                self.module_targets(site, (name(0), output), &mut push);
            }
            "each" | "count" | "self" | "path" | "terraform" => {}
            kind => item(Mode::Resource, kind, name(0)).into_iter().for_each(push),
        }
    }

    fn module_targets(
        &mut self,
        site: &CallSite<'a>,
        (name, output): (&str, Option<&str>),
        push: &mut dyn FnMut(u32),
    ) {
        let Some(index) = site.module.find(Mode::Module, "module", name) else { return };
        let Some(child) = site.children.get(&index).and_then(|it| self.call_sites.get(*it)) else {
            let call = site.node(index).0;
            return push(output.map_or(call, |output| self.foreign_output(call, output)));
        };
        match output {
            Some(output) => child.outputs.get(output).copied().into_iter().for_each(push),
            None => push(child.all),
        }
    }

    /// The node of an output of a module that is not here.
    fn foreign_output(&mut self, call: u32, output: &str) -> u32 {
        let key = (call, Arc::from(output));
        if let Some(node) = self.foreign.get(&key) {
            return *node;
        }
        let node = self.graph.add_output(call, &key.1);
        self.foreign.insert(key, node);
        node
    }
}

/// Whether a reference is one to a resource, by the form that a `depends_on` takes.
fn names_resource(to: &Reference<'_>) -> bool {
    const OTHERS: [&str; 10] = [
        "var",
        "local",
        "data",
        "ephemeral",
        "module",
        "each",
        "count",
        "self",
        "path",
        "terraform",
    ];
    !OTHERS.contains(&to.root) && !to.names.is_empty()
}
