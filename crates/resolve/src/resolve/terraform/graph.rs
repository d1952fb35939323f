//! What depends on what in one root: resources, data sources, module calls, locals, variables and
//! outputs of every module it calls, joined by references and `depends_on`.
//!
//! A module called with `for_each` counts once: dependencies are between blocks, not instances.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    resolve::terraform::{
        module::{BlockItem, Module, depends_on},
        object::{GraphNode, Mode},
        options::TerraformOptions,
        parsed::Parsed,
        reference::{Reference, in_body, in_expression},
    },
    syntax::hcl::Expr,
};

/// Modules called deeper than this are left out.
const DEEPEST: usize = 32;
/// More module calls than this in one root are left out.
const MOST_CALL_SITES: usize = 10_000;

/// The graph of one root.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    edges: Vec<Vec<u32>>,
    /// What is inside the module behind a call's node, the call included.
    inside: HashMap<u32, Range<u32>>,
}

impl Graph {
    /// Whether a chain leads from `from` to `to`, or to anything inside it if it is a module call.
    pub(super) fn reaches(&self, from: GraphNode, to: GraphNode) -> bool {
        let goal = self.inside.get(&to.0).cloned().unwrap_or(to.0..to.0.saturating_add(1));
        let mut seen = vec![false; self.edges.len()];
        let mut waiting = vec![from.0];
        while let Some(node) = waiting.pop() {
            for next in self.edges.get(node as usize).into_iter().flatten() {
                if goal.contains(next) {
                    return true;
                }
                if let Some(seen) = seen.get_mut(*next as usize)
                    && !std::mem::replace(seen, true)
                {
                    waiting.push(*next);
                }
            }
        }
        false
    }
}

/// A module in the tree of calls, with the nodes of what it declares.
#[derive(Debug)]
pub(super) struct CallSite<'a> {
    /// The module.
    pub module: &'a Module,
    /// The site that calls it, and the call's position among that module's items.
    pub caller: Option<(usize, usize)>,
    /// The sites its calls lead to, by the position of the call.
    pub children: HashMap<usize, usize>,
    items: Vec<u32>,
    variables: HashMap<&'a str, u32>,
    locals: HashMap<&'a str, u32>,
    outputs: HashMap<&'a str, u32>,
    /// What everything inside waits for.
    gate: u32,
    /// What waits for everything inside.
    all: u32,
    nodes: Range<u32>,
}

impl CallSite<'_> {
    /// The node of an item.
    pub(super) fn node(&self, item: usize) -> GraphNode {
        GraphNode(self.items.get(item).copied().unwrap_or_default())
    }
}

/// The tree of calls below a root; the root is the first site.
pub(super) fn call_sites<'a>(
    parsed: &'a Parsed,
    root: &'a Module,
    options: &'a TerraformOptions,
) -> Vec<CallSite<'a>> {
    let mut planner =
        Planner { parsed, options, root, call_sites: Vec::new(), next: 0, path: Vec::new() };
    planner.plan(root, None, "");
    planner.call_sites
}

struct Planner<'a> {
    parsed: &'a Parsed,
    options: &'a TerraformOptions,
    root: &'a Module,
    call_sites: Vec<CallSite<'a>>,
    next: u32,
    /// The modules on the way down, to notice one that calls itself.
    path: Vec<&'a Module>,
}

impl<'a> Planner<'a> {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// The module behind a call: by its path, else as `terraform init` has fetched it.
    fn target(&self, item: &BlockItem, names: &str) -> Option<&'a Module> {
        if item.calls.is_some() {
            return self.parsed.called(item);
        }
        let opaque = self.options.opaque.is_some_and(|it| item.source().is_none_or(it));
        (!opaque).then(|| self.parsed.fetched(&self.root.folder, names))?
    }

    /// Takes in a module and those it calls; `names` are those of the calls that lead to it.
    fn plan(&mut self, module: &'a Module, caller: Option<(usize, usize)>, names: &str) -> usize {
        let id = self.call_sites.len();
        let first = self.next;
        let site = CallSite {
            module,
            caller,
            children: HashMap::new(),
            items: module.items.iter().map(|_| self.fresh()).collect(),
            variables: module.variables.keys().map(|it| (&**it, self.fresh())).collect(),
            locals: module.locals.keys().map(|it| (&**it, self.fresh())).collect(),
            outputs: module.outputs.keys().map(|it| (&**it, self.fresh())).collect(),
            gate: self.fresh(),
            all: self.fresh(),
            nodes: first..first,
        };
        self.call_sites.push(site);
        self.path.push(module);
        let calls = module.items.iter().enumerate().filter(|(_, it)| it.mode == Mode::Module);
        for (index, item) in calls {
            let dot = if names.is_empty() { "" } else { "." };
            let names = format!("{names}{dot}{}", item.name);
            let Some(target) = self.target(item, &names) else { continue };
            let circular = self.path.iter().any(|it| std::ptr::eq(*it, target));
            if circular || self.path.len() >= DEEPEST || self.call_sites.len() >= MOST_CALL_SITES {
                continue;
            }
            let child = self.plan(target, Some((id, index)), &names);
            if let Some(site) = self.call_sites.get_mut(id) {
                site.children.insert(index, child);
            }
        }
        self.path.pop();
        let end = self.next;
        if let Some(site) = self.call_sites.get_mut(id) {
            site.nodes = first..end;
        }
        id
    }
}

