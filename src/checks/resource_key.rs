//! How the instances of a resource are told apart, and what becomes of pools when that changes.

use crate::{
    findings::silence::Silence,
    model::{Model, karpenter::KarpenterResource, node_pool::NodePool},
    resolve::terraform::object::{BlockInstance, Mode},
    source::Span,
    value::{
        Field, Kind, Symbol, Value,
        cause::Cause,
        step::{Referent, Step, StepKind},
    },
};

/// What tells the pools of one resource apart, and changes although they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FleetingKey {
    /// Their place in a list.
    Position,
    /// Their text, or a digest of it.
    Text,
}

/// The key by which a resource makes pools that are replaced for another's sake, and where it is written;
/// `None` for resources without pools, and for those that make one.
pub(crate) fn fleeting_key(
    model: &Model,
    resource: &KarpenterResource,
) -> Option<Result<(FleetingKey, Span), Silence>> {
    let blocks: Vec<&BlockInstance> = model.blocks_of(resource).collect();
    let first = *blocks.first().filter(|_| resource.holds("NodePool"))?;
    let root = model.terraform.roots.get(resource.root)?;
    let around = |it: &&BlockInstance| is_inside(first, it);
    let calls = root.objects.iter().filter(around);
    let calls = calls.map(|call| root.objects.iter().filter(|it| it.node == call.node).collect());
    let is_alone = makes_one_pool(model, resource, &blocks);
    let mut kept = None;
    for instances in [blocks].into_iter().chain(calls) {
        match key_of(&instances) {
            Some(Ok((FleetingKey::Position, place))) if is_alone => {
                let silence = Silence::sound("the only pool in a list replaces no other");
                kept = kept.or(Some(Err(silence.at(place, "the list"))));
            }
            Some(Err(silence)) => kept = kept.or(Some(Err(silence))),
            Some(found) => return Some(found),
            None => {}
        }
    }
    kept
}

/// Whether a resource makes one pool at most, as far as all that it makes is known.
fn makes_one_pool(model: &Model, resource: &KarpenterResource, blocks: &[&BlockInstance]) -> bool {
    let is_seen = |it: &&BlockInstance| {
        let texts = ["yaml_body", "manifest"].map(|key| it.body.get(key).present());
        texts.into_iter().flatten().any(|it| !it.is_unknown())
    };
    let is_open = |it: &&BlockInstance| match (it.body.get("count"), it.body.get("for_each")) {
        (Field::Present(count), _) => count.as_number().is_none(),
        (_, Field::Present(each)) => each.as_map().is_some_and(|it| it.rest.is_some()),
        _ => false,
    };
    pools_of(model, resource).count() < 2 && blocks.iter().all(|it| is_seen(it) && !is_open(it))
}

/// The pools that a resource makes.
fn pools_of<'a>(
    model: &'a Model,
    resource: &KarpenterResource,
) -> impl Iterator<Item = &'a NodePool> {
    let (root, node) = (resource.root, resource.node);
    let is_its =
        move |it: &&NodePool| it.scope.root == Some(root) && it.node.is_some_and(|it| it == node);
    model.node_pools.iter().filter(is_its)
}

/// Whether a block is in the module that a call brings.
fn is_inside(block: &BlockInstance, call: &BlockInstance) -> bool {
    let below = |it: &str| it.starts_with('.');
    call.mode == Mode::Module && block.address.strip_prefix(&*call.address).is_some_and(below)
}

/// The expression that has the name of a pool from `it`, an entry of what a resource goes through, where that is clear.
pub(crate) fn name_of_entry(model: &Model, resource: &KarpenterResource) -> Option<String> {
    let names = pools_of(model, resource);
    let names: Vec<&Value> =
        names.filter_map(|it| it.object.at("metadata.name").present()).collect();
    if let Some(field) = names.iter().find_map(|it| field_of_indexed(it)) {
        return Some(format!("it.{field}"));
    }
    let first = model.blocks_of(resource).next()?;
    let root = model.terraform.roots.get(resource.root)?;
    let calls = root.objects.iter().filter(|it| is_inside(first, it));
    let each = |it: &BlockInstance| name_in_entries(it.body.get("for_each").present()?, &names);
    [first].into_iter().chain(calls).find_map(each)
}

/// The map of the documents that a resource goes through, by the kinds and names of their objects, where a data source of
/// the kubectl provider has both.
pub(crate) fn manifests(model: &Model, resource: &KarpenterResource) -> Option<String> {
    let places = ["for_each", "count", "yaml_body"];
    let values = model
        .blocks_of(resource)
        .flat_map(|block| places.iter().filter_map(|it| block.body.get(it).present()));
    let mut sources = values.flat_map(|value| {
        let symbol = match &value.kind {
            Kind::Unknown(symbol) => Some(symbol.text.as_ref()),
            _ => None,
        };
        let step = |it: &'_ Step| match &it.kind {
            StepKind::Reference { to: Referent::Data, text, .. } => Some(text.to_string()),
            _ => None,
        };
        value.steps().filter_map(step).chain(symbol.map(str::to_owned))
    });
    sources.find_map(|it| {
        let from = it.find("data.kubectl_")?;
        let (source, _) = it.get(from..)?.split_once(".documents")?;
        let is_address = source.chars().all(|it| it.is_alphanumeric() || "._-".contains(it));
        is_address.then(|| format!("{source}.manifests"))
    })
}

