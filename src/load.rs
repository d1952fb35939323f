//! What the disk says before anything is checked: the config that is in force around a path.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    config::{
        self, Config,
        date::Date,
        read::{ConfigMistake, ConfigPath, read},
    },
    project::{self, walk},
    report::way::DisplayPaths,
    rules,
};

/// Why there is no config.
#[derive(Debug)]
pub(crate) enum ConfigProblem {
    /// Something cannot be read; one sentence.
    Unreadable(String),
    /// It has mistakes.
    Mistakes {
        /// Its path relative to the project's root; empty when it lies outside.
        path: String,
        /// The same, without links.
        file: PathBuf,
        /// What is wrong.
        mistakes: Vec<ConfigMistake>,
    },
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(sentence) => f.write_str(sentence),
            Self::Mistakes { mistakes, .. } => {
                let lines: Vec<&str> = mistakes.iter().map(|it| it.line.as_str()).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl ConfigProblem {
    /// Whether it is about one of these texts.
    #[must_use]
    pub(crate) fn is_in(&self, texts: &[(PathBuf, String)]) -> bool {
        let Self::Mistakes { file, .. } = self else { return false };
        texts.iter().any(|(path, _)| real(path).as_ref() == Some(file))
    }
}

/// The config given, else the nearest one around `path`, else the defaults. Mistakes name its place as seen
/// from `here`.
///
/// # Errors
/// One line for each mistake.
pub(crate) fn config(path: &Path, given: Option<&PathBuf>, here: &Path) -> Result<Config, String> {
    let Some(found) = given.cloned().or_else(|| walk::find_upwards(path, config::FILE_NAME)) else {
        return Ok(Config { today: Date::today(), ..Config::default() });
    };
    let text = project::read_text(&found).map_err(|error| error.to_string())?;
    decided(path, here, &found, &text).map_err(|it| it.to_string())
}

/// The nearest config around a folder, where the texts an editor has open count before the disk.
///
/// # Errors
/// When the folder is gone, or the config has mistakes.
pub(crate) fn config_in_editor(
    folder: &Path,
    texts: &[(PathBuf, String)],
) -> Result<Config, ConfigProblem> {
    let unreadable = |error: project::error::Error| ConfigProblem::Unreadable(error.to_string());
    let (root, asked) = walk::root_and_asked(&[folder.to_path_buf()]).map_err(unreadable)?;
    let folder = asked.iter().fold(root.clone(), |root, it| root.join(it));
    let saved = walk::find_upwards(&folder, config::FILE_NAME);
    let around = |it: &Path| folder.starts_with(it) && it.starts_with(&root);
    let open = texts.iter().filter_map(|(path, text)| {
        let path = real(path).filter(|it| it.ends_with(config::FILE_NAME))?;
        path.parent().is_some_and(around).then_some((path, text))
    });
    // The deeper of two paths around one folder is the longer.
    let open = open.max_by_key(|(path, _)| path.as_os_str().len());
    let depth = |path: &Path| path.as_os_str().len();
    let nearer = open.filter(|it| saved.as_ref().is_none_or(|saved| depth(&it.0) >= depth(saved)));
    match (nearer, saved) {
        (Some((path, text)), _) => decided(&folder, &folder, &path, text),
        (None, Some(path)) => {
            let text = project::read_text(&path).map_err(unreadable)?;
            decided(&folder, &folder, &path, &text)
        }
        (None, None) => Ok(Config { today: Date::today(), ..Config::default() }),
    }
}

/// The path without links, also of a file that is not there yet.
fn real(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?.canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

fn decided(path: &Path, here: &Path, found: &Path, text: &str) -> Result<Config, ConfigProblem> {
    let (root, _) = walk::root_and_asked(&[path.to_path_buf()])
        .map_err(|error| ConfigProblem::Unreadable(error.to_string()))?;
    let real = found.canonicalize().unwrap_or_else(|_| found.to_path_buf());
    let relative = walk::relative(&root, &real).unwrap_or_default();
    let shown = match relative.as_str() {
        "" => found.display().to_string(),
        relative => DisplayPaths::new(&root, here).shown(relative),
    };
    let known: Vec<_> = rules::pages().map(|it| it.name).collect();
    let decided = read(text, ConfigPath { shown: &shown, path: &relative }, &known);
    let today = Date::today();
    let mistakes =
        |mistakes| ConfigProblem::Mistakes { path: relative.clone(), file: real.clone(), mistakes };
    decided.map(|it| Config { today, ..it }).map_err(mistakes)
}
