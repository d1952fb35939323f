//! What one use of a chart makes.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    engine::{
        self,
        chart::{ChartFile, Content, Place, metadata::Dependency},
        fault::{ErrorKind, RenderError},
        left_out::LeftOutKey,
        manifests::{Refusal, refusal},
        render::RenderedFile,
    },
    findings::{
        Severity,
        subject::{Condition, Rendered, Subject},
    },
    resolve::{
        charts::{annotations, folders::ChartFolder, named::entry, parts::part, shared, uses::Use},
        gitops,
        helm::merge::merge,
        kubernetes::{self, Located, Object, part::Part},
        release::fetching,
    },
    source::{FileId, Span},
    syntax::{Documents, ParseError, yaml},
    value::{Entry, Kind, Text, Value},
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
    /// The templates that print no object, and why.
    pub closed: Vec<(FileId, String)>,
    /// The keys that templates of Karpenter's objects do not print because of values.
    pub(super) left_out: Vec<LeftOutKey>,
    /// The files whose objects are there only without a value that the chart leaves out.
    pub(super) without_value: BTreeSet<FileId>,
    /// The objects that are there only with the examples of the chart.
    pub(super) of_examples: Vec<Located>,
    /// What is said of files of the chart.
    pub(super) remarks: Vec<(FileId, String)>,
    /// Whether what another program printed names Karpenter's API.
    pub mentions_karpenter: bool,
    /// What fails, each call once, first what surely does.
    pub failures: Vec<Failure>,
}

/// A call that fails.
#[derive(Debug)]
pub struct Failure {
    /// What fails and where.
    pub error: RenderError,
    /// The dependency of the chart that is not here and may be the reason.
    pub lacks: Option<String>,
    /// Whether it is made of a file of the chart.
    pub reads_file: bool,
}

impl Failure {
    fn new(error: RenderError, lacks: Option<String>, chart: &ChartFolder) -> Self {
        let reads_file = line_of(&error, chart).is_some_and(|it| it.contains(".Files."));
        Self { error, lacks, reads_file }
    }
}

/// The line of a template of the chart's own from which on a call fails, up to its end.
fn line_of<'a>(error: &RenderError, chart: &'a ChartFolder) -> Option<&'a str> {
    let span = error.span?;
    let text = own_text(span, chart)?;
    let start = text.get(..span.range().start)?.rfind('\n').map_or(0, |it| it + 1);
    let rest = text.get(span.range().end..)?;
    let end = rest.find('\n').map_or(text.len(), |it| span.range().end + it);
    text.get(start..end)
}

/// The text of the template of the chart's own in which something lies.
fn own_text(span: Span, chart: &ChartFolder) -> Option<&str> {
    let is_it = |it: &&ChartFile| matches!(it.place, Place::File(file) if file == span.file);
    let template = chart.chart.templates.iter().find(is_it)?;
    match &template.content {
        Content::Text(text) => Some(text),
        Content::Bytes(_) => None,
    }
}

