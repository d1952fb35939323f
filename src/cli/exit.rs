//! The exit codes.

/// Nothing at or above `--fail-on`.
pub(super) const CLEAN: u8 = 0;
/// Findings at or above `--fail-on`.
pub(super) const FOUND: u8 = 1;
/// karplint could not do its work.
pub(super) const FAILED: u8 = 2;
