//! A chart rendered for a release.

mod scope;

use std::{collections::BTreeSet, rc::Rc};

use crate::{
    helm::{
        chart::{Chart, ChartFile, Place, metadata::Dependency},
        cluster::Assumptions,
        coalesce::{self, Unit, plan, uses},
        condition::Condition,
        exec::{Machine, Written, region::Printed},
        fault::{ErrorKind, RenderError},
        functions::arguments::Host,
        left_out::LeftOutKey,
        refusal::refused,
        release::Release,
        render::scope::Scope,
        templates::{Template, Templates},
        value::Val,
    },
    source::FileId,
    value::{Symbol, Text, Value},
};

/// How often charts may be used in one. Each alias of each alias is one more.
const MOST: usize = 1_000;

/// What a chart renders to.
#[derive(Clone, Debug, Default)]
pub struct Rendering {
    /// Its templates, in Helm's order.
    pub files: Vec<RenderedFile>,
    /// Functions that are not known here.
    pub unsupported: BTreeSet<String>,
    /// The keys that templates do not print because of values.
    pub left_out: Vec<LeftOutKey>,
}

impl Rendering {
    /// That of a chart that fails as a whole.
    fn failed(chart: &Chart, error: RenderError) -> Self {
        let name = format!("{}/Chart.yaml", chart.metadata.name);
        let (text, conditions) = (Err(error), Vec::new());
        let files = vec![RenderedFile { name, file: None, doubt: None, conditions, text }];
        Self { files, ..Self::default() }
    }
}

/// What a template renders to.
#[derive(Clone, Debug)]
pub struct RenderedFile {
    /// The template as Helm names it: `chart/templates/x.yaml`.
    pub name: String,
    /// The template's file, if it is one of the project.
    pub file: Option<FileId>,
    /// What decides whether its chart is installed, where that is not known.
    pub doubt: Option<Symbol>,
    /// What has to hold for the text to be printed, where that is not known.
    pub conditions: Vec<Condition>,
    /// The text, or why there is none.
    pub text: Result<Text, RenderError>,
}

/// A template to run.
struct Job<'a> {
    written: Rc<Written>,
    template: Rc<Template>,
    file: &'a ChartFile,
    scope: Rc<Scope>,
    doubt: Option<Symbol>,
    is_partial: bool,
}

impl Job<'_> {
    /// What it printed: what is there for sure and what is there perhaps.
    fn files(&self, printed: Result<Printed, RenderError>) -> Vec<RenderedFile> {
        let file = match self.file.place {
            Place::File(file) => Some(file),
            Place::Archive(_) => None,
        };
        let of = |text: Result<Text, RenderError>, conditions: Vec<Condition>| {
            let (name, doubt) = (self.written.name.to_string(), self.doubt.clone());
            RenderedFile { name, file, doubt, conditions, text }
        };
        match printed {
            Ok(Printed { text, perhaps }) => {
                let perhaps =
                    perhaps.into_iter().map(|it| of(Ok(it.text.finished()), it.conditions));
                [of(Ok(text.finished()), Vec::new())].into_iter().chain(perhaps).collect()
            }
            Err(error) => vec![of(Err(error), Vec::new())],
        }
    }
}

/// Renders a chart with the values that a release gives it, which go before the chart's own.
#[must_use]
pub fn render(
    chart: &Chart,
    given: &Value,
    release: &Release,
    assumptions: &Assumptions,
) -> Rendering {
    Templates::default().render(chart, given, release, assumptions)
}

impl<'a> Templates<'a> {
    /// The same with templates that may have been read before.
    #[must_use]
    pub fn render(
        &self,
        chart: &'a Chart,
        given: &Value,
        release: &Release,
        assumptions: &Assumptions,
    ) -> Rendering {
        some(self, chart, given, (release, assumptions), &|_| true)
    }
}