impl Made {
    /// Reads the objects of the files that a chart makes, which may lack a dependency.
    pub(super) fn of(
        chart: &ChartFolder,
        rendered: Vec<RenderedFile>,
        usage: &Use,
        lacks: &[&Dependency],
    ) -> Self {
        let mut made = Self::default();
        let mut origins = HashMap::new();
        let values = merge(chart.chart.values.clone(), &usage.values);
        let perhaps: BTreeSet<FileId> = open_files(&rendered);
        for file in rendered {
            if file.name.ends_with("NOTES.txt") {
                made.failures.extend(failure_of_notes(file, chart, lacks));
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
                    let Documents { values: documents, parse_errors, .. } =
                        yaml::parse_rendered(&text, start);
                    if documents.iter().any(is_no_object) || parse_errors.iter().any(is_error) {
                        let is_there = file.conditions.is_empty();
                        made.refuse(
                            (&file.name, file.file, is_there),
                            (&text, start),
                            (chart, lacks),
                        );
                    }
                    let part = part(&chart.chart, &values, &file.name).map(Arc::new);
                    let objects: Vec<Object> =
                        documents.iter().flat_map(kubernetes::objects).collect();
                    let closed = why_closed(&documents, usage).filter(|_| objects.is_empty());
                    let closed = file.file.zip(closed).filter(|it| !perhaps.contains(&it.0));
                    made.closed.extend(closed);
                    let conditions: Vec<Condition> =
                        file.conditions.iter().map(condition).collect();
                    made.add(objects, (part.as_ref(), &conditions), usage, &mut origins);
                }
                Err(error) => {
                    let lacks = reason_elsewhere(&error, chart, lacks).map(str::to_owned);
                    let reason = why(&error, chart, lacks.as_deref());
                    made.unseen.extend(file.file.map(|it| (it, reason)));
                    made.failures.push(Failure::new(error, lacks, chart));
                }
            }
        }
        shared::find(&mut made.objects, &origins, (chart, usage));
        annotations::find(&mut made.objects, |it| own_text(it, chart));
        // One call that fails may be in the way of many files, and one file that cannot be read of all.
        let is_syntax = |it: &Failure| it.error.kind == ErrorKind::Syntax;
        if made.failures.iter().any(|it| is_syntax(it) && it.lacks.is_none()) {
            // Helm reads all templates before it renders one.
            made.objects.clear();
        }
        made.failures.sort_by_key(|it| (!is_syntax(it), it.lacks.is_some(), it.error.span));
        made.failures.dedup_by_key(|it| it.error.span);
        made
    }

    /// Keeps what the templates of Karpenter's objects do not print because of values.
    pub(super) fn keep_left_out(&mut self, left_out: Vec<LeftOutKey>) {
        let of_karpenter = self.objects.iter().filter(|it| it.object.group().contains("karpenter"));
        let files: BTreeSet<FileId> = of_karpenter.map(|it| it.object.value.span.file).collect();
        self.left_out.extend(left_out.into_iter().filter(|it| files.contains(&it.condition.file)));
    }

    /// Says that Helm does not read what a template printed, where it does not.
    fn refuse(
        &mut self,
        (name, file, is_there): (&str, Option<FileId>, bool),
        (text, start): (&Text, Span),
        (chart, lacks): (&ChartFolder, &[&Dependency]),
    ) {
        let Some(Refusal { error, is_certain }) = refusal(name, text, start) else { return };
        let lacks = reason_elsewhere(&error, chart, lacks).map(str::to_owned);
        let reason = why(&error, chart, lacks.as_deref());
        self.unseen.extend(file.map(|it| (it, reason)));
        if is_certain && is_there {
            self.failures.push(Failure::new(error, lacks, chart));
        }
    }

    /// Adds objects, and for each where its name is from, if that is a value.
    pub(super) fn add(
        &mut self,
        objects: Vec<Object>,
        (part, conditions): (Option<&Arc<Part>>, &[Condition]),
        usage: &Use,
        origins: &mut HashMap<usize, Span>,
    ) {
        for mut object in objects.into_iter().filter(is_installed) {
            let origin = object.report_span();
            point_at(part.and_then(|it| it.place), &mut object);
            install_to(&mut object, &usage.release.namespace);
            let of_tool = gitops::is_of_interest(&object);
            if !of_tool && object.report_span() != origin {
                origins.insert(self.objects.len(), origin);
            }
            let list = if of_tool { &mut self.of_tools } else { &mut self.objects };
            let mut found = Located { part: part.cloned(), ..located(object, usage) };
            found.holder.conditions = conditions.to_vec();
            list.push(found);
        }
    }
}

/// What fails in what Helm says after an installation: it says it before, too.
fn failure_of_notes(
    file: RenderedFile,
    chart: &ChartFolder,
    lacks: &[&Dependency],
) -> Option<Failure> {
    let error = file.text.err().filter(|_| file.doubt.is_none())?;
    let lacks = reason_elsewhere(&error, chart, lacks).map(str::to_owned);
    Some(Failure::new(error, lacks, chart))
}

