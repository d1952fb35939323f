//! Other programs, run within limits: helm and git, each only when a flag asks for it.

use std::{
    io::{self, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// The limits of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// On standard output.
    pub bytes: usize,
}

/// How much of what a program complains is read.
const COMPLAINT: usize = 64 << 10;
/// How much of it is shown, in characters.
const SHOWN: usize = 300;
/// Why a program gave no text.
#[derive(Debug)]
pub(super) enum Failure {
    /// It could not be run.
    NotRun(io::Error),
    /// It was run and failed.
    Failed(String),
}

/// What a program that reads `input` writes to standard output.
///
/// # Errors
/// When it cannot be run, takes or says too much, or fails.
pub(super) fn output(
    mut command: Command,
    input: &[u8],
    limits: Limits,
) -> Result<Vec<u8>, Failure> {
    let deadline = Instant::now() + limits.time;
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Failure::NotRun)?;
    if let Some(stream) = child.stdin.take() {
        feed(stream, input.to_vec());
    }
    let said = child.stdout.take().map(|it| collected(it, limits.bytes));
    let complained = child.stderr.take().map(|it| collected(it, COMPLAINT));
    let result = finish(&mut child, said, complained, limits, deadline);
    // It may have ended already; then there is nothing to kill and no error to report.
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
) -> Result<Vec<u8>, String> {
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
        return Ok(said);
    }
    let complained = complained.and_then(|it| it.recv_timeout(left()).ok()).unwrap_or_default();
    let complaint = complaint(&String::from_utf8_lossy(&complained));
    Err(if complaint.is_empty() { status.to_string() } else { complaint })
}

/// Gives a program what it reads; one that stops reading is no error.
fn feed(mut stream: impl Write + Send + 'static, input: Vec<u8>) {
    let write = move || {
        let _ = stream.write_all(&input);
    };
    // Without a thread the program waits for nothing, and its time runs out.
    let _ = thread::Builder::new().spawn(write);
}

/// The bytes of a stream, at most one more than `limit`; what follows is thrown away, so that the
/// writer does not block.
fn collected(stream: impl Read + Send + 'static, limit: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let read = move || {
        let mut start = stream.take(limit as u64 + 1);
        let mut bytes = Vec::new();
        // Half of an output is not used; the exit status says that it failed.
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
    use super::complaint;

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
            match output(command, b"fed", limits) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(Failure::Failed(why)) => format!("failed: {why}"),
                Err(Failure::NotRun(error)) => format!("not run: {error}"),
            }
        };
        let cases = [
            ("echo a", "a\n"),
            ("cat", "fed"),
            ("echo a; exec sleep 60", "failed: it took longer than 2 s"),
            ("exec >&- 2>&-; sleep 60", "failed: it took longer than 2 s"),
            ("exec yes", "failed: it is over 1 MB"),
            ("head -c 500000 /dev/zero >&2; echo a", "a\n"),
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
