//! What is looked at: paths, config, rules.

use std::path::{Path, PathBuf};

use crate::{
    cli::{args::CheckScope, output::variable, render},
    config::{Config, did_you_mean},
    gate::named::resolve,
    load::{self, Loaded, Manner},
    project::{archives, boundary::Boundary},
    source,
};

/// Loads what is asked for, a project for each repository, with its configuration and what the command
/// line adds, and renders its charts if that is wanted.
///
/// # Errors
/// When a path does not exist, helm cannot be run, or the names of rules or a config have mistakes: a
/// sentence for each.
pub(super) fn load(scope: &CheckScope, here: &Path) -> Result<Vec<Loaded>, String> {
    let boundaries = Boundary::around_all(&scope.paths).map_err(|error| error.to_string())?;
    load_all(scope, &boundaries, here)
}

/// The same where a lone file belongs to the working directory, unless that is the user's home: a person who asks
/// about one file works in the folder around it.
///
/// # Errors
/// As above.
pub(super) fn load_around_files(scope: &CheckScope, here: &Path) -> Result<Vec<Loaded>, String> {
    let boundaries = Boundary::around_all(&scope.paths).map_err(|error| error.to_string())?;
    let is_home = variable("HOME").is_some_and(|it| Path::new(&it) == here);
    let widened = |it: Boundary| if is_home { it } else { it.widened(here) };
    let boundaries: Vec<Boundary> = boundaries.into_iter().map(widened).collect();
    load_all(scope, &boundaries, here)
}

/// The same around a text that is called `path`, which need not be a file.
///
/// # Errors
/// Also when the path leads out of the repository around the working directory.
pub(super) fn load_around_text(
    scope: &CheckScope,
    path: &Path,
    here: &Path,
) -> Result<Loaded, String> {
    let outside = || format!("{}: lies outside the repository", path.display());
    let place = if path.is_absolute() {
        path.to_path_buf()
    } else {
        let own = Boundary::around(here).map_err(|error| error.to_string())?;
        let folder = own.asked.first().map_or("", String::as_str);
        let given = path.to_string_lossy().replace('\\', "/");
        own.root.join(source::join(folder, &given).ok_or_else(outside)?)
    };
    let boundary = Boundary::around_text(&place).ok_or_else(outside)?;
    load_all(scope, &[boundary], here)?.pop().ok_or_else(outside)
}

fn load_all(
    scope: &CheckScope,
    boundaries: &[Boundary],
    here: &Path,
) -> Result<Vec<Loaded>, String> {
    let archives = match &scope.charts {
        Some(folder) => {
            archives::read_folder(folder).map_err(|error| format!("--charts: {error}"))?
        }
        None => Vec::new(),
    };
    let manner = Manner { config: scope.config.as_ref(), here: Some(here), ..Manner::default() };
    let mut all =
        load::all(boundaries, manner).map_err(|mistakes| mistakes.replace('\n', "\nkarplint: "))?;
    check_rules(scope, &all)?;
    for Loaded { project, config, .. } in &mut all {
        add_flags(config, scope);
        project.archives.clone_from(&archives);
        if let Some(helm) = &scope.helm {
            project.rendered = render::charts(project, helm)?;
            project.renderer = Some(render::for_releases(project, helm));
        }
    }
    Ok(all)
}

fn check_rules(scope: &CheckScope, all: &[Loaded]) -> Result<(), String> {
    let is_known = |name: &str| all.iter().any(|it| !it.config.book.named(name).is_empty());
    for (flag, names) in [("--only", &scope.only), ("--skip", &scope.skip)] {
        if let Some(name) = names.iter().find(|it| !is_known(it)) {
            let known = all.iter().flat_map(|it| it.config.book.pages());
            let hint = did_you_mean(name, known.flat_map(|it| [it.name, it.topic]));
            return Err(format!(
                "{flag}: `{name}` is neither a rule nor a topic{hint}; `karplint rules` lists them"
            ));
        }
    }
    Ok(())
}

fn add_flags(config: &mut Config, scope: &CheckScope) {
    let rules = |names: &[String]| -> Vec<String> {
        let known = names.iter().map(|it| (it, config.book.named(it)));
        // What only another project knows is asked for there.
        let each =
            known.flat_map(|(name, known)| if known.is_empty() { vec![&**name] } else { known });
        each.map(str::to_owned).collect()
    };
    (config.only, config.skip) = (rules(&scope.only), rules(&scope.skip));
    config.use_allowances = !scope.no_allow;
    config.renders = !scope.no_render;
}

/// What is wrong with the configs, as lines for standard error.
#[must_use]
pub(super) fn warnings(loaded: &[Loaded]) -> String {
    let all = loaded.iter().flat_map(|it| &it.warnings);
    let lines: Vec<String> = all.map(|it| format!("karplint: warning: {it}\n")).collect();
    lines.concat()
}

/// The working directory, without links.
///
/// # Errors
/// When it cannot be read.
pub(super) fn working_directory() -> Result<PathBuf, String> {
    resolve(Path::new(".")).map_err(|it| format!("the working directory cannot be read: {it}"))
}