/// Joins the nodes of all call sites.
pub(super) fn build(call_sites: &[CallSite<'_>]) -> Graph {
    let count = call_sites.first().map_or(0, |it| it.nodes.end as usize);
    let mut builder = GraphBuilder {
        call_sites,
        graph: Graph { edges: vec![Vec::new(); count], inside: HashMap::new() },
    };
    for site in call_sites {
        builder.site(site);
    }
    builder.graph
}

struct GraphBuilder<'p, 'a> {
    call_sites: &'p [CallSite<'a>],
    graph: Graph,
}

impl<'a> GraphBuilder<'_, 'a> {
    fn edge(&mut self, from: u32, to: u32) {
        if let Some(edges) = self.graph.edges.get_mut(from as usize) {
            edges.push(to);
        }
    }

    fn edges(&mut self, from: u32, to: impl IntoIterator<Item = u32>) {
        let to: HashSet<u32> = to.into_iter().collect();
        let mut to: Vec<u32> = to.into_iter().collect();
        to.sort_unstable();
        if let Some(edges) = self.graph.edges.get_mut(from as usize) {
            edges.extend(to);
        }
    }

    fn site(&mut self, site: &CallSite<'a>) {
        let module = site.module;
        for (item, node) in module.items.iter().zip(&site.items) {
            let mut targets = Vec::new();
            in_body(&item.block.body, &mut |it| self.targets(site, &it, false, &mut targets));
            targets.extend(self.ordered_after(site, item));
            self.edges(*node, targets);
            self.edge(*node, site.gate);
            self.edge(site.all, *node);
        }
        for (name, local) in &module.locals {
            let targets = self.referred(site, &local.value);
            if let Some(node) = site.locals.get(&**name) {
                self.edges(*node, targets);
            }
        }
        for (name, output) in &module.outputs {
            let Some(node) = site.outputs.get(&**name).copied() else { continue };
            let mut targets = Vec::new();
            in_body(&output.block.body, &mut |it| self.targets(site, &it, false, &mut targets));
            if let Some((_, _, elements)) = depends_on(&output.block) {
                targets.extend(self.order(site, elements));
            }
            self.edges(node, targets);
            self.edge(node, site.gate);
            self.edge(site.all, node);
        }
        self.boundary(site);
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
        }
        let mut targets = self.ordered_after(caller, item);
        for name in ["count", "for_each"] {
            if let Some(attribute) = item.block.body.attribute(name) {
                targets.extend(self.referred(caller, &attribute.value));
            }
        }
        targets.push(caller.gate);
        self.edges(site.gate, targets);
        self.edge(caller.all, site.all);
        self.edge(site.all, call);
        self.graph.inside.insert(call, site.nodes.clone());
    }

    fn referred(&self, site: &CallSite<'a>, expression: &Expr) -> Vec<u32> {
        let mut targets = Vec::new();
        in_expression(expression, &mut |it| self.targets(site, &it, false, &mut targets));
        targets
    }

    fn ordered_after(&self, site: &CallSite<'a>, item: &BlockItem) -> Vec<u32> {
        depends_on(&item.block).map_or_else(Vec::new, |(_, _, list)| self.order(site, list))
    }

    fn order(&self, site: &CallSite<'a>, elements: &[Expr]) -> Vec<u32> {
        let mut targets = Vec::new();
        for element in elements {
            in_expression(element, &mut |it| self.targets(site, &it, true, &mut targets));
        }
        targets
    }

    /// The nodes a reference waits for. A whole module in `depends_on` means everything inside.
    fn targets(&self, site: &CallSite<'a>, to: &Reference<'_>, whole: bool, out: &mut Vec<u32>) {
        let name = |index: usize| to.names.get(index).copied().unwrap_or_default();
        let module = site.module;
        let item = |mode, kind, name| {
            module.find(mode, kind, name).and_then(|it| site.items.get(it).copied())
        };
        match to.root {
            "var" => out.extend(site.variables.get(name(0))),
            "local" => out.extend(site.locals.get(name(0))),
            "data" => out.extend(item(Mode::Data, name(0), name(1))),
            "resource" => out.extend(item(Mode::Resource, name(0), name(1))),
            "ephemeral" => out.extend(item(Mode::Ephemeral, name(0), name(1))),
            "module" => self.module_targets(site, name(0), to.names.get(1).copied(), whole, out),
            "each" | "count" | "self" | "path" | "terraform" => {}
            kind => out.extend(item(Mode::Resource, kind, name(0))),
        }
    }

    fn module_targets(
        &self,
        site: &CallSite<'a>,
        name: &str,
        output: Option<&str>,
        whole: bool,
        out: &mut Vec<u32>,
    ) {
        let Some(index) = site.module.find(Mode::Module, "module", name) else { return };
        let Some(child) = site.children.get(&index).and_then(|it| self.call_sites.get(*it)) else {
            out.push(site.node(index).0);
            return;
        };
        match output {
            Some(output) => out.extend(child.outputs.get(output)),
            None if whole => out.push(child.all),
            None => out.extend(child.outputs.values()),
        }
    }
}
