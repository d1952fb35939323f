//! Arguments, printing, exit codes.
