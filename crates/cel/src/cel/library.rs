//! What functions do.

mod convert;
pub(crate) mod format;
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

/// The functions of a name.
#[must_use]
pub(crate) fn natives(name: &str) -> &'static [Native] {
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
    all.get(name).map_or(&[], Vec::as_slice)
}

/// Calls the function among these that takes the arguments.
///
/// # Errors
/// The function's own, and [`Fault::NoOverload`] when none takes these arguments.
pub(crate) fn call(natives: &[Native], arguments: &[Operand]) -> Outcome {
    for native in natives {
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
    match call(natives(name), &[Data::text(text).into()]) {
        Err(Fault::Error(error)) => Some(error.message),
        _ => None,
    }
}
