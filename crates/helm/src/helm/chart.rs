//! Charts: their files read, their subcharts found.

pub mod archive;
pub mod archives;
pub mod ignore;
pub mod metadata;

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    helm::{
        chart::{
            archive::unpack,
            ignore::Ignore,
            metadata::{Dependency, Metadata},
        },
        fault::{ErrorKind, RenderError},
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
};

/// How deep charts may hold charts.
const DEPTH: usize = 8;

/// Where a file's text is written.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// In a file of the project: its bytes are the text's.
    File(FileId),
    /// In an archive: everything of it is pointed at here.
    Archive(Span),
}

/// A file of a chart.
#[derive(Clone, Debug)]
pub struct ChartFile {
    /// Its path in the chart, with `/`.
    pub path: String,
    /// What it holds.
    pub content: Content,
    /// Where that is written.
    pub place: Place,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// Text.
    Text(Arc<str>),
    /// The bytes of an archive, or of what is no text. There are none where a file is not opened.
    Bytes(Arc<[u8]>),
}

impl Content {
    /// What a file of these bytes holds.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text.into()),
            Err(error) => Self::Bytes(error.into_bytes().into()),
        }
    }
}

impl ChartFile {
    /// The text with its places; empty for what is no text.
    #[must_use]
    pub fn text(&self) -> Text {
        let Content::Text(text) = &self.content else { return Text::computed("") };
        match self.place {
            Place::File(_) => Text::verbatim(Arc::clone(text), self.span()),
            Place::Archive(_) => Text::computed(Arc::clone(text)),
        }
    }

    /// The span of all of it.
    #[must_use]
    pub fn span(&self) -> Span {
        match (self.place, &self.content) {
            (Place::File(file), Content::Text(text)) => Span::new(file, 0, text.len()),
            (Place::File(file), Content::Bytes(_)) => Span::new(file, 0, 0),
            (Place::Archive(span), _) => span,
        }
    }
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What `Chart.yaml` says.
    pub metadata: Metadata,
    /// What `values.yaml` says; an empty map without one.
    pub values: Value,
    /// The files of `templates/`.
    pub templates: Vec<ChartFile>,
    /// The files that are read by `.Files`, those of `crds/` among them.
    pub files: Vec<ChartFile>,
    /// The subcharts that are here.
    pub subcharts: Vec<Chart>,
    /// Why Helm does not load it, where that is certain: its values are no mapping.
    pub unloadable: Option<RenderError>,
    /// What of it could not be read.
    pub problems: Vec<RenderError>,
}

impl Chart {
    /// Reads a chart from its files, their paths relative to it.
    ///
    /// # Errors
    /// When there is no `Chart.yaml` that says what the chart is called.
    pub fn load(files: Vec<ChartFile>) -> Result<Self, RenderError> {
        Self::at_depth(files, 0)
    }

    /// Reads a chart from the bytes of an archive; everything in it is pointed at `place`.
    ///
    /// # Errors
    /// When it is no archive of a chart, or larger than any real one.
    pub fn from_archive(bytes: &[u8], place: Span) -> Result<Self, RenderError> {
        Self::unpacked(bytes, place, 0)
    }

    fn unpacked(bytes: &[u8], place: Span, depth: usize) -> Result<Self, RenderError> {
        let files = unpack(bytes).map_err(|message| problem(message, Some(place)))?;
        let file = |(path, bytes): (String, Vec<u8>)| ChartFile {
            path,
            content: Content::of(bytes),
            place: Place::Archive(place),
        };
        Self::at_depth(files.into_iter().map(file).collect(), depth)
    }

    fn at_depth(files: Vec<ChartFile>, depth: usize) -> Result<Self, RenderError> {
        let find = |path: &str| files.iter().find(|it| it.path == path);
        let Some(description) = find("Chart.yaml") else {
            return Err(problem("Chart.yaml file is missing".to_owned(), None));
        };
        let mut problems = Vec::new();
        let described = document(description, &mut problems);
        let required = find("requirements.yaml").map(|it| document(it, &mut problems));
        let Some(metadata) = Metadata::read(&described, required.as_ref()) else {
            let span = Some(description.span());
            return Err(problem("Chart.yaml names no chart".to_owned(), span));
        };
        let mut unloadable = None;
        let values = find("values.yaml").map(|it| {
            let known = problems.len();
            let values = document(it, &mut problems);
            unloadable = no_values(it, &values, problems.get(known));
            values
        });
        let values = values.unwrap_or_else(|| Value::map(Vec::new(), description.span()));
        let ignore =
            find(".helmignore").map(|it| Ignore::read(&it.text().text)).unwrap_or_default();
        let mut sorted = Sorted::default();
        for file in files {
            if !ignore.covers(&file.path) {
                sorted.add(file);
            }
        }
        let Sorted { templates, others, charts, archives } = sorted;
        let mut subcharts = Vec::new();
        for (folder, files) in charts {
            keep(Self::inner(files, depth), &folder, &mut subcharts, &mut problems);
        }
        for file in archives {
            let Content::Bytes(bytes) = &file.content else { continue };
            let place = metadata.place_of(&file.path).unwrap_or(file.span());
            let read = if depth < DEPTH {
                Self::unpacked(bytes, place, depth + 1)
            } else {
                Err(problem("charts nest too deep".to_owned(), Some(place)))
            };
            keep(read, &file.path, &mut subcharts, &mut problems);
        }
        let of_subchart = |it: &Self| it.unloadable.clone();
        unloadable = unloadable.or_else(|| subcharts.iter().find_map(of_subchart));
        Ok(Self { metadata, values, templates, files: others, subcharts, unloadable, problems })
    }

