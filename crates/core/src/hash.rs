//! Hash tables for what is asked a hundred thousand times in a run: names, numbers and pairs of them.
//!
//! The standard library's hasher resists chosen keys, and takes a tenth of the time of a large Terraform
//! repository. This one is seeded at random in each process, so that a file cannot be written to collide.

/// A map with a fast hasher; made with `HashMap::default()` or `collect()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set with a fast hasher; made with `HashSet::default()` or `collect()`.
pub type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;
