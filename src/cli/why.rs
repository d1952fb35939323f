//! `karplint check --why RULE [PATH[:LINE]]`: what a rule says of each subject, and nothing else.

use std::path::{Path, PathBuf};

use crate::{
    cli::{
        args::{Check, CheckScope},
        exit::CLEAN,
        git::Since,
        output::Streams,
        scope,
    },
    config::{Config, did_you_mean},
    lint,
    load::Loaded,
    project::{Project, kind::FileKind},
    report::{Report, choice::Choice, part::Part, plural, why},
};

/// Prints the verdicts, and returns the exit code.
///
/// # Errors
/// One sentence saying why the work could not be done.
pub(super) fn run(check: &Check, rule: &str, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let (paths, line) = without_line(&check.scope.paths)?;
    let asked = CheckScope { paths, only: Vec::new(), ..check.scope.clone() };
    let (mut checked, mut off) = (Vec::new(), String::new());
    let loaded = scope::load_around_files(&asked, &here)?;
    if loaded.iter().all(|it| it.config.book.page(rule).is_none()) {
        let known = loaded.iter().flat_map(|it| it.config.book.pages());
        let hint = did_you_mean(rule, known.map(|it| it.name));
        return Err(format!("--why: `{rule}` is not a rule{hint}; `karplint rules` lists them"));
    }
    for Loaded { project, mut config, .. } in loaded {
        config.only = vec![rule.to_owned()];
        config.explains = true;
        // What is allowed is still reported by the rule.
        config.use_allowances = false;
        let since = Since::read(check, &project, &config)?;
        off.extend(switched_off(rule, &project, &config));
        let outcome = lint::run_since(&project, &config, &since.versions);
        checked.push((project, outcome));
    }
    let choice = Choice { everywhere: true, ..Choice::everything() };
    let part = |(project, outcome)| Part { project, outcome, choice, config_warnings: &[] };
    let parts = checked.iter().map(|(project, outcome)| part((project, outcome))).collect();
    let report = Report::of(parts, &here);
    let text = why::render(&report, rule, line)
        .map_err(|_| "the verdicts cannot be written".to_owned())?;
    output.print(&(off + &text))?;
    Ok(CLEAN)
}

/// The paths, and the line behind the only one of them.
fn without_line(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Option<usize>), String> {
    let [path] = paths else {
        let has_line = |it: &PathBuf| split(it).is_some();
        return match paths.iter().find(|it| has_line(it)) {
            Some(path) => Err(format!("{}: a line goes with a single path", path.display())),
            None => Ok((paths.to_vec(), None)),
        };
    };
    Ok(match split(path) {
        Some((path, line)) => (vec![path], Some(line)),
        None => (vec![path.clone()], None),
    })
}

/// `a.tf:12` or `a.tf:12:5`, as reports print it, as a path and a line, unless there is a file of that name.
fn split(path: &Path) -> Option<(PathBuf, usize)> {
    let (name, last) = path.to_str()?.rsplit_once(':')?;
    let last: usize = last.parse().ok().filter(|_| !path.exists())?;
    let before = name.rsplit_once(':').filter(|_| !Path::new(name).exists());
    let before = before.and_then(|(name, line)| Some((name, line.parse().ok()?)));
    let (name, line) = before.unwrap_or((name, last));
    Some((PathBuf::from(name), line))
}

/// That the configuration switches the rule off for files that were asked for, if it does.
fn switched_off(rule: &str, project: &Project, config: &Config) -> Option<String> {
    let given = config.book.page(rule)?.severity;
    let asked = project.files.iter().map(|(_, it)| it.path());
    let asked: Vec<&str> =
        asked.filter(|it| FileKind::of(it).is_some() && project.is_asked_for(it)).collect();
    let is_off = |it: &&&str| config.severity(rule, it, given).is_none();
    let off = asked.iter().filter(is_off).count();
    let (off, all) = (plural(off, "file"), asked.len());
    let is_any = asked.iter().any(|it| is_off(&it));
    is_any.then(|| format!("off         {rule} is off in {off} of the {all} asked for\n"))
}
