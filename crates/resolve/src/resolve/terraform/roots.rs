//! Which modules are roots, and what variable files they are given.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::hash::HashSet;

use crate::{
    project::kind::{is_downloaded, is_read_by_terraform},
    resolve::terraform::{
        growth::has_empty_default,
        module::{Module, Variable},
        options::TerraformOptions,
        parsed::{Parsed, VariableFile},
    },
    source::{file_name, is_below, is_distribution, outward, parent},
    syntax::hcl::{Attribute, Expr, ExprKind, TemplatePart},
};

/// The folders nothing else calls, in order. Of folders that only call each other, the first counts.
pub(super) fn roots(parsed: &Parsed) -> Vec<&Module> {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    for module in parsed.modules.values() {
        let folders = module.items.iter().filter_map(|it| it.calls.as_deref());
        called.extend(folders.filter(|it| *it != &*module.folder));
    }
    // A unit may add inputs to the files beside it.
    called
        .extend(parsed.units.iter().flat_map(|it| &it.items).filter_map(|it| it.calls.as_deref()));
    let own = || parsed.modules.values().filter(|it| !is_downloaded(&format!("{}/", it.folder)));
    let mut roots: Vec<&Module> = own().filter(|it| !called.contains(&*it.folder)).collect();
    roots.extend(&parsed.units);
    let mut seen = Seen::default();
    for root in &roots {
        visit(parsed, root, &mut seen);
    }
    for module in own() {
        if !seen.contains(&std::ptr::from_ref(module)) {
            visit(parsed, module, &mut seen);
            roots.push(module);
        }
    }
    roots.sort_by(|a, b| a.folder.cmp(&b.folder));
    roots
}

/// The folders of examples of modules that something elsewhere calls, and of unpacked releases of modules: who copies
/// a module with its examples applies the module, and none of these.
pub(super) fn examples(parsed: &Parsed) -> BTreeSet<Arc<str>> {
    let calls: Vec<(&str, &str)> = parsed
        .modules
        .values()
        .chain(&parsed.units)
        .flat_map(|it| it.items.iter().map(move |item| (&*it.folder, item)))
        .filter_map(|(from, item)| Some((from, item.calls.as_deref()?)))
        .collect();
    let folders = parsed.modules.keys().filter_map(|it| example_of(it));
    let found: BTreeSet<(&str, &str)> = folders.collect();
    let is_called = |module: &str| {
        calls.iter().any(|(from, to)| is_below(to, module) && !is_below(from, module))
    };
    let is_shown = |module: &str, it: &str| is_called(module) || is_distribution(&format!("{it}/"));
    found.into_iter().filter(|(module, it)| is_shown(module, it)).map(|(_, it)| it.into()).collect()
}

/// The module of which a folder is an example, and the folder of its examples.
fn example_of(folder: &str) -> Option<(&str, &str)> {
    const NAMES: [&str; 4] = ["example", "examples", "test", "tests"];
    let examples =
        outward(folder).find(|it| it.rsplit('/').next().is_some_and(|it| NAMES.contains(&it)))?;
    let module = parent(examples);
    (!module.is_empty()).then_some((module, examples))
}

/// The modules that some root leads to; units have the folder of the module beside them.
type Seen = HashSet<*const Module>;

fn visit<'a>(parsed: &'a Parsed, from: &'a Module, seen: &mut Seen) {
    let mut waiting = vec![from];
    while let Some(module) = waiting.pop() {
        if seen.insert(std::ptr::from_ref(module)) {
            waiting.extend(module.items.iter().filter_map(|it| parsed.called(it)));
        }
    }
}

/// Whether the root looks like a module made to be called from elsewhere: it has a variable without default,
/// and nothing that only roots have; or a unit of Terragrunt may be meant to call it.
pub(super) fn is_reusable(parsed: &Parsed, module: &Module) -> bool {
    if parsed.units.iter().any(|it| may_call(it, module)) {
        return true;
    }
    let open = module.variables.values().any(|it| it.default().is_none());
    let has_values = || parsed.variable_files.keys().any(|it| parent(it) == &*module.folder);
    open && !module.has_own_setup && !has_values()
}

/// Whether a unit whose source leads nowhere gives something that a module has a variable for.
fn may_call(unit: &Module, module: &Module) -> bool {
    const OF_CALL: [&str; 2] = ["source", "version"];
    let arguments = unit.items.iter().flat_map(|it| &it.block.body.attributes);
    let mut names = arguments.map(|it| &it.name).filter(|it| !OF_CALL.contains(&&***it)).peekable();
    // Which names there are is not known where they are computed.
    let is_any = names.peek().is_none() && !module.variables.is_empty();
    unit.leads_nowhere && (is_any || names.any(|it| module.variables.contains_key(it)))
}

/// The values the variable files give to a root, the file that counts most last: `terraform.tfvars`, its
/// JSON form, `*.auto.tfvars` and their JSON forms in the order of their names, then those of the options.
/// What an unreadable file gives is unknown, unless a later one sets it.
pub(super) fn inputs(
    parsed: &Parsed,
    roots: &BTreeSet<&str>,
    module: &Module,
    options: &TerraformOptions,
) -> Vec<Attribute> {
    let mut inputs: BTreeMap<&str, Attribute> = agreed(parsed, module, options);
    inputs.extend(only_with_manifests(parsed, module, options));
    let mut give = |path: &str| {
        let Some(file) = parsed.variable_files.get(path) else { return };
        if file.incomplete {
            inputs.extend(module.variables.values().filter_map(lost));
        }
        inputs.extend(file.body.attributes.iter().map(|it| (&*it.name, it.clone())));
    };
    let own = || parsed.variable_files.keys().filter(|it| parent(it) == &*module.folder);
    for main in ["terraform.tfvars", "terraform.tfvars.json"] {
        let is_main = |path: &&String| path.rsplit('/').next() == Some(main);
        own().filter(is_main).for_each(|it| give(it));
    }
    let automatic =
        |path: &&String| path.ends_with(".auto.tfvars") || path.ends_with(".auto.tfvars.json");
    own().filter(automatic).for_each(|it| give(it));
    for path in &options.var_files {
        let path = path.trim_start_matches("./");
        let folder = parent(path);
        if folder == &*module.folder || !roots.contains(folder) {
            give(path);
        }
    }
    inputs.into_values().collect()
}

