//! Where `terraform init` has put the modules that a root calls by a registry or git address.

use std::collections::BTreeMap;

use crate::hash::HashMap;
use std::sync::Arc;

use crate::{
    source::{FileId, Files, Span, join},
    syntax::json,
    value::{Text, Value},
};

/// The list that `terraform init` writes, below a root module's folder.
const LIST: &str = ".terraform/modules/modules.json";

/// The folders of called modules by the names on the way to the call (`addons.karpenter`), by root.
#[derive(Debug, Default)]
pub(super) struct Installed {
    roots: BTreeMap<String, HashMap<String, Arc<str>>>,
}

impl Installed {
    /// Reads all lists.
    pub(super) fn read(files: &Files) -> Self {
        let lists = files.iter().filter_map(|(id, file)| {
            let root = file.path().strip_suffix(LIST)?;
            let root = if root.is_empty() { root } else { root.strip_suffix('/')? };
            Some((root.to_owned(), folders(files, id, root)))
        });
        Self { roots: lists.collect() }
    }

    /// The folder of the module that is called by these names from that root.
    pub(super) fn folder(&self, root: &str, names: &str) -> Option<&Arc<str>> {
        self.roots.get(root)?.get(names)
    }
}

fn folders(files: &Files, id: FileId, root: &str) -> HashMap<String, Arc<str>> {
    let text = files.get(id).text();
    let whole = Span::new(id, 0, text.len());
    let list = json::parse(&Text::verbatim(text, whole), whole);
    let modules = list.values.first().and_then(|it| it.get("Modules").present());
    let entry = |it: &Value| {
        let text = |key: &str| it.get(key).present().and_then(Value::as_str);
        Some((text("Key")?.to_owned(), Arc::from(join(root, text("Dir")?)?)))
    };
    modules.map_or(&[][..], Value::items).iter().filter_map(entry).collect()
}
