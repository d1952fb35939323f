//! Project in, findings out: the one place where the parts meet.
