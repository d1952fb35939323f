//! What the disk says before anything is checked: the config that is in force around a path.

use std::path::{Path, PathBuf};

use crate::{
    config::{self, Config, date::Date},
    project::{self, walk},
    report::way::Way,
    rules,
};

/// The config given, else the nearest one around `path`, else the defaults. Mistakes name its place as seen
/// from `here`.
///
/// # Errors
/// One line for each mistake.
pub fn config(path: &Path, given: Option<&PathBuf>, here: &Path) -> Result<Config, String> {
    let today = Date::today();
    let Some(found) = given.cloned().or_else(|| walk::find_upwards(path, config::FILE_NAME)) else {
        return Ok(Config { today, ..Config::default() });
    };
    let text = project::read_text(&found).map_err(|error| error.to_string())?;
    let (root, _) =
        walk::root_and_asked(&[path.to_path_buf()]).map_err(|error| error.to_string())?;
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    let relative = walk::relative(&root, &real).unwrap_or_default();
    let shown = match relative.as_str() {
        "" => found.display().to_string(),
        relative => Way::new(&root, here).shown(relative),
    };
    let place = config::read::Place { shown: &shown, path: &relative };
    let known: Vec<_> = rules::pages().iter().map(|it| it.name).collect();
    let decided = config::read::read(&text, place, &known);
    decided.map(|it| Config { today, ..it }).map_err(|mistakes| mistakes.join("\n"))
}
