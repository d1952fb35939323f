//! The thread that checks: the newest text only.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread,
};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::{
    config::{Config, file::ConfigMistake},
    findings::Finding,
    lint::{self, LintResult},
    load::{self, ConfigProblem, Loaded, Manner},
    project::{Project, boundary::Boundary, walk},
    source::{FileId, SourceFile, Span, is_below, join, parent},
};

/// What is to be checked.
#[derive(Debug)]
pub(super) struct Job {
    /// The state of the texts, counted up with each change.
    pub generation: u64,
    /// What the editor has open.
    pub opened: Vec<Opened>,
    /// The texts the editor has open.
    pub texts: Vec<(PathBuf, String)>,
}

/// A folder the editor has open, or one with files that it has open alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    /// The folder as the editor calls it.
    pub folder: PathBuf,
    /// The files that are open alone; empty for the whole folder.
    pub files: Vec<PathBuf>,
}

impl Opened {
    /// The boundary of the project around it, without links.
    fn boundary(&self) -> Result<Boundary, String> {
        let Some((first, others)) = self.files.split_first() else {
            return Boundary::around(&self.folder).map_err(|error| error.to_string());
        };
        let around = |it: &PathBuf| {
            let boundary = Boundary::around_text(it);
            boundary.ok_or_else(|| format!("{}: no such file or folder", it.display()))
        };
        let mut boundary = around(first)?;
        for file in others {
            boundary.asked.extend(around(file)?.asked);
        }
        Ok(boundary)
    }
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
    opened: Opened,
    /// The same from the project's root; empty for the root.
    below: String,
    /// The project around it.
    pub project: Project,
    /// The configuration in force.
    pub config: Arc<Config>,
    /// What was found.
    pub outcome: LintResult,
    /// Which fixes hold, of those that were asked about.
    proven: Mutex<HashMap<(&'static str, Span, String), bool>>,
    /// The same with all workloads and without rules, once somebody asks.
    understood: OnceLock<LintResult>,
    /// What is wrong with the configs. The last ones without mistakes stay in force.
    pub mistakes: Vec<(Span, String)>,
    /// What is wrong with them and changes nothing else.
    pub warnings: Vec<(Span, String)>,
}

/// The last config without mistakes around each folder.
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
    for opened in job.opened {
        let name = opened.folder.display().to_string();
        // A panic on one bad file must not end the server.
        let run = || check_folder(opened, &job.texts, configs, &mut checked.problems);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(folder)) => checked.folders.push(folder),
            Ok(Err(problem)) => checked.problems.push(problem),
            Err(_) => checked.problems.push(format!("{name}: karplint stumbled over this folder")),
        }
    }
    checked
}

fn check_folder(
    opened: Opened,
    texts: &[(PathBuf, String)],
    configs: &mut Configs,
    problems: &mut Vec<String>,
) -> Result<CheckedFolder, String> {
    let boundary = opened.boundary()?;
    let below = below(&opened, &boundary);
    let inside = inside(&opened, &below, &boundary, texts);
    let name = opened.folder.clone();
    let manner = Manner { texts: &inside, here: Some(&name), ..Manner::default() };
    let folder = |project, config, outcome| CheckedFolder {
        opened,
        below,
        project,
        config,
        outcome,
        proven: Mutex::default(),
        understood: OnceLock::new(),
        mistakes: Vec::new(),
        warnings: Vec::new(),
    };
    match load::load(&boundary, manner) {
        Ok(Loaded { project, config, warnings }) => {
            let config = Arc::new(config);
            configs.insert(name, Arc::clone(&config));
            let outcome = lint::run(&project, &config);
            let mut folder = folder(project, config, outcome);
            folder.warnings = folder.placed(warnings);
            Ok(folder)
        }
        Err(ConfigProblem::Unreadable(problem)) => Err(problem),
        Err(ConfigProblem::Mistakes(mistakes)) => {
            // Without any valid config, findings would be reported that the config suppresses.
            let known = configs.get(&name).cloned();
            let config = known.clone().unwrap_or_default();
            let (project, config) = load::project(&boundary, &config, manner);
            let outcome = known.map(|_| lint::run(&project, &config)).unwrap_or_default();
            let config = Arc::new(config);
            // Diagnostics in a file that is not open are not seen.
            let hidden = |it: &&ConfigMistake| !inside.iter().any(|(path, _)| *path == it.at.path);
            problems.extend(mistakes.iter().filter(hidden).map(ToString::to_string));
            let mut folder = folder(project, config, outcome);
            folder.mistakes = folder.placed(mistakes);
            Ok(folder)
        }
    }
}

