//! Progress of long runs on a terminal.

use std::{
    io::{self, IsTerminal, Write},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Shorter runs need none.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the seconds are counted up.
const STEP: Duration = Duration::from_millis(500);

/// A line on standard error that counts the seconds, and is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to count, but only on a terminal: a log keeps every line.
    #[must_use]
    pub(super) fn start(wanted: bool) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Self { running: None };
        }
        let (sender, receiver) = channel::<()>();
        let started = Instant::now();
        let count = move || {
            let mut wait = PATIENCE;
            let mut shown = false;
            while receiver.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let seconds = started.elapsed().as_secs();
                say(&format!("\rkarplint: {seconds} s …"));
                shown = true;
                wait = STEP;
            }
            if shown {
                say("\r\u{1b}[K");
            }
        };
        // Without a thread there is no progress, and no error.
        let running = thread::Builder::new().spawn(count).ok().map(|it| (sender, it));
        Self { running }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            // The line has to be gone before anything else is written.
            let _ = thread.join();
        }
    }
}

fn say(text: &str) {
    let mut stream = io::stderr().lock();
    // A failure here cannot be reported anywhere.
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}
