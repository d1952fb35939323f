//! `images`: other names, tags and digests for the images of containers.

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        edit::{list_mut, map_mut, retext, text, text_at},
        field::{FieldSpec, Leaf},
        select::TextPattern,
    },
    value::{Field, Value, step::Rewrite},
};

/// Applies the entries of `images`, in their order.
pub(super) fn apply(entries: &[Value], made: &mut Accumulated) {
    const TAG: &str = r"(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?";
    let mut images = Vec::new();
    for entry in entries {
        let name = text_at(entry, "name");
        match name.and_then(|name| TextPattern::new(&format!("{name}{TAG}"))) {
            Some(pattern) => images.push((pattern, entry)),
            None => made.open = true,
        }
    }
    if images.is_empty() {
        return;
    }
    let rename_all = |image: &mut Value| {
        for (pattern, entry) in &images {
            rename(image, pattern, entry);
        }
    };
    let extra = made.config.images.clone();
    for resource in &mut made.resources {
        if &*resource.kind() != "CustomResourceDefinition" && has_containers(&resource.value) {
            containers(&mut resource.value, &mut |it| rename_all(it));
        }
        let id = resource.id();
        for spec in extra.iter().filter(|it: &&FieldSpec| it.selects(&id)) {
            let place = resource.value.span;
            spec.change(resource, place, &Leaf::Existing, &mut |it| rename_all(it));
        }
    }
}

const LISTS: [&str; 2] = ["containers", "initContainers"];

/// Whether there is anything to look for, so that objects without containers stay shared.
fn has_containers(value: &Value) -> bool {
    value.entries().iter().any(|it| LISTS.contains(&&*it.key) || has_containers(&it.value))
        || value.items().iter().any(has_containers)
}

fn containers(value: &mut Value, act: &mut dyn FnMut(&mut Value)) {
    if value.as_list().is_some() {
        let Some(list) = list_mut(value) else { return };
        list.items.iter_mut().for_each(|it| containers(it, act));
        return;
    }
    let Some(map) = map_mut(value) else { return };
    for entry in &mut map.entries {
        if !has_containers(&entry.value) && !LISTS.contains(&&*entry.key) {
            continue;
        }
        containers(&mut entry.value, act);
        if !LISTS.contains(&&*entry.key) {
            continue;
        }
        let Some(list) = list_mut(&mut entry.value) else { continue };
        for container in &mut list.items {
            let Some(map) = map_mut(container) else { continue };
            if let Some(image) = map.entries.iter_mut().find(|it| &*it.key == "image") {
                act(&mut image.value);
            }
        }
    }
}

fn rename(image: &mut Value, pattern: &TextPattern, entry: &Value) {
    let Some(old) = text(image).filter(|it| pattern.matches(it)) else { return };
    let filled = |key: &str| match entry.get(key) {
        Field::Present(value) => text(value).filter(|it| !it.is_empty()).map(|it| (it, value)),
        _ => None,
    };
    let (name, tag, digest) = split(&old);
    let (new_name, new_tag, new_digest) = (filled("newName"), filled("newTag"), filled("digest"));
    let name = new_name.as_ref().map_or(name, |it| &it.0);
    let (tag, digest) = match (&new_tag, &new_digest) {
        (None, None) => (
            tag.to_owned() + &filled("tagSuffix").map_or_else(String::new, |it| it.0.to_string()),
            digest,
        ),
        (tag, digest) => (
            tag.as_ref().map_or_else(String::new, |it| it.0.to_string()),
            digest.as_ref().map_or("", |it| &*it.0),
        ),
    };
    let digest = if filled("tagSuffix").is_some() && new_tag.is_none() { "" } else { digest };
    let mut new = name.to_owned();
    if !tag.is_empty() {
        new = new + ":" + &tag;
    }
    if !digest.is_empty() {
        new = new + "@" + digest;
    }
    let places = [&new_tag, &new_digest, &new_name];
    let Some((_, place)) = places.into_iter().flatten().next() else { return };
    let before = image.span;
    retext(image, new, before, Rewrite::Image);
    image.span = place.span;
}

/// Name, tag and digest of an image.
fn split(image: &str) -> (&str, &str, &str) {
    let (rest, digest) = image.split_once('@').unwrap_or((image, ""));
    let path = rest.find('/').filter(|at| *at > 0).unwrap_or(0);
    match rest.get(path..).and_then(|it| it.find(':')) {
        Some(at) => (&rest[..path + at], &rest[path + at + 1..], digest),
        None => (rest, "", digest),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn images_have_three_parts() {
        let cases = [
            ("nginx", ("nginx", "", "")),
            ("nginx:1.2", ("nginx", "1.2", "")),
            ("host:5000/nginx", ("host:5000/nginx", "", "")),
            ("host:5000/a/nginx:1@sha256:ab", ("host:5000/a/nginx", "1", "sha256:ab")),
            ("nginx@sha256:ab", ("nginx", "", "sha256:ab")),
        ];
        for (image, expected) in cases {
            assert_eq!(split(image), expected, "{image}");
        }
    }
}
