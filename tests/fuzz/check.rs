//! One case: what must hold of a repository, whatever is in it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{corpus::Texts, properties};

/// How many times a repository was checked, and what does not hold.
pub(crate) fn case(files: &Texts, number: u64) -> (u64, Option<String>) {
    let mut checks = 0;
    let held = catch_unwind(AssertUnwindSafe(|| properties::hold(files, number, &mut checks)));
    let fault = match held {
        Ok(held) => held.err(),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
            Some(format!("panic: {}", words.unwrap_or_default()))
        }
    };
    (checks, fault)
}
