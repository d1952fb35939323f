//! A module as it is written: one folder's files, parsed once and sorted by what they declare.

use std::{collections::BTreeMap, sync::Arc};

use crate::hash::HashMap;

use crate::{
    resolve::terraform::object::Mode,
    source::{Span, join},
    syntax::hcl::{Attribute, Block, Expr, ExprKind, TemplatePart},
};

/// One folder.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The folder, relative to the project's root.
    pub folder: Arc<str>,
    /// `variable` blocks by name.
    pub variables: BTreeMap<Arc<str>, Variable>,
    /// The attributes of all `locals` blocks by name.
    pub locals: BTreeMap<Arc<str>, Attribute>,
    /// `output` blocks by name.
    pub outputs: BTreeMap<Arc<str>, Output>,
    /// Resources, data sources and module calls.
    pub items: Vec<BlockItem>,
    /// The positions of items by their name.
    by_name: HashMap<Arc<str>, Vec<usize>>,
    /// Whether there is a `backend` or `cloud` block or a `provider` block.
    pub has_own_setup: bool,
    /// Whether it is a unit whose source is a path to a folder that is not there.
    pub leads_nowhere: bool,
    /// The providers that `provider` blocks configure.
    pub providers: Vec<Arc<str>>,
    /// The blocks of their `default_tags`.
    pub default_tags: Vec<Block>,
    /// All other blocks, and what `provider` blocks have besides.
    pub others: Vec<Block>,
    /// What could not be read, and where it is.
    pub lost: Vec<(LostBlock, Span)>,
}

/// A block that could not be read, as far as its header says what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LostBlock {
    /// A resource of that type.
    Resource(Arc<str>),
    /// One that makes nothing: a variable, an output, a data source. What refers to it is unknown.
    Declaration,
    /// Anything.
    Unclear,
}

impl LostBlock {
    /// What a text may be that begins where a block begins.
    pub(super) fn of(text: &str) -> Self {
        let mut words = text.lines().next().unwrap_or_default().split_whitespace();
        let label = |it: &str| Some(Arc::from(it.strip_prefix('"')?.strip_suffix('"')?));
        match words.next() {
            Some("resource") => words.next().and_then(label).map_or(Self::Unclear, Self::Resource),
            Some("variable" | "output" | "data" | "locals" | "moved" | "import" | "removed") => {
                Self::Declaration
            }
            _ => Self::Unclear,
        }
    }
}

/// A `variable` block.
#[derive(Debug)]
pub(super) struct Variable {
    /// The whole block.
    pub block: Block,
}

impl Variable {
    /// The default, if there is one.
    pub(super) fn default(&self) -> Option<&Attribute> {
        self.block.body.attribute("default")
    }

    /// The type constraint.
    pub(super) fn constraint(&self) -> Option<&Expr> {
        self.block.body.attribute("type").map(|it| &it.value)
    }

    /// Whether nothing can be planned before it is given. Secrets come from the environment, and say nothing of other
    /// values.
    pub(super) fn is_to_be_given(&self) -> bool {
        let sensitive = self.block.body.attribute("sensitive");
        self.default().is_none()
            && !sensitive.is_some_and(|it| matches!(it.value.kind, ExprKind::Bool(true)))
    }

    /// Whether null is a value; if not, null means the default.
    pub(super) fn nullable(&self) -> bool {
        let nullable = self.block.body.attribute("nullable");
        !nullable.is_some_and(|it| matches!(it.value.kind, ExprKind::Bool(false)))
    }
}

/// An `output` block.
#[derive(Debug)]
pub(super) struct Output {
    /// The whole block.
    pub block: Block,
}

impl Output {
    /// The value.
    pub(super) fn value(&self) -> Option<&Attribute> {
        self.block.body.attribute("value")
    }
}

/// A `resource`, `data` or `module` block.
#[derive(Debug)]
pub(super) struct BlockItem {
    /// Which of them.
    pub mode: Mode,
    /// The type label; `module` for module calls.
    pub kind: Arc<str>,
    /// The name label.
    pub name: Arc<str>,
    /// The block.
    pub block: Block,
    /// The folder of the called module, if its source is a path inside the project.
    pub calls: Option<Arc<str>>,
}

impl BlockItem {
    /// The literal `source` of a module call.
    pub(super) fn source(&self) -> Option<&str> {
        literal(&self.block.body.attribute("source")?.value)
    }