    fn inner(files: Vec<ChartFile>, depth: usize) -> Result<Self, RenderError> {
        if depth >= DEPTH {
            return Err(problem("charts nest too deep".to_owned(), None));
        }
        Self::at_depth(files, depth + 1)
    }

    /// The dependencies that are not here.
    #[must_use]
    pub fn missing(&self) -> Vec<&Dependency> {
        let here =
            |it: &&Dependency| !self.subcharts.iter().any(|chart| it.is_met_by(&chart.metadata));
        self.metadata.dependencies.iter().filter(here).collect()
    }

    /// The files of `crds/`.
    pub fn crds(&self) -> impl Iterator<Item = &ChartFile> {
        self.files.iter().filter(|it| it.path.starts_with("crds/"))
    }
}

fn problem(message: String, span: Option<Span>) -> RenderError {
    RenderError { message, kind: ErrorKind::Chart, span, calls: Vec::new() }
}

/// Why Helm does not load values. Text that another tool fills in first, and what follows the first document, it may
/// read otherwise.
fn no_values(
    file: &ChartFile,
    values: &Value,
    problem: Option<&RenderError>,
) -> Option<RenderError> {
    let text = file.text().text;
    if ["{{", "${", "\n---"].iter().any(|it| text.contains(it)) {
        return None;
    }
    let message = match problem {
        Some(problem) => &problem.message,
        None if values.as_map().is_none() && !values.is_null() => {
            "values.yaml: something else where a mapping is expected"
        }
        None => return None,
    };
    let span = problem.and_then(|it| it.span).unwrap_or(values.span);
    let message = format!("cannot load {message}");
    Some(RenderError { message, kind: ErrorKind::Chart, span: Some(span), calls: Vec::new() })
}

fn keep(
    read: Result<Chart, RenderError>,
    path: &str,
    to: &mut Vec<Chart>,
    problems: &mut Vec<RenderError>,
) {
    match read {
        Ok(chart) => to.push(chart),
        Err(error) => {
            problems.push(RenderError {
                message: format!("charts/{path}: {}", error.message),
                ..error
            });
        }
    }
}

/// The first document of a YAML file; an empty map without one.
fn document(file: &ChartFile, problems: &mut Vec<RenderError>) -> Value {
    let whole = file.span();
    let mut read = yaml::parse_literal(&file.text(), whole);
    for it in &read.parse_errors {
        if it.severity == crate::findings::Severity::Error {
            problems.push(problem(format!("{}: {}", file.path, it.message), Some(it.span)));
        }
    }
    if read.values.is_empty() {
        return Value::map(Vec::new(), whole);
    }
    read.values.swap_remove(0)
}

/// The files of a chart by what they are for.
#[derive(Default)]
struct Sorted {
    templates: Vec<ChartFile>,
    others: Vec<ChartFile>,
    charts: BTreeMap<String, Vec<ChartFile>>,
    archives: Vec<ChartFile>,
}

impl Sorted {
    fn add(&mut self, mut file: ChartFile) {
        if file.path.starts_with("templates/") {
            self.templates.push(file);
            return;
        }
        let Some(inside) = file.path.strip_prefix("charts/") else {
            let described = matches!(
                &*file.path,
                "Chart.yaml" | "Chart.lock" | "values.yaml" | "values.schema.json"
            );
            if !described {
                self.others.push(file);
            }
            return;
        };
        if inside.starts_with(['_', '.']) {
            return;
        }
        match inside.split_once('/') {
            Some((folder, path)) => {
                let (folder, path) = (folder.to_owned(), path.to_owned());
                file.path = path;
                self.charts.entry(folder).or_default().push(file);
            }
            None if std::path::Path::new(inside).extension().is_some_and(|it| it == "tgz") => {
                let path = inside.to_owned();
                file.path = path;
                self.archives.push(file);
            }
            None => {}
        }
    }
}
