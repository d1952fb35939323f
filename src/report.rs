//! The choice of a report's format.
