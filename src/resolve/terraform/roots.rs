//! Which modules are roots, and what variable files they are given.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    resolve::terraform::{
        Options,
        module::{Module, Parsed},
    },
    source::parent,
    syntax::hcl::Attribute,
};

/// The folders nothing else calls, in order. Of folders that only call each other, the first counts.
pub fn roots(parsed: &Parsed) -> Vec<&Module> {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    for module in parsed.modules.values() {
        let folders = module.items.iter().filter_map(|it| it.calls.as_deref());
        called.extend(folders.filter(|it| *it != &*module.folder));
    }
    let mut roots: Vec<&Module> =
        parsed.modules.values().filter(|it| !called.contains(&*it.folder)).collect();
    let mut seen = BTreeSet::new();
    for root in &roots {
        visit(parsed, root, &mut seen);
    }
    for module in parsed.modules.values() {
        if !seen.contains(&module.folder) {
            visit(parsed, module, &mut seen);
            roots.push(module);
        }
    }
    roots.sort_by(|a, b| a.folder.cmp(&b.folder));
    roots
}

fn visit<'a>(parsed: &'a Parsed, from: &'a Module, seen: &mut BTreeSet<Arc<str>>) {
    let mut waiting = vec![from];
    while let Some(module) = waiting.pop() {
        if seen.insert(Arc::clone(&module.folder)) {
            waiting.extend(module.items.iter().filter_map(|it| parsed.called(it)));
        }
    }
}

/// Whether the root looks like a module made to be called from elsewhere.
pub fn is_reusable(parsed: &Parsed, module: &Module) -> bool {
    let has_values = parsed.variable_files.keys().any(|it| parent(it) == &*module.folder);
    let open = module.variables.values().any(|it| it.default().is_none());
    open && !module.has_own_setup && !has_values
}

/// The values the variable files give to a root, the file that counts most last.
pub fn inputs<'a>(
    parsed: &'a Parsed,
    roots: &BTreeSet<&str>,
    module: &Module,
    options: &Options,
) -> BTreeMap<&'a str, &'a Attribute> {
    let mut inputs = BTreeMap::new();
    let mut give = |path: &str| {
        let attributes = parsed.variable_files.get(path).map(|it| it.attributes.as_slice());
        inputs.extend(attributes.unwrap_or_default().iter().map(|it| (&*it.name, it)));
    };
    let own = |path: &&String| parent(path) == &*module.folder;
    let is_main = |path: &&String| path.rsplit('/').next() == Some("terraform.tfvars");
    for path in parsed.variable_files.keys().filter(own).filter(is_main) {
        give(path);
    }
    for path in parsed.variable_files.keys().filter(own).filter(|it| it.ends_with(".auto.tfvars")) {
        give(path);
    }
    for path in &options.var_files {
        let path = path.trim_start_matches("./");
        let folder = parent(path);
        if folder == &*module.folder || !roots.contains(folder) {
            give(path);
        }
    }
    inputs
}