/// The field of an entry that an unknown name is: of `var.pools[count.index].name`, `name`.
fn field_of_indexed(name: &Value) -> Option<&str> {
    let symbol = match &name.kind {
        Kind::Unknown(symbol) => symbol,
        Kind::String(text) => text.only_hole()?,
        _ => return None,
    };
    let (_, field) = symbol.text.rsplit_once("count.index].")?;
    let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.');
    (!field.is_empty() && field.chars().all(is_word)).then_some(field)
}

/// How the entries of a known `for_each` have the names of the pools.
fn name_in_entries(each: &Value, names: &[&Value]) -> Option<String> {
    let mapped = each.entries().first().map(|it| &it.value);
    let entry = mapped.or_else(|| each.items().first())?;
    let is_name = |it: &Value| {
        let text = it.as_str();
        text.is_some() && names.iter().any(|name| name.as_str() == text)
    };
    if is_name(entry) {
        return Some("it".to_owned());
    }
    if entry.as_str().is_some_and(is_text) {
        return Some("yamldecode(it).metadata.name".to_owned());
    }
    if entry.at("metadata.name").present().is_some() {
        return Some("it.metadata.name".to_owned());
    }
    let field = entry.entries().iter().find(|it| is_name(&it.value))?;
    Some(format!("it.{}", field.key))
}

/// What tells the instances of one block apart.
fn key_of(instances: &[&BlockInstance]) -> Option<Result<(FleetingKey, Span), Silence>> {
    let first = instances.first()?;
    if let Field::Present(count) = first.body.get("count") {
        return by_count(count);
    }
    let each = first.body.get("for_each").present()?;
    Some(by_key(each, &keys(instances)).map(|it| (it, place_in(first, each))))
}

/// Where a block has a value: what it refers to in the block, else what is written there.
fn place_in(block: &BlockInstance, value: &Value) -> Span {
    let is_inside = |it: &Span| {
        it.file == block.span.file && block.span.start <= it.start && it.end <= block.span.end
    };
    let steps = value.steps().map(|it| it.span);
    [value.span].into_iter().chain(steps).find(is_inside).unwrap_or(value.span)
}

fn by_count(count: &Value) -> Option<Result<(FleetingKey, Span), Silence>> {
    match &count.kind {
        Kind::Unknown(symbol) if !symbol.text.starts_with("length(") => None,
        // A switch.
        Kind::Number(number) if *number < 2.0 => None,
        _ => Some(Ok((FleetingKey::Position, count.span))),
    }
}

/// The keys in the addresses of instances.
fn keys<'a>(blocks: &[&'a BlockInstance]) -> Vec<&'a str> {
    let key = |it: &&'a BlockInstance| {
        let (_, key) = it.address.rsplit_once(&format!("{}.{}[\"", it.kind, it.name))?;
        key.strip_suffix("\"]")
    };
    blocks.iter().filter_map(key).collect()
}

fn by_key(each: &Value, keys: &[&str]) -> Result<FleetingKey, Silence> {
    if let Kind::Unknown(symbol) = &each.kind {
        return by_symbol(symbol);
    }
    if keys.iter().any(|it| is_text(it)) {
        return Ok(FleetingKey::Text);
    }
    let is_position = |it: &&str| it.parse::<usize>().is_ok_and(|it| it < keys.len());
    if keys.len() > 1 && keys.iter().all(is_position) {
        return Ok(FleetingKey::Position);
    }
    Err(Silence::sound("each pool has a key of its own").at(each.span, "the keys"))
}

/// `documents` of the data sources that split YAML are a list of texts; `manifests` have names.
fn by_symbol(symbol: &Symbol) -> Result<FleetingKey, Silence> {
    let text = symbol.text.trim_end_matches(')');
    if text.ends_with(".documents") && text.contains("data.kubectl_") {
        return Ok(FleetingKey::Text);
    }
    if text.ends_with(".manifests") {
        return Err(Silence::sound("each pool has its kind and name for a key"));
    }
    let words = "the keys of its instances are not known";
    let silence = Silence::undecided(Cause::Value, words);
    Err(match symbol.expression() {
        Some(expression) => silence.missing(expression),
        None => silence,
    })
}

/// Whether a key is a document, or a digest of one.
fn is_text(key: &str) -> bool {
    let is_digest =
        [32, 40, 64].contains(&key.len()) && key.bytes().all(|it| it.is_ascii_hexdigit());
    is_digest || key.contains('\n') || key.contains("apiVersion")
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn documents_and_digests_are_texts() {
        for (key, wanted) in [
            ("default", false),
            ("karpenter.sh/v1/NodePool/default", false),
            ("0", false),
            ("apiVersion: karpenter.sh/v1\nkind: NodePool\n", true),
            ("d41d8cd98f00b204e9800998ecf8427e", true),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", true),
        ] {
            assert_eq!(is_text(key), wanted, "{key}");
        }
    }
}
