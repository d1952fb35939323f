//! The files of a project's Terraform, parsed once each and sorted by folder.

use std::{collections::BTreeMap, sync::Arc};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    project::kind::is_downloaded,
    resolve::terraform::{
        file,
        installed::Installed,
        module::{BlockItem, LostBlock, Module},
        overriding, own,
        terragrunt::{self, Terragrunt},
    },
    source::{FileId, Files, Span, parent},
    syntax::{
        ParseError,
        hcl::{Block, Body, HclFile},
    },
};

/// Every folder with configuration files, and every variable file.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The modules by their folder.
    pub modules: BTreeMap<Arc<str>, Module>,
    /// The variable files by their path.
    pub variable_files: BTreeMap<String, VariableFile>,
    /// Terragrunt's units, each a root with one call.
    pub units: Vec<Module>,
    /// The files from which Terragrunt writes code that names Karpenter.
    pub writers: Vec<FileId>,
    /// Where fetched modules lie.
    pub installed: Installed,
    /// How much code that is, in bytes.
    pub bytes: usize,
    /// What could not be read.
    pub parse_errors: Vec<ParseError>,
    /// The files that some other tool fills in first.
    pub templates: Vec<FileId>,
}

/// A file that gives values to variables.
#[derive(Debug, Default)]
pub(super) struct VariableFile {
    /// The values.
    pub body: Body,
    /// Whether part of it could not be read.
    pub incomplete: bool,
}

/// Parses every configuration and variable file, each once, on all cores.
pub(super) fn parse_all(files: &Files) -> Parsed {
    let wanted: Vec<FileId> =
        files.iter().filter(|(_, it)| file::is_read(files, it)).map(|(id, _)| id).collect();
    let trees: Vec<(FileId, HclFile)> =
        wanted.into_par_iter().map(|id| (id, file::parse(files, id))).collect();
    let mut parsed = Parsed { installed: Installed::read(files), ..Parsed::default() };
    let mut folders: BTreeMap<&str, ModuleFiles> = BTreeMap::new();
    for (id, mut tree) in trees {
        let path = files.get(id).path();
        parsed.bytes += files.get(id).text().len();
        let incomplete = tree.is_incomplete();
        if !is_downloaded(path) {
            if file::is_template(files.get(id), &tree.parse_errors) {
                parsed.templates.push(id);
            } else {
                parsed.parse_errors.append(&mut tree.parse_errors);
            }
        }
        let Some(name) = file::configuration(path) else {
            let file = VariableFile { body: tree.body, incomplete };
            parsed.variable_files.insert(path.to_owned(), file);
            continue;
        };
        let folder = folders.entry(parent(path)).or_default();
        folder.lost.extend(tree.lost.iter().map(|it| (LostBlock::of(files.text(*it)), *it)));
        if incomplete && tree.lost.is_empty() {
            folder.lost.push((LostBlock::Unclear, Span::new(id, 0, 0)));
        }
        if name.overrides() {
            folder.overrides.push(tree.body.blocks);
        } else {
            folder.blocks.extend(tree.body.blocks);
        }
    }
    for (path, folder) in folders {
        let module = folder.module(Arc::from(path));
        parsed.modules.insert(Arc::clone(&module.folder), module);
    }
    let Terragrunt { units, writers, parse_errors } = terragrunt::read(files, &parsed.modules);
    (parsed.units, parsed.writers) = (units, writers);
    let own = own::sources(&parsed.modules, &parsed.units);
    let modules = parsed.modules.values_mut().chain(&mut parsed.units);
    modules.filter(|_| !own.is_empty()).for_each(|it| it.follow(&own));
    parsed.parse_errors.extend(parse_errors);
    parsed
}

/// A folder's files, read in the order of their names.
#[derive(Default)]
struct ModuleFiles {
    blocks: Vec<Block>,
    overrides: Vec<Vec<Block>>,
    lost: Vec<(LostBlock, Span)>,
}

impl ModuleFiles {
    fn module(mut self, folder: Arc<str>) -> Module {
        for over in self.overrides {
            overriding::merge(&mut self.blocks, over);
        }
        Module::of(folder, self.blocks, self.lost)
    }
}

impl Parsed {
    /// The module a call leads to by a path inside the project.
    pub(super) fn called(&self, item: &BlockItem) -> Option<&Module> {
        self.modules.get(item.calls.as_ref()?)
    }

    /// The module that `terraform init` has fetched for a call, found by the names of the calls on the
    /// way from the root.
    pub(super) fn fetched(&self, root: &str, names: &str) -> Option<&Module> {
        self.modules.get(self.installed.folder(root, names)?)
    }
}
