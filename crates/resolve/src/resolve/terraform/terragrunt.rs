//! Terragrunt's units: a `terragrunt.hcl` becomes a root with one call, of the module its `source` names,
//! with its `inputs` as arguments.
//!
//! Locals, those of included and of read files too, become the root's locals under names of their own.
//! Terragrunt's functions and the outputs of dependencies are unknown, except for the paths that say
//! where other files are.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use memchr::memmem;

use crate::hash::{HashMap, HashSet};

use crate::{
    findings::Severity,
    project::kind::{FileKind, is_downloaded},
    resolve::terraform::{
        module::{FIRST_GIVEN, LostBlock, Module},
        terragrunt::path::{Included, Paths, exposed},
    },
    source::{FileId, Files, Span, parent},
    syntax::{
        ParseError,
        hcl::{
            self, Attribute, Block, Body, Expr, ExprKind, HclFile, Literal, ObjectItem,
            TemplatePart,
            change::{self, Visited},
        },
    },
    value::TextPiece,
};

mod path;

/// How many files one unit may read.
const MOST_FILES: usize = 64;

/// What Terragrunt's files say.
pub(super) struct Terragrunt {
    /// The units as modules.
    pub units: Vec<Module>,
    /// The files that write code which names Karpenter.
    pub writers: Vec<FileId>,
    /// What could not be read.
    pub parse_errors: Vec<ParseError>,
}

/// Reads the units of a project.
pub(super) fn read(files: &Files, modules: &BTreeMap<Arc<str>, Module>) -> Terragrunt {
    let mut reader =
        UnitReader { files, modules, trees: HashMap::default(), parse_errors: Vec::new() };
    let is_unit = |path: &str| FileKind::of(path) == Some(FileKind::Terragrunt);
    let found = files.iter().filter(|(_, it)| is_unit(it.path()) && !is_downloaded(it.path()));
    let units = found.filter_map(|(id, _)| reader.unit(id)).collect();
    let writers = reader.trees.iter().filter(|(_, tree)| writes_karpenter(files, tree));
    let mut writers: Vec<FileId> = writers.map(|(id, _)| *id).collect();
    writers.sort_unstable();
    Terragrunt { units, writers, parse_errors: reader.parse_errors }
}

/// Whether a file writes code which names Karpenter into the folder of the module.
fn writes_karpenter(files: &Files, tree: &HclFile) -> bool {
    let names_it =
        |it: &Block| memmem::find(files.text(it.span).as_bytes(), b"karpenter").is_some();
    tree.body.blocks_of("generate").any(names_it)
}

struct UnitReader<'f> {
    files: &'f Files,
    modules: &'f BTreeMap<Arc<str>, Module>,
    trees: HashMap<FileId, Rc<HclFile>>,
    parse_errors: Vec<ParseError>,
}

/// A file that belongs to a unit.
struct UnitFile {
    id: FileId,
    tree: Rc<HclFile>,
    /// What the names of its locals begin with in the unit.
    prefix: String,
}

/// What a unit applies.
struct UnitSource {
    /// The module's folder, if it is in the project.
    target: Option<Arc<str>>,
    /// Whether its `source` is a path to a folder that is not there.
    leads_nowhere: bool,
    /// What to point at.
    header: Span,
    /// `source` and `version`, as a module call spells them.
    arguments: Vec<Attribute>,
}

