//! What stays wrong with a resource whose version of the API the installed releases no longer serve: another rule tells to
//! write it in the next one.

use crate::{
    checks::admission::fault::Fault,
    knowledge::schema::{self, Schema},
    resolve::kubernetes::Object,
    version::Version,
};

/// The newest version of the API of an object's kind, where all releases are newer than those that serve its own.
pub(super) fn successor(object: &Object, until: &Version, releases: &[Version]) -> Option<String> {
    let are_newer = !releases.is_empty() && releases.iter().all(|it| it >= until);
    newest(object).filter(|_| are_newer)
}

/// The newest version of the API of an object's kind, where its own is another.
pub(super) fn newest(object: &Object) -> Option<String> {
    let newest =
        schema::kind(object.group(), &object.kind)?.schemas.last().map(Schema::api_version)?;
    (newest != *object.api_version).then_some(newest)
}

/// The faults that the next version of the API has as well, as they are there.
pub(super) fn that_stay(own: &[Fault], mut next: Vec<Fault>) -> Vec<Fault> {
    next.retain(|it| own.iter().any(|own| is_same(own, it)));
    next
}

/// Whether two faults are one: what is refused in the same place.
pub(super) fn is_same(a: &Fault, b: &Fault) -> bool {
    a.path == b.path && a.kind.name() == b.kind.name()
}
