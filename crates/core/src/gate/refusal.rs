//! Why a file is not opened, or not written.

use std::{fmt, io};

/// Why a file is not opened, or not written.
#[derive(Debug)]
pub enum Refusal {
    /// There is none.
    Missing,
    /// Its path leads out of the folder.
    LeadsOut,
    /// It is git's own data, which may hold credentials.
    OfGit,
    /// It is a folder, a pipe, a socket or a device.
    NotOrdinary,
    /// It has more bytes than this.
    TooLarge(u64),
    /// Its name or its text is not Unicode.
    NotUnicode,
    /// Its text is not what it was when it was read.
    Changed,
    /// It has further hard links, which would keep the old text.
    Linked,
    /// The file that would take its place cannot be given this.
    Lost(&'static str, io::Error),
    /// The system does not let it be opened.
    System(io::Error),
}

impl Refusal {
    /// What an error of the system means.
    pub(super) fn of(error: io::Error) -> Self {
        // cap-std itself refuses to leave a folder; an error of the system has a number.
        let own = error.raw_os_error().is_none();
        match error.kind() {
            io::ErrorKind::PermissionDenied if own => Self::LeadsOut,
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ if has_no_reader(&error) => Self::NotOrdinary,
            _ => Self::System(error),
        }
    }

    /// Why a file was not read, on its own.
    #[must_use]
    pub fn of_reading(&self) -> String {
        match self {
            Self::System(error) => format!("cannot be read: {error}"),
            other => other.to_string(),
        }
    }
}

/// Whether an error says that a pipe has no other end, or that a file is a socket.
#[cfg(unix)]
fn has_no_reader(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn has_no_reader(_: &io::Error) -> bool {
    false
}

const KILOBYTE: u64 = 1 << 10;
const MEGABYTE: u64 = 1 << 20;

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("no such file"),
            Self::LeadsOut => out.write_str("it leads out of the repository"),
            Self::OfGit => out.write_str("it is git's own"),
            Self::NotOrdinary => out.write_str("not an ordinary file"),
            Self::TooLarge(limit) if *limit < MEGABYTE => {
                write!(out, "over {} kB", limit / KILOBYTE)
            }
            Self::TooLarge(limit) => write!(out, "over {} MB", limit / MEGABYTE),
            Self::NotUnicode => out.write_str("not UTF-8"),
            Self::Changed => out.write_str("it changed while karplint ran"),
            Self::Linked => {
                out.write_str("it has further hard links, which would keep the old text")
            }
            Self::Lost(what, error) => write!(out, "its {what} cannot be kept: {error}"),
            Self::System(error) => write!(out, "{error}"),
        }
    }
}
