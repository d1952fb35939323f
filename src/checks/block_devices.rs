//! The volumes of a class's nodes.

use crate::{
    findings::note::Note,
    knowledge::block_device::{self, Device, ImageFamily},
    model::node_pool::class::NodeClass,
    resolve::setting::steps,
    source::Span,
    value::{Field, Kind, Value},
};

/// A list of volumes that leaves some of the image's out.
#[derive(Debug)]
pub(crate) struct PartialDevices {
    /// Where the list is: its key.
    pub report_span: Span,
    /// The volumes it leaves out.
    pub missing: Vec<&'static Device>,
    /// Those it has, by name, with their places.
    pub mapped: Vec<(String, Span)>,
    /// The steps by which the list came here.
    pub steps: Vec<Note>,
}

/// The volumes that a written list leaves to the image, where that is known. Since a list replaces
/// Karpenter's own, they have the image's size and no encryption.
#[must_use]
pub(crate) fn partial_devices(class: &NodeClass) -> Option<PartialDevices> {
    let family = image_family(class).filter(|_| !class.is_in_doubt && !class.is_fragment())?;
    let list = class.object.at("spec.blockDeviceMappings").present()?;
    let mappings = list.as_list().filter(|it| it.rest.is_none() && !it.items.is_empty())?;
    let name = |it: &Value| {
        let name = it.get("deviceName").present()?;
        Some((name.as_str()?.to_owned(), name.span))
    };
    let mapped: Vec<(String, Span)> = mappings.items.iter().map(name).collect::<Option<_>>()?;
    // Who says which volume is the root knows an image of another layout.
    let is_own = |name: &str| family.devices.iter().any(|it| it.name == name);
    let root = mappings.items.iter().zip(&mapped).filter(|(it, _)| !is_off(it.get("rootVolume")));
    if root.into_iter().any(|(_, (name, _))| !is_own(name)) {
        return None;
    }
    let on_instance = !class.object.at("spec.instanceStorePolicy").is_missing();
    let is_missing = |it: &&Device| {
        mapped.iter().all(|(name, _)| *name != it.name) && !(it.is_data && on_instance)
    };
    let missing: Vec<_> = family.devices.iter().filter(is_missing).collect();
    (!missing.is_empty()).then(|| PartialDevices {
        report_span: list.name,
        missing,
        mapped,
        steps: steps(list),
    })
}

/// The family of the images, if they are those that Karpenter chooses.
fn image_family(class: &NodeClass) -> Option<&'static ImageFamily> {
    let alias = match class.object.at("spec.amiSelectorTerms") {
        Field::Missing => None,
        Field::Unknown => return None,
        Field::Present(terms) => Some(only_alias(terms)?),
    };
    match (class.object.at("spec.amiFamily"), alias) {
        (Field::Present(family), _) => block_device::family(family.as_str()?),
        (Field::Missing, Some(alias)) => block_device::family_of_alias(alias),
        (Field::Missing, None) | (Field::Unknown, _) => None,
    }
}

/// The alias, if images are chosen by nothing else.
fn only_alias(terms: &Value) -> Option<&str> {
    let terms = terms.as_list().filter(|it| it.rest.is_none())?;
    let [term] = terms.items.as_slice() else { return None };
    let map = term.as_map().filter(|it| it.rest.is_none())?;
    let [alias] = map.entries.as_slice() else { return None };
    match &alias.value.kind {
        // The version may be anything.
        Kind::String(text) if &*alias.key == "alias" => Some(&text.text),
        _ => None,
    }
}

fn is_off(flag: Field<'_>) -> bool {
    match flag {
        Field::Missing => true,
        Field::Present(value) => value.as_bool() == Some(false),
        Field::Unknown => false,
    }
}
