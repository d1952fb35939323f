//! Versions.

use std::rc::Rc;

use crate::{
    helm::{
        fault::Fault,
        functions::arguments::{Args, Function},
        semver::{Ranges, Semver},
        value::{Kind, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("semver", |it| Ok(Kind::Version(Rc::new(version(it, 0)?)).into())),
    ("semverCompare", |it| {
        let text = it.string(0)?;
        let Some(ranges) = Ranges::parse(text.as_str()) else {
            return it.error(format!("improper constraint: {}", text.as_str()));
        };
        let kubernetes = unknown_kubernetes(it.val(1)?).and_then(|_| everywhere(&ranges));
        let allowed = kubernetes.map_or_else(|| Ok(ranges.allows(&version(it, 1)?)), Ok);
        Ok(Val::bool(allowed?))
    }),
];

/// The symbol of a Kubernetes version that is not known.
fn unknown_kubernetes(version: &Val) -> Option<&Symbol> {
    let symbol = match &version.kind {
        Kind::Unknown(symbol) => symbol,
        Kind::Text(text) => text.only_hole()?,
        _ => return None,
    };
    Some(symbol).filter(|it| it.text.starts_with(".Capabilities.KubeVersion"))
}

/// What all minor versions of Kubernetes from the oldest that clusters still run answer, with EKS's suffix and
/// without, if they answer the same.
fn everywhere(ranges: &Ranges) -> Option<bool> {
    let allows = |minor: &u32| {
        let plain = Semver::parse(&format!("v1.{minor}.0"))?;
        let of_eks = Semver::parse(&format!("v1.{minor}.0-eks-1"))?;
        let allowed = ranges.allows(&plain);
        (ranges.allows(&of_eks) == allowed).then_some(allowed)
    };
    let first = allows(&OLDEST)?;
    (OLDEST..=NEWEST).all(|it| allows(&it) == Some(first)).then_some(first)
}

/// The minor versions that a cluster may have.
const OLDEST: u32 = 25;
const NEWEST: u32 = 40;

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
