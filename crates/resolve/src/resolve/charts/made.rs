//! What one use of a chart makes.

use std::sync::Arc;

use crate::{
    engine::{
        fault::{ErrorKind, RenderError},
        render::RenderedFile,
    },
    findings::subject::Subject,
    resolve::{
        charts::{folders::ChartFolder, parts::part, uses::Use},
        gitops,
        kubernetes::{self, Located, Object, part::Part},
        release::fetching,
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{Entry, Kind, Value},
};

/// What one use of a chart makes.
#[derive(Debug, Default)]
pub struct Made {
    /// The objects.
    pub objects: Vec<Located>,
    /// Those of `GitOps` tools.
    pub of_tools: Vec<Located>,
    /// The templates that are not rendered, and why.
    pub unseen: Vec<(FileId, String)>,
    /// What fails, each call once.
    pub errors: Vec<RenderError>,
}

impl Made {
    /// Reads the objects of the files that a chart makes, which may lack a dependency.
    pub(super) fn of(
        chart: &ChartFolder,
        rendered: Vec<RenderedFile>,
        usage: &Use,
        lacks: Option<&str>,
    ) -> Self {
        let mut made = Self::default();
        for file in rendered {
            if file.name.ends_with("NOTES.txt") {
                continue;
            }
            // A chart that is only perhaps installed is not judged.
            if let Some(symbol) = file.doubt {
                let on = symbol.expression().unwrap_or("a value that is not known");
                let reason = format!("whether its chart is installed hangs on {on}");
                made.unseen.extend(file.file.map(|it| (it, reason)));
                continue;
            }
            match file.text {
                Ok(text) => {
                    let start = file.file.map_or(usage.place, |it| Span::new(it, 0, 0));
                    let documents = yaml::parse_literal(&text, start).values;
                    let part = part(&chart.chart, &usage.values, &file.name).map(Arc::new);
                    let objects = documents.iter().flat_map(kubernetes::objects);
                    made.add(objects, part.as_ref(), usage);
                }
                Err(error) => {
                    let reason = why(&error, chart, lacks);
                    made.unseen.extend(file.file.map(|it| (it, reason)));
                    made.errors.push(error);
                }
            }
        }
        // One call that fails may be in the way of many files, and one file that cannot be read of all.
        made.errors.sort_by_key(|it| (it.kind != ErrorKind::Syntax, it.span));
        made.errors.dedup_by_key(|it| it.span);
        made
    }

    fn add(
        &mut self,
        objects: impl Iterator<Item = Object>,
        part: Option<&Arc<Part>>,
        usage: &Use,
    ) {
        for mut object in objects.filter(|it| !is_test(it)) {
            point_at(part.and_then(|it| it.place), &mut object);
            install_to(&mut object, &usage.release.namespace);
            let of_tool = gitops::is_of_interest(&object);
            let list = if of_tool { &mut self.of_tools } else { &mut self.objects };
            list.push(Located { part: part.cloned(), ..located(object, usage) });
        }
    }
}

/// Why a template is not rendered, and what would help.
fn why(error: &RenderError, chart: &ChartFolder, lacks: Option<&str>) -> String {
    let message = &error.message;
    match lacks {
        Some(missing) if error.kind != ErrorKind::Syntax => format!(
            "does not render: {message}; its dependency `{missing}` is not here: `{}` fetches it",
            fetching(&chart.folder)
        ),
        _ => format!("does not render: {message}"),
    }
}

/// An object as one use of a chart has it.
pub(super) fn located(object: Object, usage: &Use) -> Located {
    let header = object.report_span();
    Located {
        object,
        root: usage.scope.root,
        node: None,
        folder: Arc::clone(&usage.scope.folder),
        cluster: usage.scope.cluster,
        header,
        holder: Subject {
            instance: usage.instance.clone(),
            rendered: Some(usage.rendered),
            ..Subject::default()
        },
        part: None,
        is_off: usage.is_off,
    }
}

/// Has the object pointed at where the values of its chart are, if that is of others; else where its template
/// names it, also where the name itself is from a value or another template.
fn point_at(values: Option<Span>, object: &mut Object) {
    let Some(name) = entry(&mut object.value, "metadata").and_then(|it| entry(it, "name")) else {
        return;
    };
    match values {
        Some(values) => name.span = values,
        None if name.span.file != name.name.file => name.span = name.name,
        None => {}
    }
}

/// Gives an object of a namespace, as far as rules ask for it, the namespace of its release.
fn install_to(object: &mut Object, namespace: &Value) {
    let is_asked_for = object.template_path().is_some()
        || matches!(&*object.kind, "PodDisruptionBudget" | "PersistentVolumeClaim");
    if !is_asked_for || namespace.is_unknown() {
        return;
    }
    let Some(Value { kind: Kind::Map(map), name, .. }) = entry(&mut object.value, "metadata")
    else {
        return;
    };
    if map.entry("namespace").is_none() && map.rest.is_none() {
        let value = namespace.clone().named(*name);
        let key = Arc::from("namespace");
        Arc::make_mut(map).entries.push(Entry { key, key_span: *name, value });
    }
}

fn entry<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    let Kind::Map(map) = &mut value.kind else { return None };
    let entries = &mut Arc::make_mut(map).entries;
    entries.iter_mut().find(|it| &*it.key == key).map(|it| &mut it.value)
}

/// Whether an object is applied only by `helm test`.
fn is_test(object: &Object) -> bool {
    let annotations = object.value.get("metadata").get("annotations");
    let hooks = annotations.get("helm.sh/hook").present().and_then(Value::as_str);
    hooks.is_some_and(|it| it.split(',').any(|it| it.trim().starts_with("test")))
}