/// The folder an editor has open, from the project's root.
fn below(opened: &Opened, boundary: &Boundary) -> String {
    let asked = boundary.asked.first().map(String::as_str).unwrap_or_default();
    if opened.files.is_empty() { asked } else { parent(asked) }.to_owned()
}

/// The texts of an editor that are inside a project, by their paths there.
fn inside(
    opened: &Opened,
    below: &str,
    boundary: &Boundary,
    texts: &[(PathBuf, String)],
) -> Vec<(String, String)> {
    let path = |it: &Path| path_in_project(opened, below, &boundary.root, it);
    texts.iter().filter_map(|(it, text)| Some((path(it)?, text.clone()))).collect()
}

/// The path from the project's root of a path the editor names.
fn path_in_project(opened: &Opened, below: &str, root: &Path, path: &Path) -> Option<String> {
    match walk::relative(&opened.folder, path) {
        Some(inside) => join(below, &inside),
        None => walk::relative(root, path),
    }
}

impl CheckedFolder {
    /// The same project with its files as they are now.
    ///
    /// # Errors
    /// When it is gone.
    pub(crate) fn load_again(&self, texts: &[(PathBuf, String)]) -> Result<Project, String> {
        let boundary = self.opened.boundary()?;
        let texts = inside(&self.opened, &self.below, &boundary, texts);
        let manner = Manner { texts: &texts, ..Manner::default() };
        Ok(load::project(&boundary, &self.config, manner).0)
    }

    /// Whether the fix of a finding holds, which is found out once.
    pub(super) fn proven(&self, finding: &Finding, holds: impl FnOnce() -> bool) -> bool {
        let mut proven = self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (finding.rule, finding.span, finding.message.clone());
        *proven.entry(key).or_insert_with(holds)
    }

    /// What is made of the folder when all workloads are read, also those that no rule asks about.
    pub(super) fn understood(&self) -> &LintResult {
        self.understood.get_or_init(|| {
            let only = vec!["unreadable".to_owned()];
            let config = Config { all_workloads: true, only, ..(*self.config).clone() };
            let run = || lint::run(&self.project, &config);
            thread::scope(|scope| {
                let work = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
                work.ok().and_then(|it| it.join().ok()).unwrap_or_default()
            })
        })
    }

    /// Mistakes of configs where they are made.
    fn placed(&self, mistakes: Vec<ConfigMistake>) -> Vec<(Span, String)> {
        let placed = |it: ConfigMistake| {
            let file = self.project.files.find(&it.at.path)?;
            Some((Span::new(file, it.at.range.start, it.at.range.end), it.message))
        };
        mistakes.into_iter().filter_map(placed).collect()
    }

    /// The path from the project's root of a path the editor names.
    pub(crate) fn path_in_project(&self, path: &Path) -> Option<String> {
        path_in_project(&self.opened, &self.below, &self.project.root, path)
    }

    /// The file at a path the editor names.
    pub(super) fn file(&self, path: &Path) -> Option<FileId> {
        self.project.files.find(&self.path_in_project(path)?)
    }

    /// The path the editor knows a path of the project by.
    pub(super) fn path_for_editor(&self, path: &str) -> PathBuf {
        let inside = path.strip_prefix(&self.below).map(|it| it.trim_start_matches('/'));
        match inside.filter(|_| is_below(path, &self.below)) {
            Some(inside) => self.opened.folder.join(inside),
            None => self.project.root.join(path),
        }
    }

    /// Whether the editor has the file at this path open, or a folder around it.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.project.is_asked_for(path)
    }

    /// The findings in what is open.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
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
