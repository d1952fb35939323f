//! Who reads what: the references to locals, variables and outputs of every module folder, and the files
//! that code names, found once in the syntax trees.
//!
//! What is declared and who reads it are each found when they are first asked for. Reads are matched by their key path: a change of
//! `local.versions.crds` concerns who reads it or `local.versions`, and not who reads `local.versions.cni`.

use std::sync::{Arc, OnceLock};

use crate::hash::HashMap;

use crate::{
    resolve::terraform::{
        module::{Module, literal},
        object::Mode,
        parsed::Parsed,
        reference::{Met, Reference, walk, walk_body},
    },
    source::{FileId, Span},
    syntax::hcl::{Expr, ExprKind, TemplatePart},
};

/// What can be read by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Declared {
    /// An attribute of a `locals` block.
    Local,
    /// A `variable` block.
    Variable,
    /// An `output` block; the modules that call its folder read it.
    Output,
}

/// A local, variable or output of a module folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Declaration {
    /// The module's folder, relative to the project's root.
    pub folder: Arc<str>,
    /// Which of them.
    pub declared: Declared,
    /// Its name.
    pub name: Arc<str>,
}

/// A place that reads a local, variable or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceSite {
    /// The whole reference: `local.versions["crds"]`.
    pub span: Span,
    /// The keys it takes, as far as they are literal: `["crds"]`.
    pub path: Vec<Arc<str>>,
    /// The header of the block around it, or the name of the local that it is part of.
    pub reader: Span,
    /// The folder of the module that reads.
    pub folder: Arc<str>,
}

/// The references of all modules of a project.
#[derive(Clone, Debug, Default)]
pub struct References {
    parsed: Arc<Parsed>,
    declared: Arc<OnceLock<DeclaredPlaces>>,
    index: Arc<OnceLock<Index>>,
}

/// The declarations of each file by the place they cover, in the order of these.
type DeclaredPlaces = HashMap<FileId, Vec<(Span, Declaration)>>;

#[derive(Debug, Default)]
struct Index {
    reads: HashMap<Declaration, Vec<ReferenceSite>>,
    /// The texts that end in a file's name, by that name.
    named: HashMap<Box<str>, Vec<Span>>,
}

impl References {
    /// The references in parsed modules.
    pub(super) fn new(parsed: Arc<Parsed>) -> Self {
        Self { parsed, declared: Arc::default(), index: Arc::default() }
    }

    /// The local, variable or output that a place belongs to, and the keys that lead to the innermost value
    /// inside it that holds the whole place.
    #[must_use]
    pub fn declaration_at(&self, place: Span) -> Option<(&Declaration, Vec<Arc<str>>)> {
        let declared = self.declared().get(&place.file)?;
        let next = declared.partition_point(|(it, _)| it.start <= place.start);
        let (span, declaration) = declared.get(next.checked_sub(1)?)?;
        let path = self.value_of(declaration).map(|it| path_to(it, place)).unwrap_or_default();
        span.contains(place).then_some((declaration, path))
    }

    /// All places that read any part of a local, variable or output.
    #[must_use]
    pub fn reads(&self, declaration: &Declaration) -> &[ReferenceSite] {
        self.index().reads.get(declaration).map_or(&[], Vec::as_slice)
    }

    /// The places that read what a change of `place` concerns: the value there, or one around it.
    /// Where nothing but an insertion between two values happens, who reads these is not concerned.
    pub fn readers(&self, place: Span) -> impl Iterator<Item = &ReferenceSite> {
        let declaration = self.declaration_at(place).map(|(it, _)| it);
        // Elsewhere in the block, as its type, everybody is concerned.
        let value = declaration.and_then(|it| self.value_of(it));
        let value = value.filter(|it| it.span.contains(place));
        let reads = declaration.map_or(&[][..], |it| self.reads(it));
        reads.iter().filter(move |it| value.is_none_or(|value| concerns(value, &it.path, place)))
    }

