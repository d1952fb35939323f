//! `karplint show`: views of what the repository describes.

use std::{mem::ManuallyDrop, path::Path};

use crate::{
    cli::{
        args::{Show, ShowObjects, ShowOrder, ShowOverview, ShowScope, View},
        exit::CLEAN,
        output::Streams,
        scope,
    },
    lint::{self, LintResult},
    load::{self, Loaded, Manner},
    project::{Project, archives, boundary::Boundary},
    report::way::DisplayPaths,
    show::{self, Understood, order::OrderFormat, overview::OverviewFormat},
};

/// Prints a view, and returns the exit code.
///
/// # Errors
/// One sentence saying why the work could not be done.
pub(super) fn run(asked: &Show, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let shown = |project: &Project, path: &str| DisplayPaths::new(&project.root, &here).shown(path);
    let view = asked.view.as_ref();
    let html = |scope: &ShowScope, first| {
        let checked = understood(scope, &here)?;
        show::page(&of(&checked), scope.cluster.as_deref(), first, &shown)
    };
    let text = match view {
        Some(View::Order(ShowOrder { scope, format: OrderFormat::Html })) => html(scope, "order")?,
        Some(View::Order(ShowOrder { scope, format })) => {
            let checked = understood(scope, &here)?;
            let order = ManuallyDrop::new(show::order(&of(&checked), scope.cluster.as_deref())?);
            show::render_order(&order, *format, &shown)
        }
        Some(View::Objects(ShowObjects { scope, format })) => {
            let checked = understood(scope, &here)?;
            let found = ManuallyDrop::new(show::objects(&of(&checked), scope.cluster.as_deref())?);
            show::render_objects(&found, *format, &shown)
        }
        None => of_clusters(&asked.overview, ("overview", output), &here, &html)?,
        Some(View::Overview(it)) => of_clusters(it, ("overview", output), &here, &html)?,
        Some(View::Placement(it)) => of_clusters(it, ("map", output), &here, &html)?,
        Some(View::Disruption(it)) => of_clusters(it, ("disruption", output), &here, &html)?,
    };
    output.print(&text)?;
    Ok(CLEAN)
}

/// A view of clusters, by the name of its part of the page.
fn of_clusters(
    ShowOverview { scope, format }: &ShowOverview,
    (view, output): (&'static str, &Streams),
    here: &Path,
    html: &dyn Fn(&ShowScope, &'static str) -> Result<String, String>,
) -> Result<String, String> {
    if *format == OverviewFormat::Html {
        return html(scope, view);
    }
    let checked = understood(scope, here)?;
    let (cluster, look) = (scope.cluster.as_deref(), output.look(false));
    let shown = |project: &Project, path: &str| DisplayPaths::new(&project.root, here).shown(path);
    if view == "overview" {
        let found = ManuallyDrop::new(show::overview(&of(&checked), cluster)?);
        return Ok(show::render_overview(&found, *format, look, &shown));
    }
    let found = ManuallyDrop::new(show::landing(&of(&checked), cluster)?);
    Ok(match view {
        "map" => show::render_placement(&found, *format, look, &shown),
        _ => show::render_disruption(&found, *format, look, &shown),
    })
}

/// Projects, with what was made of them.
type Checked = ManuallyDrop<Vec<(Project, LintResult)>>;

fn of(checked: &[(Project, LintResult)]) -> Vec<Understood<'_>> {
    checked.iter().map(|(project, outcome)| (project, outcome)).collect()
}

/// The projects around some paths, with what was made of them. No rule is asked. The process ends after the view:
/// freeing every value would only delay it.
fn understood(scope: &ShowScope, here: &Path) -> Result<Checked, String> {
    let ShowScope { paths, config, charts, .. } = scope;
    let boundaries = Boundary::around_all(paths).map_err(|error| error.to_string())?;
    let manner = Manner { config: config.as_ref(), here: Some(here), ..Manner::default() };
    let archives = charts.as_deref().map_or_else(|| Ok(Vec::new()), archives::read_folder);
    let archives = archives.map_err(|error| format!("--charts: {error}"))?;
    let mut checked = Vec::new();
    for Loaded { mut project, mut config, .. } in load::all(&boundaries, manner)? {
        // The views ask the checks themselves.
        config.only = vec!["unreadable".to_owned()];
        config.all_workloads = true;
        project.archives.clone_from(&archives);
        let outcome = lint::run(&project, &config);
        checked.push((project, outcome));
    }
    Ok(ManuallyDrop::new(checked))
}
