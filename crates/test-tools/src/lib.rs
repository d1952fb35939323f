//! Programs that tests compare with (terraform, kubectl, a browser), which not every machine has.
//!
//! A test that does not run for want of one is recorded below the target folder. The last test program of
//! `cargo test`, `not_run`, prints how many there are. `KARPLINT_MUST_RUN="terraform kubectl"` makes the
//! tests that want one of these fail instead.

#![expect(
    clippy::disallowed_methods,
    reason = "the records lie on the disk, what must run in the environment"
)]
#![expect(clippy::panic, clippy::print_stderr, reason = "this is the support of tests")]

use std::{
    collections::BTreeMap,
    env, fs,
    panic::Location,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

/// Whether a program can be run. If not, the test that asks is recorded as not run.
///
/// # Panics
///
/// If the program is not there and `KARPLINT_MUST_RUN` names it.
#[must_use]
#[track_caller]
pub fn can_run(program: &str) -> bool {
    let arguments: &[&str] = match program {
        "kubectl" => &["version", "--client"],
        "helm" | "terraform" => &["version"],
        _ => &["--version"],
    };
    let mut command = Command::new(program);
    let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let runs = match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program} {}`: {status}", arguments.join(" "))),
        Err(error) => Err(format!("{program}: {error}")),
    };
    found(program, runs).is_some()
}

/// What a test wants, or why it cannot be had; then the test that asks is recorded as not run.
///
/// # Panics
///
/// If it cannot be had and `KARPLINT_MUST_RUN` names it.
#[track_caller]
pub fn found<T>(wanted: &str, result: Result<T, String>) -> Option<T> {
    let folder = records().map(|it| it.join(wanted));
    let record = folder.as_ref().map(|it| it.join(test_name(Location::caller())));
    match result {
        Ok(thing) => {
            record.map(fs::remove_file);
            Some(thing)
        }
        Err(why) => {
            let must = env::var("KARPLINT_MUST_RUN").unwrap_or_default();
            assert!(!must.split_whitespace().any(|it| it == wanted), "must run: {why}");
            eprintln!("not run for want of {wanted}: {why}");
            if let (Some(folder), Some(record)) = (folder, record) {
                let written = fs::create_dir_all(folder).and_then(|()| fs::write(record, why));
                written
                    .unwrap_or_else(|error| panic!("a skipped test cannot be recorded: {error}"));
            }
            None
        }
    }
}

/// How many tests were not run the last time, by what they wanted.
#[must_use]
pub fn not_run() -> BTreeMap<String, usize> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let Some(folder) = records() else { return BTreeMap::new() };
    let count = |it: fs::DirEntry| {
        (it.file_name().to_string_lossy().into_owned(), entries(&it.path()).count())
    };
    entries(&folder).map(count).filter(|(_, count)| *count > 0).collect()
}

/// A folder beside the profile's: tests lie in `target/debug/deps`.
fn records() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.parent()?.parent()?.join("not-run"))
}

/// A name for the running test: its thread's, after the program's.
fn test_name(caller: &Location) -> String {
    let program = env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let program = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
    let place = || format!("{}:{}", caller.file(), caller.line());
    // With `--test-threads=1` tests run in the main thread.
    let test = match thread::current().name() {
        None | Some("main") => place(),
        Some(name) => name.to_owned(),
    };
    format!("{program} {test}").replace(|it: char| !it.is_alphanumeric(), "_")
}
