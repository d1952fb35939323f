//! What the disk says before anything is checked: a project, and the configs in force in it.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::{
    config::{
        Config, FILE_NAMES, RuleName,
        fault::{faults, unknown_names},
        file::ConfigMistake,
        gather::{Gathered, Source},
    },
    gate::{
        Gate,
        named::{Named, resolve},
    },
    policies::RuleBook,
    project::{
        Project,
        boundary::Boundary,
        kind::{FileKind, POLICIES, is_downloaded},
        skipped::Skipped,
        walk,
    },
    report::way::DisplayPaths,
    rules,
    source::{file_name, parent},
};

/// A project with its configuration.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The project.
    pub project: Project,
    /// The configuration in force.
    pub config: Config,
    /// What is wrong with the configs and keeps nobody from checking.
    pub warnings: Vec<ConfigMistake>,
}

/// Why there is no config.
#[derive(Debug)]
pub(crate) enum ConfigProblem {
    /// Something cannot be read; one sentence.
    Unreadable(String),
    /// The configs have mistakes.
    Mistakes(Vec<ConfigMistake>),
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(sentence) => f.write_str(sentence),
            Self::Mistakes(mistakes) => {
                let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

/// How a project is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner<'a> {
    /// The config for all files, in place of those in the project.
    pub config: Option<&'a PathBuf>,
    /// The folder from which mistakes name their place.
    pub here: Option<&'a Path>,
    /// Texts an editor has open, by path relative to the root. They count before the disk.
    pub texts: &'a [(String, String)],
    /// The identifier of the first file.
    pub first: u32,
}

/// Longer configs are none that people write, in bytes: YAML costs a multiple of its length in memory.
const LONGEST_CONFIG: u64 = 1 << 20;

/// Loads what a boundary holds.
///
/// # Errors
/// When a config cannot be read or has mistakes.
pub(crate) fn load(boundary: &Boundary, manner: Manner) -> Result<Loaded, ConfigProblem> {
    let (loaded, mistakes) = read(boundary, manner).map_err(ConfigProblem::Unreadable)?;
    if mistakes.is_empty() { Ok(loaded) } else { Err(ConfigProblem::Mistakes(mistakes)) }
}

/// The rules of the project around a folder, as far as they can be read.
///
/// # Errors
/// When the folder or a config cannot be read.
pub(crate) fn book(here: &Path) -> Result<RuleBook, String> {
    let boundary = Boundary::around(here).map_err(|error| error.to_string())?;
    let Ok(gate) = Gate::at(&boundary.root) else { return Ok(RuleBook::default()) };
    let names_policies = |name: &str| {
        let text = gate.text_if_there(name, LONGEST_CONFIG).ok().flatten();
        text.is_some_and(|it| it.contains("policies") || it.contains("extends"))
    };
    // Without any, the files of the project need not be listed.
    if !gate.holds(POLICIES.trim_end_matches('/')) && !FILE_NAMES.into_iter().any(names_policies) {
        return Ok(RuleBook::default());
    }
    let (loaded, _) = read(&boundary, Manner { here: Some(here), ..Manner::default() })?;
    Ok(RuleBook::clone(&loaded.config.book))
}

/// What a boundary holds, and what is wrong with its configs; then their decisions are not all known.
fn read(boundary: &Boundary, manner: Manner) -> Result<(Loaded, Vec<ConfigMistake>), String> {
    let way = DisplayPaths::new(&boundary.root, manner.here.unwrap_or(&boundary.root));
    let known: Vec<_> =
        rules::pages().map(|it| RuleName { rule: it.name, topic: it.topic }).collect();
    // A folder that cannot be opened is reported with what was not read.
    let gate = Gate::at(&boundary.root).ok();
    let text = |path: &str| {
        let open = manner.texts.iter().find(|(it, _)| it == path);
        let on_disk = || {
            let gate = gate.as_ref();
            gate.map_or(Ok(None), |it| it.text_if_there(path, LONGEST_CONFIG))
        };
        open.map_or_else(on_disk, |(_, text)| Ok(Some(text.clone())))
    };
    let given = manner.config.map(|it| it.display().to_string()).unwrap_or_default();
    let shown = |path: &str| if path.is_empty() { given.clone() } else { way.shown(path) };
    let mut gathered = Gathered::new(Source { text: &text, shown: &shown, known: &known });
    match manner.config {
        Some(config) => add_given(&mut gathered, boundary, (config, manner.here)),
        None => gathered.add_folder(""),
    }?;
    let excluded = Mutex::new(Vec::new());
    let mut project = list(boundary, &gathered.config(), manner, &excluded);
    if manner.config.is_none() {
        for folder in folders(&project) {
            if !gathered.exclude_around(&folder) {
                gathered.add_folder(&folder)?;
            }
        }
    }
    let config = gathered.config();
    let mut excluded = excluded.into_inner().unwrap_or_else(PoisonError::into_inner);
    leave_out(&mut project, &config, &mut excluded);
    for path in &boundary.asked {
        if excluded.contains(path) || config.excludes_around(path) {
            project
                .skip(Skipped::new(path.clone(), "`exclude` of the configuration leaves it out"));
        }
    }
    let config = config.with_policies_of(&project);
    let mut mistakes = std::mem::take(&mut gathered.mistakes);
    mistakes.extend(unknown_names(gathered.claims(), &project, &config.book));
    mistakes.sort_by(|a, b| (&a.at.path, a.at.range.start).cmp(&(&b.at.path, b.at.range.start)));
    let mut warnings = faults(gathered.claims(), &project, &excluded);
    warnings.splice(0..0, gathered.warnings);
    Ok((Loaded { project, config, warnings }, mistakes))
}

/// Loads the projects around several paths, whose files have different identifiers.
///
/// # Errors
/// When a path does not exist, or a config cannot be read or has mistakes; a line for each.
pub(crate) fn all(boundaries: &[Boundary], manner: Manner) -> Result<Vec<Loaded>, String> {
    let mut all: Vec<Loaded> = Vec::new();
    for boundary in boundaries {
        let first = all.last().map_or(0, |it| it.project.files.next());
        let loaded = load(boundary, Manner { first, ..manner });
        all.push(loaded.map_err(|problem| problem.to_string())?);
    }
    Ok(all)
}

/// The project inside a boundary whose configuration is known, and that configuration with its policies.
#[must_use]
pub(crate) fn project(boundary: &Boundary, config: &Config, manner: Manner) -> (Project, Config) {
    let mut project = list(boundary, config, manner, &Mutex::default());
    leave_out(&mut project, config, &mut Vec::new());
    let config = config.clone().with_policies_of(&project);
    (project, config)
}

/// The files of a project without those that the config excludes, which are listed apart.
fn list(
    boundary: &Boundary,
    config: &Config,
    manner: Manner,
    excluded: &Mutex<Vec<String>>,
) -> Project {
    let mut project = Project::load(boundary, manner.first, &|path| {
        let is_out = config.excludes(path);
        if is_out {
            excluded.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        }
        is_out
    });
    for (path, text) in manner.texts {
        // It may not be on the disk yet.
        let inside = boundary.descends || parent(path).is_empty();
        let is_read = FileKind::of(path).is_some() || project.files.find(path).is_some();
        if inside && is_read && !config.excludes_around(path) {
            project.set_text(path, text.clone());
        }
    }
    // The config names them, so that git ignores them does not matter.
    let of_variants = config.variants.iter().flat_map(|(_, files)| files);
    for path in config.var_files.iter().chain(of_variants) {
        project.include(path);
    }
    project
}

/// Leaves out what the configs of folders exclude, which were not known before the walk.
fn leave_out(project: &mut Project, config: &Config, excluded: &mut Vec<String>) {
    // What the root's config excludes was left out by the walk.
    if config.layers.all().iter().all(|it| it.folder.as_deref().is_none_or(str::is_empty)) {
        return;
    }
    let named = |path: &str| {
        let of_variants = config.variants.iter().flat_map(|(_, files)| files);
        config.var_files.iter().chain(of_variants).any(|it| it == path)
    };
    let paths = project.files.iter().map(|(_, it)| it.path());
    let out: BTreeSet<String> =
        paths.filter(|it| config.excludes_around(it) && !named(it)).map(str::to_owned).collect();
    if !out.is_empty() {
        project.leave_out(&|path| out.contains(path));
        excluded.extend(out);
    }
}

/// The folders below the root that have a config, those above before those below.
fn folders(project: &Project) -> Vec<String> {
    let paths = project.files.iter().map(|(_, it)| it.path());
    let paths = paths.chain(project.files.links().map(|(path, _)| path));
    let configs = paths.filter(|path| {
        let name = file_name(path);
        FILE_NAMES.contains(&name) && !is_downloaded(path) && !parent(path).is_empty()
    });
    let folders: BTreeSet<String> = configs.map(|it| parent(it).to_owned()).collect();
    let mut folders: Vec<String> = folders.into_iter().collect();
    folders.sort_by_key(|it| it.matches('/').count());
    folders
}

/// Adds the config of the command line, for all files.
fn add_given(
    gathered: &mut Gathered,
    boundary: &Boundary,
    (config, here): (&Path, Option<&Path>),
) -> Result<(), String> {
    let named = Named::of(config, here.unwrap_or(&boundary.root));
    let text = named.and_then(|it| it.text(LONGEST_CONFIG));
    let text = text.map_err(|refusal| format!("{}: {refusal}", config.display()))?;
    let real = resolve(config).unwrap_or_else(|_| config.to_path_buf());
    let path = walk::relative(&boundary.root, &real).unwrap_or_default();
    gathered.add_text(&path, &text, "", &mut Vec::new())
}
