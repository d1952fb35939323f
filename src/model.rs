//! The cluster as its authors described it.
