//! The thread that checks: the newest text only.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::{
    config::Config,
    findings::Finding,
    lint::{self, LintResult},
    load::{self, ConfigProblem},
    project::{Project, kind::FileKind, walk},
    source::{FileId, SourceFile, Span, is_below},
};

/// What is to be checked.
#[derive(Debug)]
pub(super) struct Job {
    /// The state of the texts, counted up with each change.
    pub generation: u64,
    /// The folders the editor has open.
    pub folders: Vec<PathBuf>,
    /// The texts the editor has open.
    pub texts: Vec<(PathBuf, String)>,
}

/// What a check found.
#[derive(Debug, Default)]
pub(super) struct CheckResult {
    /// The state of the texts that were checked.
    pub generation: u64,
    /// By folder.
    pub folders: Vec<CheckedFolder>,
    /// Why a folder could not be checked.
    pub problems: Vec<String>,
}

/// A folder that was checked.
#[derive(Debug)]
pub(super) struct CheckedFolder {
    /// The folder as the editor calls it.
    opened: PathBuf,
    /// The same from the project's root; empty for the root.
    below: String,
    /// The project around it.
    pub project: Project,
    /// The configuration in force.
    pub config: Arc<Config>,
    /// What was found.
    pub outcome: LintResult,
    /// What is wrong with the config. The last one without mistakes stays in force.
    pub mistakes: Vec<(Span, String)>,
}

/// The last config without mistakes of each folder.
type Configs = HashMap<PathBuf, Arc<Config>>;

/// Parsers and graphs are walked recursively, within limits that need this much.
const STACK: usize = 16 << 20;

/// Starts the thread. It ends when the senders of jobs are dropped.
pub(super) fn start() -> (Sender<Job>, Receiver<CheckResult>) {
    let (jobs, to_do) = unbounded::<Job>();
    let (done, results) = unbounded();
    let work = move || {
        let mut configs = Configs::new();
        while let Ok(mut job) = to_do.recv() {
            // A job for an older text is skipped.
            while let Ok(newer) = to_do.try_recv() {
                job = newer;
            }
            if done.send(check(job, &mut configs)).is_err() {
                return;
            }
        }
    };
    // Without a thread no results come, and the editor shows none.
    let _ = thread::Builder::new().stack_size(STACK).spawn(work);
    (jobs, results)
}

fn check(job: Job, configs: &mut Configs) -> CheckResult {
    let mut checked = CheckResult { generation: job.generation, ..CheckResult::default() };
    for folder in job.folders {
        let name = folder.display().to_string();
        // A panic on one bad file must not end the server.
        let run = || check_folder(folder, &job.texts, configs, &mut checked.problems);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(folder)) => checked.folders.push(folder),
            Ok(Err(problem)) => checked.problems.push(problem),
            Err(_) => checked.problems.push(format!("{name}: karplint stumbled over this folder")),
        }
    }
    checked
}

fn check_folder(
    opened: PathBuf,
    texts: &[(PathBuf, String)],
    configs: &mut Configs,
    problems: &mut Vec<String>,
) -> Result<CheckedFolder, String> {
    let (config, problem) = match load::config_in_editor(&opened, texts) {
        Ok(config) => (Some(Arc::new(config)), None),
        Err(problem @ ConfigProblem::Mistakes { .. }) => {
            (configs.get(&opened).cloned(), Some(problem))
        }
        Err(problem) => return Err(problem.to_string()),
    };
    let mut folder = CheckedFolder::load(opened, config.clone().unwrap_or_default(), texts)?;
    if let Some(problem) = problem {
        // Diagnostics in a file that is not open are not seen.
        if !problem.is_in(texts) {
            problems.push(problem.to_string());
        }
        folder.mistakes = folder.mistakes_of(problem);
    } else if let Some(config) = &config {
        configs.insert(folder.opened.clone(), Arc::clone(config));
    }
    // Without any valid config, findings would be reported that the config suppresses.
    if config.is_some() {
        folder.outcome = lint::run(&folder.project, &folder.config);
    }
    Ok(folder)
}

/// Whether a text belongs to the project although it may not be on the disk yet.
fn is_wanted(config: &Config, path: &str) -> bool {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    FileKind::of(path).is_some() && !folders.chain([path]).any(|it| config.excludes(it))
}

impl CheckedFolder {
    /// The project around a folder with the editor's texts, not checked yet.
    fn load(
        opened: PathBuf,
        config: Arc<Config>,
        texts: &[(PathBuf, String)],
    ) -> Result<Self, String> {
        let paths = [opened.clone()];
        let (_, asked) = walk::root_and_asked(&paths).map_err(|error| error.to_string())?;
        let project = Project::load(&paths, &|path| config.excludes(path));
        let project = project.map_err(|error| error.to_string())?;
        let below = asked.into_iter().next().unwrap_or_default();
        let (outcome, mistakes) = (LintResult::default(), Vec::new());
        let mut folder = Self { opened, below, project, config, outcome, mistakes };
        for (path, text) in texts {
            let path = folder.path_in_project(path).filter(|it| is_wanted(&folder.config, it));
            if let Some(path) = path {
                folder.project.set_text(&path, text.clone());
            }
        }
        Ok(folder)
    }

    /// The same folder with its files as they are now, not checked yet.
    ///
    /// # Errors
    /// When it is gone.
    pub(super) fn load_again(&self, texts: &[(PathBuf, String)]) -> Result<Self, String> {
        Self::load(self.opened.clone(), Arc::clone(&self.config), texts)
    }

    /// The mistakes of its config where they are made.
    fn mistakes_of(&self, problem: ConfigProblem) -> Vec<(Span, String)> {
        let ConfigProblem::Mistakes { path, mistakes, .. } = problem else { return Vec::new() };
        let Some(file) = self.project.files.find(&path) else { return Vec::new() };
        let placed = mistakes.into_iter();
        placed.map(|it| (Span::new(file, it.at.start, it.at.end), it.message)).collect()
    }

    /// The path from the project's root of a path the editor names.
    fn path_in_project(&self, path: &Path) -> Option<String> {
        if let Some(inside) = walk::relative(&self.opened, path) {
            let slash = if self.below.is_empty() || inside.is_empty() { "" } else { "/" };
            return Some(format!("{}{slash}{inside}", self.below));
        }
        walk::relative(&self.project.root, path)
    }

    /// The file at a path the editor names.
    pub(super) fn file(&self, path: &Path) -> Option<FileId> {
        self.project.files.find(&self.path_in_project(path)?)
    }

    /// The path the editor knows a path of the project by.
    pub(super) fn path_for_editor(&self, path: &str) -> PathBuf {
        let inside = path.strip_prefix(&self.below).map(|it| it.trim_start_matches('/'));
        match inside.filter(|_| self.holds(path)) {
            Some(inside) => self.opened.join(inside),
            None => self.project.root.join(path),
        }
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        is_below(path, &self.below)
    }

    /// The findings inside the folder.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        let file = |id: FileId| -> &SourceFile { self.project.files.get(id) };
        self.outcome.findings.iter().filter(move |it| self.holds(file(it.span.file).path()))
    }

    /// The findings at a place of a file, those on the narrowest piece of text first.
    pub(super) fn findings_at(&self, file: FileId, start: usize, end: usize) -> Vec<&Finding> {
        let touches = |it: &&Finding| {
            it.span.file == file && it.span.start as usize <= end && start <= it.span.end as usize
        };
        let mut found: Vec<&Finding> = self.outcome.findings.iter().filter(touches).collect();
        found.sort_by_key(|it| it.span.end - it.span.start);
        found
    }
}
