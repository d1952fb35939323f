//! Versions.

use std::rc::Rc;

use crate::helm::{
    fault::Fault,
    functions::arguments::{Args, Function},
    semver::{Ranges, Semver},
    value::{Kind, Val},
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("semver", |it| Ok(Kind::Version(Rc::new(version(it, 0)?)).into())),
    ("semverCompare", |it| {
        let text = it.string(0)?;
        let Some(ranges) = Ranges::parse(text.as_str()) else {
            return it.error(format!("improper constraint: {}", text.as_str()));
        };
        Ok(Val::bool(ranges.allows(&version(it, 1)?)))
    }),
];

fn version(args: &Args<'_>, at: usize) -> Result<Semver, Fault> {
    let text = match &args.known(at)?.kind {
        Kind::Version(version) => return Ok((**version).clone()),
        _ => args.string(at)?,
    };
    match Semver::parse(text.as_str()) {
        Some(version) => Ok(version),
        None => args.error("Invalid Semantic Version"),
    }
}
