//! Plans: what `terraform show -json` prints. Planned values decide; the configuration in the plan, or the
//! one in the project, gives the dependencies and where things are written.

mod configuration;
mod field;
mod outdated;
mod overlay;
pub mod unjudged;

use std::sync::Arc;

use crate::hash::HashMap;

use crate::{
    project::kind::FileKind,
    resolve::terraform::{
        module::Module,
        object::{BlockInstance, Mode, without_keys},
        options::TerraformOptions,
        parsed::Parsed,
        plan::{
            field::{list, mode, word},
            unjudged::Unjudged,
        },
        root::{ObjectIndex, Root},
    },
    source::{FileId, Files, Span, file_name},
    syntax::{
        hcl::{self, Attribute},
        json,
    },
    value::{Field, Text, Value},
};

/// A plan.
pub(super) struct Plan {
    /// Its file's path.
    pub path: Arc<str>,
    /// The folder it lies in.
    pub folder: Arc<str>,
    /// The values of the root's variables.
    pub variables: Vec<(Attribute, Value)>,
    resources: Vec<Planned>,
    configuration: Value,
    /// Whether everything that is configured was planned; not so with `-target`.
    complete: bool,
}

/// An instance of a resource that will be there.
struct Planned {
    address: Arc<str>,
    /// Where the address is written.
    place: Span,
    values: Value,
    /// Where it is true, the value is known only after the apply.
    unknown: Option<Value>,
}

/// The plans of a project: JSON files that are named in the options or whose name contains `plan`, and whose
/// content is one.
pub(super) fn plans(files: &Files, options: &TerraformOptions) -> Vec<Plan> {
    let json = files.iter().filter(|(_, it)| FileKind::of(it.path()) == Some(FileKind::Json));
    json.filter(|(_, it)| is_likely(it.path(), options))
        .filter_map(|(id, _)| read(files, id))
        .collect()
}

/// Whether a file is a plan if its content is one.
fn is_likely(path: &str, options: &TerraformOptions) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    name.contains("plan") || options.plans.iter().any(|it| it == path)
}

/// What Terraform printed and is not judged.
pub(super) fn unjudged(files: &Files, options: &TerraformOptions) -> Vec<Unjudged> {
    unjudged::find(files, &|it| is_likely(it, options))
}

fn read(files: &Files, id: FileId) -> Option<Plan> {
    let file = files.get(id);
    let has = |text: &str, word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes());
    let is_plan = |text: &str| {
        let all = ["\"format_version\"", "\"planned_values\"", "\"configuration\""];
        all.iter().all(|it| has(text, it).is_some())
    };
    let text = file.text_if(is_plan)?;
    let whole = Span::new(id, 0, text.len());
    let plan =
        json::parse(&Text::verbatim(file.shared_text(), whole), whole).values.into_iter().next()?;
    let configuration = plan.at("configuration.root_module").present()?.clone();
    let mut unknown = HashMap::default();
    for change in list(plan.get("resource_changes")) {
        if let (Some(address), Field::Present(after)) =
            (word(change, "address"), change.at("change.after_unknown"))
        {
            unknown.insert(address, after);
        }
    }
    let mut resources = Vec::new();
    let mut waiting: Vec<&Value> =
        plan.at("planned_values.root_module").present().into_iter().collect();
    while let Some(module) = waiting.pop() {
        for resource in list(module.get("resources")) {
            let (Field::Present(written), Field::Present(values)) =
                (resource.get("address"), resource.get("values"))
            else {
                continue;
            };
            let Some(address) = written.as_str() else { continue };
            let unknown = unknown.get(address).map(|it| (*it).clone());
            resources.push(Planned {
                address: Arc::from(address),
                place: written.span,
                values: values.clone(),
                unknown,
            });
        }
        waiting.extend(list(module.get("child_modules")));
    }
    let variables = plan.get("variables").present().map_or(&[][..], Value::entries);
    let variables = variables.iter().filter_map(|it| {
        let value = it.value.get("value").present()?;
        let expression = hcl::json::literal_value(value);
        let span = it.key_span.to(value.span);
        let name = Arc::clone(&it.key);
        let attribute = Attribute { name, name_span: it.key_span, value: expression, span };
        Some((attribute, value.clone()))
    });
    Some(Plan {
        path: Arc::from(file.path()),
        folder: Arc::from(file.folder()),
        variables: variables.collect(),
        resources,
        configuration,
        complete: plan.get("complete").present().and_then(Value::as_bool) != Some(false),
    })
}

