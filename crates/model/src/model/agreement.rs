//! What several controllers agree on.

use crate::{resolve::release::Release, version::Version};

/// The first of several controllers, as an index, and the version all of them have, if it is known.
pub(super) type Agreed = (usize, Option<Version>);

/// `None` when the controllers differ.
#[must_use]
pub(super) fn controllers_agreed(releases: &[Release], controllers: &[usize]) -> Option<Agreed> {
    let mut versions = controllers.iter().map(|it| releases[*it].exact_version());
    let version = versions.next()?;
    versions.all(|it| it == version).then(|| Some((*controllers.first()?, version)))?
}
