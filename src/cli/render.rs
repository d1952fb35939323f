//! Charts through `helm template`: the one place where karplint runs a program, and only when told to.

use std::{
    io::{self, Read},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use rayon::prelude::*;

use crate::{
    project::{Project, chart::Rendered},
    source::{Span, join},
    syntax::yaml,
    value::{Text, Value},
};

/// What a program may take.
#[derive(Clone, Copy, Debug)]
struct Limits {
    time: Duration,
    /// On standard output.
    bytes: usize,
}

/// What helm may take for one chart.
const LIMITS: Limits = Limits { time: Duration::from_secs(30), bytes: 16 << 20 };
/// How much of what a program complains is read.
const COMPLAINT: usize = 64 << 10;
/// How much of it is shown, in characters.
const SHOWN: usize = 300;
/// The longest name of a release, in bytes.
const LONGEST_NAME: usize = 53;

/// Why a program gave no text.
#[derive(Debug)]
enum Failure {
    /// It could not be run.
    NotRun(io::Error),
    /// It was run in vain.
    Failed(String),
}

/// Renders the charts that hold templates, several at a time.
///
/// # Errors
/// When helm cannot be run at all. A chart that it cannot render says so in place of its text.
pub fn charts(project: &Project, helm: &Path) -> Result<Vec<Rendered>, String> {
    let folders = project.charts_to_render();
    let charts: Vec<Chart> = folders.into_iter().map(|it| Chart::read(project, it)).collect();
    let charts = charts.par_iter().filter(|it| !it.is_library);
    charts.map(|chart| chart.render(project, helm)).collect()
}

/// What a `Chart.yaml` says.
#[derive(Debug)]
struct Chart {
    folder: String,
    name: String,
    is_library: bool,
}

impl Chart {
    fn read(project: &Project, folder: &str) -> Self {
        let file = join(folder, "Chart.yaml").and_then(|it| project.files.find(&it));
        let value = file.and_then(|id| {
            let text = project.files.get(id).text();
            let whole = Span::new(id, 0, text.len());
            yaml::parse_literal(&Text::verbatim(text, whole), whole).values.into_iter().next()
        });
        let text = |key: &str| {
            let value = value.as_ref()?.get(key).present();
            value.and_then(Value::as_str).map(str::to_owned)
        };
        Self {
            folder: folder.to_owned(),
            name: text("name").unwrap_or_default(),
            is_library: text("type").is_some_and(|it| it == "library"),
        }
    }

    fn render(&self, project: &Project, helm: &Path) -> Result<Rendered, String> {
        let mut command = Command::new(helm);
        command.arg("template").arg(release_name(&self.name));
        command.arg(project.root.join(&self.folder)).arg("--include-crds");
        let text = match output(command, LIMITS) {
            Ok(text) => Ok(text),
            Err(Failure::Failed(why)) => Err(why),
            Err(Failure::NotRun(error)) => {
                return Err(format!("--helm: {} cannot be run: {error}", helm.display()));
            }
        };
        Ok(Rendered { folder: self.folder.clone(), name: self.name.clone(), text })
    }
}

/// The chart's name, if Helm would accept it for a release.
fn release_name(chart: &str) -> &str {
    let plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    let valid = chart.len() <= LONGEST_NAME
        && chart.starts_with(plain)
        && chart.ends_with(plain)
        && chart.chars().all(|it| plain(it) || it == '-');
    if valid { chart } else { "release-name" }
}

/// What a program writes to standard output.
fn output(mut command: Command, limits: Limits) -> Result<String, Failure> {
    let deadline = Instant::now() + limits.time;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Failure::NotRun)?;
    let said = child.stdout.take().map(|it| collected(it, limits.bytes));
    let complained = child.stderr.take().map(|it| collected(it, COMPLAINT));
    let result = finish(&mut child, said, complained, limits, deadline);
    // It may have ended already; then there is nothing to end and nothing left to tell.
    let _ = child.kill();
    let _ = child.wait();
    result.map_err(Failure::Failed)
}