impl Plan {
    /// The root of the project the plan was made of: the one in its folder, else the only one that
    /// declares all that is planned.
    pub(super) fn root_among<'m>(&self, roots: &[&'m Module]) -> Option<&'m Module> {
        let fitting = || roots.iter().copied().filter(|it| self.fits(it));
        if let Some(beside) = fitting().find(|it| it.folder == self.folder) {
            return Some(beside);
        }
        let mut fitting = fitting();
        fitting.next().filter(|_| fitting.next().is_none())
    }

    fn fits(&self, module: &Module) -> bool {
        let resources = list(self.configuration.get("resources"));
        let calls = self.configuration.get("module_calls").present();
        let mut calls = calls.map_or(&[][..], Value::entries).iter();
        let has_resource = |it: &Value| {
            let mode = mode(it);
            let (kind, name) = (word(it, "type"), word(it, "name"));
            kind.zip(name).is_some_and(|(kind, name)| module.find(mode, kind, name).is_some())
        };
        let has_call = |name: &str| module.find(Mode::Module, "module", name).is_some();
        !module.items.is_empty()
            && resources.iter().all(has_resource)
            && calls.all(|it| has_call(&it.key))
    }

    /// The plan's own configuration as modules, and the root's key among them.
    pub(super) fn modules(&self) -> (Parsed, Arc<str>) {
        configuration::modules(&self.configuration, &self.path)
    }

    /// Puts what is planned into a root: instances that will be there have their planned values, others
    /// are left out. One whose code has changed since stays as it is written.
    pub(super) fn decide(&self, root: &mut Root, options: &TerraformOptions) {
        let mut exact: HashMap<&str, usize> = HashMap::default();
        let mut blocks: HashMap<String, usize> = HashMap::default();
        for (index, object) in root.objects.iter().enumerate() {
            exact.entry(&object.address).or_insert(index);
            blocks.entry(without_keys(&object.address)).or_insert(index);
        }
        let mut decided: Vec<BlockInstance> = Vec::new();
        let mut planned = vec![false; root.objects.len()];
        for resource in &self.resources {
            let block = || blocks.get(&without_keys(&resource.address)).copied();
            let place = exact.get(&*resource.address).copied().or_else(block);
            let Some((index, object)) = place.and_then(|it| Some((it, root.objects.get(it)?)))
            else {
                continue;
            };
            let first = planned.get_mut(index).is_some_and(|it| !std::mem::replace(it, true));
            if !options.wants(&object.kind) || outdated::is_contradicted(object, &resource.values) {
                if first {
                    decided.push(object.clone());
                }
                continue;
            }
            let body = overlay::decide(&object.body, &resource.values, resource.unknown.as_ref());
            let is_alone = object.header.file == resource.place.file;
            let header = if is_alone { resource.place } else { object.header };
            decided.push(BlockInstance {
                address: Arc::clone(&resource.address),
                is_off: false,
                absent_by: std::collections::BTreeSet::new(),
                growing: Vec::new(),
                header,
                body: body.named(header),
                ..object.clone()
            });
        }
        let kept = root.objects.iter().zip(&planned).filter(|(object, planned)| {
            !**planned && (object.mode != Mode::Resource || !self.complete)
        });
        decided.extend(kept.map(|(object, _)| object.clone()));
        decided.sort_by_key(|it| (it.span.file, it.span.start));
        root.objects = decided;
        root.index = ObjectIndex::default();
    }
}