    /// The address within its module: `data.aws_ami.x`.
    pub(super) fn address(&self) -> String {
        let mode = match self.mode {
            Mode::Data => "data.",
            Mode::Ephemeral => "ephemeral.",
            Mode::Resource | Mode::Module => "",
        };
        [mode, &*self.kind, ".", &*self.name].concat()
    }
}

impl Module {
    /// A folder's module.
    pub(super) fn of(folder: Arc<str>, blocks: Vec<Block>, lost: Vec<(LostBlock, Span)>) -> Self {
        let mut module = Self { folder, lost, ..Self::default() };
        for block in blocks {
            module.add(block);
        }
        module
    }

    /// A root with one call, whose target is known.
    pub(super) fn unit(
        folder: Arc<str>,
        locals: Vec<Attribute>,
        call: Block,
        target: Option<&Arc<str>>,
    ) -> Self {
        let mut module = Self { folder, has_own_setup: true, ..Self::default() };
        module.locals = locals.into_iter().map(|it| (Arc::clone(&it.name), it)).collect();
        module.add(call);
        for item in &mut module.items {
            item.calls = target.cloned();
        }
        module
    }

    /// A module of a plan; `target` gives the key of a called module.
    pub(super) fn planned(
        folder: Arc<str>,
        blocks: Vec<Block>,
        target: impl Fn(&str) -> Option<Arc<str>>,
    ) -> Self {
        let mut module = Self { folder, has_own_setup: true, ..Self::default() };
        for block in blocks {
            module.add(block);
        }
        for item in module.items.iter_mut().filter(|it| it.mode == Mode::Module) {
            item.calls = target(&item.name);
        }
        module
    }

    /// The position in `items` of the block of that address.
    pub(super) fn find(&self, mode: Mode, kind: &str, name: &str) -> Option<usize> {
        let is_it = |it: &&usize| {
            self.items.get(**it).is_some_and(|it| it.mode == mode && &*it.kind == kind)
        };
        self.by_name.get(name)?.iter().find(is_it).copied()
    }

    /// The `provider` blocks.
    pub(super) fn provider_blocks(&self) -> impl Iterator<Item = &Block> {
        self.others.iter().filter(|it| &*it.kind == "provider")
    }

    /// Whether a `provider` block gives it a configuration, not only another name of one that its caller has.
    pub(super) fn configures_providers(&self) -> bool {
        let is_proxy = |it: &Block| {
            let names_only = |it: &Attribute| matches!(&*it.name, "alias" | "version");
            it.body.blocks.is_empty() && it.body.attributes.iter().all(names_only)
        };
        !self.default_tags.is_empty() || self.provider_blocks().any(|it| !is_proxy(it))
    }

    /// The providers that it configures or requires.
    pub(super) fn named_providers(&self) -> Vec<Arc<str>> {
        let required = self.required_providers().map(|it| &it.name);
        self.providers.iter().chain(required).cloned().collect()
    }

    /// What it says of the version of a provider in `required_providers`.
    pub(super) fn required_version(&self, provider: &str) -> Option<&str> {
        let required = self.required_providers().find(|it| &*it.name == provider)?;
        match &required.value.kind {
            ExprKind::Object(items) => {
                let version = items.iter().find(|it| is_named(&it.key, "version"))?;
                version.value.as_literal()
            }
            _ => required.value.as_literal(),
        }
    }

    /// Whether it has a block that is an attribute since version 3 of the Helm provider, which refuses the block.
    pub(super) fn has_blocks_of_helm_2(&self) -> bool {
        let of_helm =
            self.provider_blocks().filter(|it| it.labels.iter().any(|(it, _)| &**it == "helm"));
        let charts =
            self.items.iter().filter(|it| matches!(&*it.kind, "helm_release" | "helm_template"));
        let mut nested = of_helm.chain(charts.map(|it| &it.block)).flat_map(|it| &it.body.blocks);
        nested.any(|it| match (&*it.kind, it.labels.first()) {
            ("dynamic", Some((name, _))) => HELM_2_BLOCKS.contains(&&**name),
            (kind, _) => HELM_2_BLOCKS.contains(&kind),
        })
    }

