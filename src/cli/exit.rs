//! The exit codes.

/// Nothing at or above `--fail-on`.
pub const CLEAN: u8 = 0;
/// Findings at or above `--fail-on`.
pub const FOUND: u8 = 1;
/// karplint could not do its work.
pub const FAILED: u8 = 2;