impl UnitReader<'_> {
    fn tree(&mut self, id: FileId) -> Rc<HclFile> {
        if let Some(known) = self.trees.get(&id) {
            return Rc::clone(known);
        }
        let mut tree = hcl::read::parse(id, self.files.get(id).text());
        self.parse_errors.extend(tree.parse_errors.iter().cloned());
        tree.parse_errors.retain(|it| it.severity == Severity::Error);
        let tree = Rc::new(tree);
        self.trees.insert(id, Rc::clone(&tree));
        tree
    }

    fn config(&mut self, id: FileId, prefix: String) -> UnitFile {
        UnitFile { id, tree: self.tree(id), prefix }
    }

    fn unit(&mut self, id: FileId) -> Option<Module> {
        let folder = parent(self.files.get(id).path());
        let own = self.config(id, String::new());
        let paths = Paths { files: self.files, unit: folder, included: &[] };
        let mut configs = Vec::new();
        for block in own.tree.body.blocks_of("include") {
            let path = block.body.attribute("path");
            let found = path.and_then(|it| paths.file(folder, &own.tree.body, &it.value));
            if let Some(included) = found.filter(|it| *it != id) {
                let prefix = format!("{}.", block.label(0).unwrap_or_default());
                configs.push(self.config(included, prefix));
            }
        }
        // The unit's own settings count most, then those of the last include.
        configs.push(own);
        configs.reverse();
        let UnitSource { target, leads_nowhere, header, mut arguments } =
            self.source(&configs, &paths)?;
        let mut unit = UnitBuilder::default();
        let written = configs.iter().filter_map(|it| Some((it, it.tree.body.attribute("inputs")?)));
        let inputs = written.map(|(it, inputs)| unit.rewritten(it, &paths, &inputs.value));
        let inputs: Vec<Expr> = inputs.collect();
        let variables = target.as_ref().and_then(|it| self.modules.get(it));
        arguments.extend(given(&inputs, variables));
        for config in &configs {
            unit.locals_of(config, &paths);
        }
        self.read_others(&mut unit, &paths);
        let label = folder.rsplit('/').next().filter(|it| !it.is_empty()).unwrap_or("unit");
        let call = Block {
            kind: Arc::from("module"),
            labels: vec![(Arc::from(label), header)],
            header,
            body: Body { attributes: arguments, blocks: Vec::new() },
            span: header,
        };
        let mut module = Module::unit(Arc::from(folder), unit.locals, call, target.as_ref());
        let broken = configs.iter().filter_map(|it| it.tree.parse_errors.first());
        module.leads_nowhere = leads_nowhere;
        module.lost = broken.map(|it| (LostBlock::Unclear, it.span)).collect();
        Some(module)
    }

    /// The module a unit applies: its `source`, else the files beside it; `None` if there is neither.
    fn source<'c>(&'c self, configs: &'c [UnitFile], paths: &Paths<'c>) -> Option<UnitSource> {
        let include = |it: &'c UnitFile| {
            let folder = parent(self.files.get(it.id).path());
            Some(Included { name: it.prefix.strip_suffix('.')?, folder, body: &it.tree.body })
        };
        let included: Vec<Included<'_>> = configs.iter().filter_map(include).collect();
        let paths = Paths { included: &included, ..*paths };
        let written = configs.iter().find_map(|it| {
            let block = it.tree.body.blocks_of("terraform").next()?;
            Some((it, block, block.body.attribute("source")?))
        });
        if let Some((config, block, source)) = written {
            let beside = parent(self.files.get(config.id).path());
            let target = paths.folder(beside, &config.tree.body, &source.value, self.modules);
            let leads_nowhere =
                target.is_none() && paths.is_local(beside, &config.tree.body, &source.value);
            let local = target.as_ref().map(|_| vec![source.clone()]);
            let arguments = local.unwrap_or_else(|| remote(source));
            return Some(UnitSource { target, leads_nowhere, header: block.header, arguments });
        }
        let (beside, _) = self.modules.get_key_value(paths.unit)?;
        let own = configs.first()?;
        let inputs = own.tree.body.attribute("inputs");
        let header = inputs.map_or(Span::new(own.id, 0, 0), |it| it.name_span);
        let target = Some(Arc::clone(beside));
        Some(UnitSource { target, leads_nowhere: false, header, arguments: Vec::new() })
    }

    /// The locals of the files a unit reads with `read_terragrunt_config`, and of those they read.
    fn read_others(&mut self, unit: &mut UnitBuilder, paths: &Paths<'_>) {
        while let Some((id, prefix)) = unit.waiting.pop() {
            let config = self.config(id, prefix);
            unit.locals_of(&config, paths);
            unit.inputs_of(&config, paths);
        }
    }
}

/// A unit under construction.
#[derive(Default)]
struct UnitBuilder {
    locals: Vec<Attribute>,
    /// Files whose locals are needed, with the prefix of their names.
    waiting: Vec<(FileId, String)>,
    seen: HashSet<FileId>,
}

impl UnitBuilder {
    fn locals_of(&mut self, config: &UnitFile, paths: &Paths<'_>) {
        for block in config.tree.body.blocks_of("locals") {
            for local in &block.body.attributes {
                let value = self.rewritten(config, paths, &local.value);
                let name = Arc::from(format!("{}{}", config.prefix, local.name));
                self.locals.push(Attribute { name, value, ..local.clone() });
            }
        }
    }

    /// Makes the inputs of a file that is read a local, too.
    fn inputs_of(&mut self, config: &UnitFile, paths: &Paths<'_>) {
        if let Some(inputs) = config.tree.body.attribute("inputs") {
            let value = self.rewritten(config, paths, &inputs.value);
            let name = Arc::from(format!("{}{INPUTS}", config.prefix));
            self.locals.push(Attribute { name, value, ..inputs.clone() });
        }
    }

