//! What takes the place of a resource of a retired API: in which version, and whether it is there already.

use crate::{
    knowledge::schema::{
        self, Schema,
        retired::{Move, Target},
    },
    model::{Model, karpenter_object::KarpenterObject},
    version::Version,
};

/// The first release that stores `v1`: the older ones that serve it do so for upgrades.
const STORES_V1: Version = Version::new(1, 0, 0);

/// A resource that is there in place of a retired one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor<'a> {
    /// The resource.
    pub object: &'a KarpenterObject,
    /// Whether it has the name of the retired one; else it is one of those in its folder or root.
    pub has_its_name: bool,
}

/// The schema of a kind that is to be written for a release; the newest where none is known.
pub(crate) fn schema_for(
    group: &str,
    kind: &str,
    release: Option<&Version>,
) -> Option<&'static Schema> {
    let kind = schema::kind(group, kind)?;
    let Some(release) = release else { return kind.schemas.last() };
    let mut served = kind.served_by(release);
    if *release < STORES_V1 { served.next() } else { served.last() }
}

/// Where a field is in that version of the API of its new kind; `None` where it is gone.
pub(super) fn place_in(moved: &'static Move, api: &str) -> Option<&'static Target> {
    let to = moved.to.as_ref()?;
    // What moved once may have moved again.
    let again = |it: &&Move| it.kind == to.kind && it.api == to.api && it.from == to.path;
    match schema::moves().iter().find(again).filter(|_| to.api != api) {
        Some(again) => again.to.as_ref(),
        None => Some(to),
    }
}

/// The resource that took the place of a retired one: of its name, or else, where the kind is another, one that is
/// applied with it.
pub(super) fn successor<'a>(
    model: &'a Model,
    retired: &KarpenterObject,
    kind: Option<&str>,
) -> Option<Successor<'a>> {
    let own = &retired.object;
    let is_newer = |it: &&KarpenterObject| {
        let object = &it.object;
        let is_one = match kind {
            Some(kind) => &*object.kind == kind,
            None => object.kind == own.kind && is_newer(retired, it),
        };
        is_one
            && object.group() == own.group()
            && it.report_span != retired.report_span
            && !it.is_optional
            && it.of_file == retired.of_file
    };
    let is_near = |it: &&KarpenterObject| match retired.scope.left_out {
        // What nothing applies meets nothing, and was replaced by what is beside it.
        Some(_) => it.scope.folder == retired.scope.folder,
        None => {
            it.scope.deploy_unit() == retired.scope.deploy_unit()
                && model.may_meet(&it.scope, &retired.scope)
        }
    };
    let mut near: Vec<_> =
        model.karpenter_objects.iter().filter(is_newer).filter(is_near).collect();
    // What several instances make of one place is named once.
    near.dedup_by_key(|it| it.report_span);
    let name = own.anchor_text();
    let same = near.iter().find(|it| name.is_some() && it.object.anchor_text() == name);
    if let Some(object) = same {
        return Some(Successor { object, has_its_name: true });
    }
    let other = near.first().filter(|it| kind.is_some() && it.object.anchor_text().is_some());
    other.map(|object| Successor { object, has_its_name: false })
}

/// Whether a resource of the same kind is of a version of the API that outlives that of the retired one.
fn is_newer(retired: &KarpenterObject, other: &KarpenterObject) -> bool {
    let until = |it: &KarpenterObject| {
        schema::of(&it.object.api_version, &it.object.kind).map(Schema::until)
    };
    match (until(retired), until(other)) {
        (Some(Some(_)), Some(None)) => true,
        (Some(Some(own)), Some(Some(other))) => own < other,
        _ => false,
    }
}
