//! `karplint show`: views of what the repository describes.

use crate::{
    cli::{
        args::{ShowOrder, View},
        exit::CLEAN,
        output::Streams,
        scope,
    },
    lint,
    load::{self, Loaded, Manner},
    project::{Project, boundary::Boundary},
    report::way::DisplayPaths,
    show,
};

/// Prints a view, and returns the exit code.
///
/// # Errors
/// One sentence saying why the work could not be done.
pub(super) fn run(view: &View, output: &mut Streams) -> Result<u8, String> {
    match view {
        View::Order(order) => show_order(order, output),
    }
}

fn show_order(asked: &ShowOrder, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let boundaries = Boundary::around_all(&asked.paths).map_err(|error| error.to_string())?;
    let manner = Manner { config: asked.config.as_ref(), here: Some(&here), ..Manner::default() };
    let mut checked = Vec::new();
    for Loaded { project, mut config, .. } in load::all(&boundaries, manner)? {
        // The view asks the checks itself.
        config.only = vec!["unreadable".to_owned()];
        let outcome = lint::run(&project, &config);
        checked.push((project, outcome));
    }
    let shown = |project: &Project, path: &str| DisplayPaths::new(&project.root, &here).shown(path);
    let order = show::order(&checked);
    output.print(&show::render_order(&order, asked.format, &shown))?;
    Ok(CLEAN)
}