    /// An expression of a file as the unit sees it: with the names that the file's locals have there.
    fn rewritten(&mut self, config: &UnitFile, paths: &Paths<'_>, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        let beside = parent(paths.files.get(config.id).path());
        change::in_expr(&mut expr, &mut |node| {
            let Visited::Expr(expr) = node else { return };
            let span = expr.span;
            if let ExprKind::GetAttr(base, name) = &mut expr.kind {
                if is_word(base, "local") {
                    *name = Arc::from(format!("{}{name}", config.prefix));
                } else if let Some(include) = exposed(base) {
                    expr.kind = local(&format!("{include}.{name}"), span).kind;
                }
                return;
            }
            let ExprKind::Call { name, arguments, .. } = &expr.kind else { return };
            let path = arguments.first().filter(|_| &**name == "read_terragrunt_config");
            let file = path.and_then(|it| paths.file(beside, &config.tree.body, it));
            if let Some(id) = file {
                let prefix = format!("{}:", paths.files.get(id).path());
                if self.seen.len() < MOST_FILES && self.seen.insert(id) {
                    self.waiting.push((id, prefix.clone()));
                }
                expr.kind = what_it_reads(paths.files, id, &prefix, span);
            }
        });
        expr
    }
}

/// What the inputs of a file that is read are called among its locals, which have no such name.
const INPUTS: &str = "#inputs";

/// `{ locals = { … }, inputs = … }` of a file that is read, each local by its name in the unit.
fn what_it_reads(files: &Files, id: FileId, prefix: &str, span: Span) -> ExprKind {
    let tree = hcl::read::parse(id, files.get(id).text());
    let locals = tree.body.blocks_of("locals").flat_map(|it| &it.body.attributes);
    let item = |name: &str, value: Expr| ObjectItem { key: key(name, span), value };
    let items = locals.map(|it| item(&it.name, local(&format!("{prefix}{}", it.name), span)));
    let inner = Expr { kind: ExprKind::Object(items.collect()), span };
    let inputs = tree.body.attribute("inputs");
    let inputs = inputs.map(|_| item("inputs", local(&format!("{prefix}{INPUTS}"), span)));
    ExprKind::Object([item("locals", inner)].into_iter().chain(inputs).collect())
}

fn is_word(expr: &Expr, word: &str) -> bool {
    matches!(&expr.kind, ExprKind::Variable(name) if &**name == word)
}

fn local(name: &str, span: Span) -> Expr {
    let base = Box::new(Expr { kind: ExprKind::Variable(Arc::from("local")), span });
    Expr { kind: ExprKind::GetAttr(base, Arc::from(name)), span }
}

fn key(text: &str, span: Span) -> Expr {
    let piece = TextPiece { at: 0, len: u32::try_from(text.len()).unwrap_or(u32::MAX), span };
    let literal = Literal { text: Arc::from(text), pieces: vec![piece] };
    Expr { kind: ExprKind::Template(vec![TemplatePart::Literal(literal)]), span }
}

/// The arguments that inputs give, those that count most first.
fn given(inputs: &[Expr], module: Option<&Module>) -> Vec<Attribute> {
    let objects: Option<Vec<_>> = inputs.iter().map(written).collect();
    if let Some(objects) = objects {
        let mut seen = HashSet::default();
        let arguments = objects.into_iter().flatten();
        return arguments.filter(|it| seen.insert(Arc::clone(&it.name))).collect();
    }
    // Which names there are is only known once the expression is evaluated.
    let names = module.into_iter().flat_map(|it| it.variables.keys());
    let argument = |name: &Arc<str>| {
        let span = inputs.first()?.span;
        let of = |it: &Expr| Expr {
            kind: ExprKind::GetAttr(Box::new(it.clone()), Arc::clone(name)),
            span: it.span,
        };
        let arguments = inputs.iter().map(of).collect();
        let kind = ExprKind::Call { name: Arc::from(FIRST_GIVEN), arguments, expand: false };
        let value = Expr { kind, span };
        Some(Attribute { name: Arc::clone(name), name_span: span, value, span })
    };
    names.filter_map(argument).collect()
}

/// The arguments of an object whose keys are all plain.
fn written(inputs: &Expr) -> Option<Vec<Attribute>> {
    let ExprKind::Object(items) = &inputs.kind else { return None };
    let argument = |it: &ObjectItem| {
        Some(Attribute {
            name: Arc::from(it.key.as_literal()?),
            name_span: it.key.span,
            span: it.key.span.to(it.value.span),
            value: it.value.clone(),
        })
    };
    items.iter().map(argument).collect()
}

/// `source` and `version` of a module elsewhere, as a module call spells them.
fn remote(source: &Attribute) -> Vec<Attribute> {
    let registry = source.value.as_literal().and_then(|it| it.strip_prefix("tfr://"));
    let Some(address) = registry else { return vec![source.clone()] };
    let (module, version) = address.split_once("?version=").unwrap_or((address, ""));
    let module = module.trim_start_matches('/');
    let attribute = |name: &str, text: &str| Attribute {
        name: Arc::from(name),
        value: key(text, source.value.span),
        ..source.clone()
    };
    let version = (!version.is_empty()).then(|| attribute("version", version));
    [attribute("source", module)].into_iter().chain(version).collect()
}
