//! That the cost of a check grows with the input and no faster: repositories of many kinds, each in three sizes.
//!
//! `cargo bench --bench growth --profile dev` is what the nightly workflow runs, and `.ci/run` with more room; the
//! profile changes the times and not the growth.
//! Twice the input may cost 2.6 times as much, on the average of two doublings. Time is the processor's on one thread,
//! the least of several rounds, so that what else the machine does hardly counts.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark prints, and stops at what it did not expect"
)]

#[path = "growth/generators.rs"]
mod generators;

use std::{
    fs,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use generators::{GENERATORS, Texts};
use karplint::{
    config::Config,
    lint,
    project::Project,
    report::{Report, choice::Choice, json},
};

/// The most that twice the input may cost, where `--most=N` says no other.
const MOST: f64 = 2.6;
/// Shorter times are mostly what does not depend on the input.
const SHORTEST: Duration = Duration::from_millis(40);
/// How often a size is doubled to reach that.
const DOUBLINGS: u32 = 8;
/// A growth above the most is measured again so often.
const TRIES: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let most = arguments.iter().find_map(|it| it.strip_prefix("--most=")?.parse().ok());
    let most = most.unwrap_or(MOST);
    let wanted: Vec<&String> = arguments.iter().filter(|it| !it.starts_with('-')).collect();
    let pool = rayon::ThreadPoolBuilder::new().stack_size(8 << 20).num_threads(1).build().unwrap();
    let mut failed = false;
    for (name, size, generate) in GENERATORS {
        if wanted.is_empty() || wanted.iter().any(|it| name.contains(it.as_str())) {
            failed |= !pool.install(|| grows(name, *size, *generate, most));
        }
    }
    ExitCode::from(u8::from(failed))
}

/// Whether four times the input costs no more than it may. Systems that count the processor's time by ticks tell of a
/// short run that it took none, so a time below the shortest one counts as that.
fn grows(name: &str, size: usize, generate: fn(usize) -> Texts, most: f64) -> bool {
    let mut size = size;
    for _ in 0..DOUBLINGS {
        if time(&generate(size)) >= SHORTEST {
            break;
        }
        size *= 2;
    }
    for attempt in 1..=TRIES {
        let sizes = [size, size * 2, size * 4];
        let _ = fs::write("/proc/self/clear_refs", "5");
        let times = sizes.map(|it| {
            let texts = generate(it);
            (0..2 * attempt).map(|_| time(&texts)).min().unwrap_or_default()
        });
        let seconds = times.map(|it| it.as_secs_f64());
        let growth = [seconds[1] / seconds[0], seconds[2] / seconds[1]];
        // Beyond a limit there may be nothing left to measure.
        let holds = seconds[2] / seconds[0].max(SHORTEST.as_secs_f64()) <= most * most;
        if holds || attempt == TRIES {
            let memory = peak().map_or_else(String::new, |it| format!("  peak {} MB", it >> 10));
            println!(
                "{name:<24} {size:>7}: {:8.1} ms  x {:.2}  x {:.2}{memory}{}",
                seconds[0] * 1000.0,
                growth[0],
                growth[1],
                if holds { "" } else { "  GROWS TOO FAST" }
            );
            return holds;
        }
    }
    false
}

/// What a check costs, with its report.
fn time(texts: &Texts) -> Duration {
    let texts = texts.clone();
    let (began, clock) = (processor(), Instant::now());
    let project = Project::from_memory(texts);
    let outcome = lint::run(&project, &Config::default());
    let report = Report::new(&project, &outcome, Path::new(""), Choice::everything());
    assert!(json::render(&report).starts_with('{'));
    match (began, processor()) {
        (Some(began), Some(end)) => end.saturating_sub(began),
        _ => clock.elapsed(),
    }
}

/// How long the processor has worked for this thread, where the system tells.
fn processor() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The peak memory of this process in kilobytes, where the system tells.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|it| it.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
