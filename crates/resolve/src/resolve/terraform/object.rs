//! Resources, data sources and module calls as they are found in a root.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    findings::subject::{Block, Subject},
    resolve::scope::ClusterTarget,
    source::Span,
    value::Value,
};

/// What an [`BlockInstance`] is.
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
pub struct GraphNode(pub u32);

/// A resource, data source or module call, in one module instance.
#[derive(Clone, Debug)]
pub struct BlockInstance {
    /// Its node in the graph. Instances of one block (`for_each`) share it.
    pub node: GraphNode,
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
    /// too; `depends_on` is not. Arguments of modules of this repository are unknown. Its `name` is `header`.
    pub body: Value,
    /// Which of the clusters that its root reaches it goes to, by its provider configuration.
    pub cluster: ClusterTarget,
    /// Whether its `count` is 0 with the values that are known of variables, or its `for_each` empty by a switch. What
    /// is in its body is then what it is with those that make it be there, where they are clear.
    pub is_off: bool,
    /// Of a module call: whether what is inside was read, as objects of their own.
    pub entered: bool,
    /// The header of the call, in a file of the project's own, that leads to the fetched module which holds
    /// the block; `None` for blocks of the project's own.
    pub foreign: Option<Span>,
    /// Of the call of a module from elsewhere, and of a release: the arguments that depend on a variable whose value
    /// is not fixed. Of blocks inside a release (`set`) only what decides which there are, and for which values.
    pub variable_arguments: Vec<Arc<str>>,
    /// `count` or `for_each`, and of the call of a module from elsewhere the arguments, to which a variable adds that is
    /// empty by default.
    pub growing: Vec<Arc<str>>,
    /// The variables that would have to have other values for it to be there; none where it is
    /// there with those known.
    pub absent_by: BTreeSet<Arc<str>>,
    /// Of a release with `count = var.… ? 1 : 0`: the name of the variable.
    pub switch: Option<Arc<str>>,
    /// Of a release: the variables on which it depends whether its chart's CRDs are skipped.
    pub skip_variables: BTreeSet<Arc<str>>,
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

impl BlockInstance {
    /// Its header, if a variable that is empty by default adds to one of these arguments.
    #[must_use]
    pub fn growing_by(&self, arguments: &[&str]) -> Option<Span> {
        let grows = self.growing.iter().any(|it| arguments.contains(&&**it));
        grows.then_some(self.header)
    }

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

/// An address without the keys of instances: `module.m["a"].r.x[0]` is `module.m.r.x`.
#[must_use]
pub fn without_keys(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    let (mut inside, mut quoted, mut escaped) = (false, false, false);
    for letter in address.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if inside => quoted = !quoted,
            '[' if !quoted => inside = true,
            ']' if inside && !quoted => inside = false,
            _ if inside => {}
            letter => out.push(letter),
        }
    }
    out
}
