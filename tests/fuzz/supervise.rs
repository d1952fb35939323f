//! Children that try numbers, and the parent that outlives them.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use crate::{check, corpus::Corpus, disk, mutate, server};

/// One number takes milliseconds; a build without optimization on a busy machine may take seconds.
const PATIENCE: Duration = Duration::from_mins(3);
/// Every so many numbers are tried on the language server, too.
const SERVED: u64 = 25;
/// And so many by the program on a folder.
const WRITTEN: u64 = 40;
/// More failures than this say nothing new.
const MOST: usize = 40;

/// When a run ends.
#[derive(Clone, Copy)]
pub(crate) enum End {
    Number(u64),
    After(Duration),
}

/// What a child says.
enum Line {
    /// It begins with a number.
    Begins(u64),
    /// A number is done, and took so many checks.
    Done(u64),
    /// What does not hold.
    Fault(u64, String),
}

/// Tries a number and each one so many steps further, without end: the parent ends it.
pub(crate) fn work(corpus: &Corpus, from: u64, step: u64) {
    std::panic::set_hook(Box::new(|_| {}));
    let mut session = None;
    let mut out = std::io::stdout().lock();
    for number in (0..).map(|it| from + it * step) {
        if writeln!(out, "{number} begins").is_err() {
            return;
        }
        let files = mutate::repository(corpus, number);
        let (checks, fault) = check::case(&files, number);
        if let Some(fault) = fault {
            let _ = writeln!(out, "{number} fails {}", fault.replace('\n', " "));
        }
        if number.is_multiple_of(SERVED) {
            let fault = server::answers_all(&mut session, &files, number).err();
            if let Some(fault) = fault {
                session = None;
                let _ = writeln!(out, "{number} fails {}", fault.replace('\n', " "));
            }
        }
        if number % WRITTEN == 1
            && let Err(fault) = disk::ends_well(&files, number)
        {
            let _ = writeln!(out, "{number} fails {}", fault.replace('\n', " "));
        }
        let _ = writeln!(out, "{checks} done");
    }
}

fn start(from: u64, step: u64) -> (Child, Receiver<Line>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--from", &from.to_string(), "--step", &step.to_string()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let Some((number, rest)) = line.split_once(' ') else { continue };
            let Ok(number) = number.parse() else { continue };
            let line = match rest {
                "begins" => Line::Begins(number),
                "done" => Line::Done(number),
                _ => Line::Fault(number, rest.trim_start_matches("fails ").to_owned()),
            };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    (child, lines)
}

/// What one of the threads that watch a child tells.
enum Said {
    Checks(u64),
    Fault(u64, String),
}

/// Watches children, one after the other, that try every so many numbers, until the end.
fn watch(from: u64, step: u64, end: End, began: Instant, said: &Sender<Said>) {
    let mut current = from;
    let (mut child, mut lines) = start(from, step);
    loop {
        let over = match end {
            End::Number(end) => current >= end,
            End::After(time) => began.elapsed() > time,
        };
        if over {
            break;
        }
        let fault = match lines.recv_timeout(PATIENCE) {
            Ok(Line::Begins(number)) => {
                current = number;
                continue;
            }
            Ok(Line::Done(checks)) => {
                let _ = said.send(Said::Checks(checks));
                continue;
            }
            Ok(Line::Fault(number, words)) => {
                let _ = said.send(Said::Fault(number, words));
                continue;
            }
            Err(RecvTimeoutError::Timeout) => format!("hang: more than {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                format!(
                    "death: {}",
                    child.wait().map_or_else(|it| it.to_string(), |it| it.to_string())
                )
            }
        };
        let _ = said.send(Said::Fault(current, fault));
        let _ = child.kill();
        let _ = child.wait();
        current += step;
        (child, lines) = start(current, step);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Tries numbers until the end, and says which fail.
pub(crate) fn run(from: u64, end: End) -> ExitCode {
    let began = Instant::now();
    let children = thread::available_parallelism().map_or(1, |it| it.get() as u64);
    let (sender, said) = channel();
    for it in 0..children {
        let sender = sender.clone();
        thread::spawn(move || watch(from + it, children, end, began, &sender));
    }
    drop(sender);
    let (mut cases, mut checks, mut faults) = (0_u64, 0_u64, Vec::new());
    for it in said {
        match it {
            Said::Checks(more) => {
                cases += 1;
                checks += more;
            }
            Said::Fault(number, words) => {
                println!("number {number}: {words}");
                faults.push(number);
            }
        }
        if faults.len() >= MOST {
            break;
        }
    }
    let mut line =
        format!("{cases} cases, {checks} checks in {:.0} s", began.elapsed().as_secs_f64());
    let _ = write!(line, ", {} failed", faults.len());
    println!("fuzz: {line}");
    if let Some(first) = faults.first() {
        println!("fuzz: `cargo test --test fuzz -- --replay {first}` writes a small case");
    }
    ExitCode::from(u8::from(!faults.is_empty()))
}
