//! helmfile's own functions, in place of Helm's of the same names.

use crate::{
    helm::{
        fault::Fault,
        functions::{
            arguments::{Answer, Args, Function},
            unknown::same,
        },
        value::{Found, Kind, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("get", get),
    ("getOrNil", get),
    ("env", same),
    ("requiredEnv", same),
    ("exec", same),
    ("envExec", same),
    ("isFile", same),
    ("isDir", same),
    ("readFile", same),
    ("readDir", same),
    ("readDirEntries", same),
    ("listDir", same),
    ("fetchSecretValue", same),
    ("expandSecretRefs", same),
    ("setValueAtPath", same),
];

/// `get "path.to.it" map` and `get "path.to.it" default map`. What is missing without a default is refused, and
/// so must be meant to be given by others.
fn get(args: &Args<'_>) -> Answer {
    let path = args.string(0)?;
    let mut value = args.last()?.clone();
    for key in path.as_str().split('.').filter(|it| !it.is_empty()) {
        let found = match &value.kind {
            Kind::Map(map) => map.get(key),
            Kind::Unknown(symbol) => Found::Unknown(symbol.clone()),
            _ => Found::Missing,
        };
        value = match found {
            Found::Present(value) => value,
            Found::Unknown(symbol) => return Err(Fault::Unknown(symbol)),
            Found::Missing if args.count() > 2 => return args.val(1).cloned(),
            Found::Missing if args.name == "getOrNil" => return Ok(Val::NIL),
            Found::Missing => {
                return Ok(Val::unknown(Symbol::of_installation(format!("get {}", path.as_str()))));
            }
        };
    }
    Ok(value)
}
