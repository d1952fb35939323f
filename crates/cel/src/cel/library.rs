//! What functions do.

mod convert;
mod format;
pub(crate) mod formats;
mod ip;
mod lists;
mod numbers;
mod objects;
mod optional;
mod quantity;
pub(crate) mod regex;
mod semver;
mod sets;
mod strings;
pub(crate) mod time;
mod url;
mod zone;

use std::sync::OnceLock;

use crate::{
    cel::{
        data::{Data, Operand, Outcome},
        fault::Fault,
        native::Native,
    },
    hash::HashMap,
};

/// Calls a function.
///
/// # Errors
/// The function's own, and [`Fault::NoOverload`] when none of that name takes these arguments.
pub(crate) fn call(name: &str, arguments: &[Operand]) -> Outcome {
    static ALL: OnceLock<HashMap<&str, Vec<Native>>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let mut all: HashMap<&str, Vec<Native>> = HashMap::default();
        let libraries = [
            numbers::FUNCTIONS,
            convert::FUNCTIONS,
            strings::FUNCTIONS,
            format::FUNCTIONS,
            lists::FUNCTIONS,
            sets::FUNCTIONS,
            optional::FUNCTIONS,
            regex::FUNCTIONS,
            time::FUNCTIONS,
            url::FUNCTIONS,
            ip::FUNCTIONS,
            quantity::FUNCTIONS,
            semver::FUNCTIONS,
            formats::FUNCTIONS,
            objects::FUNCTIONS,
        ];
        for (name, native) in libraries.into_iter().flatten() {
            all.entry(name).or_default().push(*native);
        }
        all
    });
    for native in all.get(name).into_iter().flatten() {
        match native(arguments) {
            Err(Fault::NoOverload) => {}
            found => return found,
        }
    }
    Err(Fault::NoOverload)
}

/// What is wrong with a literal that a conversion reads.
#[must_use]
pub(crate) fn mistake(name: &str, text: &str) -> Option<String> {
    match call(name, &[Data::text(text).into()]) {
        Err(Fault::Error(error)) => Some(error.message),
        _ => None,
    }
}