/// The files that print something only perhaps.
fn open_files(rendered: &[RenderedFile]) -> BTreeSet<FileId> {
    rendered.iter().filter(|it| !it.conditions.is_empty()).filter_map(|it| it.file).collect()
}

/// What decides whether an object is there.
fn condition(it: &engine::condition::Condition) -> Condition {
    Condition {
        unknown: format!("{} {}", it.symbol.scope, it.symbol.text).into(),
        expression: it.symbol.expression().map(Arc::from),
        written: Arc::clone(&it.written),
        span: it.span,
        holds: it.holds,
    }
}

/// Whether a document is one that Helm refuses.
fn is_no_object(document: &Value) -> bool {
    !matches!(document.kind, Kind::Map(_) | Kind::Null | Kind::Unknown(_))
}

fn is_error(it: &ParseError) -> bool {
    it.severity == Severity::Error
}

/// Why documents without an object may have one with other values; `None` where the values that decide it are those
/// of a release.
fn why_closed(documents: &[Value], usage: &Use) -> Option<String> {
    let open = documents.iter().find_map(|it| match &it.kind {
        Kind::Unknown(symbol) => Some(symbol.expression()),
        _ => None,
    });
    match (open, usage.index, usage.rendered) {
        (Some(Some(symbol)), ..) => Some(format!("what it prints hangs on `{symbol}`")),
        (Some(None), ..) => Some("what it prints hangs on a value that is not known".to_owned()),
        (None, None, _) => Some("it prints nothing with its chart's own values".to_owned()),
        (None, Some(_), Rendered::Here) => None,
        (None, Some(_), _) => {
            let name = usage.release.name.as_str().unwrap_or_default();
            Some(format!("it prints nothing with the values of `{name}` that are seen here"))
        }
    }
}

/// Why a template is not rendered, and what would help.
fn why(error: &RenderError, chart: &ChartFolder, lacks: Option<&str>) -> String {
    let message = &error.message;
    match lacks {
        Some(missing) => format!(
            "does not render: {message}; its dependency `{missing}` is not here: `{}` fetches it",
            fetching(&chart.folder)
        ),
        None => format!("does not render: {message}"),
    }
}

/// The first of the dependencies that are not here, if one of them may be why a call fails.
fn reason_elsewhere<'a>(
    error: &RenderError,
    chart: &ChartFolder,
    lacks: &[&'a Dependency],
) -> Option<&'a str> {
    // What Go cannot read fails whatever else is there.
    let is_own = error.kind == ErrorKind::Syntax
        || own_value(error, chart).is_some_and(|key| {
            let gives = |it: &&Dependency| it.called() == key || !it.imports.is_empty();
            key != "global" && !lacks.iter().any(gives)
        });
    lacks.first().filter(|_| !is_own).map(|it| &*it.name)
}

/// The key at the top of the chart's values inside which a call of its own templates finds nothing.
fn own_value<'a>(error: &RenderError, chart: &'a ChartFolder) -> Option<&'a str> {
    let span = error.span.filter(|_| error.message.starts_with("nil pointer"))?;
    let call = own_text(span, chart)?.get(span.range())?;
    call.trim_start_matches('$').strip_prefix(".Values.")?.split('.').next()
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

/// The hooks that Helm runs, besides tests; an object with another one it drops, such as `crd-install` of Helm 2.
const HOOKS: [&str; 8] = [
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "pre-delete",
    "post-delete",
];

/// Whether Helm applies an object, and not only for `helm test`.
fn is_installed(object: &Object) -> bool {
    let annotations = object.value.get("metadata").get("annotations");
    let hooks = annotations.get("helm.sh/hook").present().and_then(Value::as_str);
    hooks.is_none_or(|it| {
        it.split(',').all(|it| HOOKS.iter().any(|hook| hook.eq_ignore_ascii_case(it.trim())))
    })
}