    /// Whether part of a module's code could not be read, so that it may have other readers.
    #[must_use]
    pub fn is_incomplete(&self, folder: &str) -> bool {
        self.parsed.modules.get(folder).is_some_and(|it| !it.lost.is_empty())
    }

    /// The texts of code that name a file: those that end in its name, behind a slash or alone.
    #[must_use]
    pub fn naming(&self, file_name: &str) -> &[Span] {
        self.index().named.get(file_name).map_or(&[], Vec::as_slice)
    }

    fn value_of(&self, declaration: &Declaration) -> Option<&Expr> {
        let module = self.parsed.modules.get(&declaration.folder)?;
        let name = &declaration.name;
        let attribute = match declaration.declared {
            Declared::Local => module.locals.get(name),
            Declared::Variable => module.variables.get(name)?.default(),
            Declared::Output => module.outputs.get(name)?.value(),
        };
        attribute.map(|it| &it.value)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for module in self.parsed.modules.values() {
                Collector { parsed: &self.parsed, module, index: &mut index }.module();
            }
            index
        })
    }

    fn declared(&self) -> &DeclaredPlaces {
        self.declared.get_or_init(|| {
            let mut places = DeclaredPlaces::default();
            for module in self.parsed.modules.values() {
                for (declaration, span) in declarations(module) {
                    places.entry(span.file).or_default().push((span, declaration));
                }
            }
            for places in places.values_mut() {
                places.sort_by_key(|(span, _)| span.start);
            }
            places
        })
    }
}

/// What a module declares, and where.
fn declarations(module: &Module) -> impl Iterator<Item = (Declaration, Span)> {
    let locals = module.locals.iter().map(|(name, it)| (Declared::Local, name, it.span));
    let variables = module.variables.iter();
    let variables = variables.map(|(name, it)| (Declared::Variable, name, it.block.span));
    let outputs = module.outputs.iter();
    let outputs = outputs.map(|(name, it)| (Declared::Output, name, it.block.span));
    locals.chain(variables).chain(outputs).map(|(declared, name, span)| {
        let (folder, name) = (Arc::clone(&module.folder), Arc::clone(name));
        (Declaration { folder, declared, name }, span)
    })
}

/// Whether a change of `place` concerns who takes the keys of `path` out of a value.
fn concerns(value: &Expr, path: &[Arc<str>], place: Span) -> bool {
    let mut value = value;
    for key in path {
        let ExprKind::Object(items) = &bare(value).kind else { break };
        let item = items.iter().find(|it| literal(&it.key) == Some(key));
        let Some(item) = item else { break };
        value = &item.value;
    }
    let span = value.span;
    let is_insertion = place.start == place.end;
    span.file == place.file
        && if is_insertion {
            span.start < place.start && place.start < span.end
        } else {
            span.start < place.end && place.start < span.end
        }
}

/// The keys that lead to the innermost value that holds a place.
fn path_to(value: &Expr, place: Span) -> Vec<Arc<str>> {
    let mut path = Vec::new();
    let mut value = value;
    while let ExprKind::Object(items) = &bare(value).kind {
        let holds = items.iter().find(|it| it.key.span.to(it.value.span).contains(place));
        let Some((item, key)) = holds.and_then(|it| Some((it, literal(&it.key)?))) else { break };
        path.push(Arc::from(key));
        value = &item.value;
    }
    path
}

fn bare(value: &Expr) -> &Expr {
    let mut value = value;
    while let ExprKind::Parens(inner) = &value.kind {
        value = inner;
    }
    value
}

/// Reads one module into the index.
struct Collector<'p> {
    parsed: &'p Parsed,
    module: &'p Module,
    index: &'p mut Index,
}

