//! Which files there are; the only reader of the disk.
