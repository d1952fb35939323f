//! What is looked at: paths, config, rules.

use std::path::{Path, PathBuf};

use crate::{
    cli::{args::CheckScope, render},
    config::{Config, did_you_mean},
    load,
    project::Project,
    rules,
};

/// The configuration in force: the config file, and what the command line adds.
///
/// # Errors
/// One sentence for each mistake in the config or in the names of rules.
pub(super) fn configuration(scope: &CheckScope, here: &Path) -> Result<Config, String> {
    let known: Vec<_> = rules::pages().map(|it| it.name).collect();
    for (flag, names) in [("--only", &scope.only), ("--skip", &scope.skip)] {
        if let Some(name) = names.iter().find(|it| !known.contains(&it.as_str())) {
            let hint = did_you_mean(name, known.iter().copied());
            return Err(format!(
                "{flag}: `{name}` is not a rule{hint}; `karplint rules` lists them"
            ));
        }
    }
    let first = given_paths(scope).into_iter().next().unwrap_or_default();
    let mut config = load::config(&first, scope.config.as_ref(), here)
        .map_err(|mistakes| mistakes.replace('\n', "\nkarplint: "))?;
    config.only.clone_from(&scope.only);
    config.skip.clone_from(&scope.skip);
    config.use_allowances = !scope.no_allow;
    Ok(config)
}

/// The paths to load: the arguments, with the working directory for standard input.
fn given_paths(scope: &CheckScope) -> Vec<PathBuf> {
    let real = |it: &PathBuf| if it.as_os_str() == "-" { PathBuf::from(".") } else { it.clone() };
    scope.paths.iter().map(real).collect()
}

/// Loads what is asked for, and renders its charts if that is wanted.
///
/// # Errors
/// When a path does not exist, or helm cannot be run.
pub(super) fn load(scope: &CheckScope, config: &Config) -> Result<Project, String> {
    let mut project = Project::load(&given_paths(scope), &|path| config.excludes(path))
        .map_err(|error| error.to_string())?;
    if let Some(helm) = &scope.helm {
        project.rendered = render::charts(&project, helm)?;
    }
    Ok(project)
}

/// The working directory, without links.
///
/// # Errors
/// When it cannot be read.
pub(super) fn working_directory() -> Result<PathBuf, String> {
    std::env::current_dir()
        .and_then(|it| it.canonicalize())
        .map_err(|error| format!("the working directory cannot be read: {error}"))
}
