//! `karplint policy`: the tests of policies, and a start for a new one.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    cli::{
        args::policy::{PolicyCommand, PolicyTest},
        exit::{CLEAN, FOUND},
        output::Streams,
        scope,
    },
    config::did_you_mean,
    gate::Gate,
    load::{self, Loaded, Manner},
    policies::{RuleBook, shelf::SHELF},
    policy_test::{self, Outcome},
    project::{Project, boundary::Boundary, kind::POLICIES},
    report::way::DisplayPaths,
    source::{FileId, SourceFile, Span, column::ColumnUnit},
    visible::visible,
};
use karplint_cel::policy::read;

/// A policy to start from, with a test that it passes.
const START: &str = include_str!("policy/start.yaml");

/// Does what is asked.
///
/// # Errors
/// A sentence saying why the work could not be done.
pub(super) fn run(asked: &PolicyCommand, output: &mut Streams) -> Result<u8, String> {
    match asked {
        PolicyCommand::Test(asked) => test(asked, output),
        PolicyCommand::New { name } => new(name, output),
    }
}

/// Policies and the project whose files they are in.
struct Tested {
    project: Project,
    book: Arc<RuleBook>,
}

/// Runs the tests of policies.
fn test(asked: &PolicyTest, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let tested =
        if asked.paths.is_empty() { vec![of_project(&here)?] } else { given(&asked.paths)? };
    if tested.iter().all(|it| it.book.is_empty()) {
        return Err(format!("there is no policy here; `{POLICIES}` is the folder for them"));
    }
    let mut report = Report::default();
    for it in &tested {
        let way = DisplayPaths::new(&it.project.root, &here);
        report.add(it, &|file: &SourceFile, span| {
            let at = file.position(span.start as usize, ColumnUnit::Characters);
            format!("{}:{}:{}", way.shown(file.path()), at.line, at.column)
        });
    }
    let Report { text, passed, failed } = report;
    output.print(&format!("{text}{passed} passed, {failed} failed\n"))?;
    Ok(if failed == 0 { CLEAN } else { FOUND })
}

/// The policies that are in force where one is.
fn of_project(here: &Path) -> Result<Tested, String> {
    let boundary = Boundary::around(here).map_err(|error| error.to_string())?;
    let manner = Manner { here: Some(here), ..Manner::default() };
    let loaded = load::load(&boundary, manner).map_err(|problem| problem.to_string())?;
    let Loaded { project, config, .. } = loaded;
    Ok(Tested { project, book: config.book })
}

/// The policies of these files and folders, wherever they are.
fn given(paths: &[PathBuf]) -> Result<Vec<Tested>, String> {
    let boundaries = Boundary::around_all(paths).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let mut first = 0;
    for boundary in &boundaries {
        let project = Project::load(boundary, first, &|_| false);
        first = project.files.next();
        let is_policy = |it: &SourceFile| {
            let is_yaml = matches!(it.ending(), "yaml" | "yml") && project.is_asked_for(it.path());
            let names_kind = |text: &str| text.contains(read::API_VERSION);
            is_yaml && it.text_if(names_kind).is_some()
        };
        let files = project.files.iter().filter(|(_, it)| is_policy(it));
        let files: Vec<FileId> = files.map(|(id, _)| id).collect();
        let book = Arc::new(RuleBook::read(&project.files, &files));
        found.push(Tested { project, book });
    }
    Ok(found)
}

/// What is printed of tests, and how they went.
#[derive(Default)]
struct Report {
    text: String,
    passed: usize,
    failed: usize,
}

impl Report {
    /// Runs the tests of policies. A mistake in a file is a failure, too.
    fn add(&mut self, tested: &Tested, place: &dyn Fn(&SourceFile, Span) -> String) {
        let file = |span: Span| tested.project.files.get(span.file);
        for error in &tested.book.errors {
            self.failed += 1;
            self.line(&format!("{}: {}", place(file(error.span), error.span), error.message));
        }
        for policy in tested.book.policies() {
            self.line(&policy.name);
            if policy.tests.is_empty() {
                self.line("  no tests");
            }
            for outcome in policy_test::run(policy, file(policy.name_span).text()) {
                self.outcome(&outcome, &place(file(outcome.span), outcome.span));
            }
        }
    }

