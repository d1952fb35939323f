//! The tree of the modules that a root calls, with a node for everything they declare.

use std::ops::Range;

use crate::hash::HashMap;

use crate::{
    resolve::terraform::{
        module::{BlockItem, Module, literal},
        object::{GraphNode, Mode},
        parsed::Parsed,
    },
    source::account::{Account, Limit},
    syntax::hcl::{Block, Expr, ExprKind},
};

/// Modules called deeper than this are left out.
const DEEPEST: usize = 32;

/// A module in the tree of calls, with the nodes of what it declares.
#[derive(Debug)]
pub(super) struct CallSite<'a> {
    /// The module.
    pub module: &'a Module,
    /// What the addresses of its blocks begin with, without the keys of instances: `module.addons.`.
    pub prefix: String,
    /// The site that calls it, and the call's position among that module's items.
    pub caller: Option<(usize, usize)>,
    /// The sites its calls lead to, by the position of the call.
    pub children: HashMap<usize, usize>,
    /// The nodes of its items.
    pub items: Vec<u32>,
    /// Those of its variables.
    pub variables: HashMap<&'a str, u32>,
    /// Those of its locals.
    pub locals: HashMap<&'a str, u32>,
    /// Those of its outputs.
    pub outputs: HashMap<&'a str, u32>,
    /// Those of its provider configurations: `helm`, `helm.blue`.
    pub providers: HashMap<String, (u32, &'a Block)>,
    /// What everything inside waits for.
    pub gate: u32,
    /// What waits for everything inside.
    pub all: u32,
    /// All nodes of what is inside.
    pub nodes: Range<u32>,
}

impl CallSite<'_> {
    /// The node of an item.
    pub(super) fn node(&self, item: usize) -> GraphNode {
        GraphNode(self.items.get(item).copied().unwrap_or_default())
    }
}

/// The tree of calls below a root; the root is the first site. `opaque` is as the options have it; that some calls
/// are too many is noted in the account.
pub(super) fn call_sites<'a>(
    parsed: &'a Parsed,
    root: &'a Module,
    opaque: Option<fn(&str) -> bool>,
    account: Option<&'a Account>,
) -> Vec<CallSite<'a>> {
    let (call_sites, path) = (Vec::new(), Vec::new());
    let mut planner = Planner { account, parsed, opaque, root, call_sites, next: 0, path };
    planner.plan(root, None, "");
    planner.call_sites
}

struct Planner<'a> {
    account: Option<&'a Account>,
    parsed: &'a Parsed,
    opaque: Option<fn(&str) -> bool>,
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
        let opaque = self.opaque.is_some_and(|it| item.source().is_none_or(it));
        (!opaque).then(|| self.parsed.fetched(&self.root.folder, names))?
    }

    /// Takes in a module and those it calls; `names` are those of the calls that lead to it.
    fn plan(&mut self, module: &'a Module, caller: Option<(usize, usize)>, names: &str) -> usize {
        let id = self.call_sites.len();
        let first = self.next;
        let site = CallSite {
            module,
            prefix: names.split('.').filter(|it| !it.is_empty()).map(prefix_of).collect(),
            caller,
            children: HashMap::default(),
            items: module.items.iter().map(|_| self.fresh()).collect(),
            variables: module.variables.keys().map(|it| (&**it, self.fresh())).collect(),
            locals: module.locals.keys().map(|it| (&**it, self.fresh())).collect(),
            outputs: module.outputs.keys().map(|it| (&**it, self.fresh())).collect(),
            providers: module
                .provider_blocks()
                .filter_map(|it| Some((configuration_of(it)?, (self.fresh(), it))))
                .collect(),
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
            if circular || self.path.len() >= DEEPEST {
                continue;
            }
            if self.call_sites.len() >= Limit::ModuleCalls.most() {
                if let Some(account) = self.account {
                    account.reach(Limit::ModuleCalls, item.block.header);
                }
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

fn prefix_of(call: &str) -> String {
    format!("module.{call}.")
}

/// What a provider configuration is called: `helm`, `helm.blue`.
fn configuration_of(block: &Block) -> Option<String> {
    let (name, _) = block.labels.first()?;
    let alias = block.body.attribute("alias").and_then(|it| literal(&it.value));
    Some(alias.map_or_else(|| name.to_string(), |alias| format!("{name}.{alias}")))
}

/// The provider that an expression names: `helm`, `helm.blue`.
pub(super) fn provider_named(expression: &Expr) -> Option<String> {
    match &expression.kind {
        ExprKind::Variable(name) => Some(name.to_string()),
        ExprKind::GetAttr(base, name) => Some(format!("{}.{name}", provider_named(base)?)),
        // As it was written before 0.12.
        ExprKind::Template(_) => literal(expression).map(str::to_owned),
        _ => None,
    }
}