/// The variable files for a root that Terraform reads only when a command line names them: beside its code, and in
/// folders below without code.
fn named_files<'p>(
    parsed: &'p Parsed,
    module: &Module,
) -> impl Iterator<Item = (&'p String, &'p VariableFile)> {
    let is_its = move |path: &String| {
        let mut code = outward(parent(path)).filter(|it| parsed.modules.contains_key(*it));
        // Most files are those of other roots.
        is_below(parent(path), &module.folder)
            && code.next() == Some(&*module.folder)
            && !(parent(path) == &*module.folder && is_read_by_terraform(file_name(path)))
    };
    parsed.variable_files.iter().filter(move |(path, _)| is_its(path))
}

/// What every one of several variable files of a root gives alike to variables that have no default: one of them is
/// named on each command line, and here it is all the same which.
fn agreed<'p>(
    parsed: &'p Parsed,
    module: &Module,
    options: &TerraformOptions,
) -> BTreeMap<&'p str, Attribute> {
    let own = || named_files(parsed, module).map(|it| it.1);
    let Some(first) = own().next().filter(|_| options.var_files.is_empty()) else {
        return BTreeMap::new();
    };
    if own().nth(1).is_none() || own().any(|it| it.incomplete) {
        return BTreeMap::new();
    }
    let is_open =
        |it: &&Attribute| module.variables.get(&it.name).is_some_and(|it| it.default().is_none());
    let in_all = |it: &&Attribute| {
        own().all(|file| {
            let mut others = file.body.attributes.iter().filter(|other| other.name == it.name);
            others.any(|other| is_same_literal(&other.value, &it.value))
        })
    };
    let given = first.body.attributes.iter().filter(is_open).filter(in_all);
    given.map(|it| (&*it.name, it.clone())).collect()
}

/// What the only variable file for a root gives, where that has manifests for a variable that has none otherwise: no
/// other state is known in which those objects are.
fn only_with_manifests<'p>(
    parsed: &'p Parsed,
    module: &Module,
    options: &TerraformOptions,
) -> BTreeMap<&'p str, Attribute> {
    let mut own = named_files(parsed, module);
    let (Some((_, file)), None) = (own.next(), own.next()) else { return BTreeMap::new() };
    let is_empty = |it: &Attribute| {
        let variable = module.variables.get(&it.name);
        variable.is_some_and(|it| it.default().is_none() || has_empty_default(it))
    };
    let mut given = file.body.attributes.iter();
    let is_filled = given.any(|it| is_empty(it) && holds_manifests(&it.value));
    if !is_filled || file.incomplete || !options.var_files.is_empty() {
        return BTreeMap::new();
    }
    file.body.attributes.iter().map(|it| (&*it.name, it.clone())).collect()
}

/// Whether an expression is a manifest as text, or a collection with one.
fn holds_manifests(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Array(items) => items.iter().any(holds_manifests),
        ExprKind::Object(items) => items.iter().any(|it| holds_manifests(&it.value)),
        ExprKind::Template(parts) => parts.iter().any(|it| {
            let TemplatePart::Literal(literal) = it else { return false };
            let has = |key: &str| literal.text.lines().any(|it| it.trim_start().starts_with(key));
            has("apiVersion:") && has("kind:")
        }),
        _ => false,
    }
}

/// Whether two expressions are the same text, number or truth.
fn is_same_literal(one: &Expr, other: &Expr) -> bool {
    let text = |parts: &[TemplatePart]| match parts {
        [TemplatePart::Literal(literal)] => Some(literal.text.clone()),
        _ => None,
    };
    match (&one.kind, &other.kind) {
        (ExprKind::Template(one), ExprKind::Template(other)) => {
            text(one).is_some_and(|it| Some(it) == text(other))
        }
        (ExprKind::Number(one), ExprKind::Number(other)) => one.to_bits() == other.to_bits(),
        (ExprKind::Bool(one), ExprKind::Bool(other)) => one == other,
        _ => false,
    }
}

/// Whether part of a variable file that may be for the root could not be read.
pub(super) fn lacks_values(parsed: &Parsed, module: &Module, options: &TerraformOptions) -> bool {
    let mut broken = parsed.variable_files.iter().filter(|(_, it)| it.incomplete);
    broken.any(|(path, _)| parent(path) == &*module.folder || options.var_files.contains(path))
}

/// An unknown argument for a variable.
fn lost(variable: &Variable) -> Option<(&str, Attribute)> {
    let (name, name_span) = variable.block.labels.first()?;
    let base = Box::new(Expr { kind: ExprKind::Variable(Arc::from("var")), span: *name_span });
    let value = Expr { kind: ExprKind::GetAttr(base, Arc::clone(name)), span: *name_span };
    let attribute =
        Attribute { name: Arc::clone(name), name_span: *name_span, value, span: *name_span };
    Some((name, attribute))
}