    fn outcome(&mut self, outcome: &Outcome, place: &str) {
        if outcome.is_passed() {
            self.passed += 1;
            return self.line(&format!("  ok      {}", outcome.name));
        }
        self.failed += 1;
        self.line(&format!("  FAILED  {} ({place})", outcome.name));
        for (word, places) in [("expected", &outcome.expected), ("got", &outcome.got)] {
            let places = if places.is_empty() { "nothing".to_owned() } else { places.join(", ") };
            self.line(&format!("          {word:8}  {places}"));
        }
        for remark in &outcome.remarks {
            self.line(&format!("          {remark}"));
        }
    }

    fn line(&mut self, text: &str) {
        // A text can always be written to.
        let _ = writeln!(self.text, "{}", visible(text));
    }
}

/// Writes a policy to start from.
fn new(name: &str, output: &mut Streams) -> Result<u8, String> {
    write(&[(name, START.replace("NAME", name))], output)
}

/// Copies policies from those that karplint brings along; all of them for `all`, and lists them for none.
///
/// # Errors
/// When there is none of that name, or a file cannot be written.
pub(super) fn copy(names: &[String], output: &mut Streams) -> Result<u8, String> {
    if names.is_empty() {
        let width = SHELF.iter().map(|it| it.0.len()).max().unwrap_or_default();
        let line = |(name, text): &(&str, &str)| format!("  {name:width$}  {}\n", title(text));
        let list: String = SHELF.iter().map(line).collect();
        output.print(&format!(
            "{list}\nChoose some: karplint init --policies NAME,NAME (or all)\n"
        ))?;
        return Ok(CLEAN);
    }
    let mut chosen = Vec::new();
    for name in names {
        let known = SHELF.iter().filter(|it| it.0 == name || name == "all");
        let before = chosen.len();
        chosen.extend(known.map(|(name, text)| (*name, (*text).to_owned())));
        if chosen.len() == before {
            let hint = did_you_mean(name, SHELF.iter().map(|it| it.0));
            return Err(format!("there is no policy `{name}` to copy{hint}"));
        }
    }
    chosen.sort();
    chosen.dedup();
    write(&chosen, output)
}

/// The line that says what a policy asks for.
fn title(text: &str) -> &str {
    text.lines().find_map(|it| it.trim().strip_prefix("title: ")).unwrap_or_default()
}

/// Writes new policies into the folder for them, all or none.
fn write(policies: &[(&str, String)], output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let boundary = Boundary::around(&here).map_err(|error| error.to_string())?;
    let way = DisplayPaths::new(&boundary.root, &here);
    let gate =
        Gate::at(&boundary.root).map_err(|it| format!("this folder cannot be read: {it}"))?;
    let book = load::book(&here)?;
    for (name, text) in policies {
        let path = format!("{POLICIES}{name}.yaml");
        if let Some(error) = read::read(FileId(0), text).errors.first() {
            return Err(format!("{name}: {}", error.message));
        }
        if book.page(name).is_some() || !book.named(name).is_empty() {
            return Err(format!("{name}: there is a rule or a topic of that name"));
        }
        if gate.holds(&path) {
            return Err(format!("{}: is there already", way.shown(&path)));
        }
    }
    for (name, text) in policies {
        let path = format!("{POLICIES}{name}.yaml");
        let fails = |it| format!("{}: cannot be written: {it}", way.shown(&path));
        gate.create_with_folders(&path, text).map_err(fails)?;
        output.remark(&format!(
            "{} is written; `karplint policy test` runs its tests\n",
            way.shown(&path)
        ));
    }
    Ok(CLEAN)
}