impl Collector<'_> {
    fn module(&mut self) {
        let module = self.module;
        for local in module.locals.values() {
            walk(&local.value, &mut |it| self.met(&it, local.name_span));
        }
        let blocks = module.variables.values().map(|it| &it.block);
        let blocks = blocks.chain(module.outputs.values().map(|it| &it.block));
        let blocks = blocks.chain(module.items.iter().map(|it| &it.block));
        for block in blocks.chain(&module.default_tags).chain(&module.others) {
            walk_body(&block.body, &mut |it| self.met(&it, block.header));
        }
    }

    fn declaration(&self, declared: Declared, name: &Arc<str>) -> Declaration {
        Declaration { folder: Arc::clone(&self.module.folder), declared, name: Arc::clone(name) }
    }

    fn met(&mut self, met: &Met<'_>, reader: Span) {
        match met {
            Met::Reference(it) => self.read(it, reader),
            Met::Text(parts, span) => self.names(parts, *span),
        }
    }

    fn read(&mut self, reference: &Reference<'_>, reader: Span) {
        let declared = match reference.root {
            "local" => Declared::Local,
            "var" => Declared::Variable,
            "module" => return self.read_output(reference, reader),
            _ => return,
        };
        let mut path = path_of(reference.whole);
        if !path.is_empty() {
            let declaration = self.declaration(declared, &path.remove(0));
            self.add(declaration, reference, path, reader);
        }
    }

    /// `module.m.out`: a read of the called folder's output; `module.m` alone reads all of them.
    fn read_output(&mut self, reference: &Reference<'_>, reader: Span) {
        let mut names = reference.names.iter();
        let Some(call) = names.next() else { return };
        let call = self.module.find(Mode::Module, "module", call);
        let item = call.and_then(|it| self.module.items.get(it));
        let Some(target) = item.and_then(|it| self.parsed.called(it)) else { return };
        let output = |name: &Arc<str>| Declaration {
            folder: Arc::clone(&target.folder),
            declared: Declared::Output,
            name: Arc::clone(name),
        };
        let Some(name) = names.next() else {
            for name in target.outputs.keys() {
                self.add(output(name), reference, Vec::new(), reader);
            }
            return;
        };
        let path = path_of(reference.whole);
        let inside = path.iter().position(|it| **it == **name).map_or(path.len(), |it| it + 1);
        let path = path.get(inside..).unwrap_or_default().to_vec();
        self.add(output(&Arc::from(*name)), reference, path, reader);
    }

    fn add(
        &mut self,
        declaration: Declaration,
        reference: &Reference<'_>,
        path: Vec<Arc<str>>,
        reader: Span,
    ) {
        let folder = Arc::clone(&self.module.folder);
        let read = ReferenceSite { span: reference.whole.span, path, reader, folder };
        self.index.reads.entry(declaration).or_default().push(read);
    }

    /// Notes a text that may name a file.
    fn names(&mut self, parts: &[TemplatePart], span: Span) {
        let Some(TemplatePart::Literal(last)) = parts.last() else { return };
        let name = match last.text.rsplit_once('/') {
            Some((_, name)) => name,
            None if parts.len() == 1 => &last.text,
            None => return,
        };
        if name.contains('.') && !name.contains(char::is_whitespace) {
            match self.index.named.get_mut(name) {
                Some(places) => places.push(span),
                None => {
                    self.index.named.insert(Box::from(name), vec![span]);
                }
            }
        }
    }
}

/// The names and literal keys behind the first word of a reference, up to the first that is neither.
fn path_of(whole: &Expr) -> Vec<Arc<str>> {
    let mut path: Vec<Option<Arc<str>>> = Vec::new();
    let mut current = whole;
    loop {
        match &current.kind {
            ExprKind::GetAttr(base, name) => {
                path.push(Some(Arc::clone(name)));
                current = base;
            }
            ExprKind::Index(base, key) => {
                path.push(literal(key).map(Arc::from));
                current = base;
            }
            _ => break,
        }
    }
    path.into_iter().rev().map_while(|it| it).collect()
}
