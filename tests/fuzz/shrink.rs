//! A case made as small as possible.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use crate::{
    corpus::{Corpus, Texts},
    mutate,
};

/// How long one try may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long all of them may take.
const IN_ALL: Duration = Duration::from_mins(10);

/// Tries a number again; where it fails, writes what of it is needed for that.
pub(crate) fn replay(corpus: &Corpus, number: u64) -> ExitCode {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{number}"));
    let mut files = mutate::repository(corpus, number);
    let fault = |folder: &Path, files: &Texts| fault(folder, files, number);
    let first = fault(&folder, &files);
    println!("number {number}: {first}");
    if first == "sound" {
        println!("the files are in {}", folder.display());
        return ExitCode::SUCCESS;
    }
    // The word before the colon is the property.
    let property = first.split(':').next().unwrap_or_default().to_owned();
    let began = Instant::now();
    let fails = |files: &Texts| {
        began.elapsed() < IN_ALL && fault(&folder, files).split(':').next() == Some(&property)
    };
    shrink(&mut files, &fails);
    println!("{}\nthe files are in {}", fault(&folder, &files), folder.display());
    for (path, text) in &files {
        println!("=== {path}\n{text}");
    }
    ExitCode::FAILURE
}

fn shrink(files: &mut Texts, fails: &dyn Fn(&Texts) -> bool) {
    let mut at = 0;
    while at < files.len() {
        let mut less = files.clone();
        less.remove(at);
        if fails(&less) { *files = less } else { at += 1 }
    }
    for index in 0..files.len() {
        for lines in [true, false] {
            let parts: Vec<String> = parts(&files[index].1, lines);
            let parts = fewer(parts, &|parts| {
                let mut less = files.clone();
                less[index].1 = parts.concat();
                fails(&less)
            });
            files[index].1 = parts.concat();
        }
    }
}

/// The lines of a text, or its words with what is between them.
fn parts(text: &str, lines: bool) -> Vec<String> {
    if lines {
        return text.split_inclusive('\n').map(str::to_owned).collect();
    }
    text.split_inclusive(|it: char| !it.is_alphanumeric()).map(str::to_owned).collect()
}

/// What of the parts is needed: halves are left out, then quarters, then less.
fn fewer(mut parts: Vec<String>, fails: &dyn Fn(&[String]) -> bool) -> Vec<String> {
    let mut size = parts.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < parts.len() {
            let mut less = parts.clone();
            less.drain(at..(at + size).min(parts.len()));
            if fails(&less) { parts = less } else { at += size }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    parts
}

/// What fails of a case, in a child; `sound` where nothing does.
fn fault(folder: &Path, files: &Texts, number: u64) -> String {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    for (path, text) in files {
        let path = folder.join(path);
        let written = path.parent().map(fs::create_dir_all).is_some_and(|it| it.is_ok());
        if !written || fs::write(&path, text).is_err() {
            return "sound".to_owned();
        }
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--from", &number.to_string(), "--case"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            let output = child.wait_with_output().unwrap();
            let words = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            return if words.is_empty() { format!("death: {status}") } else { words };
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    "hang: too long".to_owned()
}
