//! `karplint show`: views of what the repository describes.

use std::path::Path;

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
    show,
};

/// Prints a view, and returns the exit code.
///
/// # Errors
/// One sentence saying why the work could not be done.
pub(super) fn run(asked: &Show, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let shown = |project: &Project, path: &str| DisplayPaths::new(&project.root, &here).shown(path);
    let text = match &asked.view {
        Some(View::Order(ShowOrder { scope, format })) => {
            let checked = understood(scope, &here)?;
            let order = show::order(&checked, scope.cluster.as_deref())?;
            show::render_order(&order, *format, &shown)
        }
        None => show_overview(&asked.overview, output, &here)?,
        Some(View::Overview(overview)) => show_overview(overview, output, &here)?,
        Some(View::Placement(ShowOverview { scope, format })) => {
            let checked = understood(scope, &here)?;
            let found = show::landing(&checked, scope.cluster.as_deref())?;
            show::render_placement(&found, *format, output.look(false), &shown)
        }
        Some(View::Disruption(ShowOverview { scope, format })) => {
            let checked = understood(scope, &here)?;
            let found = show::landing(&checked, scope.cluster.as_deref())?;
            show::render_disruption(&found, *format, output.look(false), &shown)
        }
        Some(View::Objects(ShowObjects { scope, format })) => {
            let checked = understood(scope, &here)?;
            let found = show::objects(&checked, scope.cluster.as_deref())?;
            show::render_objects(&found, *format, &shown)
        }
    };
    output.print(&text)?;
    Ok(CLEAN)
}

fn show_overview(
    ShowOverview { scope, format }: &ShowOverview,
    output: &Streams,
    here: &Path,
) -> Result<String, String> {
    let checked = understood(scope, here)?;
    let found = show::overview(&checked, scope.cluster.as_deref())?;
    let shown = |project: &Project, path: &str| DisplayPaths::new(&project.root, here).shown(path);
    Ok(show::render_overview(&found, *format, output.look(false), &shown))
}

/// The projects around some paths, with what was made of them. No rule is asked.
fn understood(scope: &ShowScope, here: &Path) -> Result<Vec<(Project, LintResult)>, String> {
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
    Ok(checked)
}