    fn required_providers(&self) -> impl Iterator<Item = &Attribute> {
        let setup = self.others.iter().filter(|it| &*it.kind == "terraform");
        let setup = setup.flat_map(|it| &it.body.blocks);
        let required = setup.filter(|it| &*it.kind == "required_providers");
        required.flat_map(|it| &it.body.attributes)
    }

    fn add(&mut self, mut block: Block) {
        let label = |index: usize| block.labels.get(index).map(|(text, _)| Arc::clone(text));
        match (&*block.kind, label(0), label(1)) {
            ("variable", Some(name), _) => {
                self.variables.insert(name, Variable { block });
            }
            ("output", Some(name), _) => {
                self.outputs.insert(name, Output { block });
            }
            ("locals", _, _) => {
                let named = block.body.attributes.into_iter();
                self.locals.extend(named.map(|it| (Arc::clone(&it.name), it)));
            }
            ("resource", Some(kind), Some(name)) => {
                self.add_item(Mode::Resource, kind, name, block);
            }
            ("data", Some(kind), Some(name)) => self.add_item(Mode::Data, kind, name, block),
            ("ephemeral", Some(kind), Some(name)) => {
                self.add_item(Mode::Ephemeral, kind, name, block);
            }
            ("module", Some(name), _) => {
                self.add_item(Mode::Module, Arc::from("module"), name, block);
            }
            ("provider", name, _) => {
                self.has_own_setup = true;
                self.providers.extend(name);
                let nested = block.body.blocks.extract_if(.., |it| &*it.kind == "default_tags");
                self.default_tags.extend(nested);
                self.others.push(block);
            }
            ("terraform", _, _) => {
                let setup =
                    block.body.blocks.iter().any(|it| matches!(&*it.kind, "backend" | "cloud"));
                self.has_own_setup |= setup;
                self.others.push(block);
            }
            _ => self.others.push(block),
        }
    }

    /// Lets calls lead to folders of this repository, by their sources.
    pub(super) fn follow(&mut self, folders: &BTreeMap<String, Arc<str>>) {
        for item in self.items.iter_mut().filter(|it| it.mode == Mode::Module) {
            let known = item.source().and_then(|it| folders.get(it));
            item.calls = item.calls.take().or(known.cloned());
        }
    }

    fn add_item(&mut self, mode: Mode, kind: Arc<str>, name: Arc<str>, block: Block) {
        let calls = (mode == Mode::Module).then(|| local_source(&self.folder, &block)).flatten();
        self.by_name.entry(Arc::clone(&name)).or_default().push(self.items.len());
        self.items.push(BlockItem { mode, kind, name, block, calls });
    }
}

/// The blocks of the Helm provider's version 2 that are attributes in version 3: of its provider block, and of charts.
const HELM_2_BLOCKS: [&str; 7] =
    ["kubernetes", "registry", "experiments", "set", "set_list", "set_sensitive", "postrender"];

/// The folder a module call's `source` names, when it is a literal path.
fn local_source(folder: &str, block: &Block) -> Option<Arc<str>> {
    let source = literal(&block.body.attribute("source")?.value)?;
    let relative = source.starts_with("./") || source.starts_with("../");
    let relative = relative || source == "." || source == "..";
    relative.then(|| join(folder, source)).flatten().map(Arc::from)
}

/// A function of our own, which no code can call: the first of its arguments, each a field of an object, that is there.
/// Terragrunt gives a variable what the first of several objects with inputs has.
pub(super) const FIRST_GIVEN: &str = "#first given";

/// The text of an expression that is a plain string.
pub(super) fn literal(expression: &Expr) -> Option<&str> {
    match &expression.kind {
        ExprKind::Template(parts) => match parts.as_slice() {
            [] => Some(""),
            [TemplatePart::Literal(literal)] => Some(&literal.text),
            _ => None,
        },
        _ => None,
    }
}

/// The elements of a written `depends_on`, with the attribute's and the list's place.
pub(super) fn depends_on(block: &Block) -> Option<(Span, Span, &[Expr])> {
    let attribute = block.body.attribute("depends_on")?;
    match &attribute.value.kind {
        ExprKind::Array(elements) => Some((attribute.span, attribute.value.span, elements)),
        _ => None,
    }
}

/// Whether the key of an object is that word.
fn is_named(key: &Expr, name: &str) -> bool {
    matches!(&key.kind, ExprKind::Variable(it) if &**it == name) || key.as_literal() == Some(name)
}