/// The same for some of its templates, by Helm's names.
pub(crate) fn some<'a>(
    templates: &Templates<'a>,
    chart: &'a Chart,
    given: &Value,
    (release, assumptions): (&Release, &Assumptions),
    wanted: &dyn Fn(&str) -> bool,
) -> Rendering {
    let refusal = refused(chart, assumptions);
    if uses(chart) > MOST {
        let message = format!("the chart consists of more than {MOST} charts");
        let kind = ErrorKind::Limit;
        return Rendering::failed(chart, RenderError { message, kind, span: None, calls: vec![] });
    }
    // Its templates are for others: none of them fails.
    if let Some(error) = refusal.as_ref().filter(|_| chart.metadata.is_library) {
        return Rendering::failed(chart, error.clone());
    }
    let (root, values) = plan(chart, given, assumptions.is_helm_4);
    let values = crate::helm::convert::val(&values);
    let shared = scope::Shared::new(release, assumptions);
    let mut jobs = Vec::new();
    collect(&root, (templates, &shared), values, ("", true, None), &mut jobs);
    // Helm: the deepest last by path, and all in reverse, so that a parent's definitions win.
    jobs.sort_by(|a, b| {
        let (a, b) = (&*a.written.name, &*b.written.name);
        (b.matches('/').count(), b).cmp(&(a.matches('/').count(), a))
    });
    let lacks_charts = !lacking(chart, given).is_empty();
    let host = Host { assumptions: assumptions.clone(), lacks_charts, ..Host::default() };
    let mut machine = Machine::new(host);
    let read: Vec<Result<(), RenderError>> =
        jobs.iter().map(|it| machine.add(&it.written, &it.template.tree)).collect();
    let mut rendering = Rendering::default();
    for (job, read) in jobs.iter().zip(read) {
        let printed = match read {
            Ok(()) if job.is_partial || !wanted(&job.written.name) => continue,
            Ok(()) => {
                if let Some(error) = &refusal {
                    Err(error.clone())
                } else {
                    let data = job.scope.of_template(&job.written.name);
                    machine.print_apart(&job.written.name, &data)
                }
            }
            Err(error) => Err(error),
        };
        rendering.files.extend(job.files(printed));
    }
    (rendering.unsupported, rendering.left_out) = (machine.unsupported, machine.left_out);
    rendering
}

/// The templates of a chart and of those below it.
fn collect<'a>(
    unit: &Unit<'a>,
    (templates, shared): (&Templates<'a>, &scope::Shared),
    values: Val,
    (above, is_root, doubt): (&str, bool, Option<&Symbol>),
    jobs: &mut Vec<Job<'a>>,
) -> Val {
    let path = match above {
        "" => unit.name.clone(),
        above => format!("{above}/charts/{}", unit.name),
    };
    let doubt = unit.doubt.as_ref().or(doubt);
    let below = unit.children.iter().map(|child| {
        let inner = scope::below(&values, &child.name);
        let scope = collect(child, (templates, shared), inner, (&path, false, doubt), jobs);
        (Rc::from(&*child.name), scope)
    });
    let below: Vec<(Rc<str>, Val)> = below.collect();
    let scope = Rc::new(Scope::new(unit, &path, is_root, shared, values, Val::map(below)));
    for file in &unit.chart.templates {
        let name: Rc<str> = format!("{path}/{}", file.path).into();
        let is_partial = unit.chart.metadata.is_library
            || file.path.rsplit('/').next().is_some_and(|it| it.starts_with('_'));
        let template = templates.of(file);
        let written = Rc::new(Written { name, text: template.text.clone() });
        let (scope, doubt) = (scope.clone(), doubt.cloned());
        jobs.push(Job { written, template, file, scope, doubt, is_partial });
    }
    scope.data()
}

/// The values that a chart sees when these are given: with its own where nothing is.
#[must_use]
pub fn values(chart: &Chart, given: &Value) -> Value {
    plan(chart, given, false).1
}

/// The dependencies of a chart that are not here and that these values do not switch off.
#[must_use]
pub fn lacking<'a>(chart: &'a Chart, given: &Value) -> Vec<&'a Dependency> {
    coalesce::lacking(chart, given)
}

/// A chart and those below it that these values do not switch off, each with its folder in the outermost one:
/// `charts/redis`, and nothing for that.
#[must_use]
pub fn parts<'a>(chart: &'a Chart, given: &Value) -> Vec<(String, &'a Chart)> {
    fn add<'a>(unit: &Unit<'a>, folder: String, found: &mut Vec<(String, &'a Chart)>) {
        for child in &unit.children {
            let above = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            add(child, format!("{above}charts/{}", child.chart.metadata.name), found);
        }
        found.push((folder, unit.chart));
    }
    let mut found = Vec::new();
    if uses(chart) <= MOST {
        add(&plan(chart, given, false).0, String::new(), &mut found);
    }
    found
}
