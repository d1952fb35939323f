//! Where text goes: standard output, standard error, files.

use std::{
    io::{self, IsTerminal, Read, Write},
    path::Path,
};

use crate::{
    cli::args::Color, findings::Severity, gate::named::Named, report::text::Look, visible,
};

/// Longer input is no file either, in bytes.
const LONGEST_INPUT: u64 = 32 << 20;

/// The two streams and what they can show.
#[derive(Debug)]
pub(super) struct Streams {
    color: Color,
}

#[expect(clippy::unused_self, reason = "only who holds the streams may read and write them")]
impl Streams {
    /// Output with or without colours.
    #[must_use]
    pub(super) fn new(color: Color) -> Self {
        Self { color }
    }

    /// What standard output can show; a file given by `--output` gets no colours unless always.
    #[must_use]
    pub(super) fn look(&self, to_file: bool) -> Look {
        let terminal = io::stdout().is_terminal() && !to_file;
        let dumb = variable("TERM").is_some_and(|it| it == "dumb");
        let color = match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if variable("NO_COLOR").is_some() => false,
            Color::Auto if variable("CLICOLOR_FORCE").is_some_and(|it| it != "0") => true,
            Color::Auto => terminal && !dumb,
        };
        let unicode = !terminal || speaks_unicode();
        let width = if terminal { columns() } else { WIDTH };
        Look { color, unicode, width, lowest: Severity::Warning, lists_all: false }
    }

    /// Whether a line that changes may be shown: CI keeps all of it, and a dumb terminal cannot take it back.
    #[must_use]
    pub(super) fn shows_progress(&self) -> bool {
        variable("CI").is_none() && variable("TERM").is_none_or(|it| it != "dumb")
    }

    /// Writes to standard output. A closed pipe is no error.
    ///
    /// # Errors
    /// When the stream cannot be written.
    pub(super) fn print(&mut self, text: &str) -> Result<(), String> {
        self.print_by(|it| it.write_all(text.as_bytes()))
    }

    /// The same of what is written bit by bit.
    ///
    /// # Errors
    /// As above.
    pub(super) fn print_by(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), String> {
        let mut stream = io::stdout().lock();
        match write(&mut stream).and_then(|()| stream.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("standard output cannot be written: {error}"))
            }
            _ => Ok(()),
        }
    }

    /// Writes a remark to standard error.
    pub(super) fn remark(&mut self, text: &str) {
        // A failure here cannot be reported anywhere.
        let _ = io::stderr().lock().write_all(visible::lines(text).as_bytes());
    }

    /// Prints why karplint could not run.
    pub(super) fn complain(&mut self, sentence: &str) {
        self.remark(&format!("karplint: {sentence}\n"));
    }

    /// All of standard input.
    ///
    /// # Errors
    /// When it cannot be read or is not UTF-8.
    pub(super) fn input(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let read = io::stdin().lock().take(LONGEST_INPUT + 1).read_to_string(&mut text);
        let read = read.map_err(|error| format!("standard input cannot be read: {error}"))?;
        if read as u64 > LONGEST_INPUT {
            return Err(format!("standard input is over {} MB", LONGEST_INPUT >> 20));
        }
        Ok(text)
    }
}

/// Writes a file that the user names, from the working directory.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write_file(path: &Path, here: &Path, text: &str) -> Result<(), String> {
    let written = Named::of(path, here).and_then(|it| it.write(text));
    written.map_err(|refusal| format!("{}: cannot be written: {refusal}", path.display()))
}

/// A variable of the environment, if it is set to something.
#[expect(clippy::disallowed_methods, reason = "this is the module that reads the environment")]
pub(super) fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|it| !it.is_empty())
}

/// Whether the terminal shows more than ASCII, by the usual variables.
fn speaks_unicode() -> bool {
    if cfg!(windows) {
        return variable("WT_SESSION").is_some() || variable("TERM_PROGRAM").is_some();
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_some_and(|it| it.to_ascii_uppercase().replace('-', "").contains("UTF8"))
}

/// The width where no terminal says another.
const WIDTH: usize = 80;
/// Longer lines are hard to read, shorter ones break every name.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=120;

/// The columns of the terminal, within what can be read.
fn columns() -> usize {
    let size = terminal_size::terminal_size();
    size.map_or(WIDTH, |(width, _)| usize::from(width.0).clamp(*WIDTHS.start(), *WIDTHS.end()))
}