fn finish(
    child: &mut Child,
    said: Option<Receiver<Vec<u8>>>,
    complained: Option<Receiver<Vec<u8>>>,
    limits: Limits,
    deadline: Instant,
) -> Result<String, String> {
    let late = || format!("it took longer than {} s", limits.time.as_secs_f32());
    let left = || deadline.saturating_duration_since(Instant::now());
    let said = said.and_then(|it| it.recv_timeout(left()).ok()).ok_or_else(late)?;
    if said.len() > limits.bytes {
        return Err(format!("it is over {} MB", limits.bytes >> 20));
    }
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if left().is_zero() => return Err(late()),
            Ok(None) => thread::sleep(Duration::from_millis(2)),
            Err(error) => return Err(error.to_string()),
        }
    };
    if status.success() {
        return String::from_utf8(said).map_err(|_| "it is not UTF-8".to_owned());
    }
    let complained = complained.and_then(|it| it.recv_timeout(left()).ok()).unwrap_or_default();
    let complaint = complaint(&String::from_utf8_lossy(&complained));
    Err(if complaint.is_empty() { status.to_string() } else { complaint })
}

/// The bytes of a stream, at most one more than `limit`; what follows is thrown away, so that whoever
/// writes it can go on.
fn collected(stream: impl Read + Send + 'static, limit: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let read = move || {
        let mut start = stream.take(limit as u64 + 1);
        let mut bytes = Vec::new();
        // Half of an answer is none, and the exit status tells.
        let _ = start.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
        let _ = io::copy(&mut start.into_inner(), &mut io::sink());
    };
    // Without a thread nothing is received, which is reported as such.
    let _ = thread::Builder::new().spawn(read);
    receiver
}

/// The first line that says what went wrong, after any warnings.
fn complaint(text: &str) -> String {
    let error = text.lines().find_map(|it| it.trim().strip_prefix("Error:"));
    let line = error.or_else(|| text.lines().find(|it| !it.trim().is_empty())).unwrap_or_default();
    line.trim().chars().filter(|it| !it.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::{complaint, release_name};

    #[test]
    fn releases_are_named_after_their_chart() {
        let long = "a".repeat(54);
        let cases = [
            ("shop", "shop"),
            ("shop-2", "shop-2"),
            ("", "release-name"),
            ("-shop", "release-name"),
            ("--post-renderer", "release-name"),
            ("Shop", "release-name"),
            ("a/b", "release-name"),
            (&long, "release-name"),
        ];
        for (chart, expected) in cases {
            assert_eq!(release_name(chart), expected, "{chart}");
        }
    }

    #[test]
    fn the_error_is_found_among_warnings() {
        let cases = [
            ("", ""),
            ("\nhelm: broken\nmore", "helm: broken"),
            ("WARNING: x\nError: no \u{1b}[31mvalue\n\nUse --debug", "no [31mvalue"),
        ];
        for (text, expected) in cases {
            assert_eq!(complaint(text), expected, "{text:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_has_limits() {
        use super::{Failure, Limits, output};
        use std::{
            process::Command,
            time::{Duration, Instant},
        };

        let limits = Limits { time: Duration::from_secs(2), bytes: 1 << 20 };
        let run = |script: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            match output(command, limits) {
                Ok(text) => text,
                Err(Failure::Failed(why)) => format!("failed: {why}"),
                Err(Failure::NotRun(error)) => format!("not run: {error}"),
            }
        };
        let cases = [
            ("echo a", "a\n"),
            ("cat", ""),
            ("echo a; exec sleep 60", "failed: it took longer than 2 s"),
            ("exec >&- 2>&-; sleep 60", "failed: it took longer than 2 s"),
            ("exec yes", "failed: it is over 1 MB"),
            ("head -c 500000 /dev/zero >&2; echo a", "a\n"),
            ("printf '\\377'", "failed: it is not UTF-8"),
            ("echo warning >&2; echo Error: no value >&2; exit 1", "failed: no value"),
            ("exit 3", "failed: exit status: 3"),
        ];
        for (script, expected) in cases {
            let started = Instant::now();
            assert_eq!(run(script), expected, "{script}");
            assert!(started.elapsed() < Duration::from_secs(20), "{script}");
        }
    }
}
